"""Times on the command line are of the zone in which times are printed, whatever the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mixsafe_cli.app import app

ROWS = [(who, time, 50.0) for who in (1, 2) for time in range(946684800, 946684980, 60)]
TOKYO = ("--column", "user_id=whom", "--tz", "Asia/Tokyo", "--k", 2, "--at")
ASKED = {
    "verify": ("--engine", "bounds"),
    "optimize": (),
    "compare": ("--engines", "dp"),
}


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def met(tmp_path: Path) -> Path:
    """Two who are at one place all the time, from nine o'clock on in Tokyo."""
    path = tmp_path / "met.csv"
    path.write_text("whom,time,lat,lon\n" + "".join(f"{w},{t},{a},10\n" for w, t, a in ROWS))
    return path


@pytest.mark.parametrize("command", ASKED)
def test_at_is_read_in_the_zone_that_is_said(met: Path, command: str) -> None:
    """In UTC this would be before the data begin; the message says the time as people do."""
    asked = (command, met, *TOKYO, "2000-01-01T00:01:00", *ASKED[command])
    refused = run(*asked)
    assert refused.exit_code == 2
    assert "time 2000-01-01T00:01:00+09:00 is outside the data's 2000-01-01T08:59" in refused.stderr


@pytest.mark.parametrize("command", ["verify", "optimize"])
def test_a_time_there_is_found(met: Path, command: str) -> None:
    asked = (command, met, *TOKYO, "2000-01-01T09:01:00", *ASKED[command])
    assert run(*asked).exit_code in (0, 1, 4)


def test_a_number_that_is_no_date_is_told_as_it_is(met: Path) -> None:
    refused = run("verify", met, *TOKYO, 7 * 10**12)
    assert refused.exit_code == 2
    assert str(7 * 10**12) in refused.stderr


def test_a_column_that_nobody_names_is_asked_for_by_its_option(met: Path) -> None:
    """So it is by commands that first look whether a source poses the questions itself."""
    for command in ("verify", "compare"):
        refused = run(command, met, "--k", 2)
        assert refused.exit_code == 2
        assert "--column user_id=NAME" in refused.stderr
