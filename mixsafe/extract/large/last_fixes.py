"""From sorted fixes to positions, batch after batch: what reading and positions do to whole arrays.

Repeated rows are merged, a user in two regions at one time is refused, the part that is asked for
is taken, and of several fixes in one step the last one counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.extract.large.fix_store import FixStore
from mixsafe.extract.select import ChosenPart
from mixsafe.geometry.jumps import Dropped, Jumps
from mixsafe.machinery.spill import DiskColumn, SpillRoom, ahead
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import equal_to_next

Array = npt.NDArray[Any]
Batch = dict[str, Array]


class LastFixes:
    """The fixes that count, one for each user and step, in columns on disk.

    Parameters
    ----------
    store
        All fixes.
    axis
        The time steps.
    choice
        The part that is asked for; None: all.
    scratch
        Where the columns lie.
    jumps
        Finds jumps in all merged fixes; None: nobody looks for them.
    without
        Merged fixes that do not count; None: all do.

    Attributes
    ----------
    columns
        ``user`` (row among those chosen), ``step``, and ``region`` or ``lat`` and ``lon``: (n,).
    everywhere
        ``lat`` and ``lon`` of all merged fixes of the source, chosen or not.
    merged, elsewhere, chosen
        How many rows repeated another one; how many of the others have the user and time of another
        one; how many of the others are in the part.
    seen
        (n_users,) whether each user of the part has a fix in it.
    some_in_period
        Whether anybody has a fix in the period.

    Raises
    ------
    InputError
        A user is in two regions at one time_id.
    """

    def __init__(
        self,
        store: FixStore,
        axis: TimeAxis,
        choice: ChosenPart | None,
        scratch: SpillRoom,
        *,
        jumps: Jumps | None = None,
        without: Dropped | None = None,
    ) -> None:
        self._store, self._axis = store, axis
        outline = store.outline
        n_users = len(outline.users)
        self._window = None if choice is None else choice.window
        self._row = np.arange(n_users, dtype=np.int32)
        if choice is not None and choice.rows is not None:
            self._row = np.full(n_users, -1, np.int32)
            self._row[choice.rows] = np.arange(len(choice.rows), dtype=np.int32)
        self._strict = outline.clock == "time_id" and "region" in store.places
        kinds = {"user": np.int32, "step": np.int32, "region": np.int64}
        names = ("user", "step", *store.places)
        self.columns = {
            name: scratch.column(f"last_{name}", kinds.get(name, np.float64)) for name in names
        }
        self.everywhere: dict[str, DiskColumn] = {
            name: scratch.column(f"all_{name}", np.float64)
            for name in store.places
            if name in "latlon"
        }
        self.merged = self.elsewhere = self.chosen = 0
        self.seen = np.zeros(int(np.count_nonzero(self._row >= 0)), bool)
        self.some_in_period = False
        self._jumps, self._without, self._read = jumps, without, 0
        self._waiting: Batch = {}
        for batch in ahead(store.in_order(scratch.piece)):
            self._count(self._in_part(self._without_repeats(batch)))
        self._write(self._waiting)

    def _without_repeats(self, batch: Batch) -> Batch:
        """The fixes that do not repeat the one before them, which is in the same batch."""
        again = same = equal_to_next([batch[name] for name in self._store.keys])
        if again.any():
            same = again & equal_to_next([batch[name] for name in self._store.places])
            wrong = int((again & ~same).argmax())
            if self._strict and not np.array_equal(again, same):
                user, time = int(batch["user"][wrong]), int(batch["time"][wrong])
                raise self._store.second_place(user, time)
        merged = int(np.count_nonzero(same))
        self.merged += merged
        self.elsewhere += int(np.count_nonzero(again)) - merged
        fixes = batch
        if merged:
            kept = ~np.append(False, same)
            fixes = {name: values[kept] for name, values in batch.items()}
        fixes = self._counting(fixes)
        for name, column in self.everywhere.items():
            column.append(fixes[name])
        return fixes

    def _counting(self, fixes: Batch) -> Batch:
        """The merged fixes that count; looks for jumps among all."""
        if self._jumps is not None:
            self._jumps.add(*(fixes[name] for name in ("user", "time", "lat", "lon")))
        if self._without is None:
            return fixes
        keep = self._without.kept(self._read, len(fixes["user"]))
        self._read += len(keep)
        return {name: values[keep] for name, values in fixes.items()}

    def forget(self) -> None:
        """Remove the columns from the disk."""
        for column in (*self.columns.values(), *self.everywhere.values()):
            column.forget()

    def _in_part(self, fixes: Batch) -> Batch:
        """The fixes that are asked for, with the users' rows in the part, and steps for times."""
        time = fixes["time"]
        inside = np.ones(len(time), bool)
        if self._window is not None:
            inside = (time >= self._window[0]) & (time < self._window[1])
        self.some_in_period |= bool(inside.any())
        user = self._row[fixes["user"]]
        inside &= user >= 0
        step = (time - self._axis.first) // (self._axis.step_seconds or 1) + 1
        made = {name: fixes[name] for name in self._store.places}
        made |= {"user": user, "step": step}
        if not inside.all():
            made = {name: values[inside] for name, values in made.items()}
        self.seen[made["user"]] = True
        self.chosen += len(made["user"])
        return made

    def _count(self, fixes: Batch) -> None:
        """Write those that no later one in the same step replaces; the last has to wait."""
        fixes = _after(self._waiting, fixes)
        user, step = fixes["user"], fixes["step"]
        last = np.flatnonzero((user[1:] != user[:-1]) | (step[1:] != step[:-1]))
        self._write({name: values[last] for name, values in fixes.items()})
        self._waiting = {name: values[-1:] for name, values in fixes.items()}

    def _write(self, fixes: Batch) -> None:
        for name, values in fixes.items():
            self.columns[name].append(values)


def _after(first: Batch, then: Batch) -> Batch:
    """Columns one after the other."""
    if not first or not len(first["user"]):
        return then
    return {name: np.concatenate([first[name], values]) for name, values in then.items()}
