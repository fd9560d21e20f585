"""Problems of any number of users: parts that never meet are decided one after the other.

Tokens only move where users meet, so that a connected component of the meeting graph is a problem
of its own (DESIGN, section 3). Sets of tokens are dense, wires times users: what is impossible for
a million users is small for each part, and the answer is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from mixsafe.errors import InputError
from mixsafe.model.adversary import Links, Pins
from mixsafe.network.wires import WireNetwork
from mixsafe.verify.answers import Answers
from mixsafe.verify.core import Core
from mixsafe.verify.journal import Journal, NoJournal

Ints = npt.NDArray[np.int64]
Engine = Callable[[Answers], None]
"""Settles as many questions as it can."""


WHOLE_BYTES = 1 << 31
"""Sets of tokens up to this size are held at once; beyond it, the problem is cut into parts."""

PART_BYTES = 1 << 26
"""Small components are put together up to this size."""

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
    """

    lower: npt.NDArray[np.int32]
    upper: npt.NDArray[np.int32]
    decided_by: npt.NDArray[np.uint8]
    notes: list[str]


def set_bytes(n_wires: int | np.int64, n_rows: int | np.int64) -> int:
    """Memory of the two sets of tokens of every wire."""
    return 2 * 8 * int(n_wires) * ((int(n_rows) + 63) // 64)


def is_large(core: Core) -> bool:
    """Whether the sets of tokens are too large to be held at once."""
    return set_bytes(core.network.n_wires, core.network.n_rows) > WHOLE_BYTES


def answered(
    core: Core,
    wire: Ints,
    k: npt.NDArray[np.int32],
    decide: Engine,
    exhaustive: bool,
    journal: Journal | None,
) -> Answers | PartedAnswers:
    """What an engine says about all wires: at once, or in parts where sets would be too large.

    Parameters
    ----------
    core, wire, k, exhaustive, journal
        As for :class:`Answers`.
    decide
        Engine, with its limits.

    Raises
    ------
    InputError
        All candidates, or a journal, of a problem that is too large to be held at once.
    """
    if not is_large(core):
        answers = Answers(core, wire, k, exhaustive, journal or NoJournal())
        decide(answers)
        return answers
    if exhaustive or journal is not None:
        raise InputError(
            f"the candidates of {core.network.n_rows} users on {core.network.n_wires} wires are too"
            " many to be kept",
            hint="take fewer users or a shorter time, or ask without --exhaustive and --resume",
        )
    return decide_in_parts(core, wire, k, decide)


def decide_in_parts(
    core: Core,
    wire: Ints,
    k: npt.NDArray[np.int32],
    decide: Engine,
    part_bytes: int = PART_BYTES,
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
        Components are put together up to this size.

    Raises
    ------
    InputError
        One component is too large to be held in memory.
    """
    sorted_core = _Sorted.of(core, part_bytes)
    place = sorted_core.new_wire[wire]
    order = np.argsort(place, kind="stable")
    place, asked_k = place[order], k[order]
    network = sorted_core.core.network
    lower = np.empty(network.n_wires, np.int32)
    upper = np.empty(network.n_wires, np.int32)
    decided_by = np.empty(len(wire), np.uint8)
    notes: dict[str, None] = {}
    for low, high, part in sorted_core.parts():
        begin, end = np.searchsorted(place, [low, high])
        answers = Answers(part, place[begin:end] - low, asked_k[begin:end])
        decide(answers)
        lower[low:high], upper[low:high] = answers.lower, answers.upper
        decided_by[begin:end] = answers.decided_by
        notes.update(dict.fromkeys(answers.notes))
    by_question = np.empty_like(decided_by)
    by_question[order] = decided_by
    new = sorted_core.new_wire
    return PartedAnswers(lower[new], upper[new], by_question, list(notes))


def components(network: WireNetwork, pins: Pins) -> Ints:
    """(n_rows,) number of the group of users who meet, or could be taken for one another."""
    first = np.repeat(network.member[network.zone_ptr[:-1]], np.diff(network.zone_ptr))
    pairs = np.unique(first.astype(np.int64) * network.n_rows + network.member)
    one, two = np.divmod(pairs, network.n_rows)
    token = np.repeat(pins.token, np.diff(pins.ptr))
    one, two = np.concatenate([one, token]), np.concatenate([two, pins.rows])
    graph = sparse.coo_array(
        (np.ones(len(one), np.int8), (one, two)), shape=(network.n_rows, network.n_rows)
    )
    _, label = csgraph.connected_components(graph.tocsr(), directed=False)
    return np.asarray(label, np.int64)


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
                hint="take fewer users (--users), a shorter time (--days) or smaller cells",
            )
        if n_rows and set_bytes(n_wires + more_wires, n_rows + more_rows) > part_bytes:
            number, n_rows, n_wires = number + 1, 0, 0
        n_rows, n_wires = n_rows + more_rows, n_wires + more_wires
        part[component] = number
    return part[label]


def _ranges(begin: Ints, size: Ints) -> Ints:
    """The numbers ``begin[i]`` to ``begin[i] + size[i] - 1``, one range after the other."""
    ends = np.cumsum(size)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(begin - ends + size, size)


@dataclass(frozen=True, eq=False)
class _Sorted:
    """The core with rows, wires, zones and knowledge in the order of parts.

    ``new_wire`` is the place of each old wire; ``row_ptr`` and the others say where the rows,
    zones, pins and links of each part begin.
    """

    core: Core
    new_wire: Ints
    row_ptr: Ints
    zone_ptr: Ints
    pin_ptr: Ints
    link_ptr: Ints

    @classmethod
    def of(cls, core: Core, part_bytes: int) -> _Sorted:
        """Cut ``core`` into its parts."""
        old, pins, links = core.network, core.pins, core.links
        part = _grouped(old, components(old, pins), part_bytes)
        n_parts = int(part.max()) + 1
        row = np.argsort(part, kind="stable")
        new_row = np.empty(old.n_rows, np.int32)
        new_row[row] = np.arange(old.n_rows, dtype=np.int32)
        size = np.diff(old.first)[row]
        wire = _ranges(old.first[:-1][row], size)
        new_wire = np.empty(old.n_wires, np.int64)
        new_wire[wire] = np.arange(old.n_wires)
        zone_part = part[old.member[old.zone_ptr[:-1]]]
        zone = np.argsort(zone_part, kind="stable")
        sizes = np.diff(old.zone_ptr)[zone]
        entry = _ranges(old.zone_ptr[:-1][zone], sizes)
        network = WireNetwork(
            old.n_rows,
            old.horizon,
            np.concatenate([[0], np.cumsum(size)]),
            new_row[old.row[wire]],
            old.start[wire],
            old.end[wire],
            old.zone_time[zone],
            np.concatenate([[0], np.cumsum(sizes)]),
            new_row[old.member[entry]],
            new_wire[old.before[entry]],
        )
        pin = np.argsort(part[pins.token], kind="stable")
        pin_size = np.diff(pins.ptr)[pin]
        link = np.argsort(part[links.row], kind="stable")
        sorted_core = Core(
            network,
            Pins(
                new_row[pins.token[pin]],
                pins.time[pin],
                np.concatenate([[0], np.cumsum(pin_size)]),
                new_row[pins.rows[_ranges(pins.ptr[:-1][pin], pin_size)]],
            ),
            Links(new_row[links.row[link]], links.start[link], links.end[link]),
        )
        bounds = [
            np.searchsorted(some, np.arange(n_parts + 1))
            for some in (part[row], zone_part[zone], part[pins.token[pin]], part[links.row[link]])
        ]
        return cls(sorted_core, new_wire, *bounds)

    def parts(self) -> Iterator[tuple[int, int, Core]]:
        """First wire of each part, first one after it, and the part as a core of its own."""
        whole, pins, links = self.core.network, self.core.pins, self.core.links
        for number in range(len(self.row_ptr) - 1):
            rows = slice(*self.row_ptr[number : number + 2].tolist())
            zones = slice(*self.zone_ptr[number : number + 2].tolist())
            pin = slice(*self.pin_ptr[number : number + 2].tolist())
            link = slice(*self.link_ptr[number : number + 2].tolist())
            low, high = int(whole.first[rows.start]), int(whole.first[rows.stop])
            entry = slice(*whole.zone_ptr[[zones.start, zones.stop]].tolist())
            held = slice(*pins.ptr[[pin.start, pin.stop]].tolist())
            network = WireNetwork(
                rows.stop - rows.start,
                whole.horizon,
                whole.first[rows.start : rows.stop + 1] - low,
                whole.row[low:high] - np.int32(rows.start),
                whole.start[low:high],
                whole.end[low:high],
                whole.zone_time[zones],
                whole.zone_ptr[zones.start : zones.stop + 1] - entry.start,
                whole.member[entry] - np.int32(rows.start),
                whole.before[entry] - low,
            )
            own = Pins(
                pins.token[pin] - np.int32(rows.start),
                pins.time[pin],
                pins.ptr[pin.start : pin.stop + 1] - held.start,
                pins.rows[held] - np.int32(rows.start),
            )
            linked = Links(
                links.row[link] - np.int32(rows.start), links.start[link], links.end[link]
            )
            yield low, high, Core(network, own, linked)
