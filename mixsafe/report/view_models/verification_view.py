"""The view model of a verification: small for data of any size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from mixsafe.documents.atlas import Atlas
from mixsafe.model.answer.headline import Headline, set_apart
from mixsafe.model.answer.verdict import DECISIONS
from mixsafe.model.question.requirement import Rule
from mixsafe.report.view_models.decided import Decided, Ints, decided
from mixsafe.report.view_models.exposure import exposure
from mixsafe.report.view_models.levels import Levels
from mixsafe.report.view_models.over_time import (
    protection_order,
    shares_over_time,
    time_shares,
    timeline,
)
from mixsafe.report.view_models.places import PlaceWeight, places
from mixsafe.report.view_models.stories import stories
from mixsafe.verify.verification import Verification

FORMAT = 4
"""Version of the form of a view model."""

USERS = 5000
"""Number of users listed, at most."""


def view_model(
    answer: Verification,
    *,
    adversary: str = "",
    atlas: Atlas | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The view model of a verification, as plain values.

    Parameters
    ----------
    answer
        Of ``verify(..., keep_candidates=True)``.
    adversary
        What she knows, in words.
    atlas
        Where places are; None: it is not known, and there is no map.
    provenance
        See :func:`mixsafe.report.view_models.provenance.provenance`.

    Returns
    -------
    dict
        As ``docs/results.md`` describes it; JSON can hold it.

    Raises
    ------
    InputError
        The answer has no candidates.
    """
    asked = decided(answer)
    knowledge = answer.problem.knowledge
    seen = {"sightings": len(knowledge), "users": len(np.unique(knowledge.row))}
    setting = Setting(
        answer.problem.name,
        "publisher",
        {"words": adversary, **seen, "reading": knowledge.reading_words},
        atlas,
        provenance=provenance,
        next_steps=answer.next_steps,
    )
    made = boil_down(asked, answer.users, answer.headline, setting)
    return with_places(made, answer.summary.get("places"))


def with_places(made: dict[str, Any], places: Mapping[str, Any] | None) -> dict[str, Any]:
    """A view model with the places of candidates, if they were counted."""
    if places is None:
        return made
    asked = {**made["asked"], "distinct_places": places["distinct"]}
    return {**made, "asked": asked, "candidate_places": dict(places)}


@dataclass(frozen=True)
class Setting:
    """Subject of a question: data, adversary and places.

    Parameters
    ----------
    name
        Of the data, for people.
    view
        ``publisher`` or ``auditor``.
    adversary
        ``words``, ``sightings``, ``users`` (the sighted ones), and perhaps ``reading``, in words.
    atlas
        Coordinates and names of places; None: unknown.
    weight
        Measure that colours places; None: the safe time that begins there.
    provenance
        See :func:`mixsafe.report.view_models.provenance.provenance`.
    next_steps
        Advice on the verdict.
    """

    name: str
    view: Literal["publisher", "auditor"]
    adversary: Mapping[str, Any]
    atlas: Atlas | None = None
    weight: PlaceWeight | None = None
    provenance: Mapping[str, Any] | None = None
    next_steps: Sequence[str] = ()


def boil_down(
    asked: Decided, users: pd.DataFrame, headline: Headline, setting: Setting
) -> dict[str, Any]:
    """The view model of questions and their answers.

    Parameters
    ----------
    asked
        The questions, with bounds.
    users
        A row per user asked about: user_id, verdict, safe_share, undecided_share, known_share.
    headline
        The answer about all of them.
    setting
        Whose data they are about.
    """
    row = pd.Index(asked.users).get_indexer(pd.Index(users["user_id"]))
    verdict = np.zeros(len(asked.users), np.int8)
    verdict[row] = users["verdict"].map([word.value for word in DECISIONS].index)
    order = protection_order(asked, verdict)
    levels = Levels.of(asked)
    source = setting.provenance
    return {
        "format": FORMAT,
        "kind": "privacy",
        "name": setting.name,
        "view": setting.view,
        "verdict": headline.verdict.value,
        "next_steps": list(setting.next_steps),
        "headline": headline.to_dict(),
        "apart": None if asked.others is not None else set_apart(asked.zones),
        "asked": _asked(asked, headline.asked.rule),
        "data": _data(asked),
        "adversary": dict(setting.adversary),
        "people": {
            word.value: int(np.count_nonzero(verdict[row] == code))
            for code, word in enumerate(DECISIONS)
        },
        "time": time_shares(asked),
        "timeline": timeline(asked, levels, order),
        "over_time": shares_over_time(asked, levels),
        "least": stories(asked, order, setting.atlas),
        "users": _users(asked, users.set_index(row), order),
        "places": places(asked, setting.atlas, setting.weight),
        "exposure": exposure(asked, setting.atlas),
        "provenance": None if source is None else dict(source),
    }


def _asked(asked: Decided, rule: Rule) -> dict[str, Any]:
    """The question."""
    k = np.unique(asked.k)
    return {
        "k": int(k[0]) if len(k) == 1 else None,
        "times": "all" if asked.whole else "some",
        "questions": len(asked.row),
        "rule": str(rule),
        "rule_by_default": rule.by_default,
        "rule_words": rule.words,
    }


def _data(asked: Decided) -> dict[str, Any]:
    """Facts about the data."""
    zones = asked.zones
    axis = zones.axis
    return {
        "users": len(asked.users),
        "tracks": zones.n_users,
        "steps": axis.steps,
        "first": axis.label(1),
        "last": axis.label(axis.steps),
        "step_seconds": axis.step_seconds,
        "tz": axis.tz if axis.timed else None,
        "zones": len(zones),
        "largest_zone": int(zones.sizes.max()) if len(zones) else 0,
        "never_meet": len(zones.alone) + len(zones.absent),
        "notes": list(zones.notes),
    }


def _users(asked: Decided, users: pd.DataFrame, order: Ints) -> dict[str, Any]:
    """Figures of each user, the least protected first.

    Parameters
    ----------
    users
        Indexed by row.
    """
    shown = users.loc[order[:USERS]]
    best = np.zeros(len(asked.users), np.int64)
    least = np.full(len(asked.users), np.iinfo(np.int64).max)
    np.maximum.at(best, asked.row, asked.lower)
    counted = asked.weight > 0
    np.minimum.at(least, asked.row[counted], asked.lower[counted])
    meetings = np.bincount(asked.zones.members, minlength=asked.zones.n_users)
    rows = order[:USERS]
    met = None if asked.others is not None else meetings[rows].tolist()
    return {
        "user": [str(name) for name in shown["user_id"].tolist()],
        "verdict": shown["verdict"].tolist(),
        "safe": shown["safe_share"].round(4).tolist(),
        "undecided": shown["undecided_share"].round(4).tolist(),
        "known": shown["known_share"].round(4).tolist(),
        "least": least[rows].tolist(),
        "best": best[rows].tolist(),
        "meetings": met,
        "other": len(order) - len(shown),
    }
