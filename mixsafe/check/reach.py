"""An upper bound of the checker's own: how many tokens can get to a row, one at a time.

Each token is followed on its own through the mix zones, forward from where it starts and backward
from the end. Users who are seen at step 0 are known by name: at all their sightings their rows
hold their own tokens, and no others. Other sightings are ignored, which can only raise the bound.

Tokens are bits, and are followed a block of words at a time, so that memory stays bounded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.check.related import Matrix, passed, useful_pairs
from mixsafe.model.csr import Ints, Whole
from mixsafe.model.question.problem import Problem

_MOST = 1 << 24
"""Words of 64 tokens that are held for all rows, or for all points, at once."""

Bits = npt.NDArray[np.uint64]
"""(n_rows, words): whether a token may be on a row."""


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
