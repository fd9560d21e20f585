"""Measures of fixes, the cells and steps that these suggest, and what each size would give.

Measures are times between fixes, steps without one, distances, and where fixes are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.describing.description import FixFacts, FixMap, SizeRow, SizeTable
from mixsafe.errors import InputError
from mixsafe.extract.pose import pose
from mixsafe.extract.positions import axis_of, grid_of, last_of_steps, steps_of
from mixsafe.extract.select import SECONDS_PER_DAY, select
from mixsafe.geometry.grid import Grid, way_between
from mixsafe.model.answer.wording import plural
from mixsafe.model.course import Course, SolveLimits
from mixsafe.model.mobility.instant import EARLIEST, LATEST
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.progress import Progress
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.verification import answer

NAMES = 5
"""Users who are named."""

STEPS = (60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400)
"""Usual lengths of steps, seconds; the first is the default of all commands."""

_LATE = 1.1
"""How much longer the time between fixes may be than a step: clocks are not exact."""

MOST_SQUARES = 2000
"""Squares of a map, at most: those with most fixes."""

_SHOWN = 0.98
"""Share of the fixes in these squares, at least."""

_BLOCK = 1 << 18
"""Fixes whose distances are computed at once."""


def usual_step(median: float) -> int:
    """The shortest usual step that is about the median time between fixes or longer, seconds."""
    return next((one for one in STEPS if _LATE * one >= median), STEPS[-1])


def fix_facts(traces: Traces, people: int) -> FixFacts:
    """The facts of traces with at least one fix.

    Parameters
    ----------
    people
        Number of users after those are merged who are always together.
    """
    seen = np.count_nonzero(np.bincount(traces.user, minlength=len(traces.users)))
    median, most = _between(traces)
    step = usual_step(median or 0) if traces.clock == "unix" else None
    whole, within = _shares(traces, step)
    first, last = int(traces.time.min()), int(traces.time.max())
    return FixFacts(
        users=len(traces.users),
        users_without_data=len(traces.users) - int(seen),
        first_users=tuple(map(str, traces.users[:NAMES].tolist())),
        people=people,
        fixes=len(traces.user),
        first=label_of(traces, first),
        last=label_of(traces, last),
        tz=traces.tz if traces.clock == "unix" else None,
        places=None if traces.region is None else len(np.unique(traces.region)),
        between_median=median,
        between_most=most,
        time_step=step,
        share_of_steps=whole,
        share_of_steps_within=within,
        metres_per_step=_metres(traces, float(step or 1), median or 0),
    )


def label_of(traces: Traces, time: int) -> int | str:
    """A time as data have it; a number where it has no date."""
    has_date = traces.clock == "unix" and EARLIEST <= time < LATEST
    return TimeAxis(1, time, 1 if has_date else None, traces.tz).label(1)


def _between(traces: Traces) -> tuple[float | None, float | None]:
    """Median time from a fix to the user's next one, and what nine of ten do not exceed."""
    between = np.diff(traces.time)[traces.user[1:] == traces.user[:-1]]
    if not len(between):
        return None, None
    median, most = np.quantile(between, (0.5, 0.9))
    return float(median), float(most)


def _shares(traces: Traces, step: int | None) -> tuple[float | None, float | None]:
    """Shares of the steps with a fix: of all, and of those from the first to the last fix."""
    try:
        axis = axis_of(traces, step or 1)
    except InputError:  # a slip in a time makes more steps than can be counted
        return None, None
    at = steps_of(traces.time, axis)
    kept = last_of_steps(traces.user, at)
    steps = int(np.count_nonzero(kept))
    begin = np.flatnonzero(np.append(True, traces.user[1:] != traces.user[:-1]))
    end = np.append(begin[1:], len(at)) - 1
    within = int((at[end].astype(np.int64) - at[begin] + 1).sum())
    return round(steps / (len(begin) * axis.steps), 6), round(steps / within, 6)


def _metres(traces: Traces, step: float, median: float) -> float | None:
    """Median distance that those who move go in a step, metres.

    From each fix to the user's next one, if that is no more than a step later or the median time
    between fixes, whichever is longer.
    """
    lat, lon = traces.lat, traces.lon
    if lat is None or lon is None:
        return None
    longest = max(step, median)
    found: list[npt.NDArray[np.float64]] = []
    for begin in range(0, len(lat) - 1, _BLOCK):
        one = slice(begin, min(begin + _BLOCK, len(lat) - 1))
        other = slice(one.start + 1, one.stop + 1)
        later = traces.time[other] - traces.time[one]
        near = (traces.user[other] == traces.user[one]) & (later > 0) & (later <= longest)
        way = way_between(lat[one][near], lon[one][near], lat[other][near], lon[other][near])
        moved = way > 1
        found.append((way[moved] * (step / later[near][moved])).astype(np.float64))
    speeds = np.concatenate(found) if found else np.zeros(0)
    return round(float(np.median(speeds)), 1) if len(speeds) else None


