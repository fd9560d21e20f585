"""Adapters of sightings and of costs: tables in memory and files."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.io.objects.frames import frame_of
from mixsafe.io.problems.costs import read_costs
from mixsafe.io.problems.sightings import read_sightings
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.places import ZonePlaces


def sightings_of(
    given: object, users: Names, axis: TimeAxis, aliases: Mapping[str, str] | None = None
) -> Knowledge:
    """Sightings from a table in memory, a file, or :class:`Knowledge` unchanged.

    Columns are those of :func:`mixsafe.io.problems.sightings.read_sightings`.

    Raises
    ------
    InputError
        Names the row at fault; or the object is neither a table nor a file.
    """
    if isinstance(given, Knowledge):
        return given
    source = given if isinstance(given, str | PathLike) else frame_of(given)
    if source is None:
        hint = "give a table or a file with columns user_id and time (or time_id)"
        raise InputError(f"knowledge cannot be read from a {type(given).__name__}", hint=hint)
    return read_sightings(source, users, axis, aliases=aliases)


def costs_of(given: object, places: ZonePlaces) -> npt.NDArray[np.int64]:
    """(n_places,) costs from a table in memory or a file with columns ``place`` and ``cost``.

    Raises
    ------
    InputError
        Names the row at fault; or the object is neither a table nor a file.
    """
    source = given if isinstance(given, str | PathLike) else frame_of(given)
    if source is None:
        hint = "give a table or a file with columns place and cost"
        raise InputError(f"costs cannot be read from a {type(given).__name__}", hint=hint)
    return read_costs(source, places)
