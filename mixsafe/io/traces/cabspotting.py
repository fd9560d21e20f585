"""Cabspotting: the CRAWDAD epfl/mobility data set (Piorkowski, Sarafijanovic-Djukic, Grossglauser).

A folder, or the ``.tar.gz`` as published, of files ``new_<cab>.txt`` with lines
``latitude longitude occupancy unix_time``, newest first.

The positioning of some cabs fails occasionally: a fix lies far away, and the cab is back a minute
later. Fixes farther than 100 km from the median of the cabs are dropped. In the published data
these are 73 fixes of 34 cabs, each reached or left at more than 600 km/h; the farthest fix of a
drivable trip lies at 81 km.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import csv

from mixsafe.errors import InputError
from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.io.columns.no_position import REASON, all_are_positions, no_position
from mixsafe.io.columns.row_rules import BAD, RowRules
from mixsafe.io.files.arrays import numbers
from mixsafe.io.files.csv_records import or_skip
from mixsafe.io.files.table_parts import ENDINGS, TEXTS
from mixsafe.io.files.text_form import GEOLIFE_FILES
from mixsafe.io.traces.cab_files import cab_files
from mixsafe.model.mobility.clock_numbers import NoTimeError, numbered_times
from mixsafe.model.mobility.fix_order import equal_to_next, same_moment_in_order
from mixsafe.model.mobility.premises import MOST_EXAMPLES, Premises, Skipped
from mixsafe.model.mobility.time_zone import check_tz
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.numerals import integer_of, is_decimal

TZ = "America/Los_Angeles"
"""Time zone of San Francisco."""

FARTHEST = 100_000.0
"""Distance from the median of the cabs beyond which a fix is an outlier, metres."""

_HINT = "write lines as: latitude longitude occupancy unix_time"
# One thread decompresses the archive while others parse; more threads would idle.
_PARSERS = 2

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Cab:
    """The fixes of a cab, oldest first, without exact duplicates.

    Parameters
    ----------
    lat, lon, time
        (n_fixes,) degrees and Unix seconds.
    repeated, out_of_order, absurd
        Numbers of lines that repeated the previous one, that were out of order, and that were
        dropped.
    skipped
        Lines without a position, and lines that could not be read.
    """

    lat: Floats
    lon: Floats
    time: Integers
    repeated: int = 0
    out_of_order: int = 0
    absurd: int = 0
    skipped: Premises = field(default_factory=Premises)

    def within(self, middle: tuple[float, float]) -> _Cab:
        """The cab without fixes farther than ``FARTHEST`` from ``middle``, or off the globe."""
        north = self.lat - middle[0]
        east = (self.lon - middle[1]) * math.cos(math.radians(middle[0]))
        # The equirectangular approximation has an error of 1% at this distance.
        with np.errstate(over="ignore"):  # a coordinate may be 1e308
            near = north * north + east * east <= math.degrees(FARTHEST / EARTH_RADIUS) ** 2
        if near.all():
            return self
        absurd = int(np.count_nonzero(~near))
        return replace(
            self, lat=self.lat[near], lon=self.lon[near], time=self.time[near], absurd=absurd
        )


def read_cabspotting(
    path: str | os.PathLike[str], *, tz: str | None = None, rules: RowRules | None = None
) -> Traces:
    """Read traces of the cabs; a cab without a valid fix remains a user.

    Parameters
    ----------
    tz
        Zone in which days begin and end; None: America/Los_Angeles.
    rules
        What becomes of lines that are no data; None: the default.

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
    zone = check_tz(tz or TZ)
    with ThreadPoolExecutor(_PARSERS) as pool:
        pending: dict[str, Future[_Cab]] = {}
        for name, file, data in cab_files(path):
            if name in pending:
                raise InputError(f"a second file of cab {name}", file=file)
            pending[name] = pool.submit(_parse, name, file, data, rules or RowRules())
        cabs = {name: pending[name].result() for name in sorted(pending)}
    if not cabs:
        raise _no_cab(Path(path))
    return _traces(path, cabs, zone, rules or RowRules())


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


