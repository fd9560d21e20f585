"""An initial solution: zones that are enough, whatever the requirements; there always are some."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import Deadline
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from mixsafe.optimize.cores.narrowing import minimum
from mixsafe.optimize.heuristics.ruin_and_recreate import RuinAndRecreate

_SETS_SECONDS = 5.0  # for the first sets of rows, of all requirements together
_SEARCH_SECONDS = 4.0
_ALONE_SECONDS = 10.0  # for a requirement that needs more than a few rows
_SHARE = 0.2  # of the time that is left, for each of these searches at most


class InitialSolution:
    """Zones that are enough, found among a few rows where these do, and exactly where not.

    Parameters
    ----------
    zones, knowledge, asked
        The question; k >= 2, and all zones together are enough.
    cost
        (n_zones,) int64 > 0.
    seed
        Of the search.
    """

    def __init__(
        self,
        zones: MixZones,
        knowledge: Knowledge,
        asked: Requirements,
        cost: npt.NDArray[np.int64],
        seed: int,
    ) -> None:
        self._zones, self._knowledge, self._asked = zones, knowledge, asked
        self._cost, self._seed = cost, seed
        self._search: RuinAndRecreate | None = None
        self._alone_met: list[int] = []
        self._given = np.zeros(len(cost), bool)

    def __call__(self, enough: int, deadline: Deadline) -> npt.NDArray[np.bool_]:
        """(n_zones,) bool: zones that are enough; no cheaper ones than ``enough`` are looked for.

        All zones where the time is too short for anything else.
        """
        left = deadline.left
        if deadline.passed:
            return np.ones(len(self._cost), bool)
        question = self._zones, self._knowledge, self._asked, self._cost
        random = np.random.default_rng(self._seed)
        end = deadline.within(min(_SETS_SECONDS, _SHARE * left))
        search = self._search = RuinAndRecreate(*question, random, end)
        first = self._alone(search, deadline)
        if not self._alone_met:
            return first
        end = deadline.within(min(_SEARCH_SECONDS, _SHARE * left))
        found = search.run(self._given, self._alone_met, enough, end)
        if found is None or self._cost[found].sum() > self._cost[first].sum():
            return first
        return found

    def near(self, active: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_] | None:
        """(n_zones,) zones that are enough, many of which are ``active``; None: not found."""
        if self._search is None or not self._alone_met:
            return None
        return self._search.near(active, self._given, self._alone_met)

    def _alone(self, search: RuinAndRecreate, deadline: Deadline) -> npt.NDArray[np.bool_]:
        """(n_zones,) zones that meet each requirement by itself, all together.

        Requirements that a few rows meet are noted; the others' zones are given.
        """
        first = np.zeros(len(self._cost), bool)
        alone = [search.alone(number) for number in range(len(self._asked))]
        for number, met in enumerate(alone):
            if met is not None:
                self._alone_met.append(number)
                first[met] = True
        for number in sorted(set(range(len(alone))) - set(self._alone_met)):
            self._given |= self._met(number, first | self._given, deadline)
        return first | self._given

    def _met(
        self, number: int, free: npt.NDArray[np.bool_], deadline: Deadline
    ) -> npt.NDArray[np.bool_]:
        """(n_zones,) zones that meet a requirement; those that are ``free`` cost nothing.

        All zones where there is too little time.
        """
        alone = self._asked.those(slice(number, number + 1))
        price = np.where(free, 0, self._cost)
        end = deadline.within(min(_ALONE_SECONDS, _SHARE * deadline.left))
        found = minimum(
            Problem("", self._zones, self._knowledge, alone), price, int(price.sum()) + 1, end
        )
        return np.ones(len(self._cost), bool) if found is None else found
