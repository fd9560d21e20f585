"""Reading the tracklets of a feed, in whatever form it comes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mixsafe.errors import InputError
from mixsafe.io.columns.reading import REASON, RowRules
from mixsafe.io.files.content import PARQUET, head_of, unpacked_head_of
from mixsafe.io.files.table_form import TableForm
from mixsafe.io.files.table_parts import parts_of
from mixsafe.io.gbfs.doubts import alike_notes, gaps_of
from mixsafe.io.gbfs.findings import findings_of
from mixsafe.io.gbfs.following import follow
from mixsafe.io.gbfs.records import Records
from mixsafe.io.gbfs.snapshots import ZIP, is_json, is_tar
from mixsafe.io.gbfs.tables import read_table_of_identifiers, read_trips_in_memory
from mixsafe.io.gbfs.trips import mds_trips
from mixsafe.io.gbfs.wanted import Unused, WantedFeed
from mixsafe.model.mobility.instant import check_tz, date_order
from mixsafe.model.mobility.premises import MOST_EXAMPLES
from mixsafe.model.tracklets import COMPARED, Feed


def read_feed(
    path: str | os.PathLike[str],
    *,
    truth: str | None = None,
    also: tuple[str, ...] = (),
    missed_polls: int = 0,
    fields: tuple[str, ...] = COMPARED,
    keep_null_island: bool = False,
    skip_bad: bool = False,
    most_bad: str | float | None = None,
    day_first: bool = False,
    month_first: bool = False,
    tz: str | None = None,
    columns: Mapping[str, str] | None = None,
    similar_names: str | None = None,
    form: TableForm | None = None,
    crs: object = None,
) -> Feed:
    """Read the tracklets of a feed.

    Parameters
    ----------
    path
        A folder, an archive (.zip, .tar, .tar.gz) or a file of JSON lines (.jsonl) with GBFS
        snapshots, or with answers of MDS to /trips; or a table of records or of trips, CSV or
        Parquet.
    truth
        Column of the table, or key of each vehicle, that says which vehicle it is.
    also
        Further columns or keys, whose values an adversary may compare.
    missed_polls
        Number of snapshots in a row that may miss a vehicle that is there: its times are then known
        less exactly.
    fields
        Fields that will be compared. A value of another field that cannot be read is taken for
        unknown, and counted in a note.
    keep_null_island
        Take latitude 0, longitude 0 for a place. Otherwise a vehicle there is nowhere in
        particular, like all others without a position.
    skip_bad
        Skip vehicles, snapshots and rows that cannot be read; else the first one is refused.
    most_bad
        Largest number of them to skip so: a number, or a share such as ``1%``, which is the
        default.
    day_first, month_first
        What comes first in dates of tables whose year comes last; neither: what they tell.
    tz
        Time zone of the feed, and of times without one; None: that of its system_information or of
        its times.
    columns
        The table's column for ``id``, ``time``, ``lat``, ``lon``, ``geometry``, or for those of
        trips (``start_time`` and so on), where its name is not a usual one.
    similar_names
        What identifiers of a table are that differ only in case, leading zeros or the like: the
        ``same``, or ``different`` ones; None: they are refused. Those of a feed are as they are.
    form
        What there is to say of a table without a header, and of tables in many files; None:
        nothing.
    crs
        Reference system of the coordinates of a table, such as ``EPSG:32632``; ``metres``: a plane
        without a place on the Earth; None: degrees.

    Raises
    ------
    InputError
        The feed cannot be read; names the file and line.
    """
    order = date_order(day_first, month_first)
    rules = RowRules(keep_null_island, None, skip_bad, most_bad, order)
    form = form or TableForm()
    wanted = WantedFeed(truth, also, fields, rules, tz, columns or {}, similar_names, form, crs)
    return feed_of(path, wanted, missed_polls)


def feed_of(path: str | os.PathLike[str], wanted: WantedFeed, missed_polls: int = 0) -> Feed:
    """Read the tracklets of a feed, as :func:`read_feed`.

    Raises
    ------
    InputError
        The feed cannot be read; names the file and line.
    """
    if wanted.tz is not None:
        check_tz(wanted.tz)
    unused = Unused(wanted.rules)
    if _is_table(path, wanted.form):
        records = read_table_of_identifiers(path, wanted, unused)
    elif (followed := follow(path, wanted, unused)) is None:
        records = read_trips_in_memory(path, mds_trips(path), wanted, unused)
    else:
        records, unused.of_snapshots = followed, True
        _count_unplaced(records, unused)
    _check(records, path, wanted.truth)
    tracklets = records.tracklets(missed_polls)
    vehicles = () if records.truth is None else tuple(np.unique(records.truth).tolist())
    doubts = tuple(alike_notes(records.ids)) if unused.of_snapshots else ()
    percent = ("batteries are above 1: they are read as percent",) if records.in_percent else ()
    return Feed(
        tracklets,
        findings_of(records, tracklets),
        (*records.notes, *unused.notes, *percent, *doubts),
        len(records.times),
        vehicles,
        unused.premises,
        wanted.tz or records.tz or "UTC",
        gaps_of(records),
    )


def _count_unplaced(records: Records, unused: Unused) -> None:
    """Count identifiers that begin or end without a position."""
    unplaced = np.isnan(records.begins["lat"]) | np.isnan(records.ends["lat"])
    names = [f"'{one}'" for one in records.ids[unplaced][:MOST_EXAMPLES].tolist()]
    if unplaced.any():
        unused.count(REASON, names, int(np.count_nonzero(unplaced)))


def _is_table(path: str | os.PathLike[str], form: TableForm) -> bool:
    """Whether a path has rows, not snapshots.

    Raises
    ------
    InputError
        It cannot be read.
    """
    whole = Path(path)
    if form != TableForm():
        return True
    if whole.is_dir():
        return not any(is_json(one.name) for one in whole.rglob("*")) and bool(parts_of(whole))
    if is_json(whole.name):
        return False
    if head_of(path).startswith(PARQUET):
        return True
    head = unpacked_head_of(path)
    return not (head.startswith(ZIP) or is_tar(head) or head.lstrip()[:1] in (b"{", b"["))


def _check(records: Records, path: str | os.PathLike[str], truth: str | None) -> None:
    """Refuse records in which nothing can be followed.

    Raises
    ------
    InputError
        There is one time only, or one vehicle according to the truth.
    """
    if len(records.times) == 1:
        raise InputError(
            "all records are of one time: nothing ends", file=path, hint="give two or more"
        )
    if records.truth is not None and len(np.unique(records.truth)) == 1:
        raise InputError(
            f"all identifiers are of one vehicle, '{records.truth[0]}'",
            file=path,
            column=truth,
            hint="name a column that tells vehicles apart",
        )
