"""Minimum cost by cores: sets of zones one of which must be active (OLL; Andres et al. 2012).

All zones are assumed to be inactive. A core is a set of assumptions that cannot all hold: the
cheapest of them is paid for, and one more of the core than was paid for is assumed not to be
needed. When all that is assumed holds, what was paid is the minimum, and at any time nothing costs
less (Morgado, Dodaro and Marques-Silva 2014 describe the scheme for weights).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from pysat.card import ITotalizer

from mixsafe.model.limits import Deadline
from mixsafe.optimize.cores.clauses import Clauses, Literals

_TRIMMED = 5  # times that a core is asked for again, to make it smaller


class Cores:
    """What true literals must cost at least.

    Parameters
    ----------
    clauses
        What must hold. More can be written at any time.
    literals, cost
        (n,) each: literals, and what it costs that one is true, > 0.
    """

    def __init__(self, clauses: Clauses, literals: Literals, cost: npt.NDArray[np.int64]) -> None:
        self._clauses = clauses
        self._free = dict(zip((-literals).tolist(), cost.tolist(), strict=True))
        self._sums: dict[int, tuple[ITotalizer, int]] = {}
        self._below: int | None = None  # what is looked for costs less
        self.bound = 0

    def raise_bound(self, deadline: Deadline) -> bool | None:
        """Pay for one more core.

        Returns
        -------
        False when there was one; True when the clauses hold at the cost of ``bound``, which is
        the minimum; None when the time was up.
        """
        answer = self._clauses.solve(list(self._free), deadline)
        if answer is not False:
            return answer
        core = self._trimmed(self._clauses.core(), deadline)
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
        if self._clauses.is_asked:
            return
        self._below = below
        dear = [literal for literal, price in self._free.items() if self.bound + price >= below]
        for literal in dear:
            del self._free[literal]
        self._clauses.write_all([[literal] for literal in dear])

    def _trimmed(self, core: list[int], deadline: Deadline) -> list[int] | None:
        """A part of a core that is one, too; None: the time was up, and the question is open."""
        for _ in range(_TRIMMED):
            if len(core) < 2:
                break
            if self._clauses.solve(core, deadline) is None:
                return None
            smaller = self._clauses.core()
            if len(smaller) == len(core):
                break
            core = smaller
        return core

    def _pay(self, core: list[int]) -> None:
        if not core:
            if self._below is None:
                raise ValueError("the clauses contradict each other")
            self.bound = self._below
            return
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
            self._clauses.write_all([[-core[0]]])
            return
        found = ITotalizer([-literal for literal in core], 1, self._clauses.n_variables)
        self._take_in(found)
        self._assume(found, 1, price)

    def _one_more(self, found: ITotalizer, most: int, price: int) -> None:
        """Assume that ``most`` + 1 of a sum are enough, now that ``most`` are not."""
        if most + 1 >= len(found.lits):
            return
        if most + 1 > found.ubound:
            found.increase(ubound=most + 1, top_id=self._clauses.n_variables)
            self._take_in(found)
        self._assume(found, most + 1, price)

    def _assume(self, found: ITotalizer, most: int, price: int) -> None:
        literal = -int(found.rhs[most])
        self._sums[literal] = (found, most)
        self._free[literal] = self._free.get(literal, 0) + price

    def _take_in(self, found: ITotalizer) -> None:
        """Write the clauses that a sum has more than before."""
        fresh = found.cnf.clauses[-found.nof_new :] if found.nof_new else []
        self._clauses.new(max(0, found.top_id - self._clauses.n_variables))
        self._clauses.write_all(fresh)
