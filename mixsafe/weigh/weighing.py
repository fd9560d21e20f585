"""Posterior inference over candidates: the adversary's best guess, and its error."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.machinery.journal import question_of
from mixsafe.model.arguments import of_kind, options_of
from mixsafe.model.course import Course, RunKey
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.verify.presolved import check_size
from mixsafe.verify.rows import WireTimes
from mixsafe.weigh import plan
from mixsafe.weigh.counting import count_parts
from mixsafe.weigh.exchange_models import ByMovement, ExchangeModel, Uniform
from mixsafe.weigh.place_guesses import PlaceGuesses, place_guess_list
from mixsafe.weigh.plan import WeighOptions, WeighSettings
from mixsafe.weigh.possible import KnownBefore, known_of
from mixsafe.weigh.sampling import draws_of, sample_rest, sampled_chances
from mixsafe.weigh.weighed import (
    ALONE,
    SAMPLED,
    Chances,
    Weighed,
    WeighedRows,
    gained,
    progress_of,
    summary,
)

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Weighing:
    """Posteriors of candidates.

    Parameters
    ----------
    problem
        The problem.
    bet
        Chance from which on the adversary bets.
    seconds
        Wall time, loading not included.
    rows
        Wires with their posteriors.
    model
        The exchange model.
    error
        Largest Monte Carlo error of a settled best guess.
    chances
        With ``exhaustive``, the posterior of each settled row; else None.
    places
        The likeliest place at each step of each row; None: where people are is unknown.
    always
        (n_rows,) whether every draw had the same candidate; such rows are not settled.
    before
        Where the model weighs movement, the posteriors without it; else None.
    """

    problem: Problem
    bet: float
    seconds: float
    rows: WeighedRows
    model: ExchangeModel
    error: float
    chances: Chances | None
    places: PlaceGuesses | None
    always: npt.NDArray[np.bool_]
    before: WeighedRows | None = None

    def __repr__(self) -> str:
        return f"<Weighing of {self.problem.name}: {len(self.rows.user):,} wires>"

    @property
    def uniform(self) -> bool:
        """Whether the exchange model is uniform."""
        return self.model.is_uniform

    @cached_property
    def wires(self) -> pd.DataFrame:
        """A row per wire.

        user_id, from_time, to_time, proven, effective, best_guess, token, low, high, error, by,
        rhat, draws, variation; and best_place where it is known where people are.
        """
        from mixsafe.weigh.weigh_tables import weighed_table

        table = weighed_table(self.problem.zones, self.rows)
        return table if self.places is None else table.assign(best_place=self.places.highest)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Counts of wires by what weighed them, and shares of users' steps.

        ``follower_right`` is the share of time for which an adversary who always bets on the
        likeliest candidate is right, ``counting_says`` the same share if all proven candidates
        were equally likely. ``places`` has the ``share_right`` for bets on the likeliest place,
        ``movement`` what :func:`mixsafe.weigh.weighed.gained` says.
        """
        found = summary(self.rows, self.bet, self.error)
        if self.places is not None:
            found["places"] = {"share_right": self.places.share_right}
        if self.before is not None:
            found["movement"] = gained(self.rows, self.before, self.always)
            steps = self.rows.weight * ~self.always  # more draws of these would settle nothing
            found |= progress_of(self.rows.found, steps.astype(np.float64), self.error)
        return found

    @property
    def posterior(self) -> list[dict[str, Any]] | None:
        """With ``exhaustive``, the posterior of each settled wire.

        Returns
        -------
        list
            ``user_id``, ``from_time``, ``to_time``, ``by`` and ``chances``, pairs of a pseudonym
            and its probability, the likeliest first; None: not requested.
        """
        from mixsafe.weigh.weigh_tables import posterior_list

        zones = self.problem.zones
        return None if self.chances is None else posterior_list(zones, self.rows, self.chances)

    def to_dict(self, *, wires: bool = True) -> dict[str, Any]:
        """The answer as a JSON object.

        Parameters
        ----------
        wires
            With a row per wire.
        """
        zones = self.problem.zones
        answer: dict[str, Any] = {
            "verdict": "settled" if self.summary["settled"] else "not settled",
            "name": self.problem.name,
            "users": zones.n_users,
            "steps": zones.axis.steps,
            "zones": len(zones),
            "knowledge": self.problem.knowledge.reading,
            "uniform": self.uniform,
            "seconds": round(self.seconds, 3),
            "weights": self.summary,
            **zones.premises.to_dict(),
        }
        if self.chances is not None:
            answer["posterior"] = self.posterior
            where = self.problem.track_places
            if self.places is not None and where is not None:
                users, label = zones.users[self.rows.user], zones.axis.label
                spans = self.rows.start, self.rows.end
                answer["places"] = place_guess_list(users, label, where, spans, self.places)
        if wires:
            from mixsafe.verify.tables import records

            answer["wires"] = records(self.wires)
        return answer


