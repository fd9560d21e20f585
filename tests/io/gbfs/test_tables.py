"""Tables of records and of trips give the tracklets that they say."""

import pyarrow as pa
import pytest
from pyarrow import parquet

from mixsafe.errors import InputError
from mixsafe.io.gbfs.reading import read_feed

RECORDS = """id,time,lat,lon,battery,type,last_reported,uri
a,1750000000,52.5,13.4,0.8,s,1749999990,https://e.org/SN1/a
x,1750000000,52.6,13.4,,s,,
a,1750000060,52.5,13.4,0.7,s,1749999990,https://e.org/SN1/a
x,1750000060,52.6,13.4,,s,,
x,1750000120,52.6,13.4,,s,,
x,1750000180,52.6,13.4,,s,,
b,1750000180,52.51,13.4,0.6,s,1749999990,https://e.org/SN1/b
"""


def write(path, text):
    path.write_text(text)
    return path


def test_records_are_snapshots(tmp_path):
    feed = read_feed(write(tmp_path / "records.csv", RECORDS))
    tracklets = feed.tracklets
    assert tracklets.ids.tolist() == ["a", "x", "b"]
    assert (tracklets.ends.earliest - 1_750_000_000).tolist() == [60, 180, 180]
    assert (tracklets.ends.latest - 1_750_000_000).tolist() == [120, 180, 180]
    assert (tracklets.begins.earliest - 1_750_000_000).tolist() == [0, 0, 120]
    assert tracklets.ends.fields["battery"][0] == 0.7
    assert tracklets.begins.fields["uri"][0] == tracklets.begins.fields["uri"][2]
    assert [one.kind for one in feed.findings] == ["time stamp", "token"]
    assert feed.snapshots == 4


def test_parquet_with_missing_values_is_the_same(tmp_path):
    text = read_feed(write(tmp_path / "records.csv", RECORDS)).tracklets
    rows = [line.split(",") for line in RECORDS.splitlines()]
    columns = dict(zip(rows[0], map(list, zip(*rows[1:], strict=True)), strict=True))
    numbers = {"time": int, "lat": float, "lon": float, "battery": float, "last_reported": int}
    made = {
        name: [None if cell == "" else numbers.get(name, str)(cell) for cell in column]
        for name, column in columns.items()
    }
    parquet.write_table(pa.table(made), tmp_path / "records.parquet")
    other = read_feed(tmp_path / "records.parquet").tracklets
    assert other.ids.tolist() == text.ids.tolist()
    for name, column in text.begins.fields.items():
        assert str(other.begins.fields[name]) == str(column)


def test_records_with_times_of_their_own_end_with_them(tmp_path):
    path = write(
        tmp_path / "beacons.csv",
        "id,time,lat,lon,vehicle\na,1700000000,1,1,u\na,1700000007,1,1,u\nb,1700000009,1,1,u\nc,1700000011,1,1,v\n",
    )
    feed = read_feed(path, truth="vehicle")
    ends = feed.tracklets.ends
    assert ends.earliest.tolist() == ends.latest.tolist()
    assert (ends.latest - 1_700_000_000).tolist() == [7, 9, 11]
    assert feed.tracklets.ends.cut.tolist() == [False, False, True]
    assert "times of their own" in feed.notes[-1]
    assert feed.vehicles == ("u", "v")


def test_trips_begin_and_end_at_known_times(tmp_path):
    path = write(
        tmp_path / "trips.csv",
        "id,start_time,start_lat,start_lon,end_time,end_lat,end_lon,start_battery,end_battery,type\n"
        "q,2026-05-17T10:05:00Z,52.51,13.4,2026-05-17T10:09:00Z,52.52,13.4,0.7,0.6,s\n"
        "p,2026-05-17T10:00:00Z,52.5,13.4,2026-05-17T10:04:00Z,52.51,13.4,0.8,,s\n",
    )
    tracklets = read_feed(path).tracklets
    assert tracklets.ids.tolist() == ["p", "q"]
    assert tracklets.begins.latest[1] - tracklets.ends.earliest[0] == 60
    assert tracklets.begins.earliest[1] == tracklets.begins.latest[1]
    assert tracklets.begins.fields["battery"].tolist() == [0.8, 0.7]
    assert tracklets.ends.lat.tolist() == [52.51, 52.52]
    assert tracklets.begins.cut.tolist() == [True, False]


