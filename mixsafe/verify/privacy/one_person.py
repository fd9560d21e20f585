"""The time of one person: when protected, followed or known, and when met and seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.verify.privacy.decided import Decided, Ints

COLUMNS = 200
"""Columns of the picture, at most."""

Floats = npt.NDArray[np.float64]


def one_person(asked: Decided, row: int) -> dict[str, Any]:
    """Stretches of a user's time by code of :attr:`Decided.standing`, meetings and sightings.

    Returns
    -------
    dict
        ``moments`` (labels of the columns), ``stretches`` (begins and ends of the stretches of each
        code), ``meetings`` and ``sightings`` (once for each column); places are in columns.
    """
    steps = asked.zones.axis.steps
    columns = min(COLUMNS, steps)
    first = -(-np.arange(columns) * steps // columns) + 1
    start, end, code = _stretches(asked, row)
    begins, ends = (start - 1) * columns / steps, end * columns / steps
    seen = asked.seen.step[asked.seen.row == row]
    return {
        "moments": [asked.zones.axis.label(step) for step in first.tolist()],
        "stretches": {
            one: (begins[code == one].round(3).tolist(), ends[code == one].round(3).tolist())
            for one in np.unique(code).tolist()
        },
        "meetings": _in_columns(asked.meets(row), columns, steps),
        "sightings": _in_columns(seen, columns, steps),
    }


def _in_columns(step: npt.NDArray[np.integer], columns: int, steps: int) -> list[float]:
    """The middles of the columns of some steps; step 0 is at the very left."""
    column = (step.astype(np.int64) - 1) * columns // steps
    return np.maximum(np.unique(column) + 0.5, 0.0).tolist()


def _stretches(asked: Decided, row: int) -> tuple[Ints, Ints, npt.NDArray[np.int8]]:
    """First and last step, and code, of stretches of one code; steps without data are in none."""
    begin, until = np.searchsorted(asked.row, [row, row + 1]).tolist()
    if asked.gaps is not None:
        start = end = asked.gaps.step[asked.gaps.ptr[row] : asked.gaps.ptr[row + 1]].astype(
            np.int64
        )
        question = asked.at(np.full(len(start), row), start)
    else:
        question = np.arange(begin, until)
        question = question[asked.end[question] > 0]  # step 0 is before the data
        start = np.maximum(asked.start[question], 1).astype(np.int64)
        end = asked.end[question].astype(np.int64)
    code = asked.standing[question]
    fresh = np.append(True, (code[1:] != code[:-1]) | (start[1:] > end[:-1] + 1))[: len(code)]
    head = np.flatnonzero(fresh)
    return start[head], end[np.append(head[1:] - 1, len(end) - 1)[: len(head)]], code[head]
