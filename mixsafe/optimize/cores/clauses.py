"""Clauses over booleans, written as arrays and decided by a SAT solver (Glucose, through PySAT)."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import numpy.typing as npt
from pysat.solvers import Solver

from mixsafe.model.limits import Deadline

Literals = npt.NDArray[np.int64]
"""Variables, 1 and up, negative where they are negated; 0: no literal."""

_LOOK = 0.2  # seconds between two looks whether the user wants to stop
_PAIRWISE = 5  # literals; more than these take further variables to say that one at most is true


class Clauses:
    """A solver and the variables given out so far.

    Close it at the end (``contextlib.closing``): the solver's memory is not Python's.
    """

    def __init__(self) -> None:
        self._solver = Solver(name="glucose4")
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

    def new(self, n: int) -> Literals:
        """(n,) variables that no clause is about yet."""
        self.n_variables += n
        return np.arange(self.n_variables - n + 1, self.n_variables + 1)

    def write(self, *columns: Literals | int) -> None:
        """At least one literal of each row is true.

        Parameters
        ----------
        columns
            (n,) or (n, m) literals each, or one for all rows, side by side.
        """
        shaped = [np.asarray(c)[:, None] if np.ndim(c) == 1 else np.asarray(c) for c in columns]
        n = max((len(c) for c in shaped if c.ndim), default=1)
        rows = np.hstack([np.broadcast_to(c, (n, c.shape[1] if c.ndim else 1)) for c in shaped])
        whole = np.all(rows, axis=1)
        self.write_all(rows[whole].tolist())
        self.write_all([[x for x in row if x] for row in rows[~whole].tolist()])

    def write_all(self, clauses: list[list[int]]) -> None:
        """At least one literal of each clause is true."""
        if self._asking is not None:
            raise ValueError("clauses are written while a question is open")
        self._solver.append_formula(clauses, no_return=True)

    def implied(self, given: Literals, *otherwise: Literals) -> None:
        """Where a literal of ``given`` is true, so is one of the others beside it."""
        there = given != 0
        self.write(-given[there], *(literals[there] for literals in otherwise))

    def not_both(self, one: Literals, other: Literals, but: int = 0) -> None:
        """Literals beside each other are not both true, but if ``but`` is."""
        both = (one != 0) & (other != 0)
        self.write(-one[both], -other[both], but)

    def at_most_one(self, literals: Literals) -> None:
        """Of each row of (n, m) ``literals`` one is true, or none."""
        if literals.shape[1] > _PAIRWISE:
            self.first_ones(literals)
            return
        for i, j in itertools.combinations(range(literals.shape[1]), 2):
            self.not_both(literals[:, i], literals[:, j])

    def first_ones(self, literals: Literals) -> Literals:
        """(n, m) whether one of the first 1, ..., m literals of a row is true; two never are.

        The ladder of Gent and Nightingale (2004).
        """
        n, m = literals.shape
        made = self.new(n * m).reshape(n, m)
        sooner = np.hstack([np.zeros((n, 1), np.int64), made[:, :-1]]).ravel()
        so_far, literal = made.ravel(), literals.ravel()
        self.implied(literal, so_far)
        self.implied(sooner, so_far)
        self.write(-so_far, sooner, literal)
        self.not_both(literal, sooner)
        return made

    @property
    def is_asked(self) -> bool:
        """Whether a question is open: clauses must not be written then."""
        return self._asking is not None

    def solve(self, assumptions: list[int], deadline: Deadline, conflicts: int = 0) -> bool | None:
        """Whether all clauses can hold with the ``assumptions``; None: not known yet.

        A question that is not answered in time stays open, and is worked on in a thread: the next
        call waits for that answer, whatever its assumptions. One that is given up after so many
        ``conflicts`` (0: never) does not stay open.
        """
        if self._asking is None:
            if deadline.passed:
                return None
            self._answers = []
            self._solver.conf_budget(conflicts or -1)
            self._asking = threading.Thread(target=self._ask, args=(assumptions,), daemon=True)
            self._asking.start()
        while self._asking.is_alive():  # in short looks: Ctrl-C is heard between them
            self._asking.join(min(_LOOK, max(deadline.left, 0.0)))
            if deadline.passed and self._asking.is_alive():
                return None
        self._end()
        return self._answers[0]

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

    def _ask(self, assumptions: list[int]) -> None:
        self._answers.append(self._solver.solve_limited(assumptions, expect_interrupt=True))

    def core(self) -> list[int]:
        """Assumptions of the last question that cannot all hold."""
        return list(self._solver.get_core() or [])

    def true(self) -> npt.NDArray[np.bool_]:
        """(n_variables + 1,) which variables are true in the last answer; number 0 is not."""
        found = np.zeros(self.n_variables + 1, bool)
        literals = np.array(self._solver.get_model(), np.int64)
        found[literals[literals > 0]] = True
        return found
