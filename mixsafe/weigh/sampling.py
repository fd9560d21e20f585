"""Sampling: posterior estimates with intervals, where counting is too expensive."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mixsafe.model.course import Course, Deadline
from mixsafe.weigh import plan
from mixsafe.weigh.draw.chains import Chains, begin_of
from mixsafe.weigh.draw.convergence import Estimates
from mixsafe.weigh.possible import KnownBefore
from mixsafe.weigh.weighed import NOT_SETTLED, RHAT, SAMPLED, Chances, Weighed

Floats = npt.NDArray[np.float64]

_FEWEST = 8  # minimum draws of a chain for comparing its halves
_SURE = 0.95  # chance that an interval holds the truth


def sample_rest(known: KnownBefore, found: Weighed, error: float, course: Course) -> Chains | None:
    """Estimate the unsettled wires until all are settled or the time is up.

    Returns
    -------
    Chains
        With all draws; None: nothing was drawn.
    """
    wires = np.flatnonzero(found.method == NOT_SETTLED)
    if not len(wires) or not len(known.core.network.member):
        return None
    if not known.allows_identity:
        return None  # chains could not begin at the identity: what is not counted stays open
    starts = [known.core.network.row, *known.far]
    chains = Chains.begun(known.core, known.weights, starts, course.seed)

    def is_enough() -> bool:
        if not len(known.weights.log_pairs) or chains.every < plan.CONSTANT_APART:
            return False
        return bool((found.settled | chains.constant).all())

    fill(chains, found, lambda: _look(chains, wires, found, error, course), course, is_enough)
    return chains


def sampled_chances(chains: Chains, wires: npt.NDArray[np.int64]) -> Chances:
    """Shares of draws in which each token was on some wires, over the draws of estimates."""
    drawn = chains.drawn(wires)
    late = drawn[:, begin_of(drawn.shape[1]) :]
    # Not -1 for the first length: NumPy cannot infer it where no wire is asked about.
    used = late.reshape(late.shape[0] * late.shape[1], len(wires)).astype(np.int64)
    key = used + np.arange(len(wires)) * np.int64(chains.core.network.n_rows)
    found, times = np.unique(key, return_counts=True)
    wire, token = np.divmod(found, chains.core.network.n_rows)
    return Chances(wires[wire], token, times / len(used))


def draws_of(
    chains: Chains, wires: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """(n_wires, n_draws) tokens: of draws that may choose, and of those that estimates are of."""
    drawn = chains.drawn(wires).astype(np.int32).transpose(2, 0, 1)
    begin = begin_of(drawn.shape[2])
    early, late = drawn[:, :, :begin], drawn[:, :, begin:]
    return early.reshape(len(wires), -1), late.reshape(len(wires), -1)


def fill(
    chains: Chains,
    found: Weighed,
    look: Callable[[], None],
    course: Course,
    is_enough: Callable[[], bool] = lambda: False,
) -> None:
    """Draw and look at the draws, until all is settled or the time is up.

    Parameters
    ----------
    chains
        What draws.
    found
        Where ``look`` notes what is settled.
    look
        Looks at all draws.
    course
        When the time is up, whom to tell, and what keeps draws.
    is_enough
        Whether more draws are not worth while, although not all is settled.
    """
    looking = min(plan.LOOKING * course.left, plan.LOOKING_SECONDS)
    drawing = course.until(Deadline(course.left - looking))
    settled, total = int(found.settled.sum()), len(found.method)
    while True:
        while not chains.is_full and not drawing.passed:
            course.progress(_said(chains), settled, total)
            chains.draw(drawing)
        chains.check()
        if chains.filled >= _FEWEST:
            look()
            settled = int(found.settled.sum())
        if drawing.passed or settled == total or chains.every >= plan.LONGEST_APART or is_enough():
            return
        chains.thin()


def _said(chains: Chains) -> str:
    """What is being done, for people."""
    apart = f", {chains.every} sweeps apart" if chains.every > 1 else ""
    return f"drawing assignments ({chains.filled} of {chains.room.shape[1]}{apart})"


def _look(
    chains: Chains, wires: npt.NDArray[np.int64], found: Weighed, error: float, course: Course
) -> None:
    """See what is settled by all draws."""
    take_in(found, wires, chains.estimates(course, wires), error)


def take_in(
    found: Weighed, wires: npt.NDArray[np.int64], estimates: Estimates, error: float
) -> None:
    """Record estimates where chains agree and the error is small.

    A token in every draw is not settled: sampling cannot prove a probability of one.
    """
    mean, draws = estimates.mean, estimates.draws
    with np.errstate(invalid="ignore", divide="ignore"):
        mistake = error_of_share(mean, draws)
        good = (estimates.rhat <= RHAT) & (mistake <= error)
        low, high = interval(mean, draws)
        variation = furthest(estimates.spread, draws)
    found.proven[wires] = np.maximum(found.proven[wires], estimates.distinct)
    found.rhat[wires], found.draws[wires] = estimates.rhat, draws
    found.method[wires] = np.where(good, SAMPLED, NOT_SETTLED)
    found.token[wires] = np.where(good, estimates.token, -1)
    columns = (
        (found.best, mean),
        (found.low, low),
        (found.high, high),
        (found.error, mistake),
        (found.effective, 2.0**estimates.entropy),
        (found.variation, variation),
    )
    for column, values in columns:
        column[wires] = np.where(good, values, np.nan)


def error_of_share(mean: Floats, draws: Floats) -> Floats:
    """Standard error of shares of so many draws; never 0, as draws cannot prove a share of 0."""
    likely = (mean * draws + 0.5) / (draws + 1)
    return np.asarray(np.sqrt(likely * (1 - likely) / draws))


def furthest(
    spread: npt.NDArray[np.float64], draws: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Total variation between shares of independent draws and chances: no more in 95 % of cases.

    Its mean is at most half of ``spread`` over the square root of the draws, and since one draw
    changes it by no more than one over their number, it hardly exceeds its mean (McDiarmid 1989).

    Parameters
    ----------
    spread, draws
        (n,) each: sum of the square roots of p (1 - p), and effective number of draws.
    """
    bound = (0.5 * spread + np.sqrt(-0.5 * np.log(1 - _SURE))) / np.sqrt(draws)
    return np.minimum(bound, 1.0)


def interval(
    mean: npt.NDArray[np.float64], draws: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """95 % interval of a share of so many independent draws (Jeffreys; Brown, Cai, DasGupta 2001).

    Parameters
    ----------
    mean, draws
        (n,) each: share, and effective number of draws.
    """
    from scipy.special import betaincinv

    tail = (1 - _SURE) / 2
    hits, misses = mean * draws + 0.5, (1 - mean) * draws + 0.5
    return betaincinv(hits, misses, tail), betaincinv(hits, misses, 1 - tail)
