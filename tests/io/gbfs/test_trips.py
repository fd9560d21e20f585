"""Tables of trips as operators publish them, with what is wrong in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.model.answer.verdict import Verdict
from mixsafe.tracklets.feeds import FeedAnswer, links

NEW = (
    "ride_id,rideable_type,started_at,ended_at,start_station_id,end_station_id,"
    "start_lat,start_lng,end_lat,end_lng\n"
)
OLD = (
    '"tripduration","starttime","stoptime","start station latitude","start station longitude",'
    '"end station latitude","end station longitude","bikeid","birth year"\n'
)


def write(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "trips.csv"
    path.write_text("".join(lines))
    return path


def ride(name: str, start: str, end: str, *, at: str = "40.1,-73.9", to: str = "40.2,-73.9") -> str:
    station = "" if to == "," else "6"
    return f"{name},classic,2024-11-{start},2024-11-{end},5,{station},{at},{to}\n"


def test_trips_with_identifiers_of_their_own_are_read_and_said_to_be(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        NEW,
        ride("R1", "05 08:00:00.123", "05 08:10:00.456"),
        ride("R2", "05 09:00:00", "05 09:10:00"),
    )
    found = read_feed(path)
    assert found.tracklets.ids.tolist() == ["R1", "R2"]
    assert "type" in found.tracklets.ends.fields
    assert any("each trip has an identifier of its own" in note for note in found.notes)


def test_trips_of_named_vehicles_are_followed_without_any_search(tmp_path: Path) -> None:
    rows = [
        f'"600","2013-07-01 0{hour}:00:00","2013-07-01 0{hour}:10:00","40.1","-73.9","40.2",'
        f'"-73.9","{bike}","\\N"\n'
        for bike, hour in ((7, 1), (7, 3), (8, 2), (9, 5))
    ]
    found = read_feed(write(tmp_path, OLD, *rows))
    assert found.tracklets.ids.tolist() == ["7", "8", "9"]
    assert [one.kind for one in found.findings] == ["kept"]
    assert any("column 'bikeid'" in note for note in found.notes)
    assert links(found, 2).followed.verdict is Verdict.UNSAFE


def test_trips_without_identifiers_are_rows(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "Start Time,End Time,Start Latitude,Start Longitude,End Latitude,End Longitude\n",
        "2024-03-01 08:00,2024-03-01 08:10,40.1,-73.9,40.2,-73.9\n",
        "2024-03-01 09:00,2024-03-01 09:10,40.2,-73.9,40.1,-73.9\n",
    )
    assert read_feed(path).tracklets.ids.tolist() == ["trip 1", "trip 2"]


def test_columns_are_named_on_request(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "key,a,b,start_lat,start_lon,end_lat,end_lon\n",
        "x,2024-03-01T08:00:00Z,2024-03-01T08:10:00Z,40.1,-73.9,40.2,-73.9\n",
        "y,2024-03-01T09:00:00Z,2024-03-01T09:10:00Z,40.2,-73.9,40.1,-73.9\n",
    )
    with pytest.raises(InputError, match=r"'start_time'.*--column start_time=NAME"):
        read_feed(path)
    named = {"start_time": "a", "end_time": "b", "id": "key"}
    assert read_feed(path, columns=named).tracklets.ids.tolist() == ["x", "y"]


@pytest.mark.parametrize("day", ["2024-11-03", "11/03/2024"])
def test_a_ride_over_the_end_of_summer_time_ends_after_it_starts(day: str, tmp_path: Path) -> None:
    rides = ride("R1", "03 00:10:00", "03 00:20:00"), ride("R3", "03 01:50:00", "03 01:05:00")
    path = write(tmp_path, NEW, *(one.replace("2024-11-03", day) for one in rides))
    month_first = day != "2024-11-03"
    for tz in (None, "America/Chicago"):
        found = read_feed(path, tz=tz, month_first=month_first)
        begins, ends = found.tracklets.begins, found.tracklets.ends
        assert (ends.earliest - begins.latest).tolist() == [600, 900]
        assert found.tz == (tz or "America/New_York")
    notes = read_feed(path, month_first=month_first).notes
    assert any("clocks are set back in America/New_York" in note for note in notes)


@pytest.mark.parametrize(
    ("start", "end", "zone"),
    [
        ("10-27 02:40", "10-27 02:10", "Europe/Berlin"),
        ("10-27 01:40", "10-27 01:10", "Europe/London"),
    ],
)
def test_the_hour_of_the_turn_tells_its_rule(
    tmp_path: Path, start: str, end: str, zone: str
) -> None:
    rows = [
        f"R1,c,2024-{start},2024-{end},5,6,40.1,-73.9,40.2,-73.9\n",
        "R2,c,2024-10-28 01:00,2024-10-28 01:30,5,6,40.1,-73.9,40.2,-73.9\n",
    ]
    found = read_feed(write(tmp_path, NEW, *rows))
    assert found.tz == zone
    assert found.tracklets.ends.earliest[0] - found.tracklets.begins.latest[0] == 1800


def test_a_trip_that_no_clock_explains_is_refused_or_skipped(tmp_path: Path) -> None:
    rows = [ride(f"R{n}", f"05 0{n}:00:00", f"05 0{n}:10:00") for n in (1, 2, 3)]
    path = write(tmp_path, NEW, *rows, ride("R4", "06 01:50:00", "06 01:05:00"))
    with pytest.raises(InputError, match=r"line 5.*2700 s before it starts.*--tz.*--skip-bad"):
        read_feed(path)
    found = read_feed(path, skip_bad=True)
    assert found.tracklets.ids.tolist() == ["R1", "R2", "R3"]
    assert found.premises.to_dict() == {"skipped": {"bad row": 1}}


@pytest.mark.parametrize("end", ["06 09:49:00", ""])
def test_a_lost_vehicle_is_skipped_and_counted(tmp_path: Path, end: str) -> None:
    rows = [ride("R1", "05 00:10:00", "05 00:20:00"), ride("R2", "05 01:10:00", "05 01:20:00")]
    lost = ride("R3", "05 08:50:00", end, to=",").replace("2024-11-,", ",")
    found = read_feed(write(tmp_path, NEW, *rows, lost))
    assert found.tracklets.ids.tolist() == ["R1", "R2"]
    assert found.premises.to_dict() == {"skipped": {"lost vehicle": 1}}
    assert any("line 4 (R3)" in note for note in found.notes)


@pytest.mark.parametrize("nowhere", ["0,0", ",", "91,181", "-999,-999", "NaN,NaN", "NA,NA"])
@pytest.mark.parametrize("side", ["start", "end"])
def test_a_trip_without_a_position_is_excluded_by_no_speed(
    tmp_path: Path, nowhere: str, side: str
) -> None:
    places = {"at" if side == "start" else "to": nowhere}
    first, second = ({}, places) if side == "start" else (places, {})
    path = write(
        tmp_path,
        NEW,
        ride("R0", "05 06:10:00", "05 06:20:00"),
        ride("R1", "05 07:10:00", "05 07:20:00", **first),
        ride("R2", "05 08:10:00", "05 08:20:00", **second),
        ride("R4", "05 10:10:00", "05 10:20:00"),
    )
    found = read_feed(path)
    side_of = found.tracklets.begins if side == "start" else found.tracklets.ends
    row = 2 if side == "start" else 1
    assert np.flatnonzero(~side_of.placed).tolist() == [row]
    assert found.premises.to_dict() == {"skipped": {"no position": 1}}
    problem = links(found, 2).followed.problem
    assert 2 in problem.to[problem.ptr[1] : problem.ptr[2]]


RECORDS = "id,time,lat,lon,battery\n"


@pytest.mark.parametrize("nowhere", ["0,0", ",", "91,181", "-999,-999", "nan,nan"])
def test_records_without_a_position_are_counted_and_excluded_by_no_speed(
    tmp_path: Path, nowhere: str
) -> None:
    rows = [
        "a,2024-03-01T08:00:00Z,52.5,13.4,0.5\n",
        f"a,2024-03-01T08:10:00Z,{nowhere},0.5\n",
        "b,2024-03-01T08:20:00Z,52.5,13.4,0.5\n",
        "b,2024-03-01T08:30:00Z,52.5,13.4,0.4\n",
    ]
    found = read_feed(write(tmp_path, RECORDS, *rows))
    assert found.premises.to_dict() == {"skipped": {"no position": 1}}
    assert any("line 3 (a)" in note for note in found.notes)
    assert links(found, 2).followed.problem.n_links == 1
    if nowhere == "0,0":
        kept = read_feed(tmp_path / "trips.csv", keep_null_island=True)
        assert links(kept, 2).followed.problem.n_links == 0


def test_bad_rows_of_records_are_skipped_on_request(tmp_path: Path) -> None:
    good = [f"{name},2024-03-01T08:0{n}:00Z,52.5,13.4,0.5\n" for n in range(5) for name in "ab"]
    bad = [
        "c,2024-03-01T08:00:00Z,52.5,13.4,much\n",
        ",2024-03-01T08:00:00Z,52.5,13.4,0.5\n",
        "c,noon,52.5,13.4,0.5\n",
        "c,2024-03-01T08:00:00Z,north,13.4,0.5\n",
        "c,2024-03-01T08:00:00Z,52.5,213.4,0.5\n",
        "a,2024-03-01T08:00:00Z,52.5,13.4,0.5\n",
        "c,2024-03-01T08:00:00Z,52.5\n",
    ]
    clean = read_feed(write(tmp_path, RECORDS, *good))
    for one in bad:
        with pytest.raises(InputError, match=r"line 12.*--skip-bad"):
            read_feed(write(tmp_path, RECORDS, *good, one))
    path = write(tmp_path, RECORDS, *good, *bad)
    with pytest.raises(InputError, match=r"7 of 17 rows are bad, more than 1%"):
        read_feed(path, skip_bad=True)
    found = read_feed(path, skip_bad=True, most_bad=7)
    assert found.tracklets.ids.tolist() == clean.tracklets.ids.tolist()
    assert found.tracklets.ends.lat.tolist() == clean.tracklets.ends.lat.tolist()
    assert found.premises.to_dict() == {"skipped": {"bad row": 7}}


@pytest.mark.parametrize("seed", range(12))
def test_trips_without_positions_exclude_no_link_of_trips_with_them(
    tmp_path: Path, seed: int
) -> None:
    random = np.random.default_rng(seed)
    lines, lost = [], []
    for vehicle in range(5):
        minute, place = int(random.integers(60)), random.normal(40, 0.01, 2)
        for _ in range(4):
            places = [f"{lat:.5f},{lon:.5f}" for lat, lon in (place, place + 0.005)]
            until = minute + int(random.integers(10, 30))
            times = [f"2024-03-01T{at // 60:02}:{at % 60:02}:00Z" for at in (minute, until)]
            name = f"{vehicle}-{minute}"
            lines.append(f"{name},{times[0]},{places[0]},{times[1]},{places[1]},{vehicle}\n")
            nowhere = random.choice(["0,0", ",", "91,181", "-999,-999"], 2)
            chosen = random.random(2) < 0.4
            places = [
                str(no) if one else it for one, no, it in zip(chosen, nowhere, places, strict=True)
            ]
            lost.append(f"{name},{times[0]},{places[0]},{times[1]},{places[1]},{vehicle}\n")
            minute, place = until + int(random.integers(1, 100)), place + 0.005
    head = "id,start_time,start_lat,start_lon,end_time,end_lat,end_lon,v\n"
    whole = links(read_feed(write(tmp_path, head, *lines), truth="v"), 2)
    found = links(read_feed(write(tmp_path, head, *lost), truth="v"), 2)
    assert not any(one.excluded for one in (*whole.checks, *found.checks))
    assert _links(whole) <= _links(found)


def _links(answer: FeedAnswer) -> set[tuple[str, str]]:
    """Pairs of identifiers that may follow each other."""
    problem, ids = answer.followed.problem, answer.feed.tracklets.ids
    return set(zip(ids[problem.owner].tolist(), ids[problem.to].tolist(), strict=True))


def test_a_field_of_a_table_that_is_not_compared_is_no_reason_to_refuse(tmp_path: Path) -> None:
    rows = [f"{name},2024-03-01T08:0{n}:00Z,52.5,13.4,much\n" for n in range(3) for name in "ab"]
    path = write(tmp_path, RECORDS, *rows)
    with pytest.raises(InputError, match=r"line 2, column 'battery'.*leave the field battery out"):
        read_feed(path)
    found = read_feed(path, fields=("type",))
    assert any("6 values of battery are unknown" in note for note in found.notes)


BESIDE = "ride_id,start_date,start_time,end_date,end_time,start_lat,start_lng,end_lat,end_lng\n"
ONE_DAY = "ride_id,date,start_time,end_time,start_lat,start_lng,end_lat,end_lng\n"


def test_dates_beside_the_times_of_trips_are_joined(tmp_path: Path) -> None:
    """They are where begin and end have a date each, or one for both; a clock is in any form."""
    joined = write(
        tmp_path,
        NEW,
        ride("R1", "03 23:50:00", "04 00:05:00"),
        ride("R2", "04 08:40:00", "04 08:50:00"),
    )
    whole = read_feed(joined).tracklets
    places = "40.1,-73.9,40.2,-73.9\n"
    beside = (
        f"R1,2024-11-03,23:50:00,2024-11-04,00:05:00,{places}",
        f"R2,2024-11-04,08:40,2024-11-04,08:50,{places}",
    )
    one_day = (
        f"R1,03.11.2024,23:40,23:50,{places}",
        f"R2,04.11.2024,08:40,08:50,{places}",
    )
    apart = read_feed(write(tmp_path, BESIDE, *beside)).tracklets
    assert apart.begins.latest.tolist() == whole.begins.latest.tolist()
    assert apart.ends.earliest.tolist() == whole.ends.earliest.tolist()
    path = write(tmp_path, ONE_DAY, *one_day)
    with pytest.raises(InputError, match="--day-first or --month-first"):
        read_feed(path)
    day = read_feed(path, day_first=True).tracklets
    assert (day.begins.latest - whole.begins.latest).tolist() == [-600, 0]
    month = read_feed(path, month_first=True).tracklets
    assert month.begins.latest[0] - day.begins.latest[0] == -237 * 86_400


def test_a_trip_over_midnight_needs_the_date_of_its_end(tmp_path: Path) -> None:
    rows = [f"R{n},2024-11-0{n},08:40,08:50,40.1,-73.9,40.2,-73.9\n" for n in (1, 2)]
    over = "R3,2024-11-03,23:50,00:05,40.1,-73.9,40.2,-73.9\n"
    path = write(tmp_path, ONE_DAY, *rows, over)
    with pytest.raises(InputError, match=r"line 4.*before it starts.*end_date.*--skip-bad"):
        read_feed(path)
    assert read_feed(path, skip_bad=True).tracklets.ids.tolist() == ["R1", "R2"]


def test_dates_beside_the_times_of_records_are_joined(tmp_path: Path) -> None:
    rows = [
        "a,2024-11-03,08:00:00,52.5,13.4\n",
        "a,2024-11-03,08:10:00,52.5,13.4\n",
        "b,2024-11-04,00:10:00,52.5,13.4\n",
    ]
    head = "id,date,time,lat,lon\n"
    found = read_feed(write(tmp_path, head, *rows)).tracklets
    assert (found.begins.latest - found.begins.latest[0]).tolist() == [0, 58_200]
    path = write(tmp_path, head, *rows, "c,,08:10:00,52.5,13.4\n")
    with pytest.raises(InputError, match=r"line 5, column 'date': the value is missing"):
        read_feed(path)
    assert read_feed(path, skip_bad=True).premises.to_dict() == {"skipped": {"bad row": 1}}


@pytest.mark.parametrize("head", [NEW, OLD])
def test_columns_of_both_generations_may_have_any_names(tmp_path: Path, head: str) -> None:
    """What is recognized by name is the same under names that are said."""
    if head == NEW:
        rows = [ride(f"R{n}", f"05 0{n}:00:00", f"05 0{n}:10:00") for n in (1, 2, 3)]
    else:
        rows = [
            f"600,2013-07-01 0{n}:00:00,2013-07-01 0{n}:10:00,40.1,-73.9,40.2,-73.9,{n},1980\n"
            for n in (1, 2, 3)
        ]
    usual = read_feed(write(tmp_path, head, *rows)).tracklets
    names = head.strip().replace('"', "").split(",")
    meanings = {
        "start_time": {"started_at", "starttime"}, "end_time": {"ended_at", "stoptime"},
        "start_lat": {"start_lat", "start station latitude"},
        "start_lon": {"start_lng", "start station longitude"},
        "end_lat": {"end_lat", "end station latitude"},
        "end_lon": {"end_lng", "end station longitude"}, "id": {"ride_id", "bikeid"},
    }  # fmt: skip
    said = {
        meaning: f"c{number}"
        for meaning, known in meanings.items()
        for number, name in enumerate(names)
        if name in known
    }
    assert said.keys() == meanings.keys()
    other = ",".join(f"c{number}" for number in range(len(names))) + "\n"
    found = read_feed(write(tmp_path, other, *rows), columns=said).tracklets
    assert found.ids.tolist() == usual.ids.tolist()
    assert found.begins.latest.tolist() == usual.begins.latest.tolist()
    assert found.ends.lat.tolist() == usual.ends.lat.tolist()


@pytest.mark.parametrize("cell", ["lat", "time"])
def test_a_table_without_a_good_row_is_refused_with_what_is_wrong(
    tmp_path: Path, cell: str
) -> None:
    """Also where rows are skipped, and no row is left to look at."""
    wrong = "2024-03-01T08:00:00Z,north" if cell == "lat" else "noon,52.5"
    path = write(tmp_path, RECORDS, *(f"{name},{wrong},13.4,0.5\n" for name in "abc"))
    with pytest.raises(InputError, match=r"line 2.*(north|noon)"):
        read_feed(path, skip_bad=True)
    with pytest.raises(InputError, match=r"no row can be used|line 2.*noon"):
        read_feed(path, skip_bad=True, most_bad=3)


def test_a_field_of_one_side_only_is_not_compared(tmp_path: Path) -> None:
    """It was an internal failure."""
    path = write(
        tmp_path,
        "id,start_time,start_lat,start_lon,end_time,end_lat,end_lon,start_battery\n",
        "p,2026-05-17T10:00:00Z,52.5,13.4,2026-05-17T10:04:00Z,52.51,13.4,0.8\n",
        "q,2026-05-17T10:05:00Z,52.51,13.4,2026-05-17T10:09:00Z,52.52,13.4,0.7\n",
    )
    found = read_feed(path)
    assert "battery" not in found.tracklets.begins.fields
    assert links(found, 2).followed.problem.n_links == 1


def test_cells_that_say_nothing_are_no_type(tmp_path: Path) -> None:
    rows = [ride(f"R{n}", f"05 0{n}:00:00", f"05 0{n}:10:00") for n in (1, 2, 3)]
    rows[1] = rows[1].replace("classic", "NA")
    found = read_feed(write(tmp_path, NEW, *rows)).tracklets.ends.fields["type"]
    np.testing.assert_array_equal(found, [0, np.nan, 0])
