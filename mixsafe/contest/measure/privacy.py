"""What releases and synthetic traces give away.

Of a release: the expected error (Shokri et al. 2011), and what it has to do with s_T (contest
paper, 5.4). Of synthetic traces: what they say about those who were trained on (contest paper,
appendix C). Both attacks compare synthetic traces with users by the transition probabilities of
each user, as the experiments of PPMTF do (Murakami et al., PoPETs 2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy import sparse, stats

from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import check_guess, trace_inference
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix

HOSPITAL_WEIGHTS = (1.0, 10.0, 100.0, 1000.0)
"""Weights at which the correlation is looked at."""

Floats = npt.NDArray[np.float64]

DELTA = 1e-8
"""Probability of what a user was never seen to do."""


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


def reidentification_rate(
    training: TraceMatrix, synthetic: TraceMatrix, n_regions: int, steps_per_day: int
) -> float:
    """Share of the synthetic traces whose likeliest training user has the same number.

    A trace is a day of a user. Where several users are as likely, the first one is taken. By
    chance it is 1 over the number of users.

    Raises
    ------
    InputError
        More synthetic users than training users, or a region that does not exist.
    """
    _check_regions(n_regions, training, synthetic)
    if synthetic.n_users > training.n_users:
        raise InputError(
            f"{synthetic.n_users} synthetic users cannot be matched to {training.n_users}"
            " training users",
            hint="make as many",
        )
    known = _probabilities(training, n_regions, steps_per_day)
    known.data = np.log(known.data) - np.log(DELTA)
    truth = np.arange(synthetic.n_users)
    rates = [
        float(np.mean(np.asarray((trace @ known.T).argmax(axis=1)).reshape(-1) == truth))
        for trace in _days(synthetic, n_regions, steps_per_day)
    ]
    return float(np.mean(rates))


def membership_advantage(
    training: TraceMatrix,
    testing: TraceMatrix,
    synthetic: TraceMatrix,
    n_regions: int,
    steps_per_day: int,
) -> float:
    """Largest difference of true and false positive rates of the membership inference attack.

    For each user, of whom it is to be told whether she was trained on, the attack takes the largest
    log-likelihood ratio over the synthetic traces of a day: her own transitions against those of
    all others. A threshold decides; the best one is taken, over all days together.

    Raises
    ------
    InputError
        A region that does not exist.
    """
    _check_regions(n_regions, training, testing, synthetic)
    users = sparse.vstack(
        [_probabilities(traces, n_regions, steps_per_day) for traces in (training, testing)]
    ).tocsr()
    others = users.shape[0] - 1
    total = np.asarray(users.sum(axis=0)).reshape(-1)
    base = np.log(np.maximum(total / others, DELTA * (total == 0)))
    own = users.copy()
    rest = (total[users.indices] - users.data) / others
    # What nobody else does is as unlikely to the crowd as what nobody does at all.
    rest = np.where(rest > 1e-12, rest, DELTA)
    own.data = np.log(users.data) - np.log(DELTA) - np.log(rest) + base[users.indices]
    inside, outside = [], []
    for trace in _days(synthetic, n_regions, steps_per_day):
        fixed = np.asarray(trace.sum(axis=1)).reshape(-1) * np.log(DELTA) - trace @ base
        ratio = (trace @ own.T).toarray() + fixed[:, None]
        best = ratio.max(axis=0)
        inside.append(best[: training.n_users])
        outside.append(best[training.n_users :])
    # The largest gap between two distribution functions is the Kolmogorov-Smirnov statistic.
    gap = stats.ks_2samp(
        np.concatenate(inside), np.concatenate(outside), alternative="less", method="asymp"
    )
    return abs(float(gap.statistic))


def _check_regions(n_regions: int, *traces: TraceMatrix) -> None:
    """Refuse regions that do not exist."""
    for some in traces:
        if some.region.max() >= n_regions:
            raise InputError(f"region {some.region.max() + 1} is not one of the {n_regions}")


def _moves(traces: TraceMatrix, n_regions: int) -> npt.NDArray[np.int64]:
    """(n_users, n_steps - 1) each a pair of regions, as one number."""
    region = traces.region.astype(np.int64)
    return region[:, :-1] * n_regions + region[:, 1:]


def _counts(move: npt.NDArray[np.int64], n_regions: int) -> sparse.csr_array:
    """(n_users, n_regions^2) how often each user makes each move."""
    row = np.repeat(np.arange(len(move)), move.shape[1])
    shape = (len(move), n_regions * n_regions)
    counts = sparse.coo_array((np.ones(move.size), (row, move.reshape(-1))), shape=shape)
    return sparse.csr_array(counts.tocsr())


def _probabilities(traces: TraceMatrix, n_regions: int, steps_per_day: int) -> sparse.csr_array:
    """(n_users, n_regions^2) transition probabilities of each user."""
    goes_on = (traces.time_ids[1:] - 1) % steps_per_day != 0
    counts = _counts(_moves(traces, n_regions)[:, goes_on], n_regions)
    row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    source = row * n_regions + counts.indices // n_regions
    _, place = np.unique(source, return_inverse=True)
    counts.data = counts.data / np.bincount(place, counts.data)[place]
    return counts


def _days(traces: TraceMatrix, n_regions: int, steps_per_day: int) -> list[sparse.csr_array]:
    """The moves of each day, (n_users, n_regions^2) each."""
    day = (traces.time_ids - 1) // steps_per_day
    moves = _moves(traces, n_regions)
    return [
        _counts(moves[:, (day[:-1] == number) & (day[1:] == number)], n_regions)
        for number in np.unique(day)
    ]
