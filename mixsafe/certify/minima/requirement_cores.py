"""Cores of one requirement: groups of zones without which it is not met, as few as possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.model.course import Deadline
from mixsafe.model.question.problem import Problem
from mixsafe.optimize.zone_formula import ZoneFormula
from mixsafe.optimize.zone_groups import ZoneGroups
from mixsafe.solver.sat.session import Session

Groups = npt.NDArray[np.int64]
"""Numbers of groups of zones."""


class RequirementCores:
    """The formula of a requirement (:mod:`mixsafe.optimize.zone_formula`), asked for cores.

    Close it at the end, as :class:`~mixsafe.solver.sat.session.Session`.

    Parameters
    ----------
    problem
        The question.
    groups
        Zones that are chosen together: a core has all of them or none.
    requirement
        Number of a requirement of k >= 2.
    deadline
        When to give up.
    """

    def __init__(
        self, problem: Problem, groups: ZoneGroups, requirement: int, deadline: Deadline
    ) -> None:
        alone = problem.asked.those(slice(requirement, requirement + 1))
        self._groups, self._deadline = groups, deadline
        self._random = np.random.default_rng(requirement)
        self._session = Session("glucose4")
        about = replace(problem, requirements=alone)
        self._formula = ZoneFormula(self._session, about, deadline)

    def close(self) -> None:
        """Give the solver's memory back."""
        self._session.close()

    def without(self, chosen: Sequence[int]) -> Groups | None:
        """A core of which none is among the groups ``chosen``, in whose zones exchanges happen.

        Returns
        -------
        Groups | None
            Groups without whose zones the requirement is not met; with any group less it is, if
            there was time to make it so. None: those that are chosen meet it, or the time was up.
        """
        core = self._core(np.setdiff1d(np.arange(len(self._groups.cost)), chosen))
        if core is None:
            return None
        for group in self._random.permutation(core).tolist():
            if len(core) > 1 and group in core:
                smaller = self._core(core[core != group])
                if self._deadline.passed:
                    break
                core = core if smaller is None else smaller
        return core

    def _core(self, off: Groups) -> Groups | None:
        """Groups among ``off`` without which the requirement is not met; None: it may be met."""
        active, zones = self._formula.active, np.flatnonzero(self._groups.among(off))
        while not self._deadline.passed:
            holds = self._session.solve((-active[zones]).tolist(), self._deadline)
            if holds is None:
                return None
            if not holds:
                named = -np.array(self._session.core(), np.int64)
                return np.unique(self._groups.of[np.isin(active, named)])
            if not self._formula.track_misplaced():
                return None
        return None
