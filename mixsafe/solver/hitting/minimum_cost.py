"""Minimum cost of the true literals of a formula, by cores (OLL; Andres et al. 2012).

All literals that cost anything are assumed to be false. A core is a set of assumptions that cannot
all hold: the cheapest of them is paid for, and one more of the core than was paid for is assumed
not to be needed. When all that is assumed holds, what was paid is the minimum, and at any time
nothing costs less (Morgado, Dodaro and Marques-Silva 2014 describe the scheme for weights).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, cast

import numpy as np
from pysat.card import ITotalizer

from mixsafe.model.limits import Deadline
from mixsafe.solver.sat.session import Session


class Care(NamedTuple):
    """How small cores are made before they are paid for.

    Parameters
    ----------
    many
        Assumptions: more than these are made in any order.
    trimmed, in_vain
        Times that a core is asked for again, to make it smaller, at most; and of these, in any
        order, those in which it may stay as it is.
    large, again
        Assumptions of a core: with more, all are asked again in another order, so often.
    conflicts
        Until assumptions in any order are given up.
    """

    many: int = 5000
    trimmed: int = 12
    in_vain: int = 3
    large: int = 1000
    again: int = 2
    conflicts: int = 50


CARE = Care()
"""That is taken unless it is told otherwise."""


class MinimumCost:
    """What true literals must cost at least.

    Parameters
    ----------
    session
        What must hold. More can be added at any time.
    care
        How small cores are made.
    """

    def __init__(self, session: Session, care: Care = CARE) -> None:
        self._session, self._care = session, care
        self._free: dict[int, int] = {}
        self._sums: dict[int, tuple[ITotalizer, int]] = {}
        self.paid: list[list[int]] = []  # of each core, its literals that are no sums
        self._below: int | None = None  # what is looked for costs less
        self.ruled_out: set[int] = set()  # literals that are too dear to be true
        self._random = np.random.default_rng(0)
        self.bound = 0

    def charge(self, costs: Iterable[tuple[int, int]]) -> None:
        """Let literals, which were free so far, cost something when they are true, each > 0."""
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
        core = self._small(deadline)
        if core is None:
            return None
        self._pay(core)
        return False

    def harden(self, below: int) -> None:
        """Look for what costs less than ``below`` and for nothing else.

        Whatever is assumed holds then, if what it would cost is too much (Ansótegui et al. 2012).
        From now on the clauses may contradict each other: ``bound`` is ``below`` then. While a
        question is open, nothing is done.
        """
        if self._session.is_asked:
            return
        self._below = below
        dear = [x for x, price in self._free.items() if self.bound + price >= below]
        for literal in dear:
            del self._free[literal]
            self.ruled_out.add(-literal)
        self._session.add([[literal] for literal in dear])

    def pay_for_one_of(self, literals: list[int]) -> None:
        """One of these must be true: that is known, and is paid for if none of them is in a core.

        Where there are none, the clauses contradict each other.
        """
        if not literals:
            (never,) = self._session.new(1).tolist()
            self._session.add([[never], [-never]])
            return
        self._session.add([literals])
        core = [-literal for literal in literals]
        if all(literal in self._free for literal in core):
            self._pay(core)

    def too_dear(self, below: int) -> list[int]:
        """Literals that are false in all that costs less than ``below``, by the cores so far."""
        dear = (-x for x, price in self._free.items() if self.bound + price >= below)
        return [*self.ruled_out, *dear]

    def _ask(self, deadline: Deadline) -> bool | None:
        """Whether nothing more needs to be paid; None: the time was up.

        Many literals are assumed in any order at first. Assumptions are made one after the other
        until they contradict the clauses. Made in order of time, that takes cores of thousands of
        zones all over the day, where there are some of dozens; in any order, all of a small core
        are likely to be made sooner than all of a large one. But each conflict takes back many
        assumptions that are made in any order: where there is no such core, the question is asked
        in order.
        """
        if len(self._free) > self._care.many:
            answer = self._session.solve(self._in_any_order(), deadline, self._care.conflicts)
            if answer is not None or self._session.is_asked or deadline.passed:
                return answer
        return self._session.solve(list(self._free), deadline)

    def _in_any_order(self) -> list[int]:
        """What is assumed: literals, shuffled, and then sums, which conflicts are mostly about."""
        plain = [literal for literal in self._free if literal not in self._sums]
        sums = [literal for literal in self._free if literal in self._sums]
        return self._shuffled(plain) + sums

    def _shuffled(self, literals: list[int]) -> list[int]:
        return cast(list[int], self._random.permutation(literals).tolist())

    def _small(self, deadline: Deadline) -> list[int] | None:
        """A small core, after one was found; None: the time was up, and a question is open."""
        core = self._trimmed(self._session.core(), deadline)
        for _ in range(self._care.again):
            if core is None or len(core) < self._care.large:
                break
            if self._session.solve(self._in_any_order(), deadline, self._care.conflicts) is None:
                return None if self._session.is_asked or deadline.passed else core
            other = self._trimmed(self._session.core(), deadline)
            core = None if other is None else min(core, other, key=len)
        return core

    def _trimmed(self, core: list[int], deadline: Deadline) -> list[int] | None:
        """A part of a core that is one, too; None: the time was up, and the question is open."""
        many = len(self._free) > self._care.many
        patience = self._care.in_vain if many else 1
        for _ in range(self._care.trimmed):
            if len(core) < 2 or not patience:
                break
            if self._session.solve(self._shuffled(core) if many else core, deadline) is None:
                return None
            smaller = self._session.core()
            patience -= len(smaller) == len(core)
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
        """Assume that ``most`` + 1 of a sum are enough, now that ``most`` are not."""
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
        """Write the clauses that a sum has more than before."""
        fresh = found.cnf.clauses[-found.nof_new :] if found.nof_new else []
        self._session.new(max(0, found.top_id - self._session.n_variables))
        self._session.add(fresh)
