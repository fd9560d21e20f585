"""Posteriors of wires, and their summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from mixsafe.model.csr import ranges

Floats = npt.NDArray[np.float64]

ALONE, COUNTED, SAMPLED, NOT_SETTLED = range(4)
"""Method for a wire: a single possible token, counting, sampling, or not settled."""

METHODS = ("alone", "counted", "sampled", "not settled")
"""Names of the methods."""

LEVELS = (2, 3, 5, 10)
"""Numbers of candidates k for the counts of wires with a likely candidate despite k."""

LIKELY = (0.5, 0.9)
"""Thresholds of a likely candidate in these counts."""


class Weighed(NamedTuple):
    """Posteriors of wires, (n,) each. Values of wires that are not settled are NaN.

    Parameters
    ----------
    proven
        Number of proven candidates.
    method
        Method: ``ALONE``, ``COUNTED``, ``SAMPLED`` or ``NOT_SETTLED``.
    token
        The likeliest candidate; -1 if not settled.
    best
        Its chance: the adversary's best guess (Bayes vulnerability).
    low, high
        95 % interval of it; both ``best`` where it is exact.
    error
        Monte Carlo error (standard error) of it; 0 where it is exact.
    effective
        Effective number of candidates: two to the power of the Shannon entropy in bits.
    variation
        Upper bound, in 95 % of cases, on the total variation error of the distribution.
    rhat, draws
        Diagnostics of sampling, also where it did not settle the wire; NaN elsewhere.
    """

    proven: NDArray[np.int32]
    method: NDArray[np.int8]
    token: NDArray[np.int32]
    best: Floats
    low: Floats
    high: Floats
    error: Floats
    effective: Floats
    variation: Floats
    rhat: Floats
    draws: Floats

    @classmethod
    def unsettled(cls, n_wires: int) -> Weighed:
        """Unsettled wires, each with its own token as the only proven candidate."""
        shares = np.full((8, n_wires), np.nan)
        return cls(
            np.ones(n_wires, np.int32),
            np.full(n_wires, NOT_SETTLED, np.int8),
            np.full(n_wires, -1, np.int32),
            *shares,
        )

    def at(self, wires: NDArray[np.int64]) -> Weighed:
        """Rows of some wires."""
        return Weighed._make(column[wires] for column in self)

    def note_exact(
        self,
        wires: NDArray[np.int64],
        method: int,
        tokens: NDArray[np.integer],
        best: Floats | float = 1.0,
        effective: Floats | float = 1.0,
    ) -> None:
        """Record exact posteriors of some wires; by default of a single possible token."""
        self.method[wires], self.token[wires] = method, tokens
        self.best[wires] = self.low[wires] = self.high[wires] = best
        self.effective[wires] = effective
        self.error[wires] = self.variation[wires] = 0.0

    @property
    def settled(self) -> NDArray[np.bool_]:
        """(n,) whether each wire is settled."""
        return np.asarray(self.method != NOT_SETTLED)


class WeighedRows(NamedTuple):
    """Wires of the data with their posteriors: user, first and last step, number of steps."""

    user: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    weight: NDArray[np.int64]
    found: Weighed


RHAT = 1.01
"""Largest R-hat of a settled value."""

SETTLED = 0.9
"""Smallest share of the time that must be settled for the summary to count as settled."""


class Chances(NamedTuple):
    """Posterior probabilities, (n,) each: an entry for each wire and possible token.

    Parameters
    ----------
    wire, token
        (n,) int64 each.
    chance
        (n,) float64; those of a wire sum up to 1.
    """

    wire: NDArray[np.int64]
    token: NDArray[np.int64]
    chance: Floats

    @classmethod
    def of(cls, wires: NDArray[np.int64], tokens: NDArray[np.int64], table: Floats) -> Chances:
        """From a table, (n_wires, n_tokens)."""
        wire, token = np.nonzero(table)
        return cls(wires[wire], tokens[token], table[wire, token])

    @classmethod
    def joined(cls, several: Sequence[Chances]) -> Chances:
        """Concatenate several, ordered by wire, the likeliest first."""
        wire, token, chance = (np.concatenate(column) for column in zip(*several, strict=True))
        order = np.lexsort((token, -chance, wire))
        return cls(wire[order], token[order], chance[order])

    def of_rows(self, wires: NDArray[np.int64]) -> Chances:
        """Entries by row of a result, given the wire of each row, (n_rows,)."""
        low, high = (np.searchsorted(self.wire, wires, side=side) for side in ("left", "right"))
        sizes = high - low
        row = np.repeat(np.arange(len(wires)), sizes)
        entry = ranges(low, sizes)
        return Chances(row, self.token[entry], self.chance[entry])


def levels(rows: WeighedRows) -> list[dict[str, Any]]:
    """Counts of wires with at least k proven candidates, and of those with a likely one."""
    found, lines = rows.found, []
    for k in LEVELS:
        safe = found.proven >= k
        line: dict[str, Any] = {"k": k, "wires": int(safe.sum())}
        line["not_settled"] = int((safe & ~found.settled).sum())
        for likely in LIKELY:
            line[f"above_{likely:g}"] = int((safe & (found.best > likely)).sum())
        lines.append(line)
    return lines


def progress_of(found: Weighed, steps: Floats, error: float) -> dict[str, Any]:
    """Whether enough of the time is settled, and how many times as many draws it would take.

    Parameters
    ----------
    found
        Posteriors.
    steps
        (n,) number of steps of each.
    error
        Monte Carlo error at which a wire is settled.

    Returns
    -------
    dict
        ``settled``: whether :data:`SETTLED` of the steps are; ``times_as_long``: the estimated
        factor in the number of draws until they are (None: they are, or unknown). The error of
        a share falls with the square root of the effective number of draws, and R-hat with the
        number of draws.
    """
    if found.settled @ steps >= SETTLED * steps.sum():
        return {"settled": True, "times_as_long": None}
    with np.errstate(invalid="ignore", divide="ignore"):
        draws = (0.5 / error) ** 2 / found.draws
        mixing = (found.rhat - 1.0) / (RHAT - 1.0)
        needed = np.where(found.settled, 0.0, np.maximum(draws, mixing))
    needed[np.isnan(needed)] = np.inf
    order = np.argsort(needed)
    enough = int(np.searchsorted(np.cumsum(steps[order]), SETTLED * steps.sum()))
    factor = float(needed[order[min(enough, len(order) - 1)]])
    times = round(max(factor, 1.1), 1) if np.isfinite(factor) else None
    return {"settled": False, "times_as_long": times}


def of_time(found: Weighed, steps: Floats, error: float) -> dict[str, Any]:
    """Shares of the time: not settled, and right if one bets on the likeliest candidate.

    Parameters
    ----------
    found, steps, error
        Posteriors, the number of steps of each, and the Monte Carlo error at which a wire is
        settled. The result of :func:`progress_of` is included.
    """
    known = found.settled
    right = np.where(known, found.best, 0.0) * steps
    return {
        **progress_of(found, steps, error),
        "share_not_settled": _share(steps[~known].sum(), steps.sum()),
        "follower_right": _share(right.sum(), steps[known].sum()),
    }


def summary(rows: WeighedRows, bet: float, error: float) -> dict[str, Any]:
    """Summary: shares of the settled steps of all users, and counts of wires.

    Parameters
    ----------
    rows
        Wires with their posteriors.
    bet
        Chance from which on the adversary bets.
    error
        Monte Carlo error at which a wire is settled.
    """
    found, steps = rows.found, rows.weight.astype(np.float64)
    known = found.settled
    best = np.where(known, found.best, 0.0)
    bets = known & (found.best > bet)
    settled = steps[known].sum()
    return {
        "wires": len(steps),
        **{word: int((found.method == method).sum()) for method, word in enumerate(METHODS)},
        **of_time(found, steps, error),
        "counting_says": _share((steps / found.proven)[known].sum(), settled),
        "bet": bet,
        "share_bet_on": _share(steps[bets].sum(), settled),
        "bets_right": _share((steps * best)[bets].sum(), steps[bets].sum()),
        "counting_says_of_bets": _share((steps / found.proven)[bets].sum(), steps[bets].sum()),
        "median_effective": _median(found.effective[known], steps[known]),
        "levels": levels(rows),
    }


def gained(rows: WeighedRows, before: WeighedRows, always: NDArray[np.bool_]) -> dict[str, Any]:
    """How much oftener bets are right that weigh movement, too.

    Parameters
    ----------
    rows, before
        The same wires, weighed with movement and without.
    always
        (n_wires,) whether every draw had the same candidate, with movement.

    Returns
    -------
    dict
        ``share_compared``: share of the time that both settle, 0 if all of it has one possible
        candidate; ``follower_right``, ``without``:
        share of this in which a bet on the likeliest candidate is expected to be right;
        ``right_in_truth``: share of it in which the likeliest candidate, with movement, is the
        user's own pseudonym: that it stayed is the truth by which pairs are likely;
        ``share_always_drawn``: share of the time that is not settled because all draws have one
        candidate.
    """
    steps = rows.weight.astype(np.float64)
    both = rows.found.settled & before.found.settled
    both &= (rows.found.method[both] != ALONE).any()  # with one candidate, both say the same
    compared = steps[both].sum()
    return {
        "share_compared": _share(compared, steps.sum()),
        "follower_right": _share((steps * rows.found.best)[both].sum(), compared),
        "without": _share((steps * before.found.best)[both].sum(), compared),
        "right_in_truth": _share(steps[both & (rows.found.token == rows.user)].sum(), compared),
        "share_always_drawn": _share(steps[always].sum(), steps.sum()),
    }


def _share(part: float, whole: float) -> float | None:
    """A share; None if ``whole`` is 0."""
    return round(float(part / whole), 6) if whole > 0 else None


def _median(values: Floats, weights: Floats) -> float | None:
    """Weighted median; None if the weights sum to 0."""
    if not weights.sum() > 0:
        return None
    order = np.argsort(values)
    half = np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)
    return round(float(values[order[half]]), 3)
