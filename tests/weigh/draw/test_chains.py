"""Sampling: unbiased, calibrated, and not fooled where small moves do not connect assignments."""

from __future__ import annotations

import numpy as np
import pytest

from mixsafe.model.course import Course, Deadline, SolveLimits
from mixsafe.model.question.problem import Problem
from mixsafe.solver.local.generator import spread_beginning
from mixsafe.weigh.counting import counted
from mixsafe.weigh.draw.chains import Chains
from mixsafe.weigh.draw.convergence import Estimates
from mixsafe.weigh.draw.pair_moves import OftenDrawn, exchange_pairs
from mixsafe.weigh.draw.solution import instance_of, solution_of
from mixsafe.weigh.exchange_models import ExchangeModel, Uniform
from mixsafe.weigh.sampling import RHAT, furthest, interval
from tests.support.strategies import problem
from tests.support.worlds_to_weigh import (
    all_are_one_move_apart,
    apart,
    core_of,
    full_chains,
    known_at_both_ends,
    random_model,
    random_problem,
)


def sampled(presolved: Problem, model: ExchangeModel, seed: int) -> Estimates:
    """What full chains say of all wires."""
    chains = full_chains(presolved, model, seed)
    return chains.estimates(Course.begin(), np.arange(chains.core.network.n_wires))


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    held = settled = 0
    for seed in range(26):
        random = np.random.default_rng(seed)
        presolved = random_problem(random)
        model = random_model(random, presolved)
        truth = counted(core_of(presolved), model.weights(presolved.zones))
        assert truth is not None
        found = sampled(presolved, model, seed)
        likeliest = truth[np.arange(len(truth)), found.token]
        low, high = interval(found.mean, found.draws)
        good = found.rhat <= RHAT  # NaN: always there, which settles nothing
        settled += int(good.sum())
        held += int((good & (low <= likeliest) & (likeliest <= high)).sum())
    assert settled > 120
    assert 0.92 < held / settled < 0.99


def test_the_error_of_whole_distributions_is_not_larger_than_stated() -> None:
    presolved = problem(4, 3, [(1, [0, 1, 2, 3]), (2, [0, 1]), (3, [1, 2, 3])], [(0, 0), (0, 3)])
    truth = counted(core_of(presolved), Uniform().weights(presolved.zones))
    assert truth is not None
    chains = full_chains(presolved, Uniform(), 1)
    found = chains.estimates(Course.begin(), np.arange(chains.core.network.n_wires))
    good = np.flatnonzero(found.rhat <= RHAT)
    stated = furthest(found.spread, found.draws)
    assert len(good) > 4
    assert np.all(apart(chains, truth)[good] <= stated[good])


def test_links_of_people_whose_token_is_not_known_are_kept() -> None:
    zones = [(1, [0, 1]), (2, [1, 2]), (3, [0, 1, 2]), (4, [0, 2])]
    presolved = problem(3, 5, zones, [(1, 2), (1, 5), (2, 1), (2, 5)])
    truth = counted(core_of(presolved), Uniform().weights(presolved.zones))
    assert truth is not None
    found = sampled(presolved, Uniform(), 3)
    good = found.rhat <= RHAT
    assert good.sum() > 5
    likeliest = truth[np.arange(len(truth)), found.token]
    assert np.abs(found.mean - likeliest)[good].max() < 0.06


SIX, SEVEN = (
    [(1, 3), (0, 2), (2, 3), (0, 1), (1, 2), (0, 3)],
    [(1, 3), (1, 2), (0, 3), (1, 2), (0, 1), (2, 3), (0, 2)],
)
APART = [known_at_both_ends(SIX), known_at_both_ends(SEVEN)]
"""Problems whose assignments small moves do not connect: found among thousands."""

FAMILIES = {
    "backward": SIX[::-1],
    "other names": [((a + 1) % 4, (b + 1) % 4) for a, b in SEVEN],
    "backward and other names": [((a + 2) % 4, (b + 2) % 4) for a, b in SEVEN[::-1]],
    "side by side": [*SIX, *((a + 4, b + 4) for a, b in SEVEN)],
    "a fifth who looks on": [*SIX[:3], (3, 4), *SIX[3:]],
}


@pytest.mark.parametrize("meetings", FAMILIES.values(), ids=FAMILIES)
def test_no_family_is_weighed_wrongly_with_a_small_error(meetings: list[tuple[int, int]]) -> None:
    presolved = known_at_both_ends(meetings)
    assert not all_are_one_move_apart(presolved)
    truth = counted(core_of(presolved), Uniform().weights(presolved.zones))
    assert truth is not None
    found = sampled(presolved, Uniform(), 1)
    good = found.rhat <= RHAT
    likeliest = truth[np.arange(len(truth)), found.token]
    low, high = interval(found.mean, found.draws)
    assert np.all((likeliest >= low - 0.03) & (likeliest <= high + 0.03) | ~good)


@pytest.mark.parametrize("presolved", APART, ids=["six zones", "seven zones"])
def test_where_small_moves_stay_apart_the_number_is_right_or_there_is_none(
    presolved: Problem,
) -> None:
    core = core_of(presolved)
    instance = instance_of(core, Uniform().weights(presolved.zones))
    truth = counted(core, Uniform().weights(presolved.zones))
    assert truth is not None
    solution = solution_of(core, instance, core.network.row)
    random = spread_beginning(2)
    everywhere = np.arange(len(instance.before))
    seen = set()
    for _ in range(300):
        exchange_pairs(3, OftenDrawn(everywhere, everywhere), instance, solution, random)
        seen.add(tuple(solution.token.tolist()))
    assignments = round(1 / min(truth[truth > 0])) if len(seen) == 1 else 4
    assert len(seen) < assignments
    found = sampled(presolved, Uniform(), 1)
    good = found.rhat <= RHAT
    likeliest = truth[np.arange(len(truth)), found.token]
    low, high = interval(found.mean, found.draws)
    assert np.all((likeliest >= low - 0.02) & (likeliest <= high + 0.02) | ~good)


@pytest.mark.parametrize("n_sweeps", [0, 3, 9, 30])
def test_when_the_time_is_up_what_all_chains_have_drawn_is_kept(
    n_sweeps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    presolved = problem(3, 2, [(1, [0, 1, 2]), (2, [0, 1])], [])
    core = core_of(presolved)
    weights = Uniform().weights(presolved.zones)
    chains = Chains.begun(core, weights, [core.network.row], 1)
    deadline = Deadline(None)
    sweep, made = chains._sweep, []

    def counted_sweep(chain: int) -> None:
        sweep(chain)
        made.append(chain)
        if len(made) == n_sweeps:
            deadline.stop()

    monkeypatch.setattr(chains, "_sweep", counted_sweep)
    if not n_sweeps:
        deadline.stop()
    chains.draw(Course.begin(SolveLimits(workers=1)).until(deadline))
    assert len(made) == n_sweeps
    assert chains.filled == n_sweeps // len(chains.solutions)
