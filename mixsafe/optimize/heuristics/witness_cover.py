"""The cheapest zones that some of the witnesses so far use together: a set cover.

A search that meets one requirement after the other takes the witness that is cheapest at that
moment. Which witnesses share most zones is a question about all requirements at once; among those
that were found it is a small integer program, the master problem of a column generation whose
columns are witnesses (Joncour et al. 2010, Electronic Notes in Discrete Mathematics 36).
"""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import numpy.typing as npt
from ortools.sat.python import cp_model

from mixsafe.model.limits import Deadline

_EFFORT = 1.0  # units of CP-SAT's deterministic time, some seconds at most, for one cover
_MOST = 400  # witnesses of one candidate of a requirement that are remembered

Cover = dict[int, npt.NDArray[np.int64]]
"""For each requirement's number, zones that are enough for it, ascending."""


class WitnessCover:
    """Witnesses of requirements, as the zones that they use.

    Parameters
    ----------
    cost
        (n_zones,) > 0, whole numbers.
    seed
        Of the solver.
    """

    def __init__(self, cost: npt.NDArray[np.float64], seed: int) -> None:
        self._cost = cost
        self._seed = seed
        self._known: defaultdict[int, defaultdict[int, set[frozenset[int]]]]
        self._known = defaultdict(lambda: defaultdict(set))

    def add(self, number: int, candidate: int, zones: npt.NDArray[np.int64]) -> None:
        """Remember that exchanges in ``zones`` can put a candidate where a requirement asks.

        A witness that uses all zones of another one for the same candidate is not remembered.
        """
        known, fresh = self._known[number][candidate], frozenset(zones.tolist())
        if len(known) >= _MOST or any(one <= fresh for one in known):
            return
        known -= {one for one in known if fresh < one}
        known.add(fresh)

    def cheapest(
        self,
        wanted: dict[int, int],
        given: npt.NDArray[np.bool_],
        below: float,
        deadline: Deadline,
    ) -> Cover | None:
        """Zones that cost less than ``below`` and are enough; the cheapest, if there is time.

        Parameters
        ----------
        wanted
            For each number of a requirement, how many witnesses it needs, each for a candidate of
            its own.
        given
            (n_zones,) zones that are active anyway, and cost nothing more.
        below
            What all zones cost together must be less, the given ones included.
        deadline
            When to stop.

        Returns
        -------
        None where none were found.
        """
        model, zone, shown = self._model(wanted, given)
        room = math.ceil(below - float(self._cost[given].sum())) - 1
        paid = sum(int(self._cost[z]) * chosen for z, chosen in zone.items())
        model.add(paid <= room)
        model.minimize(paid)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = self._seed
        solver.parameters.max_deterministic_time = _EFFORT
        if not math.isinf(deadline.left):
            solver.parameters.max_time_in_seconds = max(deadline.left, 1e-3)
        if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        return {
            number: np.array(
                sorted(set().union(*(used for way, used in ways if solver.boolean_value(way)))),
                np.int64,
            )
            for number, ways in shown.items()
        }

    def _model(
        self, wanted: dict[int, int], given: npt.NDArray[np.bool_]
    ) -> tuple[
        cp_model.CpModel,
        dict[int, cp_model.IntVar],
        dict[int, list[tuple[cp_model.IntVar, frozenset[int]]]],
    ]:
        """The program, a boolean for each zone that is not given, and for each witness."""
        model = cp_model.CpModel()
        zone: dict[int, cp_model.IntVar] = {}
        shown: dict[int, list[tuple[cp_model.IntVar, frozenset[int]]]] = {}
        for number, needed in wanted.items():
            shown[number] = []
            for ways in self._known[number].values():
                taken = []
                for used in ways:
                    way = model.new_bool_var("")
                    taken.append(way)
                    shown[number].append((way, used))
                    for z in used:
                        if not given[z]:
                            if z not in zone:
                                zone[z] = model.new_bool_var("")
                            model.add_implication(way, zone[z])
                model.add_at_most_one(taken)  # one witness for each candidate
            model.add(sum(way for way, _ in shown[number]) == needed)
        return model, zone, shown
