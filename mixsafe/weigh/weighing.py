"""Weighing candidates: what the adversary would bet, and how sure that is."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from mixsafe.errors import InputError
from mixsafe.journal.question import question_of
from mixsafe.journal.steps import RunKey
from mixsafe.model.limits import Deadline
from mixsafe.model.question.problem import Problem
from mixsafe.verify.presolved import check_size
from mixsafe.verify.rows import WireTimes
from mixsafe.weigh.counting import count_parts
from mixsafe.weigh.exchange_models import ExchangeModel, Uniform
from mixsafe.weigh.possible import KnownBefore, known_of
from mixsafe.weigh.sampling import sample_rest, sampled_chances
from mixsafe.weigh.settings import WeighOptions, WeighSettings
from mixsafe.weigh.weighed import ALONE, SAMPLED, Chances, Weighed, WeighedRows, summary

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Weighing:
    """How likely candidates are.

    Parameters
    ----------
    problem
        The question.
    bet
        Chance from which on the adversary bets.
    seconds
        Wall time, loading not included.
    rows
        What was found.
    uniform
        Whether every exchange happens, for everybody.
    error
        Monte Carlo error of a best guess that is settled, at most.
    chances
        With ``exhaustive``, how likely each candidate of each row is that is settled; else None.
    """

    problem: Problem
    bet: float
    seconds: float
    rows: WeighedRows
    uniform: bool
    error: float
    chances: Chances | None = None

    def __repr__(self) -> str:
        return f"<Weighing of {self.problem.name}: {len(self.rows.user):,} wires>"

    @cached_property
    def wires(self) -> pd.DataFrame:
        """A row per wire.

        user_id, from_time, to_time, proven, effective, best_guess, token, low, high, error, by,
        rhat, draws, variation.
        """
        from mixsafe.weigh.weigh_tables import weighed_table

        return weighed_table(self.problem.zones, self.rows)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Counts of wires by what weighed them, and shares of users' steps.

        ``follower_right`` is the share of time that an adversary is right who always bets on the
        likeliest, ``counting_says`` what 1 over the number of candidates would have said.
        """
        return summary(self.rows, self.bet, self.error)

    @property
    def posterior(self) -> list[dict[str, Any]] | None:
        """With ``exhaustive``, how likely each candidate of each wire is that is settled.

        Returns
        -------
        list
            ``user_id``, ``from_time``, ``to_time``, ``by`` and ``chances``, pairs of a pseudonym
            and its chance, the likeliest first; None: not asked for.
        """
        from mixsafe.weigh.weigh_tables import posterior_list

        zones = self.problem.zones
        return None if self.chances is None else posterior_list(zones, self.rows, self.chances)

    def to_dict(self) -> dict[str, Any]:
        """The answer as a JSON object."""
        zones = self.problem.zones
        answer: dict[str, Any] = {
            "verdict": "settled" if self.summary["settled"] else "not settled",
            "name": self.problem.name,
            "users": zones.n_users,
            "steps": zones.axis.steps,
            "zones": len(zones),
            "uniform": self.uniform,
            "seconds": round(self.seconds, 3),
            "weights": self.summary,
        }
        if self.chances is not None:
            answer["posterior"] = self.posterior
        return answer


def weigh(
    problem: Problem,
    *,
    model: ExchangeModel | None = None,
    bet: float = 0.5,
    **options: Unpack[WeighOptions],
) -> Weighing:
    """Weigh candidates: how likely each is, to an adversary who knows the law of exchanges.

    The posterior of a wire is P(s(u, t) = c | knowledge) under the law. Its maximum is the
    adversary's best guess (Bayes vulnerability; Smith 2009), two to the power of its entropy the
    effective number of candidates (Serjantov and Danezis 2002). Where few tokens are tracked it is
    counted, elsewhere sampled: then it is an estimate with an interval, or not settled.

    Parameters
    ----------
    problem
        Mix zones and knowledge.
    model
        What exchanges weigh; default: all permutations of a zone the same.
    bet
        Chance from which on the adversary bets, for the summary; 0 to 1.
    **options
        See :class:`mixsafe.weigh.settings.WeighOptions`.

    Returns
    -------
    Weighing

    Raises
    ------
    InputError
        A bet outside 0..1, chances that do not fit the zones or users, an unknown engine, weights
        that forbid everything, or a problem whose sets of tokens are too large.
    """
    settings, model = WeighSettings(**options), model or Uniform()
    if not 0 <= bet <= 1:
        raise InputError(f"a bet at {bet:g} is not between 0 and 1")
    if not settings.error > 0:
        raise InputError(f"an error of {settings.error:g} is not above 0")
    check_size(problem.zones)
    began = time.monotonic()
    rows, chances = _found(problem, model, settings)
    seconds = time.monotonic() - began
    return Weighing(problem, bet, seconds, rows, model.is_uniform, settings.error, chances)


def _found(
    problem: Problem, model: ExchangeModel, settings: WeighSettings
) -> tuple[WeighedRows, Chances | None]:
    """What is found of all wires; with ``exhaustive`` how likely each candidate is."""
    deadline = Deadline(settings.limits.seconds)
    how: RunKey = {
        "weigh": _told(model, problem),
        "exact": settings.exact,
        "seed": settings.limits.seed,
    }
    settings.journal.begin(question_of(problem, how))
    known = known_of(problem, model, settings, deadline)
    found = Weighed.unsettled(known.core.network.n_wires)
    _note_alone(found, known)
    alone = np.flatnonzero(found.way == ALONE)
    counted: list[Chances] = []
    if settings.exact:
        parts = count_parts(known, found, deadline, settings.progress, settings.plan)
        counted = [part for part in parts if settings.exhaustive]
    chains = sample_rest(known, found, settings, deadline)
    rows = _rows(known.whole, found.at(known.merged))
    if not settings.exhaustive:
        return rows, None
    certain = Chances(alone, found.token[alone].astype(np.int64), np.ones(len(alone)))
    told = [certain, *counted]
    if chains is not None:
        told.append(sampled_chances(chains, np.flatnonzero(found.way == SAMPLED)))
    return rows, Chances.joined(told).of_rows(known.merged)


def _told(model: ExchangeModel, problem: Problem) -> str:
    """The law as a word: draws under another one are no draws under this one."""
    if model.is_uniform:
        return "uniform"
    made = hashlib.sha256()
    for array in model.weights(problem.zones):
        made.update(np.ascontiguousarray(array).tobytes())
    return made.hexdigest()


def _note_alone(found: Weighed, known: KnownBefore) -> None:
    """Note the wires on which one token is possible only."""
    found.proven[:] = np.maximum(known.n_proven, 1)
    if not known.nobody_may_move:
        return
    alone = np.flatnonzero(known.n_possible == 1)
    found.note_exact(alone, ALONE, known.core.network.row[alone])


def _rows(whole: WireTimes, found: Weighed) -> WeighedRows:
    """Wires of the data, with what was found of them."""
    weight: NDArray[np.int64] = whole.end.astype(np.int64) - np.maximum(whole.start, 1) + 1
    return WeighedRows(whole.row, whole.start, whole.end, weight, found)
