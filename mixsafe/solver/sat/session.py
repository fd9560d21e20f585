"""Incremental SAT: a session with a solver that alternates between clauses and questions.

A question ends after a budget of conflicts, if there is one, or at the deadline. Glucose can be
interrupted (through PySAT), so it runs in a thread without Python's lock, and a question that is
not answered in time stays open. CaDiCaL cannot be interrupted: it runs in short slices and holds
Python's lock, so it is parallel in processes, not in threads.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from mixsafe.model.course import Deadline
from mixsafe.solver.sat.encoding import Formula

SolverName = Literal["cadical153", "glucose4"]

_LOOK = 0.2  # seconds between checks for Ctrl-C
_AT_ONCE = 2_000  # conflicts per slice: less than a second


class Session:
    """A solver with its clauses.

    Close it at the end (``contextlib.closing``), because Python does not free the solver's memory.

    Parameters
    ----------
    solver
        Name of the solver in PySAT.
    logged
        Whether to keep learned clauses, for :meth:`learned`.
    """

    def __init__(self, solver: SolverName = "cadical153", *, logged: bool = False) -> None:
        # Imported here: most certificates need no solver.
        from pysat.solvers import Solver

        self._solver = Solver(name=solver, with_proof=logged)
        self._is_interruptible = solver == "glucose4"
        self._asking: threading.Thread | None = None
        self._answers: list[bool | None] = []
        self.n_variables = 0

    def close(self) -> None:
        """Free the solver's memory, and give up an open question."""
        if self._asking is None:
            self._solver.delete()
        else:
            self._solver.interrupt()  # takes effect at the next restart, without waiting
            threading.Thread(target=self._delete_after, args=(self._asking,), daemon=True).start()

    def _delete_after(self, question: threading.Thread) -> None:
        question.join()
        self._solver.delete()

    def new(self, n: int) -> npt.NDArray[np.int64]:
        """(n,) new variables."""
        self.n_variables += n
        return np.arange(self.n_variables - n + 1, self.n_variables + 1)

    def take_in(self, formula: Formula) -> None:
        """Add the clauses of a formula, and reserve its variables."""
        self.n_variables = max(self.n_variables, formula.n_variables)
        self.add(formula.clauses())

    def add(self, clauses: Sequence[Sequence[int]]) -> None:
        """Add clauses."""
        if self._asking is not None:
            raise ValueError("clauses are written while a question is open")
        self._solver.append_formula(clauses, no_return=True)

    def start_from(self, literals: Sequence[int]) -> None:
        """Set the initial phase of variables to these literals."""
        self._solver.set_phases(list(literals))

    @property
    def is_asked(self) -> bool:
        """Whether a question is open: clauses must not be added then."""
        return self._asking is not None

    def solve(
        self, given: Sequence[int], deadline: Deadline, conflicts: int | None = None
    ) -> bool | None:
        """Whether the clauses are satisfiable with the ``given`` literals; None: unknown.

        A question that runs out of ``conflicts`` (None: no limit) is closed. With Glucose, a
        question that runs out of time stays open: the next call waits for its answer, and ignores
        its own arguments.
        """
        if self._is_interruptible:
            return self._solve_in_thread(given, deadline, conflicts)
        while not deadline.passed and (conflicts is None or conflicts > 0):
            self._solver.conf_budget(_AT_ONCE if conflicts is None else min(conflicts, _AT_ONCE))
            answer = self._solver.solve_limited(list(given))
            if answer is not None:
                return bool(answer)
            conflicts = None if conflicts is None else conflicts - _AT_ONCE
        return None

    def _solve_in_thread(
        self, given: Sequence[int], deadline: Deadline, conflicts: int | None
    ) -> bool | None:
        """Ask a question in a thread, unless one is open, and wait for the answer."""
        if self._asking is None:
            if deadline.passed or conflicts == 0:
                return None
            self._answers = []
            self._solver.conf_budget(-1 if conflicts is None else conflicts)
            self._asking = threading.Thread(target=self._ask, args=(list(given),), daemon=True)
            self._asking.start()
        while self._asking.is_alive():  # in short intervals, so that Ctrl-C works
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
        """Interrupt an open question at the solver's next restart; :meth:`solve` collects it."""
        if self._asking is not None:
            self._solver.interrupt()

    def give_up(self) -> None:
        """Interrupt an open question, and wait for the next restart, which takes seconds."""
        if self._asking is not None:
            self._solver.interrupt()
            self._asking.join()
            self._end()

    def core(self) -> list[int]:
        """Unsatisfiable core: given literals that cannot all hold, after an answer of False."""
        return list(self._solver.get_core() or [])

    def true(self) -> npt.NDArray[np.bool_]:
        """(n_variables + 1,) whether each variable is true, after an answer of True."""
        found = np.zeros(self.n_variables + 1, bool)
        literals = np.array(self._solver.get_model(), np.int64)
        found[literals[literals > 0]] = True
        return found

    def learned(self) -> npt.NDArray[np.int32]:
        """Learned clauses, each ended by a 0, after an answer of False; the last one is empty.

        Each follows by unit propagation from the added clauses and the learned ones before it.
        """
        lines = [line for line in self._solver.get_proof() if not line.startswith("d")]
        return np.array(" ".join(lines).split(), np.int32)
