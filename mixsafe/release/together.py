"""Auditing several releases of the same people: their pseudonyms have nothing in common.

Rows are tracks again: a row carries a track of each release, and those that one row carries can be
of one person, so that everybody staying on a row is possible
(:mod:`mixsafe.extract.exchange.together`).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from mixsafe.documents.document import Column, CriterionEvidence, Document, Table
from mixsafe.errors import InputError
from mixsafe.extract.exchange.movement import Movement
from mixsafe.extract.exchange.together import ReleaseLink, in_order, one_person
from mixsafe.model.answer.gaps import Gaps, GapVerdicts
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.answer.wording import plural, share
from mixsafe.model.course import Course, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.adversary import Pins
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.requirement import Rule, check_k
from mixsafe.model.release import Sightings
from mixsafe.release.audit import Audit, answer, never
from mixsafe.release.audit_tables import interval_table, known_user_table, rows_of_users
from mixsafe.release.evidence import Evidence, Published
from mixsafe.release.findings import AuditQuestion, Findings, find
from mixsafe.release.possible_tracks import PossibleTracks
from mixsafe.release.readings import Reader, by_strictest, is_consistent
from mixsafe.release.track_beliefs import Joined, TrackBeliefs
from mixsafe.verify.auditor.whereabouts import presence
from mixsafe.verify.tables import labels, records
from mixsafe.verify.together import (
    LOSERS,
    OneRelease,
    certainly_less,
    releases_document,
)

Ints = npt.NDArray[np.int64]

_NOWHERE = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class KnownRelease:
    """One published release of several.

    Parameters
    ----------
    name
        For people.
    published
        Its tracks.
    sightings
        Who was seen where in its time.
    movement
        Fixes of its tracks, and how far people get; None: any way is possible.
    """

    name: str
    published: Published
    sightings: Sightings
    movement: Movement | None = None

    def zones(self, exchanged: bool) -> MixZones:
        """Where pseudonyms are exchanged in it."""
        return self.published.zones if exchanged else never(self.published.zones)


class NamedRight(NamedTuple):
    """Share of the time of a release for which a follower who bets names the right track.

    Parameters
    ----------
    alone
        Expected, by the release alone, of those who were seen in it; None: nobody was.
    together
        Expected, by all releases, of all known people, if they are in it.
    """

    alone: float | None
    together: float

    @property
    def most(self) -> float:
        """The greater of both."""
        return max(self.alone or 0.0, self.together)


@dataclass(frozen=True, eq=False)
class TogetherAudit:
    """Audits of several releases.

    Parameters
    ----------
    names, rule
        Of the releases; when a user passes.
    alone
        The audit of each release without the others; None: nobody is known in it.
    users
        For each release, a row per known user with what is known of her in it by all releases, as
        :attr:`mixsafe.release.audit.Audit.users`.
    intervals
        The same by stretch of time, as :attr:`mixsafe.release.audit.Audit.intervals`.
    gaps
        The verdict on all releases together by each reading of gaps.
    joined, beliefs
        The releases one after the other, and what a follower who bets believes by all of them.
    """

    names: tuple[str, ...]
    rule: Rule
    alone: tuple[Audit | None, ...]
    users: tuple[pd.DataFrame, ...]
    intervals: tuple[pd.DataFrame, ...]
    gaps: GapVerdicts
    joined: Joined
    beliefs: TrackBeliefs

    @cached_property
    def named(self) -> tuple[NamedRight, ...]:
        """For each release, the time for which a follower who bets names the right track."""
        found = self.beliefs
        last, shares = found.first + found.lasts - 1, []
        for number, alone in enumerate(self.alone):
            begin, end = self.joined.steps(number)
            weight = np.clip(np.minimum(last, end) - np.maximum(found.first, begin) + 1, 0, None)
            together = float((found.belief @ weight).mean()) / (end - begin + 1)
            bets = None if alone is None else alone.follower
            shares.append(NamedRight(None if bets is None else bets.expected, together))
        return tuple(shares)

    @property
    def follower(self) -> str:
        """How often she is right in the release in which she is right most, in a sentence."""
        most = max(range(len(self.named)), key=lambda number: self.named[number].most)
        named = self.named[most]
        alone = "" if named.alone is None else f"; by this release alone {share(named.alone)}"
        if named.alone is not None and named.alone > named.together:
            alone = f" by this release alone; by all releases {share(named.together)}"
        how = "expected, by all releases" if named.most == named.together else "expected"
        return (
            f"A follower who bets names the right track in {self.names[most]} for"
            f" {share(named.most)} of the time ({how}{alone})."
        )

    @property
    def about(self) -> str:
        """What her beliefs rest on."""
        found = self.beliefs
        said = "A follower who bets weighs, for each known person, the tracks of each release."
        if not found.learned:
            said += " There are too few fixes to learn from: in gaps, people may be anywhere."
        if len(found.user) < found.n_known:
            some = plural(found.n_known, "person", "people")
            said += f" By all releases, she weighs a sample of {len(found.user):,} of {some}."
        if not found.together:
            said += (
                " By all releases, each person is weighed as if nothing was known of the others."
            )
        if found.error:
            said += f" Beliefs are of drawn stories; they are {found.error:.3f} off."
        return said

    @property
    def verdict(self) -> Verdict:
        """The worst verdict on a known user in a release, weak if only by the default rule.

        It is also weak if only by a reading of gaps that allows more than the sightings need.
        """
        return self.gaps.verdict

    @property
    def losers(self) -> pd.DataFrame:
        """A row per release and known user who certainly has less protected time by the others.

        release (from 1), user_id, alone, together (shares of time), lower_alone, lower (fewest
        candidates).
        """
        tables = []
        for number, (alone, both) in enumerate(zip(self.alone, self.users, strict=True), 1):
            if alone is None:
                continue
            mine = alone.users.set_index("user_id").reindex(both["user_id"])
            rows = rows_of_users(both, both["user_id"].to_numpy())
            less = certainly_less(rows, mine["safe_share"].to_numpy())
            tables.append(
                pd.DataFrame(
                    {
                        "release": number,
                        "user_id": both["user_id"].to_numpy()[less],
                        "alone": mine["safe_share"].to_numpy()[less].round(6),
                        "together": both["safe_share"].to_numpy()[less].round(6),
                        "lower_alone": mine["lower"].to_numpy()[less],
                        "lower": both["lower"].to_numpy()[less],
                    }
                )
            )
        return pd.concat(tables, ignore_index=True)

    def to_dict(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The answer as a JSON object; ``question``: what was asked."""
        releases = [
            {
                "name": name,
                "alone": None if alone is None else records(alone.users),
                "together": records(users),
                "intervals": records(intervals),
                "named_right": named._asdict(),
            }
            for name, alone, users, intervals, named in zip(
                self.names, self.alone, self.users, self.intervals, self.named, strict=True
            )
        ]
        return {
            "verdict": self.verdict.value,
            **question,
            "gaps": self.gaps.to_dict(),
            "releases": releases,
            "follower": {
                "sentence": self.follower,
                "about": self.about,
                "people": len(self.beliefs.user),
                "learned": self.beliefs.learned,
                "together": self.beliefs.together,
                "sampling_error": self.beliefs.error,
            },
            "losing": records(self.losers),
        }

    def document(self, k: int) -> Document:
        """What the answer says; ``k``: what was asked."""
        losers = self.losers
        releases = [
            OneRelease(
                name,
                len(users),
                None if alone is None else alone.user_rows,
                rows_of_users(users, users["user_id"].to_numpy()),
                None if alone is None else alone.verdict,
                _worst((users,), self.rule),
                int((losers["release"] == number).sum()),
            )
            for number, (name, alone, users) in enumerate(
                zip(self.names, self.alone, self.users, strict=True), 1
            )
        ]
        names = ["user_id", "release", "lower_alone", "lower"]
        table = Table(
            "Who loses",
            "Who loses",
            (
                Column("person", "name"),
                Column("release", "count"),
                Column("candidates alone", "count"),
                Column("candidates together", "count"),
            ),
            losers.astype({"user_id": str})[names].astype(object).to_numpy().tolist()[:LOSERS],
        )
        known = self.users[0]["user_id"].nunique()
        people = plural(known, "known person", "known people")
        said = [self.gaps.sentence] if self.gaps.sentence else []
        losing = losers["user_id"].nunique()
        document = releases_document(
            self.verdict, k, releases, losing, people, table, [*said, self.about]
        )
        bets = Table(
            "What a follower who bets finds",
            "Time for which a follower who bets names the right track (expected): by a release"
            " alone of those seen in it, by all releases of all known people",
            (Column("release"), Column("by it alone", "share"), Column("by all", "share")),
            [(name, *named) for name, named in zip(self.names, self.named, strict=True)],
        )
        sentence = f"{self.follower} {document.sentence}"
        evidence = (CriterionEvidence("residual", (sentence,)),)
        parts = (bets, *document.parts)
        return replace(document, sentence=sentence, parts=parts, evidence=evidence)


