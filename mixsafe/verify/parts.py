"""Problems of any number of users: parts that never meet are decided one after the other.

Tokens only move where users meet, so that a connected component of the meeting graph is a problem
of its own (docs/develop/facts.md, groups). Sets of tokens are dense, wires times users: what is
impossible for a million users is small for each part, and the answer is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.journal.steps import Journal, NoJournal
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.adversary import Links, Pins
from mixsafe.network.components import components
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.spent import Spent

Ints = npt.NDArray[np.int64]
Settle = Callable[[Answers, Progress], None]
"""An engine with its limits: settles as many questions as it can, and tells how far it is."""

PART_BYTES = 1 << 20
"""Small components are put together up to this size: sets that a processor's cache holds, and less
of the square that the users of a part make with its tokens where components can never meet."""

LARGEST_BYTES = 1 << 33
"""Sets of tokens of one component beyond this size are refused."""


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
    core: Core,
    wire: Ints,
    k: npt.NDArray[np.int32],
    decide: Settle,
    part_bytes: int | None = None,
    progress: Progress = no_progress,
    journal: Journal | None = None,
) -> PartedAnswers:
    """Decide part after part.

    Parameters
    ----------
    core
        The whole question.
    wire, k
        (n_questions,): does this wire have k candidates or more?
    decide
        Engine, with its limits: they are those of all parts together.
    part_bytes
        Components are put together up to this size; None: ``PART_BYTES``.
    progress
        Called with stage, questions settled and questions asked, of all parts together.
    journal
        Of all parts, one after the other.

    Raises
    ------
    InputError
        One component is too large to be held in memory.
    """
    network = core.network
    cut = Cut.of(core, part_bytes)
    asked_part = cut.part[network.row[wire]]
    order, ptr = sorted_by(asked_part, cut.n_parts)
    lower = np.empty(network.n_wires, np.int32)
    upper = np.empty(network.n_wires, np.int32)
    decided_by = np.empty(len(wire), np.uint8)
    notes: dict[str, None] = {}
    spent = Spent()
    for number in range(cut.n_parts):
        asked = order[ptr[number] : ptr[number + 1]]
        wires, part = cut.core(number)
        own = np.searchsorted(wires, wire[asked])
        answers = Answers(part, own, k[asked], journal=journal or NoJournal())
        decide(answers, partial(_report, progress, int(ptr[number]), len(wire)))
        lower[wires], upper[wires] = answers.lower, answers.upper
        decided_by[asked] = answers.decided_by
        notes.update(dict.fromkeys(answers.notes))
        spent.seconds += answers.spent.seconds
    return PartedAnswers(lower, upper, decided_by, list(notes), spent)


def _report(
    progress: Progress, before: int, total: int, stage: str, done: int, total_of_part: int
) -> None:
    """Say how far a part is in terms of all: ``before`` questions belong to parts that are done."""
    progress(stage, before + done, total)


def _grouped(network: WireNetwork, label: Ints, part_bytes: int) -> Ints:
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
        if set_bytes(more_wires, more_rows) > LARGEST_BYTES:
            raise InputError(
                f"{more_rows} users who all meet, with {more_wires} wires, need"
                f" {set_bytes(more_wires, more_rows) / 2**30:.0f} GiB",
                hint="ask engine auto or bounds, or take fewer users (--users) or smaller cells",
            )
        if n_rows and set_bytes(n_wires + more_wires, n_rows + more_rows) > part_bytes:
            number, n_rows, n_wires = number + 1, 0, 0
        n_rows, n_wires = n_rows + more_rows, n_wires + more_wires
        part[component] = number
    return part[label]


def _ranges(begin: Ints, size: Ints) -> Ints:
    """The numbers ``begin[i]`` to ``begin[i] + size[i] - 1``, one range after the other."""
    ptr = _ptr(size)
    return np.arange(ptr[-1]) + np.repeat(begin - ptr[:-1], size)


def sorted_by(part: Ints, n_parts: int) -> tuple[Ints, Ints]:
    """Things in the order of their parts, and where each part begins and the last one ends."""
    order = np.argsort(part, kind="stable")
    ptr = np.zeros(n_parts + 1, np.int64)
    np.cumsum(np.bincount(part, minlength=n_parts), out=ptr[1:])
    return order, ptr


@dataclass(frozen=True, eq=False)
class Cut:
    """What belongs to which part; a part is copied when its turn comes, so that few are there.

    Parameters
    ----------
    whole
        All of it.
    part
        (n_rows,) number of each row's part.
    place
        (n_rows,) int32: number of each row in its part.
    rows, zones, pins, links
        Their numbers in the order of parts, and where each part begins.
    """

    whole: Core
    part: Ints
    place: npt.NDArray[np.int32]
    rows: tuple[Ints, Ints]
    zones: tuple[Ints, Ints]
    pins: tuple[Ints, Ints]
    links: tuple[Ints, Ints]

    @classmethod
    def of(cls, core: Core, part_bytes: int | None = None) -> Cut:
        """Cut ``core``."""
        network, part_bytes = core.network, PART_BYTES if part_bytes is None else part_bytes
        part = _grouped(network, components(network, core.pins), part_bytes)
        n_parts = int(part.max()) + 1
        rows = sorted_by(part, n_parts)
        place = np.empty(network.n_rows, np.int32)
        place[rows[0]] = np.arange(network.n_rows) - np.repeat(rows[1][:-1], np.diff(rows[1]))
        return cls(
            core,
            part,
            place,
            rows,
            sorted_by(part[network.member[network.zone_ptr[:-1]]], n_parts),
            sorted_by(part[core.pins.token], n_parts),
            sorted_by(part[core.links.row], n_parts),
        )

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return len(self.rows[1]) - 1

    def wires(self, number: int) -> Ints:
        """Wires of a part, ascending."""
        rows = self.rows[0][self.rows[1][number] : self.rows[1][number + 1]]
        first = self.whole.network.first
        return _ranges(first[rows], first[rows + 1] - first[rows])

    def core(self, number: int) -> tuple[Ints, Core]:
        """Wires of a part, ascending, and the part as a core of its own."""
        whole, pins, links = self.whole.network, self.whole.pins, self.whole.links
        rows, zones, pin, link = (
            order[ptr[number] : ptr[number + 1]]
            for order, ptr in (self.rows, self.zones, self.pins, self.links)
        )
        size = whole.first[rows + 1] - whole.first[rows]
        wires = self.wires(number)
        first = _ptr(size)
        members = whole.zone_ptr[zones + 1] - whole.zone_ptr[zones]
        entry = _ranges(whole.zone_ptr[zones], members)
        member = self.place[whole.member[entry]]
        network = WireNetwork(
            len(rows),
            whole.horizon,
            first,
            self.place[whole.row[wires]],
            whole.start[wires],
            whole.end[wires],
            whole.zone_time[zones],
            _ptr(members),
            member,
            whole.before[entry] + (first[:-1] - whole.first[rows])[member],
        )
        held = pins.ptr[pin + 1] - pins.ptr[pin]
        own = Pins(
            self.place[pins.token[pin]],
            pins.time[pin],
            _ptr(held),
            self.place[pins.rows[_ranges(pins.ptr[pin], held)]],
        )
        linked = Links(self.place[links.row[link]], links.start[link], links.end[link])
        return wires, Core(network, own, linked, self.whole.steps)


def _ptr(size: Ints) -> Ints:
    """Where each of some stretches begins, and the last one ends."""
    return np.concatenate([[0], np.cumsum(size)])
