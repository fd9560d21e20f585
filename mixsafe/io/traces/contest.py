"""Traces in the contest's format: ``user_id,time_id,reg_id``."""

from __future__ import annotations

import os

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import RELEASED_HINT
from mixsafe.io.columns.fixes import Fixes
from mixsafe.io.files.tables import header_of, read_table
from mixsafe.io.traces.table import check_time_ids
from mixsafe.model.mobility.traces import Traces

COLUMNS = ("user_id", "time_id", "reg_id")


def read_contest(path: str | os.PathLike[str]) -> Traces:
    """Original or reference traces of PWS Cup 2019, and others of that form.

    Unlike the contest itself (:mod:`mixsafe.io.contest.reading`), rows may come in any order, users
    may have any names, and may be nowhere at some times.

    Raises
    ------
    InputError
        Names the line and column at fault: a column or value is missing or no number, a region or
        time is below 1, a user is in two regions at one time, the file is a release.
    """
    header = header_of(path)
    if "pse_id" in header or header == ("reg_id",):
        raise InputError("this is a release, not traces", file=path, line=1, hint=RELEASED_HINT)
    table = read_table(path, {"user_id": "name", "time_id": "integer", "reg_id": "integer"})
    time, region = table.values("time_id"), table.values("reg_id")
    check_time_ids(table, "time_id", time)
    table.check(region < 1, "reg_id", "region {} is below 1", "regions are numbered from 1")
    return Fixes(table=table, user="user_id", time=time, clock="time_id", region=region).traces()
