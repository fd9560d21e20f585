"""What an audit says: which tracks of a release can be whose, as seen from outside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import PurePath
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mixsafe.documents.atlas import Atlas, Context, ranks_in
from mixsafe.documents.document import Column, CriterionEvidence, Document, Fact, Part, Table, Text
from mixsafe.model.answer.next_steps import LIKELY
from mixsafe.model.answer.time_followed import BELIEFS, times_sentence
from mixsafe.model.answer.wording import count, plural, share
from mixsafe.release.assumption_document import FOLLOWER_LIMIT
from mixsafe.release.audit import Audit, threat_model
from mixsafe.release.track_follower import TrackFollower
from mixsafe.solver.state import tokens
from mixsafe.verify.privacy.decided import Decided, Ints, NamedCandidates, Sighted
from mixsafe.verify.privacy.exposure import MOST, PlaceWeight, exposed_at, shown_exposure
from mixsafe.verify.privacy.privacy import (
    Judged,
    PrivacyNumbers,
    inference,
    singling_out,
    who_is_not_shown,
)
from mixsafe.verify.privacy.privacy_document import Said, at_places, privacy_document

TRACKS = 5000
"""Tracks that are listed, at most."""

_HELPS = "share of its mix zones that hide something"
_EXPOSED = (
    "At the places on this map published tracks spend {{}} as one of the few, {}, that can be a"
    " known person's: an adversary with this knowledge finds the person there. Grey: all places of"
    " tracks; a track that shows several regions is in each. “Where exchange hides” shows the mix"
    " zones that hide something from this adversary; those where tracks show several regions are at"
    " no one place."
)
_EXCHANGES = (
    "The verdict holds if pseudonyms were exchanged at random wherever tracks meet. A release does"
    " not show whether they were."
)
_SINGLED = (
    "Singled out by: the fewest sightings of a user who is on the track all the time that, without"
    " sightings of others, leave the user too few tracks at every step; and their times."
)
_NO_ZONE = "none, because pseudonyms are assumed never to be exchanged."
_ZONE = (
    "two or more published tracks that show one place in one time step. Any exchange of their"
    " pseudonyms may have happened there, invisible to the adversary."
)


def audit_document(answer: Audit, context: Context, *, pages: bool = True) -> Document:
    """The document of an audit.

    Parameters
    ----------
    context
        The name of the release, and where its places are.
    pages
        With the parts that only pages show.
    """
    name = PurePath(context.source).name.split(".")[0] or "release"
    found, zones = privacy_of(answer, name), answer.evidence.zones
    least = found.headline.asked.places
    few = "fewer than k" if least == 1 else f"fewer than k, or at fewer than {least:,} places"
    judged, numbers = Judged.of(found, zones.n_users), evidence_numbers(answer)
    said = Said(
        facts=tuple(_facts(found, answer, context)),
        limits=((_EXCHANGES,) if answer.exchanged else ()) + (FOLLOWER_LIMIT,),
        who="tracks",
        adversary=numbers["threat_model"],
        zone=_ZONE if answer.exchanged else _NO_ZONE,
        evidence=tuple(evidence(judged, numbers)),
        exposed=_EXPOSED.format(few),
        helps="where exchange hides",
        helps_share="of the mix zones that hide something are here",
        sentence=answer.sentence,
        parts=tuple(_parts(answer, pages=pages)),
        assumed_on_pages_only=False,
    )
    where = exposed(answer, context.atlas) if pages else None
    return privacy_document(found, said, context.atlas, where, pages=pages)


def privacy_of(answer: Audit, name: str = "release") -> PrivacyNumbers:
    """The numbers of an audit that its document shows; ``name``: of the release."""
    zones, names = answer.evidence.zones, answer.evidence.users
    best = np.zeros(len(names), np.int64)
    np.maximum.at(best, _rows(answer), answer.intervals["lower"].to_numpy(np.int64))
    return PrivacyNumbers(
        name,
        zones,
        answer.headline,
        names,
        answer.user_rows,
        best,
        partial(decided, answer),
        answer.next_steps,
        zones.notes,
        answer.summary.get("places"),
        weight=PlaceWeight(_HELPS, _hides(answer).astype(float)),
    )


def _rows(answer: Audit) -> Ints:
    """Number of the user of each interval."""
    users = pd.Index(answer.evidence.users)
    return users.get_indexer(pd.Index(answer.intervals["user_id"])).astype(np.int64)


def _hides(answer: Audit) -> Any:  # noqa: ANN401 -- an array of flags
    """(n_zones,) whether a mix zone hides something."""
    return answer.zones["hides"].to_numpy() == "something"


def decided(answer: Audit) -> Decided:
    """The questions of an audit, a step of its own for each sighting that leaves too few tracks."""
    asked, pins = intervals(answer), answer.evidence.pins
    seen = pins.time > 0
    return asked.known_at(pins.token[seen], pins.time[seen])


def intervals(answer: Audit) -> Decided:
    """The intervals of known users as questions."""
    evidence, table = answer.evidence, answer.intervals
    row, last = _rows(answer), np.cumsum(answer.steps)
    fresh = np.append(True, row[1:] != row[:-1])
    before = np.maximum.accumulate(np.where(fresh, last - answer.steps, 0))
    start = last - answer.steps - before + 1
    tracks = [str(name) for name in evidence.zones.users.tolist()]

    def candidates(question: int, most: int) -> NamedCandidates:
        if answer.findings is None:
            return NamedCandidates([], 0, 0)
        proven, possible = answer.findings.tracks(int(row[question]), int(start[question]))
        names = [tracks[one] for one in proven[:most].tolist()]
        return NamedCandidates(names, len(proven), len(possible))

    k, lower, upper = (table[name].to_numpy(np.int64) for name in ("k", "lower", "upper"))
    return Decided(
        evidence.zones,
        row,
        start.astype(np.int64),
        (start + answer.steps - 1).astype(np.int64),
        k,
        lower,
        upper,
        np.full(len(row), -1),
        candidates,
        whole=True,
        others=evidence.users,
        placed=np.asarray(table["verdict"].cat.codes, np.int8),
        seen=Sighted(evidence.pins.token, evidence.pins.time),
        meets=partial(_meetings, answer),
    )


def _meetings(answer: Audit, user: int) -> Ints:
    """Steps at which a track that can be a user's is in a mix zone."""
    found, zones = answer.findings, answer.evidence.zones
    if found is None or not len(zones):
        return np.zeros(0, np.int64)
    event = np.searchsorted(found.begins, zones.time, side="left")[zones.zone_of_member]
    came = found.network.wire_at(zones.members, event - 1)
    hers = tokens.are_in(found.possible, came, user)
    return np.unique(zones.time[zones.zone_of_member[hers]]).astype(np.int64)


