"""What engines work on: fewer zones and steps, the same candidates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.question.mix_zones import MixZones
from mixsafe.network.compression import compress, compressed
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from tests.support.oracles import domains, domains_of, knowledge_of, zones_of
from tests.support.relations import related_problems
from tests.support.strategies import gatherings, problem, problems


def zones_left(core):
    """The zones of a core, in the steps of the data."""
    network = core.network
    return [
        (
            int(core.real_steps[network.zone_time[z]]),
            network.member[network.zone_ptr[z] : network.zone_ptr[z + 1]].tolist(),
        )
        for z in range(network.n_zones)
    ]


@given(asked=st.one_of(gatherings(), problems()))
@settings(max_examples=150)
def test_the_candidates_are_those_of_the_whole_problem(asked):
    whole = WireNetwork.of(asked.zones)
    core, merged = compress(asked, whole)
    left = zones_left(core)
    assert [zone for zone in zones_of(asked) if zone in left] == left
    horizon = asked.zones.axis.steps
    assert domains(
        whole.n_rows, horizon, left, knowledge_of(asked), distinct=asked.knowledge.distinct
    ) == domains_of(asked)
    assert core.network.row[merged].tolist() == whole.row.tolist()
    assert sorted(set(merged.tolist())) == list(range(core.network.n_wires))


@given(asked=related_problems(gatherings()))
@settings(max_examples=60)
def test_so_they_are_where_zones_lack_pairs(asked):
    whole = WireNetwork.of(asked.zones)
    core, merged = compress(asked, whole)
    left = core.network
    time = np.asarray(core.real_steps)[left.zone_time].astype(np.int32)
    zones = asked.zones
    zones = MixZones(
        zones.users, zones.axis, time, left.zone_ptr, left.member, relation=left.relation
    )
    assert domains_of(replace(asked, zones=zones)) == domains_of(asked)
    assert np.array_equal(merged, WireNetwork.of(zones).wire_at(whole.row, whole.start))
    again = compressed(Core.of(whole, asked.knowledge)).network
    for name in ("zone_time", "zone_ptr", "member"):
        assert np.array_equal(getattr(again, name), getattr(left, name))


def test_waiting_together_is_two_zones_and_knowledge_between_keeps_a_third():
    zones = [(t, [0, 1]) for t in (2, 4, 6, 8)]
    apart, _ = compress(problem(2, 9, zones), WireNetwork.of(problem(2, 9, zones).zones))
    assert zones_left(apart) == [(2, [0, 1]), (8, [0, 1])]
    assert apart.real_steps.tolist() == [0, 2, 4, 6, 8, 9]
    seen = problem(2, 9, zones, [(0, 0), (0, 5)])
    known, _ = compress(seen, WireNetwork.of(seen.zones))
    assert zones_left(known) == [(2, [0, 1]), (4, [0, 1]), (6, [0, 1]), (8, [0, 1])]
    linked = problem(2, 9, zones, [(0, 3), (0, 7)])
    known, _ = compress(linked, WireNetwork.of(linked.zones))
    assert zones_left(known) == [(2, [0, 1]), (4, [0, 1]), (6, [0, 1]), (8, [0, 1])]
