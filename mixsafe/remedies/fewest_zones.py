"""Exchanges in as few mix zones as the demand allows: a minimum set, found before the release."""

from __future__ import annotations

from typing import Any

import numpy as np

from mixsafe.errors import InputError
from mixsafe.model.course import Course
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.release import Cells
from mixsafe.optimize.answer import MinimumZones
from mixsafe.optimize.minimum import minimum_zones
from mixsafe.optimize.reduction import only
from mixsafe.release.enforce import Demand, privacy_of, wanted

SEARCH_SHARE = 0.7
"""Share of the time left that may be spent on the search; the rest is for the verification."""


def fewest_zones(
    cells: Cells, zones: MixZones, demand: Demand, course: Course
) -> tuple[MixZones, dict[str, Any]]:
    """A minimum set of zones with which each user passes who passes with all zones.

    Parameters
    ----------
    cells, zones
        The released cells of users, and all zones in which pseudonyms can be exchanged.

    Returns
    -------
    MixZones, dict
        The zones, and what is to be said about them.

    Raises
    ------
    InputError
        The time was up before it was known what all zones achieve, or before any set was found.
    """
    privacy = privacy_of(cells, zones, demand, course)
    if np.any(privacy.failing & (privacy.shown & privacy.undecided).any(axis=1)):
        raise InputError(
            "the time was up before it was known whom all zones let pass",
            hint="give more --time-limit, or use --zones all",
        )
    asked = wanted(privacy, zones, demand.k)
    said: dict[str, Any] = {"requirements": len(asked), "zones_there_are": len(zones)}
    if not len(asked):
        none = only(zones, np.empty(0, np.int64))
        return none, {**said, "status": "optimal", "minimum": 0, "bound": 0}
    problem = Problem("release", zones, demand.knowledge, asked)
    found = _searched(problem, course)
    said |= {"status": found.status, "minimum": found.minimum, "bound": found.bound}
    return only(zones, np.array(found.zones, np.int64)), said


def _searched(problem: Problem, course: Course) -> MinimumZones:
    """A set of zones that was found in the search's share of the time.

    Raises
    ------
    InputError
        None was.
    """
    found = minimum_zones(problem, course=course.share(SEARCH_SHARE))
    if found.minimum is None:
        raise InputError(
            f"no set of zones was found in time: {' '.join(found.notes) or found.status}",
            hint="give more --time-limit, or use --zones all",
        )
    return found