def audit_together(
    releases: Sequence[KnownRelease],
    k: int,
    *,
    exchanged: bool = True,
    rule: Rule | None = None,
    engine: str = "auto",
    limits: SolveLimits | None = None,
    progress: Progress = no_progress,
    gaps: Gaps | None = None,
) -> TogetherAudit:
    """Audit several releases of the same people, each alone and all together.

    All people of a release with fewer tracks are taken to be in those with more. Not to be in a
    release is no candidate there.

    Parameters
    ----------
    releases
        In any order of time.
    k, exchanged, rule, engine, limits, progress
        Tracks that each known user might be on, at least; whether pseudonyms may be exchanged in
        mix zones; when a user passes; the engine; limits of each audit; callback of progress.
    gaps
        How gaps are read, as in :meth:`mixsafe.release.evidence.Evidence.of`.

    Raises
    ------
    InputError
        As there; fewer than two releases, nobody known in any of them, or two releases that cannot
        be of the same people.
    """
    check_k(k)
    if len(releases) < 2:
        raise InputError("together there are two releases or more", hint="name the second one")
    rule, begin = rule or Rule.default(every_time=True), partial(Course.begin, limits, progress)
    by_itself = AuditQuestion(k, rule, engine, exhaustive=False)
    alone = tuple(
        answer(
            Evidence.of(one.published, one.sightings, gaps), by_itself, begin(),
            exchanged=exchanged, by_gaps=False,
        )
        if len(one.sightings.users)
        else None
        for one in releases
    )  # fmt: skip
    evidence, joined = joined_evidence(releases, exchanged=exchanged, gaps=gaps)
    begins = joined.begins
    if not len(evidence.users):
        raise InputError("no known users: there is nothing to audit")
    shown = joined.carries(evidence.zones.n_users)
    question, course = replace(by_itself, exhaustive=not shown.all()), begin()

    def joint(evidence: Evidence) -> _Parts:
        found = find(evidence, question, course)
        if not shown.all():
            found = _of_shown(found, begins, shown)
        return _parts(releases, begins, evidence, found, question)

    evidence, (users, intervals) = by_strictest(evidence, joint)
    read = Reader(
        evidence,
        _worst(users, rule),
        lambda one: _worst(joint(one)[0], rule),
        partial(is_consistent, course=course),
        next((one.published.reach.speed for one in releases if one.published.reach), None),
    )
    names = tuple(one.name for one in releases)
    beliefs = TrackBeliefs.of(evidence, joined=joined)
    return TogetherAudit(names, rule, alone, users, intervals, read.verdicts(), joined, beliefs)


