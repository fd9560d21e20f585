"""The expected error (Shokri et al. 2011), and what it has to do with s_T (contest paper, 5.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import stats

from mixsafe.contest.base.parts import Anonymiser, label
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import check_guess, trace_inference
from mixsafe.contest.base.streams import sealed
from mixsafe.contest.grid import organizers_attackers
from mixsafe.contest.pseudonymizers import PSEUDONYMIZERS, SHUFFLE
from mixsafe.contest.registry import anonymiser_labelled
from mixsafe.contest.workers import counted
from mixsafe.errors import InputError
from mixsafe.model.mobility.trace_matrix import TraceMatrix

HOSPITAL_WEIGHTS = (1.0, 10.0, 100.0, 1000.0)
"""Weights at which the correlation is looked at."""


def expected_error(original: TraceMatrix, guess: npt.NDArray[np.int32], rules: Rules) -> float:
    """Mean distance between original and inferred locations, km.

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
    return float(rules.regions.distance_km(original.region, guess).mean())


def error_correlations(
    answers: Sequence[tuple[TraceMatrix, npt.NDArray[np.int32]]],
    rules: Rules,
    weights: Sequence[float] = HOSPITAL_WEIGHTS,
) -> dict[float, float]:
    """Correlation (Pearson's R) of s_T and the expected error, by the weight of hospitals.

    Parameters
    ----------
    answers
        Original traces, and what an attack inferred, three or more.
    weights
        Weights of visits to hospital regions.

    Raises
    ------
    InputError
        Fewer than three answers, or answers that are all as good.
    """
    if len(answers) < 3:
        raise InputError(f"a correlation needs three attacks at least, not {len(answers)}")
    errors = [expected_error(original, guess, rules) for original, guess in answers]
    result = {}
    for weight in weights:
        weighted = replace(rules, hospital_weight=weight)
        scores = [trace_inference(original, guess, weighted).value for original, guess in answers]
        if min(np.ptp(errors), np.ptp(scores)) == 0:
            raise InputError("the attacks are all as good: there is nothing to correlate")
        result[weight] = float(stats.pearsonr(errors, scores).statistic)
    return result


@dataclass(frozen=True)
class ReleaseError:
    """What the strongest trace inference leaves of a release.

    Parameters
    ----------
    anonymiser, team
        The obfuscation with its parameters, and whose release it is, from 1.
    attack
        The attack that leaves the lowest s_T.
    trace, error
        s_T, and the expected error of that attack, km.
    """

    anonymiser: str
    team: int
    attack: str
    trace: float
    error: float


def error_anonymisers() -> list[Anonymiser]:
    """Obfuscations of all kinds; some treat hospitals otherwise than other regions."""
    shifts = ("AS-12-0-3", "AS-12-4-3", "AS-0-8-0")
    return [anonymiser_labelled(one) for one in ("A1", "A2-1-1-0.1", "A3-8", "A4-4-1", *shifts)]


def errors_of_releases(
    teams: Sequence[tuple[TraceMatrix, TraceMatrix]],
    rules: Rules,
    *,
    anonymisers: Sequence[Anonymiser] | None = None,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[ReleaseError], dict[float, float]]:
    """The paper's figure 12: s_T and the expected error of releases, and their correlation.

    Parameters
    ----------
    teams
        Reference and original traces of each.
    anonymisers
        Default: ``error_anonymisers``.
    seed
        Of obfuscation, pseudonyms and attacks; each has its own stream for each release.
    progress
        Called with the number of teams done and of all.

    Returns
    -------
    list of ReleaseError, dict
        Releases against the organizers' strongest attack, and R by the weight of hospitals.

    Raises
    ------
    InputError
        Fewer than three releases.
    """
    methods = error_anonymisers() if anonymisers is None else list(anonymisers)
    attackers = [one for one in organizers_attackers() if one.answers == "traces"]
    found, answers = [], []
    for number, (reference, original) in counted(enumerate(teams), len(teams), progress):
        learned = Reference(reference, rules)
        for place, method in enumerate(methods):
            # An attack changes no release, and cannot draw the pseudonyms again.
            streams = np.random.default_rng([seed, number, place]).spawn(2 + len(attackers))
            cells = method.anonymise(original, rules, streams[0])
            release = PSEUDONYMIZERS[SHUFFLE].table(cells, streams[1]).publish(cells)
            tried = [
                (one.short, one.attack(learned, release, sealed(stream)))
                for one, stream in zip(attackers, streams[2:], strict=True)
            ]
            scores = [trace_inference(original, guess, rules).value for _, guess in tried]
            least = int(np.argmin(scores))
            attack, guess = tried[least]
            error = expected_error(original, guess, rules)
            found.append(ReleaseError(label(method), number + 1, attack, scores[least], error))
            answers.append((original, guess))
    return found, error_correlations(answers, rules)
