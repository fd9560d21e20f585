"""``mixsafe verify --resume``: killed at any moment, and the same table in the end."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from mixsafe.machinery.checkpoint import NAME
from mixsafe.solver import auto
from mixsafe_cli.app import app
from tests.support.results import without_times

ASKED = ("--exhaustive", "--quiet")


def run(source: Path, *arguments: object) -> Any:
    words = [str(word) for word in (source, *ASKED, *arguments)]
    return CliRunner().invoke(app, ["verify", *words])


def hard_problem() -> dict[str, Any]:
    """Users who are all seen at both ends and once between; bounds leave much of it open."""
    random = np.random.default_rng(5)
    zones = [
        [t, sorted(random.choice(13, int(random.integers(2, 4)), replace=False).tolist())]
        for t in range(1, 60)
    ]
    seen = [[user, t] for user in range(13) for t in (0, int(random.integers(10, 50)), 60)]
    return {"name": "hard", "users": 13, "horizon": 60, "zones": zones, "knowledge": seen}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The problem's file: tests only read it."""
    path = tmp_path_factory.mktemp("source") / "hard.json"
    path.write_text(json.dumps(hard_problem()))
    return path


@pytest.fixture(scope="module")
def whole(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that a run left which nobody interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert run(source, "--resume", folder).exit_code == 0
    return folder


@pytest.fixture(scope="module")
def expected(source: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The table of a run that nobody interrupted, and that keeps nothing."""
    table = tmp_path_factory.mktemp("expected") / "table.csv"
    assert run(source, "-o", table).exit_code == 0
    return table.read_bytes()


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy of the folder, to be damaged or offered to other runs."""
    return shutil.copytree(whole, tmp_path / "run")


KILLED = """
import os, signal, sys
from mixsafe.machinery.checkpoint import Checkpoint
from mixsafe_cli.app import app

keep, left = Checkpoint.keep, [int(sys.argv[1])]

def keep_or_be_killed(self, step, entry):
    keep(self, step, entry)
    left[0] -= 1
    if left[0] < 0:  # in the middle of writing the last one
        os.truncate(self.path, os.path.getsize(self.path) - 9)
        os.kill(os.getpid(), signal.SIGKILL)

Checkpoint.keep = keep_or_be_killed
app(sys.argv[2:])
"""


@pytest.mark.parametrize("entries", [0, 4])
def test_a_killed_run_that_is_taken_up_again_ends_with_the_same_table(
    source: Path, expected: bytes, tmp_path: Path, entries: int
) -> None:
    folder, table = tmp_path / "run", tmp_path / "table.csv"
    words = ["verify", str(source), *ASKED, "-o", str(table), "--resume", str(folder)]
    path = os.pathsep.join(entry for entry in sys.path if entry)
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(entries), *words],
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert not table.exists()
    torn = (folder / NAME).read_bytes()
    assert run(source, "-o", table, "--resume", folder).exit_code == 0
    assert table.read_bytes() == expected
    assert (folder / NAME).read_bytes().startswith(torn)


@pytest.mark.parametrize("seed", range(2))
def test_wherever_a_checkpoint_ends_the_table_is_the_same(
    source: Path, expected: bytes, folder: Path, tmp_path: Path, seed: int
) -> None:
    table = tmp_path / "table.csv"
    content = (folder / NAME).read_bytes()
    begin = content.index(b"\n") + 1
    for size in np.random.default_rng(seed).integers(begin, len(content), 3):
        (folder / NAME).write_bytes(content[:size])
        table.unlink(missing_ok=True)
        assert run(source, "-o", table, "--resume", folder, "--workers", 1).exit_code == 0
        assert table.read_bytes() == expected


def test_the_ledger_is_taken_up_where_it_stopped(source: Path, tmp_path: Path) -> None:
    """Wherever the checkpoint ends, the certificate is the same, byte for byte."""
    whole, kept = tmp_path / "whole", tmp_path / "kept"
    assert run(source, "--k", 2, "--certificates", whole, "--resume", kept).exit_code == 4
    content = (kept / NAME).read_bytes()
    begun = content.index(b"\n") + 1
    size = len(content)
    for end in (size, (begun + size) // 2):
        folder = tmp_path / f"to {end}"
        folder.mkdir()
        (folder / NAME).write_bytes(content[:end])
        again = tmp_path / f"again {end}"
        found = run(source, "--k", 2, "--certificates", again, "--resume", folder)
        assert found.exit_code == 4, found.output
        for one in whole.iterdir():
            assert (again / one.name).read_bytes() == one.read_bytes(), one.name
        assert (folder / NAME).read_bytes() == content


def test_several_problems_are_taken_up_where_the_last_one_stopped(tmp_path: Path) -> None:
    source, folder = tmp_path / "several.jsonl", tmp_path / "run"
    small = {"users": 3, "horizon": 4, "zones": [[1, [0, 1]], [2, [1, 2]], [3, [0, 2]]]}
    lines = [
        {"name": f"p{n}", "knowledge": [[user, t] for user in range(3) for t in (0, n)], **small}
        for n in (1, 2, 3, 4)
    ]
    source.write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    def answers(*more: object) -> list[dict[str, Any]]:
        printed = run(source, "--json", "-", *more).stdout
        return [without_the_run(json.loads(line)) for line in printed.splitlines()]

    def without_the_run(answer: dict[str, Any]) -> dict[str, Any]:
        return {**without_times(answer), "command": None, "provenance": None}

    expected = answers()
    assert len(expected) == 4
    assert answers("--resume", folder) == expected
    content = (folder / NAME).read_bytes()
    begin = content.index(b"\n") + 1
    for size in range(begin, len(content), 97):
        (folder / NAME).write_bytes(content[:size])
        assert answers("--resume", folder) == expected


@pytest.mark.parametrize(
    "other",
    [("--k", 2), ("--seed", 1), ("--engine", "dp"), ("--engine", "cpsat"), ("--rule", "every")],
)
def test_a_folder_of_another_run_is_one_line_and_status_2(
    source: Path, folder: Path, tmp_path: Path, other: tuple[object, ...]
) -> None:
    table = tmp_path / "table.csv"
    before = (folder / NAME).read_bytes()
    refused = run(source, "--resume", folder, "-o", table, *other)
    assert refused.exit_code == 2
    assert refused.stderr.count("\n") == 1
    assert f"it belongs to a run with {str(other[0])[2:]}" in refused.stderr
    assert not table.exists()
    assert (folder / NAME).read_bytes() == before


def test_other_data_are_another_run(folder: Path, tmp_path: Path) -> None:
    changed, other = hard_problem(), tmp_path / "hard.json"
    changed["knowledge"].pop()
    other.write_text(json.dumps(changed))
    refused = run(other, "--resume", folder)
    assert refused.exit_code == 2
    assert "it belongs to a run with data" in refused.stderr


def test_what_was_decided_within_a_limit_is_not_decided_again(
    source: Path, expected: bytes, tmp_path: Path
) -> None:
    folder, table = tmp_path / "run", tmp_path / "table.csv"
    limited = run(source, "-o", table, "--resume", folder, "--time-limit", 0.001)
    assert limited.exit_code in (0, 3)
    assert run(source, "-o", table, "--resume", folder).exit_code == 0
    assert table.read_bytes() == expected


def test_an_interruption_says_how_to_go_on(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(auto, "walk", interrupted)
    stopped = run(source, "--resume", tmp_path / "run")
    assert stopped.exit_code == 130
    assert f"was decided is in {tmp_path / 'run'}; the same command goes on" in stopped.stderr
