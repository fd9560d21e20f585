"""Relations of zones given as matrices, and their components by another library."""

from __future__ import annotations

import networkx as nx
import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from mixsafe.model.csr import pointers
from mixsafe.model.question.mix_zones import Relation

Matrices = list["npt.NDArray[np.bool_] | None"]
"""What each zone allows; None: everything."""


@st.composite
def matrices(draw: st.DrawFn) -> Matrices:
    """One to three zones, small ones and such whose members fill a word, or need a second one."""
    found: Matrices = []
    for size in draw(st.lists(st.sampled_from([2, 3, 3, 4, 4, 64, 65]), min_size=1, max_size=3)):
        if draw(st.booleans()):
            found.append(None)
            continue
        random = np.random.default_rng(draw(st.integers(0, 99)))
        allowed = random.random((size, size)) < draw(st.sampled_from([0.0, 1.5 / size, 0.6, 1.0]))
        np.fill_diagonal(allowed, True)
        found.append(allowed)
    return found


def sizes(zones: Matrices) -> npt.NDArray[np.int64]:
    return np.array([5 if one is None else len(one) for one in zones])


def relation_of(zones: Matrices) -> Relation:
    ptr = pointers(sizes(zones))
    restricted = np.array([z for z, one in enumerate(zones) if one is not None], np.int64)
    pairs = [
        (ptr[z] + a, ptr[z] + b)
        for z, one in enumerate(zones)
        if one is not None
        for a, b in np.argwhere(one & ~np.eye(len(one), dtype=bool)).tolist()
    ]
    one, other = np.array(pairs, np.int64).reshape(-1, 2).T
    return Relation.of(ptr, restricted, one, other)


def components(allowed: npt.NDArray[np.bool_]) -> list[list[int]]:
    graph = nx.from_numpy_array(allowed, create_using=nx.DiGraph)
    return sorted(sorted(part) for part in nx.strongly_connected_components(graph))
