"""A verify engine as an oracle about sets of mix zones, with a memory that uses monotony.

More zones never remove a candidate (fact 2). So a set that meets a requirement answers for all its
supersets, and one that does not for all its subsets; only what neither decides is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.question.problem import Problem
from mixsafe.optimize.oracle.touched_part import part_of
from mixsafe.solver.registry import Engine
from mixsafe.verify.verification import verify

ZoneMask = npt.NDArray[np.bool_]
"""(n_zones,) bool: zones in which an exchange happens."""


class Memory:
    """Sets of zones of which it is known whether they meet one requirement.

    Parameters
    ----------
    n_zones
        Number of zones that there are.
    """

    def __init__(self, n_zones: int) -> None:
        self._n_zones = n_zones
        self._safe: list[npt.NDArray[np.uint8]] = []
        self._unsafe: list[npt.NDArray[np.uint8]] = []

    @property
    def safe(self) -> npt.NDArray[np.bool_]:
        """(n_known, n_zones) bool: sets that meet the requirement, none within another."""
        if not self._safe:
            return np.zeros((0, self._n_zones), bool)
        return np.unpackbits(np.array(self._safe), axis=1, count=self._n_zones).astype(bool)

    def recall(self, zones: ZoneMask) -> bool | None:
        """Whether ``zones`` meet the requirement, as far as monotony tells; None: it does not."""
        packed = np.packbits(zones)
        if self._safe and not np.all(np.any(np.array(self._safe) & ~packed, axis=1)):
            return True
        if self._unsafe and not np.all(np.any(packed & ~np.array(self._unsafe), axis=1)):
            return False
        return None

    def keep(self, zones: ZoneMask, safe: bool) -> None:
        """Remember what was found out, and forget what follows from it."""
        packed = np.packbits(zones)
        if safe:
            self._safe = [one for one in self._safe if np.any(packed & ~one)] + [packed]
        else:
            self._unsafe = [one for one in self._unsafe if np.any(one & ~packed)] + [packed]


class Oracle:
    """Whether a set of zones meets the requirements, by one engine of :func:`verify`.

    Parameters
    ----------
    problem
        With requirements.
    engine
        ``cpsat``, ``dp``, ``auto`` or ``bounds``.
    limits
        Workers and seed; the time is that of ``deadline``.
    deadline
        After it nothing is asked any more.
    """

    def __init__(
        self, problem: Problem, engine: str | Engine, limits: SolveLimits, deadline: Deadline
    ) -> None:
        asked = problem.requirements
        self._problem = problem
        self._step = [] if asked is None else asked.time.tolist()
        self._engine, self._limits, self._deadline = engine, limits, deadline
        self._memory = [Memory(len(problem.zones)) for _ in self._step]
        self.notes: list[str] = []
        """Why the engine left questions undecided, a sentence for each reason."""

    @property
    def n_requirements(self) -> int:
        """Number of requirements."""
        return len(self._step)

    def step(self, number: int) -> int:
        """Time step that requirement ``number`` is about."""
        return int(self._step[number])

    def known_safe(self, number: int) -> npt.NDArray[np.bool_]:
        """(n_known, n_zones) bool: sets of zones known to meet requirement ``number``."""
        return self._memory[number].safe

    def meets(self, number: int, zones: ZoneMask) -> bool | None:
        """Whether ``zones`` meet requirement ``number``; None: the engine left it undecided."""
        known = self._memory[number].recall(zones)
        if known is not None or self._deadline.passed:
            return known
        limits = self._limits.until(self._deadline)
        part = part_of(self._problem, number, zones)
        answer = verify(part, engine=self._engine, limits=limits, keep_grounds=True)
        if answer.verdict is Verdict.UNDECIDED:
            said = answer.grounds.answers.notes if answer.grounds else []
            self.notes += [note for note in said if note not in self.notes]
            return None
        safe = answer.verdict is Verdict.SAFE
        self._memory[number].keep(zones, safe)
        return safe

    def first_unmet(self, zones: ZoneMask, order: Sequence[int]) -> tuple[int, bool] | None:
        """First requirement, in ``order``, that ``zones`` are not known to meet.

        Returns
        -------
        tuple
            Its number, and whether it is undecided; None when all are met.
        """
        for number in order:
            met = self.meets(number, zones)
            if met is not True:
                return number, met is None
        return None
