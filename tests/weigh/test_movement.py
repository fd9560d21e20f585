"""Exchanges weighed by how people move: against all assignments, listed, with their likelihoods."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.model.course import Course
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.problem import Problem
from mixsafe.solver.dp.minors import Minors
from mixsafe.weigh import plan
from mixsafe.weigh.counting import counted
from mixsafe.weigh.exchange_models import ByMovement, ExchangeModel, TakingPart, Uniform
from mixsafe.weigh.sampling import RHAT, furthest, interval
from mixsafe.weigh.weighing import weigh
from mixsafe.weigh.weighing_document import _always_drawn, _with_movement, unsettled
from tests.support.budgets import budgets
from tests.support.likelihoods import truth_of, with_likelihoods
from tests.support.strategies import mix_zones, problem
from tests.support.worlds_to_weigh import (
    apart,
    core_of,
    full_chains,
    random_model,
    random_problem,
    random_related,
)


def weighted(seed: int, scale: float | None = None) -> tuple[Problem, TakingPart]:
    """A random problem with likelihoods; half of them allow some pairs only."""
    random = np.random.default_rng([seed, 9])
    if random.integers(2):
        posed, law = random_related(random)
    else:
        posed = random_problem(random)
        law = random_model(random, posed)
    return with_likelihoods(posed, random, scale or random.choice([0.5, 3.0])), law


@settings(max_examples=300)
@given(st.integers(0, 1 << 32))
def test_counting_gives_the_posterior_of_the_definition(seed: int) -> None:
    posed, law = weighted(seed)
    found = counted(core_of(posed), ByMovement(law).weights(posed.zones))
    assert found is not None
    assert np.abs(found - truth_of(posed, law)).max() < 1e-12


@settings(max_examples=40)
@given(st.integers(0, 1 << 32))
def test_weigh_settles_small_problems_as_the_definition_says(seed: int) -> None:
    posed, law = weighted(seed)
    found = weigh(posed, model=ByMovement(law), exhaustive=True)
    network = core_of(posed).network
    assert found.chances is not None
    table = np.zeros((network.n_wires, network.n_rows))
    table[found.chances.wire, found.chances.token] = found.chances.chance
    assert np.abs(table - truth_of(posed, law)).max() < 1e-12


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """Whatever moves are made: of blocks where all exchanges happen, of pairs elsewhere."""
    held, settled, near, blocks = np.zeros(2), np.zeros(2), 0, 0
    for seed in range(50):
        posed, law = weighted(seed, scale=1.0)
        law = law if seed % 2 else TakingPart()
        model = ByMovement(law)
        truth = counted(core_of(posed), model.weights(posed.zones))
        assert truth is not None
        chains = full_chains(posed, model, seed)
        blocks += chains.paths is not None
        found = chains.estimates(Course.begin(), np.arange(len(truth)))
        likeliest = truth[np.arange(len(truth)), found.token]
        low, high = interval(found.mean, found.draws)
        good = found.rhat <= RHAT  # NaN: always there, which settles nothing
        settled[seed % 2] += good.sum()
        held[seed % 2] += (good & (low <= likeliest) & (likeliest <= high)).sum()
        near += int((good & (apart(chains, truth) <= furthest(found.spread, found.draws))).sum())
    assert blocks > 10
    assert np.all(settled > 80)
    assert np.all((held / settled > 0.92) & (held / settled < 0.99))
    assert near >= 0.95 * settled.sum()


def test_a_zone_too_large_to_be_counted_is_drawn_by_its_likelihoods() -> None:
    """In a zone by itself, the chances of pairs are those of its permanent."""
    n = 9
    random = np.random.default_rng(4)
    alone = Problem("one", mix_zones(n, 2, [(1, range(n))]), Knowledge.from_pairs([]))
    posed = with_likelihoods(alone, random, 1.5, unknown=0.0)
    core, weights = core_of(posed), ByMovement().weights(posed.zones)
    truth = counted(core, weights)
    assert truth is not None
    with budgets(plan, counted_steps=1000):
        assert counted(core, weights) is None
    chains = full_chains(posed, ByMovement(), 1)
    found = chains.estimates(Course.begin(), np.arange(len(truth)))
    good = np.flatnonzero(found.rhat <= RHAT)
    assert len(good) >= n - 2
    assert np.all(apart(chains, truth)[good] <= furthest(found.spread, found.draws)[good])


@pytest.mark.parametrize("law", [Uniform(), TakingPart(0.6)])
@pytest.mark.parametrize("seed", range(12))
def test_likelihoods_that_tell_nothing_change_nothing(law: ExchangeModel, seed: int) -> None:
    """Those of pairs may differ by a factor for who comes, and by one for who leaves."""
    posed, _ = weighted(seed)
    found = posed.zones.likelihoods
    assert found is not None
    flat = replace(found, log=np.zeros(len(found.log)))
    told = []
    for log in (flat.log, _of_rows_and_columns(posed, seed)):
        zones = replace(posed.zones, likelihoods=replace(flat, log=log))
        told.append(counted(core_of(posed), ByMovement(law).weights(zones)))
    plain = counted(core_of(posed), law.weights(posed.zones))
    assert plain is not None
    for one in told:
        assert one is not None
        assert np.abs(one - plain).max() < 1e-12


def _of_rows_and_columns(posed: Problem, seed: int) -> np.ndarray:
    """Log-likelihoods that are sums of a number of who comes and one of who leaves."""
    random = np.random.default_rng(seed)
    parts = [
        np.add.outer(*random.normal(size=(2, size))).ravel() for size in posed.zones.sizes.tolist()
    ]
    return np.concatenate([np.zeros(0), *parts])


def test_chains_with_likelihoods_that_tell_nothing_draw_what_they_draw_without() -> None:
    """Chains need not be the same, but shares are."""
    posed = problem(
        4, 5, [(1, [0, 1, 2]), (2, [0, 3]), (4, [1, 2, 3])], [(0, 2), (0, 5), (1, 3), (1, 5)]
    )
    flat = with_likelihoods(posed, np.random.default_rng(0), 0.0)
    rooms = [
        full_chains(one, model, 5).room for one, model in ((posed, Uniform()), (flat, ByMovement()))
    ]
    assert full_chains(posed, Uniform(), 5).paths is None
    one, other = (np.bincount(room.ravel(), minlength=4) / room.size for room in rooms)
    assert np.abs(one - other).max() < 0.02


@settings(max_examples=200)
@given(st.integers(1, 5), st.integers(0, 1 << 32))
def test_minors_are_sums_over_all_permutations_of_what_is_left(size: int, seed: int) -> None:
    import itertools

    random = np.random.default_rng(seed)
    weights = np.exp(random.normal(size=(size, size))) * (random.random((size, size)) < 0.8)
    most = int(random.integers(0, size + 1))
    found = Minors.of(weights, most)
    for n_out in range(most + 1):
        for rows in itertools.combinations(range(size), n_out):
            for columns in itertools.combinations(range(size), n_out):
                left = [row for row in range(size) if row not in rows]
                free = [column for column in range(size) if column not in columns]
                wanted = sum(
                    np.prod(weights[left, list(way)]) for way in itertools.permutations(free)
                )
                out, onto = (sum(1 << member for member in some) for some in (rows, columns))
                place = found.rank[out] * found.n_sets[n_out] + found.rank[onto]
                assert found.table[found.first[n_out] + place] == pytest.approx(wanted)


def test_a_swap_that_movement_shows_has_happened_although_exchanges_are_rare() -> None:
    """Bayes: what is seen tells whether the exchange happened, too."""
    posed = with_likelihoods(problem(2, 2, [(1, [0, 1])]), np.random.default_rng(0), 1.0, 0.0)
    found = posed.zones.likelihoods
    assert found is not None
    straight = replace(found, log=np.log(np.array([0.01, 0.99, 0.99, 0.01])))
    posed = replace(posed, zones=replace(posed.zones, likelihoods=straight))
    rows = weigh(posed, model=ByMovement(TakingPart(0.1))).wires
    swapped, stayed = 0.05 * 0.99**2, 0.95 * 0.01**2
    after = rows[rows["from_time"] == 1]
    assert after["token"].tolist() == [1, 0]
    assert after["best_guess"].tolist() == pytest.approx([swapped / (swapped + stayed)] * 2)


def test_near_certainty_is_told_where_draws_cannot_prove_it() -> None:
    """Sampling ends by itself, although some wires have the same token in every draw."""
    zones = [(t, [0, 1]) for t in (1, 2)] + [(3, [2, 3])]
    posed = with_likelihoods(problem(4, 4, zones), np.random.default_rng(0), 1.0, 0.0)
    found = posed.zones.likelihoods
    assert found is not None
    sure, unsure = [0.0, -25.0, -25.0, 0.0], [0.0, -1.0, -1.0, 0.0]
    told = replace(found, log=np.array([*sure, *sure, *unsure]))
    posed = replace(posed, zones=replace(posed.zones, likelihoods=told))
    with budgets(plan, most_draws=320):
        answer = weigh(posed, model=ByMovement(), exact=False)
    assert answer.always.sum() == 4
    assert answer.summary["not settled"] == 4
    assert answer.summary["movement"]["share_always_drawn"] == pytest.approx(8 / 16)
    assert answer.summary["settled"]
    assert weigh(posed, model=ByMovement()).summary["movement"]["share_always_drawn"] == 0


def test_zones_that_do_not_say_how_people_move_are_refused() -> None:
    with pytest.raises(InputError, match="do not say how people move"):
        weigh(problem(2, 2, [(1, [0, 1])]), model=ByMovement())


def test_likelihoods_that_are_not_numbers_are_refused() -> None:
    posed = with_likelihoods(problem(2, 2, [(1, [0, 1])]), np.random.default_rng(0), 1.0, 0.0)
    found = posed.zones.likelihoods
    assert found is not None
    wrong = replace(found, log=np.array([0.0, -np.inf, 0.0, 0.0]))
    posed = replace(posed, zones=replace(posed.zones, likelihoods=wrong))
    with pytest.raises(InputError, match="weights that are not numbers above 0"):
        weigh(posed, model=ByMovement())


def test_what_is_not_settled_and_what_is_true_come_first() -> None:
    """A share of what little settles must not pass for one of all time."""
    found = {
        **{"settled": False, "times_as_long": None, "share_not_settled": 0.932},
        "movement": {
            **{"share_compared": 0.068, "follower_right": 0.82, "without": 0.5},
            **{"right_in_truth": 0.642, "share_always_drawn": 0.5},
        },
    }
    assert unsettled(found, None).startswith("93.2% of people's time is not settled (10% may be)")
    said = _with_movement(found)
    assert said.index("in truth, 64.2% of the bets") < said.index("expects 82.0%")
    assert "In 50.0% of the time every draw has the same" in _always_drawn(found)
    assert _with_movement({}) == _always_drawn({}) == ""
