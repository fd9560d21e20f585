"""Lines of fixes as arrays: of columns of lists (Parquet, GeoArrow), of well-known binary (WKB).

The last of four numbers of a position, a measure, and fields ``m``, ``t``, ``time`` and
``timestamp`` of a position are its time; the last of three is, if it can be no elevation.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.io.columns.points import head_of_wkb
from mixsafe.io.files.arrays import flags, numbers
from mixsafe.io.files.csv_records import MISSING
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


_TIMES = ("m", "t", "time", "timestamp")
_LINE, _LINES = 2, 5
"""Types of WKB: LineString, MultiLineString."""
_SHORTEST = 9
"""Bytes of a line without positions."""


def is_list(kind: pa.DataType) -> bool:
    """True for a column of lists of any length."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def are_lines(kind: pa.DataType) -> bool:
    """True if the lists of a column are lines: of positions, or of lists of positions."""
    return is_list(kind) and (_is_position(kind.value_type) or are_lines(kind.value_type))


def _is_position(kind: pa.DataType) -> bool:
    """True for a struct with x and y, and for a list of numbers."""
    if pa.types.is_struct(kind):
        return {"x", "y"} <= {field.name for field in kind}
    if not (is_list(kind) or pa.types.is_fixed_size_list(kind)):
        return False
    value = kind.value_type
    return bool(
        pa.types.is_integer(value) or pa.types.is_floating(value) or pa.types.is_decimal(value)
    )


def lines_of_lists(column: pa.Array) -> Lines:
    """The lines of a column of lists; positions that have not two to four numbers are wrong."""
    counts, values = _flat(column)
    while are_lines(values.type):  # lines of several parts
        inner, values = _flat(values)
        ends = np.concatenate([[0], np.cumsum(inner)])
        parts = np.concatenate([[0], np.cumsum(counts)])
        counts = ends[parts[1:]] - ends[parts[:-1]]
    if pa.types.is_struct(values.type):
        return _of_structs(counts, values)
    return _of_lists(counts, *_flat(values))


def _of_lists(counts: Ints, lengths: Ints, values: pa.Array) -> Lines:
    """Lines of positions that are lists of numbers, of so many each.

    Some may have an elevation and others not, but either all have a time or none.
    """
    bad = (lengths < 2) | (lengths > 4)
    if len(lengths) and lengths[0] == 4:
        bad |= lengths != 4
    row = np.repeat(np.arange(len(counts)), counts)
    wrong = np.zeros(len(counts), bool)
    wrong[row[bad]] = True
    if wrong.any():
        keep = ~wrong[row]
        values = values.filter(pa.array(np.repeat(keep, lengths)))
        lengths, counts = lengths[keep], np.where(wrong, 0, counts)
    found = numbers(values.cast(pa.float64(), safe=False).fill_null(np.nan))
    return lines_of_numbers(counts, lengths, found, timed=None)._replace(wrong=wrong)


def _flat(column: pa.Array) -> tuple[Ints, pa.Array]:
    """Lengths of lists, 0 of missing ones, and what is in them."""
    if pa.types.is_fixed_size_list(column.type):
        size = column.type.list_size
        there = flags(column.is_valid())
        return np.where(there, size, 0).astype(np.int64), column.flatten()
    lengths = numbers(compute.list_value_length(column).fill_null(0)).astype(np.int64)
    return lengths, column.flatten()


def _of_structs(counts: Ints, values: pa.StructArray) -> Lines:
    """Lines of positions with named coordinates."""
    x, y = (
        numbers(compute.struct_field(values, axis).cast(pa.float64()).fill_null(np.nan))
        for axis in ("x", "y")
    )
    name = next((one.name for one in values.type if one.name in _TIMES), None)
    return Lines(counts, x, y, None if name is None else compute.struct_field(values, name))


def lines_of_wkb(column: pa.ChunkedArray) -> Lines:
    """The lines of a column of WKB, as bytes or in hexadecimal; a loop over its rows."""
    counts, wrong = np.zeros(len(column), np.int64), np.zeros(len(column), bool)
    axes = np.zeros(len(column), np.int64)
    parts = [np.zeros(0)]
    measures: set[bool] = set()
    srids: set[int] = set()
    for row, cell in enumerate(column.to_pylist()):
        cell = bytes_of(cell) if isinstance(cell, str) else cell
        if not cell:
            continue
        try:
            srid, measured, values = _line_of(cell)
        except (struct.error, ValueError):
            wrong[row] = True
            continue
        if not len(values):
            continue
        if measures and measured not in measures:  # some have times, and others not
            wrong[row] = True
            continue
        measures.add(measured)
        srids.add(srid)
        counts[row], axes[row] = values.shape
        parts.append(values.ravel())
    found = lines_of_numbers(
        counts, np.repeat(axes, counts), np.concatenate(parts), timed=True in measures or None
    )
    return found._replace(wrong=wrong, srid=tuple(sorted(srids - {0})))


def bytes_of(text: str) -> bytes:
    r"""Bytes in hexadecimal, as PostGIS writes them, with ``\x`` or without.

    Empty for a text that stands for a missing value, the text itself for any other.
    """
    text = text.strip()
    try:
        return bytes.fromhex(text.removeprefix("\\x"))
    except ValueError:
        return b"" if text in MISSING else text.encode()


def is_line_of_wkb(cell: bytes) -> bool:
    """True if bytes begin as a line of WKB does."""
    head = head_of_wkb(cell)
    return len(cell) >= _SHORTEST and head is not None and head.kind in (_LINE, _LINES)


def _line_of(cell: bytes) -> tuple[int, bool, npt.NDArray[np.float64]]:
    """SRID, whether the last number is a measure, and (n, n_axes) positions of a line of WKB.

    Raises
    ------
    ValueError, struct.error
        The bytes are no line.
    """
    head = head_of_wkb(cell)
    if head is None or head.kind not in (_LINE, _LINES):
        raise ValueError("no line")
    srid, axes = _number(cell, head.start - 4, head.order) if head.has_srid else 0, head.axes
    count, at = _number(cell, head.start, head.order), head.start + 4
    if head.kind == _LINE:
        found = np.frombuffer(cell, f"{head.order}f8", count * axes, at).reshape(-1, axes)
        if at + found.nbytes != len(cell):
            raise ValueError("there are more bytes than positions")
        return srid, head.measured, found.astype(np.float64)
    parts = []
    for _ in range(count):
        part = head_of_wkb(cell, at)
        if part is None or part[1:4] != (_LINE, axes, head.measured):
            raise ValueError("a part is no line")
        size = _number(cell, part.start, part.order) * axes
        parts.append(np.frombuffer(cell, f"{part.order}f8", size, part.start + 4).reshape(-1, axes))
        at = part.start + 4 + parts[-1].nbytes
    whole = np.concatenate([np.zeros((0, axes)), *parts])
    return srid, head.measured, whole.astype(np.float64)


def _number(cell: bytes, at: int, order: str) -> int:
    """A whole number in WKB."""
    found: int = struct.unpack_from(f"{order}I", cell, at)[0]
    return found
