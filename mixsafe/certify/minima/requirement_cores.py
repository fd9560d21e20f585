"""Cores of one requirement: zones without which it is not met, as few as possible."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import Deadline
from mixsafe.model.question.problem import Problem
from mixsafe.optimize.zone_formula import ZoneFormula
from mixsafe.solver.sat.session import Session

Zones = npt.NDArray[np.int64]
"""Numbers of zones."""


class RequirementCores:
    """The formula of a requirement (:mod:`mixsafe.optimize.zone_formula`), asked for cores.

    Close it at the end, as :class:`~mixsafe.solver.sat.session.Session`.

    Parameters
    ----------
    problem
        The question.
    requirement
        Number of a requirement of k >= 2.
    deadline
        When to give up.
    """

    def __init__(self, problem: Problem, requirement: int, deadline: Deadline) -> None:
        alone = problem.asked.those(slice(requirement, requirement + 1))
        self._deadline = deadline
        self._random = np.random.default_rng(requirement)
        self._session = Session("glucose4")
        about = replace(problem, requirements=alone)
        self._formula = ZoneFormula(self._session, about, deadline)

    def close(self) -> None:
        """Give the solver's memory back."""
        self._session.close()

    def without(self, zones: npt.NDArray[np.bool_]) -> Zones | None:
        """A core of which none is among ``zones``.

        Parameters
        ----------
        zones
            (n_zones,) in which exchanges happen.

        Returns
        -------
        Zones | None
            One such that with any zone less it is none, if there was time to make it so; None:
            these zones meet the requirement, or the time was up.
        """
        core = self._core(np.flatnonzero(~zones))
        if core is None:
            return None
        for zone in self._random.permutation(core).tolist():
            if len(core) > 1 and zone in core:
                smaller = self._core(core[core != zone])
                if self._deadline.passed:
                    break
                core = core if smaller is None else smaller
        return core

    def _core(self, off: Zones) -> Zones | None:
        """Zones among ``off`` without which the requirement is not met; None: it may be met."""
        active = self._formula.active
        while not self._deadline.passed:
            holds = self._session.solve((-active[off]).tolist(), self._deadline)
            if holds is None:
                return None
            if not holds:
                named = -np.array(self._session.core(), np.int64)
                return np.flatnonzero(np.isin(active, named))
            if not self._formula.track_misplaced():
                return None
        return None
