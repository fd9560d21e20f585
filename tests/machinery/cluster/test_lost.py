"""A scheduler that is killed in mid-run: what was found stays, and the same command goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from mixsafe.io.problems.problem import problem_object
from mixsafe.model.course import MemoryLimits
from mixsafe_cli.app import app
from tests.support.machines import elsewhere, once_done
from tests.support.memory import commands_have
from tests.support.random_problems import crowd


def verify(*arguments: object) -> Any:
    words = ["verify", *map(str, arguments), "--k", "8", "--quiet"]
    return CliRunner().invoke(app, words)


def test_a_lost_scheduler_is_taken_up_with_resume(tmp_path: Path, monkeypatch) -> None:
    commands_have(MemoryLimits(sparse_bytes=0, counted_wires=30, listed_wires=5), monkeypatch)
    source, run = tmp_path / "problem.json", tmp_path / "run"
    source.write_text(json.dumps(problem_object(crowd(11, 60, 12, 12, "endpoints"))))
    alone, cut = tmp_path / "one.csv", tmp_path / "two.csv"
    assert verify(source, "-o", alone).exit_code in (0, 1, 3)
    found = run / "blocks"
    with elsewhere(tmp_path) as (address, process):
        words = (source, "-o", cut, "--resume", run, "--cluster", address)
        with once_done(5, process.kill) as blocks:
            done = verify(*words)
    assert len(blocks) >= 5
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert (
        "scheduler does not answer any more; run the same command to continue from its folder"
        in line
    )
    assert not cut.exists()
    kept = {path: path.stat().st_mtime_ns for path in found.glob("block-*")}
    assert len(kept) >= 5
    done = verify(source, "-o", cut, "--resume", run, "--cluster", "local:1")
    assert done.exit_code in (0, 1, 3)
    assert cut.read_bytes() == alone.read_bytes()
    assert kept.items() <= {path: path.stat().st_mtime_ns for path in found.glob("block-*")}.items()
    assert not list(found.glob("shared-*"))
