"""Linear and integer programs over columns between 0 and 1, solved by HiGHS through SciPy."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, linprog, milp
from scipy.sparse import csr_array

from mixsafe.verify.answers import Deadline

TOLERANCE = 1e-6
"""By how much HiGHS may be wrong about a row, or about a whole number."""

_LOOK = 0.2  # seconds between two looks whether the user wants to stop


class Solved(NamedTuple):
    """What became of a program.

    Parameters
    ----------
    value
        (n_columns,) that respects all rows and costs least; None: the time was up.
    cost
        Nothing that respects all rows costs less.
    """

    value: npt.NDArray[np.float64] | None
    cost: float


def solve(
    cost: npt.NDArray[np.float64],
    matrix: csr_array,
    least: npt.NDArray[np.float64],
    deadline: Deadline,
    *,
    whole: npt.NDArray[np.bool_] | None = None,
) -> Solved:
    """Find the cheapest columns with ``matrix`` @ columns >= ``least``.

    Parameters
    ----------
    cost
        (n_columns,) >= 0.
    matrix, least
        (n_rows, n_columns) and (n_rows,).
    deadline
        When to stop.
    whole
        (n_columns,) which are to be whole numbers; None: none, it is a linear program, which
        interior points and a crossover solve.
    """
    if deadline.passed:
        return Solved(None, 0.0)
    used = np.unique(matrix.indices)
    rows, price = matrix[:, used], cost[used]
    options = {} if math.isinf(deadline.left) else {"time_limit": max(deadline.left, 0.01)}

    def linear() -> OptimizeResult:
        return linprog(
            price, A_ub=-rows, b_ub=-least, bounds=(0, 1), method="highs-ipm", options=options
        )

    def integer() -> OptimizeResult:
        return milp(
            price,
            integrality=whole[used].astype(np.int8) if whole is not None else None,
            constraints=LinearConstraint(rows, least, np.inf),
            bounds=Bounds(0, 1),
            options=options | {"mip_rel_gap": 0.0},
        )

    found = _beside(linear if whole is None else integer)
    bound = found.fun if whole is None else found.mip_dual_bound
    known = bound is not None and math.isfinite(bound)
    if found.status != 0:
        return Solved(None, float(bound) if known and whole is not None else 0.0)
    value = np.zeros(len(cost))
    value[used] = found.x
    return Solved(value, float(bound))


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