HEAD = "id,time,lat,lon,battery,v\n"
TRIPS = "id,start_time,start_lat,start_lon,end_time,end_lat,end_lon\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "a,1700000000,1,1,1,u\na,1750000000000,1,1,1,u\n", "line 3, column 'time'"),
        (
            HEAD + "a,1700000000,1,1,1,u\nb,1700000000,1,1,1,v\na,1700000000,2,2,1,u\n",
            "line 4, column 'id'.*twice at one",
        ),
        (
            HEAD + "a,1700000000,152,13,1,u\nb,1700000001,1,1,1,v\n",
            "line 2, column 'lat'.*latitude",
        ),
        (
            HEAD + "a,1700000000,1,1,much,u\nb,1700000001,1,1,1,v\n",
            "line 2, column 'battery': 'much' is not a number",
        ),
        (
            HEAD + "a,1700000000,1,1,1,u\nb,1700000001,1,1,101,v\n",
            "line 3, column 'battery'.*from 0 to 100",
        ),
        (
            HEAD + "a,1700000000,1,1,1,u\na,1700000001,1,1,1,w\n",
            "line 3, column 'v': identifier 'a' is of vehicle w",
        ),
        (HEAD + "a,1700000000,1,1,1,u\nb,1700000001,1,1,1,\n", "line 3, column 'v'"),
        (
            HEAD + "a,1700000000,1,1,1,u\nb,1700000001,1,1,1,u\n",
            "column 'v': all identifiers are of one vehicle",
        ),
        (HEAD + "a,1700000000,1,1,1,u\nb,1700000000,1,1,1,v\n", "all records are of one time"),
        ("id,time,lat,lon\na,1700000000,1,1\n", "column 'v': the column does not exist"),
        (TRIPS + "a,1700000000,1,1,1700000005,1,1\n", "column 'v': the column does not exist"),
        ("id,start_time,v\na,0,1\n", "column 'start_lat'.*trips have the columns"),
        (
            "v," + TRIPS + "1,a,1700000000,1,1,1700000005,1,1\n2,a,1700000006,1,1,1700000009,1,1\n",
            "line 3, column 'id': identifier 'a' occurs twice",
        ),
        (
            "v," + TRIPS + "1,a,1700000009,1,1,1700000005,1,1\n2,b,1700000006,1,1,1700000009,1,1\n",
            "line 2.*ends 4 s before it starts",
        ),
        (
            "v,"
            + TRIPS
            + "1,a,1700000001,1,1,1700000005,1,200\n2,b,1700000006,1,1,1700000009,1,1\n",
            "line 2, column 'end_lon'",
        ),
        ("id,time_id,reg_id,v\na,1,1,u\n", "steps or of regions"),
    ],
)
def test_wrong_tables_are_refused(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read_feed(write(tmp_path / "table.csv", text), truth="v")


def test_a_folder_of_tables_is_read_as_the_one_table_that_it_is(tmp_path):
    header, *rows = RECORDS.splitlines(keepends=True)
    whole = write(tmp_path / "records.csv", RECORDS)
    folder = tmp_path / "records"
    folder.mkdir()
    write(folder / "1.csv", header + "".join(rows[:3]))
    second = write(folder / "2.csv", header + "".join(rows[3:]))
    one, other = read_feed(whole), read_feed(folder)
    assert other.tracklets.ids.tolist() == one.tracklets.ids.tolist()
    assert other.tracklets.ends.latest.tolist() == one.tracklets.ends.latest.tolist()
    assert other.findings == one.findings
    write(second, second.read_text().replace("0.6", "6x"))
    with pytest.raises(InputError, match=r"2\.csv, line 5, column 'battery'.*'6x'"):
        read_feed(folder)
    left = read_feed(folder, skip_bad=True, most_bad="50%")
    assert "(2.csv, line 5: battery: '6x' is not a number from 0 to 100)" in " ".join(left.notes)


def test_offsets_that_differ_between_files_need_a_zone_as_in_one_file(tmp_path):
    header = "id,time,lat,lon\n"
    write(tmp_path / "1.csv", header + "a,2025-06-15T10:00:00+02:00,52.5,13.4\n")
    write(tmp_path / "2.csv", header + "b,2025-11-16T10:00:00+01:00,52.5,13.4\n")
    with pytest.raises(InputError, match=r"2\.csv, line 2.*\+01:00, and others have.*--tz"):
        read_feed(tmp_path)
    assert read_feed(tmp_path, tz="Europe/Berlin").tracklets.first.tolist() == [
        1_749_974_400,
        1_763_283_600,
    ]
