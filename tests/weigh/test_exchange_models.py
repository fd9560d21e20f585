"""What permutations weigh."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.weigh.exchange_models import TakingPart, ZoneWeights
from mixsafe.weigh.weighing import weigh
from tests.support.oracles import weight_of_exchange
from tests.support.strategies import mix_zones, problem


def test_a_permutation_weighs_what_the_definition_says() -> None:
    zones = mix_zones(5, 2, [(1, [0, 2, 3, 4]), (2, [1, 2])])
    user, zone = [0.5, 1.0, 0.25, 0.5, 1.0], [0.9, 0.4]
    weights = TakingPart(np.array(zone), np.array(user)).weights(zones)
    for z, members in enumerate(([0, 2, 3, 4], [1, 2])):
        stride = weights.stride[zones.ptr[z] : zones.ptr[z + 1]]
        for givers in itertools.permutations(members):
            moved = [one != other for one, other in zip(members, givers, strict=True)]
            found = np.exp(weights.table[weights.begin[z] + stride[moved].sum()])
            wanted = weight_of_exchange(members, givers, zone[z], user)
            assert found == pytest.approx(wanted, rel=1e-12)


def test_the_permutations_of_a_large_zone_weigh_one_together() -> None:
    zones = mix_zones(200, 1, [(1, list(range(200)))])
    weights = TakingPart(0.7).weights(zones)
    moved = np.exp(weights.table[-1] + math.lgamma(201))  # as if all permutations moved all
    assert moved == pytest.approx(0.7, rel=1e-9)
    assert weights.table[0] == pytest.approx(math.log(0.3), rel=1e-9)


@pytest.mark.parametrize("chance", [-0.1, 1.1, float("nan")])
def test_a_chance_that_is_none_is_refused(chance: float) -> None:
    with pytest.raises(InputError, match="not between 0 and 1"):
        TakingPart(chance)
    with pytest.raises(InputError, match="not between 0 and 1"):
        TakingPart(user=np.array([0.5, chance]))


class Tabled:
    """A law that gives every zone of two the same table: that nobody moves, one, both."""

    is_uniform = False

    def __init__(self, *weights: float) -> None:
        with np.errstate(divide="ignore", invalid="ignore"):
            self.table = np.log(np.array(weights))

    def weights(self, zones: MixZones) -> ZoneWeights:
        nothing = np.zeros(len(zones), np.int64)
        return ZoneWeights(
            nothing, self.table, np.ones(len(zones.members), np.int64), nothing - 1.0
        )


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (Tabled(0, 0, 0), "forbids every permutation of mix zone 0"),
        (Tabled(1, 0, -1), "gives mix zone 0 weights that are not numbers"),
        (Tabled(0, 0, 1), "no assignment agrees with the knowledge"),
    ],
)
def test_a_law_that_leaves_nothing_is_refused_in_a_line(model: Tabled, said: str) -> None:
    known_at_the_ends = problem(2, 2, [(1, [0, 1])], [(0, 0), (0, 2)])
    with pytest.raises(InputError, match=said) as raised:
        weigh(known_at_the_ends, model=model)
    assert "\n" not in str(raised.value)


def test_where_everybody_must_move_two_have_changed_for_certain() -> None:
    found = weigh(problem(2, 2, [(1, [0, 1])]), model=Tabled(0, 0, 1)).wires
    assert found["token"].tolist() == [0, 1, 1, 0]
    assert found["best_guess"].tolist() == [1.0] * 4


def test_chances_must_be_as_many_as_zones_and_users() -> None:
    zones = mix_zones(3, 1, [(1, [0, 1])])
    with pytest.raises(InputError, match="2 chances of an exchange are given for 1 zones"):
        TakingPart(np.ones(2)).weights(zones)
    with pytest.raises(InputError, match="2 chances of an exchange are given for 3 users"):
        TakingPart(user=np.ones(2)).weights(zones)
