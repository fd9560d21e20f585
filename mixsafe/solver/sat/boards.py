"""Boards around all open wires, in batches: within one no wire knows of another's findings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.journal.steps import Entry, each
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.network.core import Core
from mixsafe.solver.sat.growing import BoardEffort, Growth, settle
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.findings import Finding, packed, unpacked
from mixsafe.solver.state.refutation import Refutation
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.workers import on_processes

EFFORT = BoardEffort()

_BATCH = 16  # wires


class _Around(NamedTuple):
    """What all wires need: the question, upper bounds as they were, and the effort."""

    core: Core
    possible: TokenSets
    effort: BoardEffort


class _Wire(NamedTuple):
    """An open wire, its candidates so far, and how many are enough."""

    wire: int
    proven: npt.NDArray[np.int64]
    enough: int
    deadline: Deadline


def search(
    answers: Answers,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
    *,
    effort: BoardEffort = EFFORT,
) -> None:
    """Settle open questions by witnesses and proofs from boards, as long as that helps.

    Parameters
    ----------
    answers, limits, deadline, progress
        As for every engine. Upper bounds must be at most what reachability leaves.
    effort
        How much one wire is worth.
    """
    if answers.n_open == 0 or deadline.passed:
        return
    open_wires, total = answers.open_wires(), len(answers.wire)
    around = _Around(answers.core, answers.possible.copy(), effort)
    with on_processes(_settle, around, limits, len(open_wires)) as run:
        for first in range(0, len(open_wires), _BATCH):
            some = np.intersect1d(open_wires[first : first + _BATCH], answers.open_wires())
            batch = [
                _Wire(wire, tokens.members(answers.proven[wire]), enough, deadline)
                for wire, enough in zip(some.tolist(), answers.enough(some).tolist(), strict=True)
            ]
            if deadline.passed:
                return
            progress("asking boards", total - answers.n_open, total)
            steps = [f"boards {one.wire}" for one in batch]
            for one, found in zip(
                batch, each(answers.journal, deadline, steps, batch, run), strict=True
            ):
                _take_in(answers, one.wire, found)


def _settle(around: _Around, one: _Wire) -> Entry:
    """Witnesses, where they differ from the identity; and what was refuted."""
    core, possible, effort = around
    witnesses, refuted = [], []
    growth = Growth(core, possible, one.wire, one.proven, one.enough, effort, one.deadline)
    for found in settle(growth):
        if isinstance(found, Refutation):
            refuted.append(found)
        else:
            witnesses.append(Finding.witness(found, core.network.row))
    tracked = [refutation.tracked for refutation in refuted]
    return {
        **packed(witnesses),
        "refuted": np.array([(r.token, r.begin, r.end) for r in refuted], np.int64).reshape(-1, 3),
        "tracked_ptr": np.cumsum([0, *map(len, tracked)]),
        "tracked": np.concatenate([np.zeros(0, np.int64), *tracked]),
    }


def _take_in(answers: Answers, wire: int, found: Entry) -> None:
    """Add what a wire's boards found to what is known."""
    ptr, tracked = found["tracked_ptr"].tolist(), found["tracked"].astype(np.int64)
    for i, (token, begin, end) in enumerate(found["refuted"].tolist()):
        some = tracked[ptr[i] : ptr[i + 1]]
        answers.refute(Refutation(wire, some, begin, end, token), Argument.TRACKING)
    for witness in unpacked(found):
        answers.take_in(witness, Argument.BOARD)
