"""Weights where different people are different: no weight for who would be two people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mixsafe.model.course import Course
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.problem import Problem
from mixsafe.weigh.counting import counted
from mixsafe.weigh.exchange_models import TakingPart
from mixsafe.weigh.sampling import RHAT, interval
from mixsafe.weigh.weighing import weigh
from tests.support.oracles import posterior
from tests.support.strategies import problem
from tests.support.worlds_to_weigh import core_of, full_chains, random_model, random_problem


def seen_later(random: np.random.Generator) -> Problem:
    """A problem in which people are different, and most are seen, but few of them at step 0."""
    posed = random_problem(random)
    zones = posed.zones
    drawn_ones = zip(
        random.integers(0, zones.n_users, zones.n_users + 2).tolist(),
        random.integers(random.integers(2), zones.axis.steps + 1, zones.n_users + 2).tolist(),
        strict=True,
    )
    return replace(posed, knowledge=Knowledge.from_pairs(drawn_ones, distinct=True))


def truth_of(
    posed: Problem, model: TakingPart | None = None
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """(n_wires, n_rows) by enumeration; None: all exchanges are as likely."""
    network, n = core_of(posed).network, len(posed.zones)
    chances = [1.0] * n, [1.0] * posed.zones.n_users
    if model is not None:
        chances = model.zone.tolist(), model.user.tolist()
    found = posterior(posed, *chances)
    ends = zip(network.row.tolist(), network.end.tolist(), strict=True)
    return np.array([found[row, end] for row, end in ends])


@pytest.mark.parametrize("seed", range(24))
def test_counting_gives_the_posterior_of_the_definition(seed: int) -> None:
    random = np.random.default_rng([seed, 80])
    posed = seen_later(random)
    model = random_model(random, posed)
    found = counted(core_of(posed), model.weights(posed.zones))
    assert found is not None
    assert np.abs(found - truth_of(posed, model)).max() < 1e-12


@pytest.mark.parametrize("seed", range(10))
def test_what_weigh_says_is_that_of_the_definition(seed: int) -> None:
    posed = seen_later(np.random.default_rng([seed, 81]))
    found = weigh(posed, exhaustive=True)
    assert found.chances is not None
    network = core_of(posed).network
    table = np.zeros((network.n_wires, network.n_rows))
    table[found.chances.wire, found.chances.token] = found.chances.chance
    assert np.abs(table - truth_of(posed)).max() < 1e-12


def test_draws_are_only_of_what_is_possible_and_as_often_as_they_say() -> None:
    held = settled = apart = 0
    for seed in range(40):
        random = np.random.default_rng([seed, 82])
        posed = seen_later(random)
        model = random_model(random, posed)
        truth, chains = truth_of(posed, model), full_chains(posed, model, seed)
        apart += len(chains.core.apart)
        drawn = chains.room[:, : chains.filled].reshape(-1, len(truth))
        assert np.all(truth[np.arange(len(truth)), drawn] > 0)
        found = chains.estimates(Course.begin(), np.arange(len(truth)))
        likeliest = truth[np.arange(len(truth)), found.token]
        low, high = interval(found.mean, found.draws)
        good = found.rhat <= RHAT
        settled += int(good.sum())
        held += int((good & (low <= likeliest) & (likeliest <= high)).sum())
    assert apart > 10
    assert settled > 30
    assert held / settled > 0.9


def test_who_is_seen_before_and_after_a_zone_with_another_is_followed() -> None:
    seen = [(0, 1), (1, 3)]
    for distinct, chance in ((True, 1.0), (False, 0.5)):
        found = weigh(problem(2, 3, [(2, [0, 1])], seen, distinct=distinct))
        assert found.wires.best_guess.tolist() == [1.0, chance, 1.0, chance]
        assert found.to_dict()["knowledge"] == ("distinct" if distinct else "paper")
