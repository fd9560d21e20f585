"""Weights of zones with a relation: of all that is allowed, listed, and of nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.model.course import Course
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.problem import Problem
from mixsafe.weigh.counting import counted
from mixsafe.weigh.exchange_models import TakingPart, Uniform
from mixsafe.weigh.sampling import RHAT, interval
from mixsafe.weigh.weighed import NOT_SETTLED
from mixsafe.weigh.weighing import weigh
from tests.support.oracles import Pairs, posterior
from tests.support.relations import with_pairs, with_random_pairs
from tests.support.strategies import mix_zones, problem
from tests.support.worlds_to_weigh import core_of, full_chains, random_problem, random_related


def truth_of(
    presolved: Problem, model: TakingPart
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """(n_wires, n_rows) by enumeration."""
    network = core_of(presolved).network
    users = [1.0] * presolved.zones.n_users
    found = posterior(presolved, np.broadcast_to(model.zone, len(presolved.zones)).tolist(), users)
    ends = zip(network.row.tolist(), network.end.tolist(), strict=True)
    return np.array([found[row, end] for row, end in ends])


@pytest.mark.parametrize("seed", range(60))
def test_counting_gives_the_posterior_of_the_definition(seed: int) -> None:
    presolved, model = random_related(np.random.default_rng([seed, 5]))
    found = counted(core_of(presolved), model.weights(presolved.zones))
    assert found is not None
    assert np.abs(found - truth_of(presolved, model)).max() < 1e-12


@pytest.mark.parametrize("seed", range(30))
def test_what_weigh_settles_exactly_is_that_of_the_definition(seed: int) -> None:
    """Zones are cut into components first, where all exchanges happen."""
    presolved = with_random_pairs(
        random_problem(np.random.default_rng([seed, 6])), np.random.default_rng(seed)
    )
    found = weigh(presolved, exhaustive=True)
    truth = truth_of(presolved, TakingPart())
    network = core_of(presolved).network
    assert found.chances is not None
    assert not np.any(found.rows.found.method == NOT_SETTLED)
    table = np.zeros((network.n_wires, network.n_rows))
    table[found.chances.wire, found.chances.token] = found.chances.chance
    assert np.abs(table - truth).max() < 1e-12


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    held = settled = 0
    for seed in range(20, 40):
        presolved, model = random_related(np.random.default_rng([seed, 7]))
        truth = counted(core_of(presolved), model.weights(presolved.zones))
        assert truth is not None
        chains = full_chains(presolved, model, seed)
        found = chains.estimates(Course.begin(), np.arange(len(truth)))
        likeliest = truth[np.arange(len(truth)), found.token]
        low, high = interval(found.mean, found.draws)
        good = found.rhat <= RHAT  # NaN: always there, which settles nothing
        settled += int(good.sum())
        held += int((good & (low <= likeliest) & (likeliest <= high)).sum())
    assert settled > 60
    assert 0.92 < held / settled < 0.99


def rings(n_users: int, n_zones: int) -> Problem:
    """Zones in which tokens only go around, or stay."""
    around: Pairs = {(user, (user + 1) % n_users) for user in range(n_users)}
    zones = mix_zones(n_users, 2 * n_zones, [(2 * z + 1, range(n_users)) for z in range(n_zones)])
    return Problem("rings", with_pairs(zones, [around] * n_zones), Knowledge.from_pairs([]))


@pytest.mark.parametrize("n_users", [3, 4])
def test_chains_go_around_rings_in_which_no_two_can_swap(n_users: int) -> None:
    presolved = rings(n_users, 3)
    truth = counted(core_of(presolved), Uniform().weights(presolved.zones))
    assert truth is not None
    chains = full_chains(presolved, Uniform(), 3)
    found = chains.estimates(Course.begin(), np.arange(len(truth)))
    moving = np.flatnonzero(truth.max(axis=1) < 1)
    assert len(moving) == 3 * n_users
    assert np.all(found.rhat[moving] <= RHAT)
    likeliest = truth[moving, found.token[moving]]
    low, high = interval(found.mean[moving], found.draws[moving])
    assert np.mean((low <= likeliest) & (likeliest <= high)) >= 0.6
    assert np.abs(found.mean[moving] - likeliest).max() < 0.1


def test_what_is_never_allowed_has_no_weight() -> None:
    one_way = with_pairs(mix_zones(3, 2, [(1, [0, 1, 2])]), [{(0, 1), (1, 2), (0, 2)}])
    found = weigh(Problem("one way", one_way, Knowledge.from_pairs([])))
    assert set(found.wires["by"]) == {"alone"}


def test_chances_of_users_are_refused_where_a_zone_does_not_allow_all_exchanges() -> None:
    presolved = rings(3, 1)
    with pytest.raises(InputError, match="chances of users are not supported in zones"):
        weigh(presolved, model=TakingPart(user=np.array([0.5, 1, 1])))
    whole = replace(presolved, zones=replace(presolved.zones, relation=None))
    assert weigh(whole, model=TakingPart(user=np.array([0.5, 1, 1]))).summary["settled"]


def test_too_many_exchanges_to_be_counted_are_refused_unless_they_always_happen() -> None:
    n = 24
    some = {(a, b) for a in range(n) for b in range(n) if a != b and (a + b) % 3}
    zones = with_pairs(mix_zones(n, 2, [(1, range(n))]), [some])
    presolved = Problem("many", zones, Knowledge.from_pairs([]))
    with pytest.raises(InputError, match="are too many to be counted: more than 20"):
        TakingPart(0.5).weights(presolved.zones)
    assert np.all(TakingPart().weights(presolved.zones).chance == 1)


def test_a_large_zone_is_sampled_with_the_pairs_that_it_allows() -> None:
    """In a zone by itself each allowed permutation is as likely as any other."""
    n = 12
    near = {(a, b) for a in range(n) for b in range(n) if a != b and abs(a - b) <= 1}
    zones = with_pairs(mix_zones(n, 2, [(1, range(n))]), [near])
    presolved = Problem("a row", zones, Knowledge.from_pairs([]))
    chains = full_chains(presolved, Uniform(), 1)
    drawn = chains.room[:, chains.filled // 4 :].reshape(-1, chains.room.shape[2])
    after = drawn[:, core_of(presolved).network.first[:-1] + 1]
    moved = np.abs(after.astype(int) - np.arange(n))
    assert moved.max() == 1
    ways = [1, 1]  # permutations that move everybody by one at most: Fibonacci numbers
    for _ in range(n - 1):
        ways.append(ways[-1] + ways[-2])
    assert np.mean(moved[:, 0] == 0) == pytest.approx(ways[n - 1] / ways[n], abs=0.05)


def test_the_same_zones_with_all_pairs_given_weigh_the_same() -> None:
    plain = problem(3, 4, [(1, [0, 1, 2]), (2, [0, 1]), (3, [1, 2])], [(0, 0), (0, 4)])
    every = [{(a, b) for a in m for b in m if a != b} for m in ([0, 1, 2], [0, 1], [1, 2])]
    given = replace(plain, zones=with_pairs(plain.zones, every))
    one, other = (weigh(asked, exhaustive=True).posterior for asked in (plain, given))
    assert one == other
