"""Runs of commands: the provenance of an answer names the data that were decided."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import mixsafe
from mixsafe_cli.app import app
from mixsafe_cli.commands import verify
from mixsafe_cli.running import run as running

WORDS = ["--k", "2", "--time-limit", "5", "--workers", "1", "--json", "out.json"]


def _exchanging(path: Path, after: Callable[..., Any]) -> Callable[..., Any]:
    """A step of a command, after which another file is in the place of its source."""

    def then(*given: Any, **more: Any) -> Any:
        found = after(*given, **more)
        other = path.with_name("other.csv")
        other.write_text(path.read_text().replace(",525", ",524"))
        os.replace(other, path)
        return found

    return then


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "traces.csv"
    path.write_bytes(mixsafe.sample("town").read_bytes())
    return path


def test_a_source_that_is_exchanged_while_it_is_decided_is_hashed_as_it_was_read(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In 13 of 15 runs, the hash was that of the other file."""
    digest = sha256(source.read_bytes()).hexdigest()
    monkeypatch.setattr(verify, "_posed", _exchanging(source, verify._posed))
    done = CliRunner().invoke(app, ["verify", "traces.csv", *WORDS])
    assert done.exit_code in (0, 1, 3, 4), done.output
    told = json.loads(Path("out.json").read_text())["provenance"]["inputs"]
    assert [one["sha256"] for one in told] == [digest]
    assert sha256(source.read_bytes()).hexdigest() != digest


def test_a_source_that_is_exchanged_before_it_is_read_is_refused(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_hash", _exchanging(source, running._hash))
    done = CliRunner().invoke(app, ["verify", "traces.csv", *WORDS])
    assert done.exit_code == 2, done.output
    assert "traces.csv: it was changed while it was read" in done.output
    assert not Path("out.json").exists()


def test_the_same_command_reads_a_source_that_has_changed_since(source: Path) -> None:
    for region in (",525", ",524"):
        source.write_text(source.read_text().replace(",525", region))
        done = CliRunner().invoke(app, ["verify", "traces.csv", *WORDS])
        assert done.exit_code in (0, 1, 3, 4), done.output
