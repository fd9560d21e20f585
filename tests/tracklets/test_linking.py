"""Links are all pairs that the rules allow, and a closed fleet must explain what it can."""

from itertools import product

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.mobility.places import PlaceShapes
from mixsafe.model.tracklets import LinkProblem, Moments, Tracklets
from mixsafe.tracklets import linking
from mixsafe.tracklets.linking import MayLeave, counts_without, in_fleet, link
from mixsafe.tracklets.rules import ComparedTracklets, LinkRules, TrackletPairs, rules_of


def random_tracklets(seed: int, n: int = 30) -> Tracklets:
    """Tracklets whose intervals are in no order, some of them cut off."""
    random = np.random.default_rng(seed)
    first = random.integers(0, 2000, n)
    last = first + random.integers(0, 500, n)

    def moments(earliest: np.ndarray, latest: np.ndarray) -> Moments:
        return Moments(
            earliest,
            latest,
            random.normal(0, 0.01, n),
            random.normal(0, 0.01, n),
            random.random(n) < 0.2,
            {"battery": random.random(n), "type": random.integers(0, 2, n).astype(float)},
        )

    return Tracklets(
        np.array([f"t{number}" for number in range(n)]),
        moments(first - random.integers(0, 300, n), first),
        moments(last, last + random.integers(0, 300, n)),
        (0, 2600),
    )


def linked(problem: LinkProblem) -> set[tuple[int, int]]:
    """All links of a problem."""
    ends = np.repeat(np.arange(len(problem)), np.diff(problem.ptr))
    return set(zip(ends.tolist(), problem.to.tolist(), strict=True))


@given(seed=st.integers(0, 10**6), gap=st.integers(0, 1500), block=st.integers(1, 100))
def test_links_are_the_pairs_that_all_rules_allow(seed, gap, block):
    tracklets, rules = random_tracklets(seed), LinkRules(max_gap=gap, min_gap=gap // 3)
    n = len(tracklets)
    end, begin = (np.array(one) for one in zip(*product(range(n), repeat=2), strict=True))
    allowed = ~tracklets.ends.cut[end] & ~tracklets.begins.cut[begin]
    for rule in rules_of(tracklets, rules):
        allowed &= rule.allows(TrackletPairs(ComparedTracklets(tracklets), end, begin))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linking, "BLOCK", block)
        problem = link(tracklets, rules)
    assert linked(problem) == set(zip(end[allowed].tolist(), begin[allowed].tolist(), strict=True))
    for row in range(n):
        assert np.all(np.diff(problem.to[problem.ptr[row] : problem.ptr[row + 1]]) > 0)
    assert not problem.must_continue.any()
    assert not problem.must_come.any()


@given(seed=st.integers(0, 10**6))
def test_links_without_a_field_are_those_of_the_other_rules(seed):
    tracklets = random_tracklets(seed)
    counts = counts_without(tracklets, LinkRules(fields=("battery", "type")))
    assert set(counts) == {(), ("battery",), ("type",), ("battery", "type")}
    for left_out, found in counts.items():
        kept = tuple(name for name in ("battery", "type") if name not in left_out)
        assert found.tolist() == np.diff(link(tracklets, LinkRules(fields=kept)).ptr).tolist()


def test_the_greatest_speed_is_not_the_field_of_speed():
    """Protects the table of fields: messages that say their speed do not lose the rule of speed."""
    tracklets = some([(10, 20), (30, 40), (50, 60)], speed=[1, 2, 3], heading=[0, 0, 0])
    counts = counts_without(tracklets, LinkRules(fields=("heading", "speed")))
    assert {left_out: found.tolist() for left_out, found in counts.items()} == {(): [2, 1, 0]}


def test_no_tracklets_have_no_links():
    none = random_tracklets(0, n=0)
    assert link(none, fleet="closed").n_links == 0


def some(times: list[tuple[int, int]], **fields: list[float]) -> Tracklets:
    """Tracklets with known times in a day, at 52.5 N, 13.4 E."""
    n = len(times)
    first, last = np.array(times).T
    values = {name: np.array(column, float) for name, column in fields.items()}
    lat, lon = np.full(n, 52.5), np.full(n, 13.4)
    begins = Moments(first, first, lat, lon, first == 0, values)
    ends = Moments(last, last, lat, lon, last == 86_400, values)
    return Tracklets(np.arange(n).astype(str), begins, ends, (0, 86_400))


def musts(tracklets: Tracklets, may_leave: MayLeave | None = None) -> tuple[list[int], list[int]]:
    """Numbers of the tracklets that must continue, and of those that must have come."""
    problem = link(tracklets, LinkRules(max_gap=3600), fleet="closed", may_leave=may_leave)
    return np.flatnonzero(problem.must_continue).tolist(), np.flatnonzero(
        problem.must_come
    ).tolist()


def test_a_closed_fleet_explains_what_the_data_cannot_cut_off():
    tracklets = some([(0, 100), (3599, 5000), (3600, 82_800), (4000, 82_801), (90, 86_400)])
    assert musts(tracklets) == ([0, 1, 2], [2, 3])
    opened = in_fleet(link(tracklets, fleet="closed"), tracklets, LinkRules(), fleet="open")
    assert not opened.must_continue.any()
    assert not opened.must_come.any()


def test_who_may_leave_need_not_be_explained():
    times = [(9000 + one, 20_000 + one) for one in range(3)]
    tracklets = some(times, battery=[0.1, 0.5, 0.95], disabled=[0, 1, 0])
    everybody = [0, 1, 2]
    assert musts(tracklets) == (everybody, everybody)
    assert musts(tracklets, MayLeave(low_battery=0.1)) == ([1, 2], everybody)
    assert musts(tracklets, MayLeave(charged=0.95)) == (everybody, [0, 1])
    assert musts(tracklets, MayLeave(disabled=True)) == ([0, 2], everybody)
    assert musts(some(times), MayLeave(low_battery=0.1, charged=0.9)) == ([], [])


def test_vehicles_that_go_or_come_in_bulk_need_not_be_explained():
    tracklets = some([(9000, 20_000), (9000, 20_001), (9001, 20_001), (9002, 20_001)])
    assert musts(tracklets, MayLeave(bulk=3)) == ([0], [0, 1, 2, 3])
    assert musts(tracklets, MayLeave(bulk=2)) == ([0], [2, 3])


def test_depots_take_vehicles():
    tracklets = some([(9000, 20_000), (9001, 20_001), (9002, 20_002)])
    tracklets.ends.lat[:] = [52.5, 52.6, np.nan]
    depot = PlaceShapes(("depot",), np.array([shapely.box(13.3, 52.59, 13.5, 52.61)]))
    goes, comes = musts(tracklets, MayLeave(depots=depot))
    assert goes == [0]  # whose place is not known may be in the depot
    assert comes == [0]  # lat is shared with the beginnings
