"""Cells and steps that fixes suggest, and what each size would give."""

from __future__ import annotations

import numpy as np

from mixsafe.describing.description import FixFacts, SizeRow, SizeTable
from mixsafe.describing.measures import STEPS, label_of
from mixsafe.extract.pose import pose
from mixsafe.extract.select import SECONDS_PER_DAY, select
from mixsafe.model.answer.wording import plural
from mixsafe.model.course import Course, SolveLimits
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.progress import Progress
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.verification import answer

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