_Parts = tuple[tuple[pd.DataFrame, ...], tuple[pd.DataFrame, ...]]
"""Users and intervals of each release."""


def _parts(
    releases: Sequence[KnownRelease],
    begins: Ints,
    evidence: Evidence,
    found: Findings,
    question: AuditQuestion,
) -> _Parts:
    """What is found of all releases, in the steps of each."""
    table, user, _, _ = interval_table(found, question.k, evidence)
    users, intervals = [], []
    for one, begin in zip(releases, begins.tolist(), strict=True):
        axis = one.published.zones.axis
        start = np.maximum(table["from_time"].to_numpy(np.int64) - begin, 1)
        end = np.minimum(table["to_time"].to_numpy(np.int64) - begin, axis.steps)
        kept = np.flatnonzero(start <= end)
        part = table.iloc[kept].reset_index(drop=True)
        part["from_time"] = labels(axis, start[kept].astype(np.int32))
        part["to_time"] = labels(axis, end[kept].astype(np.int32))
        here = (evidence.pins.time > begin) & (evidence.pins.time <= begin + axis.steps)
        known = found.known(evidence.pins.those(np.flatnonzero(here)), question.k)
        weight = (end - start + 1)[kept]
        intervals.append(part)
        users.append(
            known_user_table(part, user[kept], weight, known, evidence.users, question.rule)
        )
    return tuple(users), tuple(intervals)


