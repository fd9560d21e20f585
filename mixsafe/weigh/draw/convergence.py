"""Whether chains agree, and how far their averages can be off.

For each wire the draws of all chains say which token was on it. The first draws choose the token
that is likeliest there; the others say how likely it is, so that the choice does not flatter it.
R-hat compares halves of chains, and the effective number of draws is by Geyer's initial monotone
sequence (Vehtari, Gelman, Simpson, Carpenter, Bürkner 2021, as in ArviZ, which a test compares).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner

Floats = npt.NDArray[np.float64]

PILOT = 0.25
"""Share of the draws that choose the likeliest token, and are used for nothing else."""


class Estimates(NamedTuple):
    """What draws say of wires, (n_wires,) each.

    Parameters
    ----------
    token
        The likeliest one.
    mean
        Its share of the draws.
    rhat
        Of its being there or not; where it never was, of the token's number being odd or even. NaN
        where that never changed.
    draws
        Effective number of draws, of the same.
    entropy
        Of all tokens, bits.
    distinct
        Tokens that were there in some draw.
    spread
        Sum over tokens of the square root of p (1 - p).
    """

    token: npt.NDArray[np.int32]
    mean: Floats
    rhat: Floats
    draws: Floats
    entropy: Floats
    distinct: npt.NDArray[np.int32]
    spread: Floats

    @classmethod
    def empty(cls, n_wires: int) -> Estimates:
        """Room for those of some wires."""
        token, distinct = np.zeros((2, n_wires), np.int32)
        mean, rhat, draws, entropy, spread = np.zeros((5, n_wires))
        return cls(token, mean, rhat, draws, entropy, distinct, spread)


@compiled
def estimate(  # pragma: no cover - compiled
    tokens: npt.NDArray[np.int32], n_tokens: int, begin: int, out: Estimates
) -> None:
    """Look at the draws of some wires.

    Parameters
    ----------
    tokens
        (n_wires, n_chains, n_draws) token in each draw; draws from ``begin`` on are an even number.
    n_tokens
        Number of tokens.
    begin
        First draw that does not choose.
    out
        Where it is written.
    """
    n_wires, n_chains, n_draws = tokens.shape
    half = (n_draws - begin) // 2
    count = np.zeros(n_tokens, np.int64)
    pilot = np.zeros(n_tokens, np.int64)
    there = np.zeros((2 * n_chains, half))
    for w in range(n_wires):
        best = _count(tokens[w], begin, count, pilot)
        out.token[w] = best
        for c in range(n_chains):
            for d in range(half):
                there[2 * c, d] = 1.0 if tokens[w, c, begin + d] == best else 0.0
                there[2 * c + 1, d] = 1.0 if tokens[w, c, begin + half + d] == best else 0.0
        out.mean[w], out.rhat[w], out.draws[w] = diagnosed(there)
        if out.mean[w] == 0.0:  # too rare to tell whether chains agree: a coarser question does
            for c in range(n_chains):
                for d in range(half):
                    there[2 * c, d] = tokens[w, c, begin + d] % 2
                    there[2 * c + 1, d] = tokens[w, c, begin + half + d] % 2
            _, out.rhat[w], out.draws[w] = diagnosed(there)
        _sum_up(tokens[w], begin, count, pilot, w, out)


@inner
def _count(  # pragma: no cover - compiled
    tokens: npt.NDArray[np.int32],
    begin: int,
    count: npt.NDArray[np.int64],
    pilot: npt.NDArray[np.int64],
) -> int:
    """Count the tokens of a wire, those of the first draws apart, which name the likeliest."""
    best = -1
    for c in range(tokens.shape[0]):
        for d in range(tokens.shape[1]):
            token = tokens[c, d]
            if d < begin:
                pilot[token] += 1
                if best < 0 or pilot[token] > pilot[best]:
                    best = token
            else:
                count[token] += 1
    return best


@inner
def _sum_up(  # pragma: no cover - compiled
    tokens: npt.NDArray[np.int32],
    begin: int,
    count: npt.NDArray[np.int64],
    pilot: npt.NDArray[np.int64],
    wire: int,
    out: Estimates,
) -> None:
    """Entropy and the like from counts, which are zero afterwards."""
    n = tokens.shape[0] * (tokens.shape[1] - begin)
    entropy, kinds, distinct, spread = 0.0, 0, 0, 0.0
    for c in range(tokens.shape[0]):
        for d in range(tokens.shape[1]):
            token = tokens[c, d]
            if pilot[token] > 0 or count[token] > 0:
                distinct += 1
            if count[token] > 0:
                share = count[token] / n
                kinds += 1
                entropy -= share * math.log(share)
                spread += math.sqrt(share * (1 - share))
            pilot[token] = count[token] = 0
    # Shares of few draws look more uneven than chances are: Miller (1955) and Madow.
    out.entropy[wire] = (entropy + (kinds - 1) / (2 * n)) / math.log(2)
    out.distinct[wire], out.spread[wire] = distinct, spread


@inner
def diagnosed(series: Floats) -> tuple[float, float, float]:  # pragma: no cover - compiled
    """Mean, R-hat and effective number of draws of some series of one length, (n, length).

    Subtracts its mean from each series, in place.
    """
    n, length = series.shape
    mean, within, between = series.mean(), 0.0, 0.0
    for c in range(n):
        own = series[c].mean()
        between += (own - mean) * (own - mean) / (n - 1)
        for d in range(length):
            series[c, d] -= own
        within += _covariance(series, c, 0) / (length - 1) / n
    if within == 0:
        return mean, math.nan if between == 0 else math.inf, math.nan
    total = within * (length - 1) / length + between
    before, last, tau, lag = math.inf, 0.0, -1.0, 0
    while lag < length - 1:
        one = _correlation(series, lag, within, total)
        pair = one + _correlation(series, lag + 1, within, total)
        last = max(one, 0.0)
        if pair < 0:
            break
        before = min(before, pair)
        tau += 2 * before
        last = 0.0
        lag += 2
    tau = max(tau + last, 1 / math.log10(n * length))
    return mean, math.sqrt(total / within), n * length / tau


@inner
def _correlation(
    series: Floats, lag: int, within: float, total: float
) -> float:  # pragma: no cover - compiled
    """Correlation at a lag, of all series together."""
    n, length = series.shape
    covariance = 0.0
    for c in range(n):
        covariance += _covariance(series, c, lag) / length / n
    return 1.0 - (within - covariance) / total if lag else 1.0


@inner
def _covariance(series: Floats, c: int, lag: int) -> float:  # pragma: no cover - compiled
    """Sum of the products of what lies a lag apart."""
    found = 0.0
    for d in range(series.shape[1] - lag):
        found += series[c, d] * series[c, d + lag]
    return found
