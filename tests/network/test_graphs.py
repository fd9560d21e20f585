"""Graphs of mix zones: against what the definitions say, counted one by one."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.network.graphs import graph, meetings_of
from tests.support.strategies import problems


def zones(*listed: tuple[int, list[int]], users: int = 4) -> MixZones:
    time, members = zip(*listed, strict=True)
    ptr = np.cumsum([0, *map(len, members)])
    return MixZones(
        np.array([f"u{row}" for row in range(users)], object),
        TimeAxis(6, first=10),
        np.array(time, np.int32),
        ptr.astype(np.int64),
        np.concatenate(members).astype(np.int32),
    )


@pytest.fixture
def problem() -> Problem:
    """u0 and u1 meet at 1 and at 4, all but u3 at 5; u3 meets nobody."""
    met = zones((1, [0, 1]), (4, [0, 1]), (5, [0, 1, 2]))
    return Problem("three meet", met, Knowledge.from_pairs([(0, 0), (0, 6), (2, 4)]))


def meetings_one_by_one(zones: MixZones) -> dict[tuple[object, object], list[int]]:
    found: dict[tuple[object, object], list[int]] = {}
    for zone in range(len(zones)):
        members = zones.members[zones.ptr[zone] : zones.ptr[zone + 1]].tolist()
        for pair in combinations(members, 2):
            names = (zones.users[pair[0]], zones.users[pair[1]])
            found.setdefault(names, []).append(int(zones.time[zone]))
    return found


def test_an_edge_says_how_often_two_users_meet_and_when_first_and_last(problem) -> None:
    met = graph(problem, "meetings")
    assert met.edges["u0", "u1"] == {"weight": 3, "first_meeting": 10, "last_meeting": 14}
    assert met.edges["u0", "u2"] == {"weight": 1, "first_meeting": 14, "last_meeting": 14}
    assert met.nodes["u0"] == {"label": "u0", "zones": 3, "sightings": 2}


def test_users_who_meet_nobody_are_in_the_graph_of_meetings(problem) -> None:
    assert list(nx.isolates(graph(problem, "meetings"))) == ["u3"]


def test_wires_lead_from_zone_to_zone_and_say_what_they_are(problem) -> None:
    wires = graph(problem)
    assert wires.nodes["w1"] == {
        "kind": "wire",
        "label": "u0",
        "user": "u0",
        "from_time": 10,
        "to_time": 12,
        "sightings": 0,
    }
    assert wires.nodes["z2"] == {
        "kind": "zone",
        "label": "2",
        "zone": 2,
        "time": 14,
        "members": 3,
    }
    assert set(wires.edges("w1")) == {("w1", "z1")}
    assert [wires.nodes[wire]["sightings"] for wire in ("w0", "w3", "w8")] == [1, 1, 1]


def test_graphs_say_what_they_are_of(problem) -> None:
    about = {"kind": "meetings", "users": 4, "horizon": 6}
    assert graph(problem, "meetings").graph == {**about, "name": "three meet"}
    assert graph(problem.zones, "meetings").graph == about


def test_zones_alone_have_no_sightings(problem) -> None:
    for kind in ("wires", "meetings"):
        made = graph(problem.zones, kind)
        assert not any("sightings" in node for _, node in made.nodes(data=True))


def test_zones_are_called_by_their_number_in_the_problem_as_it_was_written(problem) -> None:
    told = Problem("told", problem.zones, problem.knowledge, zone_index=(2, 0, 1))
    assert [graph(told).nodes[f"z{zone}"]["zone"] for zone in range(3)] == [2, 0, 1]


def test_places_are_told_where_they_are_known() -> None:
    met = zones((1, [0, 1]), (2, [2, 3]))
    there = MixZones(met.users, met.axis, met.time, met.ptr, met.members, np.array([7, 9]))
    assert [graph(there).nodes[zone]["place"] for zone in ("z0", "z1")] == [7, 9]
    assert "place" not in graph(met).nodes["z0"]


def test_times_of_a_clock_are_told_as_such() -> None:
    met = zones((2, [0, 1]))
    clock = MixZones(met.users, TimeAxis(6, 0, 60), met.time, met.ptr, met.members)
    assert graph(clock).nodes["z0"]["time"] == "1970-01-01T00:01:00+00:00"


@given(problems())
def test_meetings_are_those_that_one_counts_one_by_one(problem: Problem) -> None:
    expected = meetings_one_by_one(problem.zones)
    met = graph(problem, "meetings")
    assert met.number_of_nodes() == problem.zones.n_users
    assert met.number_of_edges() == len(expected)
    for (one, other), steps in expected.items():
        assert met.edges[one, other] == {
            "weight": len(steps),
            "first_meeting": problem.zones.axis.label(min(steps)),
            "last_meeting": problem.zones.axis.label(max(steps)),
        }


@given(problems())
def test_wires_are_one_per_user_and_one_more_per_membership(problem: Problem) -> None:
    wires = graph(problem)
    met = problem.zones
    kinds = [node["kind"] for _, node in wires.nodes(data=True)]
    assert kinds.count("wire") == met.n_users + len(met.members)
    assert kinds.count("zone") == len(met)
    assert wires.number_of_edges() == 2 * len(met.members)
    assert nx.is_directed_acyclic_graph(wires)


@given(problems())
def test_each_zone_hands_on_those_who_come(problem: Problem) -> None:
    wires, met = graph(problem), problem.zones
    for zone in range(len(met)):
        members = {met.users[row] for row in met.members[met.ptr[zone] : met.ptr[zone + 1]]}
        assert {wires.nodes[wire]["user"] for wire in wires.pred[f"z{zone}"]} == members
        assert {wires.nodes[wire]["user"] for wire in wires.succ[f"z{zone}"]} == members


@given(problems())
def test_users_are_connected_by_wires_just_as_they_are_by_meetings(problem: Problem) -> None:
    wires, met = graph(problem), graph(problem, "meetings")
    groups = {
        frozenset(wires.nodes[node]["user"] for node in group if node.startswith("w"))
        for group in nx.weakly_connected_components(wires)
    }
    # a user's own wires hang together at her zones
    assert groups == {frozenset(group) for group in nx.connected_components(met)}


@given(problems(max_zones=8), st.integers(1, 6))
def test_pairs_are_the_same_however_few_are_looked_at_at_a_time(problem, at_once) -> None:
    whole = meetings_of(problem.zones)
    pieces = meetings_of(problem.zones, at_once=at_once)
    for name in ("key", "times", "first", "last"):
        assert np.array_equal(getattr(whole, name), getattr(pieces, name))


def test_more_pairs_than_a_graph_can_hold_are_refused_not_left_out(problem) -> None:
    assert len(meetings_of(problem.zones, most=3)) == 3
    with pytest.raises(InputError, match="more than 2 pairs of users meet"):
        meetings_of(problem.zones, most=2)


def test_too_many_pairs_are_refused_where_no_zone_alone_has_so_many() -> None:
    with pytest.raises(InputError, match="more than 1 pairs of users meet"):
        meetings_of(zones((1, [0, 1]), (2, [2, 3])), most=1)


def test_a_zone_with_too_many_pairs_is_refused_before_they_are_listed() -> None:
    crowd = 300_000  # its pairs would take terabytes
    with pytest.raises(InputError, match="pairs of users meet"):
        meetings_of(zones((1, list(range(crowd))), users=crowd))


def test_more_wires_than_a_graph_can_hold_are_refused_not_left_out(problem) -> None:
    assert graph(problem, most_edges=14).number_of_edges() == 14
    with pytest.raises(InputError, match="would have 14 edges"):
        graph(problem, most_edges=13)


def test_another_kind_is_refused(problem) -> None:
    with pytest.raises(InputError, match="no graph is called 'roads'"):
        graph(problem, "roads")
