"""Protection over time: of users at moments, and of everybody as shares."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.documents.stretches import time_in_columns
from mixsafe.verify.privacy.decided import Decided, Ints
from mixsafe.verify.privacy.levels import Levels

MOMENTS = 200
"""Columns of a picture, at most."""

BANDS = 100
"""Rows of a picture, at most."""


class _Steps:
    """Steps that were asked about, ascending; where it was all of them, they are not listed."""

    def __init__(self, asked: Decided) -> None:
        self._listed = None if asked.whole else np.unique(asked.start)
        self._number = asked.zones.axis.steps if self._listed is None else len(self._listed)

    def __len__(self) -> int:
        return self._number

    def __getitem__(self, place: Ints) -> Ints:
        return place + 1 if self._listed is None else np.asarray(self._listed[place])


def moments(asked: Decided) -> Ints:
    """Steps to look at: all that were asked about, or evenly spread ones where those are many."""
    steps = _Steps(asked)
    if len(steps) <= MOMENTS:
        return steps[np.arange(len(steps))]
    middle = (np.arange(MOMENTS) + 0.5) * len(steps) / MOMENTS
    return steps[middle.astype(np.int64)]


def timeline(asked: Decided, levels: Levels, order: Ints, n_bands: int = BANDS) -> dict[str, Any]:
    """Level of users at moments: a row per user, or per band of users where those are many.

    Parameters
    ----------
    order
        Rows of the users who were asked about, the least protected first.
    n_bands
        Rows of the timeline, at most.

    Returns
    -------
    dict
        ``moments`` (labels), ``every`` (shows one of how many steps), ``bands`` (users of each
        row), ``per_band``, ``level`` (a list per band; the median user's; -1: nobody is asked
        about, or has data then).
    """
    steps = moments(asked)
    per_band = -(-len(order) // n_bands)
    bands = [order[first : first + per_band] for first in range(0, len(order), per_band)]
    names = asked.users
    level = [_median_level(asked, levels, band, steps).tolist() for band in bands]
    return {
        "moments": [asked.zones.axis.label(step) for step in steps.tolist()],
        "every": round(len(_Steps(asked)) / len(steps), 2),
        "per_band": per_band,
        "bands": [
            f"{names[band[0]]}" if len(band) == 1 else f"{names[band[0]]} and {len(band) - 1} more"
            for band in bands
        ],
        "level": level,
    }


def _median_level(asked: Decided, levels: Levels, band: Ints, steps: Ints) -> npt.NDArray[np.int8]:
    """Level of the middle user of a band at each step, (n_steps,); -1: no question about it."""
    question = asked.at(band[:, None], steps[None, :])
    if asked.gaps is not None:
        rows, at = np.repeat(band, len(steps)), np.tile(steps, len(band))
        shown = asked.gaps.between(rows, at, at).reshape(question.shape)
        question = np.where(shown > 0, question, -1)
    level = np.where(question >= 0, levels.code[question], -1)
    level.sort(axis=0)
    silent = (level < 0).sum(axis=0)
    middle = silent + (len(band) - silent - 1) // 2  # the lower of two middle ones
    picked: npt.NDArray[np.int8] = np.take_along_axis(
        level, np.minimum(middle, len(band) - 1)[None, :], axis=0
    )[0]
    return picked


def shares_over_time(asked: Decided, levels: Levels) -> dict[str, Any]:
    """Share of the users on each level, of those with data then, over time: every step counts.

    Returns
    -------
    dict
        ``from`` (labels of where each column begins), ``names`` of the levels, and ``share``, a
        list per level.
    """
    steps = _Steps(asked)
    columns = min(MOMENTS, len(steps))
    begin = steps[np.unique(np.arange(columns) * len(steps) // columns)]
    until = np.append(begin, asked.zones.axis.steps + 1) - 1  # the last step before each column
    if asked.gaps is not None:
        summed = _published_in(asked, levels, until)
    else:
        summed = np.diff(
            [_asked_until(asked, levels.code == code, until) for code in range(len(levels.names))]
        )
    share = summed / np.maximum(summed.sum(axis=0), 1)
    return {
        "from": [asked.zones.axis.label(step) for step in begin.tolist()],
        "names": list(levels.names),
        "share": np.round(share, 4).tolist(),
    }


def _published_in(asked: Decided, levels: Levels, until: Ints) -> Ints:
    """(n_levels, n_columns) number of published steps of questions of each level, by column.

    Parameters
    ----------
    until
        (n_columns + 1,) the last step before each column, and the last one of all.
    """
    n_columns = len(until) - 1
    found = np.zeros(len(levels.names) * n_columns, np.int64)
    for question, column, weight in time_in_columns(
        asked.zones, asked.row, asked.start, asked.end, until
    ):
        key = levels.code[question].astype(np.int64) * n_columns + column
        found += np.bincount(key, weight, len(found)).astype(np.int64)
    return found.reshape(-1, n_columns)


def _asked_until(asked: Decided, those: npt.NDArray[np.bool_], steps: Ints) -> Ints:
    """(n_steps,) number of questions and steps asked about, up to each of ``steps``.

    Nothing is as long as time is: the lengths of the stretches are summed up.
    """
    return _lengths(asked.start[those], steps + 1) - _lengths(asked.end[those] + 1, steps + 1)


def _lengths(begin: Ints, end: Ints) -> Ints:
    """(n_ends,) sum over all that has begun by then of how long ago that was."""
    begin = np.sort(begin)
    begun = np.searchsorted(begin, end)
    total: Ints = begun * end - np.concatenate([[0], np.cumsum(begin)])[begun]
    return total


def runs(level: npt.NDArray[np.int8], code: int) -> tuple[list[int], list[int], list[int]]:
    """Runs of a level in a timeline: the row, the first column, and the column after the last."""
    padded = np.zeros((level.shape[0], level.shape[1] + 2), np.int8)
    padded[:, 1:-1] = level == code
    change = np.diff(padded, axis=1)
    row, begin = np.nonzero(change == 1)
    return row.tolist(), begin.tolist(), np.nonzero(change == -1)[1].tolist()
