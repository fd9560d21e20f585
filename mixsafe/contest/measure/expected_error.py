"""The expected error (Shokri et al. 2011), and what it has to do with s_T (contest paper, 5.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy import stats

from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import check_guess, trace_inference
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix

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
