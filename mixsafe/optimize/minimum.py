"""The way in: a minimum set of mix zones that meets all requirements (CSP paper, section 5)."""

from __future__ import annotations

import importlib
import time
from collections.abc import Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.limits import SolveLimits
from mixsafe.model.problem import Problem
from mixsafe.optimize.answer import MinimumZones, Weight, ZoneSearch, ZoneSet
from mixsafe.verify.answers import Deadline, Progress, no_progress

METHODS = ("auto", "dp")
WEIGHTS = ("count", "members")


def minimum_zones(
    problem: Problem,
    *,
    weight: Weight = "count",
    method: str = "auto",
    engine: str = "dp",
    limits: SolveLimits | None = None,
    progress: Progress = no_progress,
) -> MinimumZones:
    """Find a minimum set of zones that meets all requirements of the problem.

    Parameters
    ----------
    problem
        Mix zones, knowledge, and one requirement or more.
    weight
        What a zone costs: ``count``: 1; ``members``: as many as it has members.
    method
        ``auto``; or ``dp``: the CSP paper's way, a search over sets of zones that asks the
        verifier about each (:func:`mixsafe.optimize.oracle.search`).
    engine
        Of method ``dp``: the engine of ``verify`` that is asked.
    limits
        Time, workers and seed.
    progress
        Called with stage, what is proven and what it would take.

    Raises
    ------
    InputError
        There are no requirements, or an unknown weight, method or engine.
    """
    raise NotImplementedError
