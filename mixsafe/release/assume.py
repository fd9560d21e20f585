"""Audits for assumed knowledge: sightings drawn many times from reference traces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from mixsafe.errors import InputError
from mixsafe.model.answer.gaps import READINGS, Gaps
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.course import Course, Found
from mixsafe.model.question.requirement import Rule
from mixsafe.model.release import Sightings
from mixsafe.release.assumption_document import SHARES
from mixsafe.release.audit import answer, never
from mixsafe.release.evidence import Evidence, Published
from mixsafe.release.findings import AuditQuestion
from mixsafe.verify.auditor.initial_solution import NoSolutionError, placeable
from mixsafe.verify.auditor.paths import unnamed_start

_RESAMPLES = 2000


@dataclass(frozen=True)
class Spread:
    """A share over all draws.

    Parameters
    ----------
    mean, low, high
        The mean, and its 95% bootstrap interval over the draws (percentiles).
    least, most
        Of a single draw.
    """

    mean: float
    low: float
    high: float
    least: float
    most: float

    @classmethod
    def of(cls, shares: npt.ArrayLike, random: np.random.Generator) -> Spread:
        """Spread of one share per draw."""
        found = np.asarray(shares, np.float64)
        drawn = random.integers(len(found), size=(_RESAMPLES, len(found)))
        low, high = np.quantile(found[drawn].mean(axis=1), [0.025, 0.975])
        return cls(
            float(found.mean()), float(low), float(high), float(found.min()), float(found.max())
        )


@dataclass(frozen=True)
class Draw:
    """The result of one draw of sightings; shares are of the users of the reference.

    Parameters
    ----------
    unsafe, undecided
        Users who fail by the rule, and about whom nothing was proven in time.
    unsafe_low, unsafe_high
        Wilson's 95% interval for ``unsafe``, users taken as a sample.
    found
        Users who can be on one track only at some time.
    contradicted
        Users whose sightings fit no track: they did something else in the release's time.
    guess
        Chance that a guess among the possible tracks of a user, at a random time, hits hers.
    unsafe_time, undecided_time
        Shares of the time of the users whose sightings fit, in which fewer than k tracks can be
        hers, and in which neither that nor the contrary was proven.
    named
        Share of the same time for which a follower who bets on the likeliest track expects to name
        the right one.
    named_error, weighed, learned
        How far off her beliefs may be, as they are of drawn stories (0: none was drawn); share of
        these users whom she weighs; and 1 if the release taught her enough of gaps, else 0.
    """

    unsafe: float
    unsafe_low: float
    unsafe_high: float
    undecided: float
    found: float
    contradicted: float
    guess: float
    unsafe_time: float
    undecided_time: float
    named: float = 0.0
    named_error: float = 0.0
    weighed: float = 0.0
    learned: float = 1.0


@dataclass(frozen=True)
class Assumption:
    """Audits over many draws.

    Parameters
    ----------
    per_user
        Sightings per user.
    draws
        One after the other.
    random_guess
        Chance of a guess among all tracks.
    """

    per_user: int
    draws: tuple[Draw, ...]
    random_guess: float

    def spread(self, name: str, seed: int = 0) -> Spread:
        """Spread of one of the shares of :class:`Draw`."""
        return Spread.of([getattr(draw, name) for draw in self.draws], np.random.default_rng(seed))

    def to_dict(self, seed: int = 0) -> dict[str, Any]:
        """The draws, and each share with its spread over them, as JSON has them."""
        return {
            "sightings_per_user": self.per_user,
            "draws": [asdict(draw) for draw in self.draws],
            "shares": {name: asdict(self.spread(name, seed)) for name in SHARES},
            "random_guess": self.random_guess,
        }


def draw_sightings(reference: Sightings, per_user: int, random: np.random.Generator) -> Sightings:
    """Some sightings of each user, uniformly without replacement.

    Parameters
    ----------
    reference
        Everything that may be seen.
    per_user
        Sightings of each user, >= 1.

    Raises
    ------
    InputError
        Some user has fewer.
    """
    counts = np.bincount(reference.user, minlength=len(reference.users))
    if per_user < 1 or counts.min() < per_user:
        user = reference.users[int(counts.argmin())]
        raise InputError(f"user {user} has {counts.min()} reference sightings, not {per_user}")
    order = np.lexsort((random.random(len(reference)), reference.user))
    begin = np.cumsum(counts) - counts
    chosen = (begin[:, None] + np.arange(per_user)).ravel()
    return reference.only(order[chosen])


def audit_draw(
    published: Published,
    sightings: Sightings,
    k: int,
    *,
    exchanged: bool = True,
    gaps: Gaps | None = None,
    rule: Rule | None = None,
    engine: str = "auto",
    course: Course | None = None,
) -> Draw:
    """Audit one draw; users whose sightings fit no track are left out, and counted.

    Parameters
    ----------
    published, sightings
        The release, and the draw.
    k, exchanged, rule, engine
        Tracks that each known user might be on, at least; whether pseudonyms may be exchanged in
        the zones of the release; when a user passes; ``auto``, ``bounds``, ``cpsat`` or ``dp``.
    gaps
        Reading of gaps; None: for each sighting the strictest that leaves a track.
    course
        None: no limit.

    Raises
    ------
    InputError
        As :func:`mixsafe.release.audit.audit`, but for knowledge that contradicts the release.
    """
    n_users = len(sightings.users)
    left = _consistent(published, sightings, exchanged=exchanged, gaps=gaps)
    audited = None
    if len(left.users):
        try:
            evidence = Evidence.of(published, left, gaps)
            question = AuditQuestion(k, rule or Rule.default(every_time=True), engine, False)
            course = course or Course.begin()
            audited = answer(evidence, question, course, exchanged=exchanged, by_gaps=False)
        except NoSolutionError:  # each alone fits, but not all of them together
            audited = None
    if audited is None:
        return Draw(0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    people, upper = audited.summary["users"], audited.intervals["upper"].to_numpy()
    time = audited.intervals["verdict"].to_numpy(), audited.steps
    bets = None if audited.follower is None else audited.follower.beliefs
    interval = stats.binomtest(people["unsafe"], n_users).proportion_ci(method="wilson")
    return Draw(
        unsafe=people["unsafe"] / n_users,
        unsafe_low=float(interval.low),
        unsafe_high=float(interval.high),
        undecided=people["undecided"] / n_users,
        found=audited.intervals.loc[upper == 1, "user_id"].nunique() / n_users,
        contradicted=1 - len(left.users) / n_users,
        guess=float(np.average(1 / np.maximum(upper, 1), weights=audited.steps)),
        unsafe_time=_share_of_time(Verdict.UNSAFE, *time),
        undecided_time=_share_of_time(Verdict.UNDECIDED, *time),
        named=0.0 if bets is None else float(bets.of_user.mean()),
        named_error=0.0 if bets is None else bets.error,
        weighed=0.0 if bets is None else len(bets.user) / bets.n_known,
        learned=1.0 if bets is None else float(bets.learned),
    )


def _share_of_time(
    verdict: Verdict, verdicts: npt.NDArray[np.str_], steps: npt.NDArray[np.int64]
) -> float:
    """Share of all steps of all users in intervals of a verdict."""
    return float(np.average(verdicts == verdict.value, weights=steps))


@dataclass(frozen=True)
class DrawsAsked:
    """The question about each draw, and the engine.

    Parameters
    ----------
    published
        The release.
    k, exchanged, rule, engine
        Tracks that each known user might be on, at least; whether pseudonyms may be exchanged in
        the zones of the release; when a user passes; ``auto``, ``bounds``, ``cpsat`` or ``dp``.
    gaps
        Reading of gaps; None: for each sighting the strictest that leaves a track.
    """

    published: Published
    k: int
    exchanged: bool = True
    rule: Rule | None = None
    engine: str = "auto"
    gaps: Gaps | None = None

    def audit(self, sightings: Sightings, course: Course) -> Draw:
        """Audit one draw, in what time is left."""
        return audit_draw(
            self.published,
            sightings,
            self.k,
            exchanged=self.exchanged,
            gaps=self.gaps,
            rule=self.rule,
            engine=self.engine,
            course=course,
        )


def audit_draws(asked: DrawsAsked, draws: Sequence[Sightings], course: Course) -> Iterator[Draw]:
    """Audit draw after draw, or all of them at once if there is an executor; in their order.

    Parameters
    ----------
    asked
        What, and how.
    draws
        Of which none knows of the others.
    course
        Of all draws together; progress is called with the stage, draws that are done, and all.

    Raises
    ------
    InputError
        As :func:`audit_draw`, or the executor is lost.
    """
    if course.executor is None:
        found = (asked.audit(sightings, course.silent) for sightings in draws)
    else:
        shared = course.executor.share((asked, course.alone))
        audited = course.executor.each(_audit_apart, shared, draws)
        found = (Draw(*one["draw"].tolist()) for one in audited)
    for number in range(len(draws)):
        course.progress("auditing draws", number, len(draws))
        yield next(found)


def _audit_apart(context: tuple[DrawsAsked, Course], sightings: Sightings) -> Found:
    """Audit one draw, as a worker of an executor."""
    asked, course = context
    return {"draw": np.array(astuple(asked.audit(sightings, course)))}


def _consistent(
    published: Published, sightings: Sightings, *, exchanged: bool, gaps: Gaps | None
) -> Sightings:
    """The sightings of those users who fit a track; without exchanges, of most who do together.

    Gaps are read as ``gaps`` says, or in the widest way.
    """
    widest = gaps or READINGS[-1]
    tracks = published.fitting(sightings.step, sightings.place)
    fits = np.ones(len(sightings.users), bool)
    fits[sightings.user[tracks.strictest > widest.level]] = False
    left = sightings.of_users(fits)
    if not len(left.users):
        return left
    evidence = Evidence.of(published, left, widest)
    zones = evidence.zones if exchanged else never(evidence.zones)
    able = placeable(unnamed_start(zones, evidence.pins), len(left.users))
    return left.of_users(able)
