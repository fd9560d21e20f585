"""Homes and the chain of a day, against sums over all homes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.contest.base.people import AT_HOME, CHAIN, CHAIN_FIRST, USUAL_WEIGHTS, Homes
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix

RULES = Rules(Regions(1, 4, 35.65, 139.68, 0.003, 0.004, np.zeros(4, bool)), 3, 1)


def traces(seed, users=4, days=2):
    region = np.random.default_rng(seed).integers(4, size=(users, 3 * days)).astype(np.int32)
    return TraceMatrix(region), np.tile(np.arange(3), days)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_a_home_is_as_likely_as_all_its_mornings_together(seed):
    """Protects the joint posterior: Bayes over homes, mornings independent given the home."""
    known, step = traces(seed)
    homes = Homes.learn(known.region, step, RULES)
    assert homes.morning == pytest.approx(AT_HOME * np.eye(4) + (1 - AT_HOME) * homes.moves)
    for user in range(4):
        # The posterior rests on the prior of the last round of estimation.
        joint = homes.posterior[user] / homes.prior
        product_ = np.prod(homes.morning[:, known.region[user, step == 0]].astype(float), axis=1)
        assert joint / joint.sum() == pytest.approx(product_ / product_.sum(), rel=1e-3)


def test_a_day_begins_at_home_and_stays_a_distribution():
    """Protects the chain: every step of the day sums to 1 for each user."""
    known, step = traces(3)
    homes = Homes.learn(known.region, step, RULES)
    assert len(homes.day) == 3
    for likely in homes.day:
        assert likely.sum(axis=1) == pytest.approx(np.ones(4), abs=1e-5)
    assert homes.day[0] == pytest.approx(homes.posterior @ homes.morning)


def test_people_can_be_learned_from_one_day():
    """Protects attackers with one reference day, which cannot teach the weights."""
    known, _ = traces(5, days=1)
    people = Reference(known, RULES).people
    home, each = USUAL_WEIGHTS
    assert people.home_weight == home
    assert people.step_weight.tolist() == [0, *[each] * (len(people.step_weight) - 1)]
    assert np.isfinite(people.gain).all()


def test_what_is_shown_is_what_people_would_show_there():
    """Protects exchanged releases with noise: regions through it, by habits and homes."""
    known, _ = traces(7)
    people, random = Reference(known, RULES).people, np.random.default_rng(7)
    kernel = random.dirichlet(np.ones(4), size=4).astype(np.float32)
    true, seen = people.ratio, people.ratios_through(kernel)
    for step, usual in enumerate(people.habits.telling.through()):
        share = CHAIN if step else CHAIN_FIRST
        there = (1 - share) * usual + share * people.homes.day[step]  # user, region
        for ratio, likely in ((true, there), (seen, there @ kernel)):
            assert ratio[step, -1] == pytest.approx(np.zeros(4))
            assert np.exp(ratio[step, :-1].T) == pytest.approx(
                likely / likely.mean(axis=0), rel=1e-4
            )
