"""Independent proofs about a large problem, on threads or on an executor.

Both split the work. The result of a piece does not depend on the split, so both find the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from mixsafe.model.course import Course, Entry, Executor, MemoryLimits
from mixsafe.model.question.adversary import Pins
from mixsafe.network.timeline import Timeline
from mixsafe.network.wires import Ints, Small, wires_of
from mixsafe.solver.construct.meeting_again import NEAR, count_partners, list_partners
from mixsafe.solver.construct.open_wires import OpenLists
from mixsafe.solver.construct.through_others import meet_through_others
from mixsafe.solver.large.neighbourhoods import Size, neighbourhood
from mixsafe.solver.large.possible_tokens import QUESTIONS, count_possible
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers

Look = Callable[[Answers], None]
"""Solves a subproblem."""

_ASKED_APART = 64
"""Tasks of questions that are submitted at once."""


class Sweeps(Protocol):
    """Executor of sweeps over the wires."""

    @property
    def questions(self) -> int:
        """Number of wires to pass to :meth:`possible` at once."""

    def partners(self, near: int, rows: Ints | None) -> Small:
        """As :func:`count_partners`; (n_wires,)."""

    def fill(self, near: int, known: OpenLists) -> None:
        """Partners, and those met through others, into lists of open wires."""

    def possible(self, wires: Ints) -> Small:
        """As :func:`count_possible`; (n,)."""

    def look(
        self, decide: Look, known: OpenLists, size: Size, asked: Sequence[Ints]
    ) -> Iterable[Entry]:
        """As :func:`look`, for each of several batches of open wires in turn."""


def sweeps_of(whole: Timeline, pins: Pins, course: Course) -> Sweeps:
    """The available sweeps: on an executor, or on the threads of this machine.

    Parameters
    ----------
    whole
        The wires, and all that is known, taken as sightings of tokens on their own rows.
    pins
        Sightings of single tokens, as far as they are certain.
    course
        The executor and the sizes of its tasks, or how many threads.
    """
    if course.executor is None:
        return SweepsHere(whole, pins, course.workers)
    return SweepsApart(SweepsHere(whole, pins, 1), course.executor, course.memory)


class SweepsHere(NamedTuple):
    """Sweeps on threads of this process."""

    whole: Timeline
    pins: Pins
    workers: int

    @property
    def questions(self) -> int:
        """Number of wires to ask about at once."""
        return QUESTIONS * self.workers

    def partners(self, near: int, rows: Ints | None) -> Small:
        """How many other tokens swaps prove on each wire."""
        return count_partners(self.whole, near, rows, self.workers)

    def fill(self, near: int, known: OpenLists) -> None:
        """Partners, and those met through others, into lists of open wires."""
        list_partners(self.whole, near, known, self.workers)
        if self.whole.net.relation is None:  # third parties exchange in complete zones
            meet_through_others(self.whole, known, NEAR, self.workers)

    def possible(self, wires: Ints) -> Small:
        """How many single tokens can be on wires."""
        return count_possible(self.whole.net, self.pins, wires, self.workers)

    def look(
        self, decide: Look, known: OpenLists, size: Size, asked: Sequence[Ints]
    ) -> Iterator[Entry]:
        """Results of neighbourhoods, one after the other."""
        for wires in asked:
            yield look(known.among(wires), size, self.whole, decide)


class SweepsApart:
    """Sweeps as tasks of an executor.

    Parameters
    ----------
    here
        The sweeps of each of its workers, on one thread.
    executor
        Who runs the tasks.
    memory
        How many wires a task has.
    """

    questions = QUESTIONS * _ASKED_APART

    def __init__(self, here: SweepsHere, executor: Executor, memory: MemoryLimits) -> None:
        self._net, self._executor, self._memory = here.whole.net, executor, memory
        self._shared = executor.share(here)

    def partners(self, near: int, rows: Ints | None) -> Small:
        """How many other tokens swaps prove on each wire."""
        net, at_once = self._net, self._memory.counted_wires
        asked = np.arange(len(net.first) - 1) if rows is None else rows
        before = np.cumsum(net.first[asked + 1] - net.first[asked])
        cuts = np.searchsorted(before, np.arange(at_once, before[-1:].sum(), at_once))
        pieces = [some for some in np.split(asked, np.unique(cuts)) if len(some)]
        found = np.zeros(len(net.start), np.int32)
        counted = self._executor.each(partial(_count, near), self._shared, pieces)
        for some, count in zip(pieces, counted, strict=True):
            found[wires_of(some, net.first)] = count["partners"]
        return found

    def fill(self, near: int, known: OpenLists) -> None:
        """Partners, and those met through others, into lists of open wires."""
        at_once = self._memory.listed_wires
        cuts = [slice(i, i + at_once) for i in range(0, len(known.wires), at_once)]
        pieces = [known.among(known.wires[cut]) for cut in cuts]
        filled = self._executor.each(partial(_fill, near), self._shared, pieces)
        for cut, piece in zip(cuts, filled, strict=True):
            known.tokens[cut], known.size[cut] = piece["tokens"], piece["size"]

    def possible(self, wires: Ints) -> Small:
        """How many single tokens can be on wires."""
        pieces = [wires[i : i + QUESTIONS] for i in range(0, len(wires), QUESTIONS)]
        found = self._executor.each(_ask, self._shared, pieces)
        none = np.zeros(0, np.int32)
        return np.concatenate([none, *(piece["possible"] for piece in found)])

    def look(
        self, decide: Look, known: OpenLists, size: Size, asked: Sequence[Ints]
    ) -> Iterator[Entry]:
        """Results of neighbourhoods, in order."""
        pieces = [known.among(wires) for wires in asked]
        return self._executor.each(partial(_look_apart, decide, size), self._shared, pieces)


def look(known: OpenLists, size: Size, whole: Timeline, decide: Look) -> Entry:
    """What the neighbourhood of some open wires shows.

    Parameters
    ----------
    known
        The open wires.
    size
        Of the neighbourhood.
    whole
        The large problem.
    decide
        Decides the small one.

    Returns
    -------
    dict
        ``wires`` and ``tokens``: pairs of candidates; ``by``: (n_open,) argument by which the
        candidates of each are enough.
    """
    near = neighbourhood(known, size, whole)
    small = Answers(near.small.core, near.inside, known.enough)
    decide(small)
    own = tokens.identity(small.core.network.row, small.core.words)
    found = [tokens.members(small.proven[one] & ~own[one]) for one in near.inside]
    return {
        "wires": np.repeat(near.wires, [len(some) for some in found]),
        "tokens": near.small.rows[np.concatenate(found)].astype(np.int32),
        "by": small.decided_by,
    }


def _count(near: int, here: SweepsHere, rows: Ints) -> Entry:
    """Partners on the wires of some rows."""
    return {"partners": here.partners(near, rows)[wires_of(rows, here.whole.net.first)]}


def _fill(near: int, here: SweepsHere, lists: OpenLists) -> Entry:
    """Lists of some open wires."""
    here.fill(near, lists)
    return {"tokens": lists.tokens, "size": lists.size}


def _ask(here: SweepsHere, wires: Ints) -> Entry:
    """Possible tokens of some wires."""
    return {"possible": here.possible(wires)}


def _look_apart(decide: Look, size: Size, here: SweepsHere, lists: OpenLists) -> Entry:
    """What one neighbourhood shows."""
    return look(lists, size, here.whole, decide)
