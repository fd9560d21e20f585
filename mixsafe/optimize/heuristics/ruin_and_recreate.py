"""Ruin and recreate: cheap sets of zones, from above.

Each requirement gets k - 1 witnesses, one after the other, each the cheapest that was found among a
few rows (:mod:`mixsafe.optimize.heuristics.few_rows`) when zones that are active already cost
nothing. Then the zones of a few requirements are ruined, and recreated in another order, as cheaply
as possible (Schrimpf et al. 2000, Journal of Computational Physics 159). The cheapest witnesses of
every look are remembered, and now and then those are chosen that are the cheapest together
(:mod:`mixsafe.optimize.heuristics.witness_cover`). What is found is enough by construction; that
nothing is cheaper must be proven elsewhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import Deadline
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.requirement import Requirements
from mixsafe.optimize.heuristics.few_rows import RowMeetings, scan, tables, trace
from mixsafe.optimize.heuristics.witness_cover import WitnessCover

LARGEST = 5  # rows of a set
_PAIRS = 50_000  # sets of three rows that are looked at at first, for each requirement
_DRAWN = {4: 20_000, 5: 4_000}  # larger sets
_KEPT = {3: 1_500, 4: 800, 5: 400}  # the cheapest of them
_LOOKED_AT = 400  # of those of each size, each time that a requirement is met anew
_NEAR = 150  # sets of rows that active zones are about, of each size
_ACTIVE = 1e-4  # price of a zone that is active: of two ways at no cost, the shorter one
_PRECISION = 1e8  # prices that are the same when they are multiplied by it and rounded
_NOISE = (1e-6, 0.05, 0.3)  # what prices may vary, so that other ways are found
_PATIENCE = 150  # rounds without anything better
_RESTART = 40  # rounds between two that ruin everything
_COVER = 8  # rounds between two choices among all witnesses so far
_REMEMBERED = 16  # witnesses of those that are looked at to meet a requirement anew

Sets = npt.NDArray[np.int64]
"""(n, size): rows, the one that is asked about first."""


class _Way(NamedTuple):
    """A way to put a token on the first of some rows: its price, the rows, and which of them."""

    price: float
    rows: npt.NDArray[np.int64]
    token: int

    @property
    def candidate(self) -> int:
        """Whose token that is."""
        return int(self.rows[self.token])


class RuinAndRecreate:
    """A search for cheap sets of zones that meet requirements.

    Parameters
    ----------
    zones, knowledge, requirements
        The question; k >= 2.
    cost
        (n_zones,) int64 > 0.
    random
        Of the choices.
    deadline
        When to stop looking for first sets of rows.
    """

    def __init__(
        self,
        zones: MixZones,
        knowledge: Knowledge,
        requirements: Requirements,
        cost: npt.NDArray[np.int64],
        random: np.random.Generator,
        deadline: Deadline,
    ) -> None:
        self._zones, self._cost = zones, cost.astype(np.float64)
        self._random = random
        self._asked = list(
            zip(
                requirements.row.tolist(),
                requirements.time.tolist(),
                requirements.k.tolist(),
                strict=True,
            )
        )
        self._meetings = RowMeetings.of(zones, knowledge)
        self._sizes = tuple(range(3, min(LARGEST, zones.n_users) + 1)) or (2,)
        self._tables = {size: tables(size) for size in self._sizes}
        self._cover = WitnessCover(self._cost, int(random.integers(1 << 30)))
        self._pool = [self._first_sets(*one[:2], deadline) for one in self._asked]

    def alone(self, number: int) -> npt.NDArray[np.int64] | None:
        """Zones that meet one requirement; None: a few rows are not enough for it."""
        return self._met(number, np.zeros(len(self._cost), bool), _NOISE[0])

    def run(
        self, given: npt.NDArray[np.bool_], numbers: list[int], enough: int, deadline: Deadline
    ) -> npt.NDArray[np.bool_] | None:
        """The cheapest zones found that meet some requirements together with ``given`` zones.

        Parameters
        ----------
        given
            (n_zones,) zones that are active anyway; they are part of the answer.
        numbers
            Numbers of the requirements, each of which can be met alone.
        enough
            Stop at this cost.
        deadline
            When to stop.

        Returns
        -------
        (n_zones,) bool; None: the time was up before there was any.
        """
        now: dict[int, npt.NDArray[np.int64]] = {}
        best, best_cost, cost = None, np.inf, np.inf
        rounds = fruitless = 0
        while best_cost > enough and fruitless < _PATIENCE and not deadline.passed:
            ruined = list(numbers)
            if rounds % _RESTART:
                most = min(4, len(numbers)) + 1
                several = self._random.integers(1, most)
                ruined = self._random.choice(numbers, several, replace=False).tolist()
            rounds, fruitless = rounds + 1, fruitless + 1
            after = self._recreated(now, ruined, given, deadline)
            if best is not None and rounds % _COVER == 0:
                wanted = {number: self._asked[number][2] - 1 for number in numbers}
                after = self._cover.cheapest(wanted, given, best_cost, deadline) or after
            if after is None:
                continue
            active = self._union(after, given)
            total = float(self._cost[active].sum())
            if total <= cost or self._random.random() < 0.03:
                now, cost = after, total
            if total < best_cost:
                best, best_cost, fruitless = active, total, 0
        return best

    def near(
        self, active: npt.NDArray[np.bool_], given: npt.NDArray[np.bool_], numbers: list[int]
    ) -> npt.NDArray[np.bool_] | None:
        """Zones that meet some requirements together with ``given`` ones, ``active`` ones first.

        Returns
        -------
        (n_zones,) bool; None: none were found.
        """
        met: dict[int, npt.NDArray[np.int64]] = {}
        for number in self._random.permutation(numbers).tolist():
            found = self._met(number, self._union(met, given) | active, _NOISE[0])
            if found is None:
                return None
            met[number] = found
        return self._union(met, given)

    def _union(
        self, met: dict[int, npt.NDArray[np.int64]], given: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.bool_]:
        active = given.copy()
        for zones in met.values():
            active[zones] = True
        return active

    def _recreated(
        self,
        now: dict[int, npt.NDArray[np.int64]],
        ruined: list[int],
        given: npt.NDArray[np.bool_],
        deadline: Deadline,
    ) -> dict[int, npt.NDArray[np.int64]] | None:
        """Zones of each requirement after those of some were recreated; None: no time."""
        after = {number: zones for number, zones in now.items() if number not in ruined}
        noise = float(self._random.choice(_NOISE))
        for number in self._random.permutation(ruined).tolist():
            found = None if deadline.passed else self._met(number, self._union(after, given), noise)
            if found is None:
                return None
            after[number] = found
        return after

    def _met(
        self, number: int, active: npt.NDArray[np.bool_], noise: float
    ) -> npt.NDArray[np.int64] | None:
        """Zones of k - 1 cheap witnesses of a requirement, or None."""
        row, step, k = self._asked[number]
        sets = self._looked_at(number, active)
        active, have, used = active.copy(), [row], []
        drawn = 1.0 + noise * self._random.random(len(active))
        for _ in range(k - 1):
            price = np.where(active, _ACTIVE, self._cost * drawn)
            ways = self._cheapest(sets, step, price, have)
            if not ways:
                return None
            traced = [self._used_by(way, step, price) for way in ways]
            for way, zones in zip(ways, traced, strict=True):
                self._cover.add(number, way.candidate, zones)
            rows = ways[0].rows
            self._pool[number][len(rows)] = np.vstack([self._pool[number][len(rows)], rows])
            have.append(ways[0].candidate)
            used.append(traced[0])
            active[traced[0]] = True
        return np.unique(np.concatenate(used))

    def _used_by(
        self, way: _Way, step: int, price: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.int64]:
        table = self._tables[len(way.rows)]
        used: npt.NDArray[np.int64] = trace(way.rows, step, way.token, price, self._meetings, table)
        return used

    def _cheapest(
        self, sets: list[Sets], step: int, price: npt.NDArray[np.float64], have: list[int]
    ) -> list[_Way]:
        """The cheapest ways among ``sets`` of rows for tokens that are not among ``have``.

        In order of price; of those of one price for one token, which other rows do not change, one.
        """
        best: dict[int, _Way] = {}
        for rows in sets:
            if not len(rows):
                continue
            size = rows.shape[1]
            found = scan(rows, step, price, self._meetings, self._tables[size])
            found[np.isin(rows, have)] = np.inf
            there = np.flatnonzero(np.isfinite(found))
            whole = np.rint(found.flat[there] * _PRECISION).astype(np.int64)
            name = whole * self._zones.n_users + rows.flat[there]
            told, first = np.unique(name, return_index=True)
            for one, place in zip(told[:_REMEMBERED].tolist(), there[first].tolist(), strict=False):
                i, token = divmod(place, size)
                best.setdefault(one, _Way(float(found[i, token]), rows[i].copy(), token))
        return sorted(best.values(), key=lambda way: way.price)[:_REMEMBERED]

    def _looked_at(self, number: int, active: npt.NDArray[np.bool_]) -> list[Sets]:
        """Some of the sets known to be cheap, and sets of rows that active zones are about."""
        row, pool = self._asked[number][0], self._pool[number]
        sets = [one[self._random.permutation(len(one))[:_LOOKED_AT]] for one in pool.values()]
        near = np.unique(self._zones.members[np.repeat(active, self._zones.sizes)])
        near = near[near != row].astype(np.int64)
        if len(near) < 2:
            return sets
        for size in self._sizes:
            columns = [self._random.choice(near, _NEAR) for _ in range(size - 1)]
            if self._random.random() < 0.5:  # one row that no active zone is about
                columns[-1] = self._random.integers(0, self._zones.n_users, _NEAR)
            sets.append(self._of(row, columns))
        return sets

    def _of(self, row: int, columns: list[npt.NDArray[np.int64]]) -> Sets:
        """Sets of ``row`` and others, without those that name a row twice."""
        sets = np.column_stack([np.full(len(columns[0]), row), *columns]).astype(np.int64)
        return sets[np.all(np.diff(np.sort(sets, axis=1), axis=1) > 0, axis=1)]

    def _first_sets(self, row: int, step: int, deadline: Deadline) -> dict[int, Sets]:
        """Sets of rows, by size, that are cheap while nothing is active."""
        mine = np.isin(self._zones.zone_of_member, self._of_row(row))
        met = np.unique(self._zones.members[mine])
        met = met[met != row].astype(np.int64)
        found = {size: np.zeros((0, size), np.int64) for size in self._sizes}
        for size in self._sizes:
            if len(met) and (size <= 3 or not deadline.passed):
                drawn = self._pairs(met) if size <= 3 else self._draw(met, size)
                found[size] = self._kept(self._of(row, drawn[: size - 1]), step, _KEPT.get(size, 1))
        return found

    def _of_row(self, row: int) -> npt.NDArray[np.int64]:
        return self._meetings.row_zone[
            self._meetings.row_ptr[row] : self._meetings.row_ptr[row + 1]
        ]

    def _pairs(self, met: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int64]]:
        """All pairs of rows, or many with one whom the user meets."""
        n = self._zones.n_users
        if n * (n - 1) // 2 <= _PAIRS:
            one, other = np.triu_indices(n, 1)
            return [one.astype(np.int64), other.astype(np.int64)]
        return [self._random.choice(met, _PAIRS), self._random.integers(0, n, _PAIRS)]

    def _draw(self, met: npt.NDArray[np.int64], size: int) -> list[npt.NDArray[np.int64]]:
        """Rows at random: two whom the user meets, and anybody."""
        n = _DRAWN[size]
        others = [self._random.integers(0, self._zones.n_users, n) for _ in range(size - 3)]
        return [self._random.choice(met, n), self._random.choice(met, n), *others]

    def _kept(self, sets: Sets, step: int, most: int) -> Sets:
        """The cheapest sets."""
        noisy = self._cost * (1.0 + 1e-3 * self._random.random(len(self._cost)))
        if not len(sets):
            return sets
        found = scan(sets, step, noisy, self._meetings, self._tables[sets.shape[1]])
        price = found[:, 1:].min(axis=1)
        order = np.argsort(price, kind="stable")[:most]
        kept: Sets = sets[order[np.isfinite(price[order])]]
        return kept
