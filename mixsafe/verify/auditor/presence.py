"""From tokens per wire to rows per token: on how many rows each token may be, step by step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled
from mixsafe.solver.local.generator import next_random
from mixsafe.solver.state.tokens import TokenSets, add, below


@dataclass(frozen=True, eq=False)
class Presence:
    """On which rows tokens may be at each step.

    Parameters
    ----------
    count
        (n_tokens, horizon + 1) int32: number of rows.
    mark
        (n_tokens, horizon + 1) uint64: sums of random numbers of the rows, so equal where the rows
        are the same ones. For grouping only: nothing is concluded from it.
    """

    count: npt.NDArray[np.int32]
    mark: npt.NDArray[np.uint64]


def presence(
    sets: TokenSets,
    start: npt.NDArray[np.int32],
    end: npt.NDArray[np.int32],
    row: npt.NDArray[np.int32],
    n_tokens: int,
    horizon: int,
) -> Presence:
    """Rows of the tokens 0 to ``n_tokens`` - 1.

    Parameters
    ----------
    sets
        (n_wires, words) tokens of each wire.
    start, end, row
        (n_wires,) each: first and last step of the wire, and the row that it belongs to; a wire
        that ends before it begins counts for nothing.
    horizon
        The last step.
    """
    names = np.random.default_rng(1).integers(2**64, size=int(row.max()) + 1, dtype=np.uint64)
    count, mark = _changes(sets, start, end, names[row], n_tokens, horizon)
    return Presence(np.cumsum(count, axis=1)[:, :-1], np.cumsum(mark, axis=1)[:, :-1])


@compiled
def _changes(  # pragma: no cover - compiled
    sets: TokenSets,
    start: npt.NDArray[np.int32],
    end: npt.NDArray[np.int32],
    name: npt.NDArray[np.uint64],
    n_tokens: int,
    horizon: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint64]]:
    count = np.zeros((n_tokens, horizon + 2), np.int32)
    mark = np.zeros((n_tokens, horizon + 2), np.uint64)
    members = np.empty(n_tokens, np.int64)
    for w in range(len(sets)):
        for token in members[: below(sets[w], members)]:
            count[token, start[w]] += 1
            count[token, end[w] + 1] -= 1
            mark[token, start[w]] += name[w]
            mark[token, end[w] + 1] -= name[w]
    return count, mark


@compiled
def rows_of_tokens(  # pragma: no cover - compiled
    sets: TokenSets,
    start: npt.NDArray[np.int32],
    end: npt.NDArray[np.int32],
    row: npt.NDArray[np.int32],
    n_tokens: int,
    first: int,
    steps: int,
    words: int,
) -> TokenSets:
    """(n_tokens * steps, words): sets of rows of the tokens 0 to ``n_tokens`` - 1.

    Parameters
    ----------
    sets, start, end, row
        Tokens of each wire, its first and last step, and its row.
    first, steps
        The first step, and how many: the sets of a token follow on each other.
    words
        Words that hold all rows.
    """
    found = np.zeros((n_tokens * steps, words), np.uint64)
    members = np.empty(n_tokens, np.int64)
    for w in range(len(sets)):
        begin, last = max(start[w], first), min(end[w], first + steps - 1)
        if begin > last:
            continue
        for token in members[: below(sets[w], members)]:
            for t in range(begin, last + 1):
                add(found[token * steps + t - first], row[w])
    return found


@compiled
def wanted(  # pragma: no cover - compiled
    missing: TokenSets,
    start: npt.NDArray[np.int32],
    end: npt.NDArray[np.int32],
    unsettled: npt.NDArray[np.bool_],
) -> TokenSets:
    """Of the ``missing`` tokens of each wire those with an open question while it lasts.

    Parameters
    ----------
    missing
        (n_wires, words).
    start, end
        (n_wires,) each.
    unsettled
        (n_tokens, horizon + 1) bool: steps at which a token's question is open.
    """
    found = np.zeros_like(missing)
    members = np.empty(len(unsettled), np.int64)
    for w in range(len(missing)):
        for token in members[: below(missing[w], members)]:
            if unsettled[token, start[w] : end[w] + 1].any():
                add(found[w], token)
    return found


@compiled
def draw(  # pragma: no cover - compiled
    missing: TokenSets,
    start: npt.NDArray[np.int32],
    end: npt.NDArray[np.int32],
    unsettled: npt.NDArray[np.bool_],
    seed: int,
) -> npt.NDArray[np.int64]:
    """(n_tokens, horizon + 1) int64: for each open question a wire on which its token is missing.

    Drawn uniformly; -1 where there is none. All is as for :func:`wanted`.
    """
    drawn = np.full(unsettled.shape, -1, np.int64)
    seen = np.zeros(unsettled.shape, np.int32)
    random = np.full(1, seed, np.uint64)
    members = np.empty(len(unsettled), np.int64)
    for w in range(len(missing)):
        for token in members[: below(missing[w], members)]:
            for t in range(start[w], end[w] + 1):
                if unsettled[token, t]:
                    seen[token, t] += 1
                    if next_random(random, seen[token, t]) == 0:
                        drawn[token, t] = w
    return drawn
