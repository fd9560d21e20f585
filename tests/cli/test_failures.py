"""Whatever goes wrong is one line on standard error, and a status that says what kind it is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from mixsafe.errors import InputError
from mixsafe_cli.app import app
from mixsafe_cli.failures import OneLineErrors, one_line

BAD_USAGE = [
    ["nonsense"],
    ["--nonsense"],
    ["verify", "--nonsense"],
    ["verify", "one", "two"],
    ["verify", "--k"],
    ["verify", "--k", "three"],
    ["verify", "--k", "0"],
    ["verify"],
    ["verify", "--k", "3", "--requirements", "asked.csv"],
    ["verify", "--requirements", "missing.csv"],
    ["verify", "--k", "3", "--at", "noon"],
    ["verify", "--k", "3", "--at", "99"],
    ["verify", "--at", "3"],
    ["verify", "--k", "3", "--rule", "often"],
    ["verify", "--k", "3", "--rule", "share:2"],
    ["verify", "--k", "1"],
    ["verify", "--k", "3", "--adversary", "nobody"],
    ["verify", "--k", "3", "--days", "1", "--end", "20"],
    ["verify", "--k", "3", "--days", "0"],
    ["verify", "--k", "3", "--users", "0"],
    ["verify", "--k", "3", "--users", "201"],
    ["verify", "--k", "3", "--user-list", "missing.txt"],
    ["verify", "--k", "3", "--engine", "oracle"],
    ["verify", "--k", "3", "--encoding", "flow"],
    ["verify", "--k", "3", "--engine", "cpsat", "--encoding", "morse"],
    ["verify", "--k", "3", "--time-limit", "0"],
    ["verify", "--k", "3", "--time-limit", "nan"],
    ["verify", "--k", "3", "--workers", "-1"],
    ["verify", "--k", "3", "--seed", "-1"],
    ["verify", "--k", "3", "--min-users", "1"],
    ["verify", "--k", "3", "--cell-size", "100"],
    ["verify", "--k", "3", "--time-step", "60"],
    ["verify", "--k", "3", "--format", "shapefile"],
    ["verify", "--k", "3", "--column", "user"],
    ["verify", "--k", "3", "--output", "wires.txt"],
    ["verify", "--k", "3", "--output", "no/such/folder/wires.csv"],
    ["verify", "--k", "3", "--json", "no/such/folder/answer.json"],
    ["verify", "--k", "3", "--output", "same.csv", "--json", "same.csv"],
    ["verify", "missing.csv", "--k", "3"],
    ["zones", "missing.csv"],
    ["zones", "--min-users", "1"],
    ["synthesize", "town"],
    ["synthesize", "town", "--users", "1", "-o", "town.csv"],
    ["synthesize", "town", "--seed", "-1", "-o", "town.csv"],
    ["synthesize", "cabs", "-o", "cabs.txt"],
    ["synthesize", "metro", "-o", "metro.txt"],
    ["synthesize", "metro", "-o", "no/such/folder"],
    ["synthesize", "metro", "--users", "1", "-o", "metro"],
    ["synthesize", "metro", "--steps", "0", "-o", "metro.csv"],
    ["synthesize", "metro", "--step-minutes", "7", "-o", "metro.csv"],
    ["synthesize", "metro", "--seed", "-1", "-o", "metro.csv"],
    ["synthesize", "fleet", "-o", "feed.csv"],
    ["synthesize", "fleet", "-o", "no/such/folder"],
    ["synthesize", "fleet", "--poll", "5", "-o", "feed"],
    ["synthesize", "fleet", "--poll", "0min", "-o", "feed"],
    ["synthesize", "fleet", "--rotate", "sometimes", "-o", "feed"],
    ["synthesize", "fleet", "--keep", "battery", "-o", "feed.jsonl"],
    ["datasets", "make", "village"],
]


@pytest.mark.parametrize("arguments", BAD_USAGE, ids=" ".join)
def test_bad_usage_is_one_line_and_status_2(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("mixsafe: ")
    assert done.stderr.count("\n") == 1
    assert "bug" not in done.stderr
    assert "Traceback" not in done.stderr


def command_that(fails: Callable[[], None]) -> typer.Typer:
    """The mixsafe command, with one command that fails."""
    broken = typer.Typer(cls=OneLineErrors, pretty_exceptions_enable=False)
    broken.callback()(lambda: None)
    broken.command("fail")(fails)
    return broken


def raises(error: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (InputError("no", file="a.csv", line=3, column="k"), 2, "mixsafe: a.csv, line 3"),
        (MemoryError(), 2, "out of memory"),
        (
            PermissionError(13, "Permission denied", "secret.csv"),
            2,
            "secret.csv: Permission denied",
        ),
        (KeyError("x"), 2, "this is a bug"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_errors_of_commands_are_one_line(error: BaseException, status: int, said: str) -> None:
    done = CliRunner().invoke(command_that(raises(error)), ["fail"])
    assert done.exit_code == status
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_debug_shows_the_traceback_wherever_it_stands() -> None:
    for arguments in (["--debug", "fail"], ["fail", "--debug"]):
        done = CliRunner().invoke(command_that(raises(InputError("no"))), arguments)
        assert done.exit_code == 2
        assert "Traceback" in done.stderr


def test_an_error_of_many_lines_becomes_one_line() -> None:
    assert one_line(ValueError("one\ntwo")).count("\n") == 0


@pytest.mark.parametrize("arguments", [["verify", "--help"], ["datasets", "list"], ["--version"]])
def test_nothing_is_said_when_the_reader_of_the_output_has_gone(arguments: list[str]) -> None:
    path = [entry for entry in sys.path if entry]
    program = f"import sys; sys.path[:0] = {path!r}; from mixsafe_cli.app import app; app()"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert done.stderr == b""
    assert done.returncode == (0 if arguments == ["datasets", "list"] else 141)