def exposed(answer: Audit, atlas: Atlas | None) -> dict[str, Any] | None:
    """Time of published tracks by place: in all, and while known people can be followed on them."""
    where, found = None if atlas is None or not atlas.drawn else atlas.where, answer.findings
    if atlas is None or where is None or found is None or not 0 < len(where.row) <= MOST:
        return None
    least = 1 if answer.places is None else answer.places.least
    risk = found.can_be_followed(where.row, where.step, answer.k, least)
    places, hides = answer.evidence.zones.place, _hides(answer)

    def helps(known: Ints) -> npt.NDArray[np.float64]:
        share = np.zeros(len(known))
        if places is not None and hides.any():
            at = ranks_in(known, places[hides])
            np.add.at(share, at[at >= 0], 1 / hides.sum())
        return share

    return shown_exposure(exposed_at(where, risk, helps), atlas)


def _facts(found: PrivacyNumbers, answer: Audit, context: Context) -> Iterator[Fact]:
    zones, summary = answer.evidence.zones, answer.summary
    axis = zones.axis
    if answer.follower is not None:
        by_belief = {belief: time._asdict() for belief, time in answer.follower.times.items()}
        unit = "" if answer.follower.step_seconds is not None else "steps"
        yield Fact("Followed", times_sentence(by_belief, "in one piece", unit))
        yield Fact("Beliefs", answer.follower.about)
    yield Fact(
        "Asked",
        f"at least {answer.k} candidate tracks for each known person at every time"
        f"{at_places(found)}",
    )
    yield Fact(
        "Release",
        f"{context.source or 'release'}: {zones.n_users:,} tracks, {axis.steps:,} steps"
        f" ({axis.period}); {plural(len(answer.evidence.users), 'person', 'people')} known",
    )
    yield Fact(
        "Tracks",
        f"{share(summary['share_of_tracks_tied'])} of their time can be tied to one known person"
        f" ({share(summary['share_of_tracks_undecided'])} undecided)",
    )
    if "sightings_at_least" in answer.tracks:
        yield Fact("Singled out", _singled(answer))
    if answer.exchanged:
        yield Fact("Mix zones", f"{helping_zones(answer)}; --json names those that hide nothing")
        yield Fact("If static", _if_static(answer))
    yield Fact("Engine", answer.engine)
    yield Fact("Decision", round(answer.seconds, 3), "seconds")


