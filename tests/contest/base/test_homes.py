"""Homes and the chain of a day, against sums over all homes and all paths of small cases."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.contest.base.homes import AT_HOME, Homes
from mixsafe.contest.base.people import USUAL_WEIGHTS
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.posterior.noise import Noise
from mixsafe.contest.posterior.pairs import pair_evidence
from mixsafe.model.mobility.regions import Regions
from mixsafe.model.mobility.trace_matrix import TraceMatrix
from mixsafe.model.release.cells import Cells

RULES = Rules(Regions(1, 4, 35.65, 139.68, 0.003, 0.004, np.zeros(4, bool)), 3, 1)
NO_NOISE = Noise(1.0, 0.0)
NOISE = Noise(0.6, 0.1, (0.3, 0.0, 0.0))


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


def by_all_paths(homes, kernel, shown, step):
    """(n_homes,) likelihood of what one day shows, for each home: a sum over all paths."""
    found = np.zeros(4)
    for path in product(range(4), repeat=len(shown)):
        chance = homes.morning[:, path[0]].astype(float)
        for at, here in enumerate(path):
            if shown[at] < 4:
                chance = chance * kernel[here, shown[at]]
            if at:
                stay = homes.stays[step[at - 1]]
                chance = chance * (
                    stay * (path[at - 1] == here) + (1 - stay) * homes.moves[path[at - 1], here]
                )
        found += chance
    return found


@given(st.integers(0, 2**32 - 1), st.sampled_from([NO_NOISE, NOISE]))
@settings(max_examples=20, deadline=None)
def test_mornings_speak_for_users_as_a_sum_over_all_homes_and_all_paths(seed, noise):
    """Protects the sweep through noisy and deleted cells: equal to enumeration of every path."""
    known, step = traces(seed)
    reference = Reference(known, RULES)
    people = replace(reference.people, home_weight=1.0)
    # The first cells are hidden, so that the later ones have to tell.
    code = np.random.default_rng(seed + 1).integers(4, size=(4, 6)).astype(np.int32)
    code[:2, 0] = 4
    release = Cells.of_regions(code, 4)
    nothing = np.zeros((3, 5, 4), np.float32)
    found = pair_evidence(people, release, nothing, noise)
    kernel = noise.kernel(RULES.regions).astype(float)
    homes = people.homes
    for track in range(4):
        likely = np.ones(4)
        for day in (code[track, :3], code[track, 3:]):
            if day[0] < 4 and noise.none:  # the first region is known: what follows is habits'
                day = day[:1]
            likely = likely * by_all_paths(homes, kernel, day, step[:3])
        expected = np.log(homes.posterior @ likely) - np.log(homes.prior @ likely)
        assert found[track] == pytest.approx(expected, abs=1e-3)


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
