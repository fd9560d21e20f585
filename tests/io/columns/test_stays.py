"""Stays: in each step that it has a part of, a person is where the last part of a stay is."""

from contextlib import closing
from datetime import UTC, datetime

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import mixsafe
from mixsafe.errors import InputError
from mixsafe.extract.large.extraction import WantedZones
from mixsafe.extract.positions import positions
from mixsafe.extract.select import select
from mixsafe.extract.zones import mix_zones
from mixsafe.from_files.large_sources import extract, is_large
from mixsafe.io.columns import stays
from mixsafe.io.columns.reading import Reading, RowRules
from mixsafe.io.problems.side_tables import read_requirements, read_sightings
from mixsafe.machinery.spill import SpillRoom
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe_cli.app import app

BEGIN = 1_709_280_000
"""2024-03-01 08:00 UTC."""


@st.composite
def walks(draw):
    """Stays of some people, none of whom is at two places at a time: user, place, start, end."""
    rows = []
    for user in range(draw(st.integers(1, 4))):
        now = BEGIN + draw(st.integers(0, 200))
        for _ in range(draw(st.integers(1, 4))):
            end = now + draw(st.integers(0, 400))
            rows.append((f"u{user}", draw(st.sampled_from("abc")), now, end))
            now = end + draw(st.integers(1, 200))
    return draw(st.permutations(rows))


def by_hand(rows, axis):
    """(user, step): the place of the last moment at which somebody is somewhere in a step."""
    found = {}
    for user, place, start, end in rows:
        last = max(end - 1, start)
        for step in range(1, axis.steps + 1):
            begin = axis.first + (step - 1) * axis.step_seconds
            moment = min(last, begin + axis.step_seconds - 1)
            if max(start, begin) <= moment:
                found[user, step] = max(found.get((user, step), (0, "")), (moment, place))
    return {key: place for key, (_, place) in found.items()}


def placed(traces, time_step):
    found = positions(traces, time_step=time_step, keep_together=True)
    keys = zip(found.users[found.row].tolist(), found.step.tolist(), strict=True)
    names = [found.place_names[place - 1] for place in found.place.tolist()]
    return dict(zip(keys, names, strict=True)), found.axis


def table(rows):
    columns = ["user_id", "place", "started_at", "finished_at"]
    frame = pd.DataFrame(rows, columns=columns)
    for name in columns[2:]:
        frame[name] = pd.to_datetime(frame[name], unit="s", utc=True)
    return frame


@settings(max_examples=60, deadline=None)
@given(walks(), st.sampled_from([1, 7, 60]), st.sampled_from([1, 2, 3.5]), st.integers(0, 90))
def test_a_stay_has_a_fix_in_each_of_its_steps(rows, read, times, late):
    """Whatever the length of steps, and wherever they begin."""
    traces = mixsafe.load(table(rows), time_step=read)
    step = int(read * times) or 1
    found, axis = placed(traces, step)
    assert found == by_hand(rows, axis)
    if BEGIN + late <= traces.time.max():
        start = datetime.fromtimestamp(BEGIN + late, UTC).isoformat()
        found, axis = placed(select(traces, start=start), step)
        assert found == by_hand(rows, axis)


@settings(max_examples=25, deadline=None)
@given(walks())
def test_stays_are_as_a_table_of_their_fixes(rows):
    """A fix per step, written by hand, has the same zones and the same verdict."""
    traces = mixsafe.load(table(rows))
    _, axis = placed(traces, 60)
    hand = by_hand(rows, TimeAxis(axis.steps, axis.first, 60))
    fixes = [(user, axis.first + 60 * (step - 1), place) for (user, step), place in hand.items()]
    frame = pd.DataFrame(fixes, columns=["user_id", "time", "place"])
    one, other = (
        mixsafe.verify(source, k=2, adversary="none", keep_together=True)
        for source in (traces, mixsafe.load(frame))
    )
    zones = [
        (answer.problem.zones.ptr.tolist(), answer.problem.zones.members.tolist())
        for answer in (one, other)
    ]
    assert zones[0] == zones[1]
    assert one.verdict == other.verdict