def helping_zones(answer: Audit) -> str:
    """Number of meetings that hide something from the adversary."""
    hides = answer.zones_that_hide
    total, helping, undecided = sum(hides.values()), hides["something"], hides["undecided"]
    only = "Only " if helping < total else ""
    return (
        f"{only}{count(helping)} of {plural(total, 'meeting', 'meetings')}"
        f" {'is' if helping == 1 else 'are'} proven to help these people ({count(undecided)} open)"
    )


def _singled(answer: Audit) -> str:
    """Numbers of tracks by the sightings that single them out."""
    most = answer.tracks["sightings_at_most"]
    sightings, tracks = np.unique(most.dropna().to_numpy(int), return_counts=True)
    singled = [
        f"{plural(number, 'track', 'tracks')} by {plural(m, 'sighting', 'sightings')}"
        for m, number in zip(sightings.tolist(), tracks.tolist(), strict=True)
    ]
    return f"{', '.join([*singled, f'{int(most.isna().sum()):,} not'])} (their own, worst case)"


def _if_static(answer: Audit) -> str:
    """The result if pseudonyms had never been exchanged."""
    if answer.static is None:
        return "without exchanges, the sightings contradict the release"
    summary = answer.static.summary
    people = summary["users"]
    return (
        f"without exchanges {people['unsafe']:,} of {sum(people.values()):,} would fail, and"
        f" {share(summary['share_of_tracks_tied'])} of the time of tracks would be tied to a known"
        " person (--exchange none)"
    )


def _parts(answer: Audit, *, pages: bool) -> Iterator[Part]:
    """Whom a follower names, what exchanges are worth, and the published tracks."""
    if answer.follower is not None:
        yield _named(answer.follower)
    if not pages:
        return
    yield Text("What the exchange of pseudonyms is worth", tuple(_worth(answer)), pages_only=True)
    yield _tracks(answer)


def _named(bets: TrackFollower) -> Table:
    """The track that a follower names for each person, those whom she believes in most first."""
    rows, left = bets.named[:TRACKS], max(len(bets.named) - TRACKS, 0)
    by_truth = bets.truth is not None
    long = "longest followed, minutes" if bets.step_seconds else "longest followed, steps"
    per_unit = 60 if bets.step_seconds else 1
    return Table(
        "Whom a follower would name",
        "The track that a follower who bets names for each person, the surest first; followed: as"
        f" long as the belief is {BELIEFS[-1]:g} or more"
        + (f"; {plural(left, 'person', 'people')} not listed" if left else ""),
        (
            Column("person", "name"),
            Column("track named for longest", "name"),
            Column("named for", "share"),
            Column("belief, mean", "share"),
            Column(long, "count"),
            *([Column("right for", "share")] if by_truth else []),
        ),
        [
            (
                row["user_id"],
                row["pse_id"],
                round(row["share_named"], 4),
                row["belief"],
                round(row["longest_followed"] / per_unit),
                *([row["right"]] if by_truth else []),
            )
            for row in rows
        ],
    )


def _worth(answer: Audit) -> Iterator[str]:
    if not answer.exchanged:
        yield (
            "Pseudonyms are never exchanged in this release: an adversary who once learns which"
            " track is a person's has all of it."
        )
        return
    yield f"{helping_zones(answer)}."
    if answer.static is not None:
        static = answer.static.summary["share_of_time_safe"]
        yield (
            f"If pseudonyms were never exchanged, {share(static)} of the known people's time would"
            f" be safe, instead of {share(answer.summary['share_of_time_safe'])}."
        )


