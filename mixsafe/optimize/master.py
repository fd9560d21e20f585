"""The cheapest zones that respect all cuts so far: by linear programming, and by CP-SAT."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from ortools.sat.python import cp_model
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from mixsafe.model.limits import SolveLimits
from mixsafe.optimize.loops import ALWAYS, Cut
from mixsafe.verify.answers import Deadline


class Choice(NamedTuple):
    """A way to respect all cuts.

    Parameters
    ----------
    zone
        (n_zones,) float64: how far each zone is active, 0 to 1.
    token
        For each requirement, (n_candidates,) float64: how far each token is chosen.
    """

    zone: npt.NDArray[np.float64]
    token: list[npt.NDArray[np.float64]]


class Master:
    """Zones and candidates to be chosen, and the cuts that they must respect.

    Parameters
    ----------
    cost
        (n_zones,) int64.
    candidates
        For each requirement the tokens that can be candidates at all, ascending.
    needed
        For each requirement how many of them are needed.
    """

    def __init__(
        self,
        cost: npt.NDArray[np.int64],
        candidates: list[npt.NDArray[np.int64]],
        needed: list[int],
    ) -> None:
        self._cost, self._candidates = cost, candidates
        self._first = len(cost) + np.cumsum([0, *map(len, candidates)])
        self._known: set[tuple[bytes, int]] = set()
        self._columns: list[npt.NDArray[np.int64]] = []
        self._signs: list[npt.NDArray[np.float64]] = []
        self._least: list[float] = []
        self._model = cp_model.CpModel()
        self._literals: dict[int, cp_model.IntVar] = {}
        self._total: cp_model.Constraint | None = None
        for number, least in enumerate(needed):
            columns = np.arange(self._first[number], self._first[number + 1])
            self._append(columns, np.ones(len(columns)), least)
            self._model.add(sum(self._literal(c) for c in columns.tolist()) >= least)

    @property
    def n_cuts(self) -> int:
        """Different cuts so far."""
        return len(self._known)

    def add(self, cut: Cut) -> bool:
        """Take in a cut; False: it was known."""
        token = ALWAYS if cut.token == ALWAYS else self._column_of(cut.requirement, cut.token)
        key = (cut.zones.tobytes(), token)
        if key in self._known:
            return False
        self._known.add(key)
        clause: list[cp_model.LiteralT] = [self._literal(z) for z in cut.zones.tolist()]
        if token == ALWAYS:
            self._append(cut.zones, np.ones(len(cut.zones)), 1)
        else:
            signs = np.append(np.ones(len(cut.zones)), -1.0)
            self._append(np.append(cut.zones, token), signs, 0)
            clause.append(~self._literal(token))
        self._model.add_bool_or(clause)
        return True

    def relaxed(self, deadline: Deadline) -> tuple[float, Choice] | None:
        """Optimum of the linear relaxation; None: there is none, or the time is up."""
        if deadline.passed:
            return None
        ends = np.cumsum([0, *map(len, self._columns)])
        columns = np.concatenate(self._columns)
        used, columns = np.unique(columns, return_inverse=True)
        matrix = csr_array(
            (np.concatenate(self._signs), columns, ends), shape=(len(self._columns), len(used))
        )
        cost = np.where(
            used < len(self._cost), self._cost[np.minimum(used, len(self._cost) - 1)], 0
        )
        found = milp(
            cost,
            constraints=LinearConstraint(matrix, self._least, np.inf),
            bounds=Bounds(0, 1),
            options={} if math.isinf(deadline.left) else {"time_limit": max(deadline.left, 0.01)},
        )
        if found.status != 0:
            return None
        value = np.zeros(self._first[-1])
        value[used] = found.x
        return float(found.fun), self._choice(value)

    def within(
        self, most: int, limits: SolveLimits, deadline: Deadline
    ) -> tuple[bool, Choice | None]:
        """Zones that respect all cuts and cost ``most`` at most.

        Returns
        -------
        Whether it is known if there are such zones, and one choice of them.
        """
        self._bound_total(most)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = limits.workers
        solver.parameters.random_seed = limits.seed
        if not math.isinf(deadline.left):
            solver.parameters.max_time_in_seconds = max(deadline.left, 0.01)
        status = solver.solve(self._model)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return status == cp_model.INFEASIBLE, None
        value = np.zeros(self._first[-1])
        for column, literal in self._literals.items():
            value[column] = solver.boolean_value(literal)
        return True, self._choice(value)

    def _bound_total(self, most: int) -> None:
        """Let all zones together cost ``most`` at most."""
        n_zones = len(self._cost)
        zones = [column for column in self._literals if column < n_zones]
        highest = int(self._cost.sum())
        if self._total is not None:  # there is no way to take a constraint back: let it say nothing
            _set_bounds(self._total, 0, highest)
        total = sum(int(self._cost[z]) * self._literals[z] for z in zones)
        self._total = self._model.add(total <= most) if zones else None

    def _choice(self, value: npt.NDArray[np.float64]) -> Choice:
        parts = np.split(value, self._first)
        return Choice(parts[0], list(parts[1:-1]))

    def _column_of(self, requirement: int, token: int) -> int:
        place = np.searchsorted(self._candidates[requirement], token)
        return int(self._first[requirement] + place)

    def _literal(self, column: int) -> cp_model.IntVar:
        if column not in self._literals:
            self._literals[column] = self._model.new_bool_var("")
        return self._literals[column]

    def _append(
        self, columns: npt.NDArray[np.int64], signs: npt.NDArray[np.float64], least: float
    ) -> None:
        """Sum of signed ``columns`` >= ``least``, for the linear relaxation."""
        self._columns.append(columns)
        self._signs.append(signs)
        self._least.append(least)


def _set_bounds(constraint: cp_model.Constraint, least: int, most: int) -> None:
    """Change the bounds of a linear constraint in the model's own record of it."""
    domain = constraint.proto.linear.domain
    domain.clear()
    domain.extend([least, most])
