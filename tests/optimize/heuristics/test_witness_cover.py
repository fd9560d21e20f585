"""Witnesses that are chosen together: for different candidates, and none that cost less."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.limits import Deadline
from mixsafe.optimize.heuristics.witness_cover import WitnessCover

_N = 6  # zones

Known = dict[tuple[int, int], list[set[int]]]
"""Zones that each known witness uses, by number of the requirement and candidate."""

knowledge = st.dictionaries(
    st.tuples(st.integers(0, 1), st.integers(0, 3)),
    st.lists(st.sets(st.integers(0, _N - 1), min_size=1, max_size=4), min_size=1, max_size=3),
    max_size=6,
)
prices = st.lists(st.integers(1, 4), min_size=_N, max_size=_N)


@settings(max_examples=150)
@given(
    knowledge,
    prices,
    st.sets(st.integers(0, _N - 1), max_size=2),
    st.tuples(*[st.integers(1, 3)] * 2),
)
def test_the_witnesses_chosen_are_the_cheapest_together(
    known: Known, cost: list[int], free: set[int], needed: tuple[int, int]
) -> None:
    price = np.array(cost, np.float64)
    cover = WitnessCover(price, 0)
    for (number, candidate), ways in known.items():
        for zones in ways:
            cover.add(number, candidate, np.array(sorted(zones)))
    active = np.isin(np.arange(_N), list(free))
    least = min(_totals(known, cost, free, needed), default=None)
    wanted = dict(enumerate(needed))
    found = cover.cheapest(wanted, active, 1e3, Deadline(None))
    if least is None:
        assert found is None
        return
    assert found is not None
    union = set().union(free, *(zones.tolist() for zones in found.values()))
    assert sum(cost[zone] for zone in union) == least
    for number, many in wanted.items():
        inside = set(found[number].tolist())
        shown = [
            c for (n, c), ways in known.items() if n == number and any(w <= inside for w in ways)
        ]
        assert len(shown) >= many
    assert cover.cheapest(wanted, active, least, Deadline(None)) is None


def _totals(known: Known, cost: list[int], free: set[int], needed: tuple[int, int]) -> list[int]:
    """What each choice of witnesses costs."""
    choices = []
    for number, many in enumerate(needed):
        candidates = [ways for (n, _), ways in known.items() if n == number]
        choices.append(
            [
                set().union(*chosen)
                for some in itertools.combinations(candidates, many)
                for chosen in itertools.product(*some)
            ]
        )
    return [sum(cost[zone] for zone in free.union(*each)) for each in itertools.product(*choices)]
