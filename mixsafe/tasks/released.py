"""Releases, and what is known about them, from files: read into what audits need."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mixsafe.errors import InputError
from mixsafe.extract.positions import grid_of, positions
from mixsafe.geometry import Grid
from mixsafe.io.contest.reading import read_public
from mixsafe.io.files.tables import header_of
from mixsafe.io.traces.place_sightings import read_place_sightings
from mixsafe.io.traces.table import read_traces_table
from mixsafe.model.mobility.regions import Regions
from mixsafe.model.release.sightings import Sightings
from mixsafe.release.evidence import Published

_CONTEST = ("pse_id", "time_id", "reg_id")
_PSEUDONYMS = ("pse_id", "pseudonym")


@dataclass(frozen=True)
class Released:
    """A release, and how its places are numbered.

    Parameters
    ----------
    published
        The tracks.
    n_regions
        In the contest's form: regions 1 to n outside; None: places are numbered as they are.
    grid
        Of coordinates; None: places are regions.
    """

    published: Published
    n_regions: int | None = None
    grid: Grid | None = None


def in_contest_form(path: str | os.PathLike[str]) -> bool:
    """Whether a file has the columns of the contest's releases."""
    return header_of(path) == _CONTEST


def read_release(
    path: str | os.PathLike[str],
    *,
    n_regions: int | None = None,
    sets_meet: bool = False,
    cell_size: float = 100.0,
    time_step: int = 60,
) -> Released:
    """Read the contest's form, or a table of pseudonyms, times and places.

    Parameters
    ----------
    path
        ``pse_id,time_id,reg_id``; or CSV or Parquet as :func:`mixsafe.io.sources.load` reads it,
        with pseudonyms for users.
    n_regions
        Of the contest's form; None: as many as the contest's 32 x 32.
    sets_meet
        Of the contest's form: tracks that show the same set of regions meet, too.
    cell_size, time_step
        Of coordinates, metres, > 0, and of moments, seconds, >= 1.

    Raises
    ------
    InputError
        The file cannot be used.
    """
    if in_contest_form(path):
        count = Regions.of_contest().count if n_regions is None else n_regions
        cells = read_public(Path(path), count)
        return Released(Published.of_cells(cells, sets_meet=sets_meet), count)
    pseudonym = next((name for name in _PSEUDONYMS if name in header_of(path)), None)
    columns = None if pseudonym is None else {"user_id": pseudonym}
    traces = read_traces_table(path, columns=columns)
    places = positions(traces, cell_size=cell_size, time_step=time_step)
    grid = None if traces.region is not None else grid_of(traces, cell_size)
    return Released(Published.of_positions(places), None, grid)


def read_knowledge(path: str | os.PathLike[str], released: Released) -> Sightings:
    """Sightings; the first that fits no track is refused with its line.

    Raises
    ------
    InputError
        The file cannot be used, or contradicts the release.
    """
    published = released.published
    seen = read_place_sightings(
        path, published.zones.axis, n_regions=released.n_regions, grid=released.grid
    )
    ptr, _ = published.fitting(seen.sightings.step, seen.sightings.place)
    seen.refuse(
        np.diff(ptr) == 0,
        "no published track was at {} then",
        "the knowledge contradicts the release: were its cells noised?",
    )
    return seen.sightings


def read_reference(
    path: str | os.PathLike[str], released: Released, steps_per_day: int = 20
) -> Sightings:
    """Reference traces at the release's own times, or moved to them by whole days.

    Traces of other days stand for habits: what users did then they are taken to do in the release,
    the first day of the reference on the first day of the release, at the same time of the day.

    Raises
    ------
    InputError
        The file cannot be used, or no time of it falls into the release's.
    """
    axis = released.published.zones.axis
    if axis.timed:
        return read_place_sightings(path, axis, grid=released.grid).sightings
    wide = replace(axis, first=1, steps=axis.first + axis.steps + 1_000_000)
    seen = read_place_sightings(path, wide, n_regions=released.n_regions).sightings
    step = seen.step.astype(np.int64) - (axis.first - 1)
    if not np.any((step >= 1) & (step <= axis.steps)):
        first = int(step.min()) - 1
        step += -(first // steps_per_day) * steps_per_day
    inside = np.flatnonzero((step >= 1) & (step <= axis.steps))
    if not len(inside):
        raise InputError("no time of the reference falls into the release's", file=path)
    moved = replace(seen, step=step.astype(np.int32))
    return moved.only(inside)
