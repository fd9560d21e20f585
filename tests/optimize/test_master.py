"""The cheapest zones under cuts: what brute force says, however many rows are set aside."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mixsafe.optimize import master
from mixsafe.optimize.loops import ALWAYS, Cut
from mixsafe.optimize.master import Master
from mixsafe.verify.answers import Deadline

N_ZONES, TOKENS = 7, 4


def random_cuts(random: np.random.Generator) -> list[Cut]:
    sizes = random.integers(1, 4, 14)
    zones = [np.sort(random.choice(N_ZONES, size, replace=False)) for size in sizes]
    several = random.integers(0, TOKENS + 1, 14)
    tokens = [np.sort(random.choice(TOKENS, n, replace=False)) if n else ALWAYS for n in several]
    return [Cut(z, int(random.integers(2)), t) for z, t in zip(zones, tokens, strict=True)]


def respects(cuts: list[Cut], kept: set[int], needed: list[int]) -> bool:
    broken = [cut for cut in cuts if not kept & set(cut.zones.tolist())]
    if any(cut.tokens is ALWAYS for cut in broken):
        return False
    lost: list[set[int]] = [set() for _ in needed]
    for cut in broken:
        lost[cut.requirement] |= set(() if cut.tokens is ALWAYS else cut.tokens.tolist())
    return all(TOKENS - len(gone) >= need for gone, need in zip(lost, needed, strict=True))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("most_rows", [2000, 0])
def test_nothing_that_respects_all_cuts_is_cheaper(
    seed: int, most_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(master, "_ROWS", most_rows)
    random = np.random.default_rng(seed)
    cost, needed = random.integers(1, 4, N_ZONES), [1, 2]
    asked = Master(cost, [np.arange(TOKENS)] * 2, needed)
    cuts: list[Cut] = []
    for cut in random_cuts(random):
        cuts.append(cut)
        asked.add(cut)
        linear = asked.relaxed(Deadline(None))
        bound, choice = asked.cheapest(Deadline(None))
        costs = [
            int(cost[list(kept)].sum())
            for size in range(N_ZONES + 1)
            for kept in itertools.combinations(range(N_ZONES), size)
            if respects(cuts, set(kept), needed)
        ]
        assert linear is not None
        assert choice is not None
        chosen = np.flatnonzero(choice.zone > 0.5)
        assert (bound, int(cost[chosen].sum())) == (min(costs), min(costs))
        assert respects(cuts, set(chosen.tolist()), needed)
        assert linear[0] <= bound + 1e-6


def test_a_token_that_breaks_a_cut_is_not_free() -> None:
    asked = Master(np.ones(2, np.int64), [np.arange(TOKENS)], [1])
    asked.add(Cut(np.array([0]), 0, np.array([1, 2])))
    asked.add(Cut(np.array([1]), 0, np.array([2, 3])))
    (free,) = asked.unbroken(np.array([True, False]))
    assert free.tolist() == [True, True, False, False]


def test_no_time_proves_nothing() -> None:
    asked = Master(np.ones(2, np.int64), [np.arange(TOKENS)], [1])
    asked.add(Cut(np.array([0, 1]), 0, ALWAYS))
    assert asked.cheapest(Deadline(0.0)) == (0, None)
    assert asked.relaxed(Deadline(0.0)) is None