def fix_map(traces: Traces, side: float) -> FixMap | None:
    """Number of fixes by square; None: it is not known where places are.

    Parameters
    ----------
    side
        Of a square, metres; it is doubled until few enough of them have nearly all fixes.
    """
    if traces.lat is None or traces.lon is None or not len(traces.lat):
        return None
    center = grid_of(traces).center
    lat, lon, fixes = _squares(Grid(center, side), traces.lat, traces.lon)
    while True:
        grid = Grid(center, side)
        cell, number = np.unique(grid.cell(lat, lon), return_inverse=True)
        fixes = np.bincount(number, fixes).astype(np.float64)
        lat, lon = grid.cell_center(cell)
        fullest = np.sort(np.argsort(-fixes, kind="stable")[:MOST_SQUARES])
        if fixes[fullest].sum() >= _SHOWN * fixes.sum():
            break
        side *= 2
    return FixMap(
        side,
        tuple(lat[fullest].round(6).tolist()),
        tuple(lon[fullest].round(6).tolist()),
        tuple(fixes[fullest].astype(np.int64).tolist()),
        int(fixes.sum() - fixes[fullest].sum()),
    )


def _squares(
    grid: Grid, lat: npt.NDArray[np.float64], lon: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Latitude, longitude and number of fixes of squares, some of them several times."""
    blocks = [slice(begin, begin + _BLOCK) for begin in range(0, len(lat), _BLOCK)]
    found = [np.unique(grid.cell(lat[one], lon[one]), return_counts=True) for one in blocks]
    cell, fixes = (np.concatenate(part) for part in zip(*found, strict=True))
    return (*grid.cell_center(cell), fixes.astype(np.float64))


CELLS = (50, 100, 200, 500, 1000, 2000, 5000)
"""Usual sides of cells, metres."""

DEFAULT_CELL = 100
"""Side where nothing is known of how people move."""

MOST_FIXES = 1_000_000
"""Of more, a part of the time is looked at."""

ADVERSARY = "endpoints"


def sides(facts: FixFacts) -> tuple[int, int, int]:
    """Three sides of cells: about what people move in a step, one size less and one more."""
    metres = facts.metres_per_step or DEFAULT_CELL
    inner = CELLS[1:-1]
    place = int(np.abs(np.log(np.array(inner) / max(metres, 1))).argmin()) + 1
    return CELLS[place - 1], CELLS[place], CELLS[place + 1]


def _sizes(facts: FixFacts) -> tuple[list[tuple[int | None, int | None]], int]:
    """Sizes of cells and steps, and which of them is suggested."""
    if facts.places is None:
        return [(side, facts.time_step) for side in sides(facts)], 1
    if facts.time_step is None:
        return [(None, None)], 0
    place = min(STEPS.index(facts.time_step), len(STEPS) - 3)
    return [(None, step) for step in STEPS[place : place + 3]], STEPS.index(facts.time_step) - place


def size_table(
    traces: Traces, facts: FixFacts, k: int, seconds: float, progress: Progress
) -> SizeTable:
    """What three sizes would give.

    Parameters
    ----------
    traces
        With one user for each person.
    k
        Candidates that a user needs.
    seconds
        That deciding may take in all; finding mix zones comes on top.

    Raises
    ------
    InputError
        The traces cannot be asked about: there are more steps than can be counted.
    """
    part, sample = _part(traces)
    sizes, suggested = _sizes(facts)
    rows: list[SizeRow] = []
    left = seconds
    for number, (side, step) in enumerate(sizes):
        progress("trying sizes", number, len(sizes))
        row, took = _row(part, side, step, k, left / (len(sizes) - number))
        rows.append(row)
        left = max(left - took, 0.1)
    return SizeTable(k, ADVERSARY, sample, tuple(rows), suggested)


def _row(
    traces: Traces, side: int | None, step: int | None, k: int, seconds: float
) -> tuple[SizeRow, float]:
    """What one size gives, and how long that took to decide."""
    problem = pose(
        traces,
        adversary=ADVERSARY,
        cell_size=side or DEFAULT_CELL,
        time_step=step or STEPS[0],
        placed=False,
    )
    found = answer(problem, Query(k), Settings(), Course.begin(SolveLimits(seconds)))
    people = found.user_rows
    whole = max(int(people.weight.sum()), 1)
    safe, undecided = (
        round(float((part * people.weight).sum()) / whole, 6)
        for part in (people.safe_share, people.undecided_share)
    )
    zones = problem.zones
    row = SizeRow(side, step, len(zones), len(zones.alone), safe, undecided)
    return row, found.seconds


def _part(traces: Traces) -> tuple[Traces, str | None]:
    """Traces of at most about ``MOST_FIXES`` fixes, and which part of all that is, in words.

    A period around the median time of the fixes: whole days if it is a day or longer.
    """
    if len(traces.time) <= MOST_FIXES:
        return traces, None
    first, last = int(traces.time.min()), int(traces.time.max())
    length = (last - first + 1) * MOST_FIXES // len(traces.time)
    day = SECONDS_PER_DAY if traces.clock == "unix" else 1
    length = length // day * day if length >= day else max(length, 1)
    start = int(np.median(traces.time)) - length // 2
    start -= (start - first) % min(day, length)
    # As texts: numbers are Unix seconds from 1990 to 2050 only.
    part = select(traces, start=label_of(traces, start), end=label_of(traces, start + length))
    if traces.clock == "time_id":
        return part, f"{plural(length, 'step', 'steps')} of the data"
    if length >= day:
        return part, f"{plural(length // day, 'day', 'days')} of the data"
    return part, f"{length / 3600:.1f} hours of the data"
