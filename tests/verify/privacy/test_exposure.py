"""Where people are exposed, against a walk through everybody's positions.

Where safety begins, against a walk through every user's time.
"""

from __future__ import annotations

import re
import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.documents.atlas import Atlas
from mixsafe.extract.positions import positions
from mixsafe.geometry.grid import Grid
from mixsafe.io.sources import load
from mixsafe.model.answer.verdict import SAFE, UNSAFE
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Positions, Traces
from mixsafe.model.question import mix_zones
from mixsafe.report.page import embedded
from mixsafe.synthesize.samples import sample
from mixsafe.verify.privacy.exposure import amounts, exposure, places, time_slots
from mixsafe.verify.privacy.privacy_document import long
from tests.support.random_answers import dense, random_answer

GRID = Grid((50.0, 10.0), 100.0)


@given(st.integers(0, 10**6))
def test_time_at_risk_is_booked_where_people_are(seed: int) -> None:
    asked = random_answer(seed)
    axis, users, random = asked.zones.axis, asked.zones.users, np.random.default_rng(seed)
    row, step = np.nonzero(random.random((len(users), axis.steps)) < 0.7)
    spot = GRID.cell(np.full(3, 50.0), np.array([10.0, 10.01, 10.5]))
    place = spot[random.integers(0, 3, len(row))]
    where = Positions(users, axis, row.astype(np.int32), (step + 1).astype(np.int32), place)
    found = exposure(asked, Atlas(GRID, where))
    if not len(row):
        assert found is None
        return
    question, (slot, _) = dense(asked), time_slots(axis, np.arange(axis.steps) + 1)
    risk: Counter[tuple[str, int]] = Counter()
    present: Counter[tuple[str, int]] = Counter()
    atlas = Atlas(GRID)
    for who, when, at in zip(row, step, place, strict=True):
        key = (atlas.name(int(at)), int(slot[when]))
        present[key] += 1
        risk[key] += asked.verdict[question[who, when + 1]] == UNSAFE
    assert found is not None
    for number, name in enumerate(found["name"]):
        for hour in range(len(found["slots"])):
            assert found["risk"][number][hour] == risk[name, hour]
            assert found["present"][number][hour] == present[name, hour]
    unsafe = asked.verdict[question[:, 1:]] == UNSAFE
    there = 1 - sum(risk.values()) / max(int(unsafe.sum()), 1)
    assert found["elsewhere"] == pytest.approx(there, abs=1e-6)
    assert sum(found["background"]["steps"]) == len(row)


@pytest.mark.parametrize("places", [(3, 4), (9, 99), (98, 99)], ids=["above", "around", "below"])
def test_safety_that_begins_at_a_place_that_is_not_on_the_map_is_credited_to_no_other(
    places: tuple[int, int],
) -> None:
    asked = random_answer(4)  # some of its safe time begins at each of the places 10 to 13
    row, step = np.array([0, 1], np.int32), np.array([1, 1], np.int32)
    where = Positions(asked.zones.users, asked.zones.axis, row, step, np.array(places))
    found = exposure(asked, Atlas(None, where))
    assert found is not None
    assert found["safe"] == [0, 0]


def test_hours_are_those_of_clocks_also_where_a_day_has_25() -> None:
    """The night of 2 November 2008 in San Francisco: one o'clock comes twice."""
    first = 1225522800 + 86400  # 2 November, midnight, and a day
    axis = TimeAxis(27, first - 86400, 3600, "America/Los_Angeles")
    slot, names = time_slots(axis, np.arange(27) + 1)
    assert names[0] == "00:00 to 01:00"
    assert slot.tolist()[:24] == list(range(24))
    second = TimeAxis(4, first, 3600, "America/Los_Angeles")
    assert time_slots(second, np.arange(2) + 1)[0].tolist() == [0, 1]


def test_steps_that_are_numbers_are_cut_into_equal_parts() -> None:
    slot, names = time_slots(TimeAxis(40, 41), np.arange(40) + 1)
    assert (len(names), names[0], names[-1]) == (24, "41 to 42", "80")
    assert np.bincount(slot).min() >= 1
    assert [slot.tolist().index(number) + 41 for number in range(24)] == [
        int(name.split()[0]) for name in names
    ]
    assert time_slots(TimeAxis(3), np.array([3]))[1] == ["1", "2", "3"]


