"""Redundant zones (fact 4): what is dropped changes no candidate."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.question.adversary import known_rows
from mixsafe.network.compression import (
    cut_network,
    cut_zones,
    merged_wires,
    network_without,
    redundant_zones,
    useful,
    without,
)
from mixsafe.network.wires import WireNetwork
from tests.support.cores import core_of
from tests.support.oracles import allowed_pairs, domains_of, pairs_of, zones_of
from tests.support.relations import moves, related_problems, with_random_pairs
from tests.support.strategies import gatherings, mix_zones, problem


def dropped(zones, knowledge=()):
    known = np.array(list(knowledge), int).reshape(-1, 2)
    return redundant_zones(WireNetwork.of(zones), known[:, 0], known[:, 1])


def redundant_of(asked):
    """Redundant zones of a problem, with what its sightings amount to."""
    core = core_of(asked)
    return redundant_zones(core.network, *known_rows(core.pins, core.links, core.apart))


def test_of_people_who_wait_together_the_first_and_the_last_meeting_stay():
    together = mix_zones(2, 9, [(t, [0, 1]) for t in (2, 3, 5, 8)])
    assert dropped(together).tolist() == [False, True, True, False]


def test_two_meetings_of_the_same_people_both_stay():
    assert not dropped(mix_zones(2, 4, [(1, [0, 1]), (3, [0, 1])])).any()


def test_a_smaller_meeting_between_two_larger_ones_is_redundant():
    inside = mix_zones(3, 4, [(1, [0, 1, 2]), (2, [0, 1]), (3, [0, 1, 2])])
    assert dropped(inside).tolist() == [False, True, False]


def test_a_larger_meeting_between_two_smaller_ones_stays():
    assert not dropped(mix_zones(3, 4, [(1, [0, 1]), (2, [0, 1, 2]), (3, [0, 1])])).any()


def test_members_who_come_from_different_zones_keep_their_meeting():
    zones = [(1, [0, 1]), (1, [2, 3]), (2, [0, 2]), (3, [0, 1, 2, 3])]
    assert not dropped(mix_zones(4, 4, zones)).any()


def test_members_who_go_on_to_different_zones_keep_their_meeting():
    """It is where they can give back what they exchanged at the one before."""
    zones = [(1, [0, 1, 2, 3]), (2, [0, 1]), (3, [0, 2]), (3, [1, 3])]
    assert not dropped(mix_zones(4, 4, zones)).any()


@pytest.mark.parametrize(
    ("step", "stays"), [(1, False), (2, True), (3, True), (4, True), (5, True), (6, False)]
)
def test_a_member_seen_from_the_first_meeting_until_before_the_last_keeps_the_middle(step, stays):
    zones = mix_zones(2, 7, [(2, [0, 1]), (4, [0, 1]), (6, [0, 1])])
    assert dropped(zones, [(1, step)]).tolist() == [False, not stays, False]


def test_who_else_is_seen_does_not_matter():
    zones = mix_zones(3, 7, [(2, [0, 1]), (4, [0, 1]), (6, [0, 1])])
    assert dropped(zones, [(2, 4)]).tolist() == [False, True, False]


def test_no_zones_are_redundant_where_there_are_none():
    assert dropped(mix_zones(3, 4, [])).shape == (0,)


@given(asked=gatherings())
@settings(max_examples=60)
def test_redundant_zones_change_no_candidate(asked):
    fewer = replace(asked, zones=without(asked.zones, redundant_of(asked)))
    assert domains_of(fewer) == domains_of(asked)


@given(asked=gatherings())
@settings(max_examples=60)
def test_a_wire_is_part_of_the_merged_wire_of_its_row_that_spans_it(asked):
    network, gone = WireNetwork.of(asked.zones), redundant_of(asked)
    compressed = WireNetwork.of(without(asked.zones, gone))
    merged = merged_wires(network, gone)
    assert np.array_equal(merged, compressed.wire_at(network.row, network.start))
    assert np.array_equal(merged, compressed.wire_at(network.row, network.end))


def test_without_zones_dropped_every_wire_is_its_own():
    network = WireNetwork.of(mix_zones(3, 4, [(1, [0, 1]), (2, [1, 2])]))
    assert np.array_equal(merged_wires(network, np.zeros(2, bool)), np.arange(network.n_wires))


def test_places_and_notes_stay_with_the_zones_that_stay():
    zones = mix_zones(2, 9, [(2, [0, 1]), (3, [0, 1]), (5, [0, 1])])
    zones = replace(zones, place=np.array([7, 8, 9]), notes=("read twice",))
    kept = without(zones, np.array([False, True, False]))
    assert (kept.place.tolist(), kept.time.tolist()) == ([7, 9], [2, 5])
    assert kept.notes == zones.notes


def assert_same_network(one, other):
    for name in ("first", "row", "start", "end", "zone_time", "zone_ptr", "member", "before"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert (one.n_rows, one.horizon) == (other.n_rows, other.horizon)
    pairs = [allowed_pairs(net.zone_ptr, net.member, net.relation) for net in (one, other)]
    assert pairs[0] == pairs[1]


@given(asked=related_problems(gatherings()))
@settings(max_examples=60)
def test_zones_that_lack_pairs_are_redundant_only_where_no_candidate_changes(asked):
    gone = redundant_of(asked)
    fewer = replace(asked, zones=without(asked.zones, gone))
    assert domains_of(fewer) == domains_of(asked)
    assert_same_network(
        network_without(WireNetwork.of(asked.zones), gone), WireNetwork.of(fewer.zones)
    )


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_zones_of_the_same_three_are_redundant_only_if_they_and_those_around_lack_no_pair(seed):
    random = np.random.default_rng(seed)
    zones = [(t, [0, 1, 2]) for t in range(1, 6)]
    seen = [(user, t) for user in range(3) for t in (0, 6) if random.random() < 0.5]
    asked = with_random_pairs(problem(3, 6, zones, seen), random, complete=0.6)
    complete = [pairs is None for pairs in pairs_of(asked.zones)]
    gone = redundant_of(asked)
    assert gone.tolist() == [0 < z < 4 and all(complete[z - 1 : z + 2]) for z in range(5)]
    assert domains_of(replace(asked, zones=without(asked.zones, gone))) == domains_of(asked)


@given(asked=related_problems())
@settings(max_examples=60)
def test_parts_of_zones_allow_what_their_permutations_use(asked):
    zones = replace(asked.zones, place=np.arange(len(asked.zones)))
    parts = cut_zones(zones)
    used = [set() for _ in range(len(zones))]
    for z, (step, members), pairs in zip(
        parts.place, zones_of(replace(asked, zones=parts)), pairs_of(parts), strict=True
    ):
        assert step == zones.time[z]
        used[z] |= set(permutations(members, 2)) if pairs is None else pairs
    assert used == [{(a, b) for a, b in pairs if a != b} for pairs in moves(asked)]


@given(asked=related_problems())
@settings(max_examples=60)
def test_a_network_is_cut_as_zones_are_and_each_wire_is_part_of_one(asked):
    network = WireNetwork.of(asked.zones)
    parts, part = cut_network(network)
    assert_same_network(parts, WireNetwork.of(cut_zones(asked.zones)))
    if asked.zones.relation is None:
        assert parts is network
        assert part is None
        assert cut_zones(asked.zones) is asked.zones
    else:
        assert np.array_equal(part, parts.wire_at(network.row, network.start))


@given(asked=related_problems())
@settings(max_examples=60)
def test_useful_pairs_are_those_of_permutations(asked):
    network = useful(WireNetwork.of(asked.zones))
    found = allowed_pairs(network.zone_ptr, network.member, network.relation)
    for pairs, used, (_, members) in zip(found, moves(asked), zones_of(asked), strict=True):
        own = {(one, one) for one in members}
        assert (set(permutations(members, 2)) if pairs is None else pairs) == used - own
