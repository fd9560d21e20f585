"""Names that a terminal or a spreadsheet would obey: shown as what they are, kept as they are."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from mixsafe_cli.app import app

EVIL = ("\x1b[31mred", "ann\u202ebob", '=HYPERLINK("http://x")', "-1+2")


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    path = tmp_path / "traces.parquet"
    users = [*EVIL, *EVIL]
    times = [1] * len(EVIL) + [2] * len(EVIL)
    parquet.write_table(pa.table({"user_id": users, "time_id": times, "reg_id": [5] * 8}), path)
    return path


def run(*words: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("command", ["verify", "optimize"])
def test_no_name_gives_orders_to_the_terminal(traces: Path, command: str) -> None:
    _, shown, said = run(command, traces, "--k", 4, "--at", 1, "--engine" if command == "verify"
                         else "--method", "dp")  # fmt: skip
    assert "\x1b" not in shown + said
    assert "\u202e" not in shown + said
    if command == "verify":
        assert "\\x1b[31mred" in shown


def test_keys_are_kept_unless_the_table_is_for_a_spreadsheet(traces: Path, tmp_path: Path) -> None:
    plain, safe = tmp_path / "plain.csv", tmp_path / "safe.csv"
    asked = ("verify", traces, "--k", 2, "--engine", "bounds", "--quiet", "-o")
    run(*asked, plain)
    run(*asked, safe, "--spreadsheet")
    assert '\n"=HYPERLINK(""http://x"")",' in plain.read_text()
    assert '\n"\'=HYPERLINK(""http://x"")",' in safe.read_text()
    assert '\n"\'-1+2",' in safe.read_text()
    assert plain.read_text().count("\n") == safe.read_text().count("\n")


@pytest.mark.parametrize(
    ("column", "value", "kind", "complaint"),
    [
        ("lat", 2**53 + 1, pa.int64(), "column 'lat'"),
        ("time", 2**64 - 1, pa.uint64(), "column 'time'"),
        ("reg_id", 2**64 - 1, pa.uint64(), "does not fit into a signed 64-bit integer"),
    ],
)
def test_numbers_of_parquet_that_are_too_large_are_refused(
    tmp_path: Path, column: str, value: int, kind: pa.DataType, complaint: str
) -> None:
    path = tmp_path / "t.parquet"
    places = {"reg_id": [1, 1]} if column == "reg_id" else {"lat": [1.0, 1.0], "lon": [1.0, 1.0]}
    clock = "time_id" if column == "reg_id" else "time"
    now = [1 if clock == "time_id" else 1_700_000_000] * 2
    content = {"user_id": ["a", "b"], clock: now, **places}
    content[column] = pa.array([value] * 2, kind)
    parquet.write_table(pa.table(content), path)
    status, _, said = run("verify", path, "--k", 2)
    assert (status, said.count("\n")) == (2, 1)
    assert complaint in said
    assert "bug" not in said


@pytest.mark.parametrize("value", ["Infinity", "NaN", "1" * 5000, "[" * 5000])
def test_results_with_numbers_that_are_none_are_refused_by_name(tmp_path: Path, value: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(f'{{"status": "optimal", "minimum": {value}, "bound": 1, "zones": []}}\n')
    status, _, said = run("report", path)
    assert (status, said.count("\n")) == (2, 1)
    assert str(path) in said
    assert "bug" not in said


@pytest.mark.parametrize("value", ["Infinity", "1e308", "1" * 5000])
def test_numbers_of_problems_that_are_none_are_refused_with_their_line(
    tmp_path: Path, value: str
) -> None:
    path = tmp_path / "p.jsonl"
    good = '{"users": 2, "horizon": 2, "zones": [[1, [0, 1]]], "requirements": [[0, 1, 2]]}'
    path.write_text(f"{good}\n{good.replace('[0, 1, 2]', f'[0, 1, {value}]')}\n")
    status, _, said = run("verify", path)
    assert (status, said.count("\n")) == (2, 1)
    assert f"{path}, line 2" in said
    assert "bug" not in said


@pytest.mark.parametrize("name", ["p.json", "p.geojson"])
def test_a_number_of_thousands_of_digits_is_refused_by_its_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(f'{{"type": "FeatureCollection", "features": [], "users": {"1" * 5000}}}')
    status, _, said = run("verify", path, "--k", 2)
    assert (status, said) == (2, said.splitlines()[0] + "\n")
    assert str(path) in said
    assert "bug" not in said


def test_data_that_answer_badly_are_named(tmp_path: Path) -> None:
    traces, users = tmp_path / "t.csv", tmp_path / "users.txt"
    traces.write_text("user_id,time_id,reg_id\nann,1,5\n")
    users.write_text("user_id\nann\n\nzoe\n")
    assert "k = 2 asks for more candidates" in run("verify", traces, "--k", 2)[2]
    asked = ("verify", traces, "--k", 2, "--user-list", users)
    assert "users.txt, line 4: user zoe of the list is not in the data" in run(*asked)[2]
    problem = tmp_path / "p.json"
    problem.write_text(json.dumps({"users": 2, "horizon": 2, "zones": [[1, [0, 1]]]}))
    assert "p.json: nothing is asked" in run("verify", problem)[2]


ODD_FILE = "caf\udce9"
"""A file name whose bytes are not UTF-8."""

SMALL = {
    "users": ["\u65e5", "\u00e5", "c"],
    "horizon": 3,
    "zones": [[1, ["\u65e5", "\u00e5", "c"]]],
}


def test_files_may_have_names_that_are_not_utf8(tmp_path: Path) -> None:
    """Their names are escaped where they are shown and written; each was a UnicodeEncodeError."""
    source, written = tmp_path / f"{ODD_FILE}.json", tmp_path / f"{ODD_FILE} result.json"
    source.write_text(json.dumps(SMALL))
    certificates = tmp_path / f"{ODD_FILE} certificates"
    words = ("verify", source, "--k", 2, "--engine", "bounds")
    status, shown, said = run(*words, "--json", written, "--certificates", certificates)
    assert (status, said) == (0, "")
    assert "caf\\\\udce9" in written.read_text("utf-8")
    assert not re.search("[\ud800-\udfff]", shown)
    json.loads(written.read_bytes())
    assert run("report", written, "-o", tmp_path / f"{ODD_FILE}.html")[0] == 0
    assert run("check", certificates)[0] == 0
    status, _, said = run("verify", tmp_path / f"{ODD_FILE}.csv", "--k", 2)
    assert (status, said.count("\n")) == (2, 1)
    assert "caf\\udce9.csv: cannot read" in said


@pytest.mark.parametrize(
    "setting",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=str,
)
def test_an_output_that_lacks_letters_has_them_escaped(
    tmp_path: Path, setting: dict[str, str]
) -> None:
    """Answers are shown, and JSON is JSON; both were a UnicodeEncodeError."""
    source = tmp_path / "small.json"
    source.write_text(json.dumps(SMALL))
    program = [sys.executable, "-c", "from mixsafe_cli.app import app; app()"]
    asked = [*program, "verify", source, "--k", "2", "--engine", "bounds", "--quiet"]
    where = os.pathsep.join(str(Path(one).resolve()) for one in sys.path if one)
    around = {**os.environ, "PYTHONPATH": where, "NUMBA_DISABLE_JIT": "1", **setting}
    shown = subprocess.run(
        [*program, "verify", source, "--k", "2", "--engine", "bounds"], env=around,
        capture_output=True, check=False,
    )  # fmt: skip
    assert (shown.returncode, shown.stderr) == (0, b"")
    done = subprocess.run(
        [*asked, "--per-user", "--json", "-"], env=around, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    users = {one["user_id"] for one in json.loads(done.stdout.decode("ascii"))["per_user"]}
    assert users == set(SMALL["users"])
