"""Traces that do not fit into memory: from their files to mix zones."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from mixsafe.errors import InputError
from mixsafe.extract.extracted import Extraction
from mixsafe.extract.large.extraction import WantedZones, extract_pieces
from mixsafe.io.columns.fixes import Fixes
from mixsafe.io.columns.instants import check_tz
from mixsafe.io.formats import FORMATS, Format
from mixsafe.io.sources import recognize
from mixsafe.io.traces.in_pieces import ReadPieces
from mixsafe.io.traces.sizes import memory_of
from mixsafe.model.progress import Progress, no_progress
from mixsafe.spill.memory import default_memory
from mixsafe.spill.spill_room import SpillRoom


def is_large(
    path: str | os.PathLike[str], memory: int | None = None, *, format: str | None = None
) -> bool:
    """Whether a source of traces would take more memory than it may, and can be read in pieces.

    Parameters
    ----------
    path
        File or folder.
    memory
        Bytes; None: half of the machine's.
    format
        What it is; None: recognized by its content.

    Raises
    ------
    InputError
        It cannot be read, or is in no format that is known.
    """
    if memory_of(path) <= (memory or default_memory()):
        return False
    return _chosen(path, format, None).pieces is not None


class FixKind(NamedTuple):
    """What the fixes of a source are.

    Parameters
    ----------
    regions
        Whether places are regions; else they are coordinates.
    numbered
        Whether times are numbers of steps; else they are moments.
    """

    regions: bool
    numbered: bool


def kind_of(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> FixKind:
    """What the fixes of a source of traces are, by the first of them.

    Raises
    ------
    InputError
        As :func:`extract`, about the first rows.
    """
    pieces = ReadPieces(_pieces(path, 1, format, columns, None))
    first = next(iter(pieces))
    return FixKind(first.region is not None, pieces.clock == "time_id")


def extract(
    path: str | os.PathLike[str],
    wanted: WantedZones,
    scratch: SpillRoom,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    tz: str | None = None,
    progress: Progress = no_progress,
) -> Extraction:
    """Positions and mix zones of a source of traces of any size.

    They are those of the same source read into memory, to the last bit; only how much memory that
    takes is another matter.

    Parameters
    ----------
    path, format, columns, tz
        As for :func:`mixsafe.io.sources.load`.
    wanted
        What a mix zone is, and which part of the data counts.
    scratch
        The limit of memory, and where on disk the work is done.
    progress
        Called with what is being done.

    Raises
    ------
    InputError
        As :func:`mixsafe.io.sources.load`, or the format is one that is not read in pieces.
    """
    pieces = ReadPieces(_pieces(path, scratch.piece, format, columns, tz))
    return extract_pieces(pieces, wanted, scratch, progress)


def _pieces(
    path: str | os.PathLike[str],
    rows: int,
    format: str | None,
    columns: Mapping[str, str] | None,
    tz: str | None,
) -> Iterator[Fixes]:
    """The fixes of a source, ``rows`` at a time.

    Raises
    ------
    InputError
        The source is not one that is read so, or what is said of it does not apply.
    """
    chosen = _chosen(path, format, columns)
    if chosen.pieces is None:
        raise InputError(f"format {chosen.name} is not read in pieces", file=path)
    if tz is not None:
        check_tz(tz)
    if tz is not None and "tz" not in chosen.takes:
        raise InputError("steps are numbered here: a time zone has no use", file=path)
    if columns and "columns" not in chosen.takes:
        raise InputError(f"column names are for the format table, not {chosen.name}", file=path)
    return chosen.pieces(Path(path), columns, tz, rows)


def _chosen(
    path: str | os.PathLike[str], format: str | None, columns: Mapping[str, str] | None
) -> Format:
    """The source's format."""
    return FORMATS[format or ("table" if columns else recognize(path))]
