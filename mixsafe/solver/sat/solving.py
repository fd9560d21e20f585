"""A formula that is asked again and again, by CaDiCaL through PySAT.

Questions end after so many conflicts, not after so many seconds: answers are the same on every
machine, as long as no limit of time is reached. It holds Python's lock while it works, so it is
shared by processes, not by threads.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from pysat.solvers import Solver

from mixsafe.model.limits import Deadline
from mixsafe.solver.sat.clauses import Formula

_AT_ONCE = 2_000  # conflicts between two looks at the clock: less than a second


class Solving:
    """A solver with a formula. Close it at the end: its memory is not Python's.

    Parameters
    ----------
    formula
        What holds.
    """

    def __init__(self, formula: Formula) -> None:
        self._n_variables = formula.n_variables
        self._solver = Solver(name="cadical153")
        self._solver.append_formula(formula.clauses(), no_return=True)

    def close(self) -> None:
        """Give the solver's memory back."""
        self._solver.delete()

    def start_from(self, literals: Sequence[int]) -> None:
        """Decide variables as these literals have them, first of all."""
        self._solver.set_phases(list(literals))

    def ask(self, given: Sequence[int], conflicts: int, deadline: Deadline) -> bool | None:
        """Whether the formula can hold with the ``given`` literals; None: not known."""
        while conflicts > 0 and not deadline.passed:
            self._solver.conf_budget(min(conflicts, _AT_ONCE))
            answer = self._solver.solve_limited(list(given))
            if answer is not None:
                return bool(answer)
            conflicts -= _AT_ONCE
        return None

    def core(self) -> list[int]:
        """Literals of those given that cannot all hold, after an answer of False."""
        return list(self._solver.get_core() or [])

    def true(self) -> npt.NDArray[np.bool_]:
        """(n_variables,) whether each variable, from number 1 on, is true, after True."""
        found = np.zeros(self._n_variables, bool)
        literals = np.array(self._solver.get_model(), np.int64)
        found[literals[literals > 0] - 1] = True
        return found
