"""Traces, sightings and costs from tables in memory and open files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import LineColumn, layout_of
from mixsafe.io.columns.fixes import Fixes
from mixsafe.io.columns.reading import Reading, RowFilter
from mixsafe.io.lines.line_columns import line_among
from mixsafe.io.objects.frames import Frame, SeveralTypesError, frame_of
from mixsafe.io.problems.side_tables import read_costs, read_sightings
from mixsafe.io.traces.table import fixes_of, kinds_of
from mixsafe.machinery.temporary_files import scratch_folder
from mixsafe.model.mobility.instant import check_tz
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.places import ZonePlaces

Read = TypeVar("Read")

_BLOCK = 1 << 20


def fixes_of_frame(frame: Frame, reading: Reading) -> Fixes:
    """Read fixes from a table in memory, in the order of its rows.

    Raises
    ------
    InputError
        Names the table, and the row and column at fault.
    """
    said, plane = _said(frame, reading.column or {}), reading.crs is not None
    try:
        layout = layout_of(
            frame.label, frame.header, said, plane=plane, lines=partial(_line, frame)
        )
    except InputError as error:  # tables in memory have no line numbers
        raise InputError(
            error.message, file=error.file, column=error.column, hint=error.hint
        ) from None
    filter = RowFilter(reading.rules)
    table = frame.table(kinds_of(layout), filter.rules.skip_bad)
    zone = None if reading.tz is None else check_tz(reading.tz)
    if zone is not None and layout.numbered:
        raise InputError("a time zone cannot be applied to numbered steps", file=frame.label)
    crs = reading.crs if plane else frame.crs
    fixes = fixes_of(table, layout, zone, crs, filter)
    return replace(fixes, notes=(*frame.notes, *fixes.notes))


def _line(frame: Frame, name: str | None) -> LineColumn | None:
    """The column of lines of a table in memory: only the one of this name, if any."""
    wanted = [name] if name else frame.header
    return line_among((one, column) for one in wanted if (column := _uniform(frame, one)))


def _uniform(frame: Frame, name: str) -> pa.ChunkedArray | None:
    """A column of a table in memory; None: it has values of several types."""
    try:
        return frame.column(name)
    except SeveralTypesError:
        return None


def _said(frame: Frame, column: Mapping[str, str]) -> dict[str, str]:
    """Meanings of columns: those of the caller, else those of the table's type."""
    said = dict(frame.said)
    if any(meaning in column for meaning in ("lat", "lon", "geometry", "reg_id")):
        said.pop("geometry", None)
    if any(meaning in column for meaning in ("time", "time_id", "seconds", "start")):
        said.pop("time", None)
    return said | dict(column)


def read_open(stream: Any, read: Callable[[Path], Read]) -> Read:  # noqa: ANN401 -- any open file
    """Read the rest of an open file, binary or text, like a file of the same name.

    Parameters
    ----------
    stream
        An object with ``read``; it is read to its end and not closed.
    read
        Reads a file by its path.

    Raises
    ------
    InputError
        As ``read``, with the name of the stream; or the stream yields neither bytes nor text.
    """
    name = getattr(stream, "name", None)
    label = (
        os.fspath(name) if isinstance(name, str | os.PathLike) else f"the {type(stream).__name__}"
    )
    with scratch_folder("stream") as folder:
        path = folder / (Path(label).name or "stream")
        copy(stream, path, label)
        try:
            return read(path)
        except InputError as error:
            place = error.file is not None and error.file.startswith(str(path))
            file = label + str(error.file)[len(str(path)) :] if place else error.file
            raise InputError(
                error.message, file=file, line=error.line, column=error.column, hint=error.hint
            ) from None


def copy(stream: Any, path: Path, label: str) -> None:  # noqa: ANN401 -- any open file
    """Copy the rest of an open file to a file.

    Raises
    ------
    InputError
        The stream yields neither bytes nor text, or cannot be read.
    """
    try:
        with path.open("wb") as file:
            while part := stream.read(_BLOCK):
                file.write(part.encode("utf-8") if isinstance(part, str) else part)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).partition("\n")[0].lower()
        raise InputError(f"cannot read: {reason}", file=label) from None


def sightings_of(
    given: object, users: Names, axis: TimeAxis, aliases: Mapping[str, str] | None = None
) -> Knowledge:
    """Sightings from a table in memory, a file, or :class:`Knowledge` unchanged.

    Columns are those of :func:`mixsafe.io.problems.side_tables.read_sightings`.

    Raises
    ------
    InputError
        Names the row at fault; or the object is neither a table nor a file.
    """
    if isinstance(given, Knowledge):
        return given
    source = given if isinstance(given, str | PathLike) else frame_of(given)
    if source is None:
        hint = "give a table or a file with columns user_id and time (or time_id)"
        raise InputError(f"knowledge cannot be read from a {type(given).__name__}", hint=hint)
    return read_sightings(source, users, axis, aliases=aliases)


def costs_of(given: object, places: ZonePlaces) -> npt.NDArray[np.int64]:
    """(n_places,) costs from a table in memory or a file with columns ``place`` and ``cost``.

    Raises
    ------
    InputError
        Names the row at fault; or the object is neither a table nor a file.
    """
    source = given if isinstance(given, str | PathLike) else frame_of(given)
    if source is None:
        hint = "give a table or a file with columns place and cost"
        raise InputError(f"costs cannot be read from a {type(given).__name__}", hint=hint)
    return read_costs(source, places)
