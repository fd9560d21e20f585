"""How a source is read: what the user says of it, and what becomes of rows that are no data.

Such rows are skipped, counted and named; the first that cannot be read is refused, unless the user
lets them be skipped, too. Coordinates are no position if they are missing, or if they are what
devices write without a fix:

====================================  ==========================================================
coordinates                           written by
====================================  ==========================================================
missing, NaN, infinite                loggers, Movebank, R (``NA``), pandas
0, 0 in degrees ("null island")       GPS trackers, feeds of shared vehicles
latitude 91, longitude 181            AIS (ITU-R M.1371-5, table 48)
-999, 9999, 999.99, ...               fill values: nines only, at least three of them
214.7483647                           the largest 32-bit integer, in 1e-7 degrees (u-blox, MAVLink)
====================================  ==========================================================

A fill value counts only where it cannot be a coordinate: longitude 99.99 is in China. All other
coordinates out of range are mistakes, which readers refuse.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.io.columns.fixes import Fixes
from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.io.files.table_form import TableForm
from mixsafe.model.mobility.instant import DateOrder
from mixsafe.model.mobility.premises import MOST_EXAMPLES, Premises, Skipped
from mixsafe.model.numerals import MOST, check_most, is_decimal

Coordinates = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

REASON = "no position"
"""Why rows without a position are skipped: a key of ``skipped`` in the JSON of answers."""

NEAR_ZERO = 1e-6
"""Degrees: coordinates nearer to 0 than this, 0.1 m, are 0."""

_AIS = (91.0, 181.0)
_LARGEST_INTEGER = 214.7483647
_MOST_DIGITS = 10


def no_position(
    lat: Coordinates, lon: Coordinates, *, degrees: bool = True, keep_null_island: bool = False
) -> Flags:
    """Mark points that are no position.

    Parameters
    ----------
    lat, lon
        (n,) coordinates as written, NaN where one is missing; y and x of a plane.
    degrees
        Whether they are degrees. On a plane, 0, 0 is a place, and a fill value counts only if both
        coordinates are the same negative one, such as -9999, -9999.
    keep_null_island
        Take 0, 0 for a place.

    Returns
    -------
    (n,) flags.
    """
    missing = ~(np.isfinite(lat) & np.isfinite(lon))
    if not degrees:
        low = np.flatnonzero((lat == lon) & (lat <= -99))
        missing[low] |= _is_fill_value(lat[low])
        return missing
    far = np.flatnonzero((np.abs(lat) > 90) | (np.abs(lon) > 180))
    if len(far):
        missing[far] |= _is_outside(lat[far], 90) | _is_outside(lon[far], 180)
    return missing if keep_null_island else missing | at_null_island(lat, lon)


def all_are_positions(lat: Coordinates, lon: Coordinates) -> bool:
    """True if points in degrees are certainly positions; a quick look at their extremes."""
    if not len(lat):
        return True
    south, north, west, east = (float(one) for one in (lat.min(), lat.max(), lon.min(), lon.max()))
    # Comparisons with NaN, which is the minimum where there is one, are false.
    valid = south >= -90 and north <= 90 and west >= -180 and east <= 180
    apart = south > NEAR_ZERO or north < -NEAR_ZERO or west > NEAR_ZERO or east < -NEAR_ZERO
    return valid and apart


def at_null_island(lat: Coordinates, lon: Coordinates, within: float = NEAR_ZERO) -> Flags:
    """Mark points at latitude 0, longitude 0; ``within`` degrees."""
    return (np.abs(lat) < within) & (np.abs(lon) < within)


def _is_outside(value: Coordinates, limit: float) -> Flags:
    """Mark values beyond a limit that stand for "no position"."""
    size = np.abs(value)
    known = np.isin(size, _AIS) | (np.abs(size - _LARGEST_INTEGER) < 1e-5)
    return (size > limit) & (known | _is_fill_value(value))


def _is_fill_value(value: Coordinates) -> Flags:
    """Mark numbers that consist of three nines or more, as 999, -9999 or 99.9."""
    size = np.abs(value)
    found = np.zeros(len(size), bool)
    for digits in range(3, _MOST_DIGITS + 1):
        for decimals in range(digits):
            fill = (10**digits - 1) / 10**decimals
            found |= np.abs(size - fill) < fill * 1e-6
    return found


Example = TypeVar("Example")

BAD = "bad row"
"""Why rows are skipped that cannot be read: a key of ``skipped`` in the JSON of answers."""

FLAGGED = "flagged as no fix"
"""Why rows are skipped that say of themselves that they are no fix."""

MOST_BAD = "1%"
"""Default of the largest number of bad rows that may be skipped."""


@dataclass(frozen=True)
class RowRules:
    """What becomes of rows that are no data.

    Parameters
    ----------
    keep_null_island
        Take latitude 0, longitude 0 for a place.
    drop_spikes
        Drop jumps to a place and back that are faster than this, km/h; None: keep and count them.
    skip_bad
        Skip rows that cannot be read; else the first one is refused.
    most_bad
        Largest number of rows to skip so: a number, or a share such as ``1%``.
    date_order
        What comes first in dates whose year comes last: ``day`` or ``month``; None: what they tell.
    time_step
        Length of the shortest time step, seconds, in each of which a stay has a fix.

    Raises
    ------
    InputError
        A speed that is not positive, or a number or share of rows that is none.
    """

    keep_null_island: bool = False
    drop_spikes: float | None = None
    skip_bad: bool = False
    most_bad: str | float | None = None
    date_order: DateOrder | None = None
    time_step: int = field(default=60, compare=False)

    def __post_init__(self) -> None:
        if self.time_step < 1:
            raise InputError(f"the time step is not positive: {self.time_step} seconds")
        speed = self.drop_spikes
        if speed is not None:
            if not (np.isfinite(speed) and speed > 0):
                raise InputError(f"--drop-spikes {speed:g}: give a speed above 0, km/h")
            check_most(speed, "--drop-spikes")
        if self.most_bad is not None and not self.skip_bad:
            raise InputError("--most-bad limits --skip-bad", hint="give both")
        self.most_of(0)

    def most_of(self, rows: int) -> float:
        """Largest number of bad rows of a source of so many rows.

        Raises
        ------
        InputError
            ``most_bad`` is neither a number nor a share.
        """
        text = str(MOST_BAD if self.most_bad is None else self.most_bad).strip()
        share = text.endswith("%")
        said = text.removesuffix("%")
        number = float(said) if is_decimal(said) else -1.0
        if not 0 <= number <= (100 if share else MOST):
            hint = "give a number of rows, or a share such as 1%"
            raise InputError(f"--most-bad {text} is neither", hint=hint)
        return max(number / 100 * rows, min(number, 1)) if share else number

    def check_most(self, found: Premises, kept: int, file: object = None) -> None:
        """Refuse a source of whose rows too many are bad.

        Parameters
        ----------
        found
            What was skipped.
        kept
            Number of its other rows.
        file
            Name of the source in messages.

        Raises
        ------
        InputError
            Counts the bad rows, and names the first of them.
        """
        rows = kept + sum(one.count for one in found.skipped)
        for one in found.skipped:
            if one.reason == BAD and one.count > self.most_of(rows):
                most, first = self.most_bad or MOST_BAD, "; ".join(one.examples)
                message = f"{one.count:,} of {rows:,} rows are bad, more than {most}: {first}"
                hint = "mend the file, or allow more with --most-bad"
                raise InputError(message, file=None if file is None else str(file), hint=hint)


class RowFilter:
    """Leaves rows out of the tables of a source, and names the first of them.

    Parameters
    ----------
    rules
        What becomes of rows; None: the default.
    """

    def __init__(self, rules: RowRules | None = None) -> None:
        self.rules = rules or RowRules()
        self._named: Counter[str] = Counter()

    def settled(
        self, table: CheckedTable
    ) -> tuple[CheckedTable, Flags | None, tuple[Skipped, ...]]:
        """The table without bad rows, which rows it keeps (None: all), and what was skipped.

        What is found wrong with the rows of that table later is refused.
        """
        settled, keep = table.settled()
        faults = settled.faults
        settled = replace(settled, faults=None, skippable=False)
        if faults is None or not faults.count:
            return settled, keep, ()
        examples = self._first(BAD, faults.examples)
        places = settled.places_of([number for number, _ in examples])
        named = [f"{at}: {what}" for at, (_, what) in zip(places, examples, strict=True)]
        return settled, keep, (Skipped(BAD, faults.count, tuple(named)),)

    def unplaced(
        self, table: CheckedTable, user: str, nowhere: Flags, reason: str = REASON
    ) -> Skipped:
        """Rows without a position, at least one, the first of them named by line and user."""
        first, numbers = table.first_rows(nowhere)
        pairs = self._first(reason, list(zip(numbers.tolist(), first.tolist(), strict=True)))
        places = table.places_of([number for number, _ in pairs])
        names = [table.columns[user][row].as_py() for _, row in pairs]
        examples = tuple(f"{at} ({name})" for at, name in zip(places, names, strict=True))
        return Skipped(reason, int(np.count_nonzero(nowhere)), examples)

    def _first(self, reason: str, examples: list[Example]) -> list[Example]:
        """Examples that are still to be named."""
        found = examples[: MOST_EXAMPLES - self._named[reason]]
        self._named[reason] += len(found)
        return found

    def without(self, fixes: Fixes, nowhere: Flags | None, flagged: Flags | None = None) -> Fixes:
        """The fixes of one table without rows that are no data.

        Parameters
        ----------
        fixes
            Of all rows of the table, whatever is wrong with them.
        nowhere
            (n_rows,) rows without a position; None: none.
        flagged
            (n_rows,) those of them that say of themselves that they are no fix; None: none.
        """
        table, keep, skipped = self.settled(fixes.tables[0])
        if keep is None:
            fixes = replace(fixes, tables=(table,))
        else:
            fixes = fixes.only(keep, table)
            nowhere = None if nowhere is None else nowhere[keep]
            flagged = None if flagged is None else flagged[keep]
        if nowhere is not None and nowhere.any():
            parts = [(REASON, nowhere)]
            if flagged is not None:
                parts = [(REASON, nowhere & ~flagged), (FLAGGED, flagged)]
            for reason, rows in parts:
                if rows.any():
                    skipped = (*skipped, self.unplaced(table, fixes.user, rows, reason))
            fixes = fixes.only(~nowhere)
        return fixes.with_premises(Premises(skipped)) if skipped else fixes


def within_limits(
    parts: Iterable[Fixes], rules: RowRules | None, file: object = None
) -> Iterator[Fixes]:
    """Yield the fixes of a source, and refuse it in the end if too few of its rows are data.

    Parameters
    ----------
    file
        Name of the source in messages.

    Raises
    ------
    InputError
        More rows are bad than may be skipped, or no row has a position.
    """
    rules = rules or RowRules()
    kept, found = 0, Premises()
    for part in parts:
        kept += part.rows
        found = Premises.joined((found, part.premises))
        yield part
    rules.check_most(found, kept, file)
    if found.skipped and not kept:
        raise InputError(
            f"no row can be used: {'; '.join(found.notes)}",
            file=None if file is None else str(file),
        )


@dataclass(frozen=True)
class Reading:
    """Options for reading a source.

    Parameters
    ----------
    format
        Name of its format; None: detected from the content.
    column
        User-defined names of columns for the meanings of
        :data:`mixsafe.io.columns.dialects.NAMES`, such as ``user_id`` and ``time``.
    tz
        Time zone in which days begin and end, and of times without a zone; None: that of the data
        (the offset of its times, or the zone of a Parquet column), else UTC.
    crs
        Reference system of coordinates, x in the column of ``lon`` and y in that of ``lat``: an
        EPSG number or a text such as ``EPSG:2443``; None: that of the data, else degrees.
    similar_names
        What alike names of users are, ``same`` or ``different``; None: they are refused.
    rules
        What becomes of rows that are no data.
    form
        What the user says of tables without a header, of many files, and of layers.
    """

    format: str | None = None
    column: Mapping[str, str] | None = None
    tz: str | None = None
    crs: object = None
    similar_names: str | None = None
    rules: RowRules = RowRules()
    form: TableForm = TableForm()  # noqa: RUF009 -- it is frozen
