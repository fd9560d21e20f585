"""Where single tokens can be: the checker's own upper bounds, from the definitions.

Each token is followed on its own through the mix zones, forward and backward. There are two bounds:

- How many tokens can get to a row. Users who are seen at step 0 are known by name: at all their
  sightings their rows hold their own tokens, and no others. Other sightings are ignored, which can
  only raise the bound. Tokens are bits, and are followed a block of words at a time, so that memory
  stays bounded.
- Which ones can. Between two of her zones nothing changes for a user, so these are sets on *wires*:
  a row, from one of its zones (or step 0) to the step before its next one (or the horizon).

Whoever comes to a zone on the row of one member leaves it on the row of another only if the zone
allows the pair. A pair is of use only if tokens can also get back: allowed permutations go around
in cycles, so both members must reach each other by allowed pairs (facts.md, zones with a relation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import HallSet
from mixsafe.model.csr import Ints, Whole
from mixsafe.model.question.adversary import Pins
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem

Matrix = npt.NDArray[np.bool_]
"""(size, size): whether who comes as one member may leave as another."""

_MOST = 1 << 24
"""Words of 64 tokens that are held for all rows, or for all points, at once."""

Bits = npt.NDArray[np.uint64]
"""(n_rows, words): whether a token may be on a row."""

Numbers = npt.NDArray[np.int64]

Sets = npt.NDArray[np.uint64]
"""(n, words): a set of tokens each; token c is bit ``c % 64`` of word ``c // 64``."""

MOST_BYTES = 1 << 31
"""Of the sets of all wires: where they are larger, they are not made."""


def useful_pairs(zones: MixZones) -> dict[int, Matrix]:
    """The pairs that allowed permutations use, of each zone that does not allow all pairs."""
    if zones.relation is None:
        return {}
    sizes = zones.sizes
    return {
        zone: _within_cycles(zones.relation.matrix(zone, int(sizes[zone])))
        for zone in zones.relation.zones.tolist()
    }


def _within_cycles(allowed: Matrix) -> Matrix:
    """Drop the pairs whose second member does not get back to the first one."""
    allowed = allowed | np.eye(len(allowed), dtype=bool)
    reached = allowed
    while True:  # squares: paths of 1, 2, 4, … pairs
        further = (reached.astype(np.float32) @ reached.astype(np.float32)) > 0
        if np.array_equal(further, reached):
            return np.asarray(allowed & reached.T)
        reached = further


def passed(sets: npt.NDArray[np.uint64], pairs: Matrix) -> npt.NDArray[np.uint64]:
    """(size, words) tokens that get to each member, from those that each one has.

    ``pairs[a, b]``: whether they get from a to b.
    """
    return np.stack([np.bitwise_or.reduce(sets[pairs[:, to]], axis=0) for to in range(len(pairs))])


