"""An audit, boiled down: the same page from outside, about tracks instead of pseudonyms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from mixsafe.documents.atlas import Atlas, ranks_in
from mixsafe.release.audit import Audit
from mixsafe.release.threat_model import threat_model
from mixsafe.report.base.page import cell, numbers, plural, share, share_cell, table
from mixsafe.report.base.sections import section
from mixsafe.report.base.words import helping_zones
from mixsafe.report.view_models.decided import Decided, NamedCandidates
from mixsafe.report.view_models.exposure import MOST, MapWords, exposed_at, shown_exposure
from mixsafe.report.view_models.places import PlaceWeight
from mixsafe.report.view_models.verification_view import Setting, boil_down, with_places

TRACKS = 5000
"""Tracks that are listed, at most."""


def audit_view(
    answer: Audit,
    *,
    name: str = "release",
    adversary: str = "",
    atlas: Atlas | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The view model of an audit, as plain values.

    Parameters
    ----------
    answer
        Of :func:`mixsafe.release.audit.audit`.
    name
        Of the release, for people.
    adversary
        Who she is and what she saw, in words.
    atlas
        Where places are; None: it is not known.
    provenance
        See :func:`mixsafe.report.view_models.provenance.provenance`.
    """
    evidence, pins = answer.evidence, answer.evidence.pins
    seen = {"words": adversary, "sightings": len(pins), "users": len(evidence.users)}
    weight = PlaceWeight(
        "share of its mix zones that hide something",
        (answer.zones["hides"].to_numpy() == "something").astype(float),
    )
    made = boil_down(
        decided_by_audit(answer),
        answer.users,
        answer.headline,
        Setting(name, "auditor", seen, atlas, weight, provenance, answer.next_steps),
    )
    hides = answer.zones["hides"].value_counts()
    where = None if atlas is None or not atlas.drawn else _exposure(answer, atlas)
    static = answer.static
    return with_places(made, answer.summary.get("places")) | {
        "exchanged": answer.exchanged,
        "threat_model": threat_model(answer.evidence, exchanged=answer.exchanged),
        "hides": {str(word): int(number) for word, number in hides.items()},
        "if_static": None if static is None else static.summary["share_of_time_safe"],
        "tied": _tied(answer),
        "exposure": where,
    }


def _map_words(least: int) -> MapWords:
    """Labels of the map; ``least``: distinct places that were asked for."""
    few = "fewer than k" if least == 1 else f"fewer than k, or at fewer than {least:,} places"
    return MapWords(
        f"At the places on this map published tracks spend {{}} as one of the few, {few}, that can"
        " be a known person's: an adversary with this knowledge finds the person there. Grey: all"
        " places of tracks; a track that shows several regions is in each. “Where exchange hides”"
        " shows the mix zones that hide something from this adversary; those where tracks show"
        " several regions are at no one place.",
        "where exchange hides",
        "of the mix zones that hide something are here",
    )


def _exposure(answer: Audit, atlas: Atlas) -> dict[str, Any] | None:
    """Time of published tracks by place: in all, and while known people can be followed on them."""
    where, found = atlas.where, answer.findings
    if where is None or found is None or not 0 < len(where.row) <= MOST:
        return None
    least = 1 if answer.places is None else answer.places.least
    risk = found.can_be_followed(where.row, where.step, answer.k, least)
    places, hides = answer.evidence.zones.place, answer.zones["hides"].to_numpy() == "something"
    known = np.unique(where.place)
    helps = np.zeros(len(known))
    if places is not None and hides.any():
        at = ranks_in(known, places[hides])
        np.add.at(helps, at[at >= 0], 1 / hides.sum())
    return shown_exposure(exposed_at(where, risk, helps), atlas, _map_words(least))


def _tied(answer: Audit) -> dict[str, Any]:
    """For how much of their time tracks are tied to one user, the most first."""
    tracks = answer.tracks.sort_values("tied_share", ascending=False, kind="stable")
    shown = tracks.head(TRACKS)
    return {
        "mean": round(float(tracks["tied_share"].mean()), 6),
        "track": [str(track) for track in shown["pse_id"].tolist()],
        "share": shown["tied_share"].round(4).tolist(),
        "undecided": shown["undecided_share"].round(4).tolist(),
        "user": [None if pd.isna(user) else str(user) for user in shown["user_id"]],
        "user_share": shown["user_share"].round(4).tolist(),
        "sightings": _sightings(shown),
        "other": len(tracks) - len(shown),
    }


