"""Any source: what it is, and what is in it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from mixsafe.errors import InputError
from mixsafe.io.columns.fixes import Fixes, traces_of
from mixsafe.io.columns.instants import check_tz
from mixsafe.io.files.sniffing import Sniffed
from mixsafe.io.formats import FORMATS, Format
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem

File = str | os.PathLike[str]


def recognize(path: File) -> str:
    """What a file or folder is, by its content: the name of its format.

    Raises
    ------
    InputError
        It cannot be read, is empty, or is none of :data:`mixsafe.io.formats.FORMATS`.
    """
    sniffed = Sniffed(Path(path))
    for one in reversed(tuple(FORMATS)):
        if one.recognizes(sniffed):
            return one.name
    raise InputError("it is in no format that is known", file=path, hint=FORMATS.hint())


def _named_columns(path: File) -> str:
    """What a file is whose columns have names of their own: by its first bytes, else a table."""
    sniffed = Sniffed(Path(path))
    special = [one for one in FORMATS if "columns" in one.takes and one.name != "table"]
    return next((one.name for one in special if one.recognizes(sniffed)), "table")


@dataclass(frozen=True)
class Reading:
    """How a source is to be read: what it does not say itself.

    Parameters
    ----------
    format
        What it is; None: recognized by its content.
    column
        Own names of columns, by what they mean.
    tz
        Time zone in which days begin and end; None: the data's own.
    crs
        Reference system of coordinates; None: what the data state, else degrees.
    """

    format: str | None = None
    column: Mapping[str, str] | None = None
    tz: str | None = None
    crs: object = None

    def format_of(self, path: File) -> Format:
        """The format of a file, if what is said goes with it.

        Raises
        ------
        InputError
            It cannot be recognized, or what is said has no use for it.
        """
        said = None if self.format is None else FORMATS[self.format]
        if self.tz is not None:
            check_tz(self.tz)
        chosen = said or FORMATS[_named_columns(path) if self.column else recognize(path)]
        if self.column and "columns" not in chosen.takes:
            raise InputError(
                f"column names (--column) are for the format table, not {chosen.name}", file=path
            )
        if self.tz is not None and "tz" not in chosen.takes:
            raise InputError("steps are numbered here: a time zone has no use", file=path)
        if self.crs is not None and "crs" not in chosen.takes:
            raise InputError(f"format {chosen.name} has its own reference system", file=path)
        return chosen

    def more(self) -> dict[str, Any]:
        """Arguments of readers that only some of them take."""
        return {} if self.crs is None else {"crs": self.crs}

    def pieces(self, paths: Sequence[File], rows: int | None) -> Iterator[Fixes]:
        """The fixes of files of traces, one after the other, about ``rows`` at a time.

        Raises
        ------
        InputError
            A file cannot be read so.
        """
        for path in paths:
            chosen = self.format_of(path)
            if chosen.pieces is None:
                raise InputError(f"format {chosen.name} is not read in pieces", file=path)
            yield from chosen.pieces(Path(path), self.column, self.tz, rows, **self.more())


def load(
    source: Any,  # noqa: ANN401 -- tables of libraries that are not imported for this
    *,
    format: str | None = None,
    column: Mapping[str, str] | None = None,
    tz: str | None = None,
    crs: object = None,
    places: File | None = None,
) -> Traces | MixZones | list[Problem]:
    """Read a source.

    Parameters
    ----------
    source
        A file or folder; several files of traces, as a list; an open file; or a table in memory:
        pandas, Polars, PyArrow, whatever else speaks Arrow, a GeoDataFrame, scikit-mobility's
        TrajDataFrame, trackintel's positionfixes, movingpandas' trajectories, a mapping of columns
        (see :mod:`mixsafe.io.objects.frames`).
    format
        What a file is, one of :data:`mixsafe.io.formats.FORMATS`; None: recognized by its content.
    column
        Own column names of a table by their meaning, as ``{"user_id": "driver"}``: see
        :func:`mixsafe.io.traces.table.read_traces_table`.
    tz
        IANA zone in which days begin and end; None: the data's own.
    crs
        Reference system of coordinates, as ``"EPSG:2443"`` or 2443; None: what the data state
        (GeoPandas, GeoParquet, GeoPackage), else degrees.
    places
        File of places in which people mix, in place of cells of a grid: see
        :func:`mixsafe.io.objects.place_files.read_place_shapes`.

    Returns
    -------
    Traces from ``contest``, ``cabspotting`` and ``table``, MixZones from ``zones``, a list of
    problems from ``problem``.

    Raises
    ------
    InputError
        Names file, line and column at fault, and the way out.
    """
    reading = Reading(format, column, tz, crs)
    if isinstance(source, str | os.PathLike):
        found = _of_file(reading, source)
    else:
        found = _of_object(reading, source)
    return found if places is None else at_places(found, places)


def at_places(
    found: Traces | MixZones | list[Problem], places: File, *, elsewhere: bool = False
) -> Traces:
    """Traces of people who mix at places of a file, and elsewhere in cells only if that is said.

    Raises
    ------
    InputError
        There are no coordinates, or the file cannot be used.
    """
    from mixsafe.io.objects.place_files import read_place_shapes

    if not isinstance(found, Traces) or found.lat is None:
        raise InputError("places need coordinates, and there are none", file=places)
    return replace(found, shapes=read_place_shapes(places, elsewhere=elsewhere))


def _of_object(
    reading: Reading,
    source: Any,  # noqa: ANN401 -- as for load
) -> Traces | MixZones | list[Problem]:
    """What is in memory already, or several files."""
    from mixsafe.io.objects.frames import frame_of, listed
    from mixsafe.io.objects.trace_adapters import read_open, traces_of_frame

    if callable(getattr(source, "read", None)):
        return read_open(source, partial(_of_file, reading))
    frame = frame_of(source)
    if frame is not None:
        if reading.format not in (None, "table"):
            raise InputError(f"format {reading.format} is one of files", file=frame.label)
        return traces_of_frame(frame, reading.column, reading.tz, reading.crs)
    files = listed(source)
    if files is None:
        hint = "give a file, several files, or a table of pandas, Polars, PyArrow or GeoPandas"
        raise InputError(f"a {type(source).__name__} is no source", hint=hint)
    return _of_files(reading, files)


def _of_file(reading: Reading, path: File) -> Traces | MixZones | list[Problem]:
    """What is in a file or folder."""
    chosen = reading.format_of(path)
    return chosen.read(Path(path), reading.column, reading.tz, **reading.more())


def _of_files(reading: Reading, files: list[Any]) -> Traces | MixZones | list[Problem]:
    """Traces that lie in several files."""
    strange = next((one for one in files if not isinstance(one, str | os.PathLike)), None)
    if strange is not None:
        raise InputError(f"in a list of files there is a {type(strange).__name__}")
    if not files:
        raise InputError("the list of files is empty")
    if len(files) == 1:
        return _of_file(reading, files[0])
    return traces_of(reading.pieces(files, None))
