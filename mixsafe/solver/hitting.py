"""Implicit hitting sets: the cheapest set of elements that an oracle accepts as sufficient.

The master problem proposes a cheapest set that hits all cores so far. The oracle accepts the set,
which is then optimal, or returns one more core: elements of which every sufficient set has at least
one, and this set none (Moreno-Centeno and Karp 2013, Operations Research 61(2)). Callers with an
oracle call :meth:`ImplicitHittingSet.run`. Callers that answer several questions together call
``propose``, then ``refute``, ``accept`` or ``leave_open``.

The master is :class:`MinimumCost`, with one clause for each core: the minimum cost of the true
literals of a formula, by cores (OLL; Andres et al. 2012). All literals with a cost are assumed to
be false. A core is a set of assumptions that cannot all hold. Its cheapest literal is paid for, and
the next assumption is that no further literal of the core is true. When all assumptions hold, the
sum paid is the minimum; until then it is a lower bound (Morgado, Dodaro and Marques-Silva 2014
describe the scheme for weights).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
from pysat.card import ITotalizer

from mixsafe.model.course import Deadline
from mixsafe.solver.sat.session import Session

Elements = list[int]
"""Numbers of elements, ascending."""


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


class Answer(NamedTuple):
    """Answer of an oracle about a set.

    Parameters
    ----------
    enough
        Whether the set is sufficient; None: unknown.
    elements
        If the set is sufficient: another sufficient set, perhaps a cheaper one, if one is known. If
        not: a core that the set does not hit. If unknown: elements to treat as a core, or none;
        then lower bounds do not rise any more.
    """

    enough: bool | None
    elements: Sequence[int] = ()


class ImplicitHittingSet:
    """A search for the cheapest sufficient set, and the bounds on its cost.

    Parameters
    ----------
    weights
        (n_elements,) cost of each, > 0; None: each costs 1, and their number is open.
    most
        Maximum cost of the sets to search for; None: no maximum.
    session
        SAT session with further clauses about the elements (:meth:`name`); None: only cores.

    Attributes
    ----------
    lower
        Lower bound on the cost of a sufficient set.
    upper, best
        Cost and elements of the cheapest sufficient set found; None and no elements at first.
    is_certain
        Whether all cores are proven.
    """

    def __init__(
        self,
        weights: npt.NDArray[np.int64] | None = None,
        most: int | None = None,
        session: Session | None = None,
    ) -> None:
        self._weights, self._most = weights, most
        self._session = session or Session()
        self._master = MinimumCost(self._session)
        self._literal: dict[int, int] = {}  # of each element that is in a core
        self._named = np.zeros(0, np.int64)
        self.lower, self.is_certain = 0, True
        self.upper: int | None = None
        self.best: Elements = []

    def name(self, literals: npt.NDArray[np.int64]) -> None:
        """Identify the elements with (n_elements,) literals of the session.

        Then clauses of the session refute sets, too, and elements may have a cost of 0.
        """
        self._named = literals
        self._literal = dict(enumerate(literals.tolist()))
        self._charge(element for element in self._literal if self._price(element))

    def cost(self, elements: Iterable[int]) -> int:
        """Cost of a set."""
        return sum(map(self._price, elements))

    def _price(self, element: int) -> int:
        return 1 if self._weights is None else int(self._weights[element])

    @property
    def is_exhausted(self) -> bool:
        """Whether the search is complete: every set that hits all cores is too expensive."""
        return self._most is not None and self._master.bound > self._most

    def propose(self, deadline: Deadline) -> Elements | None:
        """A cheapest set that hits all cores; None: the search is complete, or time is up."""
        while not self.is_exhausted:
            hits_all = self.raise_bound(deadline)
            if hits_all is None:
                return None
            if hits_all:
                return self.chosen()
        return None

    def raise_bound(self, deadline: Deadline) -> bool | None:
        """Raise the lower bound by one step; True: a set of this cost hits all cores.

        None: time is up.
        """
        if self._most is not None:
            self._master.harden(self._most + 1)
        hits_all = self._master.raise_bound(deadline)
        self._rise()
        return hits_all

    def _rise(self) -> None:
        if self.is_certain:
            self.lower = max(self.lower, self._master.bound)

    def chosen(self) -> Elements:
        """The set that hits all cores, after :meth:`raise_bound` has returned True."""
        true = self._session.true()
        return [element for element, one in sorted(self._literal.items()) if true[one]]

    def look_below(self, cost: int) -> None:
        """Restrict the search to sets that cost less; ``lower`` is ``cost`` if there are none."""
        self._most = cost - 1 if self._most is None else min(self._most, cost - 1)
        self._master.harden(self._most + 1)

    def may_be_in(self, cost: int) -> npt.NDArray[np.bool_]:
        """(n_elements,) named ones that may be in a set of lower cost, by the cores so far."""
        return ~np.isin(self._named, self._master.too_expensive(cost))

    def in_cores(self) -> npt.NDArray[np.bool_]:
        """(n_cores, n_elements) named ones of the smallest core found, of the two smallest, ..."""
        cores = sorted(self._master.paid, key=len)
        found = np.zeros((len(cores), len(self._named)), bool)
        for number, core in enumerate(cores):
            found[number] = np.isin(self._named, core)
        return np.asarray(np.logical_or.accumulate(found))

    def refute(self, core: Iterable[int], either: Iterable[Sequence[Sequence[int]]] = ()) -> None:
        """Add a core.

        Parameters
        ----------
        core
            Elements of which every sufficient set has at least one.
        either
            Families of classes; a sufficient set may instead have elements of two classes of one
            family. If ``core`` and ``either`` are empty, no set is sufficient.
        """
        clause = self._literals(core)
        for classes in either:
            class_literals = [self._literals(one) for one in classes]
            (both,) = self._session.new(1).tolist()
            for place in range(len(class_literals)):
                others = [*class_literals[:place], *class_literals[place + 1 :]]
                self._session.add([[-both, *chain.from_iterable(others)]])
            clause.append(both)
        self._master.pay_for_one_of(clause)
        self._rise()

    def _literals(self, elements: Iterable[int]) -> list[int]:
        """The literals of elements; those that are new in cores are charged their cost."""
        some = list(dict.fromkeys(elements))
        new = [one for one in some if one not in self._literal]
        if new:
            self._literal.update(zip(new, self._session.new(len(new)).tolist(), strict=True))
            self._charge(new)
        return [self._literal[one] for one in some]

    def _charge(self, elements: Iterable[int]) -> None:
        self._master.charge((self._literal[one], self._price(one)) for one in elements)

    def accept(self, chosen: Sequence[int]) -> None:
        """Add a sufficient set, and restrict the search to cheaper ones."""
        cost = self.cost(chosen)
        if self.upper is None or cost < self.upper:
            self.upper, self.best = cost, sorted(chosen)
            self.look_below(cost)

    def leave_open(self, others: Iterable[int]) -> None:
        """Exclude all subsets of a set for which the oracle's answer is unknown.

        Parameters
        ----------
        others
            All elements outside the set.
        """
        self.is_certain = False
        self.refute(others)

    def run(
        self,
        oracle: Callable[[Elements], Answer],
        deadline: Deadline,
        progress: Callable[[int, int | None], None] = lambda lower, upper: None,
    ) -> None:
        """Run the search until the bounds meet, time is up, or an answer is unknown.

        Each core is added to the proposed set, and the oracle is asked about the union. So these
        cores are disjoint, and finally the set is sufficient (the disjoint phase of Davies and
        Bacchus 2011).

        Parameters
        ----------
        oracle
            Decides whether a set is sufficient.
        deadline
            When to stop.
        progress
            Called with the bounds before each proposal.
        """
        while (chosen := self.propose(deadline)) is not None:
            progress(self.lower, self.upper)
            some, answer = set(chosen), oracle(chosen)
            if answer.enough is not True and not answer.elements:
                return
            while answer.enough is not True and answer.elements:
                self.is_certain &= answer.enough is False
                self.refute(answer.elements)
                some.update(answer.elements)
                answer = oracle(sorted(some))
            if answer.enough:
                self.accept(sorted(some))
                if answer.elements:
                    self.accept(answer.elements)


def minimal_part(items: Sequence[int], holds: Callable[[list[int]], bool]) -> list[int]:
    """A part of some items for which a test holds, as it does for all, but for no part of it.

    The first half is taken out, then the second one; where the test does not hold without a half,
    its halves are tried.

    Parameters
    ----------
    items
        Different ones.
    holds
        Whether the test holds for a part, in the same order. If it does, it does for larger parts.
    """
    left, stack = list(items), [list(items)]
    while stack:
        removed = stack.pop()
        without = set(removed)
        tried = [one for one in left if one not in without]
        if holds(tried):
            left = tried
        elif len(removed) > 1:
            half = len(removed) // 2
            stack += [removed[half:], removed[:half]]
    return left
