"""Problems of any number of users: parts that never meet are decided one after the other.

Tokens only move where users meet, so that a connected component of the meeting graph is a problem
of its own (docs/develop/facts.md, groups). Sets of tokens are dense, wires times users: what is
impossible for a million users is small for each part, and the answer is the same. Workers of an
executor take some parts each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.course import DEFAULT_MEMORY, Course, Entry, MemoryLimits
from mixsafe.model.csr import grouped
from mixsafe.model.progress import Progress
from mixsafe.network.compression import components
from mixsafe.network.core import Core
from mixsafe.network.subproblem import of_rows
from mixsafe.network.wires import Ints, WireNetwork, wires_of
from mixsafe.solver.state.answers import Answers, Spent

if TYPE_CHECKING:
    from mixsafe.solver.registry import Decide


@dataclass(frozen=True, eq=False)
class PartedAnswers:
    """Bounds on the candidates of every wire: what :class:`Answers` says, without the sets.

    Parameters
    ----------
    lower, upper
        (n_wires,) int32.
    decided_by
        (n_questions,) uint8.
    notes
        Why questions were left open.
    spent
        What each argument cost.
    """

    lower: npt.NDArray[np.int32]
    upper: npt.NDArray[np.int32]
    decided_by: npt.NDArray[np.uint8]
    notes: list[str]
    spent: Spent


def set_bytes(n_wires: int | np.int64, n_rows: int | np.int64) -> int:
    """Memory of the two sets of tokens of every wire."""
    return 2 * 8 * int(n_wires) * ((int(n_rows) + 63) // 64)


def decide_in_parts(
    core: Core, wire: Ints, k: npt.NDArray[np.int32], decide: Decide, course: Course
) -> PartedAnswers:
    """Decide part after part; an executor decides the same parts, so it finds the same.

    Parameters
    ----------
    core
        The whole question.
    wire, k
        (n_questions,): does this wire have k candidates or more?
    decide
        Engine.
    course
        How large parts are, what is refused, and who decides: this process, or an executor, each of
        whose workers is alone. Deadline, progress and journal are those of all parts together; an
        executor keeps what it finds by itself.

    Raises
    ------
    InputError
        One component is too large to be held in memory, or the executor is lost.
    """
    memory, executor = course.memory, course.executor
    own = course if executor is None else course.alone
    cut, spent = Cut.of(core, memory), Spent()
    order, ptr = grouped(cut.part[core.network.row[wire]], cut.n_parts)
    asked = _Asked(cut, wire, k, order, ptr, decide, own)
    found: Iterable[Entry]
    if executor is None:
        tasks = [range(part, part + 1) for part in range(cut.n_parts)]
        found = (_decide(asked, task.start, spent) for task in tasks)
    else:
        wires_of_part = np.bincount(cut.part, np.diff(core.network.first)).astype(np.int64)
        tasks = _shares(wires_of_part, memory.part_wires)
        found = executor.each(_decide_some, executor.share(asked), tasks)
    lower, upper = np.empty((2, core.network.n_wires), np.int32)
    decided_by, notes = np.empty(len(wire), np.uint8), dict[str, None]()
    for task, entry in zip(tasks, found, strict=True):
        wires = np.concatenate([cut.wires(number) for number in task])
        lower[wires], upper[wires] = entry["lower"], entry["upper"]
        decided_by[asked.questions(task.start, task.stop)] = entry["decided_by"]
        notes.update(dict.fromkeys(bytes(entry["notes"]).decode().splitlines()))
        course.progress("deciding parts", int(asked.ptr[task.stop]), len(wire))
    return PartedAnswers(lower, upper, decided_by, list(notes), spent)


class _Asked(NamedTuple):
    """What is asked of all parts, for everybody who decides some of them.

    Parameters
    ----------
    cut
        The parts.
    wire, k
        (n_questions,): does this wire have k candidates or more?
    order, ptr
        Questions in the order of parts, and where those of each part begin.
    decide, course
        Engine, and the course of whoever decides.
    """

    cut: Cut
    wire: Ints
    k: npt.NDArray[np.int32]
    order: Ints
    ptr: Ints
    decide: Decide
    course: Course

    def questions(self, begin: int, end: int) -> Ints:
        """Those about some parts that follow on each other."""
        return self.order[self.ptr[begin] : self.ptr[end]]


def _decide(asked: _Asked, number: int, spent: Spent) -> Entry:
    """Bounds on the wires of a part, and what decided the questions about it."""
    questions = asked.questions(number, number + 1)
    own = np.searchsorted(asked.cut.wires(number), asked.wire[questions])
    answers = Answers(asked.cut.core(number), own, asked.k[questions])
    report = partial(_report, asked.course.progress, int(asked.ptr[number]), len(asked.wire))
    asked.decide(answers, replace(asked.course, progress=report))
    spent.seconds += answers.spent.seconds
    return {
        "lower": answers.lower,
        "upper": answers.upper,
        "decided_by": answers.decided_by,
        "notes": np.frombuffer("".join(f"{note}\n" for note in answers.notes).encode(), np.uint8),
    }


def _decide_some(asked: _Asked, numbers: Sequence[int]) -> Entry:
    """The same of some parts, in their order; without time spent elsewhere."""
    entries = [_decide(asked, number, Spent()) for number in numbers]
    return {name: np.concatenate([entry[name] for entry in entries]) for name in entries[0]}


def _shares(wires: Ints, at_once: int) -> list[range]:
    """Parts that follow on each other, with about so many wires each."""
    share = np.cumsum(wires) // at_once
    cuts = np.flatnonzero(np.diff(share)) + 1
    return [range(begin, end) for begin, end in pairwise([0, *cuts.tolist(), len(wires)])]


def _report(
    progress: Progress, before: int, total: int, stage: str, done: int, total_of_part: int
) -> None:
    """Say how far a part is in terms of all: ``before`` questions belong to parts that are done."""
    progress(stage, before + done, total)


def _grouped(network: WireNetwork, label: Ints, memory: MemoryLimits) -> Ints:
    """(n_rows,) part of each row: components, small ones together.

    Raises
    ------
    InputError
        A component that is too large.
    """
    rows = np.bincount(label)
    wires = np.bincount(label, np.diff(network.first)).astype(np.int64)
    part = np.empty(len(rows), np.int64)
    number, n_rows, n_wires = 0, 0, 0
    for component, (more_rows, more_wires) in enumerate(
        zip(rows.tolist(), wires.tolist(), strict=True)
    ):
        if set_bytes(more_wires, more_rows) > memory.largest_bytes:
            raise InputError(
                f"{more_rows} users who all meet, with {more_wires} wires, need"
                f" {set_bytes(more_wires, more_rows) / 2**30:.0f} GiB",
                hint="ask engine auto or bounds, or take fewer users (--users) or smaller cells",
            )
        together = set_bytes(n_wires + more_wires, n_rows + more_rows)
        if n_rows and together > memory.part_bytes:
            number, n_rows, n_wires = number + 1, 0, 0
        n_rows, n_wires = n_rows + more_rows, n_wires + more_wires
        part[component] = number
    return part[label]


@dataclass(frozen=True, eq=False)
class Cut:
    """Which rows belong to which part; a part is copied when its turn comes, so few are there.

    Parameters
    ----------
    whole
        All of it.
    part
        (n_rows,) number of each row's part.
    order, ptr
        Rows in the order of parts, and where each part begins.
    """

    whole: Core
    part: Ints
    order: Ints
    ptr: Ints

    @classmethod
    def of(cls, core: Core, memory: MemoryLimits = DEFAULT_MEMORY) -> Cut:
        """Cut ``core``."""
        network = core.network
        part = _grouped(network, components(network, core.pins), memory)
        # Computed once here rather than by each worker of the executor.
        _ = network.wires, core.pins_of_token, core.links_of_row
        return cls(core, part, *grouped(part, int(part.max()) + 1))

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return len(self.ptr) - 1

    def rows(self, number: int) -> Ints:
        """Rows of a part, ascending."""
        return self.order[self.ptr[number] : self.ptr[number + 1]]

    def wires(self, number: int) -> Ints:
        """Wires of a part, ascending."""
        return wires_of(self.rows(number), self.whole.network.first)

    def core(self, number: int) -> Core:
        """The part as a separate core, with its wires in order."""
        return of_rows(self.whole, self.rows(number))
