"""The command and the library give the same answer: the same keys, with the same rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

import mixsafe
from mixsafe_cli.app import app

PROBLEM = {
    "users": 4,
    "horizon": 6,
    "zones": [[1, [0, 2]], [2, [1, 3]], [3, [1, 2, 3]], [5, [0, 1]]],
    "knowledge": [[0, 0], [0, 6], [1, 0], [2, 0]],
    "requirements": [[0, 2, 2], [1, 4, 2]],
    "places": ["P", "R", "P", "Q"],
}

OF_A_RUN = {"seconds", "processor_seconds"}
"""What differs from run to run."""

OF_THE_COMMAND = {"schema", "command", "provenance", "report", "document", "lasting"}
"""What only the command knows: its words, its files, and what its page or document shows."""


@pytest.fixture
def problem_file(tmp_path: Path) -> Path:
    path = tmp_path / "asked.json"
    path.write_text(json.dumps(PROBLEM), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def traces_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    whole = pd.read_csv(mixsafe.sample("town"))
    path = tmp_path_factory.mktemp("data") / "town.csv"
    whole[(whole.time_id <= 20) & (whole.user_id <= 40)].to_csv(path, index=False)
    return path


def said(*words: str | Path) -> dict[str, Any]:
    """What a command answers."""
    done = CliRunner().invoke(app, [*map(str, words), "--json", "-", "-q"])
    assert done.exit_code in (0, 1, 3, 4), done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def assert_alike(command: dict[str, Any], answer: dict[str, Any]) -> None:
    """The answer of the library is that of the command."""
    answer = json.loads(json.dumps(answer))
    assert answer.keys() == command.keys() - OF_THE_COMMAND
    for name in answer.keys() - OF_A_RUN - {"rest"}:
        assert answer[name] == command[name], name


def test_verify(problem_file: Path, traces_file: Path) -> None:
    (problem,) = mixsafe.load(problem_file)
    answer = mixsafe.verify(problem, exhaustive=True)
    assert_alike(said("verify", problem_file, "--exhaustive"), answer.to_dict())
    of_traces = mixsafe.verify(traces_file, k=3).to_dict()
    assert_alike(said("verify", traces_file, "--k", 3), {**of_traces, "name": "town"})


def test_optimize(problem_file: Path) -> None:
    (problem,) = mixsafe.load(problem_file)
    assert_alike(said("optimize", problem_file), mixsafe.optimize(problem).to_dict())


def test_optimize_per_place(problem_file: Path) -> None:
    (problem,) = mixsafe.load(problem_file)
    answer = mixsafe.optimize(problem, per="place")
    assert_alike(said("optimize", problem_file, "--per", "place"), answer.to_dict())


def test_breaking(problem_file: Path) -> None:
    (problem,) = mixsafe.load(problem_file)
    assert_alike(said("breaking", problem_file), mixsafe.breaking(problem).to_dict())
    with_k = mixsafe.breaking(problem, k=2, target="each")
    assert_alike(said("breaking", problem_file, "--k", 2, "--per-wire"), with_k.to_dict())


def test_weigh(problem_file: Path, traces_file: Path) -> None:
    (problem,) = mixsafe.load(problem_file)
    assert_alike(said("weigh", problem_file), mixsafe.weigh(problem).to_dict())


def test_compare(problem_file: Path) -> None:
    (problem,) = mixsafe.load(problem_file)
    engines = ("bounds", "dp")
    command = said("compare", problem_file, "--engines", ",".join(engines))
    answer = mixsafe.compare([mixsafe.Question(problem)], engines=engines)
    ours, theirs = answer.to_dict(), command
    for one in (ours, theirs):
        for run in (*one["runs"], *one["summary"]):
            for name in set(run) - {"engine", "status", "safe", "unsafe", "undecided"}:
                run.pop(name)
    assert_alike(theirs, {"verdict": None, **ours})


def test_protect(traces_file: Path) -> None:
    command = said("protect", traces_file, "--k", 3, "--rotations", "every:10")
    answer = mixsafe.protect(mixsafe.load(traces_file), 3, rotations=["every:10"]).to_dict()
    for remedy in (*command["remedies"], *answer["remedies"]):
        del remedy["seconds"]
    assert_alike(command, {**answer, "name": "town"})


@pytest.mark.parametrize("exchanged", [True, False])
def test_audit_with_a_schedule(traces_file: Path, tmp_path: Path, exchanged: bool) -> None:
    """Pseudonyms that change by schedule change whether they also do where tracks meet or not."""
    release, seen = tmp_path / "release.csv", tmp_path / "seen.csv"
    table = pd.read_csv(traces_file)
    table.rename(columns={"user_id": "pseudonym"}).to_csv(release, index=False)
    table[(table.user_id < 20) & (table.time_id.isin([1, 20]))].to_csv(seen, index=False)
    words = ["audit", release, "--knowledge", seen, "--rotate", "every:7"]
    command = said(*words, "--exchange", "zones" if exchanged else "none")
    rules = mixsafe.ExchangeRules(rotate="every:7")
    answer = mixsafe.audit(release, seen, rules=rules, exchanged=exchanged)
    assert_alike(command, answer.to_dict())
