"""A session with a SAT solver: clauses are added, and questions asked, as long as it lasts.

Questions end after so many conflicts, where that is said, or when the time is up. Glucose can be
interrupted (through PySAT), so it works in a thread without Python's lock, and a question that is
not answered in time stays open. CaDiCaL cannot: it is asked for a while, holding Python's lock,
then for another while, and is shared by processes, not by threads.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import Deadline
from mixsafe.solver.sat.encoding import Formula

SolverName = Literal["cadical153", "glucose4"]

_LOOK = 0.2  # seconds between two looks whether the user wants to stop
_AT_ONCE = 2_000  # conflicts between two looks at the clock: less than a second


class Session:
    """A solver and the clauses that it knows so far.

    Close it at the end (``contextlib.closing``): the solver's memory is not Python's.

    Parameters
    ----------
    solver
        Its name in PySAT.
    logged
        Whether it keeps the clauses that it learns, for :meth:`learned`.
    """

    def __init__(self, solver: SolverName = "cadical153", *, logged: bool = False) -> None:
        # Loaded here: most certificates need no solver.
        from pysat.solvers import Solver

        self._solver = Solver(name=solver, with_proof=logged)
        self._is_interruptible = solver == "glucose4"
        self._asking: threading.Thread | None = None
        self._answers: list[bool | None] = []
        self.n_variables = 0

    def close(self) -> None:
        """Give the solver's memory back; a question that is open is given up."""
        if self._asking is None:
            self._solver.delete()
        else:
            self._solver.interrupt()  # it looks for that when it restarts, and nobody waits
            threading.Thread(target=self._delete_after, args=(self._asking,), daemon=True).start()

    def _delete_after(self, question: threading.Thread) -> None:
        question.join()
        self._solver.delete()

    def new(self, n: int) -> npt.NDArray[np.int64]:
        """(n,) variables that no clause is about yet."""
        self.n_variables += n
        return np.arange(self.n_variables - n + 1, self.n_variables + 1)

    def take_in(self, formula: Formula) -> None:
        """Add clauses; the variables that they gave out are the session's."""
        self.n_variables = max(self.n_variables, formula.n_variables)
        self.add(formula.clauses())

    def add(self, clauses: Sequence[Sequence[int]]) -> None:
        """At least one literal of each clause is true."""
        if self._asking is not None:
            raise ValueError("clauses are written while a question is open")
        self._solver.append_formula(clauses, no_return=True)

    def start_from(self, literals: Sequence[int]) -> None:
        """Decide variables as these literals have them, first of all."""
        self._solver.set_phases(list(literals))

    @property
    def is_asked(self) -> bool:
        """Whether a question is open: clauses must not be added then."""
        return self._asking is not None

    def solve(
        self, given: Sequence[int], deadline: Deadline, conflicts: int | None = None
    ) -> bool | None:
        """Whether all clauses can hold with the ``given`` literals; None: not known yet.

        One that is given up after so many ``conflicts`` (None: never) is no open question. With
        Glucose, one that is not answered in time is: the next call waits for that answer, whatever
        it is given.
        """
        if self._is_interruptible:
            return self._solve_beside(given, deadline, conflicts)
        while not deadline.passed and (conflicts is None or conflicts > 0):
            self._solver.conf_budget(_AT_ONCE if conflicts is None else min(conflicts, _AT_ONCE))
            answer = self._solver.solve_limited(list(given))
            if answer is not None:
                return bool(answer)
            conflicts = None if conflicts is None else conflicts - _AT_ONCE
        return None

    def _solve_beside(
        self, given: Sequence[int], deadline: Deadline, conflicts: int | None
    ) -> bool | None:
        """Wait for a question in a thread, which is asked unless another one is open."""
        if self._asking is None:
            if deadline.passed or conflicts == 0:
                return None
            self._answers = []
            self._solver.conf_budget(-1 if conflicts is None else conflicts)
            self._asking = threading.Thread(target=self._ask, args=(list(given),), daemon=True)
            self._asking.start()
        while self._asking.is_alive():  # in short looks: Ctrl-C is heard between them
            self._asking.join(min(_LOOK, max(deadline.left, 0.0)))
            if deadline.passed and self._asking.is_alive():
                return None
        self._end()
        return self._answers[0]

    def _ask(self, given: list[int]) -> None:
        self._answers.append(self._solver.solve_limited(given, expect_interrupt=True))

    def _end(self) -> None:
        self._solver.clear_interrupt()
        self._asking = None

    def pause(self) -> None:
        """Tell the solver to give an open question up, when it restarts; :meth:`solve` goes on."""
        if self._asking is not None:
            self._solver.interrupt()

    def give_up(self) -> None:
        """Give an open question up, and wait until the solver restarts and hears of it: seconds."""
        if self._asking is not None:
            self._solver.interrupt()
            self._asking.join()
            self._end()

    def core(self) -> list[int]:
        """Literals of those given that cannot all hold, after an answer of False."""
        return list(self._solver.get_core() or [])

    def true(self) -> npt.NDArray[np.bool_]:
        """(n_variables + 1,) which variables are true, after True; number 0 is not."""
        found = np.zeros(self.n_variables + 1, bool)
        literals = np.array(self._solver.get_model(), np.int64)
        found[literals[literals > 0]] = True
        return found

    def learned(self) -> npt.NDArray[np.int32]:
        """Clauses that were learned, each ended by a 0, after False; they end in a contradiction.

        Each follows from those before it and from all that were added, by unit propagation.
        """
        lines = [line for line in self._solver.get_proof() if not line.startswith("d")]
        return np.array(" ".join(lines).split(), np.int32)
