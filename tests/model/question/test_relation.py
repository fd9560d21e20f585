"""Relations of zones, against their matrices."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.csr import pointers
from mixsafe.model.question.mix_zones import Relation


@given(st.lists(st.integers(2, 140), min_size=1, max_size=4), st.integers(0, 1 << 32), st.data())
def test_a_zone_allows_the_pairs_of_its_matrix(
    sizes: list[int], seed: int, data: st.DataObject
) -> None:
    ptr = pointers(np.array(sizes))
    zones = np.array([z for z in range(len(sizes)) if data.draw(st.booleans())], np.int64)
    random = np.random.default_rng(seed)
    chosen = random.choice(zones, 50) if len(zones) else np.zeros(0, np.int64)
    one, other = (
        ptr[chosen] + (random.random(len(chosen)) * np.array(sizes)[chosen]).astype(int)
        for _ in range(2)
    )
    relation = Relation.of(ptr, zones, one, other)
    for zone, size in enumerate(sizes):
        come, leave = np.divmod(np.arange(size * size), size)
        if len(zones):
            found = relation.allows(
                np.full(size * size, zone), np.full(size * size, size), come, leave
            )
            np.testing.assert_array_equal(found, relation.matrix(zone, size).ravel())
