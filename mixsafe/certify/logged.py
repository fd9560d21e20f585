"""A formula that is asked once, by a solver that logs what it learns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.certify.claim_formula import ClaimFormula
from mixsafe.model.limits import Deadline

_SOLVER = "glucose4"
_AT_ONCE = 2_000  # conflicts between two looks at the clock: less than a second


class Logged(NamedTuple):
    """What a solver says.

    ``learned``: clauses, each ended by a 0, that end in a contradiction. ``true``: variables of an
    answer that contradicts nothing. Neither: it is not known.
    """

    learned: npt.NDArray[np.int32] | None
    true: npt.NDArray[np.int64] | None


def ask(formula: ClaimFormula, conflicts: int, deadline: Deadline) -> Logged:
    """Ask whether clauses contradict each other.

    Parameters
    ----------
    formula
        The clauses.
    conflicts
        What the question is worth.
    deadline
        When to give up.
    """
    # Loaded here: most certificates need no solver.
    from pysat.solvers import Solver

    ends = np.flatnonzero(formula.literals == 0).tolist()
    flat = formula.literals.tolist()
    begins = [0, *(end + 1 for end in ends)]
    with Solver(name=_SOLVER, with_proof=True) as solver:
        solver.append_formula([flat[b:e] for b, e in zip(begins, ends, strict=False)])
        while conflicts > 0 and not deadline.passed:
            solver.conf_budget(min(conflicts, _AT_ONCE))
            answer = solver.solve_limited()
            conflicts -= _AT_ONCE
            if answer is None:
                continue
            if answer:
                found = np.array(solver.get_model(), np.int64)
                return Logged(None, found[found > 0])
            lines = [line for line in solver.get_proof() if not line.startswith("d")]
            return Logged(np.array(" ".join(lines).split(), np.int32), None)
    return Logged(None, None)
