"""Windows around all open wires: batches of rows, shared among worker processes.

What is found must not depend on the number of workers. So rows are taken up in batches of a fixed
size; within a batch no row knows of another's findings, after it everybody does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.journal.steps import Entry, each
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.findings import Finding, packed, unpacked
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.windows.board import WindowEffort
from mixsafe.solver.windows.window_context import WindowContext
from mixsafe.solver.windows.windows import EFFORT, another_candidate
from mixsafe.solver.workers import on_processes

_BATCH = 48  # rows


@dataclass(frozen=True, eq=False)
class _Row:
    """The open wires of one row, how many candidates settle each, and those proven so far."""

    wires: npt.NDArray[np.int64]
    enough: npt.NDArray[np.int32]
    proven: TokenSets
    deadline: Deadline
    effort: WindowEffort


def search(
    answers: Answers,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
    *,
    effort: WindowEffort = EFFORT,
) -> None:
    """Settle open questions by witnesses and proofs from windows.

    Parameters
    ----------
    answers, limits, deadline, progress
        As for every engine.
    effort
        How much one question is worth.
    """
    if answers.n_open == 0 or deadline.passed:
        return
    open_wires = answers.open_wires()
    row_of = answers.core.network.row
    rows = np.unique(row_of[open_wires])
    total = len(answers.wire)
    around = WindowContext.of(answers.core, answers.possible.copy())
    with on_processes(_search_row, around, limits, len(rows)) as run:
        for first in range(0, len(rows), _BATCH):
            if deadline.passed:
                return
            progress("searching windows", total - answers.n_open, total)
            batch = rows[first : first + _BATCH]
            still = answers.open_wires()
            enough = answers.enough(still)
            tasks = []
            for row in batch:
                mine = row_of[still] == row
                if mine.any():
                    tasks.append(
                        _Row(
                            still[mine], enough[mine], answers.proven[still[mine]], deadline, effort
                        )
                    )
            steps = [f"windows {effort.rounds} {task.wires[0]}" for task in tasks]
            for found in each(answers.journal, deadline, steps, tasks, run):
                for finding in unpacked(found):
                    answers.take_in(finding, Argument.WINDOW)


def _search_row(around: WindowContext, task: _Row) -> Entry:
    """Find witnesses and proofs for the open wires of one row."""
    findings = []
    proven = task.proven.copy()
    for i, wire in enumerate(task.wires.tolist()):
        while tokens.count(proven[i : i + 1])[0] < task.enough[i] and not task.deadline.passed:
            found = another_candidate(
                around, wire, tokens.members(proven[i]), task.deadline, task.effort
            )
            if found.refuted:
                findings.append(Finding.refutation(wire))
            if found.assignment is None:
                break
            findings.append(Finding.witness(found.assignment, around.core.network.row))
            tokens.put(proven, np.arange(len(proven)), found.assignment[task.wires])
    return packed(findings)
