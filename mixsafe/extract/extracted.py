"""Extraction results of traces that do not fit in memory."""

from __future__ import annotations

from dataclasses import dataclass

from mixsafe.geometry.grid import CellGrid
from mixsafe.model.mobility.traces import Names, Positions, Traces
from mixsafe.model.question.mix_zones import MixZones


@dataclass(frozen=True, eq=False)
class Extraction:
    """The extraction result of a source of traces, without the traces.

    Parameters
    ----------
    traces
        What the source is: names, clock, time zone, period, centre, notes. Of its fixes it holds
        the first and the last time only.
    positions
        Where each user is in each step.
    zones
        Where users meet.
    grid
        In whose cells they meet; None where places are regions.
    """

    traces: Traces
    positions: Positions
    zones: MixZones
    grid: CellGrid | None

    @property
    def users(self) -> Names:
        """Names, (n_users,)."""
        return self.zones.users
