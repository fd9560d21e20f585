"""Parts that never meet, decided by a crew: each worker takes some, and says what it found.

The parts are those that one process decides one after the other, so it finds the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.journal.steps import Entry
from mixsafe.model.crew import Crew
from mixsafe.model.progress import Progress, no_progress
from mixsafe.network.core import Core
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.spent import Spent
from mixsafe.verify.parts import Cut, Ints, PartedAnswers, Settle, sorted_by

_WIRES = 1 << 16
"""Of the parts that a worker takes at once, if they are small."""


class AskedParts(NamedTuple):
    """What all workers need.

    Parameters
    ----------
    cut
        The parts.
    wire, k
        (n_questions,): does this wire have k candidates or more?
    order, ptr
        Questions in the order of parts, and where each part begins.
    decide
        Engine, with its limits.
    """

    cut: Cut
    wire: Ints
    k: npt.NDArray[np.int32]
    order: Ints
    ptr: Ints
    decide: Settle

    def own(self, number: int) -> Ints:
        """Questions about a part."""
        return self.order[self.ptr[number] : self.ptr[number + 1]]


def decide_parts_apart(
    core: Core,
    wire: Ints,
    k: npt.NDArray[np.int32],
    decide: Settle,
    crew: Crew,
    progress: Progress = no_progress,
) -> PartedAnswers:
    """Decide all parts.

    Parameters
    ----------
    core
        The whole question.
    wire, k
        (n_questions,): does this wire have k candidates or more?
    decide
        Engine, with limits of a single worker.
    crew
        Who decides.
    progress
        Called with stage, questions settled and questions asked, of all parts together.

    Raises
    ------
    InputError
        One component is too large to be held in memory, or the crew is lost.
    """
    network = core.network
    cut = Cut.of(core)
    asked = AskedParts(cut, wire, k, *sorted_by(cut.part[network.row[wire]], cut.n_parts), decide)
    tasks = list(_shares(np.bincount(cut.part, np.diff(network.first)).astype(np.int64)))
    lower, upper = np.empty((2, network.n_wires), np.int32)
    decided_by, notes = np.empty(len(wire), np.uint8), dict[str, None]()
    found = crew.each(_decide_some, crew.share(asked), tasks)
    for task, one in zip(tasks, found, strict=True):
        progress("deciding parts", int(asked.ptr[task[0]]), len(wire))
        wires = np.concatenate([cut.wires(number) for number in task])
        lower[wires], upper[wires] = one["lower"], one["upper"]
        decided_by[np.concatenate([asked.own(number) for number in task])] = one["decided_by"]
        notes.update(dict.fromkeys(bytes(one["notes"]).decode().splitlines()))
    return PartedAnswers(lower, upper, decided_by, list(notes), Spent())


def _shares(wires: Ints) -> list[range]:
    """Parts that follow on each other, with some ten thousands of wires each."""
    share = np.cumsum(wires) // _WIRES
    cuts = np.flatnonzero(np.diff(share)) + 1
    ends = [0, *cuts.tolist(), len(wires)]
    return [range(begin, end) for begin, end in pairwise(ends)]


def _decide_some(asked: AskedParts, numbers: Sequence[int]) -> Entry:
    """Bounds on the wires of some parts, in their order, and what decided the questions."""
    lower, upper, decided_by, notes = [], [], [], dict[str, None]()
    for number in numbers:
        questions = asked.own(number)
        wires, part = asked.cut.core(number)
        own = np.searchsorted(wires, asked.wire[questions])
        answers = Answers(part, own, asked.k[questions])
        asked.decide(answers, no_progress)
        lower.append(answers.lower)
        upper.append(answers.upper)
        decided_by.append(answers.decided_by)
        notes.update(dict.fromkeys(answers.notes))
    return {
        "lower": np.concatenate(lower),
        "upper": np.concatenate(upper),
        "decided_by": np.concatenate(decided_by),
        "notes": np.frombuffer("\n".join(notes).encode(), np.uint8),
    }
