"""Options that are declared once, with what their values must be."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from mixsafe.errors import InputError
from mixsafe_cli.options.declaring import (
    CheckedOptions,
    a_file,
    above_zero,
    declare,
    excludes,
    needs,
    not_negative,
    one_among,
)
from mixsafe_cli.options.records import panel, takes_records

WIDTH = declare("How wide.", above_zero, panel="Size", metavar="CM")
PATTERN = declare("A file.", excludes("width", why="--pattern says it"), a_file, panel="Size")
WOODS = ["oak"]
WOOD = declare("Of what.", one_among(lambda: WOODS))


@dataclass(frozen=True)
class Board(CheckedOptions):
    """A record of options that are declared elsewhere, and of one of its own."""

    depth: Annotated[int | None, declare("How deep.", needs("width"))] = None
    width: Annotated[float | None, WIDTH.said("How wide the board is.")] = None
    pattern: Annotated[Path | None, PATTERN] = None
    knots: int = panel()("How many.", default=0, constraints=(not_negative,))
    wood: Annotated[str, WOOD] = "oak"


@pytest.mark.parametrize(
    ("board", "said"),
    [
        (Board(width=0), "--width 0 is not above 0"),
        (Board(width=float("nan")), "--width nan is not above 0"),
        (Board(knots=-1), "--knots -1 is negative"),
        (Board(wood="tin"), "--wood 'tin' is unknown"),
        (Board(depth=2), "--depth needs --width"),
        (Board(pattern=Path("none.csv")), "given with --pattern"),
        (Board(width=0, pattern=Path("none.csv")), "--width cannot be given: --pattern says it"),
    ],
)
def test_what_is_declared_of_an_option_is_checked(board: Board, said: str) -> None:
    """And that two exclude each other is said before what is wrong with one of them."""
    with pytest.raises(InputError, match=said):
        board.check()


def test_what_was_not_given_is_not_checked() -> None:
    Board().check()
    Board(width=3.5, depth=1, knots=2).check()


def test_a_command_has_its_own_words_and_the_same_settings() -> None:
    app = typer.Typer()

    @app.command()
    @takes_records
    def saw(board: Board) -> None:
        """Say the width."""
        typer.echo(board.width)

    runner = CliRunner()
    assert runner.invoke(app, ["--width", "2.5"]).stdout == "2.5\n"
    said = runner.invoke(app, ["--help"]).stdout
    assert "How wide the board is." in said
    assert "CM" in said
    assert "Size" in said


def test_the_panel_of_an_option_may_be_another_one_or_none() -> None:
    assert WIDTH.said().settings["rich_help_panel"] == "Size"
    assert WIDTH.said(panel="Wood").settings["rich_help_panel"] == "Wood"
    assert WIDTH.said(panel=None).settings["rich_help_panel"] is None
    assert WIDTH.said("Anew.", constraints=()).constraints == ()