def written(path, *rows, header="user_id,place,started_at,finished_at"):
    path.write_text("\n".join([header, *(",".join(row) for row in rows)]) + "\n")
    return path


def test_who_leaves_when_another_comes_does_not_meet_her(tmp_path):
    """The end is no part of a stay; only a step that has a part of both is shared."""
    file = written(
        tmp_path / "t.csv",
        ("a", "home", "2024-03-01 08:00:00", "2024-03-01 09:00:00"),
        ("b", "home", "2024-03-01 09:00:00", "2024-03-01 10:00:00"),
    )
    for step, zones in ((60, 0), (3600, 0), (7200, 1)):
        traces = mixsafe.load(file, time_step=step)
        assert len(mix_zones(positions(traces, time_step=step))) == zones


def test_parts_of_a_second_count(tmp_path):
    file = written(
        tmp_path / "t.csv",
        ("a", "home", "2024-03-01 08:00:00.2", "2024-03-01 08:01:00.5"),
        ("b", "home", "2024-03-01 08:01:00.9", "2024-03-01 08:01:00.9"),
    )
    assert mixsafe.load(file).time.tolist() == [BEGIN, BEGIN + 60, BEGIN + 60]


def test_every_spelling_of_a_table_of_stays_is_one(tmp_path):
    """CSV, Parquet, frames, numbers, and columns named by the user."""
    rows = [("a", "x", BEGIN, BEGIN + 150), ("b", "x", BEGIN + 70, BEGIN + 90)]
    frame = table(rows)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    plain = pd.DataFrame(rows, columns=["user_id", "place", "from", "to"])
    columns = {"start": "from", "end": "to"}
    expected = mixsafe.load(frame)
    assert len(expected.time) == 6
    for source, column in (
        (tmp_path / "t.csv", None),
        (tmp_path / "t.parquet", None),
        (frame.astype({"place": "category"}), None),
        (plain, columns),
        (plain.assign(**{"from": plain["from"] * 1000, "to": plain["to"] * 1000}), columns),
    ):
        found = mixsafe.load(source, column=column)
        assert found.time.tolist() == expected.time.tolist()
        assert found.region.tolist() == expected.region.tolist()


def test_staypoints_of_trackintel_are_read():
    geopandas = pytest.importorskip("geopandas", reason="geopandas is not installed")
    frame = table([("a", "", BEGIN, BEGIN + 150), ("b", "", BEGIN + 70, BEGIN + 90)])
    points = geopandas.GeoDataFrame(
        frame.drop(columns="place"),
        geometry=geopandas.points_from_xy([8.1, 8.1], [47.1, 47.1], crs=4326),
    ).rename_geometry("geom")
    answer = mixsafe.verify(points, k=2, adversary="none", rule="some")
    assert len(answer.problem.zones) == 1
    assert answer.verdict.value == "safe"


def test_two_stays_at_a_time_are_counted(tmp_path):
    """As two fixes of one moment are."""
    file = written(
        tmp_path / "t.csv",
        ("a", "home", "2024-03-01 08:00:00", "2024-03-01 08:03:00"),
        ("a", "work", "2024-03-01 08:01:00", "2024-03-01 08:02:00"),
    )
    (note,) = (note for note in mixsafe.load(file).notes if "same" in note)
    assert "1 fix" in note or "1 " in note


def test_bad_stays_are_counted_as_rows(tmp_path):
    """Two of 31 rows are bad, however many fixes the others are."""
    good = [(f"u{one}", "home", "2024-03-01 08:00", "2024-03-01 18:00") for one in range(29)]
    file = written(
        tmp_path / "t.csv", *good, *2 * [("z", "home", "2024-03-01 08:00", "2024-03-01 07:00")]
    )
    with pytest.raises(InputError, match="2 of 31 rows are bad"):
        mixsafe.load(file, skip_bad=True, most_bad="5%")
    traces = mixsafe.load(file, skip_bad=True, most_bad="7%")
    assert [one.count for one in traces.premises.skipped] == [2]
    assert traces.users.tolist()[-1] == "z"


