"""Cheapest sets of zones that hit every cut found so far: the lower bound of the oracle search."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from ortools.sat.python import cp_model

from mixsafe.model.limits import Deadline, SolveLimits


class HittingSets:
    """Minimum-cost hitting sets of a family of cuts that grows.

    A cut is a set of zones of which at least one must exchange pseudonyms, or else some
    requirement fails. So what hits all cuts at the least cost costs no more than any set of zones
    that meets all requirements.

    Parameters
    ----------
    cost
        (n_zones,) int64, each > 0.
    limits
        Workers and seed.
    """

    def __init__(self, cost: npt.NDArray[np.int64], limits: SolveLimits) -> None:
        self._cost = cost
        self._model = cp_model.CpModel()
        self._chosen: dict[int, cp_model.IntVar] = {}
        self._solver = cp_model.CpSolver()
        self._solver.parameters.num_workers = limits.workers
        self._solver.parameters.random_seed = limits.seed

    def add(self, cut: npt.NDArray[np.int64]) -> None:
        """Ask for at least one of the zones of ``cut``, which are one or more."""
        for zone in cut.tolist():
            if zone not in self._chosen:
                self._chosen[zone] = self._model.new_bool_var("")
        self._model.add_bool_or([self._chosen[zone] for zone in cut.tolist()])
        self._model.minimize(
            sum(int(self._cost[zone]) * chosen for zone, chosen in self._chosen.items())
        )

    def cheapest(self, deadline: Deadline) -> tuple[npt.NDArray[np.bool_] | None, int]:
        """A cheapest hitting set and its cost; (None, lower bound) when the time is up first.

        Returns
        -------
        (n_zones,) bool or None, and an int
        """
        zones = np.zeros(len(self._cost), bool)
        if not self._chosen:
            return zones, 0
        left = deadline.left
        if not math.isinf(left):
            self._solver.parameters.max_time_in_seconds = max(left, 1e-3)
        status = self._solver.solve(self._model)
        if status != cp_model.OPTIMAL:
            # Costs are whole numbers, so a fractional bound may be rounded up.
            return None, max(0, math.ceil(self._solver.best_objective_bound - 1e-6))
        hit = [zone for zone, chosen in self._chosen.items() if self._solver.boolean_value(chosen)]
        zones[hit] = True
        return zones, int(self._cost[hit].sum())