def _sightings(tracks: pd.DataFrame) -> list[list[Any]] | None:
    """Bounds on the fewest sightings that single each track out, and when; None: not asked."""
    if "sightings_at_least" not in tracks:
        return None
    most = [None if pd.isna(one) else int(one) for one in tracks["sightings_at_most"]]
    columns = tracks["sightings_at_least"].tolist(), most, tracks["seen_at"].tolist()
    return [list(one) for one in zip(*columns, strict=True)]


def decided_by_audit(answer: Audit) -> Decided:
    """The questions of an audit: stretches of time of known users."""
    users, table, zones = answer.evidence.users, answer.intervals, answer.evidence.zones
    row = pd.Index(users).get_indexer(pd.Index(table["user_id"])).astype(np.int64)
    last = np.cumsum(answer.steps)
    fresh = np.append(True, row[1:] != row[:-1])
    before = np.maximum.accumulate(np.where(fresh, last - answer.steps, 0))
    start = last - answer.steps - before + 1

    tracks = [str(name) for name in answer.evidence.zones.users.tolist()]

    def candidates(question: int, most: int) -> NamedCandidates:
        if answer.findings is None:
            return NamedCandidates([], 0, 0)
        proven, possible = answer.findings.tracks(int(row[question]), int(start[question]))
        names = [tracks[one] for one in proven[:most].tolist()]
        return NamedCandidates(names, len(proven), len(possible))

    columns = (table[name].to_numpy(np.int64) for name in ("k", "lower", "upper"))
    k, lower, upper = columns
    return Decided(
        zones,
        row,
        start.astype(np.int64),
        (start + answer.steps - 1).astype(np.int64),
        k,
        lower,
        upper,
        np.full(len(row), -1),
        candidates,
        whole=True,
        others=users,
        placed=np.asarray(table["verdict"].cat.codes, np.int8),
    )


def audited_sections(view_model: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Parts that only audits have: effect of exchanges, and tracks."""
    if view_model["view"] != "auditor":
        return
    yield section("What the exchange of pseudonyms is worth", *_exchange(view_model))
    tied = view_model["tied"]
    columns = zip(
        tied["track"],
        tied["share"],
        tied["undecided"],
        tied["user"],
        tied["user_share"],
        strict=True,
    )
    rows = [
        [track, share_cell(part), share_cell(unsure), user or "", share_cell(longest)]
        for track, part, unsure, user, longest in columns
    ]
    sightings = tied.get("sightings")
    if sightings is not None:
        rows = [[*row, *_bounds(*one)] for row, one in zip(rows, sightings, strict=True)]
    left = tied["other"]
    listed = table(
        "Published tracks, those most tied to one person first"
        + (f"; {plural(left, 'track', 'tracks')} not listed" if left else ""),
        [
            "track",
            *numbers("tied to one person for", "undecided for"),
            "longest to",
            *numbers("for"),
            *([] if sightings is None else [*numbers("singled out by"), "at"]),
        ],
        rows,
    )
    yield section(
        "The published tracks",
        f"On average {share(tied['mean'])} of a track's time can be tied to one known person,"
        " beyond doubt.",
        *([] if sightings is None else [_SINGLED]),
        table=listed,
    )


_SINGLED = (
    "Singled out by: the fewest sightings of a user who is on the track all the time that, without"
    " sightings of others, leave the user too few tracks at every step; and their times."
)


def _bounds(least: int, most: int | None, at: str) -> list[Any]:
    """Cells that say how many sightings single a track out."""
    words = str(least) if least == most else f"{least} or more"
    return [cell(words, least), at]


def _exchange(view_model: Mapping[str, Any]) -> list[str]:
    """Sentences on zones that hide nothing, and on the same release without exchanges."""
    if not view_model["exchanged"]:
        return [
            "Pseudonyms are never exchanged in this release: an adversary who once learns which"
            " track is a person's has all of it."
        ]
    said = [f"{helping_zones(view_model['hides'])}."]
    if view_model["if_static"] is not None:
        said.append(
            f"If pseudonyms were never exchanged, {share(view_model['if_static'])} of the known"
            f" people's time would be safe, instead of {share(view_model['time']['safe'])}."
        )
    return said
