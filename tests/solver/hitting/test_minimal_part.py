"""Minimal parts: the test holds for them, and for no part without one of their items."""

from __future__ import annotations

import numpy as np

from mixsafe.solver.hitting.minimal_part import minimal_part


def test_nothing_more_can_be_left_out() -> None:
    random, sizes = np.random.default_rng(3), set[int]()
    for _ in range(200):
        items = random.permutation(int(random.integers(1, 12))).tolist()
        cores = [set(items[:: int(random.integers(1, 4))]) for _ in range(2)]

        def holds(part: list[int], cores: list[set[int]] = cores) -> bool:
            return any(core.issubset(part) for core in cores)

        found = minimal_part(items, holds)
        assert holds(found)
        assert found == [one for one in items if one in found]
        assert not any(holds([other for other in found if other != one]) for one in found)
        sizes.add(len(found))
    assert len(sizes) > 5
