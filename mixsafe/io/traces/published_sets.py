"""Published data sets with files of their own form: Cabspotting, and HuMob.

Cabspotting is the CRAWDAD epfl/mobility data set (Piorkowski, Sarafijanovic-Djukic, Grossglauser).
A folder, or the ``.tar.gz`` as published, of files ``new_<cab>.txt`` with lines
``latitude longitude occupancy unix_time``, newest first: tables in many files, without a header.

The positioning of some cabs fails occasionally: a fix lies far away, and the cab is back a minute
later. Fixes farther than 100 km from the median of the cabs are dropped. In the published data
these are 73 fixes of 34 cabs, each reached or left at more than 600 km/h; the farthest fix of a
drivable trip lies at 81 km.

The Human Mobility Prediction Challenge (HuMob) has tables ``uid,d,t,x,y``: Yabe et al., "YJMob100K:
City-scale and longitudinal dataset of anonymized human mobility trajectories", Scientific Data 11,
397 (2024): ``d`` is a day from 0, ``t`` the half hour of the day, 0 to 47, and ``x``, ``y`` a cell
of a grid of 200 by 200, each 1 to 200. Places that teams had to predict are -999, -999; rows with
them are refused.
"""

from __future__ import annotations

import math
import os
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.io.columns.dialects import layout_of
from mixsafe.io.columns.fixes import Fixes, traces_of
from mixsafe.io.columns.names import Places
from mixsafe.io.columns.reading import Reading, RowFilter, RowRules, within_limits
from mixsafe.io.files.arrays import arrow_texts
from mixsafe.io.files.content import Held, opened, undamaged
from mixsafe.io.files.csv_records import Kind, or_skip
from mixsafe.io.files.sniffing import Sniffed
from mixsafe.io.files.table_form import GEOLIFE_FILES, TableForm
from mixsafe.io.files.table_parts import ENDINGS, TEXTS, TablePart, parts_of
from mixsafe.io.files.tables import held, read_parts, tables_of
from mixsafe.io.traces.table import fixes_of, kinds_of
from mixsafe.machinery.memory import check_fits
from mixsafe.model.mobility.instant import check_tz
from mixsafe.model.mobility.traces import Traces

_BLOCK = 1 << 18
"""Bytes that are read at once: tarfile copies what is left of a block at every header."""


def tar_files(
    path: str | os.PathLike[str], form: TableForm
) -> Iterator[tuple[TablePart, os.PathLike[str]]]:
    """Yield the files of an archive that have a name as the user says, and their content.

    Parameters
    ----------
    form
        What files are called, in whatever folder.

    Raises
    ------
    InputError
        The archive is truncated or damaged, or such a file is no regular one.
    """
    with opened(path) as stream:
        for name, values, content in _members(stream, path, form):
            inside = f"{os.fspath(path)}/{name}"
            # Its lines are looked up later only for messages.
            part = TablePart(Held(inside, partial(_member, path, form, name)), values)
            yield part, Held(inside, partial(bytes, content))
        while stream.read(_BLOCK):
            pass  # Read to the end, where the checksum is.


def _member(path: str | os.PathLike[str], form: TableForm, name: str) -> bytes:
    """A file of an archive."""
    with opened(path) as stream:
        members = _members(stream, path, form)
        return next(content for found, _, content in members if found == name)


def _members(
    stream: IO[bytes], path: str | os.PathLike[str], form: TableForm
) -> Iterator[tuple[str, dict[str, str], bytes]]:
    """Yield the files of an unpacked archive: name, values in it, content."""
    with ExitStack() as stack:
        with undamaged(path):  # the decompression of tarfile accepts a truncated file as complete
            opened = tarfile.open(fileobj=stream, mode="r|", bufsize=_BLOCK)  # noqa: SIM115
            archive = stack.enter_context(opened)
        last = "its beginning"
        while True:
            with undamaged(path, f" after {last}"):
                member = archive.next()
                if member is None:
                    return
                values = form.values_of(PurePosixPath(PurePosixPath(member.name).name))
                if values is not None:
                    content = _content(archive, member, f"{os.fspath(path)}/{member.name}")
            if values is not None:
                yield member.name, values, content
                last = member.name


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo, file: str) -> bytes:
    """Read a file of an archive.

    Raises
    ------
    InputError
        It is not a regular file.
    """
    content = archive.extractfile(member) if member.isreg() and not member.issparse() else None
    if content is None:
        link = member.issym() or member.islnk()
        # A sparse file can claim any size.
        what = f"a link to {member.linkname}" if link else "a folder, a device or a sparse file"
        message = f"this is {what}, not a regular file"
        raise InputError(message, file=file, hint="pack the files themselves")
    check_fits(file, 2 * member.size)
    return content.read()


