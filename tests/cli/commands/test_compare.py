"""``mixsafe compare``, from files to table, picture and exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from mixsafe.synthesize.samples import sample
from mixsafe_cli.app import app


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["compare", *(str(argument) for argument in arguments)])


@pytest.fixture
def problem_file(four_walkers: dict[str, Any], tmp_path: Path) -> Path:
    path = tmp_path / "four-walkers.json"
    path.write_text(json.dumps(four_walkers))
    return path


def test_a_row_per_run_and_a_picture_are_written(problem_file: Path, tmp_path: Path) -> None:
    table, picture, answer = (tmp_path / name for name in ("runs.csv", "runs.svg", "runs.json"))
    result = run(
        problem_file, "--engines", "dp,bounds", "-o", table, "--plot", picture, "--json", answer
    )
    assert result.exit_code == 0, result.output
    rows = pd.read_csv(table)
    assert rows["engine"].tolist() == ["dp", "bounds"]
    assert rows["status"].tolist() == ["decided", "decided"]
    assert rows["safe"].tolist() == [2, 2]
    assert picture.read_text().startswith("<?xml")
    comparison = json.loads(answer.read_text())
    assert [one["engine"] for one in comparison["runs"]] == ["dp", "bounds"]
    assert comparison["agree"] is True
    assert result.stdout.startswith("AGREE  Two or more engines finished 1 of 1 question,")


def test_requirements_are_drawn_for_samples_of_each_size() -> None:
    drawing = ("--task", "optimize", "--sizes", "40,60", "--seeds", 1, "--k", 2)
    result = run(sample("town"), *drawing, "--engines", "dp", "--time-limit", 0.1, "--json", "-")
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["runs"]
    assert [(row["users"], row["seed"]) for row in rows] == [(40, 0), (60, 0)]
    assert all(1 <= row["requirements"] <= 5 for row in rows)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--engines", "choco"), "unknown engine 'choco'"),
        (("--engines", "dp,dp"), "given twice"),
        (("--engines", ","), "no engine is given"),
        (("--task", "guess"), "--task 'guess' is unknown"),
        (("--task", "optimize", "--engines", "bounds"), "unknown engine 'bounds' to optimize"),
        (("--task", "optimize", "--known", "nobody"), "--known 'nobody' is unknown"),
        (("--known", "asked"), "only --task optimize draws requirements"),
        (("--sizes", "3"), "says itself what is asked"),
        (("--sizes", "ten"), "are no numbers of users"),
        (("--sizes", "3", "--users", 3), "--users cannot be given"),
        (("--exhaustive",), "--exhaustive cannot be given"),
        (("--seeds", 0), "--seeds 0 is not above 0"),
        (("--time-limit", 0), "--time-limit 0 is not above 0"),
        (("--workers", -1), "--workers -1 is negative"),
        (("--plot", "runs.pdf"), "is no picture"),
        (("--output", "runs.parquet"), "is no CSV table"),
        (("--json", "a.csv", "--output", "a.csv"), "are the same file"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(
    problem_file: Path, arguments: tuple[object, ...], said: str
) -> None:
    result = run(problem_file, *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_traces_about_which_nothing_is_asked_are_refused() -> None:
    result = run(sample("town"))
    assert result.exit_code == 2
    assert "nothing is asked" in result.stderr


def test_a_problem_that_asks_nothing_is_named_with_its_file(
    four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "p.jsonl"
    silent = {key: part for key, part in four_walkers.items() if key != "requirements"}
    asked = four_walkers | {"requirements": [[0, 2, 2]]}
    path.write_text(f"{json.dumps(asked)}\n{json.dumps(silent | {'name': 'q'})}\n")
    result = run(path)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert result.stderr.startswith(f"mixsafe: {path}: problem 'q' has no requirements")


def test_a_problem_without_requirements_cannot_be_optimized(
    four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps(four_walkers | {"requirements": []}))
    result = run(path, "--task", "optimize")
    assert result.exit_code == 2
    assert "has no requirements" in result.stderr


def test_an_input_is_never_overwritten(problem_file: Path) -> None:
    before = problem_file.read_text()
    assert run(problem_file, "--json", problem_file).exit_code == 2
    assert problem_file.read_text() == before
