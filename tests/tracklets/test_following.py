"""Candidates of rides lie between the closed and the open fleet, and the truth is among them."""

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
from mixsafe.model.answer.verdict import UNSAFE, Verdict
from mixsafe.model.question.requirement import Rule
from mixsafe.model.tracklets.feed import Feed
from mixsafe.model.tracklets.links import LinkProblem
from mixsafe.tracklets.feeds import links
from mixsafe.tracklets.following import PLACE, follow
from mixsafe.tracklets.linking import link
from mixsafe.tracklets.matching import History, excused, history_of
from mixsafe.tracklets.rules import LinkRules
from mixsafe.tracklets.true_links import true_links
from tests.support.feeds import random_fleet, write_lines
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
def test_those_are_excused_of_whom_any_may_be_left_over(seed: int) -> None:
    problem = random_links(np.random.default_rng(seed), most=6)
    alone = replace(problem, must_come=np.zeros(len(problem), bool))
    kept, who = excused(alone)
    assert set(who.tolist()) == left_over(alone)
    assert isinstance(history_of(kept), History)


def test_with_both_sides_excused_there_is_a_history() -> None:
    for seed in range(200):
        kept, _ = excused(random_links(np.random.default_rng(seed)))
        assert isinstance(history_of(kept), History)


@pytest.mark.parametrize("closed", [True, False])
def test_candidates_are_those_of_all_histories(fleet: Feed, closed: bool) -> None:
    problem = link(fleet.tracklets, LinkRules(max_gap=900), fleet="closed")
    assert problem.must_continue.any()
    found = follow(fleet.tracklets, problem, 2, closed=closed)
    assert len(found.ends.which) > 3
    everything = listed(found.problem)
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
    assert len(follow(tracklets, problem, 2).excused)


def test_a_rule_that_excludes_a_true_link_proves_nothing_unsafe(fleet: Feed) -> None:
    slow = LinkRules(max_speed=1.0)
    found = links(fleet, 3, rules=slow)
    assert found.followed.unsound == ("speed",)
    assert all((found.followed.verdicts(side) != UNSAFE).all() for side in found.followed.sides)
    sound = links(fleet, 50)
    assert sound.followed.unsound == ()
    assert sound.followed.verdict is Verdict.UNSAFE


def test_a_share_of_the_rides_may_be_enough(fleet: Feed) -> None:
    found = links(fleet, 2).followed
    codes = np.concatenate([found.verdicts(side) for side in found.sides])
    safe = float((codes == 0).mean())
    assert 0 < safe < 1
    assert links(fleet, 2, rule=Rule("share", safe)).followed.verdict is Verdict.SAFE


def test_the_likeliest_candidate_is_the_one_of_most_histories(fleet: Feed) -> None:
    problem = link(fleet.tracklets, LinkRules(max_gap=900), fleet="closed")
    found = follow(fleet.tracklets, problem, 2)
    occurs = listed(found.problem)
    for one, chance in zip(found.ends.which, found.ends.chance, strict=True):
        counts = [n for (end, _), n in occurs.count.items() if end == one]
        assert chance == pytest.approx(max(counts, default=0) / occurs.n_histories)


def test_the_table_has_a_row_for_each_end_and_beginning(fleet: Feed) -> None:
    answer = links(fleet, 2)
    rows = answer.table
    numbers = ["lower", "upper", "places", "chance"]
    assert list(rows.columns) == ["id", "time", "side", *numbers, "decided_by", "verdict"]
    assert len(rows) == len(answer.followed.ends.which) + len(answer.followed.begins.which)
    assert rows["time"].is_monotonic_increasing


def test_nothing_links_where_nothing_can_continue() -> None:
    alone = problem_of([(0, 1), (0, 1)], [])
    kept, who = excused(alone)
    assert not len(who)
    assert kept.n_links == 0
