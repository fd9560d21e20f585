"""Default positions of devices are no fixes, and spikes are counted; in memory and on disk."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pandas as pd
import pytest

import mixsafe
from mixsafe.errors import InputError
from mixsafe.extract.large.extraction import WantedZones
from mixsafe.from_files.large_sources import extract
from mixsafe.geometry.jumps import Dropped
from mixsafe.io.columns.reading import Reading, RowRules
from mixsafe.machinery.spill import SpillRoom
from mixsafe.model.mobility.premises import Premises

START = 1_700_000_040
FAR = (48.8566, 2.3522)


def walkers(seed: int) -> pd.DataFrame:
    """Users who walk in a city and meet now and then."""
    random = np.random.default_rng(seed)
    users, steps = 6, 30
    number = np.arange(users * steps)
    return pd.DataFrame({
        "user_id": [f"u{one}" for one in number // steps],
        "time": START + 60 * (number % steps),
        "lat": 52.5 + random.integers(0, 4, len(number)) / 500,
        "lon": 13.4 + random.integers(0, 3, len(number)) / 500,
    })  # fmt: skip


def zones(source: object) -> tuple[list, str]:
    """Zones by names, and the verdict."""
    problem = mixsafe.pose(source)
    found = problem.zones
    names = np.asarray(found.users)
    listed = [
        (found.axis.label(int(time)), sorted(names[found.members[a:b]].tolist()))
        for time, a, b in zip(found.time, found.ptr[:-1], found.ptr[1:], strict=True)
    ]
    return sorted(listed), mixsafe.verify(problem, k=2, rule="share:0.3").verdict.value


@pytest.mark.parametrize("seed", range(5))
def test_a_default_position_far_away_changes_no_zone_and_no_verdict(seed, tmp_path):
    random = np.random.default_rng(seed)
    given = walkers(seed)
    # At the begin, at the end and in between; several users at once.
    lost = (random.random(len(given)) < 0.1) | given.time.isin(
        START + 60 * random.choice(30, 4, replace=False)
    ).to_numpy()
    lost &= given.user_id.to_numpy() != "u0"
    clean = given[~lost]
    given.loc[lost, ["lat", "lon"]] = FAR
    given.to_csv(tmp_path / "given.csv", index=False)
    given.sample(frac=1, random_state=seed).to_csv(tmp_path / "mixed.csv", index=False)
    expected = zones(mixsafe.load(clean))
    for source in (given, tmp_path / "given.csv", tmp_path / "mixed.csv"):
        traces = mixsafe.load(source)
        (skipped,) = traces.premises.skipped
        assert (skipped.reason, skipped.count) == ("no position", lost.sum())
        assert zones(traces) == expected
        if source is not given:
            room = SpillRoom(1 << 20, tmp_path)
            with closing(room):
                found = extract([source], WantedZones(), room)
                assert zones(found) == expected
                assert found.zones.premises.skipped == traces.premises.skipped
                assert found.zones.axis == mixsafe.pose(traces).zones.axis


def test_two_cars_in_one_garage_stay_there_when_their_receivers_jump():
    rows = [("a", 0, 52.5, 13.4), ("a", 60, 48.0, 11.0), ("a", 120, 52.5, 13.4)]
    rows += [("b", 0, 52.5, 13.4), ("b", 60, 45.0, 10.0), ("b", 120, 52.5, 13.4)]
    given = pd.DataFrame(rows, columns=["user_id", "time", "lat", "lon"])
    given["time"] += START
    traces = mixsafe.load(given)
    assert traces.premises.skipped == ()
    assert [(one.reason, one.count) for one in traces.premises.kept] == [("spike", 2)]
    dropped = mixsafe.load(given, drop_spikes=500)
    assert dropped.lat.tolist() == [52.5] * 4
    assert [(one.reason, one.count) for one in dropped.premises.skipped] == [("spike", 2)]


@pytest.mark.parametrize("seed", range(5))
def test_dropped_spikes_leave_what_is_left_without_them(seed, tmp_path):
    random = np.random.default_rng(seed)
    given = walkers(seed)
    jump = np.zeros(len(given), bool)
    step = np.arange(len(given)) % 30
    between = np.flatnonzero((step % 4 == 1) & (step < 29))
    jump[random.choice(between, 12, replace=False)] = True
    clean = given[~jump]
    given.loc[jump, "lat"] += random.uniform(0.5, 3, 12) * random.choice([-1, 1], 12)
    given.to_csv(tmp_path / "given.csv", index=False)
    traces = mixsafe.load(given, drop_spikes=200)
    assert [(one.reason, one.count) for one in traces.premises.skipped] == [("spike", 12)]
    expected = mixsafe.load(clean)
    assert traces.lat.tolist() == expected.lat.tolist()
    assert zones(traces) == zones(expected)
    with closing(SpillRoom(1 << 20, tmp_path)) as room:
        reading = Reading(rules=RowRules(drop_spikes=200))
        found = extract([tmp_path / "given.csv"], WantedZones(), room, reading)
        assert zones(found) == zones(expected)
        assert found.zones.premises.skipped == traces.premises.skipped


def test_a_flight_is_no_spike_unless_it_is_too_fast():
    rows = [("a", 0, 52.5, 13.4), ("a", 7200, 48.1, 11.6), ("a", 14400, 52.5, 13.4)]
    given = pd.DataFrame(rows, columns=["user_id", "time", "lat", "lon"])
    given["time"] += START
    assert mixsafe.load(given).premises == Premises()
    assert mixsafe.load(given, drop_spikes=300).premises == Premises()
    assert len(mixsafe.load(given, drop_spikes=200).time) == 2


def test_who_stays_where_she_jumped_to_is_no_spike():
    """Two receivers that fail now and then leave long parts of tracks, of which none is a spike."""
    begin, step = [0, 1000, 5000], np.arange(600)
    rows = [("a", 60 * (start + step), 52.5 + place, 13.4 + step / 1e4)
            for start, place in zip(begin, (0.0, 0.3, 0.0), strict=True)]  # fmt: skip
    given = pd.concat(
        [pd.DataFrame({"user_id": u, "time": START + t, "lat": la, "lon": lo})
         for u, t, la, lo in rows]
    )  # fmt: skip
    given.iloc[300, 2] += 3  # but this one is
    given.loc[given.time >= START + 60_000, "time"] -= 60 * 400 - 30  # a jump, not a drive
    traces = mixsafe.load(given)
    assert [(one.reason, one.count) for one in traces.premises.kept] == [("spike", 1)]


def test_a_speed_is_refused_where_none_is_known():
    given = pd.DataFrame({"user_id": [1], "time_id": [1], "reg_id": [4]})
    with pytest.raises(
        InputError, match="--drop-spikes: the traces have places without coordinates"
    ):
        mixsafe.load(given, drop_spikes=100)
    with pytest.raises(InputError, match="give a speed above 0"):
        mixsafe.load(given, drop_spikes=0)


def test_fixes_to_keep_are_those_outside_of_dropped_parts():
    parts = Dropped(np.array([2, 7]), np.array([4, 9]), Premises(), ())
    assert np.flatnonzero(~parts.kept(0, 10)).tolist() == [2, 3, 7, 8]
    assert np.flatnonzero(~parts.kept(3, 5)).tolist() == [0, 4]