def weigh(
    problem: Problem,
    *,
    model: ExchangeModel | None = None,
    bet: float = 0.5,
    **options: Unpack[WeighOptions],
) -> Weighing:
    """Infer how likely each candidate is to an adversary who knows the exchange model.

    The posterior of a wire is P(s(u, t) = c | knowledge) under the exchange model. Its maximum is
    the adversary's best guess (Bayes vulnerability; Smith 2009); two to the power of its entropy is
    the effective number of candidates (Serjantov and Danezis 2002). It is counted exactly where
    few tokens are tracked and sampled elsewhere; a sampled posterior has an interval, or is not
    settled.

    Parameters
    ----------
    problem
        Mix zones and knowledge.
    model
        Exchange model; default: all permutations of a zone have the same weight. With
        :class:`mixsafe.weigh.exchange_models.ByMovement`, a third of the time goes to weighing
        without movement, for comparison.
    bet
        Chance from which on the adversary bets, for the summary; 0 to 1.
    **options
        See :class:`mixsafe.weigh.plan.WeighOptions`.

    Returns
    -------
    Weighing

    Raises
    ------
    InputError
        A bet outside 0..1, chances that do not fit the zones or users, an unknown engine, an
        exchange model that forbids every assignment, or sets of tokens that are too large.
    """
    of_kind("problem", problem, (Problem,), "a problem", "give what mixsafe.pose returns")
    begin, others = options_of("weigh", options, WeighOptions)
    settings, model = WeighSettings(**others), model or Uniform()
    if not 0 <= bet <= 1:
        raise InputError(f"a bet at {bet:g} is not between 0 and 1")
    if not settings.error > 0:
        raise InputError(f"an error of {settings.error:g} is not above 0")
    check_size(problem.zones)
    began = time.monotonic()
    course, before = begin(), None
    if isinstance(model, ByMovement):
        plain, short = replace(problem, track_places=None), replace(settings, exhaustive=False)
        part = course.share(plan.COMPARING).aside
        before = _found(plain, model.law, short, part).rows
    found = _found(problem, model, settings, course)
    seconds = time.monotonic() - began
    return Weighing(problem, bet, seconds, found.rows, model, settings.error, *found[1:], before)


class _Found(NamedTuple):
    """What :class:`Weighing` says of the rows."""

    rows: WeighedRows
    chances: Chances | None
    places: PlaceGuesses | None
    always: npt.NDArray[np.bool_]


def _found(
    problem: Problem, model: ExchangeModel, settings: WeighSettings, course: Course
) -> _Found:
    """Posteriors of all wires, with ``exhaustive`` of each candidate; and likeliest places."""
    if course.keeps:
        name = _name_of_model(model, problem)
        how: RunKey = {"weigh": name, "exact": settings.exact, "seed": course.seed}
        course.journal.begin(question_of(problem, how))
    known = known_of(problem, model, settings.engine, course)
    found = Weighed.unsettled(known.core.network.n_wires)
    _note_alone(found, known)
    alone = np.flatnonzero(found.method == ALONE)
    counted: list[Chances] = []
    if settings.exact:
        parts = count_parts(known, found, course)
        wanted = settings.exhaustive or problem.track_places is not None
        counted = [part for part in parts if wanted]
    chains = sample_rest(known, found, settings.error, course)
    rows = _rows(problem.zones, known.whole, found.at(known.merged))
    always = np.zeros(len(rows.user), bool)
    if chains is not None:
        always |= (chains.constant & ~found.settled)[known.merged]
    certain = Chances(alone, found.token[alone].astype(np.int64), np.ones(len(alone)))
    all_chances, sampled = [certain, *counted], np.flatnonzero(found.method == SAMPLED)
    places = None
    if problem.track_places is not None:
        drawn = None if chains is None else (sampled, partial(draws_of, chains))
        where, n_users = problem.track_places, problem.zones.n_users
        places = PlaceGuesses.of(where, known.whole, known.merged, all_chances, drawn, n_users)
        places = places.published_in(problem.zones.published, known.whole)
    if not settings.exhaustive:
        return _Found(rows, None, places, always)
    if chains is not None:
        all_chances.append(sampled_chances(chains, sampled))
    return _Found(rows, Chances.joined(all_chances).of_rows(known.merged), places, always)


def _name_of_model(model: ExchangeModel, problem: Problem) -> str:
    """Name of the exchange model in the journal, so that draws of another are not reused."""
    if model.is_uniform:
        return "uniform"
    digest = hashlib.sha256()
    for array in model.weights(problem.zones):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _note_alone(found: Weighed, known: KnownBefore) -> None:
    """Record the wires with a single possible token."""
    found.proven[:] = np.maximum(known.n_proven, 1)
    if not known.allows_identity:
        return
    alone = np.flatnonzero(known.n_possible == 1)
    found.note_exact(alone, ALONE, known.core.network.row[alone])


def _rows(zones: MixZones, whole: WireTimes, found: Weighed) -> WeighedRows:
    """Wires of the data with their posteriors."""
    weight = zones.time_of(whole.row, whole.start, whole.end)
    return WeighedRows(whole.row, whole.start, whole.end, weight, found)
