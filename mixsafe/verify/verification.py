"""The main job: decide (k, t)-pseudonym location privacy and say what decided it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.journal import question_of
from mixsafe.model.answer.follower_wording import (
    clearly_followed,
    named_sentence,
    zones_beside_verdict,
)
from mixsafe.model.answer.headline import Headline, HeadlineQuestion, set_apart
from mixsafe.model.answer.next_steps import Situation, next_steps
from mixsafe.model.answer.shown import Shown, verdicts
from mixsafe.model.answer.time_followed import TimeFollowed
from mixsafe.model.answer.verdict import UNDECIDED, UNSAFE, Argument, Verdict
from mixsafe.model.arguments import options_of
from mixsafe.model.course import Course
from mixsafe.model.question.places import check_distinct_places
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements, Rule
from mixsafe.solver.large.sparse_answers import SparseAnswers
from mixsafe.solver.registry import Engine, engine_of
from mixsafe.solver.state.answers import Answers
from mixsafe.verify.answering import Decider, KnownCandidates, answered
from mixsafe.verify.distinct_places import (
    CandidatePlaces,
    Method,
    left_open,
    method_of,
    settle_places,
)
from mixsafe.verify.place_counts import PlaceCounter
from mixsafe.verify.presolved import Presolved, check_size
from mixsafe.verify.query import Options, Query, Settings
from mixsafe.verify.rows import Rows, UserRows, summary_of, user_rows
from mixsafe.verify.times_followed import times_followed

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class ProofData:
    """Proof data of a verification, from which certificates are built.

    Parameters
    ----------
    answers
        Bounds on the candidates of every wire of the core.
    requirements
        What was asked at single steps; None: every wire was asked.
    wire
        (n_asked,) wire of the core that each row of the result is about.
    """

    answers: Answers
    requirements: Requirements | None
    wire: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Verification(Shown):
    """The answer to a problem.

    Parameters
    ----------
    problem
        The question.
    engine
        Engine that answered.
    seconds
        Wall time of the decision, loading not included.
    rule
        When a user passes.
    every_wire
        Whether every wire was asked; else requirements were.
    rows
        What was found on them.
    seen
        (n,) rows of wires on which the adversary saw the user: known by assumption where unsafe.
    user_rows
        What that says of each user asked about.
    domains
        With ``exhaustive``, the proven candidates of every user and time.
    proof_data
        Data for certificates, if it was to be kept.
    candidates
        Candidates of each row, if they were to be kept.
    representation
        How tokens were kept: ``dense``, sets of them, or ``sparse``, numbers of them.
    spent
        (len(Argument),) processor seconds that each argument cost, workers on this machine
        included; None: not known.
    places
        Places of the candidates of each row; None: they were not counted.
    out_of_time
        Whether the time limit passed before all was decided.
    """

    problem: Problem
    engine: str
    seconds: float
    rule: Rule
    every_wire: bool
    rows: Rows
    seen: npt.NDArray[np.int64]
    user_rows: UserRows
    domains: list[dict[str, Any]] | None
    proof_data: ProofData | None = None
    candidates: KnownCandidates | None = None
    representation: str = "dense"
    spent: npt.NDArray[np.float64] | None = None
    places: CandidatePlaces | None = None
    out_of_time: bool = False

    @cached_property
    def times_followed(self) -> dict[str, TimeFollowed] | None:
        """Longest and median time for which people are followed, from each moment on.

        By belief: ``1`` (certainty), ``0.9`` and ``0.5``, in seconds, or in steps where these are
        numbers; None: it is not known how people move.
        """
        rows = self.rows if self.every_wire else None
        return times_followed(self.problem.zones_followed, rows)

    @property
    def facts(self) -> Mapping[str, str]:
        """The question and its result."""
        data, followed = self.problem.zones, self.problem.zones_followed
        zones = {} if followed is None else {"zones": zones_beside_verdict(followed)}
        return {
            "data": f"{self.problem.name}, {data.n_users:,} users, {data.axis.steps:,} steps,"
            f" {len(data):,} mix zones",
            "verdict": f"{self.verdict.value} by rule {self.rule}",
            **zones,
            "users": verdicts(self.summary["users"]),
            "answer": f"{self.sentence} {self.headline.exposure}",
        }

    @cached_property
    def wires(self) -> pd.DataFrame | None:
        """A row per wire when every wire was asked, else None.

        user_id, from_time, to_time, k, lower, upper, verdict, decided_by; and places_lower and
        places_upper where places were counted.
        """
        from mixsafe.verify.tables import wire_table, with_places

        if not self.every_wire:
            return None
        return with_places(wire_table(self.problem.zones, self.rows), self.places)

    @cached_property
    def results(self) -> pd.DataFrame | None:
        """A row per requirement when those were asked, else None.

        user, time, k, verdict, lower, upper, decided_by; and places_lower and places_upper where
        places were counted.
        """
        from mixsafe.verify.tables import requirement_table, with_places

        if self.every_wire:
            return None
        return with_places(requirement_table(self.problem.zones, self.rows), self.places)

    @cached_property
    def users(self) -> pd.DataFrame:
        """A row per user asked about.

        user_id, verdict, safe_share, undecided_share, known_share (the adversary saw the user
        between the same two mix zones), lower (the smallest proven number of candidates), weight.
        """
        from mixsafe.verify.tables import user_table

        return user_table(self.problem.zones.users, self.user_rows)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Counts of requirements (or wires) and of users by verdict."""
        people = self.user_rows
        without_data = people.share_without_data(self.every_wire)
        summary = summary_of(self.rows.verdict, people, self.rule)
        summary["share_of_time_without_data"] = round(without_data, 6)
        if self.places is not None:
            rows, judged = self.rows, np.isin(self.rows.user, people.user)
            weight = np.where(judged, rows.weight, 0)
            summary["places"] = self.places.summary(weight, rows.lower >= rows.k)
        return summary

    @property
    def decided_by(self) -> dict[str, int]:
        """How many of the rows each argument settled."""
        settled = np.bincount(self.rows.decided_by, minlength=len(Argument)).tolist()
        return {argument.word: settled[argument] for argument in Argument if settled[argument]}

    @property
    def processor_seconds(self) -> dict[str, float]:
        """What each argument cost, those included that settled nothing."""
        spent = np.zeros(len(Argument)) if self.spent is None else self.spent.round(2)
        return {argument.word: float(spent[argument]) for argument in Argument if spent[argument]}

    def at_steps(self, asked: Requirements) -> Verification:
        """What it says of requirements, each of a step of a wire that was asked about with its k.

        Raises
        ------
        ValueError
            Not every wire was asked about.
        """
        if not self.every_wire:
            raise ValueError("wires were not asked about")
        n_users, wires = self.problem.zones.n_users, self.rows
        width = self.problem.zones.axis.steps + 1
        starts = wires.user * np.int64(width) + wires.start  # ascending
        wire = np.searchsorted(starts, asked.row * np.int64(width) + asked.time, side="right") - 1
        ones = np.ones(len(asked), np.int32)
        about = (asked.row, asked.time, asked.time, ones, asked.k)
        rows = Rows._make([*about, *(column[wire] for column in wires[len(about) :])])
        seen = np.flatnonzero(np.isin(wire, self.seen))
        known = rows.known(seen, n_users)
        without_data = self.problem.zones.without_data_at(asked.row, asked.time)
        users = user_rows(rows.user, ones, rows.verdict, rows.lower, known, self.rule, without_data)
        proof_data = self.proof_data and ProofData(
            self.proof_data.answers, asked, self.proof_data.wire[wire]
        )
        return replace(
            self, every_wire=False, rows=rows, seen=seen, user_rows=users, domains=None,
            proof_data=proof_data, candidates=None, places=None,
        )  # fmt: skip

    @property
    def sentence(self) -> str:
        """The verdict, and what a follower finds who clearly beats chance, before any pass.

        Somebody who reads nothing else must not sign a pass that rests on exchanges which nobody
        would believe.
        """
        counted, followed = self.headline.sentence, self.problem.zones_followed
        if followed is None or not followed.total.beats_chance:
            return counted
        bets = named_sentence(followed.total, drawn=followed.sampled)
        if self.verdict is Verdict.UNSAFE:
            return f"{counted} {bets}"
        how = "believable" if followed.believable else "possible"
        return f"{bets} By what is {how}, {counted[0].lower()}{counted[1:]}"

    @property
    def verdict(self) -> Verdict:
        """UNSAFE if some user fails by the rule, else UNDECIDED if one is undecided, else a pass.

        WEAK_PASS where everybody passes, but only by the default rule that asks for one safe
        moment; else SAFE.
        """
        return self.headline.verdict

    @cached_property
    def headline(self) -> Headline:
        """The verdict on everybody, who can be followed, and for how long."""
        users, zones = self.user_rows, self.problem.zones
        k = self.rows.k
        alike = int(k[0]) if len(k) and k.min() == k.max() else None
        places = 1 if self.places is None else self.places.least
        without_data = users.share_without_data(self.every_wire)
        question = HeadlineQuestion(
            self.rule, alike, "pseudonyms", zones.axis, self.every_wire, places, without_data > 0
        )
        return Headline.of(users.shares(zones.users), users.verdict, question, without_data)

    @property
    def next_steps(self) -> list[str]:
        """Advice on the verdict, the most useful step first."""
        zones, counts, k = self.problem.zones, self.headline.counts, self.rows.k
        situation = Situation(
            verdict=self.verdict,
            failing=counts[Verdict.UNSAFE],
            people=sum(counts.values()),
            alone=len(zones.alone) if self.every_wire else 0,
            most_k=int(k.max(initial=0)),
            users=zones.n_users,
            timed=zones.axis.timed,
            cells=zones.axis.timed and zones.cells,
            engine=self.engine,
            out_of_time=self.out_of_time,
            once=self._failing_once,
            followed=clearly_followed(self.problem.zones_followed),
        )
        return next_steps(situation)

    @property
    def _failing_once(self) -> int:
        """Number of those who fail with data in one step only, in which their pseudonym is known.

        They can be in no second mix zone, after which it would not be.
        """
        users = self.user_rows
        once = (users.weight == 1) & (users.known_share == 1) & (users.verdict == UNSAFE)
        return int(np.count_nonzero(once)) if self.every_wire else 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What was merged, dropped or assumed in the data, and what was asked in vain."""
        n_users = self.problem.zones.n_users
        most = int(self.rows.k.max()) if len(self.rows.k) else 0
        if most <= n_users:
            return self.problem.zones.notes
        vain = f"k = {most} asks for more candidates than there are users ({n_users}): unsafe"
        return (*self.problem.zones.notes, vain)

    def to_dict(self) -> dict[str, Any]:
        """The answer as a JSON object."""
        answer: dict[str, Any] = {
            "verdict": self.verdict.value,
            "name": self.problem.name,
            "users": self.problem.zones.n_users,
            "steps": self.problem.zones.axis.steps,
            "zones": len(self.problem.zones),
            "knowledge": self.problem.knowledge.reading,
            "engine": self.engine,
            "representation": self.representation,
            "seconds": round(self.seconds, 3),
            "summary": self.summary,
            "headline": self.headline.to_dict() | {"sentence": self.sentence},
            "apart": set_apart(self.problem.zones),
            "decided_by": self.decided_by,
            "processor_seconds": self.processor_seconds,
            **self.problem.zones.premises.to_dict(),
        }
        followed, times = self.problem.zones_followed, self.times_followed
        if followed is not None and times is not None:
            lasting = {belief: time._asdict() for belief, time in times.items()}
            answer["followed"] = {**followed.to_dict(), "times": lasting}
        if self.results is not None:
            answer["results"] = self.results.to_dict(orient="records")
        if self.domains is not None:
            answer["domains"] = self.domains
        if self.places is not None and self.places.every_step is not None:
            from mixsafe.verify.tables import place_list

            answer["places"] = place_list(self.problem.zones, self.rows, self.places.every_step)
        return answer


def verify(
    problem: Problem,
    *,
    k: int | None = None,
    at: Sequence[int] | None = None,
    rule: Rule | None = None,
    engine: str | Engine = "auto",
    exhaustive: bool = False,
    distinct_places: int | None = None,
    **options: Unpack[Options],
) -> Verification:
    """Decide whether users have enough candidates (CSP paper, definitions 1 and 9).

    Parameters
    ----------
    problem
        Mix zones, knowledge, and requirements if there are any.
    k
        Ask for k candidates for every user at every time. Needed unless the problem has
        requirements or ``exhaustive`` is set.
    at
        With ``k``: ask at these steps only.
    rule
        When a user passes; default: ``every`` where times are asked for, else ``some``.
    engine
        ``auto``, ``cpsat``, ``dp`` or ``bounds``, or one that was registered in
        :data:`mixsafe.solver.registry.ENGINES`.
    exhaustive
        Find all candidates of every user and time.
    distinct_places
        Distinct places at which the candidates of a user must be at the same time; 1: places are
        only counted. Of a problem that :func:`mixsafe.extract.pose.pose` made of traces.
    **options
        ``limits``, ``progress``, ``journal``, ``encoding``, ``keep_proof_data`` and
        ``keep_candidates``: see :class:`mixsafe.verify.query.Options`.

    Returns
    -------
    Verification
        Verdicts with what decided them.

    Raises
    ------
    InputError
        Nothing is asked, k is below 2, a step is not in 0..t*, an unknown engine, or distinct
        places where it is unknown where people are.
    """
    query = Query(k, at, rule, exhaustive, distinct_places)
    begin, others = options_of("verify", options, Options)
    return answer(problem, query, Settings(engine, **others), begin())


def answer(problem: Problem, query: Query, settings: Settings, course: Course) -> Verification:
    """Answer a query about a problem: as :func:`verify`, with records.

    Raises
    ------
    InputError
        As :func:`verify`.
    """
    began = time.monotonic()
    engine = engine_of(settings.engine, "verify")
    encoding = engine.encoding(settings.encoding)  # refused before any work
    requirements = query.requirements(problem)
    if query.distinct_places is not None:
        check_distinct_places(query.distinct_places, problem.track_places)
    check_size(problem.zones)
    presolved = Presolved.of(problem, query, requirements)
    if query.exhaustive:
        _check_listed(presolved)
    if course.keeps:
        _begin(presolved, {"engine": engine.name, "encoding": encoding}, course)
    decide = engine.decider(encoding)
    decider = Decider(decide, engine.load_large, settings.keep_proof_data)
    counts_places = query.distinct_places is not None
    answers = answered(
        presolved.core, presolved.wire, presolved.k, decider, course, query.exhaustive,
        counts_places,
    )  # fmt: skip
    rows = presolved.rows(answers)
    sets = answers if isinstance(answers, Answers) else None  # None: only their sizes are left
    places = None
    if sets and (counts_places or _has_names(problem)):
        method = method_of(engine, lambda more: decide(more, course), course)
        rows, places = _at_places(rows, sets, presolved, course.workers, method)
    domains = _domains(presolved, sets) if query.exhaustive and sets else None
    proof_data = candidates = None
    if settings.keep_proof_data and sets:
        proof_data = ProofData(sets, requirements, presolved.wire_of_row)
    if settings.keep_proof_data or settings.keep_candidates:
        candidates = KnownCandidates.of(answers, presolved.core, presolved.wire_of_row)
    representation = "sparse" if isinstance(answers, SparseAnswers) else "dense"
    seen, spent = presolved.seen, answers.spent.seconds
    without_data = presolved.without_data
    del presolved, answers, sets  # of a large problem most of the memory
    rule = query.rule or Rule.default(every_time=requirements is None)
    known = rows.known(seen, problem.zones.n_users)
    users = user_rows(rows.user, rows.weight, rows.verdict, rows.lower, known, rule, without_data)
    if requirements is None:  # no user was named in the question
        users = users.without(problem.zones.absent)
    seconds = time.monotonic() - began
    return Verification(
        problem, engine.name, seconds, rule, requirements is None, rows, seen, users, domains,
        proof_data, candidates, representation, spent, places, course.passed,
    )  # fmt: skip


def _begin(presolved: Presolved, engine: dict[str, str | None], course: Course) -> None:
    """Begin the journal of a run, or go on with it: all that the outcome depends on is its key."""
    sizes = ",".join(map(str, astuple(course.memory)))  # parts have steps of their own
    key = {**presolved.query.run_key, **engine, "seed": course.seed, "memory": sizes}
    course.journal.begin(question_of(presolved.problem, key))


def _has_names(problem: Problem) -> bool:
    """Whether people are at named places: then they are counted unasked, where that is little."""
    return problem.track_places is not None and problem.track_places.named


def _at_places(
    rows: Rows, answers: Answers, presolved: Presolved, workers: int, method: Method
) -> tuple[Rows, CandidatePlaces]:
    """Rows with verdicts on candidates at distinct places, and these places."""
    known, query = presolved.problem.track_places, presolved.query
    if known is None:
        raise ValueError("where people are is unknown")  # refused before
    of, least = presolved.stretches(), query.distinct_places or 1
    counter = PlaceCounter(known, presolved.problem.zones.n_users, workers)
    counts, by = settle_places(answers, of, rows.k, least, counter, method)
    every = None
    if query.exhaustive:
        every = counter.every_step(of, answers.proven, answers.possible)
    lower, upper = answers.lower[of.sets], answers.upper[of.sets]
    marked, without = known.sensitive is not None, left_open(answers, of, counts, least, counter)
    places = CandidatePlaces(least, counts, known.named, marked, without, every)
    verdict = places.verdict(rows.verdict)
    by = np.where(by == Argument.NONE, rows.decided_by, by)
    by = np.where(verdict == UNDECIDED, np.uint8(Argument.NONE), by)
    return rows._replace(lower=lower, upper=upper, verdict=verdict, decided_by=by), places


def _check_listed(presolved: Presolved) -> None:
    """Refuse candidates of every user and time that do not fit into memory, before any work."""
    from mixsafe.verify.tables import check_listed

    check_listed(presolved.problem.zones, presolved.whole)


def _domains(presolved: Presolved, answers: Answers) -> list[dict[str, Any]]:
    """Proven candidates of every user and time."""
    from mixsafe.verify.tables import domain_list

    return domain_list(presolved.problem.zones, presolved.whole, answers, presolved.merged)
