"""Implicit hitting sets: the cheapest set of elements that an oracle calls enough.

The master proposes a cheapest set that has an element of each core so far. The oracle says that it
is enough, and then nothing cheaper is; or it tells one more core: elements of which each set that
is enough has one, but this set none (Moreno-Centeno and Karp 2013, Operations Research 61(2)). The
master is :class:`~mixsafe.solver.hitting.minimum_cost.MinimumCost`, over one clause for each core.

Whose questions come one by one calls :meth:`ImplicitHittingSet.run`; whose questions are answered
together with others' asks and tells: ``propose``, then ``refute``, ``accept`` or ``leave_open``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import Deadline
from mixsafe.solver.hitting.minimum_cost import MinimumCost
from mixsafe.solver.sat.session import Session

Elements = list[int]
"""Numbers of elements, ascending."""


class Answer(NamedTuple):
    """What an oracle says of a set.

    Parameters
    ----------
    enough
        Whether the set is enough; None: that is not known.
    elements
        If the set is enough: another one that is, perhaps a cheaper one, if such is known. If not:
        a core, of which the set has none. If it is not known: what is taken for a core, if
        anything; bounds from below do not rise any more then.
    """

    enough: bool | None
    elements: Sequence[int] = ()


class ImplicitHittingSet:
    """A search for the cheapest set that is enough, and the bounds on its cost.

    Parameters
    ----------
    weights
        (n_elements,) what each costs, > 0; None: each costs 1, and there is any number of them.
    most
        Sets that cost more are not looked for; None: whatever they cost.
    session
        Where further clauses may say what is enough (:meth:`name`); None: cores alone do.

    Attributes
    ----------
    lower
        Nothing that is enough costs less.
    upper, best
        What the cheapest set costs that is known to be enough, and the set; None and no elements
        while none is.
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
        """Let (n_elements,) literals of the session stand for the elements.

        Clauses about them refute, too; and elements may cost nothing.
        """
        self._named = literals
        self._literal = dict(enumerate(literals.tolist()))
        self._charge(element for element in self._literal if self._price(element))

    def cost(self, elements: Iterable[int]) -> int:
        """What a set costs."""
        return sum(map(self._price, elements))

    def _price(self, element: int) -> int:
        return 1 if self._weights is None else int(self._weights[element])

    @property
    def is_exhausted(self) -> bool:
        """Whether no other set is looked for: all of them hit too few cores, or cost too much."""
        return self._most is not None and self._master.bound > self._most

    def propose(self, deadline: Deadline) -> Elements | None:
        """A cheapest set that hits all cores; None: there is none to be looked for, or no time."""
        while not self.is_exhausted:
            hits_all = self.raise_bound(deadline)
            if hits_all is None:
                return None
            if hits_all:
                return self.chosen()
        return None

    def raise_bound(self, deadline: Deadline) -> bool | None:
        """Raise the lower bound by one step; True: it is the cost of a set that hits all cores.

        None: there was no time for it.
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
        """The set that hits all cores, after the bound has come to its cost."""
        true = self._session.true()
        return [element for element, one in sorted(self._literal.items()) if true[one]]

    def look_below(self, cost: int) -> None:
        """Look for sets that cost less and for nothing else: ``lower`` is ``cost`` at the end."""
        self._most = cost - 1 if self._most is None else min(self._most, cost - 1)
        self._master.harden(self._most + 1)

    def may_be_in(self, cost: int) -> npt.NDArray[np.bool_]:
        """(n_elements,) named ones of which sets that cost less are made, by the cores so far."""
        return ~np.isin(self._named, self._master.too_dear(cost))

    def in_cores(self) -> npt.NDArray[np.bool_]:
        """(n_cores, n_elements) named ones of the smallest core found, of the two smallest, ..."""
        cores = sorted(self._master.paid, key=len)
        found = np.zeros((len(cores), len(self._named)), bool)
        for number, core in enumerate(cores):
            found[number] = np.isin(self._named, core)
        return np.asarray(np.logical_or.accumulate(found))

    def refute(self, core: Iterable[int], either: Iterable[Sequence[Sequence[int]]] = ()) -> None:
        """Take in a core.

        Parameters
        ----------
        core
            A set that is enough has one of these.
        either
            Or it has elements of two classes of one of these families. In all of ``core`` and
            ``either`` may be nothing: then no set is enough.
        """
        clause = self._literals(core)
        for classes in either:
            told = [self._literals(one) for one in classes]
            (both,) = self._session.new(1).tolist()
            for place in range(len(told)):
                others = [*told[:place], *told[place + 1 :]]
                self._session.add([[-both, *chain.from_iterable(others)]])
            clause.append(both)
        self._master.pay_for_one_of(clause)
        self._rise()

    def _literals(self, elements: Iterable[int]) -> list[int]:
        """The literals of elements; those that were in no core before cost something from now."""
        some = list(dict.fromkeys(elements))
        new = [one for one in some if one not in self._literal]
        if new:
            self._literal.update(zip(new, self._session.new(len(new)).tolist(), strict=True))
            self._charge(new)
        return [self._literal[one] for one in some]

    def _charge(self, elements: Iterable[int]) -> None:
        self._master.charge((self._literal[one], self._price(one)) for one in elements)

    def accept(self, chosen: Sequence[int]) -> None:
        """Take in a set that is enough: only cheaper ones are looked for."""
        cost = self.cost(chosen)
        if self.upper is None or cost < self.upper:
            self.upper, self.best = cost, sorted(chosen)
            self.look_below(cost)

    def leave_open(self, others: Iterable[int]) -> None:
        """Look for no part of a set of which it is not known whether it is enough.

        Parameters
        ----------
        others
            All elements but those of the set.
        """
        self.is_certain = False
        self.refute(others)

    def run(
        self,
        oracle: Callable[[Elements], Answer],
        deadline: Deadline,
        progress: Callable[[int, int | None], None] = lambda lower, upper: None,
    ) -> None:
        """Ask about proposals until the bounds meet, or there is nothing to go on with.

        Each core that is told is added to the set that was proposed, which is asked about again: so
        no two of them share an element, and in the end the set is enough (the disjoint phase of
        Davies and Bacchus 2011).

        Parameters
        ----------
        oracle
            Is asked about a set.
        deadline
            When to stop.
        progress
            Is told the bounds before each proposal is asked about.
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
