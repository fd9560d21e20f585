"""The cheapest zones that respect all cuts so far: by linear and by integer programming (HiGHS).

A cut is a row: zones, and against them the tokens for whom they are needed. Once the zones are
whole, tokens need not be: who breaks no cut can be chosen entirely.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from mixsafe.optimize.loops import ALWAYS, Cut
from mixsafe.optimize.programs import TOLERANCE, solve
from mixsafe.verify.answers import Deadline

_ROWS, _SLACK = 2000, 0.5  # with more rows, those are left out that hold by this much


class Choice(NamedTuple):
    """A way to respect all cuts.

    Parameters
    ----------
    zone
        (n_zones,) float64: how far each zone is active, 0 to 1.
    token
        For each requirement, (n_candidates,) float64: how far each token is chosen.
    """

    zone: npt.NDArray[np.float64]
    token: list[npt.NDArray[np.float64]]


class Master:
    """Zones and candidates to be chosen, and the cuts that they must respect.

    Parameters
    ----------
    cost
        (n_zones,) int64.
    candidates
        For each requirement the tokens that can be candidates at all, ascending.
    needed
        For each requirement how many of them are needed.
    """

    def __init__(
        self,
        cost: npt.NDArray[np.int64],
        candidates: list[npt.NDArray[np.int64]],
        needed: list[int],
    ) -> None:
        self._candidates, self._needed = candidates, needed
        self._first = len(cost) + np.cumsum([0, *map(len, candidates)])
        self._cost = np.zeros(self._first[-1])
        self._cost[: len(cost)] = cost
        self._known: set[tuple[bytes, bytes]] = set()
        self._columns: list[npt.NDArray[np.int64]] = []
        self._signs: list[npt.NDArray[np.float64]] = []
        self._least: list[float] = []
        self._in_use: list[int] = []  # cuts that are rows of the programs
        self._aside: list[int] = []  # that did not matter lately
        for number, least in enumerate(needed):
            columns = np.arange(self._first[number], self._first[number + 1])
            self._append(columns, np.ones(len(columns)), least)
            self._append(columns, -np.ones(len(columns)), -least)

    def add(self, cut: Cut) -> bool:
        """Take in a cut; False: it was known, or is about nobody who can be a candidate.

        A cut for many tokens is one row: of k - 1 candidates, as many as there are may be among
        them when one of the zones is active, and none otherwise.
        """
        needed, tokens = self._needed[cut.requirement], self._columns_of(cut)
        if tokens is None:
            return False
        key = (cut.zones.tobytes(), tokens.tobytes())
        if key in self._known:
            return False
        self._known.add(key)
        weight = min(needed, len(tokens)) if len(tokens) else 1
        signs = np.concatenate([np.full(len(cut.zones), float(weight)), np.full(len(tokens), -1.0)])
        self._append(np.concatenate([cut.zones, tokens]), signs, 0 if len(tokens) else 1)
        return True

    def relaxed(self, deadline: Deadline) -> tuple[float, Choice] | None:
        """Optimum of the linear relaxation; None: the time is up."""
        cost, value = self._solved(deadline, None)
        if value is None:
            return None
        self._set_aside(value)
        return cost, self._choice(value)

    def cheapest(self, deadline: Deadline) -> tuple[int, Choice | None]:
        """Zones that cost least among those that respect all cuts.

        Returns
        -------
        What none of them costs less than, and the best ones; None when the time was up.
        """
        cost, value = self._solved(deadline, np.arange(len(self._cost)) < self._first[0])
        least = math.ceil(cost - TOLERANCE)
        return least, None if value is None else self._choice(value.round(6))

    def _solved(
        self, deadline: Deadline, whole: npt.NDArray[np.bool_] | None
    ) -> tuple[float, npt.NDArray[np.float64] | None]:
        """What nothing costs less than, and the cheapest columns, unless the time was up."""
        least = 0.0
        while True:
            solved = solve(self._cost, *self._rows(self._in_use), deadline, whole=whole)
            least = max(least, solved.cost)
            if solved.value is None or not self._fetch(solved.value):
                return least, solved.value

    def unbroken(self, active: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.bool_]]:
        """For each requirement, (n_candidates,): tokens that break no cut with these zones."""
        matrix, least = self._rows(range(len(self._least)))
        value = np.zeros(self._first[-1])
        value[: len(active)] = active
        unmet = (matrix @ value < 0.5) & (least == 0)
        unmet = np.repeat(unmet, np.diff(matrix.indptr))
        free = np.ones(self._first[-1], bool)
        free[matrix.indices[unmet & (matrix.data < 0)]] = False
        return np.split(free, self._first)[1:-1]

    def _rows(self, cuts: Sequence[int]) -> tuple[csr_array, npt.NDArray[np.float64]]:
        """Some cuts as rows over zones and tokens, and what each is to be at least."""
        ends = np.cumsum([0, *(len(self._columns[cut]) for cut in cuts)])
        columns = np.concatenate([np.zeros(0, np.int64), *(self._columns[cut] for cut in cuts)])
        signs = np.concatenate([np.zeros(0), *(self._signs[cut] for cut in cuts)])
        least = np.array([self._least[cut] for cut in cuts])
        return csr_array((signs, columns, ends), shape=(len(cuts), len(self._cost))), least

    def _fetch(self, value: npt.NDArray[np.float64]) -> bool:
        """Use cuts again that were set aside and are broken; whether there are any."""
        matrix, least = self._rows(self._aside)
        broken = matrix @ value < least - TOLERANCE
        self._in_use += [cut for cut, wrong in zip(self._aside, broken, strict=True) if wrong]
        self._aside = [cut for cut, wrong in zip(self._aside, broken, strict=True) if not wrong]
        return bool(broken.any())

    def _set_aside(self, value: npt.NDArray[np.float64]) -> None:
        """Leave out rows, if they are many, that an optimum is far from breaking."""
        if len(self._in_use) <= _ROWS:
            return
        matrix, least = self._rows(self._in_use)
        slack = matrix @ value > least + _SLACK
        slack[: 2 * len(self._candidates)] = False  # the first ones say how many are needed
        self._aside += [cut for cut, out in zip(self._in_use, slack, strict=True) if out]
        self._in_use = [cut for cut, out in zip(self._in_use, slack, strict=True) if not out]

    def _choice(self, value: npt.NDArray[np.float64]) -> Choice:
        parts = np.split(value, self._first)
        return Choice(parts[0], list(parts[1:-1]))

    def _columns_of(self, cut: Cut) -> npt.NDArray[np.int64] | None:
        """Columns of the candidates that need the cut: none if all choices do, None if nobody."""
        everybody = np.zeros(0, np.int64)
        if cut.tokens is ALWAYS:
            return everybody
        candidates, needed = self._candidates[cut.requirement], self._needed[cut.requirement]
        place = np.flatnonzero(np.isin(candidates, cut.tokens))
        if not len(place):
            return None
        if len(candidates) - len(place) < needed:
            return everybody
        return place + int(self._first[cut.requirement])

    def _append(
        self, columns: npt.NDArray[np.int64], signs: npt.NDArray[np.float64], least: float
    ) -> None:
        """Sum of signed ``columns`` >= ``least``."""
        self._in_use.append(len(self._least))
        self._columns.append(columns)
        self._signs.append(signs)
        self._least.append(least)