@pytest.mark.parametrize("axis", [TimeAxis(10**7), TimeAxis(10**7, 0, 60, "Europe/Berlin")])
def test_no_memory_goes_into_time_in_which_nothing_happens(axis: TimeAxis) -> None:
    """One slip in a file may make it centuries."""
    tracemalloc.start()
    slot, _ = time_slots(axis, np.array([1, axis.steps]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(slot) == 2
    assert peak < 8 * 10**6


def test_the_background_lies_under_the_regions() -> None:
    asked = random_answer(3)
    n_users = asked.zones.n_users
    row, step = (part.ravel() for part in np.indices((n_users, asked.zones.axis.steps)))
    place = np.resize(np.array([1, 34, 1024]), len(row))
    where = Positions(
        asked.zones.users,
        asked.zones.axis,
        row.astype(np.int32),
        (step + 1).astype(np.int32),
        place,
    )
    found = exposure(asked, Atlas(None, where))
    assert found is not None
    marks = set(zip(found["x"], found["y"], strict=True))
    ground = found["background"]
    assert set(zip(ground["x"], ground["y"], strict=True)) == marks == {(0, 0), (1, 1), (31, 31)}
    assert ground["side"] == found["side"] == 1


def test_nothing_is_shown_where_it_is_not_known_where_people_were() -> None:
    assert exposure(random_answer(1), None) is None
    assert exposure(random_answer(1), Atlas(GRID)) is None


@pytest.mark.parametrize(
    ("step_seconds", "said"), [(1, "42 s"), (60, "42 min"), (600, "7.0 hours"), (None, "42 steps")]
)
def test_a_short_time_is_told_in_seconds_or_minutes(step_seconds: int | None, said: str) -> None:
    assert long(42, step_seconds) == said


def test_what_stands_in_data_cannot_end_them() -> None:
    text = embedded({"name": "</script><script>alert(1)</script>&\u2028"})
    assert "<" not in text
    assert "&" not in text


@given(st.integers(0, 10**6))
def test_safe_time_is_booked_where_its_stretch_began(seed: int) -> None:
    asked = random_answer(seed)
    shown = places(asked, None)
    if shown is None:
        assert not len(asked.zones)
        return
    question = dense(asked)
    booked: Counter[int] = Counter()
    total = 0
    for row in question:
        begun = -1
        for step, number in enumerate(row.tolist()):
            safe = asked.verdict[number] == SAFE
            fresh = step == 0 or asked.verdict[row[step - 1]] != SAFE
            if safe and fresh:
                zone = asked.meeting[number]
                begun = -1 if zone < 0 else int(asked.zones.place[zone])
            if safe and step > 0:
                total += 1
                booked[begun] += 1
    for place, share in zip(shown["place"], shown["safe"], strict=True):
        assert share == pytest.approx(booked[place] / max(total, 1), abs=1e-6)


@given(st.integers(0, 10**6), st.sampled_from([1, 5, 1000]))
def test_people_are_counted_once_per_place(seed: int, at_once: int) -> None:
    asked = random_answer(seed)
    with pytest.MonkeyPatch.context() as small:  # places of so many memberships at a time
        small.setattr(mix_zones, "_BLOCK", at_once)
        shown = places(asked, None)
    if shown is None:
        return
    zones = asked.zones
    met: dict[int, set[int]] = {}
    for zone in range(len(zones)):
        rows = zones.members[zones.ptr[zone] : zones.ptr[zone + 1]]
        met.setdefault(int(zones.place[zone]), set()).update(rows.tolist())
    assert dict(zip(shown["place"], shown["people"], strict=True)) == {
        place: len(rows) for place, rows in met.items()
    }


def test_cells_are_drawn_where_their_fixes_are() -> None:
    traces = load(sample("cabs"))
    assert isinstance(traces, Traces)
    atlas = Atlas.of(traces, 100.0)
    assert atlas is not None
    found = positions(traces, cell_size=100.0, time_step=1)
    x, y = atlas.position(found.place)
    lat, lon = traces.lat, traces.lon
    assert lat is not None
    assert lon is not None
    assert len(x) == len(lat)
    assert np.corrcoef(x, lon)[0, 1] > 0.999
    assert np.abs(y - (lat - lat.mean()) * 111.195).max() < 0.051


def test_regions_lie_as_in_the_contest_and_others_are_not_guessed() -> None:
    traces = load(sample("town"))
    assert isinstance(traces, Traces)
    atlas = Atlas.of(traces)
    assert atlas is not None
    x, y = atlas.position(np.array([1, 32, 33, 1024]))
    assert (x.tolist(), y.tolist()) == ([0, 31, 0, 31], [0, 0, 1, 31])
    assert traces.region is not None
    elsewhere = Traces(**{**vars(traces), "region": traces.region + 1000})
    assert Atlas.of(elsewhere) is None


def test_every_share_falls_into_the_class_that_names_it() -> None:
    for top in (0.00005, 0.004, 0.02, 0.76, 1.0):
        shares = [0.0, top / 1000, top / 11, top / 3.2, top]
        names, code = amounts(shares)
        assert code.tolist() == sorted(code.tolist())
        assert (code[0], len(names)) == (0, 4)
        for share, place in zip(shares[1:], code[1:], strict=True):
            ends = [float(text) / 100 for text in re.findall(r"([\d.]+)%", names[place])]
            low, high = ends if len(ends) == 2 else (0.0, ends[0])
            assert low - 1e-9 <= share <= high + 1e-9, (top, share, names)
