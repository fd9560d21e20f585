"""Cheap refutations of all open wires: those with the same proven tokens share one formula."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.journal.steps import Entry, each
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.network.core import Core
from mixsafe.solver.sat.all_rows import Absence, Span, refuted
from mixsafe.solver.sat.stretch import stretch
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.refutation import Refutation
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.workers import on_processes

_CONFLICTS = 2_000  # for each wire: nearly all of those that are refuted need a few hundred
_BATCH = 64  # tasks that know nothing of each other


class _Bounded(NamedTuple):
    """What tasks need of the answers: the question, and upper bounds as they were."""

    core: Core
    possible: TokenSets


class _Task(NamedTuple):
    """Wires with the same proven tokens, and when these are away from home."""

    wires: npt.NDArray[np.int64]
    span: Span
    deadline: Deadline


def search(
    answers: Answers, limits: SolveLimits, deadline: Deadline, progress: Progress = no_progress
) -> None:
    """Refute further candidates on open wires where their proven tokens alone show it.

    Parameters
    ----------
    answers, limits, deadline, progress
        As for every engine. Upper bounds must be at most what reachability leaves. Wires that were
        asked about before, and of which no more candidates are proven since, are not asked again.
    """
    if answers.n_open == 0 or deadline.passed:
        return
    tasks, total = _tasks(answers, deadline), len(answers.wire)
    if not tasks:
        return
    question = _Bounded(answers.core, answers.possible.copy())
    with on_processes(_ask, question, limits, len(tasks)) as run:
        for first in range(0, len(tasks), _BATCH):
            batch = tasks[first : first + _BATCH]
            if deadline.passed:
                return
            progress("refuting the rest", total - answers.n_open, total)
            steps = [f"refutations {task.wires[0]}" for task in batch]
            for task, found in zip(
                batch, each(answers.journal, deadline, steps, batch, run), strict=True
            ):
                answers.unrefuted.update(dict.fromkeys(task.wires.tolist(), len(task.span.tracked)))
                for wire in found["refuted"].tolist():
                    answers.refute(Refutation(wire, *task.span), Argument.TRACKING)


def _tasks(answers: Answers, deadline: Deadline) -> list[_Task]:
    """Open wires in groups of the same proven tokens and the same stretch of time."""
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for wire in answers.open_wires().tolist():
        proven = tokens.members(answers.proven[wire])
        if answers.unrefuted.get(wire) == len(proven):
            continue
        groups[(*stretch(answers.core, wire, proven), *proven.tolist())].append(wire)
    return [
        _Task(np.array(wires), Span(np.array(proven), begin, end), deadline)
        for (begin, end, *proven), wires in groups.items()
    ]


def _ask(question: _Bounded, task: _Task) -> Entry:
    """Which wires of a task are refuted."""
    claims = [Absence(wire, task.span.tracked) for wire in task.wires.tolist()]
    found = refuted(question.core, question.possible, task.span, claims, _CONFLICTS, task.deadline)
    return {"refuted": task.wires[[answer is True for answer in found]]}
