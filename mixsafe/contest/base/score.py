"""Scores of the contest: utility, re-identification, trace inference (contest paper, 3.4)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.parts import AnswerKind
from mixsafe.contest.base.rules import Rules
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells, IdTable

NORMAL_95 = 1.959963984540054
"""Quantile of the normal distribution for two-sided 95%."""


@dataclass(frozen=True)
class Score:
    """A score with what is needed to read it; higher is better for the publisher.

    Parameters
    ----------
    kind
        What was scored.
    value
        0 to 1.
    attempts
        Independent guesses (or cells) behind it: their number, or where they weigh differently
        the effective number, (sum of weights)^2 / (sum of squared weights).
    baseline
        Expected value if the answer (for utility: the release) were uniformly random.
    valid
        For utility: whether the release reaches s_req.
    """

    kind: Literal["utility", "reid", "trace"]
    value: float
    attempts: float
    baseline: float
    valid: bool | None = None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson interval for the value, 95%; cautious where guesses are right in part."""
        return wilson_interval(self.value, self.attempts)

    def to_dict(self) -> dict[str, Any]:
        """The score as a JSON object."""
        result: dict[str, Any] = {
            "score": self.kind,
            "value": self.value,
            "interval": list(self.interval),
            "attempts": self.attempts,
            "baseline": self.baseline,
        }
        return result if self.valid is None else {**result, "valid": self.valid}


def wilson_interval(share: float, attempts: float) -> tuple[float, float]:
    """Wilson's 95% interval for a share seen in so many attempts (Wilson 1927).

    Parameters
    ----------
    share
        0 to 1.
    attempts
        > 0.
    """
    square = NORMAL_95**2 / attempts
    centre = (share + square / 2) / (1 + square)
    spread = NORMAL_95 * math.sqrt(share * (1 - share) / attempts + square / (4 * attempts))
    spread /= 1 + square
    return max(0.0, centre - spread), min(1.0, centre + spread)


def utility(original: TraceMatrix, cells: Cells, rules: Rules) -> Score:
    """s_U: one minus the mean loss, which grows with distance up to all at ``lost_km``.

    A set loses the mean of its regions' losses (programs), or what the mean of their distances
    loses (paper); a deleted cell loses all. Before pseudonyms: rows are users.

    Raises
    ------
    InputError
        Cells of other users or times.
    """
    if original.region.shape != cells.code.shape:
        raise InputError(
            f"the release has {cells.n_rows} x {cells.n_steps} cells,"
            f" the original traces {original.n_users} x {original.n_steps}"
        )
    value = 1.0 - float(_losses(original, cells, rules).mean())
    everywhere = np.ones(original.region.size)
    return Score(
        "utility",
        value,
        original.region.size,
        _expected_gain(original.region.reshape(-1), everywhere, rules),
        value >= rules.required_utility,
    )


def reidentification(table: IdTable, answer: npt.NDArray[np.int32]) -> Score:
    """s_R (the programs' s_I): share of the pseudonyms whose user was not found.

    Of a dynamic table, or for an answer per time, the share of (pseudonym, time); on static ones
    that is the same number.

    Parameters
    ----------
    answer
        (n,) or (n, n_steps) users from 0.

    Raises
    ------
    InputError
        An answer of other pseudonyms or times.
    """
    guess = answer[:, None] if answer.ndim == 1 else answer
    n_users, n_steps = table.user.shape
    if len(guess) != n_users or (guess.shape[1] != n_steps and 1 not in (guess.shape[1], n_steps)):
        raise InputError(
            f"{guess.shape[0]} x {guess.shape[1]} answers do not fit an ID table"
            f" of {n_users} pseudonyms and {n_steps} times"
        )
    found = guess == table.user
    value = 1.0 - float(found.sum() / found.size)
    return Score("reid", value, n_users, 1.0 - 1.0 / n_users)


def trace_inference(original: TraceMatrix, guess: npt.NDArray[np.int32], rules: Rules) -> Score:
    """s_T: weighted share of the locations that stay hidden; a near guess finds a part.

    Weights go by the original region: ``hospital_weight`` for hospitals, 1 for the others.

    Parameters
    ----------
    guess
        (n_users, n_steps) regions from 0.

    Raises
    ------
    InputError
        Guesses for other users or times.
    """
    check_guess(original, guess)
    truth, guess = original.region.reshape(-1), guess.reshape(-1)
    weight = np.where(rules.regions.hospital[truth], rules.hospital_weight, 1.0)
    gain = np.maximum(0.0, 1.0 - rules.regions.distance_km(truth, guess) / rules.lost_km)
    value = 1.0 - float((weight * gain).sum() / weight.sum())
    effective = float(weight.sum() ** 2 / (weight**2).sum())
    return Score("trace", value, effective, 1.0 - _expected_gain(truth, weight, rules))


def privacy_left(
    answers: AnswerKind,
    original: TraceMatrix,
    table: IdTable,
    answer: npt.NDArray[np.int32],
    rules: Rules,
) -> Score:
    """How little an attacker's answer has found: whose pseudonyms, or which locations.

    Raises
    ------
    InputError
        An answer about something else.
    """
    if answers == "ids":
        return reidentification(table, answer)
    return trace_inference(original, answer, rules)


def check_guess(original: TraceMatrix, guess: npt.NDArray[np.int32]) -> None:
    """Refuse inferred locations that are not one for each original one.

    Raises
    ------
    InputError
        Guesses for other users or times.
    """
    if original.region.shape != guess.shape:
        raise InputError(
            f"{guess.shape[0]} x {guess.shape[1]} inferred locations,"
            f" but {original.n_users} x {original.n_steps} original ones"
        )


def minimum(scores: Iterable[Score]) -> Score:
    """The score under the strongest of several attacks: the lowest (paper, s_min).

    Raises
    ------
    InputError
        No score.
    """
    ordered = sorted(scores, key=lambda score: score.value)
    if not ordered:
        raise InputError("there is no attack to take the minimum over")
    return ordered[0]


def _losses(original: TraceMatrix, cells: Cells, rules: Rules) -> npt.NDArray[np.float64]:
    """Loss of each cell, 0 to 1, (n_users, n_steps); found once per true region and content."""
    loss, shown = np.ones(cells.code.shape), cells.code != cells.deleted
    pair = original.region[shown].astype(np.int64) * cells.n_contents + cells.code[shown]
    pair, place = np.unique(pair, return_inverse=True)
    region, content = np.divmod(pair, cells.n_contents)
    ptr, member = cells.members_of(content.astype(np.int32))
    size = np.diff(ptr)
    lost = rules.regions.distance_km(np.repeat(region, size), member) / rules.lost_km
    if rules.variant == "program":
        lost = np.minimum(1.0, lost)
    loss[shown] = np.minimum(1.0, np.add.reduceat(lost, ptr[:-1]) / size)[place]
    return loss


def _expected_gain(
    truth: npt.NDArray[np.int32], weight: npt.NDArray[np.float64], rules: Rules
) -> float:
    """Expected gain of a uniformly random region, over the weighted true regions."""
    visits = np.bincount(truth, weight, minlength=rules.regions.count)
    return float(_random_gain(rules) @ visits / visits.sum())


@lru_cache(maxsize=1)
def _random_gain(rules: Rules) -> npt.NDArray[np.float64]:
    """(n_regions,) expected gain of a uniformly random region; kept, for all attacks."""
    every = np.arange(rules.regions.count, dtype=np.int32)
    distance = (rules.regions.distance_km(every[one : one + 1], every) for one in every)
    return np.array([np.maximum(0.0, 1.0 - km / rules.lost_km).mean() for km in distance])
