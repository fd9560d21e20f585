"""``-`` in place of a file: standard input is read, and tables go to standard output."""

import gzip
import json

import pytest
from typer.testing import CliRunner

from mixsafe.synthesize.samples import sample
from mixsafe_cli import standard_streams
from mixsafe_cli.app import app


@pytest.fixture
def run():
    def call(*words, **how):
        standard_streams.standard_input.cache_clear()
        return CliRunner().invoke(app, [*map(str, words)], **how)

    return call


def head(lines=2000):
    return b"".join(sample("town").read_bytes().splitlines(keepends=True)[:lines])


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_what_comes_in_goes_out(run, tmp_path, pack):
    path = tmp_path / "town.csv"
    path.write_bytes(head())
    there = run("zones", path, "-o", tmp_path / "zones.csv", "-q")
    piped = run("zones", "-", "-o", "-", input=pack(head()))
    assert (there.exit_code, piped.exit_code) == (0, 0), piped.output
    assert piped.stdout == (tmp_path / "zones.csv").read_text()


def test_several_files_are_one_source(run, tmp_path):
    lines = head().decode().splitlines(keepends=True)
    parts = [lines[:900], [lines[0], *lines[900:]]]
    for name, part in zip(("1.csv", "2.csv", "all.csv"), [*parts, lines], strict=True):
        (tmp_path / name).write_text("".join(part))
    whole = run("zones", tmp_path / "all.csv", "-o", "-")
    both = run("zones", tmp_path / "1.csv", tmp_path / "2.csv", "-o", "-")
    assert both.stdout == whole.stdout != ""


@pytest.mark.parametrize("command", ["breaking", "weigh", "verify", "optimize"])
def test_a_table_on_standard_output_has_nothing_beside_it(run, four_walkers, tmp_path, command):
    path, table = tmp_path / "four.json", tmp_path / "table.csv"
    path.write_text(json.dumps(four_walkers))
    words = [command, path, *(["--k", "2"] if command == "verify" else []), "-o"]
    there, piped = run(*words, table), run(*words, "-")
    assert there.exit_code == piped.exit_code != 2, piped.output
    assert piped.stdout == table.read_text()


def test_two_answers_cannot_share_standard_output(run):
    done = run("zones", sample("town"), "-o", "-", "--json", "-")
    assert done.exit_code == 2
    assert "cannot both go to standard output" in done.stderr


def test_what_is_wrong_with_standard_input_is_said_of_it(run):
    done = run("zones", "-", "-o", "-", input=b"a,b\n1,2\n")
    assert done.exit_code == 2
    assert "mixsafe: standard input, line 1, column 'user_id'" in done.stderr
