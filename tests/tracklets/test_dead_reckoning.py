"""Where heading and speed lead, and how far other vehicles are from there."""

from dataclasses import replace

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.model.tracklets import Moments, Tracklets
from mixsafe.tracklets.chance_pairs import delayed
from mixsafe.tracklets.dead_reckoning import UNRECKONED, dead_reckoning
from mixsafe.tracklets.feeds import links
from mixsafe.tracklets.follower import COURSE_OFF, Betting
from mixsafe.tracklets.linking import link
from mixsafe.tracklets.ride_movement import RideLinks, RideModel, log_ratios_of
from mixsafe.tracklets.rules import (
    ComparedTracklets,
    LinkRules,
    TrackletPairs,
    rules_of,
    true_links,
)

METRE = 1 / 111_194.92664
"""Degrees."""

BOTH = ("heading", "speed")


def pair(end, begin, fields=BOTH, seconds=2, lat=0.0):
    """Features of one pair: (east, north, heading, speed) in metres, degrees and m/s of each."""
    sides = []
    for second, (east, north, heading, speed) in ((10, end), (10 + seconds, begin)):
        shrink = np.cos(np.radians(lat))
        place = lat + np.full(1, north) * METRE, np.full(1, east) * METRE / shrink
        said = {"heading": np.full(1, float(heading)), "speed": np.full(1, float(speed))}
        sides.append(Moments(np.full(1, second), np.full(1, second), *place, np.zeros(1, bool),
                             {name: said[name] for name in fields}))  # fmt: skip
    ends, begins = (
        Moments(*(np.concatenate([getattr(one, name)] * 2) for name in
                  ("earliest", "latest", "lat", "lon", "cut")),
                {name: np.concatenate([values] * 2) for name, values in one.fields.items()})
        for one in sides
    )  # fmt: skip
    tracklets = Tracklets(np.array(["a", "b"]), begins, ends, (0, 99))
    pairs = TrackletPairs(ComparedTracklets(tracklets), np.array([0]), np.array([1]))
    return {name: float(value[0]) for name, value in dead_reckoning(tracklets, pairs, BOTH).items()}


