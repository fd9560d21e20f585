"""Advice leads on: each hint is followed on the input that prints it, and the command goes on."""

from __future__ import annotations

import ast
import inspect
import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import typer
from typer.testing import CliRunner

from mixsafe_cli.app import app
from tests.support.advice import every_command, options_that_are_not_there

ROOT = Path(__file__).resolve().parents[2]

DATA = ["1,2008-02-02T15:36:00Z,39.9,116.5", "2,2008-02-02T15:36:10Z,39.9,116.5"]
"""Two people at one place, without a header."""


def run(*words: str | Path) -> tuple[int, str]:
    """Exit status of a command, and all that it printed."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert not options_that_are_not_there(done.stderr, [str(word) for word in words])
    return done.exit_code, done.stdout + done.stderr


def test_a_file_without_a_header_keeps_its_first_fix(tmp_path: Path) -> None:
    """The advice names columns by their order; naming them after values would lose a row."""
    path = tmp_path / "trips.csv"
    path.write_text("\n".join(DATA) + "\n")
    status, said = run("verify", path, "--k", 2)
    assert (status, "--column " in said, "its first line is data" in said) == (2, False, True)
    option, names = said.partition("--columns ")[1:]
    status, said = run("verify", path, "--k", 2, option.strip(), names.split()[0])
    assert (status, "2 users" in said, "1 mix zone" in said) == (1, True, True)


def test_a_header_is_named_where_no_option_says_it(tmp_path: Path) -> None:
    """A file of sightings has no --columns."""
    path, seen = tmp_path / "trips.csv", tmp_path / "seen.csv"
    path.write_text("\n".join(["user_id,time,lat,lon", *DATA]) + "\n")
    seen.write_text("1,2008-02-02T15:36:00Z\n")
    status, said = run("verify", path, "--k", 2, "--adversary", seen)
    assert (status, "--columns" in said, "its first line is data" in said) == (2, False, True)


def test_files_of_a_folder_are_named_after_their_users(tmp_path: Path) -> None:
    """The advice for GeoLife is followed."""
    for row, user in zip(DATA, ("000", "001"), strict=True):
        _, time, lat, lon = row.split(",")
        date, clock = time[:-1].split("T")
        file = tmp_path / "Data" / user / "Trajectory" / "1.plt"
        file.parent.mkdir(parents=True)
        first = "Geolife trajectory\nWGS 84\nAltitude is in Feet\nReserved 3\n0,2\n0\n"
        file.write_text(f"{first}{lat},{lon},0,492,39744.1,{date},{clock}\n")
    status, said = run("verify", tmp_path / "Data", "--k", 2)
    advised = shlex.split(said.rpartition("such as ")[2])
    assert (status, advised[0]) == (2, "--files")
    more = ["--similar-names", "different"]
    status, said = run("verify", tmp_path / "Data", "--k", 2, *advised, *more)
    assert (status, "2 users" in said, "1 mix zone" in said) == (1, True, True)


def test_zones_of_coordinates_are_not_sent_to_a_command_that_refuses_coordinates(
    tmp_path: Path,
) -> None:
    path, asked = tmp_path / "fixes.csv", tmp_path / "asked.csv"
    rows = [row.replace("15:36", f"15:{minute}") for minute in (36, 40) for row in DATA]
    path.write_text("\n".join(["user_id,time,lat,lon", *rows]) + "\n")
    asked.write_text("user_id,time,k\n1,2008-02-02T15:37:00Z,2\n")
    status, said = run("optimize", path, "--requirements", asked)
    assert (status, "pseudonymize" in said, "zones.csv" in said) == (0, False, True)
    assert run("optimize", path, "--requirements", asked, "-o", tmp_path / "zones.csv")[0] == 0


OPEN = {
    "users": 5,
    "horizon": 7,
    "zones": [[1, [3, 4]], [2, [0, 3]], [3, [0, 2]], [4, [0, 2]], [5, [1, 3]], [6, [0, 3]],
              [7, [2, 4]]],
    "knowledge": [[user, time] for user in range(5) for time in (0, 7)],
    "requirements": [[2, 3, 3]],
}  # fmt: skip
"""Engine ``bounds`` does not decide it."""


def test_more_time_is_not_the_advice_where_time_was_left(tmp_path: Path) -> None:
    """An engine that gives up leaves questions open; another engine decides them."""
    path = tmp_path / "p.json"
    path.write_text(json.dumps(OPEN))
    status, said = run("verify", path, "--engine", "bounds")
    assert (status, "--engine auto" in said, "--time-limit" in said) == (3, True, False)
    assert run("verify", path, "--engine", "auto")[0] in (0, 1)


def test_commands_that_are_printed_can_be_pasted(tmp_path: Path) -> None:
    """Names of files with blanks and quotes are quoted as a shell wants them."""
    path, result = tmp_path / "two people.csv", tmp_path / "it's a result.json"
    path.write_text("user_id,time_id,reg_id\n1,1,1\n2,1,1\n")
    _, said = run("verify", path, "--k", 2, "--json", result)
    words = shlex.split(" ".join(said.partition("HTML page: ")[2].split()))  # it may be wrapped
    assert words[:2] == ["mixsafe", "report"]
    assert run(*words[1:], "-o", tmp_path / "page.html")[0] == 0


def hints() -> Iterator[tuple[str, str]]:
    """Every hint in the source, with where it is; what is filled in is left out."""
    for path in sorted(one for root in ("mixsafe", "cli") for one in (ROOT / root).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "hint":
                parts = [one for one in ast.walk(node.value) if isinstance(one, ast.Constant)]
                texts = [one.value for one in parts if isinstance(one.value, str)]
                yield f"{path.relative_to(ROOT)}:{node.value.lineno}", " ".join(texts)


def test_options_in_all_hints_of_the_source_exist() -> None:
    """In the command that a hint names, or in some command."""
    # Hints about clusters name options of "dask worker".
    found = [one for one in hints() if not one[0].startswith("mixsafe/machinery/cluster/")]
    assert len(found) > 200
    commands = every_command()
    lacking = {
        where: said
        for where, said in found
        if all(options_that_are_not_there(said, command) for command in commands)
    }
    assert not lacking


def test_a_command_advises_only_what_it_has(tmp_path: Path) -> None:
    """Readers are shared, and their hints name options that not all commands have."""
    path = tmp_path / "org.csv"
    for text, says in (
        ("user_id,time_id,reg_id\n1,1,1\n1,x,2\n", "'x' is not a whole number"),
        ("user_id,time_id,reg_id\n1,1,1\n1,2\n", "check for a broken or truncated line"),
        ("time_id,reg_id\n1,1\n", "the columns are time_id, reg_id"),
    ):
        path.write_text(text)
        for words in (["train", path, "-o", tmp_path / "m.npz"], ["ppmtf", path, "-o", path]):
            status, said = run("synthesize", *words)
            assert status == 2
            assert words[0] == "ppmtf" or says in said
            assert "--skip-bad" not in said
            assert "--column" not in said
        status, said = run("verify", path, "--k", 2)
        assert (status, "--skip-bad" in said or "--column" in said) == (2, True)


def test_a_command_knows_the_names_of_all_its_options() -> None:
    """Else good advice would be left out."""
    for words in every_command():
        command = typer.main.get_command(app)
        for word in words:
            command = command.get_command(None, word)  # type: ignore[attr-defined]
        taken = inspect.unwrap(command.callback)  # type: ignore[arg-type]
        options = {one for each in command.params for one in each.opts if one[:2] == "--"}
        assert options <= taken._options() | {"--help", "--help-all"}, words


def test_all_columns_that_are_not_found_are_named_at_once(tmp_path: Path) -> None:
    """A table in another language is read after one message, not after three."""
    path = tmp_path / "trips.csv"
    path.write_text("\n".join(["Fahrer,Zeitpunkt,Breite,Länge", *DATA]) + "\n")
    status, said = run("verify", path, "--k", 2)
    advice = "--column user_id=NAME --column time=NAME --column lat=NAME --column lon=NAME"
    assert (status, advice in said) == (2, True)
    for column in ("Fahrer", "Zeitpunkt", "Breite", "Länge"):
        advice = advice.replace("NAME", column, 1)
    status, said = run("verify", path, "--k", 2, *advice.split())
    assert (status, "1 mix zone" in said) == (1, True)
