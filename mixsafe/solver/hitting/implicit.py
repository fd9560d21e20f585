"""Implicit hitting sets: the cheapest set of elements that an oracle accepts as sufficient.

The master problem proposes a cheapest set that hits all cores so far. The oracle accepts the set,
which is then optimal, or returns one more core: elements of which every sufficient set has at least
one, and this set none (Moreno-Centeno and Karp 2013, Operations Research 61(2)). The master is
:class:`~mixsafe.solver.hitting.minimum_cost.MinimumCost`, with one clause for each core.

Callers with an oracle call :meth:`ImplicitHittingSet.run`. Callers that answer several questions
together call ``propose``, then ``refute``, ``accept`` or ``leave_open``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.course import Deadline
from mixsafe.solver.hitting.minimum_cost import MinimumCost
from mixsafe.solver.sat.session import Session

Elements = list[int]
"""Numbers of elements, ascending."""


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
