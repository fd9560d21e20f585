"""Auditing a release: on which published tracks each known user can be, with proofs.

The adversary has the published tracks and knows where some users were at some times. She knows how
pseudonyms are exchanged: at every visible mix zone, by any permutation of its tracks, or never.
The tracks that can be a user's at a time are those of all paths that agree with this. The threat
model says these assumptions in plain language.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd

from mixsafe.errors import InputError
from mixsafe.model.answer.gaps import READINGS, Gaps, GapVerdicts
from mixsafe.model.answer.headline import Headline, HeadlineQuestion
from mixsafe.model.answer.next_steps import after_an_audit
from mixsafe.model.answer.shown import Shown, verdicts
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.answer.wording import plural, share
from mixsafe.model.arguments import options_of
from mixsafe.model.course import Course
from mixsafe.model.question.mix_zones import EVERYWHERE, MixZones
from mixsafe.model.question.places import check_distinct_places
from mixsafe.model.question.requirement import Rule, check_k
from mixsafe.model.release import TrueTracks
from mixsafe.release.audit_tables import (
    candidate_table,
    interval_table,
    known_user_table,
    rows_of_users,
    track_table,
    zone_table,
)
from mixsafe.release.evidence import Evidence
from mixsafe.release.findings import AuditQuestion, Findings, find
from mixsafe.release.readings import Reader, by_strictest, is_consistent
from mixsafe.release.track_follower import TrackFollower
from mixsafe.verify.auditor.initial_solution import NoSolutionError
from mixsafe.verify.distinct_places import CandidatePlaces
from mixsafe.verify.presolved import check_size
from mixsafe.verify.query import DecisionOptions
from mixsafe.verify.rows import UserRows, summary_of
from mixsafe.verify.tables import records


def threat_model(evidence: Evidence, *, exchanged: bool) -> list[str]:
    """The assumptions of an audit, a sentence each.

    Parameters
    ----------
    exchanged
        Whether pseudonyms may be exchanged at visible mix zones.
    """
    n_sightings, n_known = len(evidence.pins), len(evidence.users)
    n_tracks = evidence.zones.n_users
    others = n_tracks - n_known
    said = [
        "The adversary has the whole release, but no secret table.",
        f"The adversary saw {plural(n_known, 'known user', 'known users')}"
        f" {plural(n_sightings, 'time', 'times')} in all, each time at a"
        " place that the release distinguishes, and is sure of each sighting.",
        f"The adversary knows that the {n_tracks:,} tracks are those of {n_tracks:,} people, one"
        f" each at any time: the known users and {others:,} others who were not seen.",
    ]
    if exchanged:
        said += _exchanges(evidence.zones)
    else:
        said.append(
            "Pseudonyms are never exchanged: a user identified on a track at one time is identified"
            " at all times, so a few sightings give a whole track away."
        )
    said += [
        *_gaps(evidence),
        "The verdict counts tracks. The follower who bets weighs them by what they show when people"
        " were seen; habits do not make one likelier here.",
    ]
    return said


def _gaps(evidence: Evidence) -> list[str]:
    """Which tracks that show no place may belong to a user who was seen, a sentence each."""
    said = []
    if evidence.published is None or evidence.published.hides:
        said.append(
            "A track that hides a cell or shows a set of regions can belong to a user who was seen"
            " there."
        )
    if not evidence.has_gaps or evidence.possible is None:
        return said
    counts = np.bincount(evidence.level, minlength=len(READINGS)).tolist()
    for reading, number in zip(READINGS, counts, strict=True):
        speed = f" at {evidence.speed:g} km/h" if evidence.speed is not None else ""
        how = speed if reading is Gaps.REACHABLE else ""
        if number:
            said.append(
                f"For {number:,} of {len(evidence.pins):,} sightings, gaps are read as"
                f" '{reading.value}': {reading.about}{how}."
            )
    if any(counts[1:]) and evidence.asked is None:
        said.append("By stricter readings these sightings contradict the release.")
    return said


def _exchanges(zones: MixZones) -> list[str]:
    """How pseudonyms are exchanged, a sentence each."""
    where = np.zeros(len(zones), np.int64) if zones.place is None else zones.place
    n_rotations = int(np.count_nonzero(where == EVERYWHERE))
    n_meetings = len(zones) - n_rotations
    said = []
    if n_meetings or not n_rotations:
        said.append(
            "The adversary knows the rule of exchange: wherever tracks visibly meet, showing one"
            f" region in one step ({n_meetings:,} mix zones), any permutation of their"
            " pseudonyms is possible, and elsewhere none. A release does not show whether"
            " pseudonyms were exchanged at all."
        )
    if n_rotations:
        also = "too" if n_meetings else "and at no other time"
        times = "one scheduled time" if n_rotations == 1 else f"{n_rotations:,} scheduled times"
        said.append(f"All pseudonyms change at {times}, {also}, and the adversary knows when.")
    if zones.relation is not None:
        said.append(
            "The adversary knows how far people get: an exchange is possible only where one person"
            " can have gone from the last place before it to the first one after it. That a"
            " pseudonym stays on its track is always possible."
        )
    return said


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Shown):
    """The result of an audit.

    Parameters
    ----------
    evidence
        What it rests on; without its mix zones where pseudonyms are never exchanged.
    exchanged
        Whether pseudonyms are taken to be exchanged at visible mix zones.
    k, rule
        What was asked, and when a user passes.
    engine, seconds
        Who answered, and in what wall time.
    intervals
        A row per known user and stretch of time in which her tracks stay the same: user_id,
        from_time, to_time, k, lower, upper, verdict, decided_by.
    steps
        (n_intervals,) number of steps of each interval.
    users
        A row per known user: user_id, verdict, safe_share, undecided_share, known_share, lower,
        weight.
    tracks
        A row per pseudonym: pse_id, tied_share, undecided_share, user_id (to whom it can be tied
        for longest, None: no user), user_share.
    zones
        A row per mix zone: time, place, size, hides (something, nothing, undecided).
    candidates
        A row per known user, stretch of time and track that can be hers: user_id, from_time,
        to_time, pse_id, proven. None where they were not asked for.
    static
        The audit under the assumption that pseudonyms are never exchanged; None where that is
        this one, or where the knowledge contradicts it.
    findings
        What the tables were made of: which tracks can be whose, at every step.
    places
        Places of the tracks of each interval; None: they were not counted.
    out_of_time
        Whether the time limit passed before all was decided.
    gaps
        The verdict by each reading of gaps; None: they were not decided.
    truth
        The true tracks of the known users; None: they are not known.
    """

    evidence: Evidence
    exchanged: bool
    k: int
    rule: Rule
    engine: str
    seconds: float
    intervals: pd.DataFrame
    steps: npt.NDArray[np.int64]
    users: pd.DataFrame
    tracks: pd.DataFrame
    zones: pd.DataFrame
    candidates: pd.DataFrame | None = None
    static: Audit | None = None
    findings: Findings | None = None
    places: CandidatePlaces | None = None
    out_of_time: bool = False
    gaps: GapVerdicts | None = None
    truth: TrueTracks | None = None

    @property
    def facts(self) -> Mapping[str, str]:
        """The question and its result."""
        return {
            "data": f"{len(self.tracks):,} tracks, {len(self.users):,} users known",
            "verdict": f"{self.verdict.value} by rule {self.rule}, k = {self.k}",
            "users": verdicts(self.summary["users"]),
            "answer": f"{self.sentence} {self.headline.exposure}",
            "tracks": f"{share(self.summary['share_of_tracks_tied'])} of their time tied to a user",
        }

    @cached_property
    def user_rows(self) -> UserRows:
        """What was found about the known users, as arrays."""
        return rows_of_users(self.users, self.evidence.users)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Counts of intervals and of users by verdict, and of links between tracks and users."""
        verdict = np.asarray(self.intervals["verdict"].cat.codes, np.int8)
        found = {
            **summary_of(verdict, self.user_rows, self.rule),
            "share_of_tracks_tied": round(float(self.tracks["tied_share"].mean()), 6),
            "share_of_tracks_undecided": round(float(self.tracks["undecided_share"].mean()), 6),
        }
        if self.places is not None:
            is_safe = self.intervals["lower"].to_numpy() >= self.k
            found["places"] = self.places.summary(self.steps, is_safe)
        return found

    @cached_property
    def headline(self) -> Headline:
        """The verdict on everybody, who can be followed, and for how long."""
        places = 1 if self.places is None else self.places.least
        asked = HeadlineQuestion(
            self.rule, self.k, "tracks", self.evidence.zones.axis, True, places
        )
        return _headline(self.users, asked, self.evidence, self.gaps)

    @cached_property
    def follower(self) -> TrackFollower | None:
        """What somebody who bets believes; None: nothing was decided."""
        if self.findings is None:
            return None
        return TrackFollower.of(self.evidence, self.findings, self.truth)

    @property
    def sentence(self) -> str:
        """What a follower who bets finds, and what is possible: the worse of the two first."""
        counted, bets = self.headline.sentence, self.follower
        if bets is None:
            return counted
        failing = self.headline.counts[Verdict.UNSAFE] / self.headline.people
        if self.verdict is Verdict.UNSAFE and failing >= bets.right:
            return f"{counted} {bets.sentence}"
        return f"{bets.sentence} {counted}"

    @property
    def verdict(self) -> Verdict:
        """UNSAFE if some known user fails by the rule, else UNDECIDED, else a pass.

        WEAK_PASS where all pass, but only by the default rule that asks for one safe moment, or
        only by a reading of gaps that was asked for and allows more than the sightings need.
        """
        return self.headline.verdict

    @property
    def next_steps(self) -> list[str]:
        """Advice on the verdict."""
        but = "" if self.gaps is None else self.gaps.but
        bets = 0.0 if self.follower is None else self.follower.right
        return after_an_audit(
            self.verdict, self.engine, out_of_time=self.out_of_time, but=but, believed=bets
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on merged or dropped data, on assumptions and on a ``k`` above ``n_tracks``."""
        zones = self.evidence.zones
        if self.k <= zones.n_users:
            return zones.notes
        vain = (
            f"k = {self.k} asks for more candidates than there are tracks ({zones.n_users}): unsafe"
        )
        return (*zones.notes, vain)

    @cached_property
    def zones_that_hide(self) -> dict[str, int]:
        """Numbers of mix zones that hide something, nothing, or are undecided."""
        found = self.zones["hides"].value_counts()
        return {word: int(found.get(word, 0)) for word in ("something", "nothing", "undecided")}

    def to_dict(self, name: str = "release") -> dict[str, Any]:
        """The answer, its summary, and a row per user, per track, and per zone that hides nothing.

        ``name`` is that of the release.
        """
        zones, static = self.zones, self.static
        idle = zones[zones["hides"] == "nothing"]
        return {
            "verdict": self.verdict.value,
            "name": name,
            "users": len(self.evidence.users),
            "tracks": self.evidence.zones.n_users,
            "steps": self.evidence.zones.axis.steps,
            "zones": len(zones),
            "exchange": "zones" if self.exchanged else "none",
            "k": self.k,
            "engine": self.engine,
            "seconds": round(self.seconds, 3),
            "threat_model": threat_model(self.evidence, exchanged=self.exchanged),
            "summary": self.summary,
            "headline": self.headline.to_dict() | {"sentence": self.sentence},
            "follower": None if self.follower is None else self.follower.to_dict(),
            "gaps": None if self.gaps is None else self.gaps.to_dict(),
            "without_exchange": None if static is None else static.summary,
            "per_user": records(self.users),
            "pseudonyms": records(self.tracks),
            "zones_that_hide": self.zones_that_hide,
            "zones_that_hide_nothing": records(idle.drop(columns="hides")),
            **self.evidence.zones.premises.to_dict(),
        }


def audit(
    evidence: Evidence,
    k: int,
    *,
    exchanged: bool = True,
    rule: Rule | None = None,
    engine: str = "auto",
    exhaustive: bool = False,
    distinct_places: int | None = None,
    by_gaps: bool = True,
    **options: Unpack[DecisionOptions],
) -> Audit:
    """Decide how many published tracks can be each known user's at each time.

    Parameters
    ----------
    evidence
        The published tracks and the adversary's knowledge.
    k
        Tracks that each known user might be on, at least.
    exchanged
        Whether pseudonyms may be exchanged in the zones of the evidence. False: a static release.
    rule
        When a user passes; default: ``some``, by which a pass may be a weak one.
    engine
        ``auto``, ``bounds``, ``cpsat`` or ``dp``.
    exhaustive
        Find all tracks of each known user at each time.
    distinct_places
        Distinct places at which the tracks of a known user must be at the same time; 1: places are
        only counted.
    by_gaps
        Whether the verdict by each reading of gaps is decided, too.
    **options
        ``limits``, ``progress`` and ``keep_proof_data``, see
        :class:`mixsafe.verify.query.DecisionOptions`.

    Raises
    ------
    InputError
        k is below 2, there are no known users, an unknown engine, distinct places where it is
        unknown where tracks are, or knowledge that contradicts the release; or pseudonyms are said
        never to be exchanged, and the evidence has scheduled times at which they are.
    """
    begin, others = options_of("audit", options, DecisionOptions)
    passing = rule or Rule.default(every_time=True)
    kept = others.get("keep_proof_data", False)
    question = AuditQuestion(k, passing, engine, exhaustive, kept, distinct_places)
    return answer(evidence, question, begin(), exchanged=exchanged, by_gaps=by_gaps)


def answer(
    evidence: Evidence,
    question: AuditQuestion,
    course: Course,
    *,
    exchanged: bool = True,
    by_gaps: bool = True,
) -> Audit:
    """Answer a question about a release: as :func:`audit`, with records.

    Raises
    ------
    InputError
        As :func:`audit`.
    """
    check_k(question.k)
    if not exchanged and evidence.zones.has_rotation:
        message = "pseudonyms of this release change at scheduled times: it is not static"
        raise InputError(message, hint="read it with ExchangeRules(rotate=…, meetings=False)")
    if question.distinct_places is not None:
        check_distinct_places(question.distinct_places, evidence.track_places)
    if not len(evidence.users):
        raise InputError("no known users: there is nothing to audit")
    check_size(evidence.zones)
    found = _audit(evidence, question, exchanged, course)
    return _with_gaps(found, question, course) if by_gaps else found


def _audit(evidence: Evidence, question: AuditQuestion, exchanged: bool, course: Course) -> Audit:
    """An audit together with the static one, within one time limit."""
    began = time.monotonic()
    asked = evidence if exchanged else replace(evidence, zones=never(evidence.zones))
    asked, found = by_strictest(asked, lambda one: find(one, question, course))
    out_of_time = course.passed
    least = question.distinct_places or 1
    intervals, user, weight, places = interval_table(found, question.k, asked, least)
    users = _user_table(found, question, asked, (intervals, user, weight))
    static = None
    if exchanged:
        plain = replace(question, engine="bounds", exhaustive=False, keep_proof_data=False)
        with suppress(NoSolutionError):
            static = _audit(evidence, plain, False, course.silent)
    return Audit(
        asked,
        exchanged,
        question.k,
        question.rule,
        question.engine,
        time.monotonic() - began,
        intervals,
        weight,
        users,
        track_table(found, asked),
        zone_table(found, asked),
        candidate_table(found, asked) if question.exhaustive else None,
        static,
        found,
        places,
        out_of_time,
    )


def _with_gaps(answer: Audit, question: AuditQuestion, course: Course) -> Audit:
    """The audit with the verdict by each reading of gaps."""
    began = time.monotonic()
    plain = replace(question, exhaustive=False, keep_proof_data=False)
    least = question.distinct_places or 1
    asked = HeadlineQuestion(
        question.rule, question.k, "tracks", answer.evidence.zones.axis, True, least
    )

    def decide(evidence: Evidence) -> Verdict:
        found = find(evidence, plain, course)
        tables = interval_table(found, plain.k, evidence, least)[:3]
        users = _user_table(found, plain, evidence, tables)
        return _headline(users, asked, evidence, None).verdict

    consistent = partial(is_consistent, course=course)
    gaps = Reader(
        answer.evidence, answer.verdict, decide, consistent, answer.evidence.speed
    ).verdicts()
    return replace(answer, gaps=gaps, seconds=answer.seconds + time.monotonic() - began)


def _user_table(
    found: Findings,
    question: AuditQuestion,
    evidence: Evidence,
    tables: tuple[pd.DataFrame, npt.NDArray[np.int32], npt.NDArray[np.int64]],
) -> pd.DataFrame:
    """A row per known user, of intervals with their users and numbers of steps."""
    known = found.known(evidence.pins, question.k)
    return known_user_table(*tables, known, evidence.users, question.rule)


def _headline(
    users: pd.DataFrame, asked: HeadlineQuestion, evidence: Evidence, gaps: GapVerdicts | None
) -> Headline:
    """The verdict on everybody of a table of known users."""
    found, published = rows_of_users(users, evidence.users), evidence.published
    shown = None if published is None else published.shown_share
    shares = found.shares(evidence.users)
    return Headline.of(shares, found.verdict, asked, shown_share=shown, gaps=gaps)


def never(zones: MixZones) -> MixZones:
    """The same tracks, which never meet: a release without exchanges."""
    none = np.zeros(0, np.int32)
    return MixZones(zones.users, zones.axis, none, np.zeros(1, np.int64), none)
