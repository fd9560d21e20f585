"""Search from single wires: it reaches what reachability says of single tokens."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from mixsafe.model.question.adversary import Knowledge, pins_and_links
from mixsafe.model.question.problem import Problem
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.propagate.spreading import AFTER, BEFORE, spread
from mixsafe.solver.state import tokens
from tests.support.relations import related_problems


@given(problem=related_problems())
def test_tokens_pass_zones_by_allowed_pairs_in_both_directions(problem: Problem) -> None:
    network = WireNetwork.of(problem.zones)
    everywhere = reachable(Core(network, *pins_and_links(Knowledge.from_pairs([]))))
    for row in range(network.n_rows):
        begin = network.first[[row]]
        reached = spread(network, AFTER, begin).by >= 0
        assert reached.tolist() == [tokens.holds(there, row) for there in everywhere]
    for wire in range(network.n_wires):
        came = spread(network, BEFORE, np.array([wire])).by >= 0
        rows = np.flatnonzero(came[network.first[:-1]])
        assert rows.tolist() == tokens.members(everywhere[wire]).tolist()
