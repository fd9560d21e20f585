"""Ladders of remedies: the same traces with larger cells, or with longer steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mixsafe.errors import InputError
from mixsafe.geometry.grid import CellSize
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.problem import Problem

LARGER_CELLS, LONGER_STEPS = "larger cells", "longer steps"


@dataclass(frozen=True)
class Grain:
    """How fine the published traces are.

    Parameters
    ----------
    cell_size
        Side of a cell, metres, or H3 cells, as for :func:`mixsafe.extract.positions.positions`;
        None: places are given.
    time_step
        Length of a step, seconds; None: steps are given.
    """

    cell_size: CellSize | None = None
    time_step: int | None = None


@dataclass(frozen=True)
class Ladder:
    """Coarser grains, the finest first.

    Parameters
    ----------
    name
        Of the remedy.
    rungs
        The grains.
    """

    name: str
    rungs: tuple[Grain, ...]


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
    if (one is None) != (other is None):
        return False
    pairs = [(getattr(fine.knowledge, name), getattr(coarse.knowledge, name)) for name in _SEEN]
    if one is not None and other is not None:
        pairs += [(getattr(one, name), getattr(other, name)) for name in (*_SEEN, "k")]
    return all(np.array_equal(*pair) for pair in pairs)


_SEEN = ("row", "time")


def coarser_cells(cells: CellSize) -> tuple[CellSize, ...]:
    """Cells of 2, 4, 8 and 16 times the side; or the next three resolutions of H3."""
    if isinstance(cells, str):
        resolution = int(cells.partition(":")[2])
        return tuple(f"h3:{one}" for one in range(resolution - 1, resolution - 4, -1) if one >= 0)
    return tuple(cells * factor for factor in (2, 4, 8, 16))


def longer_steps(seconds: int) -> tuple[int, ...]:
    """Steps of 2, 5, 15 and 60 times the length."""
    return tuple(seconds * factor for factor in (2, 5, 15, 60))


def ladders_of(
    traces: Traces,
    grain: Grain,
    cell_sizes: Sequence[CellSize] | None = None,
    time_steps: Sequence[int] | None = None,
) -> tuple[Ladder, ...]:
    """Ladders of larger cells and of longer steps.

    Parameters
    ----------
    traces, grain
        The traces, and how fine they are.
    cell_sizes, time_steps
        Coarser ones, in the order in which they are preferred; None: those of
        :func:`coarser_cells` and :func:`longer_steps`.

    Raises
    ------
    InputError
        Traces without cells or clock for which some are named, or a rung that is not coarser.
    """
    found = []
    cells, steps = grain.cell_size, grain.time_step
    if cells is None:
        _refuse(cell_sizes, "cell sizes", "the places of the traces are given")
    else:
        sizes = coarser_cells(cells) if cell_sizes is None else cell_sizes
        for size in sizes:
            if type(size) is type(cells) and not _coarser(size, cells):
                raise InputError(f"cells of {size} are not larger than those now, {cells}")
        rungs = tuple(replace(grain, cell_size=size) for size in sizes)
        found.append(Ladder(LARGER_CELLS, rungs))
    if steps is None:
        _refuse(time_steps, "time steps", "the traces number their steps")
    else:
        lengths = longer_steps(steps) if time_steps is None else time_steps
        for length in lengths:
            if length <= steps:
                raise InputError(f"steps of {length} s are not longer than those now, {steps} s")
        rungs = tuple(replace(grain, time_step=length) for length in lengths)
        found.append(Ladder(LONGER_STEPS, rungs))
    return tuple(one for one in found if one.rungs)


def _refuse(given: object, what: str, why: str) -> None:
    if given is not None:
        raise InputError(f"{what} cannot be given: {why}")


def _coarser(one: CellSize, other: CellSize) -> bool:
    """Whether cells of one kind are larger than others of the same kind."""
    if isinstance(one, str) and isinstance(other, str):
        return int(one.partition(":")[2]) < int(other.partition(":")[2])
    return float(one) > float(other)


def grain_of(traces: Traces, cell_size: CellSize, time_step: int) -> Grain:
    """How fine traces are; what is given by the traces themselves is None."""
    named = traces.shapes is not None and not traces.shapes.elsewhere
    return Grain(
        None if traces.region is not None or named else cell_size,
        None if traces.clock == "time_id" else time_step,
    )
