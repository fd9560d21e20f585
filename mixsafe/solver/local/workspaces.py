"""What a thread needs for itself while it anneals: sets that assumptions narrow, and sightings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from mixsafe.network.core import Core
from mixsafe.solver.local.assumed_sightings import AssumedSightings, no_sightings
from mixsafe.solver.local.histories import Landscape
from mixsafe.solver.state.possibilities import Possibilities


class Workspace(NamedTuple):
    """One thread's.

    Parameters
    ----------
    may
        Who may be where, under what is assumed at the time.
    around
        The landscape with these sets, and with sightings that are added at the time.
    added
        Those sightings.
    """

    may: Possibilities
    around: Landscape
    added: AssumedSightings


class Workspaces:
    """Made when a thread needs one, and used again by the next: they are large.

    Parameters
    ----------
    core, around
        The question, and its landscape.
    """

    def __init__(self, core: Core, around: Landscape) -> None:
        self.core, self.around = core, around
        self._free: list[Workspace] = []

    @contextmanager
    def one(self) -> Iterator[Workspace]:
        """One that nobody else uses, in which nothing is assumed; it is to be left like that."""
        try:
            workspace = self._free.pop()
        except IndexError:
            workspace = self._new()
        yield workspace
        self._free.append(workspace)

    def _new(self) -> Workspace:
        may = Possibilities.of(self.core, self.around.possible)
        around = self.around._replace(since=self.around.since.copy(), possible=may.possible)
        return Workspace(may, around, no_sightings(around, self.core.network.start))
