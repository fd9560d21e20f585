"""Outputs: no file that a command reads is ever written over."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import mixsafe
from mixsafe_cli.app import app

READ = {
    "verify --k 3": ("--adversary", "--requirements", "--user-list", "--places", "further"),
    "optimize --k 2 --at 5": ("--adversary", "--user-list", "--places", "further"),
    "compare --k 3": ("--adversary", "--user-list", "--places", "further"),
    "weigh": ("--adversary", "--exchange", "--user-list", "--places", "further"),
    "breaking --k 3": ("--adversary", "--sightings", "--user-list", "--places", "further"),
    "breaking --k 2 --draws 2": ("--reference",),
    "zones": ("--user-list", "--places", "further"),
}
"""Options of commands that name a file; further: a second file of traces."""


@pytest.mark.parametrize(
    ("command", "option"), [(name, one) for name, options in READ.items() for one in options]
)
def test_no_file_that_is_read_is_written_over(command: str, option: str, tmp_path: Path) -> None:
    source, read = tmp_path / "traces.csv", tmp_path / "read.csv"
    source.write_bytes(mixsafe.sample("town").read_bytes())
    read.write_text("user_id,time_id\n1,1\n")
    words = command.split()
    if option == "--requirements":
        words = words[:1]
    words[1:1] = [str(source), *([] if option == "further" else [option]), str(read)]
    done = CliRunner().invoke(app, [*words, "--json", str(read)])
    assert done.exit_code == 2, done.output
    assert "--json would overwrite an input" in done.output
    assert read.read_text() == "user_id,time_id\n1,1\n"


def test_the_data_that_a_result_names_are_not_written_over(tmp_path: Path) -> None:
    """``weigh`` reads the result of ``verify``, and with it the source that is named there."""
    source, result = tmp_path / "traces.csv", tmp_path / "result.json"
    source.write_bytes(mixsafe.sample("town").read_bytes())
    few = ["--users", "20", "--k", "3", "--engine", "bounds", "-q"]
    CliRunner().invoke(app, ["verify", str(source), *few, "--json", str(result)])
    done = CliRunner().invoke(app, ["weigh", str(result), "-o", str(source)])
    assert done.exit_code == 2, done.output
    assert "--output would overwrite an input" in done.output
    assert source.read_bytes() == mixsafe.sample("town").read_bytes()
