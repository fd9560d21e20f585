"""Any source: what it is, and what is in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from mixsafe.errors import InputError
from mixsafe.io.columns.instants import check_tz
from mixsafe.io.files.glimpse import Glimpse
from mixsafe.io.formats import FORMATS
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem


def recognize(path: str | os.PathLike[str]) -> str:
    """What a file or folder is, by its content: the name of its format.

    Raises
    ------
    InputError
        It cannot be read, is empty, or is none of :data:`mixsafe.io.formats.FORMATS`.
    """
    glimpse = Glimpse(Path(path))
    for one in reversed(tuple(FORMATS)):
        if one.recognizes(glimpse):
            return one.name
    raise InputError("it is in no format that is known", file=path, hint=FORMATS.hint())


def load(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    tz: str | None = None,
) -> Traces | MixZones | list[Problem]:
    """Read a source.

    Parameters
    ----------
    format
        What it is, one of :data:`mixsafe.io.formats.FORMATS`; None: recognized by its content.
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
    said = None if format is None else FORMATS[format]
    if tz is not None:
        check_tz(tz)
    chosen = said or FORMATS["table" if columns else recognize(path)]
    if columns and "columns" not in chosen.takes:
        raise InputError(f"column names are for the format table, not {chosen.name}", file=path)
    if tz is not None and "tz" not in chosen.takes:
        raise InputError("steps are numbered here: a time zone has no use", file=path)
    return chosen.read(Path(path), columns, tz)
