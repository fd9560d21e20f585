"""``mixsafe breaking``, from files to answers and exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from mixsafe_cli.app import app


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["breaking", *(str(argument) for argument in arguments)])


@pytest.fixture
def zones(tmp_path: Path) -> Path:
    """Ann and Bea meet in steps 1 and 3, Bea and Cid in step 2."""
    path = tmp_path / "zones.csv"
    rows = ["1,0,ann", "1,0,bea", "2,1,bea", "2,1,cid", "3,2,ann", "3,2,bea"]
    path.write_text("time_id,zone_id,user_id\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_numbers_are_told_written_and_put_into_json(zones: Path, tmp_path: Path) -> None:
    table, out = tmp_path / "numbers.csv", tmp_path / "answer.json"
    result = run(zones, "--k", 2, "--at-most", 2, "-o", table, "--json", out)
    assert result.exit_code == 0, result.stderr
    assert "EXACT  Of 3 people, " in result.stdout
    answer = json.loads(out.read_text(encoding="utf-8"))
    assert answer["asked"]["target"] == "lost"
    assert [row["user_id"] for row in answer["breaking"]] == pd.read_csv(table)["user_id"].tolist()
    for row in answer["breaking"]:
        assert row["upper"] == (None if row["sightings"] is None else len(row["sightings"]))


def test_of_who_withstands_all_that_was_asked_no_larger_set_is_told(tmp_path: Path) -> None:
    """User 1 takes two sightings, and none of user 0 break her."""
    source, table = tmp_path / "p.json", tmp_path / "numbers.csv"
    zones = [[1, [0, 2]], [3, [1, 2, 3]], [5, [0, 1]]]
    asked = {"users": 4, "horizon": 6, "zones": zones, "requirements": [[0, 2, 2], [1, 4, 2]]}
    source.write_text(json.dumps(asked))
    columns, told = ["lower", "upper", "status", "sightings"], {}
    for most in (2, 1):
        done = run(source, "--at-most", most, "-o", table, "--json", "-")
        rows = json.loads(done.stdout)["breaking"]
        told[most] = [[row[name] for name in columns] for row in rows]
    both = [{"user": 1, "time": 0}, {"user": 1, "time": 5}]
    assert told[2] == [[3, None, "never", None], [2, 2, "broken", both]]
    assert told[1] == [[2, None, "never", None], [2, None, "robust", None]]
    assert table.read_text().splitlines()[1:] == ["0,2,2,2,2,,never,", "1,4,4,2,2,,robust,"]


def test_of_who_is_broken_already_the_set_is_empty(zones: Path) -> None:
    found = run(zones, "--k", 99, "--json", "-")
    for row in json.loads(found.stdout)["breaking"]:
        assert (row["lower"], row["upper"], row["sightings"]) == (0, 0, [])


def test_each_stretch_is_asked_about_by_itself(zones: Path) -> None:
    result = run(zones, "--k", 2, "--per-wire", "--sightings", "anybody", "--json", "-")
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["asked"]["away"] == 0
    assert len(answer["breaking"]) == answer["summary"]["targets"]
    assert {"from_time", "to_time"} <= answer["breaking"][0].keys()


def test_sightings_of_a_file_are_the_only_ones(zones: Path, tmp_path: Path) -> None:
    seen = tmp_path / "seen.csv"
    seen.write_text("user_id,time_id\ncid,1\n", encoding="utf-8")
    result = run(zones, "--k", 2, "--sightings", seen, "--json", "-")
    assert result.exit_code == 0, result.stderr
    named = {
        one["user"]
        for row in json.loads(result.stdout)["breaking"]
        for one in row["sightings"] or ()
    }
    assert named <= {"cid"}


def test_a_file_without_sightings_allows_none_and_nobody_is_ever_broken(
    zones: Path, tmp_path: Path
) -> None:
    nothing = tmp_path / "nothing.csv"
    nothing.write_text("user_id,time_id\n", encoding="utf-8")
    result = run(zones, "--k", 2, "--adversary", "none", "--sightings", nothing, "--json", "-")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["summary"]["never"] == 3


def test_requirements_are_targets_of_their_own(
    four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "problem.json"
    path.write_text(json.dumps(four_walkers), encoding="utf-8")
    answer = json.loads(run(path, "--json", "-").stdout)
    assert answer["asked"]["target"] == "each"
    assert answer["summary"]["targets"] == len(four_walkers["requirements"])


def test_a_run_is_kept_and_taken_up(zones: Path, tmp_path: Path) -> None:
    first, again = (run(zones, "--k", 2, "--resume", tmp_path / "run", "-q") for _ in range(2))
    assert first.exit_code == again.exit_code == 0
    other = run(zones, "--k", 3, "--resume", tmp_path / "run", "-q")
    assert other.exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "nothing is asked"),
        (("--k", 2, "--at-most", -1), "--at-most -1 is negative"),
        (("--k", 2, "--target", "safe"), "unknown target 'safe'"),
        (("--k", 2, "--sightings", "nobody"), "--sightings 'nobody' is neither"),
        (("--k", 2, "--per-wire", "--target", "every"), "--target cannot be given"),
        (("--k", 2, "--draw", 0), "--draw 0 is not above 0"),
        (("--k", 2, "-o", "numbers.txt"), "is no table"),
        (("--k", 2, "--draws", 3), "curves need traces"),
        (("--k", 2, "--draws", 3, "--per-wire"), "--per-wire cannot be given"),
        (("--k", 2, "--reference", "missing.csv"), "no such file"),
    ],
)
def test_what_is_wrong_is_one_line(zones: Path, arguments: tuple[Any, ...], message: str) -> None:
    result = run(zones, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_curves_of_traces_are_told_written_and_become_a_page(tmp_path: Path) -> None:
    traces, out, page = tmp_path / "traces.csv", tmp_path / "curves.json", tmp_path / "page.html"
    rows = [f"{user},{step},{1 + user * step % 3}" for user in (1, 2, 3) for step in (1, 2, 3)]
    traces.write_text("user_id,time_id,reg_id\n" + "\n".join(rows) + "\n", encoding="utf-8")
    table = tmp_path / "curves.csv"
    asked = (traces, "--k", 2, "--draws", 2, "--at-most", 2, "--json", out, "-o", table)
    result = run(*asked, "--reference", traces)
    assert result.exit_code == 0, result.stderr
    assert "Share singled out" in result.stdout
    answer = json.loads(out.read_text(encoding="utf-8"))
    assert len(answer["curves"]["static"]["worst"]) == 3
    assert len(pd.read_csv(table)) == 6
    made = CliRunner().invoke(app, ["report", str(out), "-o", str(page)])
    assert made.exit_code == 0, made.stderr
    assert "What it takes" in page.read_text(encoding="utf-8")


def test_habits_of_somebody_else_are_named_with_their_file(tmp_path: Path) -> None:
    traces, habits = tmp_path / "traces.csv", tmp_path / "habits.csv"
    for path, users in ((traces, (1, 2)), (habits, (1, 7))):
        rows = [f"{user},{step},1\n" for user in users for step in (1, 2)]
        path.write_text("user_id,time_id,reg_id\n" + "".join(rows), encoding="utf-8")
    result = run(traces, "--k", 2, "--draws", 1, "--reference", habits)
    assert result.exit_code == 2
    assert f"{habits}: user 7 of the reference is not in the data" in result.stderr


def test_numbers_become_a_page(zones: Path, tmp_path: Path) -> None:
    out, page = tmp_path / "numbers.json", tmp_path / "page.html"
    assert run(zones, "--k", 2, "--per-wire", "--json", out, "-q").exit_code == 0
    made = CliRunner().invoke(app, ["report", str(out), "-o", str(page)])
    assert made.exit_code == 0, made.stderr
    text = page.read_text(encoding="utf-8")
    assert "Fewest sightings first" in text
    assert "Of the person, in addition to those known." in text
