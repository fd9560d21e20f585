"""Where safety begins, against a walk through every user's time."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.documents.atlas import Atlas
from mixsafe.extract.positions import positions
from mixsafe.io.sources import load
from mixsafe.model.answer.verdict import SAFE
from mixsafe.model.mobility.traces import Traces
from mixsafe.synthesize.samples import sample
from mixsafe.verify.privacy.meeting_places import amounts, places
from tests.support.random_answers import dense, random_answer


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


@given(st.integers(0, 10**6))
def test_people_are_counted_once_per_place(seed: int) -> None:
    asked = random_answer(seed)
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
