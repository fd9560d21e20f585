"""Any source: what it is, and what is in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import layout_of
from mixsafe.io.columns.instants import check_tz
from mixsafe.io.files.content import GZIP, PARQUET, head_of, text_head_of
from mixsafe.io.files.tables import header_of
from mixsafe.io.problems import zone_table as zones
from mixsafe.io.problems.problem import read_problems
from mixsafe.io.problems.zone_table import read_zones
from mixsafe.io.traces import contest
from mixsafe.io.traces.cabspotting import read_cabspotting
from mixsafe.io.traces.contest import read_contest
from mixsafe.io.traces.table import read_traces_table
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem

Format = Literal["contest", "cabspotting", "table", "zones", "problem"]
FORMATS: tuple[Format, ...] = get_args(Format)


def recognize(path: str | os.PathLike[str]) -> Format:
    """What a file or folder is, by its content.

    Raises
    ------
    InputError
        It cannot be read, is empty, or is none of ``FORMATS``.
    """
    if Path(path).is_dir():
        return "cabspotting"
    head = head_of(path)
    if head.startswith(GZIP):
        return "cabspotting"
    if not head.startswith(PARQUET) and text_head_of(path).lstrip()[:1] in (b"{", b"["):
        return "problem"
    header = header_of(path)
    if set(header) == set(contest.COLUMNS):
        return "contest"
    if set(zones.COLUMNS) <= set(header):
        return "zones"
    layout_of(path, header)
    return "table"


def load(
    path: str | os.PathLike[str],
    *,
    format: Format | None = None,
    columns: Mapping[str, str] | None = None,
    tz: str | None = None,
) -> Traces | MixZones | list[Problem]:
    """Read a source.

    Parameters
    ----------
    format
        What it is; None: recognized by its content.
    columns
        Own column names of a ``table``: see :func:`mixsafe.io.traces.table.read_traces_table`.
    tz
        IANA zone in which days begin and end; None: the data's own.

    Returns
    -------
    Traces from ``contest``, ``cabspotting`` and ``table``, MixZones from ``zones``, a list of
    problems from ``problem``.

    Raises
    ------
    InputError
        Names file, line and column at fault, and the way out.
    """
    if format is not None and format not in FORMATS:
        raise InputError(f"unknown format '{format}'", hint=f"use {', '.join(FORMATS)}")
    if tz is not None:
        check_tz(tz)
    chosen = format or ("table" if columns else recognize(path))
    if columns and chosen != "table":
        raise InputError(f"column names are for the format table, not {chosen}", file=path)
    if chosen == "table":
        traces = read_traces_table(path, columns=columns, tz=tz)
        # What Arrow has freed it keeps for itself: twice what the traces themselves take.
        pa.default_memory_pool().release_unused()
        return traces
    if chosen == "cabspotting":
        return read_cabspotting(path, tz=tz)
    if tz is not None:
        raise InputError("steps are numbered here: a time zone has no use", file=path)
    if chosen == "contest":
        return read_contest(path)
    return read_zones(path) if chosen == "zones" else read_problems(path)