def _tracks(answer: Audit) -> Table:
    """For how much of their time tracks are tied to one user, the most first."""
    tracks = answer.tracks.sort_values("tied_share", ascending=False, kind="stable")
    shown, with_sightings = tracks.head(TRACKS), "sightings_at_least" in tracks
    users = ["" if pd.isna(user) else str(user) for user in shown["user_id"]]
    columns: list[Sequence[Any]] = [
        [str(track) for track in shown["pse_id"].tolist()],
        shown["tied_share"].round(4).tolist(),
        shown["undecided_share"].round(4).tolist(),
        users,
        shown["user_share"].round(4).tolist(),
    ]
    heads = [
        Column("track", "name"),
        Column("tied to one person for", "share"),
        Column("undecided for", "share"),
        Column("longest to", "name"),
        Column("for", "share"),
    ]
    if with_sightings:
        most = [None if pd.isna(one) else int(one) for one in shown["sightings_at_most"]]
        fewest = shown["sightings_at_least"].tolist()
        columns.append(
            [
                str(low) if low == high else f"{low} or more"
                for low, high in zip(fewest, most, strict=True)
            ]
        )
        columns.append(shown["seen_at"].tolist())
        heads += [Column("singled out by"), Column("at")]
    left = len(tracks) - len(shown)
    tied = (
        f"On average {share(answer.summary['share_of_tracks_tied'])} of a track's time can be tied"
        " to one known person, beyond doubt."
    )
    return Table(
        "The published tracks",
        "Published tracks, those most tied to one person first"
        + (f"; {plural(left, 'track', 'tracks')} not listed" if left else ""),
        heads,
        list(zip(*columns, strict=True)),
        text=(tied, *([_SINGLED] if with_sightings else [])),
        pages_only=True,
    )


def evidence_numbers(answer: Audit) -> dict[str, Any]:
    """The numbers of an audit's JSON that only audits tell an officer."""
    return {
        "exchange": "zones" if answer.exchanged else "none",
        "threat_model": threat_model(answer.evidence, exchanged=answer.exchanged),
        "summary": answer.summary,
        "zones_that_hide": answer.zones_that_hide,
        "without_exchange": None if answer.static is None else answer.static.summary,
        "follower": None if answer.follower is None else answer.follower.to_dict(),
    }


def evidence(judged: Judged, found: Mapping[str, Any]) -> Iterator[CriterionEvidence]:
    """What an officer is told of an audit; ``found``: its JSON object."""
    sentence = (
        f"The release shows {plural(judged.every, 'track', 'tracks')} under pseudonyms, over"
        f" {plural(judged.steps, 'time step', 'time steps')} ({judged.first} to {judged.last})."
    )
    if found["exchange"] == "zones":
        sentence += (
            f" In {plural(judged.zones, 'case', 'cases')}, tracks visibly meet, so that their"
            " pseudonyms may have been exchanged."
        )
    yield CriterionEvidence("data", (sentence,))
    yield CriterionEvidence("adversary", tuple(found["threat_model"]))
    yield singling_out(judged)
    tied, unsure = (
        found["summary"][f"share_of_tracks_{one}"] for one in ("tied", "undecided")
    )  # fmt: skip
    bets = found.get("follower")
    likely = bets is not None and max(bets["expected"], bets["right"] or 0.0) >= LIKELY
    yield judged.evidence(
        "linkability",
        judged.if_none(tied or likely, unsure),
        *([bets["sentence"]] if bets else []),
        f"On average, {share(tied)} of a published track's time can be tied to one known person"
        f" beyond doubt; for {share(unsure)} it is undecided.",
        _help(judged, found),
    )
    yield from inference(judged)
    yield judged.evidence(
        "testing",
        judged.by_verdict,
        "The finished release was audited without its secrets, as an intruder with the sightings"
        f" that are listed above would. {who_is_not_shown(judged)} The audit finds everything that"
        " follows from what the adversary knows. It is not limited to the ideas of one attacker.",
    )


def _help(judged: Judged, found: Mapping[str, Any]) -> str:
    """How many meetings hide something, and what it would be without exchanges."""
    hides, static = found["zones_that_hide"], found["without_exchange"]
    said = (
        f"Of the meetings of tracks, {count(hides['something'])} hide something from this"
        f" adversary, {count(hides['nothing'])} hide nothing, and {count(hides['undecided'])} are"
        " undecided."
    )
    safe = judged.headline.safe_share
    if static is not None and round(safe, 6) != static["share_of_time_safe"]:
        said += (
            " If pseudonyms were never exchanged, the known people would be protected for"
            f" {share(static['share_of_time_safe'])} of the time, instead of {share(safe)}."
        )
    return said