def _parse(name: str, file: str, data: bytes, rules: RowRules) -> _Cab:
    """Parse the fixes of a cab's file.

    Raises
    ------
    InputError
        Names the first invalid line.
    """
    if not data.strip():
        return _Cab(np.zeros(0), np.zeros(0), np.zeros(0, np.int64))
    types = {"lat": pa.float64(), "lon": pa.float64(), "time": pa.int64()}
    if b"x" in data or b"X" in data:  # PyArrow reads 0x10 as 16
        return _unreadable(name, file, data, rules)
    try:
        table = csv.read_csv(
            pa.BufferReader(data),
            csv.ReadOptions(
                column_names=["lat", "lon", "occupancy", "time"],
                use_threads=False,
                block_size=len(data) + 1,
            ),
            csv.ParseOptions(delimiter=" ", quote_char=False),
            csv.ConvertOptions(column_types=types, include_columns=list(types), null_values=[]),
        )
    except pa.ArrowInvalid:
        return _unreadable(name, file, data, rules)
    lat, lon, time = (numbers(column) for column in table.columns)
    return _placed(name, file, data, (lat, lon, time), rules)


def _unreadable(name: str, file: str, data: bytes, rules: RowRules) -> _Cab:
    """The fixes of a file that cannot be read as a whole.

    Raises
    ------
    InputError
        Names the first invalid line, unless such lines are skipped.
    """
    if not rules.skip_bad:
        raise _explain(file, data) from None
    return _lenient(name, file, data, rules)


def _lenient(name: str, file: str, data: bytes, rules: RowRules) -> _Cab:
    """Parse the lines of a file that can be read."""
    good, bad = [], []
    for number, line in enumerate(data.splitlines(), start=1):
        fault = _fault(line)
        if fault is None:
            good.append(line)
        elif line:
            bad.append(f"{Path(file).name}, line {number}: {fault[0]}")
    skipped = Skipped(BAD, len(bad), tuple(bad[:MOST_EXAMPLES]))
    found = _parse(name, file, b"\n".join(good), replace(rules, skip_bad=False, most_bad=None))
    return replace(found, skipped=Premises.joined((Premises((skipped,)), found.skipped)))


def _placed(
    name: str, file: str, data: bytes, columns: tuple[Floats, Floats, Integers], rules: RowRules
) -> _Cab:
    """The fixes that have a position, sorted by time."""
    lat, lon, time = columns
    _check_times(file, data, time)
    if all_are_positions(lat, lon):
        return _sorted(lat, lon, time)
    nowhere = no_position(lat, lon, keep_null_island=rules.keep_null_island)
    if not nowhere.any():
        return _sorted(lat, lon, time)
    lines = [number for number, line in enumerate(data.splitlines(), start=1) if line.strip()]
    first = np.flatnonzero(nowhere)[:MOST_EXAMPLES]
    named = tuple(f"{Path(file).name}, line {lines[row]} ({name})" for row in first)
    skipped = Premises((Skipped(REASON, int(np.count_nonzero(nowhere)), named),))
    there = ~nowhere
    if not there.any():
        return _Cab(lat[:0], lon[:0], time[:0], skipped=skipped)
    return replace(_sorted(lat[there], lon[there], time[there]), skipped=skipped)


def _check_times(file: str, data: bytes, time: Integers) -> None:
    """Refuse times that are not Unix seconds from 1990 to 2050.

    Raises
    ------
    InputError
        Names the first line.
    """
    try:
        form = numbered_times(time).form
    except NoTimeError as error:
        lines = [number for number, line in enumerate(data.splitlines(), start=1) if line.strip()]
        raise InputError(
            error.message, file=file, line=lines[error.row], column="unix_time", hint=error.hint
        ) from None
    if form.per_second != 1:
        raise InputError(f"the times are {form.name}", file=file, hint=_HINT)


def _sorted(lat: Floats, lon: Floats, time: Integers) -> _Cab:
    """Sort the fixes of a file by time, those of one second by place."""
    if time[0] > time[-1]:
        lat, lon, time = lat[::-1], lon[::-1], time[::-1]
    out_of_order = int(np.count_nonzero(time[1:] < time[:-1]))
    if out_of_order:
        order = np.argsort(time, kind="stable")
        lat, lon, time = lat[order], lon[order], time[order]
    again = equal_to_next([time])
    if again.any():
        order = same_moment_in_order([time], [lat, lon], again, None)
        lat, lon = lat[order], lon[order]
    new = np.append(True, ~(again & equal_to_next([lat, lon])))
    repeated = int(np.count_nonzero(~new))
    if repeated:
        lat, lon, time = lat[new], lon[new], time[new]
    return _Cab(lat, lon, time, repeated, out_of_order)


