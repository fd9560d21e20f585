"""Minimum cost of the true literals of a formula, by cores (OLL; Andres et al. 2012).

All literals with a cost are assumed to be false. A core is a set of assumptions that cannot all
hold. Its cheapest literal is paid for, and the next assumption is that no further literal of the
core is true. When all assumptions hold, the sum paid is the minimum; until then it is a lower bound
(Morgado, Dodaro and Marques-Silva 2014 describe the scheme for weights).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, cast

import numpy as np
from pysat.card import ITotalizer

from mixsafe.model.course import Deadline
from mixsafe.solver.sat.session import Session


class CoreMinimization(NamedTuple):
    """Budget for the minimization of cores.

    Parameters
    ----------
    many
        Maximum number of assumptions that are made in a fixed order; more are shuffled.
    trimmed, patience
        Solver calls to shrink a core, at most; and calls with shuffled assumptions that may fail
        to shrink it.
    large, again
        Size of a core from which another core is searched for with other orders; how many times.
    conflicts
        Conflict budget of calls with shuffled assumptions.
    """

    many: int = 5000
    trimmed: int = 12
    patience: int = 3
    large: int = 1000
    again: int = 2
    conflicts: int = 50


CORE_MINIMIZATION = CoreMinimization()
"""The default budget."""


class MinimumCost:
    """Lower bound on, and finally minimum of, the cost of true literals.

    Parameters
    ----------
    session
        SAT session with the clauses. Clauses can be added at any time.
    minimization
        Budget for the minimization of cores.
    """

    def __init__(
        self, session: Session, minimization: CoreMinimization = CORE_MINIMIZATION
    ) -> None:
        self._session, self._minimization = session, minimization
        self._free: dict[int, int] = {}
        self._sums: dict[int, tuple[ITotalizer, int]] = {}
        self.paid: list[list[int]] = []  # for each core its literals that are not sums
        self._below: int | None = None  # exclusive upper bound on the cost
        self.ruled_out: set[int] = set()  # literals that are too expensive to be true
        self._random = np.random.default_rng(0)
        self.bound = 0

    def charge(self, costs: Iterable[tuple[int, int]]) -> None:
        """Set the costs, each > 0, of literals that had no cost before."""
        self._free.update((-literal, cost) for literal, cost in costs)

    def raise_bound(self, deadline: Deadline) -> bool | None:
        """Pay for one more core.

        Returns
        -------
        False when there was one; True when the clauses hold at the cost of ``bound``, which is
        the minimum; None when the time was up.
        """
        answer = self._ask(deadline)
        if answer is not False:
            return answer
        core = self._small_core(deadline)
        if core is None:
            return None
        self._pay(core)
        return False

    def harden(self, below: int) -> None:
        """Restrict the search to costs below ``below``.

        Assumptions whose violation would cost too much become clauses (hardening, Ansótegui et al.
        2012). From then on the clauses may be contradictory; then ``bound`` is ``below``. Does
        nothing while a question of the session is open.
        """
        if self._session.is_asked:
            return
        self._below = below
        expensive = [x for x, price in self._free.items() if self.bound + price >= below]
        for literal in expensive:
            del self._free[literal]
            self.ruled_out.add(-literal)
        self._session.add([[literal] for literal in expensive])

    def pay_for_one_of(self, literals: list[int]) -> None:
        """Add the clause that one of these is true, and pay for it if none is in a core yet.

        Without literals, the clauses become contradictory.
        """
        if not literals:
            (never,) = self._session.new(1).tolist()
            self._session.add([[never], [-never]])
            return
        self._session.add([literals])
        core = [-literal for literal in literals]
        if all(literal in self._free for literal in core):
            self._pay(core)

    def too_expensive(self, below: int) -> list[int]:
        """Literals that are false in all solutions of cost below ``below``, by the cores so far."""
        expensive = (-x for x, price in self._free.items() if self.bound + price >= below)
        return [*self.ruled_out, *expensive]

    def _ask(self, deadline: Deadline) -> bool | None:
        """Whether all assumptions hold; None: time is up.

        A solver makes assumptions one after the other until they contradict the clauses. In order
        of time, this finds cores of thousands of zones all over the day, although there are cores
        of dozens. In random order, the assumptions of a small core are likely to be complete
        before those of a large one. But each conflict undoes many shuffled assumptions, so if no
        core is found within the budget, the question is asked in order.
        """
        if len(self._free) > self._minimization.many:
            answer = self._session.solve(
                self._in_any_order(), deadline, self._minimization.conflicts
            )
            if answer is not None or self._session.is_asked or deadline.passed:
                return answer
        return self._session.solve(list(self._free), deadline)

    def _in_any_order(self) -> list[int]:
        """The assumptions: literals, shuffled, then sums, which cause most conflicts."""
        plain = [literal for literal in self._free if literal not in self._sums]
        sums = [literal for literal in self._free if literal in self._sums]
        return self._shuffled(plain) + sums

    def _shuffled(self, literals: list[int]) -> list[int]:
        return cast(list[int], self._random.permutation(literals).tolist())

    def _small_core(self, deadline: Deadline) -> list[int] | None:
        """A small core, after the solver found one; None: time is up, and a question is open."""
        core = self._trimmed(self._session.core(), deadline)
        for _ in range(self._minimization.again):
            if core is None or len(core) < self._minimization.large:
                break
            if (
                self._session.solve(self._in_any_order(), deadline, self._minimization.conflicts)
                is None
            ):
                return None if self._session.is_asked or deadline.passed else core
            other = self._trimmed(self._session.core(), deadline)
            core = None if other is None else min(core, other, key=len)
        return core

    def _trimmed(self, core: list[int], deadline: Deadline) -> list[int] | None:
        """Shrink a core; None: time is up, and the question is open."""
        many = len(self._free) > self._minimization.many
        left = self._minimization.patience if many else 1
        for _ in range(self._minimization.trimmed):
            if len(core) < 2 or not left:
                break
            if self._session.solve(self._shuffled(core) if many else core, deadline) is None:
                return None
            smaller = self._session.core()
            left -= len(smaller) == len(core)
            core = min(core, smaller, key=len)
        return core

    def _pay(self, core: list[int]) -> None:
        if not core:
            if self._below is None:
                raise ValueError("the clauses contradict each other")
            self.bound = self._below
            return
        self.paid.append([-literal for literal in core if literal not in self._sums])
        price = min(self._free[literal] for literal in core)
        self.bound += price
        if self._below is not None:
            self.bound = min(self.bound, self._below)
        for literal in core:
            self._free[literal] -= price
            if not self._free[literal]:
                del self._free[literal]
            if literal in self._sums:
                self._one_more(*self._sums[literal], price)
        if len(core) == 1:
            self._session.add([[-core[0]]])
            return
        found = ITotalizer([-literal for literal in core], 1, self._session.n_variables)
        self._take_in(found)
        self._assume(found, 1, price)

    def _one_more(self, found: ITotalizer, most: int, price: int) -> None:
        """Assume that at most ``most`` + 1 literals of a sum are true, because ``most`` failed."""
        if most + 1 >= len(found.lits):
            return
        if most + 1 > found.ubound:
            found.increase(ubound=most + 1, top_id=self._session.n_variables)
            self._take_in(found)
        self._assume(found, most + 1, price)

    def _assume(self, found: ITotalizer, most: int, price: int) -> None:
        literal = -int(found.rhs[most])
        self._sums[literal] = (found, most)
        self._free[literal] = self._free.get(literal, 0) + price

    def _take_in(self, found: ITotalizer) -> None:
        """Add the new clauses of a sum."""
        fresh = found.cnf.clauses[-found.nof_new :] if found.nof_new else []
        self._session.new(max(0, found.top_id - self._session.n_variables))
        self._session.add(fresh)
