"""Absorption (fact 4): what is dropped changes no candidate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from mixsafe.model.question.adversary import pins_and_links
from mixsafe.network.redundant_zones import absorbed_zones, merged_wires, without
from mixsafe.network.wires import WireNetwork
from tests.support.oracles import domains_of
from tests.support.strategies import gatherings, mix_zones


def dropped(zones, knowledge=()):
    known = np.array(list(knowledge), int).reshape(-1, 2)
    return absorbed_zones(WireNetwork.of(zones), known[:, 0], known[:, 1])


def absorbed_of(asked):
    """Absorbed zones of a problem, with what its sightings amount to."""
    pins, links = pins_and_links(asked.knowledge)
    row = np.concatenate([pins.token, links.row, links.row])
    time = np.concatenate([pins.time, links.start, links.end])
    return absorbed_zones(WireNetwork.of(asked.zones), row, time)


def test_of_people_who_wait_together_the_first_and_the_last_meeting_stay():
    together = mix_zones(2, 9, [(t, [0, 1]) for t in (2, 3, 5, 8)])
    assert dropped(together).tolist() == [False, True, True, False]


def test_two_meetings_of_the_same_people_both_stay():
    assert not dropped(mix_zones(2, 4, [(1, [0, 1]), (3, [0, 1])])).any()


def test_a_smaller_meeting_between_two_larger_ones_is_absorbed():
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


def test_no_zones_are_absorbed_where_there_are_none():
    assert dropped(mix_zones(3, 4, [])).shape == (0,)


@given(asked=gatherings())
@settings(max_examples=60)
def test_absorbed_zones_change_no_candidate(asked):
    fewer = replace(asked, zones=without(asked.zones, absorbed_of(asked)))
    assert domains_of(fewer) == domains_of(asked)


@given(asked=gatherings())
@settings(max_examples=60)
def test_a_wire_is_part_of_the_merged_wire_of_its_row_that_spans_it(asked):
    network, gone = WireNetwork.of(asked.zones), absorbed_of(asked)
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