def _worst(users: Sequence[pd.DataFrame], rule: Rule) -> Verdict:
    """The worst verdict on a known user in a release, weak if only by the default rule."""
    words = pd.concat([one["verdict"] for one in users])
    for verdict in (Verdict.UNSAFE, Verdict.UNDECIDED):
        if (words == verdict.value).any():
            return verdict
    always = all((one["safe_share"] == 1).all() for one in users)
    return Verdict.SAFE if always or not rule.by_default else Verdict.WEAK_PASS


def _of_shown(found: Findings, begins: Ints, shown: npt.NDArray[np.bool_]) -> Findings:
    """The findings without rows that carry no track of a release."""
    net = found.network
    which = np.searchsorted(begins, found.begins[net.start], side="right") - 1
    hidden = ~shown[np.maximum(which, 0), net.row]
    proven, possible = found.proven.copy(), found.possible.copy()
    proven[hidden] = possible[hidden] = 0
    sizes = (net.start, net.end, net.row, found.n_known, net.horizon)
    lower, upper = presence(proven, *sizes), presence(possible, *sizes)
    return replace(found, proven=proven, possible=possible, lower=lower, upper=upper)


def joined_evidence(
    releases: Sequence[KnownRelease], *, exchanged: bool = True, gaps: Gaps | None = None
) -> tuple[Evidence, Joined]:
    """Several releases as one: what is known of all, and which row carries which track.

    Raises
    ------
    InputError
        Two releases that cannot be of the same people, or a sighting that fits no track.
    """
    zones = [one.zones(exchanged) for one in releases]
    n_rows = max(one.n_users for one in zones)
    rows = [np.arange(zones[0].n_users)]
    links = []
    for number, (one, other) in enumerate(itertools.pairwise(releases), 1):
        possible = np.ones((n_rows, n_rows), bool)
        if one.movement is not None and other.movement is not None:
            tracks = (zones[number - 1], one.movement), (zones[number], other.movement)
            possible[rows[-1], : zones[number].n_users] = one_person(*tracks)
        rows.append(_matched(possible, zones[number].n_users, number))
        carried = np.full(n_rows, -1)
        carried[rows[-1]] = np.arange(zones[number].n_users)
        carried[carried < 0] = np.arange(zones[number].n_users, n_rows)
        links.append(ReleaseLink.of(possible[:, carried]))
    whole, begins = in_order(np.arange(n_rows), zones, rows, links)
    users = np.unique(np.concatenate([one.sightings.users for one in releases]))
    joined = Joined([one.published for one in releases], begins, rows)
    parts = [
        (Evidence.of(one.published, one.sightings, gaps), one.sightings.users, mine, begin)
        for one, mine, begin in zip(releases, rows, begins.tolist(), strict=True)
        if len(one.sightings.users)
    ]
    if not parts:
        pins = Pins.own(np.zeros(0, np.int32), np.zeros(0, np.int32))
        return Evidence(whole, users, pins), joined
    token = np.concatenate(
        [np.searchsorted(users, named)[own.pins.token] for own, named, _, _ in parts]
    )
    time = np.concatenate([own.pins.time + np.int32(begin) for own, _, _, begin in parts])
    level = np.concatenate([own.level for own, _, _, _ in parts])
    moved = [own.tracks.on_rows(mine) for own, _, mine, _ in parts]
    order = np.argsort(time, kind="stable")
    seen, level = PossibleTracks.joined(moved).those(order), level[order]
    pins = Pins(token[order].astype(np.int32), time[order], *seen.by(level))
    places = np.concatenate([_NOWHERE if own.places is None else own.places for own, *_ in parts])
    return Evidence(whole, users, pins, None, seen, level, gaps, places[order]), joined


def _matched(possible: npt.NDArray[np.bool_], n_tracks: int, number: int) -> Ints:
    """(n_tracks,) row of each track of a release, so that staying on a row is possible.

    Raises
    ------
    InputError
        There is no such choice: some person cannot have made any track of both.
    """
    from scipy.optimize import linear_sum_assignment

    row, track = linear_sum_assignment(~possible)
    if not possible[row, track].all():
        raise InputError(
            f"releases {number} and {number + 1} cannot be of the same people: somebody's track in"
            " one of them fits no track in the other that is left for it",
            hint="are they of the same people, and is the greatest speed high enough?",
        )
    own = np.empty(len(row), np.int64)
    own[track] = row
    return own[:n_tracks]
