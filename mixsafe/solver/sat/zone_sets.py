"""Which sets of mix zones give a row k candidates: one CP-SAT model for all sets.

The model has a Boolean for each group of zones: an exchange may happen there. A set of groups is
asked about by fixing the others to false, so nothing is built anew. The objective is the cost of
the groups whose zones a solution uses, so a solution shows a cheapest part of the set that is
enough for one more candidate. The candidate is read off the solution, which is completed among the
used zones alone, checked, and kept: it answers for every later set that has these groups.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.errors import MixsafeError
from mixsafe.model.course import Course
from mixsafe.network.compression import network_without
from mixsafe.network.core import Core
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.sat.cpsat import (
    MAX_VARIABLES,
    Exchanges,
    FlowModel,
    Solver,
    known_tokens,
    too_large,
)
from mixsafe.solver.state import tokens
from mixsafe.solver.state.witness import complete, fault
from mixsafe.solver.zone_verdict import GroupMask, ZoneVerdict


class CpSatZoneSets:
    """Sets of groups of zones, asked whether they give a row k candidates.

    Parameters
    ----------
    core
        The question on all zones.
    group, cost
        (n_zones,) and (n_groups,) int64: group of each zone; cost of each group, > 0.
    asked
        The row, the step, and k.
    course
        When to give up, and the seed.
    max_variables
        Maximum number of Booleans of the model; a larger one is not built, and ``notes`` says so.

    Attributes
    ----------
    notes
        Why nothing is decided.
    """

    def __init__(
        self,
        core: Core,
        group: npt.NDArray[np.int64],
        cost: npt.NDArray[np.int64],
        asked: tuple[int, int, int],
        course: Course,
        max_variables: int = MAX_VARIABLES,
    ) -> None:
        self._core, self._group, self._cost = core, group, cost
        self._row, self._step, self._k = asked
        self._wire = int(core.network.wire_at(self._row, self._step))
        self._possible, self._most = reachable(core), max_variables
        self._solver = _tuned(course)
        self._shown: list[tuple[int, GroupMask]] = []  # candidates, and groups of their witnesses
        self._tracked = known_tokens(core, self._possible)
        self._model: FlowModel | None = None
        self.notes: list[str] = []

    def ask(self, groups: GroupMask) -> ZoneVerdict:
        """Whether some groups are enough, and which of them are."""
        found, part = {self._row}, np.zeros(len(groups), bool)
        for token, used in sorted(self._shown, key=lambda shown: int(shown[1] @ self._cost)):
            if len(found) < self._k and token not in found and not np.any(used & ~groups):
                found.add(token)
                part |= used
        is_smallest = self._k <= 2 and len(found) == 1
        while len(found) < self._k:
            holds = self._another(found, groups)
            if holds is not True:
                return ZoneVerdict(holds, groups)
            token, used = self._witness()
            self._shown.append((token, used))
            found.add(token)
            part |= used
        return ZoneVerdict(True, part, is_smallest and self._solver.is_best)

    def _another(self, found: set[int], groups: GroupMask) -> bool | None:
        """Whether a token that is not ``found`` yet can be on the wire; None: time was up."""
        model = self._model_for(found)
        if model is None:
            return None
        model.allow(groups)
        left = np.setdiff1d(tokens.members(self._possible[self._wire]), sorted(found))
        return model.ask(self._wire, left, self._solver)

    def _model_for(self, found: set[int]) -> FlowModel | None:
        """The model, built once, and again for each further token that it must distinguish."""
        if self._model is not None and self._tracked[sorted(found)].all():
            return self._model
        self._tracked[sorted(found)] = True
        mask = tokens.set_of(np.flatnonzero(self._tracked), self._possible.shape[1])
        size = int(tokens.count(self._possible & mask).sum(dtype=np.int64)) + len(self._cost)
        if size > self._most:
            self.notes = [too_large(size, self._most)]
            return None
        exchanges = Exchanges(self._group, self._cost)
        self._model = FlowModel(self._core, self._possible, self._tracked, exchanges)
        return self._model

    def _witness(self) -> tuple[int, GroupMask]:
        """The candidate in the solution just found, and the groups of the zones that it uses.

        Raises
        ------
        MixsafeError
            The solution violates a rule of the problem: a bug.
        """
        if self._model is None:
            raise ValueError("nothing was asked")
        network, path = self._core.network, self._model.paths(self._solver)
        before = network.before
        moved = (path[before] >= 0) & (path[before + 1] != path[before])
        used = np.logical_or.reduceat(moved, network.zone_ptr[:-1])
        core = replace(self._core, network=network_without(network, ~used))
        at = network.wire_at(core.network.row, core.network.start)
        witness = complete(core, path[at], self._tracked)
        wrong = fault(core, witness)
        if wrong is not None:
            raise MixsafeError(f"internal error, a witness of CP-SAT is wrong: {wrong}")
        groups = np.zeros(len(self._cost), bool)
        groups[self._group[used]] = True
        return int(witness[core.network.wire_at(self._row, self._step)]), groups


def _tuned(course: Course) -> Solver:
    """A solver for many small questions about one model (docs/comparison.md has the figures)."""
    solver = Solver(course)
    chosen = solver.parameters
    chosen.cp_model_presolve = False  # it would cost more than the search
    chosen.linearization_level = 0
    chosen.symmetry_level = 0
    chosen.inprocessing_probing_dtime = 0.0
    chosen.optimize_with_core = True
    chosen.core_minimization_level = 0
    chosen.cover_optimization = False
    return solver
