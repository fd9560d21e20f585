"""Posteriors by time, by person and by place, as the document of a weighing shows them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.documents.atlas import PLACES, ranks_in
from mixsafe.documents.stretches import time_in_columns
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.weigh.weighed import WeighedRows
from mixsafe.weigh.whose_tracks import TrackWeighing

Floats = npt.NDArray[np.float64]

PEOPLE = 500
"""Number of people listed, at most."""

_COLUMNS = 120  # stretches of time, at most
_MANY = 3  # candidates that are many enough for a likely one among them to be worth telling


def over_time(zones: MixZones, rows: WeighedRows, bet: float) -> dict[str, Any]:
    """Means over all people with data in each stretch of time."""
    steps = zones.axis.steps
    edges = np.linspace(0, steps, min(_COLUMNS, steps) + 1).round().astype(np.int64)
    found, known = rows.found, rows.found.settled
    best = np.where(known, found.best, 0.0)
    columns = {
        "best": best,
        "counted": np.where(known, 1.0 / found.proven, 0.0),
        "bet_on": (known & (best > bet)).astype(float),
        "settled": known.astype(float),
    }
    sums = {name: _summed(zones, rows, values, edges) for name, values in columns.items()}
    settled = np.maximum(sums["settled"], 1e-12)
    people = np.maximum(_summed(zones, rows, np.ones(len(best)), edges), 1)
    return {
        "moments": [zones.axis.label(int(step) + 1) for step in edges[:-1]],
        **{name: _rounded(sums[name] / settled) for name in ("best", "counted", "bet_on")},
        "not_settled": _rounded(1 - sums["settled"] / people),
    }


def _summed(
    zones: MixZones, rows: WeighedRows, values: Floats, edges: npt.NDArray[np.int64]
) -> Floats:
    """Sum of ``values`` over wires and published steps, in each stretch."""
    steps = zones.axis.steps
    if zones.published is not None:
        found = np.zeros(len(edges) - 1)
        for wire, column, weight in time_in_columns(zones, rows.user, rows.start, rows.end, edges):
            found += np.bincount(column, weight * values[wire], len(found))
        return found
    change = np.zeros(steps + 2)
    held = rows.weight > 0  # wires of nothing but the moment before the first step
    np.add.at(change, np.maximum(rows.start[held], 1), values[held])
    np.add.at(change, rows.end[held] + 1, -values[held])
    each = np.cumsum(change)[1 : steps + 1]
    return np.asarray(np.add.reduceat(each, edges[:-1]), np.float64)


def people(zones: MixZones, rows: WeighedRows, bet: float) -> dict[str, Any]:
    """People who have many candidates but one likely, the worst first."""
    found, n = rows.found, zones.n_users
    known = found.settled
    steps = rows.weight.astype(np.float64)
    best = np.where(known, found.best, 0.0)
    fooled = known & (best > bet) & (found.proven >= _MANY)

    def of_users(values: Floats) -> Floats:
        return np.asarray(np.bincount(rows.user, values, n), np.float64)

    total = np.maximum(of_users(steps), 1)
    settled = np.maximum(of_users(steps * known), 1e-12)
    share, mean = of_users(steps * fooled) / total, of_users(steps * best) / settled
    highest = np.zeros(n)
    counts = fooled & (rows.weight > 0)
    np.maximum.at(highest, rows.user[counts], best[counts])
    order = np.lexsort((np.arange(n), -mean, -share))[:PEOPLE]
    return {
        "user": [str(one) for one in zones.users[order].tolist()],
        "share": _rounded(share[order]),
        "highest": _rounded(highest[order]),
        "mean": _rounded(mean[order]),
        "not_settled": _rounded((of_users(steps * ~known) / total)[order]),
        "fooled": int(np.count_nonzero(share > 0)),
        "of": n,
    }


def places(zones: MixZones, rows: WeighedRows, bet: float) -> dict[str, Any] | None:
    """Probability of the likeliest candidate after meetings by place; None: places are unknown."""
    crowds = zones.crowds
    if zones.place is None or crowds is None or not len(zones):
        return None
    known, n_zones, leaving, _ = crowds
    key = rows.user.astype(np.int64) * (zones.axis.steps + 2) + rows.start
    zone = zones.zone_of_member
    wire = np.searchsorted(
        key, zones.members.astype(np.int64) * (zones.axis.steps + 2) + zones.time[zone]
    )
    settled, best = rows.found.settled[wire], np.nan_to_num(rows.found.best[wire])
    at = ranks_in(known, zones.place)[zone]

    def of_places(values: npt.NDArray[Any]) -> Floats:
        return np.asarray(np.bincount(at, values, len(known)), np.float64)

    counted = np.maximum(of_places(settled), 1e-12)
    mean, likely = of_places(best) / counted, of_places(settled & (best > bet)) / counted
    order = np.lexsort((known, -of_places(settled & (best > bet))))[:PLACES]
    return {
        "place": known[order],
        "zones": n_zones[order].tolist(),
        "leaving": leaving[order].tolist(),
        "mean": _rounded(mean[order]),
        "likely": _rounded(likely[order]),
        "of": len(known),
    }


def _rounded(values: Floats) -> list[float]:
    """Shares, as JSON holds them."""
    return [round(float(value), 6) for value in values]


def of_tracks(answer: TrackWeighing) -> dict[str, Any]:
    """Tracks and their likely users: over time, and by person.

    Parameters
    ----------
    answer
        What was found.
    """
    axis, steps, users = answer.evidence.zones.axis, answer.steps, answer.evidence.users
    shape = (len(users), len(steps))
    known = answer.found.settled.reshape(shape)
    best = np.where(known, answer.found.best.reshape(shape), 0.0)
    edges = np.linspace(0, axis.steps, min(_COLUMNS, axis.steps) + 1).round().astype(np.int64)
    each = np.repeat(np.arange(len(steps)), np.maximum(steps, 0))  # a number per step of the data
    settled = np.add.reduceat(known.sum(axis=0)[each].astype(float), edges[:-1])
    right = np.add.reduceat(best.sum(axis=0)[each], edges[:-1])
    held = np.maximum(steps, 0).astype(float)
    share = (known * held).sum(axis=1) / held.sum()
    mean = (best * held).sum(axis=1) / np.maximum((known * held).sum(axis=1), 1e-12)
    highest = (best * (held > 0)).max(axis=1)
    order = np.lexsort((np.arange(len(users)), -mean))[:PEOPLE]
    return {
        "over_time": {
            "moments": [axis.label(int(step) + 1) for step in edges[:-1]],
            "best": _rounded_or_none(right, settled),
            "not_settled": _rounded(1 - settled / (len(users) * np.diff(edges))),
        },
        "people": {
            "user": [str(one) for one in np.asarray(users)[order].tolist()],
            "mean": _rounded_or_none((mean * share)[order], share[order]),
            "highest": _rounded_or_none((highest * share)[order], share[order]),
            "not_settled": _rounded(1 - share[order]),
            "of": len(users),
        },
    }


def _rounded_or_none(part: Floats, whole: Floats) -> list[float | None]:
    """Shares as JSON values; None: undefined."""
    return [
        round(one / of, 6) if of > 0 else None
        for one, of in zip(part.tolist(), whole.tolist(), strict=True)
    ]
