"""Releases, and what is known about them, as commands name them: read into what audits need."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mixsafe.errors import InputError
from mixsafe_cli.options.checks import refuse_together

if TYPE_CHECKING:
    from mixsafe.geometry.grid import Grid
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


def read_release(
    path: Path,
    regions: Path | None,
    sets_meet: bool,
    cell_size: float | None,
    time_step: int | None,
) -> Released:
    """Read the contest's form, or a table of pseudonyms, times and places.

    Raises
    ------
    InputError
        The file cannot be used, or an option does not apply to it.
    """
    from mixsafe.io.files.tables import header_of
    from mixsafe.release.evidence import Published
    from mixsafe_cli.options.contest_options import read_rules

    header = header_of(path)
    if header == _CONTEST:
        from mixsafe.io.contest.reading import read_public

        given: dict[str, object] = {"--cell-size": cell_size, "--time-step": time_step}
        refuse_together(given, f"places in {path} are regions, and its times are steps")
        n_regions = read_rules(regions).regions.count
        cells = read_public(path, n_regions)
        return Released(Published.of_cells(cells, sets_meet=sets_meet), n_regions)
    refuse_together({"--regions": regions, "--sets-meet": sets_meet}, f"{path} has no such regions")
    pseudonym = next((name for name in _PSEUDONYMS if name in header), None)
    columns = None if pseudonym is None else {"user_id": pseudonym}
    return _read_table(path, columns, cell_size, time_step)


def _read_table(
    path: Path, columns: dict[str, str] | None, cell_size: float | None, time_step: int | None
) -> Released:
    """Read a table of fixes by pseudonym."""
    from mixsafe.extract.positions import grid_of, positions
    from mixsafe.io.traces.table import read_traces_table
    from mixsafe.release.evidence import Published

    traces = read_traces_table(path, columns=columns)
    cell_metres = 100.0 if cell_size is None else cell_size
    places = positions(traces, cell_size=cell_metres, time_step=time_step or 60)
    grid = None if traces.region is not None else grid_of(traces, cell_metres)
    return Released(Published.of_positions(places), None, grid)


def read_knowledge(path: Path, released: Released) -> Sightings:
    """Sightings; the first that fits no track is refused with its line.

    Raises
    ------
    InputError
        The file cannot be used, or contradicts the release.
    """
    import numpy as np

    from mixsafe.io.traces.place_sightings import read_place_sightings

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


def read_reference(path: Path, released: Released, steps_per_day: int) -> Sightings:
    """Reference traces at the release's own times, or moved to them by whole days.

    Traces of other days stand for habits: what users did then they are taken to do in the release,
    the first day of the reference on the first day of the release, at the same time of the day.

    Raises
    ------
    InputError
        The file cannot be used, or no time of it falls into the release's.
    """
    from dataclasses import replace

    import numpy as np

    from mixsafe.io.traces.place_sightings import read_place_sightings

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
