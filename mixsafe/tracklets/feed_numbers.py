"""Numbers about the rides of a feed: how many can be followed, when, and where."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mixsafe.model.answer.verdict import DECISIONS
from mixsafe.model.question.requirement import Rule
from mixsafe.model.tracklets import ChainCounts, FeedFinding
from mixsafe.tracklets.feeds import FeedAnswer
from mixsafe.tracklets.following import NOWHERE, FollowedRides, RideCandidates, cells_of
from mixsafe.tracklets.remedies import FeedChanges
from mixsafe.tracklets.rules import RuleCheck

AT_LEAST = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Numbers of candidates at which the curve of rides is given."""

_AREA = 500.0
"""Side of the cells of the map, metres."""

_MOST_CELLS = 400
"""Cells of the map, those with most rides first."""


def feed_numbers(answer: FeedAnswer) -> dict[str, Any]:
    """The answer as JSON.

    Parameters
    ----------
    answer
        Of :func:`mixsafe.tracklets.feeds.links`. Times and hours are those of the feed's zone.

    Returns
    -------
    dict
        ``summary`` (rides by verdict, seen from both sides), ``later`` (candidates of vehicles at
        later times, over all rides), ``without`` (what each field gives away), ``rules``,
        ``findings``, ``gaps`` (snapshots that are missing), ``remedies``; ``follower`` (what a
        follower who bets believes, and the model of movement that she has learned); ``left_out``
        and ``contradiction`` are identifiers;
        ``skipped`` counts records that are not used, and those without a position.
    """
    found, ids, tz = answer.followed, answer.feed.tracklets.ids, answer.feed.tz
    return {
        "verdict": answer.verdict.value,
        "candidates_verdict": found.verdict.value,
        "follower": _bets(answer),
        "k": found.k,
        "rule": str(found.rule),
        "closed": found.closed,
        "summary": {
            "snapshots": answer.feed.snapshots,
            "tracklets": len(found.tracklets),
            "links": found.problem.n_links,
            "rides": len(found.ends.which),
            "kept": found.n_kept,
            **{f"{one.side}s": _counts(found, one) for one in found.sides},
        },
        "without": [{"rule": _fields(one.fields), **one._asdict()} for one in answer.without],
        "rules": [_checked(one) for one in answer.checks],
        "unsound": list(found.unsound),
        "findings": [_found(one) for one in answer.feed.findings],
        "remedies": None if answer.remedies is None else _remedies(answer.remedies, found.rule),
        "later": [_later(one, found, tz) for one in answer.later],
        "left_out": [str(ids[one]) for one in found.left_out],
        "contradiction": _contradiction(found),
        "tz": tz,
        "gaps": None if answer.feed.gaps is None else answer.feed.gaps._asdict(),
        "notes": list(answer.feed.notes),
        **answer.feed.premises.to_dict(),
    }


def _bets(answer: FeedAnswer) -> dict[str, Any] | None:
    """What a follower believes, and for how long she follows with certainty."""
    follower, found = answer.follower, answer.followed
    if follower is None:
        return None
    problem, n = found.problem, len(found.tracklets)
    possible = found.bounds.possible if found.closed else np.ones(problem.n_links, bool)
    owner = problem.owner[possible]
    alone = np.bincount(owner, minlength=n)[owner] == 1
    after = np.full(n, -1)
    after[owner[alone]] = problem.to[possible][alone]
    said = follower.to_dict()
    said["followed"]["1"] = follower.time_of(after)._asdict()
    return said


def _found(one: FeedFinding) -> dict[str, Any]:
    """What catches the eye, and what to do about it."""
    return {**vars(one), "example": list(one.example)}


def _contradiction(found: FollowedRides) -> list[str]:
    """Identifiers that cannot all continue, or not all have come; none: there is a history."""
    if found.contradiction is None:
        return []
    both = np.append(found.contradiction.ends, found.contradiction.begins)
    return [str(found.tracklets.ids[one]) for one in both]


def _fields(left_out: tuple[str, ...]) -> str:
    return " and ".join(left_out) or "nothing: all fields"


