"""What a remedy costs: fixes that are not published, and how far off those are that are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.extract.positions import axis_of, grid_of, last_of_steps, steps_of
from mixsafe.geometry.grid import plane
from mixsafe.model.mobility.traces import Traces
from mixsafe.remedies.ladders import Form
from mixsafe.remedies.publication import Flags


@dataclass(frozen=True)
class Cost:
    """What is lost of traces.

    Parameters
    ----------
    lost
        Share of all fixes that are not published: those of people who are left out, those that are
        hidden, and those that a later fix of the same step replaces. None: not known.
    left_out
        Share of all fixes that are of people of whom nothing is published; None: not known.
    metres
        From a published fix to the middle of its cell, on average; None: no cells of a grid.
    minutes
        From the beginning of the step to a published fix, on average; None: no clock.
    """

    lost: float | None = None
    left_out: float | None = None
    metres: float | None = None
    minutes: float | None = None


@dataclass(frozen=True)
class PublishedFixes:
    """The fixes of traces that count in a form, the last one in each step.

    Parameters
    ----------
    traces, form
        The traces, and how they are published.
    """

    traces: Traces
    form: Form

    @cached_property
    def place(self) -> npt.NDArray[np.int64]:
        """(n_counted,) numbers of the fixes that count."""
        return np.flatnonzero(last_of_steps(self.traces.user, self._every_step))

    @property
    def user(self) -> npt.NDArray[np.int32]:
        """(n_counted,) users of these."""
        return self.traces.user[self.place]

    @property
    def step(self) -> npt.NDArray[np.int32]:
        """(n_counted,) steps of these."""
        return self._every_step[self.place]

    @cached_property
    def _every_step(self) -> npt.NDArray[np.int32]:
        axis = axis_of(self.traces, self.form.time_step or 60)
        return steps_of(self.traces.time, axis)

    @cached_property
    def _metres(self) -> npt.NDArray[np.float64] | None:
        """(n_counted,) way to the middle of the cell."""
        traces, size = self.traces, self.form.cell_size
        if size is None or traces.lat is None or traces.lon is None or traces.shapes is not None:
            return None
        lat, lon, grid = traces.lat[self.place], traces.lon[self.place], grid_of(traces, size)
        there = plane(grid.center, *grid.cell_center(grid.cell(lat, lon)))
        here = plane(grid.center, lat, lon)
        return np.hypot(there[0] - here[0], there[1] - here[1])

    @cached_property
    def _minutes(self) -> npt.NDArray[np.float64] | None:
        """(n_counted,) time since the step began."""
        if self.form.time_step is None:
            return None
        axis = axis_of(self.traces, self.form.time_step)
        return ((self.traces.time[self.place] - axis.first) % self.form.time_step) / 60

    def cost(self, published: Flags | None = None) -> Cost:
        """What is lost if only some of them are published, (n_counted,); None: all are."""
        total, counted = len(self.traces.user), len(self.place)
        which = np.ones(counted, bool) if published is None else published
        left = int(np.count_nonzero(which))
        if not total or not left:
            return Cost(1.0, 1.0) if total else Cost()
        shown = np.zeros(len(self.traces.users), bool)
        shown[self.user[which]] = True
        left_out = round(1 - float(shown[self.traces.user].mean()), 6)
        metres = None if self._metres is None else round(float(self._metres[which].mean()), 1)
        minutes = None if self._minutes is None else round(float(self._minutes[which].mean()), 2)
        return Cost(round(1 - left / total, 6), left_out, metres, minutes)
