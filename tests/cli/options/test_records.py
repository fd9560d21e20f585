"""Records of options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from mixsafe_cli.options.records import one_of, panel, takes_records
from mixsafe_cli.options.synthesize_options import Crowd


@dataclass(frozen=True)
class Size:
    """A record of two options."""

    width: Annotated[int, typer.Option("--width")] = 1
    height: Annotated[int, typer.Option("--height")] = 2


def test_fields_of_a_record_are_options_of_the_command() -> None:
    app = typer.Typer()

    @app.command()
    @takes_records
    def area(size: Size, unit: Annotated[str, typer.Option("--unit")] = "m2") -> None:
        """Say how large it is."""
        typer.echo(f"{size.width * size.height} {unit}")

    runner = CliRunner()
    assert runner.invoke(app, ["--width", "3"]).stdout == "6 m2\n"
    assert runner.invoke(app, ["--height", "5", "--unit", "ha"]).stdout == "5 ha\n"
    said = runner.invoke(app, ["--help"]).stdout
    assert "--height" in said
    assert "Say how large it is." in said


@dataclass(frozen=True)
class Band(Crowd):
    """A record that begins as one of another module, whose names are not known here."""

    instruments: Annotated[int, typer.Option("--instruments")] = 4


def test_a_record_has_the_fields_of_the_one_that_it_extends_first() -> None:
    app = typer.Typer()

    @app.command()
    @takes_records
    def play(band: Band) -> None:
        """Say who plays."""
        typer.echo(f"{band.users} {band.days} {band.instruments}")

    assert CliRunner().invoke(app, ["--users", "3", "--instruments", "5"]).stdout == "3 4 5\n"
    assert CliRunner().invoke(app, ["--users", "0"]).exit_code == 2


_paint = panel("Paint")


@dataclass(frozen=True)
class Paint:
    """Options that a panel makes."""

    colour: str = _paint("Of the wall.", "--color", default="red", **one_of(lambda: SHADES))
    is_wet: bool = _paint("Wait before you touch it.", default=False)


SHADES = ["red"]


def test_a_panel_makes_options_of_fields_and_of_parameters() -> None:
    app = typer.Typer()

    @app.command()
    @takes_records
    def paint(paint: Paint, coats: int = panel()(lambda: f"{len(SHADES)} shades.", min=1)) -> None:
        """Say what is painted."""
        typer.echo(f"{paint.colour} {paint.is_wet} {coats}")

    runner = CliRunner()
    assert runner.invoke(app, []).stdout == "red False None\n"
    assert runner.invoke(app, ["--color", "x", "--is-wet", "--coats", "2"]).stdout == "x True 2\n"
    assert runner.invoke(app, ["--no-is-wet"]).exit_code == 2
    assert runner.invoke(app, ["--coats", "0"]).exit_code == 2


def test_what_is_registered_later_is_in_the_help(monkeypatch: pytest.MonkeyPatch) -> None:
    app = typer.Typer()

    @takes_records
    def paint(paint: Paint, coats: int = panel()(lambda: f"{len(SHADES)} shades.")) -> None:
        """Say what is painted."""

    monkeypatch.setattr(f"{__name__}.SHADES", ["red", "blue"])
    app.command()(paint)
    said = CliRunner().invoke(app, ["--help"]).stdout
    assert "red|blue" in said
    assert "2 shades." in said
    assert "Paint" in said