TZ = "America/Los_Angeles"
"""Time zone of San Francisco."""

FORM = TableForm(("latitude", "longitude", "occupancy", "unix_time"), "new_{user_id}.txt")

FARTHEST = 100_000.0
"""Distance from the median of the cabs beyond which a fix is an outlier, metres."""

_HINT = "write lines as: latitude longitude occupancy unix_time"


def read_cabspotting(path: str | os.PathLike[str], reading: Reading | None = None) -> Traces:
    """Read traces of the cabs; a cab without a valid fix remains a user.

    Parameters
    ----------
    reading
        Its zone in which days begin and end (else America/Los_Angeles), and its rules; None: the
        defaults.

    Returns
    -------
    Traces
        Users are the cabs' names, sorted. ``notes`` count what was dropped or merged.

    Raises
    ------
    InputError
        The folder is empty or has no ``new_*.txt``, the archive is truncated or damaged, or a line
        is invalid; names file and line.
    """
    names: list[str] = []
    reading = reading or Reading()
    zone, rules = check_tz(reading.tz or TZ), reading.rules
    try:
        cabs = list(within_limits(_cabs(path, names, zone, rules), rules, path))
    except InputError as error:  # a fault of a line has a hint for all tables
        if error.line is not None:
            error.hint = or_skip(_HINT)
        raise
    if not names:
        raise _no_cab(Path(path))
    near = _without_outliers(sorted(cabs, key=lambda cab: os.fspath(cab.tables[0].file)))
    if not any(len(cab.time) for cab in near):
        raise InputError("no cab has a single valid fix", file=path)
    near[0] = replace(near[0], absent=(*near[0].absent, arrow_texts(names).dictionary_encode()))
    traces = traces_of(near, "different")
    lost = len(names) - np.count_nonzero(np.bincount(traces.user))
    lost_note = f"{lost} cabs have no valid fix and are in no mix zone"
    return replace(traces, notes=(*traces.notes, lost_note)) if lost else traces


def _cabs(
    path: str | os.PathLike[str], names: list[str], zone: str, rules: RowRules
) -> Iterator[Fixes]:
    """Yield the fixes of each cab that has a line, and collect the names of all."""
    layout, filter = layout_of(path, (*FORM.columns, "user_id")), RowFilter(rules)
    files = _files(path, names)
    for table in tables_of(files, kinds_of(layout), filter.rules.skip_bad, FORM):
        fixes = fixes_of(table, layout, zone, filter=filter)
        usual = table.form is not None and table.form.separator == " "
        yield replace(fixes, notes=()) if usual else fixes


def _files(
    path: str | os.PathLike[str], names: list[str]
) -> Iterator[tuple[TablePart, os.PathLike[str]]]:
    """Yield the files of cabs, and collect the names of these.

    Raises
    ------
    InputError
        A cab has two files.
    """
    whole = Path(path)
    if whole.is_dir() and not any(whole.glob("new_*.txt")):
        raise _no_cab(whole)
    files = map(held, parts_of(path, FORM)) if whole.is_dir() else tar_files(path, FORM)
    for part, source in files:
        name = part.partition["user_id"]
        if name in names:
            raise InputError(f"a second file of cab {name}", file=part.path)
        names.append(name)
        yield part, source


def _no_cab(path: Path) -> InputError:
    """The error for an archive without cabs, and for any folder without tables."""
    if not path.is_dir():
        message = "the archive contains no files new_*.txt"
        return InputError(message, file=path, hint="give the archive of Cabspotting")
    if not any(path.iterdir()):
        return InputError("the folder is empty", file=path)
    tables = ", ".join(ENDINGS)
    message = f"the folder contains neither tables ({tables}) nor files new_*.txt of Cabspotting"
    return InputError(message, file=path, hint=_advice(path))


