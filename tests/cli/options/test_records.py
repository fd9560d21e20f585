"""Records of options."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, get_args

import pytest
import typer
from typer.testing import CliRunner

from mixsafe_cli.app import Commands
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


@dataclass(frozen=True)
class Numbers:
    """Options that are numbers, made in both ways."""

    steps: Annotated[int | None, typer.Option("--steps")] = None
    speed: float = panel()("How fast.", default=2.5)
    seed: int = panel()("Of everything.", default=0, min=0, max=9)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--steps", "1_000"], "'1_000' is not a whole number"),
        (["--steps", "\uff12"], "is not a whole number"),
        (["--steps", "0x10"], "'0x10' is not a whole number"),
        (["--steps", "2.0"], "'2.0' is not a whole number"),
        (["--steps", "9223372036854775808"], "9223372036854775808 is above 2147483647"),
        (["--steps", "9" * 5000], "is above 2147483647"),
        (["--speed", "1e308"], "1e308 is above 1e+12"),
        (["--speed", "inf"], "'inf' is not a number"),
        (["--speed", "1_0"], "'1_0' is not a number"),
        (["--seed", "10"], "10 is not from 0 to 9"),
    ],
)
def test_numbers_of_options_are_those_of_files(words: list[str], complaint: str) -> None:
    """Python's own take 1_000, and click's any size: a traceback where NumPy needs 64 bits."""
    app = typer.Typer()

    @app.command()
    @takes_records
    def go(numbers: Numbers) -> None:
        """Say them."""
        typer.echo(f"{numbers.steps} {numbers.speed} {numbers.seed}")

    runner = CliRunner()
    assert runner.invoke(app, ["--steps", "+7", "--speed", "-.5e1"]).stdout == "7 -5.0 0\n"
    done = runner.invoke(app, words)
    assert done.exit_code == 2
    assert complaint in " ".join(done.output.replace("│", " ").split())


def test_all_numbers_of_all_commands_are_read_so() -> None:
    """No option of any command is read by typer's own rule, whatever record it is in."""
    found = 0
    for name in (one for words in Commands.panels.values() for one in words.split()):
        module = import_module(f"mixsafe_cli.commands.{name}")
        parts = [module]
        if hasattr(module, "__path__"):
            inner = module.app.info.cls.names.split()
            parts = [import_module(f"mixsafe_cli.commands.{name}.{one}") for one in inner]
        for part in parts:
            command = getattr(part, part.__name__.rpartition(".")[2], None)
            if command is None:
                continue
            for parameter in inspect.signature(command).parameters.values():
                base, *infos = get_args(parameter.annotation) or (None,)
                if base in (int, int | None, float, float | None):
                    assert infos[0].parser is not None, (part.__name__, parameter.name)
                    found += 1
    assert found > 100