@pytest.mark.parametrize(
    ("end", "begin", "expected"),
    [
        # Straight on to the east, exactly where the speeds lead: 2 s at 11 m/s on average.
        ((0, 0, 90, 10), (22, 0, 90, 12), {"along": 0, "across": 0, "turn": 0, "gain": 2}),
        # 5 m less, and 3 m to the south.
        ((0, 0, 90, 10), (17, -3, 90, 12), {"along": -5, "across": 3, "turn": 0, "gain": 2}),
        # To the north, over the turn of the compass.
        ((0, 0, 350, 0), (0, 7, 10, 0), {"turn": 20, "gain": 0}),
        # A turn to the left: half of the way by each heading.
        ((0, 0, 0, 10), (-10, 10, 270, 10), {"along": 0, "across": 0, "turn": 90, "gain": 0}),
        # Behind, though it should be ahead.
        ((0, 0, 180, 5), (0, 4, 180, 5), {"along": -14, "across": 0, "turn": 0, "gain": 0}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("lat", [0.0, 60.0])
def test_what_remains_of_a_way_that_is_known(end, begin, expected, lat):
    """Protects directions, signs and units of the features."""
    found = pair(end, begin, lat=lat)
    assert found["seconds"] == 2
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=0.01), name
    assert np.isnan(found[UNRECKONED])


def test_speed_alone_and_heading_alone_say_their_part():
    """Protects feeds with one of the two fields."""
    found = pair((0, 0, 90, 10), (3, 24, 90, 10), fields=("speed",))
    assert found["along"] == pytest.approx(np.hypot(3, 24) - 20, abs=0.01)
    assert {"across", "turn"}.isdisjoint(found)
    found = pair((0, 0, 90, 10), (50, 3, 90, 10), fields=("heading",))
    assert found["across"] == pytest.approx(3, abs=0.01)
    assert {"along", "gain"}.isdisjoint(found)
    found = pair((0, 0, 90, 10), (50, 3, 270, 10), fields=("heading",))
    assert np.isnan(found["across"])
    assert found[UNRECKONED] == pytest.approx(np.hypot(50, 3), abs=0.01)
    assert pair((0, 0, 0, 0), (1, 1, 0, 0), fields=()) == {}


SIDE = 500.0
"""Metres of the square in which cars drive about."""


def traffic(path, n=150, seed=3):
    """Cars on a plane that change their pseudonym every 10 s, and are silent for 4 s then."""
    random = np.random.default_rng(seed)
    place, heading = random.uniform(0, SIDE, (n, 2)), random.choice([0.0, 90.0, 180.0, 270.0], n)
    speed, rows = random.uniform(6, 14, n), ["t,pseudonym,x,y,heading,speed,car"]
    phase, name = random.integers(0, 10, n), np.arange(n)
    for second in range(60):
        speed = np.clip(speed + random.normal(0, 0.4, n), 2, 20)
        heading = np.where(random.random(n) < 0.01, heading + 90, heading) % 360
        outside = (np.abs(place - SIDE / 2) > SIDE / 2).any(axis=1)
        towards = np.degrees(np.arctan2(*(SIDE / 2 - place).T)) // 90 * 90
        heading = np.where(outside, towards % 360, heading)
        angle = np.radians(90 - heading)
        place += speed[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1)
        age = (second + phase) % 10
        name = np.where(age == 0, random.permutation(n) + n * (second + 1), name)
        for car in np.flatnonzero(age >= 4):
            x, y = place[car]
            rows.append(
                f"{second},{name[car]},{x:.1f},{y:.1f},{heading[car]:.0f},{speed[car]:.1f},{car}"
            )
    path.write_text("\n".join(rows) + "\n")
    return read_feed(path, crs="metres", truth="car")


RULES = LinkRules(max_speed=80, max_gap=6, error=1.0)


@pytest.fixture(scope="module")
def heard(tmp_path_factory):
    """What antennas heard of some traffic."""
    return traffic(tmp_path_factory.mktemp("traffic") / "messages.csv")


def without_motion(tracklets):
    """The tracklets of a feed that says neither heading nor speed."""
    sides = [replace(side, fields={}) for side in (tracklets.begins, tracklets.ends)]
    return replace(tracklets, begins=sides[0], ends=sides[1])


def test_headings_and_speeds_exclude_nothing(heard):
    """Protects soundness: candidates are those of a feed without the two fields."""
    known = link(heard.tracklets, RULES)
    unknown = link(without_motion(heard.tracklets), RULES)
    assert known.to.tolist() == unknown.to.tolist()
    assert known.ptr.tolist() == unknown.ptr.tolist()
    assert [one.name for one in rules_of(heard.tracklets, RULES)] == ["time", "speed"]


def test_a_follower_with_headings_names_more_and_knows_about_how_many(heard):
    """Protects what the two fields are for, learned without truth."""
    followers = [
        Betting().on(tracklets, link(tracklets, RULES), RULES)
        for tracklets in (heard.tracklets, without_motion(heard.tracklets))
    ]
    assert [one.model.learned for one in followers] == ["beliefs", "beliefs"]
    seeing, blind = followers
    assert seeing.counted > blind.counted + 0.05
    assert abs(seeing.counted - seeing.expected) < 0.05
    low, high = seeing.interval
    assert low <= seeing.counted <= high


def test_fields_that_are_not_compared_change_nothing(heard):
    """Protects --fields: without the two fields a follower is one who does not see them."""
    rules = replace(RULES, fields=("type",))
    beliefs = [
        Betting().on(one, link(one, rules), rules).marginals.belief
        for one in (heard.tracklets, without_motion(heard.tracklets))
    ]
    assert beliefs[0].tolist() == beliefs[1].tolist()


def test_a_model_of_messages_is_saved_and_does_not_fit_a_feed_without_headings(heard):
    """Protects --movement FILE, and what it says where a field is missing."""
    tracklets = heard.tracklets
    problem = link(tracklets, RULES)
    model = Betting().on(tracklets, problem, RULES).model
    again = RideModel.from_dict(model.to_dict(), "b.json")
    ratios = [log_ratios_of(RideLinks.of(tracklets, problem, RULES), one) for one in (model, again)]
    assert ratios[0] == pytest.approx(ratios[1], abs=0.01)
    blind = RideLinks.of(without_motion(tracklets), problem, RULES)
    with pytest.raises(InputError, match="looks at the speed, which this feed does not have"):
        log_ratios_of(blind, again)


def test_the_answer_of_messages_is_told(heard):
    """Protects the whole way from messages to the page."""
    from mixsafe.tracklets.links_document import feed_document

    answer = links(heard, 3, rules=RULES)
    pages = feed_document(answer, "messages", pages=True)
    titles = [part.title for part in pages.parts]
    assert "What the follower has learned: way ahead of dead reckoning" in titles
    assert "names the right ride" in pages.sentence
    facts = {fact.label: str(fact.value) for fact in pages.facts}
    assert f"up to {100 * COURSE_OFF:.0f} percentage points off" in facts["Movement"]


def test_pairs_by_chance_are_as_many_as_the_false_links_and_none_is_true(heard):
    """Protects the odds of beliefs: false links are counted in pairs that cannot be true."""
    tracklets = heard.tracklets
    problem = link(tracklets, RULES)
    moved = delayed(tracklets, RULES)
    n = len(tracklets)
    true = {tuple(pair) for pair in true_links(tracklets).tolist()}
    false = problem.n_links - sum(
        pair in true for pair in zip(problem.owner.tolist(), problem.to.tolist(), strict=True)
    )
    assert moved
    for shifted, pairs, factor in moved:
        assert true.isdisjoint(zip(pairs.owner.tolist(), pairs.to.tolist(), strict=True))
        assert len(shifted) == n
        assert pairs.n_links * factor == pytest.approx(false, rel=0.2)
    assert RideLinks.of(tracklets, problem, RULES).by_chance.expected == pytest.approx(
        false, rel=0.1
    )
    assert RideLinks.of(without_motion(tracklets), problem, RULES).by_chance is None
    assert delayed(tracklets, replace(RULES, max_gap=60)) == []