def _advice(path: Path) -> str | None:
    """What to do with a folder of texts, by the first of them; None: it has none."""
    texts = (one for ending in TEXTS for one in path.rglob(f"*{ending}") if one.is_file())
    first = next(texts, None)
    if first is None:
        return None
    if first.suffix == ".plt":
        return f"say whose its files are, such as {GEOLIFE_FILES}"
    return (
        f"say which of its files are read and what their columns are: --files '*{first.suffix}'"
        " --columns user_id,time,lat,lon; where names of files are the users, --files"
        f" '{{user_id}}{first.suffix}'"
    )


def _without_outliers(cabs: list[Fixes]) -> list[Fixes]:
    """The cabs without fixes farther than ``FARTHEST`` from their median."""
    places = [(cab.lat, cab.lon) for cab in cabs if cab.lat is not None and cab.lon is not None]
    if not places:
        return []
    weights = np.array([len(lat) for lat, _ in places])
    middle_lat, middle_lon = (
        _weighted_median([float(np.median(axis)) for axis in axes if len(axis)], weights)
        for axes in zip(*places, strict=True)
    )
    near = []
    for cab, (lat, lon) in zip(cabs, places, strict=True):
        north = lat - middle_lat
        east = (lon - middle_lon) * math.cos(math.radians(middle_lat))
        # The equirectangular approximation has an error of 1% at this distance.
        keep = north * north + east * east <= math.degrees(FARTHEST / EARTH_RADIUS) ** 2
        near.append(cab if keep.all() else cab.only(keep))
    absurd = [len(cab.time) - len(one.time) for cab, one in zip(cabs, near, strict=True)]
    if any(absurd):
        of = np.count_nonzero(absurd)
        note = f"{sum(absurd)} outliers of {of} cabs dropped: over 100 km from the median"
        near[0] = replace(near[0], notes=(note,))
    return near


def _weighted_median(values: list[float], weights: npt.NDArray[np.int64]) -> float:
    """The lowest value whose cumulative weight reaches half of the total."""
    weights = weights[weights > 0]
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return values[int(order[np.searchsorted(total, total[-1] / 2)])]


COLUMNS = ("uid", "d", "t", "x", "y")
"""The header, in this order."""

STEPS_PER_DAY = 48
"""Half hours of a day."""

SIDE = 200
"""Cells of the grid in each direction."""

_LIMITS = {"d": (0, 10**6), "t": (0, STEPS_PER_DAY - 1), "x": (1, SIDE), "y": (1, SIDE)}
_HUMOB_HINT = (
    "in a table uid,d,t,x,y, d is a day, t a half hour, and x and y a cell, 1 to 200: remove rows"
    " with -999; rename the columns of other tables"
)
_HUMOB_NOTE = (
    "columns uid,d,t,x,y are read as those of HuMob: step d * 48 + t + 1, region y * 200 + x"
    " (--steps-per-day 48 where days matter)"
)


def is_humob(sniffed: Sniffed) -> bool:
    """True if the columns are those of HuMob, in their order."""
    return sniffed.header == COLUMNS


def humob_fixes(
    path: str | os.PathLike[str], reading: Reading, rows: int | None = None
) -> Iterator[Fixes]:
    """Yield the fixes of a table, in order.

    Parameters
    ----------
    reading
        Not used: nothing can be said of it.
    rows
        Rows of a batch, about; None: whole files.

    Raises
    ------
    InputError
        Names the line and column of a value outside of its range.
    """
    kinds: dict[str, Kind] = {"uid": "name"}
    kinds |= dict.fromkeys(_LIMITS, "integer")
    for table in read_parts(path, kinds, rows):
        values = {name: table.values(name) for name in _LIMITS}
        for name, (least, most) in _LIMITS.items():
            wrong = (values[name] < least) | (values[name] > most)
            table.check(wrong, name, f"{{}} is not within {least} to {most}", _HUMOB_HINT)
        yield Fixes(
            tables=(table,),
            user="uid",
            time=values["d"] * STEPS_PER_DAY + values["t"] + 1,
            clock="time_id",
            places=Places(values["y"] * SIDE + values["x"]),
            notes=(_HUMOB_NOTE,),
        )
