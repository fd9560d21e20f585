"""Traces in the contest's format: ``user_id,time_id,reg_id``."""

from __future__ import annotations

import os
from collections.abc import Iterator

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import RELEASED_HINT
from mixsafe.io.columns.fixes import Fixes
from mixsafe.io.columns.place_names import places_of
from mixsafe.io.columns.row_rules import RowFilter, RowRules
from mixsafe.io.files.csv_records import Kind
from mixsafe.io.files.tables import first_file, header_of, read_parts
from mixsafe.io.traces.table import check_time_ids

COLUMNS = ("user_id", "time_id", "reg_id")


def contest_fixes(
    path: str | os.PathLike[str], rows: int | None = None, rules: RowRules | None = None
) -> Iterator[Fixes]:
    """Yield the fixes of traces of PWS Cup 2019, and of other traces in that format.

    Unlike in the contest (:mod:`mixsafe.io.contest.reading`), rows may be in any order, users and
    regions may have any names, and users no region at some times.

    Parameters
    ----------
    rows
        Rows of a batch, about; None: whole files.
    rules
        What becomes of rows that are no data; None: the default.

    Raises
    ------
    InputError
        Names the line and column at fault, when the rows at fault are read: a column or value is
        missing, a time is no number, the number of a region or time is below 1, or the file is a
        release.
    """
    header = header_of(path)
    if "pse_id" in header or header == ("reg_id",):
        file = first_file(path)
        raise InputError("this is a release, not traces", file=file, line=1, hint=RELEASED_HINT)
    kinds: dict[str, Kind] = {"user_id": "name", "time_id": "integer", "reg_id": "region"}
    filter = RowFilter(rules)
    for table in read_parts(path, kinds, rows, filter.rules.skip_bad):
        time = table.values("time_id")
        check_time_ids(table, "time_id", time)
        places, nowhere = places_of(table, "reg_id", least=1)
        fixes = Fixes((table,), "user_id", time, "time_id", places=places, when="time_id")
        yield filter.without(fixes, nowhere)
