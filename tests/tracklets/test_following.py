"""Candidates of rides lie between the closed and the open fleet, and the truth is among them.

How likely each link is where all histories are alike.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.geometry.grid import Grid
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.model.answer.verdict import UNDECIDED, Verdict
from mixsafe.model.question.requirement import Rule
from mixsafe.model.tracklets import Feed, LinkProblem
from mixsafe.tracklets.counting import chances_of
from mixsafe.tracklets.feeds import links
from mixsafe.tracklets.following import PLACE, follow
from mixsafe.tracklets.histories import decide
from mixsafe.tracklets.linking import link
from mixsafe.tracklets.matching import History, coverable, history_of
from mixsafe.tracklets.rules import LinkRules, true_links
from tests.support.feeds import bike, free_bike_status, random_fleet, write_lines
from tests.support.link_oracle import listed, problem_of, random_links


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Feed:
    """Five vehicles, with their truth."""
    path = tmp_path_factory.mktemp("fleet") / "feed.jsonl"
    return read_feed(write_lines(path, *random_fleet(3, vehicles=5, steps=14)), truth="truth")


def left_over(problem: LinkProblem) -> set[int]:
    """Tracklets that must continue, and do not in some history that lets most of them."""
    chosen = np.flatnonzero(problem.must_continue).tolist()
    choices = [[*problem.to[problem.ptr[i] : problem.ptr[i + 1]].tolist(), -1] for i in chosen]
    covers = []
    for picked in itertools.product(*choices):
        used = [j for j in picked if j >= 0]
        if len(used) == len(set(used)):
            covers.append({i for i, j in zip(chosen, picked, strict=True) if j >= 0})
    most = max(map(len, covers))
    return {i for cover in covers if len(cover) == most for i in set(chosen) - cover}


@given(seed=st.integers(0, 10**6))
def test_those_are_left_out_of_whom_any_may_be_left_over(seed: int) -> None:
    problem = random_links(np.random.default_rng(seed), most=6)
    alone = replace(problem, must_come=np.zeros(len(problem), bool))
    part = coverable(alone)
    assert set(part.left_out.tolist()) == left_over(alone)
    assert isinstance(history_of(part.problem), History)


@given(seed=st.integers(0, 10**6))
def test_what_is_proven_without_them_is_true_whoever_left(seed: int) -> None:
    problem = without_pairs(random_links(np.random.default_rng(seed), most=5))
    part = coverable(problem)
    proven = {
        pair
        for pair, is_in in zip(listed_links(part.problem), decide(part.problem).proven, strict=True)
        if is_in
    }
    musts = [np.flatnonzero(one) for one in (problem.must_continue, problem.must_come)]
    for ends, begins in itertools.product(*map(subsets, musts)):
        is_in = [np.isin(np.arange(len(problem)), one) for one in (ends, begins)]
        occurs = listed(replace(problem, must_continue=is_in[0], must_come=is_in[1]))
        assert occurs.contradicted or proven <= occurs.after


def without_pairs(problem: LinkProblem) -> LinkProblem:
    return replace(problem, same=np.empty((0, 2), np.int32))


def listed_links(problem: LinkProblem) -> list[tuple[int, int]]:
    return list(zip(problem.owner.tolist(), problem.to.tolist(), strict=True))


def subsets(chosen: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[tuple[int, ...]]:
    """All parts of what must be covered: those of whom it is known that they did not leave."""
    sizes = range(len(chosen) + 1)
    return [part for size in sizes for part in itertools.combinations(chosen.tolist(), size)]


@pytest.mark.parametrize("closed", [True, False])
def test_candidates_are_those_of_all_histories(fleet: Feed, closed: bool) -> None:
    problem = link(fleet.tracklets, LinkRules(max_gap=900), fleet="closed")
    assert problem.must_continue.any()
    found = follow(fleet.tracklets, problem, 2, closed=closed)
    assert len(found.ends.which) > 3
    everything = listed(found.decided)
    for side, occurs in zip(found.sides, (everything.after, everything.before), strict=True):
        for one, lower, upper in zip(side.which, side.lower, side.upper, strict=True):
            assert lower == len({b for a, b in occurs if a == one and b >= 0})
            assert lower <= upper
            assert not closed or lower == upper


def test_in_the_open_fleet_every_link_is_a_candidate(fleet: Feed) -> None:
    problem = link(fleet.tracklets, fleet="closed")
    found = follow(fleet.tracklets, problem, 2)
    assert found.ends.upper.tolist() == np.diff(problem.ptr)[found.ends.which].tolist()
    assert found.ends.upper.sum() == found.begins.upper.sum() == problem.n_links


def test_the_truth_is_among_the_candidates_of_every_ride(tmp_path: Path) -> None:
    for seed in range(20):
        lines = write_lines(tmp_path / f"{seed}.jsonl", *random_fleet(seed, steps=20))
        feed = read_feed(lines, truth="truth")
        problem = link(feed.tracklets)
        possible = set(zip(problem.owner.tolist(), problem.to.tolist(), strict=True))
        assert set(map(tuple, true_links(feed.tracklets).tolist())) <= possible


def test_places_are_counted_apart(fleet: Feed) -> None:
    tracklets = fleet.tracklets
    found = follow(tracklets, link(tracklets, fleet="open"), 2)
    problem, begins = found.problem, tracklets.begins
    center = float(np.median(begins.lat)), float(np.median(begins.lon))
    cells = Grid(center, PLACE).cell(begins.lat, begins.lon)
    expected = [len(set(cells[problem.to[problem.owner == one]])) for one in found.ends.which]
    assert found.ends.places.tolist() == expected


def test_what_cannot_all_continue_is_a_contradiction_of_a_closed_fleet_only(fleet: Feed) -> None:
    tracklets = fleet.tracklets
    problem = link(tracklets, LinkRules(max_speed=0.1, error=0.0, max_gap=900), fleet="closed")
    assert problem.must_continue.any()
    strict = follow(tracklets, problem, 2, closed=True)
    assert strict.contradiction is not None
    assert strict.verdict is Verdict.UNDECIDED
    assert follow(tracklets, problem, 2).contradiction is None
    assert len(follow(tracklets, problem, 2).left_out)


def test_a_rule_that_excludes_a_true_link_proves_nothing(fleet: Feed) -> None:
    found = links(fleet, 3, rules=LinkRules(max_speed=1.0))
    assert found.followed.unsound == ("speed",)
    for side in found.followed.sides:
        assert (found.followed.verdicts(side) == UNDECIDED).all()
    sound = links(fleet, 50)
    assert sound.followed.unsound == ()
    assert sound.followed.verdict is Verdict.UNSAFE


def test_an_identifier_that_does_not_change_is_a_ride_that_is_followed(tmp_path: Path) -> None:
    shown = [[bike("a", 52.5), bike("b")], [bike("b")], [bike("a", 52.6), bike("b")]]
    snapshots = [free_bike_status(600 * n, *one) for n, one in enumerate(shown)]
    feed = read_feed(write_lines(tmp_path / "feed.jsonl", *snapshots))
    assert links(feed, 2).followed.verdict is Verdict.UNSAFE


def test_without_rides_nothing_is_decided(tmp_path: Path) -> None:
    snapshots = [free_bike_status(600 * n, bike("a")) for n in range(3)]
    feed = read_feed(write_lines(tmp_path / "feed.jsonl", *snapshots))
    assert links(feed, 2).followed.verdict is Verdict.UNDECIDED


def test_a_share_of_the_rides_may_be_enough(fleet: Feed) -> None:
    found = links(fleet, 2).followed
    codes = np.concatenate([found.verdicts(side) for side in found.sides])
    safe = float((codes == 0).mean())
    assert 0 < safe < 1
    assert links(fleet, 2, rule=Rule("share", safe)).followed.verdict is Verdict.SAFE


def test_the_likeliest_candidate_is_the_one_of_most_histories(fleet: Feed) -> None:
    problem = link(fleet.tracklets, LinkRules(max_gap=900), fleet="closed")
    found = follow(fleet.tracklets, problem, 2)
    occurs = listed(found.decided)
    for one, chance in zip(found.ends.which, found.ends.chance, strict=True):
        counts = [n for (end, _), n in occurs.count.items() if end == one]
        assert chance == pytest.approx(max(counts, default=0) / occurs.n_histories)


def test_candidates_at_a_later_time_lie_between_the_fleets(fleet: Feed) -> None:
    time = int(fleet.tracklets.first.max())
    answer = links(fleet, 2, rules=LinkRules(max_gap=900), at=(time,))
    (later,), followed = answer.later, answer.followed
    nobody = np.zeros(len(followed.problem), bool)
    open_fleet = replace(followed.problem, must_continue=nobody, must_come=nobody)
    closed, free = listed(followed.decided).chain, listed(open_fleet).chain
    asked = np.flatnonzero(later.asked)
    assert later.lower[asked].max() > 0
    for one in asked:
        least, most = ({x for i, t, x in chain if (i, t) == (one, time) and x >= 0}
                       for chain in (closed, free))  # fmt: skip
        assert later.upper[one] == len(most)
        assert later.lower[one] <= len(least)


def test_the_table_has_a_row_for_each_end_and_beginning(fleet: Feed) -> None:
    answer = links(fleet, 2)
    rows = answer.table
    numbers = ["lower", "upper", "places", "chance"]
    answers = ["decided_by", "verdict", "named", "belief", "assigned"]
    assert list(rows.columns) == ["id", "time", "side", *numbers, *answers]
    assert len(rows) == len(answer.followed.ends.which) + len(answer.followed.begins.which)
    assert rows["time"].is_monotonic_increasing


@given(st.integers(0, 2**32 - 1))
def test_chances_are_shares_of_all_histories(seed):
    problem = random_links(np.random.default_rng(seed))
    problem = replace(problem, same=problem.same[:0])
    bounds, truth = decide(problem), listed(problem)
    if truth.contradicted:
        return
    pairs = zip(problem.owner.tolist(), problem.to.tolist(), strict=True)
    shares = [truth.count.get(pair, 0) / truth.n_histories for pair in pairs]
    assert np.allclose(chances_of(problem, bounds), shares)


def test_large_groups_are_not_counted_and_impossible_links_are_zero():
    alive = [(0, 1)] * 3 + [(5, 6)] * 3
    links = [(0, 3), (0, 4), (1, 3), (1, 4), (2, 5), (2, 4)]
    problem = problem_of(alive, links, [0, 1, 2])
    bounds = decide(problem)
    assert chances_of(problem, bounds, most=2).tolist() == [0.5, 0.5, 0.5, 0.5, 0, 1]
    assert np.isnan(chances_of(problem, bounds, most=1)[:4]).all()


def test_a_long_group_is_counted_where_few_beginnings_are_open_at_once():
    """Protects the sweep: the links are a path, whose matchings are Fibonacci's numbers."""
    n = 300
    alive = [(i, i) for i in range(n)] + [(n + i, n + i) for i in range(n)]
    links = sorted((i, n + i + more) for i in range(n) for more in (0, 1) if i + more < n)
    problem = problem_of(alive, links)
    matchings = [1, 1]  # of a path of 0, 1, … places
    while len(matchings) <= 2 * n:
        matchings.append(matchings[-1] + matchings[-2])
    places = [(2 * i + 1) if more == n + i else (2 * i + 2) for i, more in links]
    # Place 2 i is beginning i, place 2 i + 1 is end i: a link joins two places in sequence.
    shares = [matchings[at - 1] * matchings[2 * n - at - 1] / matchings[2 * n] for at in places]
    assert np.allclose(chances_of(problem, decide(problem), most=2), shares, rtol=1e-12)
    assert np.isnan(chances_of(problem, decide(problem), most=1)).all()


def test_with_pairs_of_one_vehicle_nothing_is_claimed():
    problem = problem_of([(0, 1), (5, 6)], [(0, 1)], same=[(0, 1)])
    assert np.isnan(chances_of(problem, decide(problem))).all()