def _explain(file: str, data: bytes) -> InputError:
    """The error for the first line that does not consist of four numbers."""
    for number, line in enumerate(data.splitlines(), start=1):
        fault = _fault(line)
        if line and fault is not None:
            message, column = fault
            hint = or_skip(_HINT)
            return InputError(message, file=file, line=number, column=column, hint=hint)
    return InputError("the file cannot be read", file=file, hint=_HINT)


def _fault(line: bytes) -> tuple[str, str | None] | None:
    """What is wrong with a line, and the column at fault; None if it is valid."""
    columns = {"latitude": is_decimal, "longitude": is_decimal,
               "occupancy": _is_whole, "unix_time": _is_whole}  # fmt: skip
    fields = line.split(b" ")
    if len(fields) != len(columns):
        shown = line[:40].decode("utf-8", "replace")
        return f"'{shown}' has {len(fields)} fields instead of 4", None
    for (name, valid), cell in zip(columns.items(), fields, strict=True):
        if not valid(cell.decode("utf-8", "replace")):
            shown = cell[:40].decode("utf-8", "replace")
            return f"'{shown}' is not a number", name
    return None


def _is_whole(text: str) -> bool:
    """Whether a text is a whole number; PyArrow takes no plus sign before one."""
    return integer_of(text) is not None and not text.startswith("+")


def _traces(
    path: str | os.PathLike[str], cabs: dict[str, _Cab], zone: str, rules: RowRules
) -> Traces:
    """Traces of all cabs, without outliers.

    Raises
    ------
    InputError
        No valid fix is left, or more lines are bad than may be skipped.
    """
    premises = Premises.joined(cab.skipped for cab in cabs.values())
    rules.check_most(premises, sum(len(cab.time) for cab in cabs.values()), path)
    middle = _median_point(list(cabs.values()))
    valid = [cab.within(middle) for cab in cabs.values()]
    counts = [len(cab.time) for cab in valid]
    if not any(counts):
        raise InputError("no cab has a single valid fix", file=path)
    lat, lon = (np.concatenate([getattr(cab, axis) for cab in valid]) for axis in ("lat", "lon"))
    return Traces(
        users=np.array(list(cabs), object),
        user=np.repeat(np.arange(len(valid), dtype=np.int32), counts),
        time=np.concatenate([cab.time for cab in valid]),
        clock="unix",
        lat=lat,
        lon=lon,
        tz=zone,
        center=(float(lat.mean()), float(lon.mean())),
        notes=(*premises.notes, *_notes(valid)),
        premises=premises,
    )


def _median_point(cabs: list[_Cab]) -> tuple[float, float]:
    """Median of the cabs' median latitudes and longitudes, weighted by numbers of fixes."""
    medians, weights = [], []
    for cab in cabs:
        known = np.isfinite(cab.lat) & np.isfinite(cab.lon)
        if known.any():
            medians.append((np.median(cab.lat[known]), np.median(cab.lon[known])))
            weights.append(np.count_nonzero(known))
    if not medians:
        return 0.0, 0.0
    lat, lon = np.array(medians).T
    return _weighted_median(lat, np.array(weights)), _weighted_median(lon, np.array(weights))


def _weighted_median(values: Floats, weights: Integers) -> float:
    """The lowest value whose cumulative weight reaches half of the total."""
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(total, total[-1] / 2)]])


def _notes(cabs: list[_Cab]) -> tuple[str, ...]:
    """Notes on dropped, merged and sorted lines, one sentence each."""
    absurd, of = sum(cab.absurd for cab in cabs), sum(cab.absurd > 0 for cab in cabs)
    repeated = sum(cab.repeated for cab in cabs)
    out_of_order = sum(cab.out_of_order for cab in cabs)
    same_second = sum(int(np.count_nonzero(cab.time[1:] == cab.time[:-1])) for cab in cabs)
    empty = sum(len(cab.time) == 0 for cab in cabs)
    counted = (
        (absurd, f"{absurd} outliers of {of} cabs dropped: over 100 km from the median"),
        (repeated, f"{repeated} lines that repeat the previous one merged"),
        (out_of_order, f"{out_of_order} lines out of order sorted"),
        (
            same_second,
            f"{same_second} fixes have the same second as the cab's next one: the northernmost"
            " counts",
        ),
        (empty, f"{empty} cabs have no valid fix and are in no mix zone"),
    )
    return tuple(note for count, note in counted if count)