def reachable_tokens(problem: Problem, row: Whole, step: Whole, at_once: int = _MOST) -> Ints:
    """Number of tokens that can be on a row after a step, (n_points,) each.

    ``at_once`` words of 64 tokens are held for all rows, or for all points; one of each, at least.
    """
    n_rows = problem.zones.n_users
    steps = _Sweeps.of(problem, row, step)
    words = (n_rows + 63) // 64
    block = max(1, min(words, at_once // max(n_rows, len(row), 1)))
    counts = np.zeros(len(row), np.int64)
    for low in range(0, words, block):
        found = steps.sweep(low, min(block, words - low))
        counts += np.bitwise_count(found).sum(axis=1, dtype=np.int64)
    return counts


@dataclass(frozen=True, eq=False)
class _Sweeps:
    """Events by step: mix zones, then sightings, then points that are asked about.

    Parameters
    ----------
    problem
        The question.
    time
        (n,) steps at which something happens, ascending.
    zone
        (n + 1,) the zones of step i are ``zone[i]`` to ``zone[i + 1] - 1``.
    pin, pinned
        Where the sightings of step i begin among the ``pinned`` rows.
    point, order
        The same of the points, in this ``order``.
    row
        Rows of the points, as they were given.
    pairs
        Of zones that do not allow all pairs.
    """

    problem: Problem
    time: Ints
    zone: Ints
    pin: Ints
    pinned: Whole
    point: Ints
    order: Ints
    row: Whole
    pairs: dict[int, Matrix]

    @classmethod
    def of(cls, problem: Problem, row: Whole, step: Whole) -> _Sweeps:
        known, zones = problem.knowledge, problem.zones
        named = np.isin(known.row, known.row[known.time == 0])
        rows, times = known.row[named], known.time[named]
        by_time, order = np.argsort(times, kind="stable"), np.argsort(step, kind="stable")
        time = np.unique(np.concatenate([zones.time, times, step]))
        bounds = np.append(time, problem.zones.axis.steps + 1)
        return cls(
            problem,
            time,
            np.searchsorted(zones.time, bounds),
            np.searchsorted(times[by_time], bounds),
            rows[by_time],
            np.searchsorted(step[order], bounds),
            order,
            row,
            useful_pairs(zones),
        )

    def sweep(self, low: int, n_words: int) -> Bits:
        """Tokens that may be at each point, of the words from ``low`` on."""
        n_rows = self.problem.zones.n_users
        found = np.empty((len(self.row), n_words), np.uint64)
        may = np.zeros((n_rows, n_words), np.uint64)
        own = np.arange(n_rows)
        _put(may, own, own, low)
        for i in range(len(self.time)):
            self._mix(may, i, backward=False)
            self._pin(may, i, low)
            asked = self.order[self.point[i] : self.point[i + 1]]
            found[asked] = may[self.row[asked]]
        may.fill(~np.uint64(0))
        for i in reversed(range(len(self.time))):
            self._pin(may, i, low)
            asked = self.order[self.point[i] : self.point[i + 1]]
            found[asked] &= may[self.row[asked]]
            self._mix(may, i, backward=True)
        return found

    def _mix(self, may: Bits, i: int, *, backward: bool) -> None:
        """A token that is on one member of a zone may be on any to whom an allowed pair leads."""
        zones = self.problem.zones
        low, high = int(self.zone[i]), int(self.zone[i + 1])
        ptr = zones.ptr[low : high + 1]
        if len(ptr) < 2:
            return
        members = zones.members[ptr[0] : ptr[-1]]
        came = may[members]
        any_of_them = np.bitwise_or.reduceat(came, ptr[:-1] - ptr[0], axis=0)
        may[members] = np.repeat(any_of_them, np.diff(ptr), axis=0)
        for zone in range(low, high) if self.pairs else ():
            if zone in self.pairs:
                pairs = self.pairs[zone].T if backward else self.pairs[zone]
                mine = slice(ptr[zone - low] - ptr[0], ptr[zone - low + 1] - ptr[0])
                may[members[mine]] = passed(came[mine], pairs)

    def _pin(self, may: Bits, i: int, low: int) -> None:
        """Rows that are seen hold their own tokens, which are on no other row."""
        rows = self.pinned[self.pin[i] : self.pin[i + 1]]
        if not len(rows):
            return
        own = np.zeros((len(rows), may.shape[1]), np.uint64)
        _put(own, np.arange(len(rows)), rows, low)
        kept = may[rows] & own
        may &= ~np.bitwise_or.reduce(own, axis=0)
        may[rows] = kept


def _put(may: Bits, rows: Ints, tokens: npt.NDArray[np.integer], low: int) -> None:
    """Put each of the tokens on its row, if it is in one of the words from ``low`` on."""
    word = tokens // 64 - low
    here = (word >= 0) & (word < may.shape[1])
    bit = np.uint64(1) << (tokens[here] % 64).astype(np.uint64)
    may[rows[here], word[here]] |= bit


def _bit(tokens: npt.NDArray[np.integer]) -> npt.NDArray[np.uint64]:
    """(n,) each token in its word."""
    return np.uint64(1) << (tokens & 63).astype(np.uint64)


class _Step(NamedTuple):
    """The zones of one step: the first one, and the wires that come to them.

    ``begin``: where those of each zone begin; ``number``: the zone of each, from the first one.
    """

    first: int
    came: Numbers
    begin: Numbers
    number: Numbers


class Reached:
    """Tokens that may be on each wire.

    Parameters
    ----------
    problem
        The question.
    pins
        Of an auditor, who does not know which token begins where; None: it is a publisher's
        question.

    Attributes
    ----------
    first
        (n_rows + 1,) int64: row r has the wires ``first[r]`` to ``first[r + 1] - 1``, in order of
        time.
    row, start, end
        (n_wires,) row of each wire, and the first and last step of it.
    before
        (n_memberships,) wire on which each member comes to its zone; it leaves on the next one.
    same
        (n, 2) wires that carry the same token: a user who is not known by name was seen on both.
    apart
        (n,) wires that carry different tokens, none of which is of a user who is known by name: of
        each other user who was seen the first one, where different people are different.
    sets
        (n_wires, words) tokens that may be on each wire.
    pairs
        What zones that do not allow all pairs allow, by their numbers.
    """

    def __init__(self, problem: Problem, pins: Pins | None = None) -> None:
        zones = problem.zones
        self.pins, self.pairs = pins, useful_pairs(zones)
        self.problem, self.n_rows, self.horizon = problem, zones.n_users, zones.axis.steps
        self._words = (zones.n_users + 63) // 64
        count = np.bincount(zones.members, minlength=self.n_rows)
        self.first = np.concatenate([[0], np.cumsum(count + 1)])
        time = np.repeat(zones.time, np.diff(zones.ptr))
        order = np.lexsort((time, zones.members))
        self.before = np.empty(len(order), np.int64)
        # A row has one wire more than zones, so those of earlier rows shift it by one each.
        self.before[order] = np.arange(len(order)) + zones.members[order]
        self.row = np.repeat(np.arange(self.n_rows), np.diff(self.first))
        self._entry = np.full(len(self.row), -1)
        self._entry[self.before] = np.arange(len(order))
        self.start = np.zeros(len(self.row), np.int64)
        self.start[self.before + 1] = time
        self.end = np.append(self.start[1:] - 1, self.horizon)
        self.end[self.first[1:] - 1] = self.horizon
        self._key = self.row * (self.horizon + 1) + self.start  # ascending
        self.sets: Sets = np.tile(self.bits(np.arange(self.n_rows)), (len(self.row), 1))
        self.same = np.zeros((0, 2), np.int64)
        self.apart, self._names = np.zeros(0, np.int64), self.bits(np.zeros(0, np.int64))
        if pins is None:
            self._know()
        else:
            self._see(pins)
        self.follow()

    @staticmethod
    def fits(problem: Problem, most_bytes: int = MOST_BYTES) -> bool:
        """Whether the sets of all wires are small enough to be made."""
        zones = problem.zones
        n_wires, words = len(zones.members) + zones.n_users, (zones.n_users + 63) // 64
        return 8 * n_wires * words <= most_bytes

    def wires_at(self, step: int) -> Numbers:
        """(n_rows,) wire of each row that lasts at a step."""
        rows = np.arange(self.n_rows)
        return self.wire_at(rows, np.full(self.n_rows, step))

    def wire_at(self, row: npt.NDArray[np.integer], step: npt.NDArray[np.integer]) -> Numbers:
        """Wire of each (row, step): the token is the one after the exchange of that step."""
        wanted = row.astype(np.int64) * (self.horizon + 1) + step
        return np.searchsorted(self._key, wanted, side="right") - 1

    def met(self, row: int, step: int, *, back: bool) -> Numbers:
        """Wires on which members come to the zone of a row at a step, at which it has one.

        Of those to whom an allowed pair leads from the row, or ``back`` from them to the row.
        """
        came = int(self.wire_at(np.array([row]), np.array([step]))[0]) - 1
        entry = int(self._entry[came])
        zone = int(np.searchsorted(self.problem.zones.ptr, entry, side="right")) - 1
        low, high = self.problem.zones.ptr[zone : zone + 2].tolist()
        if zone not in self.pairs:
            return self.before[low:high]
        pairs = self.pairs[zone].T if back else self.pairs[zone]
        return np.asarray(self.before[low:high][pairs[entry - low]])

    def bits(self, tokens: npt.NDArray[np.integer]) -> npt.NDArray[np.uint64]:
        """(words,) one set of some tokens."""
        made = np.zeros(self._words, np.uint64)
        np.bitwise_or.at(made, tokens >> 6, _bit(tokens))
        return made

    def tokens(self, wire: int) -> list[int]:
        """Tokens that may be on a wire, ascending."""
        bits = np.unpackbits(self.sets[wire].astype("<u8").view(np.uint8), bitorder="little")
        found: list[int] = np.flatnonzero(bits).tolist()
        return found

    def _know(self) -> None:
        """What sightings say, and that token c is on row c at step 0.

        A user who is seen at step 0 is known by name: at all her sightings her row has her own
        token, and no other row has it. All sightings of another user see one token.
        """
        known = self.problem.knowledge
        wires = self.wire_at(known.row, known.time)
        named = np.isin(known.row, known.row[known.time == 0])
        self._pin(0, np.arange(self.n_rows))
        for step in np.unique(known.time[named]).tolist():
            self._pin(step, known.row[named & (known.time == step)])
        row, wire = known.row[~named], wires[~named]
        pairs = np.stack([wire[:-1], wire[1:]], axis=1)[row[1:] == row[:-1]]
        self.same = pairs[pairs[:, 0] != pairs[:, 1]]
        if known.distinct:
            self.apart = wire[np.diff(row, prepend=-1) != 0]
            self._names = self.bits(known.row[named])

    def _see(self, pins: Pins) -> None:
        """Apply an auditor's sightings: each restricts a token to some rows at a step.

        If that is a single row, the row holds no other token.
        """
        sizes = np.diff(pins.ptr)
        for step in np.unique(pins.time).tolist():
            chosen = np.flatnonzero(pins.time == step)
            entry = np.flatnonzero(np.repeat(pins.time == step, sizes))
            token = np.repeat(pins.token, sizes)[entry]
            wires = self.wires_at(step)
            allowed = np.zeros_like(self.sets[wires])
            np.bitwise_or.at(allowed, (pins.rows[entry], token >> 6), _bit(token))
            self.sets[wires] &= allowed | ~self.bits(np.unique(pins.token[chosen]))
            alone = chosen[sizes[chosen] == 1]
            own = np.zeros((len(alone), self._words), np.uint64)
            own[np.arange(len(alone)), pins.token[alone] >> 6] = _bit(pins.token[alone])
            np.bitwise_and.at(self.sets, wires[pins.rows[pins.ptr[alone]]], own)

    def n_left(self, who: npt.NDArray[np.integer], step: npt.NDArray[np.integer]) -> Numbers:
        """(n,) tokens that may be on each of some rows; in an audit, rows that tokens may be on."""
        if self.pins is None:
            sets = self.sets[self.wire_at(who, step)]
            return np.asarray(np.bitwise_count(sets).sum(axis=1, dtype=np.int64))
        left = np.zeros(len(who), np.int64)
        for one in np.unique(step).tolist():
            those = np.flatnonzero(step == one)
            left[those] = self._holds(self.wires_at(one), who[those]).sum(axis=0)
        return left

    def _holds(self, wires: Numbers, tokens: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """(n_wires, n_tokens) whether each token may be on each wire."""
        bits = self.sets[np.ix_(wires, tokens >> 6)] >> (tokens & 63).astype(np.uint64)
        return np.asarray(bits & np.uint64(1), np.bool_)

    def _pin(self, step: int, rows: npt.NDArray[np.integer]) -> None:
        """Rows have their own tokens at a step, and no other row has those."""
        wires = self.wires_at(step)
        self.sets[wires] &= ~self.bits(rows)
        self.sets[wires[rows]] = 0
        self.sets[wires[rows], rows >> 6] = _bit(rows)

    def follow(self) -> None:
        """Follow tokens there and back; again, as long as sightings change it."""
        changed = True
        while changed:
            self._forward()
            self._backward()
            one, other = self.same[:, 0], self.same[:, 1]
            changed = not np.array_equal(self.sets[one], self.sets[other])
            for end, far in ((one, other), (other, one)):
                np.bitwise_and.at(self.sets, end, self.sets[far].copy())
            changed |= self._set_apart()

    def _set_apart(self) -> bool:
        """Remove what another person has for certain; False: nothing is."""
        sets = self.sets[self.apart]
        single = np.bitwise_count(sets).sum(axis=1) == 1
        taken = np.bitwise_or.reduce(sets[single], axis=0, initial=np.uint64(0)) | self._names
        left = np.where(single[:, None], sets, sets & ~taken)
        self.sets[self.apart] = left
        return not np.array_equal(sets, left)

    @cached_property
    def _steps(self) -> list[_Step]:
        """The steps with zones, in order."""
        zones = self.problem.zones
        heads = np.flatnonzero(np.diff(zones.time, prepend=-1))
        number = np.repeat(np.arange(len(zones)), np.diff(zones.ptr))
        found = []
        for low, high in pairwise([*heads.tolist(), len(zones)]):
            begin, end = int(zones.ptr[low]), int(zones.ptr[high])
            came, at = self.before[begin:end], zones.ptr[low:high] - begin
            found.append(_Step(low, came, at, number[begin:end] - low))
        return found

    def _forward(self) -> None:
        """A token that leaves a zone came to it."""
        for step in self._steps:
            self._meet(step, 0)

    def _backward(self) -> None:
        """A token that comes to a zone leaves it."""
        for step in reversed(self._steps):
            self._meet(step, 1)

    def _meet(self, step: _Step, side: int) -> None:
        """Intersect: tokens from which no allowed pair leads to a wire are not on it.

        ``side``: 0 from the wires before the zones of a step to those after, 1 back.
        """
        here = self.sets.take(step.came + side, axis=0)
        met = np.bitwise_or.reduceat(here, step.begin, axis=0)[step.number]
        for zone in range(step.first, step.first + len(step.begin)) if self.pairs else ():
            if zone in self.pairs:
                pairs = self.pairs[zone].T if side else self.pairs[zone]
                mine = step.number == zone - step.first
                met[mine] = passed(here[mine], pairs)
        self.sets[step.came + 1 - side] &= met

    def close(self, hall_sets: Sequence[HallSet]) -> None:
        """Remove all other tokens from rows that Hall sets fill, in order.

        At each step every row has one token. So if n tokens can be on n rows only at a step, no
        other token is on these rows then. Tokens are followed again where a Hall set depends
        on it, but not at the end: callers that need the consequences call :meth:`follow`.

        Raises
        ------
        InputError
            Some are not as many tokens as rows, or one of them can be on another row.
        """
        for number, hall_set in enumerate(hall_sets):
            if not self._are_as_many(hall_set):
                raise InputError(f"closure {number} is not of as many tokens as rows")
            if not self._strike(hall_set):
                self.follow()
                if not self._strike(hall_set):
                    raise InputError(f"closure {number} leaves out a row of its tokens")

    def _are_as_many(self, hall_set: HallSet) -> bool:
        lists = (hall_set.rows, hall_set.tokens)
        ids = np.concatenate(lists)
        return (
            0 <= hall_set.time <= self.horizon
            and len(np.unique(hall_set.rows)) == len(hall_set.rows) == len(hall_set.tokens)
            and len(np.unique(hall_set.tokens)) == len(hall_set.tokens) > 0
            and bool(np.all((ids >= 0) & (ids < self.n_rows)))
        )

    def _strike(self, hall_set: HallSet) -> bool:
        """Whether the tokens are on these rows only, so that no other token is."""
        wires, bits = self.wires_at(hall_set.time), self.bits(hall_set.tokens)
        if np.any(self.sets[np.delete(wires, hall_set.rows)] & bits):
            return False
        self.sets[wires[hall_set.rows]] &= bits
        return True
