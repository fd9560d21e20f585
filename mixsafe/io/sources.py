"""Loading of any source: format detection and reading."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack, overload

from mixsafe.errors import InputError, about
from mixsafe.geometry.jumps import without_jumps
from mixsafe.io.columns.fixes import Fixes, traces_of
from mixsafe.io.columns.reading import Reading, RowRules, within_limits
from mixsafe.io.files.sniffing import Sniffed
from mixsafe.io.files.table_form import TableForm
from mixsafe.io.formats import FORMATS, Format
from mixsafe.io.objects.frame_files import one_file_each
from mixsafe.model.arguments import check_known
from mixsafe.model.mobility.instant import check_tz, date_order
from mixsafe.model.mobility.names import check_similar
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem

File = str | os.PathLike[str]


def recognize(path: File) -> str:
    """Detect the format of a file or folder by its content; return the format's name.

    Raises
    ------
    InputError
        It cannot be read, is empty, or has none of :data:`mixsafe.io.formats.FORMATS`.
    """
    sniffed = Sniffed(Path(path), TableForm())
    for one in reversed(tuple(FORMATS)):
        if one.recognizes(sniffed):
            return one.name
    raise InputError("unknown format", file=path, hint=FORMATS.hint())


def described(path: File, form: TableForm | None = None) -> str:
    """Format of a file whose columns, files or layer the user says: by its first bytes, else table.

    Raises
    ------
    InputError
        The file cannot be read, or no file of the folder is called so.
    """
    sniffed = Sniffed(Path(path), form)
    takers = [one for one in FORMATS if "columns" in one.takes and one.name != "table"]
    return next((one.name for one in reversed(takers) if one.recognizes(sniffed)), "table")


def format_of(path: File, reading: Reading) -> Format:
    """Determine the format of a file and check that the options apply to it.

    Raises
    ------
    InputError
        The format is unknown, or does not support an option.
    """
    said = None if reading.format is None else FORMATS[reading.format]
    if reading.tz is not None:
        check_tz(reading.tz)
    chosen = said or FORMATS[_recognized(path, reading)]
    for option, is_said, message, hint in _OPTIONS:
        if is_said(reading) and option not in chosen.takes:
            raise InputError(message.format(chosen.name), file=path, hint=hint)
    return chosen


_OWN_FORM = "format {} says itself what its columns and files are", "omit --columns and --files"

_OPTIONS: tuple[tuple[str, Callable[[Reading], object], str, str | None], ...] = (
    (
        "columns",
        lambda reading: reading.column,
        "format {} has fixed column names",
        "--column is for format table",
    ),
    ("tz", lambda reading: reading.tz, "a time zone cannot be applied to numbered steps", None),
    (
        "crs",
        lambda reading: reading.crs is not None,
        "format {} has a fixed reference system",
        "omit --crs",
    ),
    (
        "rules",
        lambda reading: reading.rules != RowRules(),
        "format {} has no rows that can be skipped",
        "omit --keep-null-island, --drop-spikes, --skip-bad, --day-first, --month-first",
    ),
    ("header", lambda reading: reading.form.columns, *_OWN_FORM),
    ("files", lambda reading: reading.form.files, *_OWN_FORM),
    (
        "layer",
        lambda reading: reading.form.layer is not None,
        "format {} has no layers",
        "omit --layer",
    ),
)
"""Options that only some formats take, whether they are given, and what is said to the others."""


def _recognized(path: File, reading: Reading) -> str:
    """Name of the format of a file."""
    if reading.form.columns:
        return "table"
    if reading.column or reading.form != TableForm():
        return described(path, reading.form)
    return recognize(path)


def pieces_of(paths: Sequence[File], reading: Reading, rows: int | None) -> Iterator[Fixes]:
    """The fixes of trace files in order, in batches of about ``rows`` rows.

    Raises
    ------
    InputError
        The format of a file cannot be read in batches.
    """
    parts = (part for path in paths for part in _pieces_of_one(path, reading, rows))
    if len(paths) == 1:
        return within_limits(parts, reading.rules, Path(paths[0]))
    return within_limits(one_file_each(parts), reading.rules)


def _pieces_of_one(path: File, reading: Reading, rows: int | None) -> Iterator[Fixes]:
    """Yield the fixes of a trace file, whatever is wrong with them as a whole."""
    chosen = format_of(path, reading)
    if chosen.pieces is None:
        raise InputError(f"format {chosen.name} cannot be read in batches", file=path)
    yield from chosen.pieces(Path(path), reading, rows)


class LoadOptions(TypedDict, total=False):
    """Options for reading a source; all are optional.

    Parameters
    ----------
    column
        Column names of a table by meaning, such as ``{"user_id": "driver"}``: see
        :data:`mixsafe.io.columns.dialects.NAMES`.
    tz
        Zone in which days begin and end, an IANA name or an offset such as ``+09:00``; None: the
        data's own.
    crs
        Reference system of coordinates, such as ``"EPSG:2443"`` or 2443; None: that of the data
        (GeoPandas, GeoParquet, GeoPackage), else degrees.
    places
        File of places in which people mix, instead of grid cells: see
        :func:`mixsafe.io.objects.place_files.read_place_shapes`.
    similar_names
        What names of users are that differ only in case, leading zeros or the like: the ``same``
        name, or ``different`` ones; None: they are refused.
    keep_null_island
        Take latitude 0, longitude 0 for a place; else rows with it are skipped, as are all rows
        without a position (see :mod:`mixsafe.io.columns.reading`).
    drop_spikes
        Drop jumps to a place and back that are faster than this, km/h; None: they are kept, and
        those above 1,000 km/h are counted.
    skip_bad
        Skip rows that cannot be read; else the first one is refused.
    most_bad
        Largest number of rows to skip so, or share, such as ``"2%"``; None: 1 %.
    day_first, month_first
        What comes first in dates whose year comes last, such as 3/1/2024, also in files of
        sightings; neither: what a day above 12 tells.
    columns
        Names of the columns of a text without a header, in order; ``_`` is one that is not needed.
    files
        Which files of a folder are read, and what their paths say, such as
        ``{user_id}/Trajectory/*.plt``: see :class:`mixsafe.io.files.table_form.TableForm`.
    layer
        Which layer is read of files that have several, such as GeoPackages; None: the only one.
    time_step
        Length of the shortest time step for which stays are read, seconds: they have a fix in each
        (see :mod:`mixsafe.io.columns.stays`).
    """

    column: Mapping[str, str] | None
    tz: str | None
    crs: object
    places: File | None
    similar_names: str | None
    keep_null_island: bool
    drop_spikes: float | None
    skip_bad: bool
    most_bad: str | float | None
    day_first: bool
    month_first: bool
    columns: Sequence[str]
    files: str | None
    layer: str | None
    time_step: int


@overload
def load(  # type: ignore[overload-overlap]
    source: object, *, format: Literal["zones"], **options: Unpack[LoadOptions]
) -> MixZones: ...


@overload
def load(  # type: ignore[overload-overlap]
    source: object, *, format: Literal["problem"], **options: Unpack[LoadOptions]
) -> list[Problem]: ...


@overload
def load(
    source: object, *, format: str | None = None, **options: Unpack[LoadOptions]
) -> Traces: ...


def load(
    source: Any, *, format: str | None = None, **options: Unpack[LoadOptions]
) -> Traces | MixZones | list[Problem]:
    """Read a source.

    Parameters
    ----------
    source
        A file or folder; several files of traces, as a list; an open file; or a table in memory:
        pandas, Polars, PyArrow, whatever else speaks Arrow, a GeoDataFrame, scikit-mobility's
        TrajDataFrame, trackintel's positionfixes and staypoints, movingpandas' trajectories, a
        mapping of columns
        (see :mod:`mixsafe.io.objects.frames`).
    format
        Format of a file, from :data:`mixsafe.io.formats.FORMATS`; None: detected by content.
    **options
        See :class:`LoadOptions`.

    Returns
    -------
    Traces from ``contest``, ``cabspotting`` and ``table``, MixZones from ``zones``, a list of
    problems from ``problem``.

    Raises
    ------
    InputError
        Names file, line and column at fault, and a remedy.
    """
    check_known("load", options, LoadOptions.__optional_keys__)
    similar_names, places = options.get("similar_names"), options.get("places")
    check_similar(similar_names)
    rules = RowRules(
        options.get("keep_null_island", False),
        options.get("drop_spikes"),
        options.get("skip_bad", False),
        options.get("most_bad"),
        date_order(options.get("day_first", False), options.get("month_first", False)),
        options.get("time_step", 60),
    )
    form = TableForm(tuple(options.get("columns", ())), options.get("files"), options.get("layer"))
    column, tz, crs = options.get("column"), options.get("tz"), options.get("crs")
    found = read(source, Reading(format, column, tz, crs, similar_names, rules, form))
    return found if places is None else at_places(found, places)


def read(
    source: Any,  # noqa: ANN401 -- as for load
    reading: Reading,
) -> Traces | MixZones | list[Problem]:
    """Read a source, as :func:`load`.

    Raises
    ------
    InputError
        As for :func:`load`.
    """
    if isinstance(source, str | os.PathLike):
        found = _of_file(reading, source)
    else:
        found = _of_object(reading, source)
    if not isinstance(found, Traces):
        return found
    with about(source if isinstance(source, str | os.PathLike) else "the traces"):
        return without_jumps(found, reading.rules.drop_spikes)


def at_places(
    found: Traces | MixZones | list[Problem], places: File, *, elsewhere: bool = False
) -> Traces:
    """Let the people of traces mix at the places of a file, and with ``elsewhere`` also in cells.

    Raises
    ------
    InputError
        The traces have no coordinates, or the file cannot be used.
    """
    from mixsafe.io.objects.place_files import read_place_shapes

    if not isinstance(found, Traces) or found.lat is None:
        raise InputError(
            "places need traces with coordinates, and these have none",
            file=places,
            hint="omit --places: people mix at the places that the traces name",
        )
    return replace(found, shapes=read_place_shapes(places, elsewhere=elsewhere))


def _of_object(
    reading: Reading,
    source: Any,  # noqa: ANN401 -- as for load
) -> Traces | MixZones | list[Problem]:
    """Read an object in memory, or several files."""
    from mixsafe.io.objects.adapters import fixes_of_frame, read_open
    from mixsafe.io.objects.frames import frame_of, listed

    if callable(getattr(source, "read", None)):
        return read_open(source, partial(_of_file, reading))
    frame = frame_of(source)
    if frame is not None:
        if reading.format not in (None, "table"):
            message = f"format {reading.format} is for files, not for tables in memory"
            raise InputError(message, file=frame.label)
        parts = within_limits([fixes_of_frame(frame, reading)], reading.rules, frame.label)
        return traces_of(parts, reading.similar_names)
    files = listed(source)
    if files is None:
        hint = "give a file, several files, or a table of pandas, Polars, PyArrow or GeoPandas"
        raise InputError(f"cannot read traces from a {type(source).__name__}", hint=hint)
    return _of_files(reading, files)


def _of_file(reading: Reading, path: File) -> Traces | MixZones | list[Problem]:
    """Read a file or folder."""
    chosen = format_of(path, reading)
    if chosen.read is None:
        return _of_pieces(reading, [path])
    return chosen.read(Path(path), reading)


def _of_files(reading: Reading, files: list[Any]) -> Traces | MixZones | list[Problem]:
    """Read traces from several files."""
    strange = next((one for one in files if not isinstance(one, str | os.PathLike)), None)
    if strange is not None:
        raise InputError(f"the list of files contains a {type(strange).__name__}")
    if not files:
        raise InputError("the list of files is empty")
    return _of_file(reading, files[0]) if len(files) == 1 else _of_pieces(reading, files)


def _of_pieces(reading: Reading, files: Sequence[File]) -> Traces:
    """Read traces from the parts of one or more files."""
    return traces_of(pieces_of(files, reading, None), reading.similar_names)
