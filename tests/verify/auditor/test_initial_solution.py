"""A largest matching, of graphs on which others take time that doubles with each step."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from mixsafe.verify.auditor.initial_solution import largest_matching


@given(st.integers(0, 2**32 - 1))
def test_no_matching_is_larger(seed):
    random = np.random.default_rng(seed)
    fits = random.random(random.integers(1, 8, size=2)) < random.random()
    found = largest_matching(csr_array(fits))
    (rows,) = np.nonzero(found >= 0)
    assert fits[rows, found[rows]].all()
    assert len({*found[rows].tolist()}) == len(rows)
    graph = nx.Graph((int(i), f"column {j}") for i, j in np.argwhere(fits))
    top = {node for node in graph if isinstance(node, int)}
    assert len(rows) == len(nx.bipartite.hopcroft_karp_matching(graph, top)) // 2


def test_a_ladder_of_dead_ends_is_searched_once():
    """The last row must go the whole chain; a search that takes each way into the ladder again
    does so 2 ** 500 times (SciPy's issue 26147).
    """
    n = 500
    chain = [(2 * n + i, i + far) for i in range(n) for far in (0, 1)]
    ladder = [(i, n + 1 + i) for i in range(2 * n)]
    ladder += [(i, n + 1 + 2 * (i // 2 + 1) + far) for i in range(2 * n - 2) for far in (0, 1)]
    last = [(3 * n, 0), (3 * n, n + 1), (3 * n, n + 2)]
    row, column = np.array(chain + ladder + last).T
    fits = csr_array((np.ones(len(row), np.int8), (row, column)), (3 * n + 1, 3 * n + 1))
    assert sorted(largest_matching(fits)) == list(range(3 * n + 1))
