"""Questions about data before they are published: without some people, or in another form.

Other forms are ladders: larger cells, longer steps, pseudonyms that all change more often.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.adversaries import DEFAULT
from mixsafe.extract.exchange.rotation import Schedule
from mixsafe.extract.exchange.rules import ExchangeRules, with_rules
from mixsafe.geometry.grid import CellSize
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements, Rule
from mixsafe.network.compression import without
from mixsafe.network.subproblem import among_users
from mixsafe.verify.query import Query

LARGER_CELLS, LONGER_STEPS, ROTATIONS = "larger cells", "longer steps", "rotations"

_SEEN = ("row", "time")
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Form:
    """How data are published.

    Parameters
    ----------
    cell_size
        Side of a cell, metres, or H3 cells, as for :func:`mixsafe.extract.positions.positions`;
        None: places are given.
    time_step
        Length of a step, seconds; None: steps are given.
    rotate
        Times at which all pseudonyms change, as of
        :class:`mixsafe.extract.exchange.rotation.Schedule`; None: never.
    """

    cell_size: CellSize | None = None
    time_step: int | None = None
    rotate: str | None = None


Ladders = Mapping[str, tuple[Form, ...]]
"""By the name of the remedy: forms that differ more and more from that of the data."""


def allows_more(fine: Problem, coarse: Problem) -> bool:
    """Whether it is plain that every assignment of one problem is one of the other.

    So it is if every zone lies within a zone of the other that allows all exchanges, at the same
    step, and the same is known and asked. Then whoever passes in ``fine`` passes in ``coarse``.
    """
    one, other = fine.zones, coarse.zones
    if one.axis != other.axis or not np.array_equal(one.users, other.users):
        return False
    if not np.array_equal(one.absent, other.absent):
        return False
    if other.relation is not None or not _alike(fine, coarse):
        return False
    width = np.int64(one.axis.steps + 1)
    inside = other.members * width + other.time[other.zone_of_member]
    order = np.argsort(inside, kind="stable")
    wanted = one.members * width + one.time[one.zone_of_member]
    place = np.searchsorted(inside[order], wanted)
    if len(wanted) and place.max() >= len(order):
        return False
    place = order[place]
    if not np.array_equal(inside[place], wanted):
        return False
    zone = other.zone_of_member[place]
    return bool((zone == zone[one.ptr[:-1]][one.zone_of_member]).all()) if len(zone) else True


def _alike(fine: Problem, coarse: Problem) -> bool:
    """Whether the same is known and asked."""
    one, other = fine.requirements, coarse.requirements
    if (one is None) != (other is None) or fine.knowledge.distinct != coarse.knowledge.distinct:
        return False
    pairs = [(getattr(fine.knowledge, name), getattr(coarse.knowledge, name)) for name in _SEEN]
    if one is not None and other is not None:
        pairs += [(getattr(one, name), getattr(other, name)) for name in (*_SEEN, "k")]
    return all(np.array_equal(*pair) for pair in pairs)


def coarser_cells(cells: CellSize) -> tuple[CellSize, ...]:
    """Cells of 2, 4, 8 and 16 times the side; or the next three resolutions of H3."""
    if isinstance(cells, str):
        resolution = int(cells.partition(":")[2])
        return tuple(f"h3:{one}" for one in range(resolution - 1, resolution - 4, -1) if one >= 0)
    return tuple(cells * factor for factor in (2, 4, 8, 16))


def longer_steps(seconds: int) -> tuple[int, ...]:
    """Steps of 2, 5, 15 and 60 times the length."""
    return tuple(seconds * factor for factor in (2, 5, 15, 60))


def more_rotations(axis: TimeAxis, now: str | None, steps_per_day: int = 20) -> tuple[str, ...]:
    """Schedules by which pseudonyms change more often than now, the rarest first.

    Weekly, daily, every 6 hours and every hour; where steps are numbered, weekly, daily, twice and
    four times a day. Those that do not fall into the data are left out.
    """
    halves = (max(steps_per_day // 2, 1), max(steps_per_day // 4, 1))
    often = ("every:6h", "every:1h") if axis.timed else tuple(f"every:{one}" for one in halves)
    most = 0 if now is None else len(Schedule.parse(now).steps(axis, steps_per_day))
    found: list[str] = []
    for text in ("weekly", "daily", *often):
        try:
            times = len(Schedule.parse(text).steps(axis, steps_per_day))
        except InputError:  # none within the data
            continue
        if times > most:
            found.append(text)
            most = times
    return tuple(found)


def ladders_of(
    form: Form,
    cell_sizes: Sequence[CellSize] | None = None,
    time_steps: Sequence[int] | None = None,
    rotations: Sequence[str] = (),
) -> Ladders:
    """Ladders of larger cells, of longer steps, and of rotations.

    Parameters
    ----------
    form
        How the data are published.
    cell_sizes, time_steps
        Coarser ones, in the order in which they are preferred; None: those of
        :func:`coarser_cells` and :func:`longer_steps`.
    rotations
        Schedules, in the order in which they are preferred.

    Raises
    ------
    InputError
        Cells or steps that are named, where the data have their own, or a rung that is not coarser.
    """
    found: dict[str, tuple[Form, ...]] = {}
    cells, steps = form.cell_size, form.time_step
    if cells is None:
        _refuse(cell_sizes, "cell sizes", "the places of the data are given")
    else:
        sizes = coarser_cells(cells) if cell_sizes is None else cell_sizes
        for size in sizes:
            if type(size) is type(cells) and not _coarser(size, cells):
                raise InputError(f"cells of {size} are not larger than those now, {cells}")
        found[LARGER_CELLS] = tuple(replace(form, cell_size=size) for size in sizes)
    if steps is None:
        _refuse(time_steps, "time steps", "the data number their steps")
    else:
        lengths = longer_steps(steps) if time_steps is None else time_steps
        for length in lengths:
            if length <= steps:
                raise InputError(f"steps of {length} s are not longer than those now, {steps} s")
        found[LONGER_STEPS] = tuple(replace(form, time_step=length) for length in lengths)
    found[ROTATIONS] = tuple(replace(form, rotate=one) for one in rotations)
    return found


def _refuse(given: object, what: str, why: str) -> None:
    if given:
        raise InputError(f"{what} cannot be given: {why}")


def _coarser(one: CellSize, other: CellSize) -> bool:
    """Whether cells of one kind are larger than others of the same kind."""
    if isinstance(one, str) and isinstance(other, str):
        return int(one.partition(":")[2]) < int(other.partition(":")[2])
    return float(one) > float(other)


def form_of(traces: Traces, cell_size: CellSize, time_step: int, rotate: str | None = None) -> Form:
    """How traces are published; what is given by the traces themselves is None."""
    named = traces.shapes is not None and not traces.shapes.elsewhere
    return Form(
        None if traces.region is not None or named else cell_size,
        None if traces.clock == "time_id" else time_step,
        rotate,
    )


@dataclass(frozen=True, eq=False)
class Publication:
    """A question that can be asked again without some people.

    Parameters
    ----------
    problem
        Meetings and knowledge, before ``rules`` apply.
    query
        What is asked of everybody.
    rules, traces, steps_per_day
        Which exchanges are possible: as for :func:`mixsafe.extract.exchange.rules.with_rules`.
    fewest
        Fewest people who make a mix zone, >= 2.
    """

    problem: Problem
    query: Query
    rules: ExchangeRules = field(default_factory=ExchangeRules)
    traces: Traces | None = None
    steps_per_day: int = 20
    fewest: int = 2

    @cached_property
    def requirements(self) -> Requirements | None:
        """What is asked at single steps; None: everybody is asked about at every time."""
        return self.query.requirements(self.problem)

    @property
    def rule(self) -> Rule:
        """When a user passes."""
        return self.query.rule or Rule.default(every_time=self.requirements is None)

    @property
    def everybody(self) -> Flags:
        """(n_users,) those whom the question is about: with data, or all who are named."""
        kept = np.ones(self.problem.zones.n_users, bool)
        if self.requirements is None:
            kept[self.problem.zones.absent] = False
        return kept

    def among(self, kept: Flags) -> tuple[Problem, Query]:
        """The question when only the people ``kept``, (n_users,), are published.

        Nobody else is in a mix zone, passes or fails. Rows, steps, places and sightings stay.
        """
        problem, _ = among_users(self.problem, np.flatnonzero(kept))
        zones = without(problem.zones, problem.zones.sizes < self.fewest)
        gone = np.union1d(zones.absent, np.flatnonzero(~kept))
        zones = replace(zones, absent=gone)
        if zones.n_users - len(gone) >= 2:
            zones = with_rules(zones, self.rules, self.traces, self.steps_per_day).zones
        asked, k = self.requirements, self.query.k
        if asked is not None:
            asked, k = asked.those(kept[asked.row]), None
        query = Query(k, None, self.rule, distinct_places=self.query.distinct_places)
        return replace(problem, zones=zones, requirements=asked), query


@dataclass(frozen=True)
class Asking:
    """The question about data that may be published in several forms.

    Parameters
    ----------
    data
        Traces, mix zones, what was extracted from traces, or a problem.
    pose
        Poses the question about such data in a form.
    adversary
        Options of ``mixsafe verify`` that say what she knows of traces.
    """

    data: Any
    pose: Callable[[Any, Form], Publication]
    adversary: str = f"--adversary {DEFAULT}"

    def __call__(self, form: Form) -> Publication:
        """The question about the data in a form."""
        return self.pose(self.data, form)

    def again(self, traces: Traces, form: Form) -> Publication:
        """The question about traces that were written in a form; their places are regions."""
        return self.pose(traces, Form(time_step=form.time_step, rotate=form.rotate))
