"""Protection over time: of everybody as shares, of the least protected users, of one person.

Figures show a few classes of numbers of candidates, the levels of protection.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.documents.atlas import Atlas, zone_told
from mixsafe.documents.stretches import time_in_columns
from mixsafe.machinery.compiled import tiered
from mixsafe.model.answer.verdict import SAFE, UNDECIDED, UNSAFE
from mixsafe.verify.privacy.decided import KNOWN, AnyInts, Decided, Ints, Small, verdict_word

KNOWN_WORDS = "known by assumption"
KNOWN_COLOUR = "series-6"
"""Of what is known by assumption, in every picture."""

_FEW = ("unsafe-1", "unsafe-2", "unsafe-3", "unsafe-4")  # from the fewest candidates on

MOMENTS = 200
"""Columns of a picture, at most."""

BANDS = 100
"""Rows of a picture, at most."""

USERS = 20
"""Number of users whose intervals are listed, at most."""

STRETCHES = 30
"""Number of intervals of a user, at most."""

NAMES = 12
"""Names that are listed before "and n more"."""

COLUMNS = 200
"""Columns of the picture, at most."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Levels:
    """Ordered steps of protection, from known to safe.

    Parameters
    ----------
    names, colours
        Of the levels, the least protected first; the last but one is "undecided", the last safe.
    code
        (n_questions,) level of each question.
    """

    names: tuple[str, ...]
    colours: tuple[str, ...]
    code: npt.NDArray[np.int8]

    @classmethod
    def of(cls, questions: Decided) -> Levels:
        """Levels by the proven number of candidates.

        If all questions have one k: 1, 2 and two more steps up to k. Otherwise: fewer than asked,
        or enough. Undecided questions are a separate level, whatever their lower bound; so are
        unsafe ones with enough candidates, at too few places, and those that are known by
        assumption. Unsafe ones without a proven candidate (the time was up) are on the first level
        of numbers.
        """
        k = _different(questions.k)
        edges = np.array([1, 2, -(-k[0] // 4), -(-k[0] // 2)]) if len(k) == 1 else np.array([1])
        edges = np.unique(edges[(edges >= 1) & (edges < k[-1])])
        known = questions.standing == KNOWN
        first = int(known.any())  # a level before the numbers
        code = np.full(len(questions.row), first, np.int8)
        for edge in edges[1:]:
            code += questions.lower >= edge
        few = (questions.standing == UNSAFE) & (questions.lower >= questions.k)
        apart = int(few.any())  # a level after them
        code[known] = 0
        code[few] = first + len(edges)
        code[questions.verdict == UNDECIDED] = first + len(edges) + apart
        code[questions.verdict == SAFE] = first + len(edges) + apart + 1
        if len(k) != 1:
            names = ["fewer than asked"]
            safe = "as many as asked, or more"
        else:
            ends = np.append(edges[1:], k)[: len(edges)] - 1  # none is below k = 1
            names = [_span(*span) for span in zip(edges.tolist(), ends.tolist(), strict=True)]
            lowest = code == first
            if names and ends[0] == 1 and questions.lower[lowest].min(initial=1) == 0:
                names[0] = "0 or 1"
            elif names and ends[0] == 1 and questions.upper[lowest].max(initial=1) == 1:
                names[0] = "1 (identified)"
            safe = f"{k[0]} or more"
        return cls(
            ((KNOWN_WORDS,) * first) + (*names, *("at too few places",) * apart, "undecided", safe),
            ((KNOWN_COLOUR,) * first)
            + (*_FEW[: len(names)], *("series-3",) * apart, "undecided", "safe"),
            code,
        )


def _different(numbers: AnyInts) -> Ints:
    """Different numbers, ascending; sorts none if all are equal, as they are most of the time."""
    low = numbers.min(initial=np.iinfo(np.int32).max)
    if len(numbers) and low == numbers.max():
        return np.array([low])
    return np.unique(numbers)


def _span(first: int, last: int) -> str:
    """A range of numbers of candidates, in words."""
    return f"{first}" if first == last else f"{first} to {last}"


class _Steps:
    """Steps that were asked about, ascending; where it was all of them, they are not listed."""

    def __init__(self, questions: Decided) -> None:
        self._listed = None if questions.whole else np.unique(questions.start)
        self._number = questions.zones.axis.steps if self._listed is None else len(self._listed)

    def __len__(self) -> int:
        return self._number

    def __getitem__(self, place: Ints) -> Ints:
        return place + 1 if self._listed is None else np.asarray(self._listed[place])


def moments(questions: Decided) -> Ints:
    """Steps to look at: all that were asked about, or evenly spread ones where those are many."""
    steps = _Steps(questions)
    if len(steps) <= MOMENTS:
        return steps[np.arange(len(steps))]
    middle = (np.arange(MOMENTS) + 0.5) * len(steps) / MOMENTS
    return steps[middle.astype(np.int64)]


def timeline(
    questions: Decided, levels: Levels, order: Ints, n_bands: int = BANDS
) -> dict[str, Any]:
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
    steps = moments(questions)
    per_band = -(-len(order) // n_bands)
    bands = [order[first : first + per_band] for first in range(0, len(order), per_band)]
    names = questions.users
    level = [_median_level(questions, levels, band, steps).tolist() for band in bands]
    return {
        "moments": [questions.zones.axis.label(step) for step in steps.tolist()],
        "every": round(len(_Steps(questions)) / len(steps), 2),
        "per_band": per_band,
        "bands": [
            f"{names[band[0]]}" if len(band) == 1 else f"{names[band[0]]} and {len(band) - 1} more"
            for band in bands
        ],
        "level": level,
    }


def _median_level(
    questions: Decided, levels: Levels, band: Ints, steps: Ints
) -> npt.NDArray[np.int8]:
    """Level of the middle user of a band at each step, (n_steps,); -1: no question about it."""
    there = np.zeros((len(steps), len(levels.names)), np.int64)
    asked = questions.ptr, questions.start, questions.end
    gaps = questions.gaps
    published = _ALL if gaps is None else (gaps.ptr, gaps.step)
    _count_levels(asked, levels.code, published, band, steps, there)
    until = there.cumsum(axis=1)
    middle = (until[:, -1] - 1) // 2  # the lower of two middle ones
    found: npt.NDArray[np.int8] = (until > middle[:, None]).argmax(axis=1).astype(np.int8)
    found[until[:, -1] == 0] = -1
    return found


_ALL = np.zeros(0, np.int64), np.zeros(0, np.int32)
"""Published steps of users who lack none."""


@tiered
def _count_levels(  # pragma: no cover - compiled
    asked: tuple[Ints, AnyInts, AnyInts],
    level: npt.NDArray[np.int8],
    published: tuple[Ints, Small],
    band: Ints,
    steps: Ints,
    there: Ints,
) -> None:
    """Count the users of a band on each level at some steps; a walk along each user's questions.

    Parameters
    ----------
    asked
        Offsets of the questions of each user, and the first and last step of each question.
    level
        (n_questions,) of each question.
    published
        Offsets and steps in which something of each user is published; no offsets: in all.
    band, steps
        Users; and steps, ascending.
    there
        (n_steps, n_levels) filled from 0.
    """
    ptr, start, end = asked
    own, shown = published
    for user in band:
        question, last = ptr[user] - 1, ptr[user + 1] - 1
        gaps = len(own) > 0
        place, until = (own[user], own[user + 1]) if gaps else (0, 0)
        for at in range(len(steps)):
            step = steps[at]
            while question < last and start[question + 1] <= step:
                question += 1
            while place < until and shown[place] < step:
                place += 1
            if question < ptr[user] or end[question] < step:
                continue
            if gaps and (place == until or shown[place] > step):
                continue
            there[at, level[question]] += 1


def shares_over_time(questions: Decided, levels: Levels) -> dict[str, Any]:
    """Share of the users on each level, of those with data then, over time: every step counts.

    Returns
    -------
    dict
        ``from`` (labels of where each column begins), ``names`` of the levels, and ``share``, a
        list per level.
    """
    steps = _Steps(questions)
    columns = min(MOMENTS, len(steps))
    begin = steps[np.unique(np.arange(columns) * len(steps) // columns)]
    until = np.append(begin, questions.zones.axis.steps + 1) - 1  # the last step before each column
    summed = np.zeros((len(levels.names), len(begin)), np.int64)
    if questions.gaps is not None:
        summed += _published_in(questions, levels, until)
    else:
        _add_lengths(questions.start, questions.end, levels.code, until, summed)
    share = summed / np.maximum(summed.sum(axis=0), 1)
    return {
        "from": [questions.zones.axis.label(step) for step in begin.tolist()],
        "names": list(levels.names),
        "share": np.round(share, 4).tolist(),
    }


def _published_in(questions: Decided, levels: Levels, until: Ints) -> Ints:
    """(n_levels, n_columns) number of published steps of questions of each level, by column.

    Parameters
    ----------
    until
        (n_columns + 1,) the last step before each column, and the last one of all.
    """
    n_columns = len(until) - 1
    steps = np.zeros(len(levels.names) * n_columns, np.int64)
    for question, column, weight in time_in_columns(
        questions.zones, questions.row, questions.start, questions.end, until
    ):
        key = levels.code[question].astype(np.int64) * n_columns + column
        steps += np.bincount(key, weight, len(steps)).astype(np.int64)
    return steps.reshape(-1, n_columns)


@tiered
def _add_lengths(  # pragma: no cover - compiled
    start: AnyInts, end: AnyInts, level: npt.NDArray[np.int8], until: Ints, found: Ints
) -> None:
    """Add the steps of all questions, by level and column; nothing is as long as time is.

    Parameters
    ----------
    start, end, level
        (n_questions,) first and last step, and level.
    until
        (n_columns + 1,) the last step before each column, and the last one of all.
    found
        (n_levels, n_columns) added to.
    """
    column, last = 0, len(until) - 2
    for question in range(len(start)):
        # The questions of a user ascend: the column is seldom far from the one before.
        while column > 0 and until[column] >= start[question]:
            column -= 1
        while column < last and until[column + 1] < start[question]:
            column += 1
        at = column
        while at <= last and until[at] < end[question]:
            first = max(start[question], until[at] + 1)
            after = min(end[question], until[at + 1])
            if after >= first:
                found[level[question], at] += after - first + 1
            at += 1


def runs(level: npt.NDArray[np.int8], code: int) -> tuple[list[int], list[int], list[int]]:
    """Runs of a level in a timeline: the row, the first column, and the column after the last."""
    padded = np.zeros((level.shape[0], level.shape[1] + 2), np.int8)
    padded[:, 1:-1] = level == code
    change = np.diff(padded, axis=1)
    row, begin = np.nonzero(change == 1)
    return row.tolist(), begin.tolist(), np.nonzero(change == -1)[1].tolist()


def stories(questions: Decided, order: Ints, atlas: Atlas | None = None) -> list[dict[str, Any]]:
    """Stories of the least protected users.

    Parameters
    ----------
    order
        Rows of users, the least protected first.
    atlas
        Names of places; None: their numbers.
    """
    return [_story(questions, int(row), atlas) for row in order[:USERS].tolist()]


def _story(questions: Decided, row: int, atlas: Atlas | None) -> dict[str, Any]:
    """One user: stretches by time; of too many, the longest that are not safe."""
    first, last = questions.ptr[row : row + 2].tolist()
    stretches = _merged(questions, first, last)
    verdict = questions.verdict
    shown = sorted(
        stretches,
        key=lambda part: (
            verdict[part[0]] == SAFE,
            questions.start[part[0]] - questions.end[part[1]],
            part[0],
        ),
    )[:STRETCHES]
    return {
        "user": str(questions.users[row]),
        "stretches": [_stretch(questions, first, last, atlas) for first, last in sorted(shown)],
        "all": len(stretches),
    }


def _merged(questions: Decided, first: int, last: int) -> list[tuple[int, int]]:
    """First and last question of each stretch of safe questions or of equal bounds."""
    part = slice(first, last)
    lower, upper, safe = (
        questions.lower[part],
        questions.upper[part],
        questions.verdict[part] == SAFE,
    )
    same = np.zeros(last - first, bool)
    if questions.whole:
        alike = (lower[1:] == lower[:-1]) & (upper[1:] == upper[:-1]) & (safe[1:] == safe[:-1])
        same[1:] = alike | (safe[1:] & safe[:-1])
    begin = np.flatnonzero(~same) + first
    return list(zip(begin.tolist(), [*(begin[1:] - 1).tolist(), last - 1], strict=True))


def _stretch(questions: Decided, first: int, last: int, atlas: Atlas | None) -> dict[str, Any]:
    """One stretch of time, with the candidates at its begin."""
    label = questions.zones.axis.label
    candidates = questions.candidates(first, NAMES)
    code = int(questions.verdict[first])
    shown: dict[str, Any] = {
        "from": label(int(questions.start[first])),
        "to": label(int(questions.end[last])),
        "verdict": verdict_word(code),
        "k": int(questions.k[first]),
        "lower": int(questions.lower[first : last + 1].min()),
        "upper": int(questions.upper[first : last + 1].max()),
        "candidates": candidates.names,
        "more": candidates.proven - len(candidates.names),
        "meeting": _meeting(questions, int(questions.meeting[first]), atlas),
    }
    if code in (UNSAFE, UNDECIDED):
        shown["perhaps"] = candidates.possible - candidates.proven
    return shown


def _meeting(questions: Decided, zone: int, atlas: Atlas | None) -> dict[str, Any] | None:
    """The mix zone at which a stretch begins."""
    if zone < 0:
        return None
    more = max(0, int(questions.zones.sizes[zone]) - NAMES)
    return {**zone_told(questions.zones, zone, atlas, NAMES), "more": more}


def one_person(questions: Decided, row: int) -> dict[str, Any]:
    """Stretches of a user's time by code of :attr:`Decided.standing`, meetings and sightings.

    Returns
    -------
    dict
        ``moments`` (labels of the columns), ``stretches`` (begins and ends of the stretches of each
        code), ``meetings`` and ``sightings`` (once for each column); places are in columns.
    """
    steps = questions.zones.axis.steps
    columns = min(COLUMNS, steps)
    first = -(-np.arange(columns) * steps // columns) + 1
    start, end, code = _stretches(questions, row)
    begins, ends = (start - 1) * columns / steps, end * columns / steps
    seen = questions.seen.step[questions.seen.row == row]
    return {
        "moments": [questions.zones.axis.label(step) for step in first.tolist()],
        "stretches": {
            standing: (
                begins[code == standing].round(3).tolist(),
                ends[code == standing].round(3).tolist(),
            )
            for standing in np.unique(code).tolist()
        },
        "meetings": _in_columns(questions.meets(row), columns, steps),
        "sightings": _in_columns(seen, columns, steps),
    }


def _in_columns(step: npt.NDArray[np.integer], columns: int, steps: int) -> list[float]:
    """The middles of the columns of some steps; step 0 is at the very left."""
    column = (step.astype(np.int64) - 1) * columns // steps
    return np.maximum(np.unique(column) + 0.5, 0.0).tolist()


def _stretches(questions: Decided, row: int) -> tuple[Ints, Ints, npt.NDArray[np.int8]]:
    """First and last step, and code, of stretches of one code; steps without data are in none."""
    begin, until = questions.ptr[row : row + 2].tolist()
    if questions.gaps is not None:
        start = end = questions.gaps.step[
            questions.gaps.ptr[row] : questions.gaps.ptr[row + 1]
        ].astype(np.int64)
        question = questions.at(np.full(len(start), row), start)
    else:
        question = np.arange(begin, until)
        question = question[questions.end[question] > 0]  # step 0 is before the data
        start = np.maximum(questions.start[question], 1).astype(np.int64)
        end = questions.end[question].astype(np.int64)
    code = questions.standing[question]
    fresh = np.append(True, (code[1:] != code[:-1]) | (start[1:] > end[:-1] + 1))[: len(code)]
    head = np.flatnonzero(fresh)
    return start[head], end[np.append(head[1:] - 1, len(end) - 1)[: len(head)]], code[head]
