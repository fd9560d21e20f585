"""Lines of fixes as arrays, whatever they were written as."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mixsafe.model.mobility.clock_numbers import are_unix_times

Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Coordinates = npt.NDArray[np.float64]


class Lines(NamedTuple):
    """Lines of a column, their positions one after another.

    Parameters
    ----------
    counts
        (n_rows,) positions of each row; 0: it has no line.
    x, y
        (n_positions,) coordinates, NaN where there is none.
    time
        (n_positions,) times of positions: numbers or texts; None: they have none.
    wrong
        (n_rows,) rows that have no line, but something else; None: no row.
    srid
        Reference systems that lines state.
    """

    counts: Ints
    x: Coordinates
    y: Coordinates
    time: pa.Array | None = None
    wrong: Flags | None = None
    srid: tuple[int, ...] = ()

    @classmethod
    def joined(cls, parts: Sequence[Lines]) -> Lines:
        """Lines of several chunks of a column."""
        if len(parts) == 1:
            return parts[0]
        times = [part.time for part in parts if part.time is not None and len(part.time)]
        timed = any(part.time is not None for part in parts)
        kinds = {time.type for time in times}
        if len(kinds) > 1:
            times = [time.cast(pa.float64()) for time in times]
        none = np.zeros(0)
        return cls(
            np.concatenate([np.zeros(0, np.int64), *(part.counts for part in parts)]),
            np.concatenate([none, *(part.x for part in parts)]),
            np.concatenate([none, *(part.y for part in parts)]),
            (pa.concat_arrays(times) if times else pa.array(none)) if timed else None,
            np.concatenate(
                [np.zeros(0, bool)]
                + [
                    np.zeros(len(part.counts), bool) if part.wrong is None else part.wrong
                    for part in parts
                ]
            ),
            tuple(dict.fromkeys(one for part in parts for one in part.srid)),
        )

    def without(self, rows: Flags) -> Lines:
        """The lines, those of some (n_rows,) rows without their positions."""
        if not rows.any():
            return self
        keep = ~np.repeat(rows, self.counts)
        return self._replace(
            counts=np.where(rows, 0, self.counts),
            x=self.x[keep],
            y=self.y[keep],
            time=None if self.time is None else self.time.filter(pa.array(keep)),
        )


def lines_of_numbers(counts: Ints, axes: Ints, values: Coordinates, *, timed: bool | None) -> Lines:
    """Lines of positions with two to four numbers each.

    Parameters
    ----------
    counts
        (n_rows,) positions of each row.
    axes
        (n_positions,) numbers of each.
    values
        All numbers: x, y and further ones of the first position, and so on.
    timed
        Whether the last one is the time; None: it is if all have four, or if all have three of
        which the third can be no elevation.
    """
    last = np.cumsum(axes) - 1
    first = last - axes + 1
    if timed is None:
        size = int(axes[0]) if len(axes) and (axes == axes[0]).all() else 0
        timed = size == 4 or (size == 3 and are_unix_times(values[last]))
    time = _whole(values[last]) if timed else None
    return Lines(counts, values[first], values[first + 1], time)


def _whole(time: Coordinates) -> pa.Array:
    """Times as whole numbers, if all are."""
    with np.errstate(invalid="ignore"):
        whole = time.astype(np.int64)
    return pa.array(whole if np.array_equal(whole, time) else time)
