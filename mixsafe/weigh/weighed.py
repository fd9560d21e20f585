"""What weighing found: a row per wire, and what it comes to for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from mixsafe.model.csr import ranges

Floats = npt.NDArray[np.float64]

ALONE, COUNTED, SAMPLED, NOT_SETTLED = range(4)
"""By what a wire is weighed: one token alone is possible, by counting, by sampling, or not."""

WAYS = ("alone", "counted", "sampled", "not settled")
"""Words for them."""

LEVELS = (2, 3, 5, 10)
"""Numbers of candidates for which it is told how many wires have a likely one all the same."""

LIKELY = (0.5, 0.9)
"""Chances that are told beside these numbers."""


class Weighed(NamedTuple):
    """What was found on wires, (n,) each. Numbers of wires that are not settled are NaN.

    Parameters
    ----------
    proven
        Candidates that are proven.
    way
        By what: ``ALONE``, ``COUNTED``, ``SAMPLED`` or ``NOT_SETTLED``.
    token
        The likeliest candidate, -1 where that is not settled.
    best
        Its chance: the adversary's best guess (Bayes vulnerability).
    low, high
        95 % interval of it; both ``best`` where it is exact.
    error
        Monte Carlo error (standard error) of it; 0 where it is exact.
    effective
        Two to the power of the Shannon entropy: as many equally likely ones are as uncertain.
    variation
        Error of the whole distribution as total variation: at most that in 95 % of cases.
    rhat, draws
        Of sampling, also where that did not settle it; NaN elsewhere.
    """

    proven: NDArray[np.int32]
    way: NDArray[np.int8]
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
        """Wires of which only their own token is known to be a candidate."""
        shares = np.full((8, n_wires), np.nan)
        return cls(
            np.ones(n_wires, np.int32),
            np.full(n_wires, NOT_SETTLED, np.int8),
            np.full(n_wires, -1, np.int32),
            *shares,
        )

    def at(self, wires: NDArray[np.int64]) -> Weighed:
        """Those of some wires."""
        return Weighed._make(column[wires] for column in self)

    def note_exact(
        self,
        wires: NDArray[np.int64],
        way: int,
        tokens: NDArray[np.integer],
        best: Floats | float = 1.0,
        effective: Floats | float = 1.0,
    ) -> None:
        """Note what is known of some wires without error; by default that a token is alone."""
        self.way[wires], self.token[wires] = way, tokens
        self.best[wires] = self.low[wires] = self.high[wires] = best
        self.effective[wires] = effective
        self.error[wires] = self.variation[wires] = 0.0

    @property
    def settled(self) -> NDArray[np.bool_]:
        """(n,) whether there is a number."""
        return np.asarray(self.way != NOT_SETTLED)


class WeighedRows(NamedTuple):
    """Wires of the data with what was found: user, first and last step, steps asked about."""

    user: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    weight: NDArray[np.int64]
    found: Weighed


RHAT = 1.01
"""Of what is settled, at most."""

SETTLED = 0.9
"""Share of the time that must have settled, at least, for what settled to speak for all."""


class Chances(NamedTuple):
    """How likely candidates are, (n,) each: an entry for each wire and token that may be there.

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
        """Those of several, ordered by wire, the likeliest first."""
        wire, token, chance = (np.concatenate(column) for column in zip(*several, strict=True))
        order = np.lexsort((token, -chance, wire))
        return cls(wire[order], token[order], chance[order])

    def of_rows(self, wires: NDArray[np.int64]) -> Chances:
        """Those of rows that are each about one of some wires, (n_rows,)."""
        low, high = (np.searchsorted(self.wire, wires, side=side) for side in ("left", "right"))
        sizes = high - low
        row = np.repeat(np.arange(len(wires)), sizes)
        entry = ranges(low, sizes)
        return Chances(row, self.token[entry], self.chance[entry])


def levels(rows: WeighedRows) -> list[dict[str, Any]]:
    """Of wires with k candidates or more that are proven: how many have one that is likely."""
    found, told = rows.found, []
    for k in LEVELS:
        safe = found.proven >= k
        line: dict[str, Any] = {"k": k, "wires": int(safe.sum())}
        line["not_settled"] = int((safe & ~found.settled).sum())
        for likely in LIKELY:
            line[f"above_{likely:g}"] = int((safe & (found.best > likely)).sum())
        told.append(line)
    return told


def progress_of(found: Weighed, steps: Floats, error: float) -> dict[str, Any]:
    """Whether enough of the time settled to speak for all, and how much longer it would take.

    Parameters
    ----------
    found
        What was found.
    steps
        (n,) that each stands for.
    error
        Monte Carlo error at which something is settled.

    Returns
    -------
    dict
        ``settled``: whether :data:`SETTLED` of the steps are; ``times_as_long``: after about how
        many times as many draws they would be (None: they are, or draws do not tell). The error of
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
    told = round(max(factor, 1.1), 1) if np.isfinite(factor) else None
    return {"settled": False, "times_as_long": told}


def of_time(found: Weighed, steps: Floats, error: float) -> dict[str, Any]:
    """Shares of the time: settled or not, and right if one bets on the likeliest.

    Parameters
    ----------
    found, steps, error
        As for :func:`progress_of`, which is part of it.
    """
    known = found.settled
    right = np.where(known, found.best, 0.0) * steps
    return {
        **progress_of(found, steps, error),
        "share_not_settled": _share(steps[~known].sum(), steps.sum()),
        "follower_right": _share(right.sum(), steps[known].sum()),
    }


def summary(rows: WeighedRows, bet: float, error: float) -> dict[str, Any]:
    """What it comes to: shares of the steps of all users, settled ones, and counts of wires.

    Parameters
    ----------
    rows
        What was found.
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
        **{word: int((found.way == way).sum()) for way, word in enumerate(WAYS)},
        **of_time(found, steps, error),
        "counting_says": _share((steps / found.proven)[known].sum(), settled),
        "bet": bet,
        "share_bet_on": _share(steps[bets].sum(), settled),
        "bets_right": _share((steps * best)[bets].sum(), steps[bets].sum()),
        "counting_says_of_bets": _share((steps / found.proven)[bets].sum(), steps[bets].sum()),
        "median_effective": _median(found.effective[known], steps[known]),
        "levels": levels(rows),
    }


def _share(part: float, whole: float) -> float | None:
    """A share; None: of nothing."""
    return round(float(part / whole), 6) if whole > 0 else None


def _median(values: Floats, weights: Floats) -> float | None:
    """Weighted median; None: of nothing."""
    if not weights.sum() > 0:
        return None
    order = np.argsort(values)
    half = np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)
    return round(float(values[order[half]]), 3)