def _later(one: ChainCounts, found: FollowedRides, tz: str) -> dict[str, Any]:
    """How many identifiers have k candidates at a later time, over all rides."""
    lower, upper = one.lower[one.asked], one.upper[one.asked]
    return {
        "time": pd.Timestamp(one.time, unit="s", tz="UTC").tz_convert(tz).isoformat(),
        "identifiers": len(lower),
        "safe": int((lower >= found.k).sum()),
        "unsafe": int((upper < found.k).sum()),
        "median_lower": _median(lower),
        "median_upper": _median(upper),
    }


def _checked(one: RuleCheck) -> dict[str, Any]:
    """A rule, and the share of true links that it excludes; None: not tested."""
    rate = one.excluded / one.of if one.of else None
    said = {"name": one.name, "sentence": one.sentence, "true_links": one.of}
    return {**said, "excluded": one.excluded, "rate": rate, "low": one.low, "high": one.high}


def _remedies(found: FeedChanges, rule: Rule) -> dict[str, Any]:
    tried = [
        {
            "change": one.words,
            "steps": one.n_steps,
            "safe": one.safe,
            "right": one.right,
            "verdict": one.verdict.value,
        }
        for one in found.tried
    ]
    return {"sentence": found.sentence, "share": rule.share, "tried": tried}


def followed(side: RideCandidates) -> npt.NDArray[np.bool_]:
    """(m,) rides with one candidate whoever leaves the fleet: if it goes on, it is this one."""
    one: npt.NDArray[np.bool_] = side.upper == 1
    return one


def _counts(found: FollowedRides, side: RideCandidates) -> dict[str, Any]:
    """Rides by verdict, and how many have one candidate only."""
    codes = np.bincount(found.verdicts(side), minlength=len(DECISIONS))
    return {
        "rides": len(side.which),
        **{word.value: int(n) for word, n in zip(DECISIONS, codes, strict=True)},
        "followed": int(followed(side).sum()),
        "followed_if_closed": int((side.lower == 1).sum()),
        "median_lower": _median(side.lower),
        "median_upper": _median(side.upper),
        "one_place": int(side.one_place.sum()),
        "without_link": side.n_without,
    }


def _median(numbers: npt.NDArray[np.int64]) -> float | None:
    return float(np.median(numbers)) if len(numbers) else None


def curve(found: FollowedRides) -> list[dict[str, float]]:
    """Share of the rides, seen from both sides, with at least so many candidates."""
    lower = np.concatenate([one.lower for one in found.sides])
    upper = np.concatenate([one.upper for one in found.sides])
    if not len(lower):
        return []
    most = int(upper.max())
    shown = [m for m in AT_LEAST if m <= max(most, found.k)]
    return [
        {"candidates": m, "lower": float((lower >= m).mean()), "upper": float((upper >= m).mean())}
        for m in shown
    ]


def hours(found: FollowedRides, tz: str) -> list[dict[str, float]]:
    """Rides by the hour at which an identifier was last seen."""
    side = found.ends
    seconds = found.tracklets.ends.earliest[side.which]
    hour = pd.DatetimeIndex(pd.to_datetime(seconds, unit="s", utc=True)).tz_convert(tz).hour
    table = pd.DataFrame(
        {"hour": hour, "followed": followed(side), "candidates": side.upper, "rides": 1}
    )
    grouped = table.groupby("hour").agg({"rides": "sum", "followed": "sum", "candidates": "median"})
    return _records(grouped.reset_index())


def areas(found: FollowedRides) -> list[dict[str, float]]:
    """Rides by the cell in which an identifier was last seen, most rides first.

    Rides that begin without a position are in no cell.
    """
    side = found.ends
    cells = cells_of(found.tracklets.ends, _AREA)
    table = pd.DataFrame(
        {
            "cell": cells.number[side.which],
            "followed": followed(side),
            "candidates": side.upper,
        }
    )
    grouped = (
        table[table["cell"] != NOWHERE]
        .groupby("cell")
        .agg(
            rides=("followed", "size"),
            followed=("followed", "sum"),
            candidates=("candidates", "median"),
        )
    )
    first = grouped.sort_values(["rides", "followed"], ascending=False).head(_MOST_CELLS)
    row = first.index.to_numpy(np.int64)
    north, east = (np.round(degrees[row], 5) for degrees in (cells.lat, cells.lon))
    return _records(first.assign(lat=north, lon=east))


def _records(table: pd.DataFrame) -> list[dict[str, float]]:
    """Rows of a table of numbers, as JSON has them."""
    return [{str(name): one for name, one in row.items()} for row in table.to_dict("records")]
