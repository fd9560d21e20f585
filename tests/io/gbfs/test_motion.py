"""Heading and speed of messages are read in the units in which people write them."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.io.gbfs.motion import motion_columns, motion_of
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.model.tracklets import COMPARED, MOTION
from mixsafe.tracklets.feeds import links
from mixsafe.tracklets.linking import link
from mixsafe.tracklets.rules import LinkRules, check_rules, true_links

MESSAGES = """t,realID,pseudonym,pos.x,pos.y,heading,speed
0,7,a,10,20,90,12
1,7,a,22,20,90,12.5
0,8,x,500,500,0,3
1,8,x,500,503,0,3
2,8,x,500,506,359.5,3
2,7,b,34.5,20,91,12
3,7,b,46.5,20,91,12
"""


def write(path, text):
    path.write_text(text)
    return path


def motion(path, **options):
    """Headings and speeds of the ends, by identifier."""
    tracklets = read_feed(path, crs="metres", **options).tracklets
    fields = tracklets.ends.fields
    return {
        str(name): tuple(float(fields[one][row]) for one in MOTION if one in fields)
        for row, name in enumerate(tracklets.ids)
    }


def test_messages_of_simulations_are_read_without_conversion(tmp_path):
    """Protects `links` on the published tables: names, seconds of a simulation, metres."""
    feed = read_feed(write(tmp_path / "a.csv", MESSAGES), crs="metres", truth="realID")
    tracklets = feed.tracklets
    assert tracklets.ids.tolist() == ["a", "x", "b"]
    assert tracklets.first.tolist() == [0, 0, 2]
    assert tracklets.last.tolist() == [1, 2, 3]
    assert motion(tmp_path / "a.csv") == {"a": (90, 12.5), "x": (359.5, 3), "b": (91, 12)}
    assert tracklets.ends.lon[0] * 111_194.9 == pytest.approx(22, abs=0.01)
    assert tracklets.truth[0] == tracklets.truth[2] != tracklets.truth[1]
    assert "fraction" not in tracklets.ends.fields


@pytest.mark.parametrize(
    ("header", "cells", "expected"),
    [
        ("heading,speed", "45,10", (45, 10)),
        ("vehicle_angle,vehicle_speed", "360,0", (360, 0)),
        ("COG,SOG", "12.5,10", (12.5, 10 * 1852 / 3600)),
        ("course,speed_kmh", "270,36", (270, 10)),
        ("heading.x,heading.y,speed.x,speed.y", "1,0,3,-4", (90, 5)),
        ("heading.x,heading.y,speed.x,speed.y", "-0.5,-0.5,0,0", (225, 0)),
        ("speed,heading,heading.x,heading.y", "2,10,1,0", (10, 2)),
    ],
)
def test_units_and_names(tmp_path, header, cells, expected):
    """Protects degrees clockwise from north, and metres per second, whatever the columns are."""
    rows = "".join(f"{time},{name},{time},5,{cells}\n" for time in (0, 1) for name in "ab")
    rows += f"2,b,2,5,{cells}\n"
    path = write(tmp_path / "a.csv", f"t,pseudonym,x,y,{header}\n{rows}")
    assert motion(path)["a"] == pytest.approx(expected)


def test_a_heading_without_length_is_unknown():
    """Protects standing cars: a vector of length 0 has no direction."""
    found = motion_of({"heading_x": np.array([0.0, 0.0]), "heading_y": np.array([0.0, -2.0])})
    assert np.isnan(found["heading"][0])
    assert found["heading"][1] == 180
    assert motion_columns({"heading_x": "hx", "speed": "v"}) == {"speed": "v"}


@pytest.mark.parametrize(
    ("column", "wrong"),
    [("heading", "361"), ("heading", "-90"), ("heading", "north"), ("speed", "-3"),
     ("speed", "fast")],
)  # fmt: skip
def test_wrong_values_are_refused_with_their_line(tmp_path, column, wrong):
    """Protects the follower from nonsense: one line with file, line and column."""
    lines = MESSAGES.splitlines()
    cells = lines[3].split(",")
    cells[lines[0].split(",").index(column)] = wrong
    lines[3] = ",".join(cells)
    path = write(tmp_path / "a.csv", "\n".join(lines) + "\n")
    with pytest.raises(InputError) as error:
        read_feed(path, crs="metres")
    assert error.value.line == 4
    assert error.value.column == column
    assert f"'{wrong}' is not a number" in str(error.value)
    left_out = tuple(name for name in COMPARED if name != column)
    feed = read_feed(path, crs="metres", fields=left_out)
    assert any(wrong in note for note in feed.notes)


def test_messages_that_two_antennas_heard_count_once(tmp_path):
    """Protects folders with a table for each antenna: the same message in two is no error."""
    lines = MESSAGES.splitlines()
    write(tmp_path / "rsu[0]bsm.csv", "\n".join(lines[:6]) + "\n")
    write(tmp_path / "rsu[1]bsm.csv", "\n".join([lines[0], *lines[3:]]) + "\n")
    both = read_feed(tmp_path, crs="metres")
    (tmp_path / "one").mkdir()
    alone = read_feed(write(tmp_path / "one" / "a.csv", MESSAGES), crs="metres")
    assert both.tracklets.ids.tolist() == alone.tracklets.ids.tolist()
    assert both.tracklets.last.tolist() == alone.tracklets.last.tolist()
    assert any("3 rows skipped: in an earlier file, too" in note for note in both.notes)
    again = write(tmp_path / "one" / "a.csv", MESSAGES + lines[1] + "\n")
    with pytest.raises(InputError, match="identifier 'a' occurs twice at one time"):
        read_feed(again, crs="metres")


def test_parts_of_a_second_widen_times_and_never_shorten_them(tmp_path):
    """Protects the rule of speed: a time that is rounded down must not exclude what happened."""
    text = MESSAGES.replace("1,7,a", "1.9,7,a").replace("3,7,b", "3.4,7,b").replace("2,7", "2.1,7")
    tracklets = read_feed(write(tmp_path / "a.csv", text), crs="metres").tracklets
    a, b = (tracklets.ids.tolist().index(one) for one in "ab")
    assert tracklets.ends.earliest[a] <= 1.9 <= tracklets.ends.latest[a]
    assert tracklets.begins.earliest[b] <= 2.1 <= tracklets.begins.latest[b]
    assert tracklets.begins.latest[b] - tracklets.ends.earliest[a] >= 2.1 - 1.9
    assert tracklets.ends.fields["fraction"][a] == pytest.approx(0.9)
    assert np.all(tracklets.last >= tracklets.first)


def test_who_moves_does_not_keep_an_identifier_through_a_ride(tmp_path):
    """Protects feeds of messages: to be 100 m further under the same pseudonym is no finding.

    Vehicles that stand, and say a speed of 0, keep their identifier through a ride.
    """
    rows = "".join(f"{t},{n},{200 * t},5,90,200\n" for t in range(9) for n in "ab")
    path = write(tmp_path / "a.csv", "t,pseudonym,x,y,heading,speed\n" + rows)
    assert read_feed(path, crs="metres").findings == ()
    for text in (
        path.read_text().replace("heading,speed", "h,v"),
        path.read_text().replace(",90,200", ",90,0"),
    ):
        parked = write(tmp_path / "b.csv", text)
        assert [one.kind for one in read_feed(parked, crs="metres").findings] == ["kept"]


MOMENTS = st.lists(st.integers(0, 60), min_size=1, max_size=8, unique=True)
"""Tenths of a second at which a pseudonym sends; any number of them in one second."""


@given(st.lists(MOMENTS, min_size=1, max_size=6))
def test_ten_messages_a_second_are_read_and_ordered_by_their_full_times(sent):
    """Protects `links` on messages at 10 Hz: pseudonyms that change within a second.

    A pseudonym may go on as one that is heard later, by full times, and as no other: also where
    both are heard in one second. Brute force over all messages.
    """
    order = {f"p{number}": tenths for number, tenths in enumerate([[0, 70], *sent])}
    rows = [(tenth, name) for name, tenths in order.items() for tenth in tenths]
    text = "t,pseudonym,x,y,heading,speed\n" + "".join(
        f"{tenth / 10},{name},{tenth},{int(name[1:])},90,10\n" for tenth, name in rows
    )
    with tempfile.TemporaryDirectory() as folder:
        feed = read_feed(write(Path(folder) / "a.csv", text), crs="metres")
    tracklets = feed.tracklets
    place = {str(name): row for row, name in enumerate(tracklets.ids)}
    rules = LinkRules(max_speed=1000, max_gap=100)
    problem = link(tracklets, rules)
    found = set(zip(problem.owner.tolist(), problem.to.tolist(), strict=True))
    for name, tenths in order.items():
        row = place[name]
        assert tracklets.first[row] == pytest.approx(min(tenths) / 10)
        assert tracklets.last[row] == pytest.approx(max(tenths) / 10)
        east = [side.lon[row] * 111_194.9 for side in (tracklets.begins, tracklets.ends)]
        assert east == pytest.approx([min(tenths), max(tenths)], abs=0.01)
        for other, later in order.items():
            if not (tracklets.ends.cut[row] or tracklets.begins.cut[place[other]]):
                assert ((row, place[other]) in found) == (max(tenths) < min(later))


def test_a_pseudonym_says_two_things_at_one_time(tmp_path):
    """Protects from tables whose rows are no messages: the same tenth of a second twice."""
    rows = "".join(f"{t}.5,a,{t},5,90,20\n{t}.7,b,{t},9,90,20\n" for t in range(4))
    text = "t,pseudonym,x,y,heading,speed\n" + rows
    assert len(read_feed(write(tmp_path / "a.csv", text), crs="metres").tracklets) == 2
    again = write(tmp_path / "b.csv", text + "2.5,a,7,5,90,20\n")
    with pytest.raises(InputError, match="identifier 'a' occurs twice at one time") as error:
        read_feed(again, crs="metres")
    assert error.value.line == 10


def test_changes_within_a_second_are_followed_and_true(tmp_path):
    """Protects `links --truth` at 10 Hz: who changes between two messages is no contradiction.

    Cars on parallel lanes send ten times a second, and change after 40 messages, at any time.
    """
    random = np.random.default_rng(5)
    begun, speed = random.integers(0, 40, 60), random.uniform(5, 15, 60)
    rows = "".join(
        f"{tenth / 10},c{car}_{(tenth + begun[car]) // 40},{tenth * speed[car] / 10:.2f},"
        f"{5 * car},90,{speed[car]:.2f},{car}\n"
        for tenth in range(200)
        for car in range(60)
    )
    path = write(tmp_path / "a.csv", "t,pseudonym,x,y,heading,speed,car\n" + rows)
    feed = read_feed(path, crs="metres", truth="car")
    rules = LinkRules(max_speed=80, max_gap=1, error=1.0)
    tracklets, answer = feed.tracklets, links(feed, 2, rules=rules)
    true = true_links(tracklets)
    one, other = true.T
    within = np.floor(tracklets.last[one]) == np.floor(tracklets.first[other])
    assert within.mean() > 0.8
    assert tracklets.first[other] - tracklets.last[one] == pytest.approx(0.1)
    assert all(rule.sound for rule in check_rules(tracklets, rules))
    assert answer.follower.counted > 0.9
    assert answer.follower.followed(0.5).longest == pytest.approx(19.9)
