"""Groups of users who meet: against NetworkX, which goes from node to node."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.question.adversary import Pins
from mixsafe.network.compression import components, connected
from mixsafe.network.wires import WireNetwork
from tests.support.strategies import mix_zones, problems


def by_networkx(n_rows: int, pairs: list[tuple[int, int]]) -> list[int]:
    graph = nx.Graph()
    graph.add_nodes_from(range(n_rows))
    graph.add_edges_from(pairs)
    groups = sorted(nx.connected_components(graph), key=min)
    number = {row: place for place, group in enumerate(groups) for row in group}
    return [number[row] for row in range(n_rows)]


@given(st.data(), st.integers(1, 30))
def test_groups_are_those_of_networkx_in_order_of_their_lowest_rows(data, n_rows: int) -> None:
    row = st.integers(0, n_rows - 1)
    pairs = data.draw(st.lists(st.tuples(row, row), max_size=30))
    one, other = np.array(pairs, np.int32).reshape(-1, 2).T
    assert connected(n_rows, one, other).tolist() == by_networkx(n_rows, pairs)


@given(problems())
def test_users_of_a_zone_are_in_one_group_and_others_are_not(problem) -> None:
    zones = problem.zones
    head = np.repeat(zones.members[zones.ptr[:-1]], zones.sizes)
    pairs = list(zip(head.tolist(), zones.members.tolist(), strict=True))
    found = components(WireNetwork.of(zones)).tolist()
    assert found == by_networkx(zones.n_users, pairs)


def test_rows_that_a_token_may_be_on_are_in_its_group_although_they_never_meet() -> None:
    network = WireNetwork.of(mix_zones(5, 3, [(1, [1, 4])]))
    seen = Pins(
        np.array([0], np.int32), np.array([2], np.int32), np.array([0, 2]), np.array([0, 3], "i4")
    )
    assert components(network, seen).tolist() == [0, 1, 2, 0, 1]
    assert components(network).tolist() == [0, 1, 2, 3, 1]


def test_pairs_that_are_said_often_count_like_others() -> None:
    one = np.zeros(256, np.int32)  # so often that a small counter would be back at zero
    assert connected(2, one, one + np.int32(1)).tolist() == [0, 0]
