"""Sampling: unbiased, calibrated, and not fooled where small moves do not connect histories."""

from __future__ import annotations

import numpy as np
import pytest

from mixsafe.journal.steps import NoJournal
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.question.adversary import pins_and_links
from mixsafe.model.question.problem import Problem
from mixsafe.network.wires import WireNetwork
from mixsafe.verify.core.core import Core
from mixsafe.weigh.count.counting import counted
from mixsafe.weigh.draw import chains as chains_module
from mixsafe.weigh.draw.chains import Chains
from mixsafe.weigh.draw.convergence import Estimates
from mixsafe.weigh.draw.ground import ground_of, walker_at
from mixsafe.weigh.draw.pair_moves import exchange_pairs
from mixsafe.weigh.laws import Law, Uniform
from mixsafe.weigh.sampling import RHAT, interval
from tests.strategies import problem
from tests.weigh.worlds_to_weigh import random_law, random_problem


def core_of(posed: Problem) -> Core:
    return Core(WireNetwork.of(posed.zones), *pins_and_links(posed.knowledge))


def sampled(posed: Problem, law: Law, seed: int) -> Estimates:
    """What full chains say of all wires."""
    core = core_of(posed)
    chains = Chains.begun(core, law.weights(posed.zones), [core.network.row] * 4, seed)
    limits = SolveLimits(workers=1)
    while not chains.is_full:
        chains.draw(NoJournal(), Deadline(None), limits)
    chains.check()
    return chains.estimates(lambda done: None, 1, np.arange(core.network.n_wires))


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains_module, "MOST_DRAWS", 320)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    held = settled = 0
    for seed in range(36):
        random = np.random.default_rng(seed)
        posed = random_problem(random)
        law = random_law(random, posed)
        truth = counted(core_of(posed), law.weights(posed.zones))
        assert truth is not None
        found = sampled(posed, law, seed)
        likeliest = truth[np.arange(len(truth)), found.token]
        low, high = interval(found.mean, found.draws)
        good = found.rhat <= RHAT  # NaN: always there, which settles nothing
        settled += int(good.sum())
        held += int((good & (low <= likeliest) & (likeliest <= high)).sum())
    assert settled > 120
    assert 0.92 < held / settled < 0.99


def test_the_error_of_whole_distributions_is_not_larger_than_stated() -> None:
    posed = problem(4, 3, [(1, [0, 1, 2, 3]), (2, [0, 1]), (3, [1, 2, 3])], [(0, 0), (0, 3)])
    truth = counted(core_of(posed), Uniform().weights(posed.zones))
    assert truth is not None
    core = core_of(posed)
    chains = Chains.begun(core, Uniform().weights(posed.zones), [core.network.row] * 4, 1)
    while not chains.is_full:
        chains.draw(NoJournal(), Deadline(None), SolveLimits(workers=1))
    found = chains.estimates(lambda done: None, 1, np.arange(core.network.n_wires))
    drawn = chains.room[:, chains.filled // 4 :]
    for wire in np.flatnonzero(found.rhat <= RHAT).tolist():
        shares = np.bincount(drawn[:, :, wire].ravel(), minlength=4) / drawn[:, :, wire].size
        apart = 0.5 * np.abs(shares - truth[wire]).sum()
        stated = 0.5 * found.spread[wire] / np.sqrt(found.draws[wire])
        assert apart < 3 * stated


def test_links_of_people_whose_token_is_not_known_are_kept() -> None:
    zones = [(1, [0, 1]), (2, [1, 2]), (3, [0, 1, 2]), (4, [0, 2])]
    posed = problem(3, 5, zones, [(1, 2), (1, 5), (2, 1), (2, 5)])
    truth = counted(core_of(posed), Uniform().weights(posed.zones))
    assert truth is not None
    found = sampled(posed, Uniform(), 3)
    good = found.rhat <= RHAT
    assert good.sum() > 5
    likeliest = truth[np.arange(len(truth)), found.token]
    assert np.abs(found.mean - likeliest)[good].max() < 0.06


APART = [
    problem(
        4,
        len(meetings),
        list(enumerate(meetings, 1)),
        [(user, t) for user in range(4) for t in (0, len(meetings))],
    )
    for meetings in (
        [(1, 3), (0, 2), (2, 3), (0, 1), (1, 2), (0, 3)],
        [(1, 3), (1, 2), (0, 3), (1, 2), (0, 1), (2, 3), (0, 2)],
    )
]
"""Problems whose histories small moves do not connect: found among thousands."""


@pytest.mark.parametrize("posed", APART, ids=["six zones", "seven zones"])
def test_where_small_moves_stay_apart_the_number_is_right_or_there_is_none(posed: Problem) -> None:
    core = core_of(posed)
    ground = ground_of(core, Uniform().weights(posed.zones))
    truth = counted(core, Uniform().weights(posed.zones))
    assert truth is not None
    walker = walker_at(core, ground, core.network.row, 1)
    seen = set()
    for _ in range(300):
        exchange_pairs(3, ground, walker)
        seen.add(tuple(walker.token.tolist()))
    histories = round(1 / min(truth[truth > 0])) if len(seen) == 1 else 4
    assert len(seen) < histories
    found = sampled(posed, Uniform(), 1)
    good = found.rhat <= RHAT
    likeliest = truth[np.arange(len(truth)), found.token]
    low, high = interval(found.mean, found.draws)
    assert np.all((likeliest >= low - 0.02) & (likeliest <= high + 0.02) | ~good)
