"""Weights trained on sample teams: what they maximize, who is never trained on."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.contest.base.held_out import evidence_weights
from mixsafe.contest.base.people import Weights
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.posterior.exchanged import piece_weights
from mixsafe.contest.posterior.guesses import PosteriorIds
from mixsafe.contest.posterior.training import SampleTeam, check_sample, train
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells
from tests.support.small_contest import small_regions

RULES = Rules(regions=small_regions(), steps_per_day=4, home_steps=2)


def team(seed, users=12, strict=0.6):
    """Users who keep to one region at each step of the day, with some probability."""
    random = np.random.default_rng(seed)
    usual = np.tile(random.integers(16, size=(users, 4)), 4)
    other = random.integers(16, size=usual.shape)
    region = np.where(random.random(usual.shape) < strict, usual, other).astype(np.int32)
    return SampleTeam(f"team {seed}", TraceMatrix(region[:, :8]), TraceMatrix(region[:, 8:], 9))


def penalized(evidence, weight):
    """What the weights of evidence minimize, from its definition."""
    users = sum(one.shape[1] for one in evidence)
    missed = 0.0
    for one in evidence:
        total = np.tensordot(weight, one.astype(np.float64), 1)
        likely = total - np.log(np.exp(total).sum(axis=1, keepdims=True))
        missed -= likely.diagonal().sum()
    return (missed + ((weight - 0.2) ** 2).sum() / 2) / users


@given(st.integers(1, 3), st.integers(1, 3), st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_weights_are_the_likeliest_of_all_teams_together(teams, kinds, seed):
    """The likelihood is concave: no step away from the weights, within bounds, improves on it."""
    random = np.random.default_rng(seed)
    sizes = random.integers(2, 6, size=teams)
    evidence = [random.normal(size=(kinds, n, n)).astype(np.float32) for n in sizes]
    found = evidence_weights(evidence).astype(np.float64)
    least = penalized(evidence, found)
    for kind in range(kinds):
        for move in (-0.05, 0.05):
            tried = found.copy()
            tried[kind] = np.clip(tried[kind] + move, 0, 2)
            assert penalized(evidence, tried) >= least - 1e-4


def test_each_team_is_left_out_of_what_it_is_measured_with():
    """Another truth of a team changes the weights of all folds but its own."""
    teams = [team(1), team(2), team(3)]
    changed = [replace(teams[0], original=team(9).original), *teams[1:]]
    before, after = (train(some, RULES).folds for some in (teams, changed))
    same = [
        one.weights.home == two.weights.home
        and np.array_equal(one.weights.steps, two.weights.steps)
        and np.array_equal(one.weights.pieces, two.weights.pieces)
        for one, two in zip(before, after, strict=True)
    ]
    assert same == [True, False, False]
    # What is measured on the others without training does not depend on it.
    assert [one.own for one in before[1:]] == [one.own for one in after[1:]]


def test_one_team_is_left_out_by_halves_of_its_users():
    found = train([team(1)], RULES)
    assert [fold.name for fold in found.folds] == ["team 1, odd users", "team 1, even users"]
    first, second = (fold.weights for fold in found.folds)
    assert not np.array_equal(first.steps, second.steps)


def test_progress_counts_the_teams_that_were_left_out():
    told = []
    train([team(1), team(2)], RULES, lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]


def test_trained_weights_take_the_place_of_learned_ones():
    """In both kinds of releases; answers change with them, and only with them."""
    target, weights = team(4), Weights(0.0, np.zeros(4), np.zeros(4, np.float32))
    known = Reference(target.reference, RULES)
    blind = replace(known, trained=weights)
    assert blind.people.home_weight == 0
    assert blind.people.step_weight.tolist() == [0] * 4
    assert piece_weights(blind).tolist() == [0] * 4
    release = Cells.of_regions(target.original.region, 16, 9)
    for exchanged in (0, 1):
        answers = [PosteriorIds(exchanged).attack(one, release, None) for one in (known, blind)]
        assert not np.array_equal(*answers)
    assert known.people.home_weight > 0


def test_the_first_step_of_a_day_counts_by_homes_alone():
    found = train([team(1), team(2)], RULES).weights
    assert found.steps[0] == 0
    assert found.home >= 0
    assert np.all(found.steps >= 0)


def shuffled(one, seed=0):
    order = np.random.default_rng(seed).permutation(one.reference.n_users)
    return one.of_users("renamed", order)


@pytest.mark.parametrize(
    "sample",
    [
        team(1),
        shuffled(team(1)),
        team(1).of_users("some", np.arange(3)),
        replace(team(2), original=team(1).original),
        replace(team(2), reference=team(1).reference),
    ],
    ids=["the same", "other order", "some of its users", "its truth", "its reference"],
)
def test_the_target_is_never_trained_on(sample):
    target = team(1)
    with pytest.raises(InputError, match="100% of the traces are the target's own"):
        check_sample(sample, target.reference, target.original)


def test_the_target_is_recognized_by_its_release():
    target = team(1)
    order = np.random.default_rng(3).permutation(12)
    release = TraceMatrix(target.original.region[order], 9)
    with pytest.raises(InputError, match="the target's own"):
        check_sample(replace(team(2), original=target.original), team(3).reference, release)


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        (
            replace(team(2), original=team(2, users=5).original),
            "5 users in the original traces, but 12 in the reference traces",
        ),
        (
            replace(team(2), original=TraceMatrix(team(2).original.region[:, :4], 9)),
            "the original traces have 4 times from 9 on, the target's 8 from 9 on",
        ),
        (
            replace(team(2), reference=TraceMatrix(team(2).reference.region, 5)),
            "the reference traces have 8 times from 5 on, the target's 8 from 1 on",
        ),
    ],
)
def test_teams_of_another_contest_are_refused(sample, message):
    target = team(1)
    with pytest.raises(InputError, match=message):
        check_sample(sample, target.reference, target.original)


def test_a_stranger_is_accepted():
    target = team(1)
    check_sample(team(2), target.reference, target.original)


def test_there_is_nothing_to_learn_of_nobody():
    with pytest.raises(InputError, match="there are no sample teams to train on"):
        train([], RULES)
    with pytest.raises(InputError, match="team 1 has one user"):
        train([team(1, users=1)], RULES)
