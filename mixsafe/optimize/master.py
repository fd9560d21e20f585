"""The cheapest zones that respect all cuts so far: by linear and by integer programming (HiGHS).

A cut is a row: zones, and against them the token for whom they are needed. Once the zones are
whole, tokens need not be: who breaks no cut can be chosen entirely.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, milp
from scipy.sparse import csr_array

from mixsafe.optimize.loops import ALWAYS, Cut
from mixsafe.verify.answers import Deadline

_TOLERANCE = 1e-6  # of HiGHS; costs are whole numbers
_LOOK = 0.2  # seconds between two looks whether the user wants to stop


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
        self._cost, self._candidates = cost, candidates
        self._first = len(cost) + np.cumsum([0, *map(len, candidates)])
        self._known: set[tuple[bytes, int]] = set()
        self._columns: list[npt.NDArray[np.int64]] = []
        self._signs: list[npt.NDArray[np.float64]] = []
        self._least: list[float] = []
        for number, least in enumerate(needed):
            columns = np.arange(self._first[number], self._first[number + 1])
            self._append(columns, np.ones(len(columns)), least)

    @property
    def n_cuts(self) -> int:
        """Different cuts so far."""
        return len(self._known)

    def add(self, cut: Cut) -> bool:
        """Take in a cut; False: it was known."""
        token = ALWAYS if cut.token == ALWAYS else self._column_of(cut.requirement, cut.token)
        key = (cut.zones.tobytes(), token)
        if key in self._known:
            return False
        self._known.add(key)
        if token == ALWAYS:
            self._append(cut.zones, np.ones(len(cut.zones)), 1)
        else:
            signs = np.append(np.ones(len(cut.zones)), -1.0)
            self._append(np.append(cut.zones, token), signs, 0)
        return True

    def relaxed(self, deadline: Deadline) -> tuple[float, Choice] | None:
        """Optimum of the linear relaxation; None: there is none, or the time is up."""
        found, used = self._solved(deadline, whole=False)
        if found is None or found.status != 0:
            return None
        return float(found.fun), self._choice(used, found.x)

    def cheapest(self, deadline: Deadline) -> tuple[int, Choice | None]:
        """Zones that cost least among those that respect all cuts.

        Returns
        -------
        What none of them costs less than, and the best that were found: None when the time was
        up, and also when no zones respect all cuts.
        """
        found, used = self._solved(deadline, whole=True)
        if found is None:
            return 0, None
        bound = found.mip_dual_bound
        known = bound is not None and math.isfinite(bound)
        least = math.ceil(bound - _TOLERANCE) if known else 0
        if found.x is None or found.status != 0:
            return least, None
        return least, self._choice(used, np.round(found.x, 6))

    def unbroken(self, active: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.bool_]]:
        """For each requirement, (n_candidates,): tokens that break no cut with these zones."""
        matrix, _ = self._rows()
        value = np.zeros(self._first[-1])
        value[: len(active)] = active
        unmet = np.repeat(matrix @ value < 0.5, np.diff(matrix.indptr))
        free = np.ones(self._first[-1], bool)
        free[matrix.indices[unmet & (matrix.data < 0)]] = False
        return np.split(free, self._first)[1:-1]

    def _rows(self) -> tuple[csr_array, npt.NDArray[np.float64]]:
        """All rows over zones and tokens, and what each is to be at least."""
        ends = np.cumsum([0, *map(len, self._columns)])
        columns, signs = np.concatenate(self._columns), np.concatenate(self._signs)
        shape = (len(self._columns), int(self._first[-1]))
        return csr_array((signs, columns, ends), shape=shape), np.array(self._least)

    def _solved(
        self, deadline: Deadline, *, whole: bool
    ) -> tuple[OptimizeResult | None, npt.NDArray[np.int64]]:
        """What HiGHS says of the columns that are in some row."""
        if deadline.passed:
            return None, np.zeros(0, np.int64)
        matrix, least = self._rows()
        used = np.unique(matrix.indices).astype(np.int64)
        n_zones = len(self._cost)
        zone = used < n_zones
        cost = np.where(zone, self._cost[np.minimum(used, n_zones - 1)], 0)
        options = {} if math.isinf(deadline.left) else {"time_limit": max(deadline.left, 0.01)}

        def solve() -> OptimizeResult:
            return milp(
                cost,
                integrality=(zone & whole).astype(np.int8),
                constraints=LinearConstraint(matrix[:, used], least, np.inf),
                bounds=Bounds(0, 1),
                options=options | {"mip_rel_gap": 0.0},
            )

        return _beside(solve), used

    def _choice(self, used: npt.NDArray[np.int64], found: npt.NDArray[np.float64]) -> Choice:
        value = np.zeros(self._first[-1])
        value[used] = found
        parts = np.split(value, self._first)
        return Choice(parts[0], list(parts[1:-1]))

    def _column_of(self, requirement: int, token: int) -> int:
        place = np.searchsorted(self._candidates[requirement], token)
        return int(self._first[requirement] + place)

    def _append(
        self, columns: npt.NDArray[np.int64], signs: npt.NDArray[np.float64], least: float
    ) -> None:
        """Sum of signed ``columns`` >= ``least``."""
        self._columns.append(columns)
        self._signs.append(signs)
        self._least.append(least)


def _beside(call: Callable[[], OptimizeResult]) -> OptimizeResult:
    """Call in a thread of its own: HiGHS does not hear Ctrl-C, who waits for it does."""
    results: list[OptimizeResult] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(call())
        except BaseException as error:  # noqa: BLE001 -- raised again by who waits
            errors.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_LOOK)
    if errors:
        raise errors[0]
    return results[0]
