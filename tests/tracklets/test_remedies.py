"""The mildest changes to a feed are found, and nothing milder fulfils the rule.

Coarser data never exclude what finer data allow, nor what happened.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.course import Deadline
from mixsafe.model.question.requirement import Rule
from mixsafe.model.tracklets import Tracklets
from mixsafe.tracklets.linking import MayLeave, link
from mixsafe.tracklets.remedies import (
    FeedQuestion,
    _ladders,
    between_snapshots,
    coarser,
    remedies,
)
from mixsafe.tracklets.rules import LinkRules, true_links
from tests.support.feeds import random_fleet, write_lines


@pytest.fixture(scope="module")
def tracklets(tmp_path_factory: pytest.TempPathFactory) -> Tracklets:
    """Twelve vehicles of two types."""
    path = tmp_path_factory.mktemp("fleet") / "feed.jsonl"
    return read_feed(write_lines(path, *random_fleet(5, vehicles=12, steps=16))).tracklets


def asked(k: int, rule: Rule) -> FeedQuestion:
    return FeedQuestion(LinkRules(), MayLeave(), k, rule)


def test_nothing_is_changed_where_the_rule_is_fulfilled(tracklets: Tracklets) -> None:
    found = remedies(tracklets, asked(2, Rule("share", 0.01)))
    assert [one.words for one in found.tried] == ["none"]
    assert found.sentence == "The rule is fulfilled as it is."


def test_all_changes_of_fewer_steps_were_tried_in_vain(tracklets: Tracklets) -> None:
    found = remedies(tracklets, asked(4, Rule("share", 0.8)))
    assert found.complete
    assert found.mildest
    steps = found.mildest[0].n_steps
    assert steps > 0
    sizes = [range(len(one) + 1) for one in _ladders(tracklets, LinkRules()).values()]
    fewer = sum(sum(levels) < steps for levels in itertools.product(*sizes))
    before = [one for one in found.tried if one.n_steps < steps]
    assert len(before) == len({tuple(one.changes.items()) for one in before}) == fewer
    assert all(one.verdict is not Verdict.SAFE for one in before)


def test_where_not_even_all_steps_help_that_is_said(tracklets: Tracklets) -> None:
    found = remedies(tracklets, asked(1_000, Rule("every")))
    assert found.complete
    assert not found.mildest
    assert found.sentence == "Even all steps together do not fulfil the rule."
    assert max(one.n_steps for one in found.tried[:-2]) == 1


def test_a_deadline_ends_the_search_and_says_so(tracklets: Tracklets) -> None:
    found = remedies(tracklets, asked(4, Rule("share", 0.8)), deadline=Deadline(1e-9))
    assert not found.complete
    assert "in time" in found.sentence


RULES = LinkRules(
    fields=("type", "battery", "range", "uri"), battery_tolerance=0.0, range_tolerance=0.0
)

steps = st.fixed_dictionaries(
    {},
    optional={
        "places": st.sampled_from([50.0, 100.0, 250.0]),
        "range": st.sampled_from([1000.0, 5000.0]),
        "battery": st.sampled_from([0.05, 0.1]),
        "times": st.sampled_from([60, 300, 900]),
        "drop": st.sets(st.sampled_from(["type", "battery", "range", "uri"])),
    },
)


def fleet(folder, seed: int) -> Tracklets:
    """Tracklets of a random fleet whose truth is known."""
    path = write_lines(folder / "feed.jsonl", *random_fleet(seed, steps=20))
    try:
        return read_feed(path, truth="truth").tracklets
    except InputError:  # fewer than two vehicles were seen
        assume(False)
        raise


def named_links(tracklets: Tracklets, rules: LinkRules = RULES) -> set[tuple[str, str]]:
    """Links by identifiers."""
    problem = link(tracklets, rules)
    ends = np.repeat(np.arange(len(problem)), np.diff(problem.ptr))
    pairs = zip(tracklets.ids[ends].tolist(), tracklets.ids[problem.to].tolist(), strict=True)
    return set(pairs)


@given(seed=st.integers(0, 10**6), once=steps, again=steps)
def test_links_only_grow(tmp_path_factory, seed, once, again):
    fine = fleet(tmp_path_factory.mktemp("fleet"), seed)
    coarse = coarser(fine, **once)
    coarsest = coarser(coarse, **again)
    assert named_links(fine) <= named_links(coarse) <= named_links(coarsest)


@given(seed=st.integers(0, 10**6), once=steps, poll=st.sampled_from([60, 180, 300, 1000]))
def test_rides_stay_possible_with_fewer_snapshots(tmp_path_factory, seed, once, poll):
    fine = fleet(tmp_path_factory.mktemp("fleet"), seed)
    coarse = coarser(fine, poll=poll, **once)
    kept = set(coarse.ids.tolist())
    links = named_links(coarse)
    assert {pair for pair in named_links(fine) if kept.issuperset(pair)} - links == {
        pair for pair in named_links(fine) if kept.issuperset(pair) and cut(coarse, pair)
    }
    rides = true_links(coarse)
    inner = ~coarse.ends.cut[rides[:, 0]] & ~coarse.begins.cut[rides[:, 1]]
    assert {tuple(coarse.ids[one].tolist()) for one in rides[inner]} <= links


def cut(tracklets: Tracklets, pair: tuple[str, str]) -> bool:
    """Whether the data end with the end of a pair, or begin with its beginning."""
    end, begin = (int(np.flatnonzero(tracklets.ids == name)[0]) for name in pair)
    return bool(tracklets.ends.cut[end] or tracklets.begins.cut[begin])


def test_values_are_rounded_by_as_much_as_is_said(tmp_path):
    fine = fleet(tmp_path, 7)
    coarse = coarser(fine, places=250, range=5000, battery=0.1)
    for one, other in ((fine.begins, coarse.begins), (fine.ends, coarse.ends)):
        north = (other.lat - one.lat) * 111_195
        east = (other.lon - one.lon) * 111_195 * np.cos(np.radians(one.lat))
        assert 100 < np.hypot(north, east).max() <= coarse.resolution["place"] < 180
        for name in ("range", "battery"):
            moved = np.abs(other.fields[name] - one.fields[name]).max()
            assert 0 < moved <= coarse.resolution[name] + 1e-9
    assert coarse.resolution["range"] == 2500


def test_intervals_contain_the_finer_ones_and_the_order_stays(tmp_path):
    fine = fleet(tmp_path, 7)
    coarse = coarser(fine, times=300)
    for one, other in ((fine.begins, coarse.begins), (fine.ends, coarse.ends)):
        assert np.all(other.earliest <= one.earliest)
        assert np.all(one.latest <= other.latest)
        assert not np.any(other.earliest % 300)
        assert not np.any(other.latest % 300)
    np.testing.assert_array_equal(coarse.first, fine.first)
    np.testing.assert_array_equal(coarse.last, fine.last)


def test_what_is_dropped_is_gone(tmp_path):
    fine = fleet(tmp_path, 7)
    assert "battery" in fine.begins.fields
    assert "battery" not in coarser(fine, drop=("battery",)).begins.fields


@pytest.mark.parametrize("size", [0, -1, float("nan")])
def test_sizes_are_above_0(tmp_path, size):
    with pytest.raises(InputError, match="coarser places"):
        coarser(fleet(tmp_path, 7), places=size)


@given(seed=st.integers(0, 10**6), longest=st.sampled_from([60, 600, 1800]))
def test_hiding_after_a_ride_excludes_nothing_that_is_still_published(
    tmp_path_factory, seed, longest
):
    """Protects what is said of hidden vehicles: the adversary knows how long they may be hidden."""
    fine = fleet(tmp_path_factory.mktemp("fleet"), seed)
    hidden = coarser(fine, hide=longest)
    kept = set(hidden.ids.tolist())
    assert kept <= set(fine.ids.tolist())
    assert {pair for pair in named_links(fine) if kept.issuperset(pair)} <= named_links(hidden)
    place = {one: at for at, one in enumerate(fine.ids.tolist())}
    before = np.array([place[one] for one in hidden.ids.tolist()], np.int64)
    late = hidden.first - fine.first[before]
    assert np.all((late >= 0) & (late < longest + between_snapshots(fine)))
    assert np.all(late[fine.begins.cut[before]] == 0)
    np.testing.assert_array_equal(hidden.last, fine.last[before])


@given(seed=st.integers(0, 10**6), delay=st.integers(1, 10**5))
def test_a_delay_changes_no_link(tmp_path_factory, seed, delay):
    """Protects the page: whoever publishes later protects from nobody who reads the whole feed."""
    fine = fleet(tmp_path_factory.mktemp("fleet"), seed)
    later = coarser(fine, delay=delay)
    assert named_links(fine) == named_links(later)
    one, other = (link(t, RULES, fleet="closed") for t in (fine, later))
    np.testing.assert_array_equal(one.must_continue, other.must_continue)


def test_vehicles_without_charge_are_not_shown_after_a_ride(tmp_path):
    fine = fleet(tmp_path, 7)
    level = float(np.nanmedian(fine.begins.fields["battery"]))
    shown = coarser(fine, low=level)
    assert 0 < len(shown.ids) < len(fine.ids)
    assert not np.any(shown.begins.fields["battery"] < level)
    gone = ~np.isin(fine.ids, shown.ids)
    assert np.all(fine.begins.fields["battery"][gone] < level)
    by_range = coarser(coarser(fine, drop=("battery",)), low=0.5)
    greatest = np.nanmax(fine.begins.fields["range"])
    assert not np.any(by_range.begins.fields["range"] < greatest / 2)


def test_the_feed_as_it_is_is_not_followed_again(tracklets: Tracklets) -> None:
    """Protects from doing the same work twice: what is known of the feed is taken as it is."""
    question = asked(2, Rule("share", 0.01))
    followed = question.of(tracklets)
    follower = question.betting.on(tracklets, followed.problem, question.rules)
    found = remedies(tracklets, question, as_it_is=(followed, follower))
    assert follower is not None
    assert found.tried[0].right == follower.expected


def messages(folder) -> Tracklets:
    """What 40 cars send that change their pseudonym every 10 s and are silent for 3 s then."""
    random = np.random.default_rng(4)
    place, heading = random.uniform(0, 300, (40, 2)), random.uniform(0, 360, 40)
    speed, phase = random.uniform(4, 14, 40), random.integers(0, 10, 40)
    rows = ["t,pseudonym,x,y,heading,speed,car"]
    for second in range(50):
        angle = np.radians(90 - heading)
        place += speed[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1)
        for car in np.flatnonzero((second + phase) % 10 >= 3):
            name, (x, y) = f"{car}_{(second + phase[car]) // 10}", place[car]
            rows.append(
                f"{second},{name},{x:.1f},{y:.1f},{heading[car]:.1f},{speed[car]:.2f},{car}"
            )
    path = folder / "messages.csv"
    path.write_text("\n".join(rows) + "\n")
    return read_feed(path, crs="metres", truth="car").tracklets


def test_headings_and_speeds_of_messages_are_rounded_then_dropped(tmp_path):
    """Protects the rungs of messages: each is tried and said, and what is coarser tells less."""
    fine = messages(tmp_path)
    rules = LinkRules(max_speed=80, max_gap=5, error=1.0)
    ladders = _ladders(fine, rules)
    assert ladders["heading"] == (45, 0.0)
    assert ladders["speed"] == (5, 0.0)
    assert {"heading", "speed"}.isdisjoint(_ladders(fine, LinkRules(fields=("type",))))
    coarse = coarser(fine, heading=45, speed=5)
    for one, other in ((fine.begins, coarse.begins), (fine.ends, coarse.ends)):
        assert not np.any(other.fields["heading"] % 45)
        assert other.fields["heading"].max() < 360
        turn = (other.fields["heading"] - one.fields["heading"] + 180) % 360 - 180
        assert 0 < np.abs(turn).max() <= 22.5
        assert not np.any(other.fields["speed"] % 5)
        assert 0 < np.abs(other.fields["speed"] - one.fields["speed"]).max() <= 2.5
    assert named_links(coarse, rules) == named_links(fine, rules)
    found = remedies(fine, FeedQuestion(rules, MayLeave(), 1_000, Rule("every")))
    right = {one.words: one.right for one in found.tried}
    assert {"none", "heading to 45°", "speed to 5 m/s"} <= set(right)
    everything = next(words for words in right if "heading dropped" in words)
    assert "speed dropped" in everything
    assert right[everything] < right["none"]
