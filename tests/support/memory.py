"""Memory limits of commands, which have no option for them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mixsafe.model.course import MemoryLimits, SolveLimits
from mixsafe_cli.running.run import Run


def commands_have(memory: MemoryLimits, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands decide within these memory limits."""
    usual = Run.limits

    def limits(run: Run, workers: int, seed: int) -> SolveLimits:
        return replace(usual(run, workers, seed), memory=memory)

    monkeypatch.setattr(Run, "limits", limits)
