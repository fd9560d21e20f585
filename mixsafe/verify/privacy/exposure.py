"""Exposure: time at risk by place and time of the day, and the safety that meeting places give.

Of meeting places: number of meetings, and share of all safe time that begins there.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.documents.atlas import PLACES, Atlas, place_names, ranks_in
from mixsafe.extract.days import day_starts
from mixsafe.machinery.compiled import tiered
from mixsafe.model.answer.verdict import SAFE, UNSAFE
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Positions
from mixsafe.verify.privacy.decided import AnyInts, Decided, Flags, Ints, Small

MAP_PLACES = 1500
"""Number of places with a separate mark, at most: those with most time at risk, or most safety."""

BACKGROUND = 5000
"""Cells of the background, at most."""

MOST = 50_000_000
"""Positions beyond which no map is made: they would have to be held in memory."""

HOUR = 3600


@dataclass(frozen=True, eq=False)
class PlaceWeight:
    """Effect of each mix zone, and the name of that measure.

    Parameters
    ----------
    words
        Meaning of the mean over the zones of a place.
    zone
        (n_zones,) 0 to 1.
    """

    words: str
    zone: npt.NDArray[np.float64]


def places(
    questions: Decided, atlas: Atlas | None, weight: PlaceWeight | None = None
) -> dict[str, Any] | None:
    """Places of mix zones, those with most safety first; None where places are not known.

    Safety that begins at a place: the time of all stretches of safety whose first moment is a
    meeting there (where only some moments are asked, those whose last meeting was there).

    Returns
    -------
    dict
        ``place``, ``name``, ``zones``, ``people`` (different ones), ``safe`` (share of all safe
        time, or the mean ``weight`` of the zones there), ``meaning`` of that in words,
        ``x``, ``y`` (lists, or None; None in them: several regions), ``unit``, ``words``;
        ``other``: places left out, and the share of the safe time that begins there.
    """
    zones = questions.zones
    crowds = zones.crowds
    if zones.place is None or crowds is None or not len(zones):
        return None
    known, count, _, people = crowds
    rank = ranks_in(known, zones.place)
    if weight is None:
        safe, meaning = (
            safety(questions, rank, len(known)),
            "share of all safe time that begins here",
        )
    else:
        safe, meaning = np.bincount(rank, weight.zone, minlength=len(known)) / count, weight.words
    order = np.lexsort((known, -people, -safe))
    shown, rest = order[:PLACES], order[PLACES:]
    x = y = unit = None
    if atlas is not None and atlas.drawn:
        x, y = atlas.position(known[shown])
        unit = "regions" if atlas.grid is None else "km"
    return {
        "place": [_label(one, atlas) for one in known[shown].tolist()],
        "name": place_names(known[shown], atlas),
        "zones": count[shown].tolist(),
        "people": people[shown].tolist(),
        "safe": np.round(safe[shown], 6).tolist(),
        "meaning": meaning,
        "x": None if x is None else _rounded(x),
        "y": None if y is None else _rounded(y),
        "unit": unit,
        "words": None if atlas is None else atlas.words,
        "other": {
            "places": len(rest),
            "safe": None if weight else round(float(safe[rest].sum()), 6),
        },
    }


def _label(place: int, atlas: Atlas | None) -> int | str:
    """The id of a place as JSON has it."""
    return (Atlas() if atlas is None else atlas).label(place)


def _rounded(distance: npt.NDArray[np.float64]) -> list[float | None]:
    """East or north of places; None: unknown."""
    return [None if np.isnan(one) else one for one in np.round(distance, 3).tolist()]


def safety(questions: Decided, rank: Ints, n_places: int) -> npt.NDArray[np.float64]:
    """Share of all safe time that begins at each place, (n_places,).

    Parameters
    ----------
    rank
        (n_zones,) place of each zone; -1: none of them.
    """
    safe, weight = questions.verdict == SAFE, questions.weight
    found = np.zeros(n_places, np.int64)
    _add_safety(questions.row, questions.meeting, safe, weight, rank, questions.whole, found)
    return found / max(int(weight[safe].sum()), 1)


@tiered
def _add_safety(  # pragma: no cover - compiled
    row: AnyInts,
    meeting: AnyInts,
    safe: Flags,
    weight: Small,
    rank: Ints,
    whole: bool,
    found: Ints,
) -> None:
    """Add the safe time of all questions to the places where their stretches begin.

    Parameters
    ----------
    row, meeting, safe, weight
        (n_questions,) user, mix zone before the question, whether it is safe, and its steps.
    rank
        (n_zones,) place of each zone; -1: none.
    whole
        Whether safe questions that follow each other are one stretch.
    found
        (n_places,) added to.
    """
    zone = -1
    for question in range(len(row)):
        if not safe[question]:
            continue
        goes_on = whole and question > 0 and safe[question - 1]
        if not goes_on or row[question] != row[question - 1]:
            zone = meeting[question]
        if zone >= 0 and rank[zone] >= 0:
            found[rank[zone]] += weight[question]


def amounts(shares: list[float]) -> tuple[list[str], Ints]:
    """Names of four classes of shares, and the class of each share.

    The classes are 0 and three more that suit the largest share, each up to about three times
    the one before.
    """
    scale = np.array([0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0])
    top = int(np.clip(np.searchsorted(scale, max(shares)), 2, len(scale) - 1))
    edges = scale[top - 2 : top]
    code = np.where(np.array(shares) > 0, 1 + np.searchsorted(edges, shares, side="right"), 0)
    low, high = (f"{edge:.3%}".rstrip("0%").rstrip(".") + "%" for edge in edges)
    end = f"{scale[top]:.3%}".rstrip("0%").rstrip(".") + "%" if scale[top] < 1 else "100%"
    return ["none", f"below {low}", f"{low} to {high}", f"{high} to {end}"], code


def exposure(questions: Decided, atlas: Atlas | None) -> dict[str, Any] | None:
    """Time of people at places: in all, and while they can be followed.

    Returns
    -------
    dict
        None if positions are unknown, or if only some moments are asked about.
        ``slots``: names of the times of the day (or parts of the data, where
        steps are numbers); ``step_seconds``; ``name``, ``x``, ``y`` of places (metres from
        the centre of the data, or regions), the ``side`` of a place, and ``outline``, None where
        all are squares, else rings of corners of each place or None; for each place lists by slot
        of steps at ``risk`` and ``present``; ``safe``: share of all safe time that begins there;
        ``other``: places without a mark and their share of all risk; ``elsewhere``: share of the
        risk of people who are at no place then; ``background``: ``x``, ``y``, ``side`` and
        ``steps`` of coarser cells, None where the outlines of all places are there.
    """
    places = exposed(questions, atlas)
    return None if places is None or atlas is None else shown_exposure(places, atlas)


def shown_exposure(places: Exposed, atlas: Atlas) -> dict[str, Any]:
    """The part that pages show: places with most time at risk, or most safety."""
    known, risk, present, safe = places.place, places.risk, places.present, places.safe
    total, all_risk = risk.sum(axis=1), max(places.all_risk, 1)
    order = np.lexsort((known, -present.sum(axis=1), -safe, -total))
    shown = np.union1d(order[:MAP_PLACES], np.argsort(-safe, kind="stable")[: MAP_PLACES // 5])
    shown = shown[np.lexsort((known[shown], -safe[shown], -total[shown]))]
    x, y = atlas.position(known[shown])
    scale = 1000.0 if atlas.grid is not None else 1.0
    left, outline = np.setdiff1d(np.arange(len(known)), shown), atlas.corners(known[shown])
    drawn = outline is not None and not len(left)
    return {
        "slots": places.slots,
        "step_seconds": places.step_seconds,
        "unit": "metres" if atlas.grid is not None else "regions",
        "side": 1.0 if atlas.grid is None else round(atlas.grid.side, 1),
        "outline": outline,
        "name": place_names(known[shown], atlas),
        "x": np.round(x * scale, 1).tolist(),
        "y": np.round(y * scale, 1).tolist(),
        "risk": risk[shown].tolist(),
        "present": present[shown].tolist(),
        "safe": np.round(safe[shown], 6).tolist(),
        "other": {"places": len(left), "risk": round(float(total[left].sum() / all_risk), 6)},
        "elsewhere": round(float(1 - total.sum() / all_risk), 6),
        "background": None if drawn else _background(atlas, known, present.sum(axis=1), scale),
    }


@dataclass(frozen=True, eq=False)
class Exposed:
    """Time of people at all places where they are.

    Parameters
    ----------
    place
        (n,) ids, ascending.
    slots
        Names of the times of the day, or of parts of the data.
    risk, present
        (n, n_slots) steps: while people can be followed, and in all.
    safe
        (n,) share of all safe time that begins there.
    all_risk
        Steps of all people at which they can be followed, wherever they are.
    step_seconds
        Length of a step; None: steps are numbers.
    """

    place: Ints
    slots: list[str]
    risk: Ints
    present: Ints
    safe: npt.NDArray[np.float64]
    all_risk: int
    step_seconds: int | None

    def columns(self) -> dict[str, list[Any]]:
        """Columns of a table of the places, by name: hours of people, or steps."""
        unit = "steps" if self.step_seconds is None else "hours"
        risk, present = self.risk.sum(axis=1), self.present.sum(axis=1)
        scale = 1.0 if self.step_seconds is None else self.step_seconds / HOUR
        slots = self.slots if self.step_seconds is None else list(range(24))
        busiest = [slots[slot] for slot in self.risk.argmax(axis=1).tolist()]
        return {
            f"{unit}_at_risk": np.round(risk * scale, 6).tolist(),
            f"{unit}_present": np.round(present * scale, 6).tolist(),
            "share_at_risk": np.round(risk / present, 6).tolist(),
            "most_at_risk": [
                slot if at_risk else None
                for slot, at_risk in zip(busiest, risk.tolist(), strict=True)
            ],
            "safety_begins": np.round(self.safe, 6).tolist(),
        }


def exposed(questions: Decided, atlas: Atlas | None) -> Exposed | None:
    """Time of people at all places; None: as for :func:`exposure`."""
    where = None if atlas is None or not atlas.drawn else atlas.where
    if where is None or not questions.whole or questions.others is not None:
        return None
    if not len(where.row) or len(where.row) > MOST:
        return None
    unsafe = questions.verdict[questions.at(where.row, where.step)] == UNSAFE
    return exposed_at(where, unsafe, partial(_safety_at, questions), _risk(questions))


def exposed_at(
    where: Positions,
    unsafe: npt.NDArray[np.bool_],
    safe: Callable[[Ints], npt.NDArray[np.float64]],
    all_risk: int | None = None,
) -> Exposed:
    """Time by place and time of the day.

    Parameters
    ----------
    where
        Who is where.
    unsafe
        (n_positions,) whether she can be followed then.
    safe
        Returns how much each place helps, (n_places,), given their ids, ascending.
    all_risk
        Steps at which people can be followed, wherever they are; None: those of ``unsafe``.
    """
    slot, slots = time_slots(where.axis, where.step.astype(np.int64))
    known, rank = _ranked(where.place)
    key = rank * np.int64(len(slots)) + slot
    size = len(known) * len(slots)
    return Exposed(
        known,
        slots,
        np.bincount(key[unsafe], minlength=size).reshape(len(known), -1),
        np.bincount(key, minlength=size).reshape(len(known), -1),
        safe(known),
        int(np.count_nonzero(unsafe)) if all_risk is None else all_risk,
        where.axis.step_seconds,
    )


def _ranked(place: Ints) -> tuple[Ints, Ints]:
    """Places, ascending, none twice, and the number of each given one among them, (n,).

    Arrow hashes millions of them in a tenth of the time in which NumPy sorts them.
    """
    import pyarrow as pa

    values = pa.py_buffer(np.ascontiguousarray(place))  # pa.array and to_numpy import pandas
    coded = pa.Array.from_buffers(pa.int64(), len(place), [None, values]).dictionary_encode()
    met = np.asarray(np.from_dlpack(coded.dictionary), np.int64)
    order = np.argsort(met)
    rank = np.empty(len(met), np.int64)
    rank[order] = np.arange(len(met))
    return met[order], rank[np.from_dlpack(coded.indices)]


def time_slots(axis: TimeAxis, step: Ints) -> tuple[Ints, list[str]]:
    """Time of the day of some steps, as a number, (n,), and what the numbers are called.

    Hours of the day in the axis's zone; where steps are numbers, up to 24 equal parts of them.
    Nothing is as long as time is: one slip in a file may make it centuries.
    """
    if len(step) > axis.steps:  # each step once
        slot, names = time_slots(axis, np.arange(1, axis.steps + 1))
        return slot[step - 1], names
    if axis.step_seconds is None:
        count = min(24, axis.steps)
        edge = [axis.first - -part * axis.steps // count for part in range(count + 1)]
        names = [
            f"{low}" if high - low == 1 else f"{low} to {high - 1}"
            for low, high in itertools.pairwise(edge)
        ]
        return (step - 1) * count // axis.steps, names
    # Of the first day there may be a part only: count from its end.
    begins, step = day_starts(axis, at=step) - 1, step - 1
    days, day = np.unique(np.searchsorted(begins, step, side="right") - 1, return_inverse=True)
    clock = _clock_at(axis, begins[days])
    second = clock[day] + (step - begins[days[day]]) * axis.step_seconds
    return (second // HOUR) % 24, [f"{hour:02d}:00 to {hour + 1:02d}:00" for hour in range(24)]


def _clock_at(axis: TimeAxis, steps: Ints) -> Ints:
    """Seconds since midnight, as clocks show them, at which some steps begin."""
    shown = (str(axis.label(int(step) + 1))[11:19].split(":") for step in steps)
    return np.array([int(h) * HOUR + int(m) * 60 + int(s) for h, m, s in shown], np.int64)


def _risk(questions: Decided) -> int:
    """Steps of all people at which they can be followed."""
    return int(questions.weight[questions.verdict == UNSAFE].sum())


def _safety_at(questions: Decided, known: Ints) -> npt.NDArray[np.float64]:
    """Share of all safe time that begins at each place."""
    zones = questions.zones
    if zones.place is None or not len(zones) or not np.any(questions.verdict == SAFE):
        return np.zeros(len(known))
    return safety(questions, ranks_in(known, zones.place), len(known))


def _background(atlas: Atlas, known: Ints, steps: Ints, scale: float) -> dict[str, Any]:
    """Background of the map: all places, joined to squares until they are few enough."""
    x, y = atlas.position(known)
    side = scale if atlas.grid is None else atlas.grid.side
    if atlas.grid is not None and not atlas.grid.squares:
        side *= 2  # squares as large as hexagons would leave gaps
    # Regions lie around whole numbers, cells between them.
    shift = 0.5 * scale if atlas.grid is None else 0.0
    x, y = x * scale + shift, y * scale + shift
    while True:
        column = np.floor(x / side + 1e-9).astype(np.int64)
        row = np.floor(y / side + 1e-9).astype(np.int64)
        cells, number = np.unique(np.stack([column, row], axis=1), axis=0, return_inverse=True)
        if len(cells) <= BACKGROUND:
            break
        side *= 2
    sums = np.bincount(number.ravel(), steps, minlength=len(cells)).astype(np.int64)
    return {
        "side": side,
        "x": ((cells[:, 0] + 0.5) * side - shift).round(1).tolist(),
        "y": ((cells[:, 1] + 0.5) * side - shift).round(1).tolist(),
        "steps": sums.tolist(),
    }