def test_shorter_steps_than_stays_were_read_for_are_refused():
    """There a person would seem to be away in the middle of a stay."""
    frame = table([("a", "x", BEGIN, BEGIN + 150), ("b", "x", BEGIN, BEGIN + 150)])
    with pytest.raises(InputError, match=r"not 30.*load\(\.\.\., time_step=30\)"):
        mixsafe.verify(mixsafe.load(frame), k=2, time_step=30)
    traces = mixsafe.load(frame, time_step=30)
    assert len(mixsafe.verify(traces, k=2, time_step=30).problem.zones) == 5
    assert len(mixsafe.verify(frame, k=2, time_step=30).problem.zones) == 5


def test_stays_that_are_too_many_fixes_are_refused_before_they_are_made(monkeypatch):
    monkeypatch.setattr(stays, "MOST_FIXES", 100)
    monkeypatch.setattr(stays, "MOST_PER_ROW", 1)
    rows = [("a", "x", BEGIN, BEGIN + 3600), ("b", "x", BEGIN, BEGIN + 3600)]
    with pytest.raises(InputError, match="122 fixes, one every 60 s, more than 100; use a larger"):
        mixsafe.load(table(rows))
    assert len(mixsafe.load(table(rows), time_step=120).time) == 62


def test_long_stays_are_large_sources(tmp_path):
    """The memory of a file is that of the fixes of its stays; pieces are read as the whole."""
    rows = [
        (f"u{one % 50}", "x", BEGIN + one * 9000, BEGIN + one * 9000 + 8000)
        for one in range(20_000)
    ]
    file = tmp_path / "t.csv"
    table(rows).to_csv(file, index=False)
    fixes = len(mixsafe.load(file, time_step=600).time)
    assert is_large(file, fixes * 60, Reading(rules=RowRules(time_step=600)))
    wanted = WantedZones(time_step=600)
    with closing(SpillRoom(1 << 28, tmp_path)) as room:
        large = extract(file, wanted, room)
        assert len(large.zones) == len(mix_zones(positions(mixsafe.load(file), time_step=600)))


def test_a_release_of_stays_is_audited_with_sightings_of_stays(tmp_path):
    """A stay is a sighting in each of its steps, of which the last moment counts, as in traces."""
    header = "pseudonym,place,connected_at,disconnected_at"
    release = written(
        tmp_path / "release.csv",
        ("p", "AP1", "2024-03-01 08:00:00", "2024-03-01 08:10:30"),
        ("p", "AP2", "2024-03-01 08:10:40", "2024-03-01 08:20:00"),
        ("q", "AP1", "2024-03-01 08:00:00", "2024-03-01 08:20:00"),
        header=header,
    )
    seen = written(
        tmp_path / "seen.csv",
        ("ann", "AP1", "2024-03-01 08:05:00", "2024-03-01 08:10:30"),
        ("ann", "AP2", "2024-03-01 08:10:40", "2024-03-01 08:12:00"),
        header="user,ap,start,end",
    )
    found = CliRunner().invoke(
        app, ["audit", str(release), "--knowledge", str(seen), "--k", "2", "--exchange", "none"]
    )
    assert found.exit_code == 1, found.output
    assert "INVALID" in found.output


def test_sightings_and_requirements_of_traces_may_be_stays(tmp_path):
    """Each is one in every step of it, in the names of the data."""
    frame = table([("a", "x", BEGIN, BEGIN + 600), ("b", "x", BEGIN, BEGIN + 600)])
    seen = written(
        tmp_path / "seen.csv",
        ("a", "2024-03-01 08:02:30", "2024-03-01 08:04:00", "3"),
        header="user,connected_at,disconnected_at,k",
    )
    zones = mixsafe.pose(mixsafe.load(frame)).zones
    found = read_sightings(seen, zones.users, zones.axis)
    assert (found.row.tolist(), found.time.tolist()) == ([0, 0], [3, 4])
    asked = read_requirements(seen, zones.users, zones.axis)
    assert (asked.time.tolist(), asked.k.tolist()) == ([3, 4], [3, 3])
    written(
        seen, ("a", "2024-03-01 08:02:30", "2024-03-01 18:04:00", "3"), header="user,start,end,k"
    )
    with pytest.raises(InputError, match=r"line 2, column 'start'.*outside"):
        read_sightings(seen, zones.users, zones.axis)
