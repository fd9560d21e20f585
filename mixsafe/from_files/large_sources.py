"""Traces that do not fit into memory: from their files to mix zones."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from mixsafe.extract.large.extraction import WantedZones, extract_pieces
from mixsafe.extract.zones import Extraction
from mixsafe.io.columns.reading import Reading
from mixsafe.io.sources import format_of, pieces_of
from mixsafe.io.traces.in_pieces import ReadPieces, memory_of
from mixsafe.machinery.memory import default_memory
from mixsafe.machinery.spill import SpillRoom, ahead
from mixsafe.model.progress import Progress, no_progress

File = str | os.PathLike[str]


def is_large(
    paths: File | Sequence[File], memory: int | None = None, reading: Reading | None = None
) -> bool:
    """Whether sources of traces would take more memory than they may, and can be read in pieces.

    Parameters
    ----------
    paths
        Files or folders.
    memory
        Bytes; None: half of the machine's.
    reading
        How they are read; None: they say it themselves.

    Raises
    ------
    InputError
        One cannot be read, or is in no format that is known.
    """
    files, how = _listed(paths), reading or Reading()
    step = how.rules.time_step
    if sum(memory_of(one, how.form, step) for one in files) <= (memory or default_memory()):
        return False
    return all(format_of(path, how).pieces is not None for path in files)


def _listed(paths: File | Sequence[File]) -> Sequence[File]:
    """One file or several, as a list."""
    return [paths] if isinstance(paths, str | os.PathLike) else paths


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


def kind_of(paths: File | Sequence[File], reading: Reading | None = None) -> FixKind:
    """What the fixes of sources of traces are, by the first of them.

    Raises
    ------
    InputError
        As :func:`extract`, about the first rows.
    """
    pieces = ReadPieces(pieces_of(_listed(paths), reading or Reading(), 1))
    first = next(iter(pieces))
    return FixKind(first.region is not None, pieces.clock == "time_id")


def extract(
    paths: File | Sequence[File],
    wanted: WantedZones,
    scratch: SpillRoom,
    reading: Reading | None = None,
    progress: Progress = no_progress,
) -> Extraction:
    """Positions and mix zones of sources of traces of any size.

    They are those of the same sources read into memory, to the last bit; only how much memory that
    takes is another matter.

    Parameters
    ----------
    paths
        Files or folders, read one after the other.
    wanted
        What a mix zone is, and which part of the data counts.
    scratch
        The limit of memory, and where on disk the work is done.
    reading
        How they are read; None: they say it themselves.
    progress
        Called with what is being done.

    Raises
    ------
    InputError
        As :func:`mixsafe.io.sources.load`, or the format is one that is not read in pieces.
    """
    how = reading or Reading()
    how = replace(how, rules=replace(how.rules, time_step=wanted.time_step))
    wanted = replace(wanted, drop_spikes=how.rules.drop_spikes)
    parts = pieces_of(_listed(paths), how, scratch.piece)
    pieces = ReadPieces(ahead(parts), how.similar_names)
    return extract_pieces(pieces, wanted, scratch, progress)
