"""Descriptions: what is read, what is refused elsewhere, and what sizes would give."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mixsafe
from mixsafe.describing import measures
from mixsafe.describing.describe import describe
from mixsafe.describing.description import Dialect
from mixsafe.io.columns.reading import Reading, RowRules

BEGIN = 1_709_280_000
COLUMN = {"user_id": "Fahrzeug", "time": "Zeit", "lat": "Breite", "lon": "Länge"}


def fixes(users: str, steps: int = 6, every: int = 60) -> list[list[object]]:
    """Rows of users who go north side by side, 22 m apart."""
    return [
        [user, BEGIN + every * step, round(48 + 0.001 * step + 0.0002 * place, 6), 8.0]
        for place, user in enumerate(users)
        for step in range(steps)
    ]


def table(path: Path, rows: list[list[object]], header: str = "user_id,time,lat,lon") -> Path:
    """Write a CSV."""
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows), ""]))
    return path


def test_a_text_is_described_as_it_is_written(tmp_path: Path) -> None:
    """Encoding, separator and decimal mark, columns read and left, as a spreadsheet wrote them."""
    rows = [[*row, "frei"] for row in fixes("ab")]
    lines = [";".join(str(cell).replace(".", ",") for cell in row) for row in rows]
    text = "\r\n".join(["Fahrzeug;Zeit;Breite;Länge;Status", *lines, ""])
    (tmp_path / "taxi.csv").write_bytes(text.encode("cp1252"))
    found = describe(tmp_path / "taxi.csv", Reading(column=COLUMN), seconds=1)
    assert found.source.dialect == Dialect("Windows-1252", ";", ",", True, 0)
    assert found.source.taken == COLUMN
    assert found.source.left == ("Status",)
    assert found.refused == ()


ALIKE = [["Ann", BEGIN, 48.0, 8.0], ["ann", BEGIN + 60, 48.0, 8.0]]
BAD = [["c", "noon", 48.0, 8.0]]
ODD_DATES = [[row[0], f"3/1/2024 8:{row[1] % 3600 // 60:02}", *row[2:]] for row in fixes("ab")]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("rows", "ways"),
    [
        (fixes("ab") + ALIKE, ["--similar-names different"]),
        (fixes("ab") + BAD, ["--skip-bad --most-bad 100%"]),
        (ODD_DATES, ["--day-first"]),
        (fixes("ab") + ALIKE + BAD, ["--skip-bad --most-bad 100%", "--similar-names different"]),
        (ODD_DATES + BAD, ["--day-first", "--skip-bad --most-bad 100%"]),
    ],
    ids=["names alike", "bad row", "dates", "both", "dates and bad rows"],
)
def test_what_others_refuse_is_described_with_what_settles_it(
    tmp_path: Path, rows: list[list[object]], ways: list[str]
) -> None:
    """The first refusal is word by word that of the other commands."""
    path = table(tmp_path / "t.csv", rows)
    with pytest.raises(mixsafe.InputError) as refusal:
        mixsafe.load(path)
    found = describe(path, seconds=1)
    assert [one.taken_as for one in found.refused] == ways
    assert found.refused[0].message == str(refusal.value)
    assert found.fixes is not None
    assert found.premises.to_dict().get("skipped", {}) == (
        {"bad row": rows.count(BAD[0])} if BAD[0] in rows else {}
    )


def test_more_bad_rows_than_allowed_are_described(tmp_path: Path) -> None:
    """--skip-bad is given, and the file has more bad rows than it allows."""
    path = table(tmp_path / "t.csv", fixes("ab", 2) + BAD * 3)
    found = describe(path, Reading(rules=RowRules(skip_bad=True)), seconds=1)
    assert [one.taken_as for one in found.refused] == ["--skip-bad --most-bad 100%"]
    assert "3 of 7 rows are bad" in found.refused[0].message
    assert found.to_dict()["skipped"] == {"bad row": 3}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0\1\2",
        b"a,b\n1,2\n",
        b"user_id,time,lat,lon\n",
        b"user_id,time,lat,lon\na,noon,48,8\n",
        b"user_id,time,lat,lon\na,1709280000,0,0\n",
        b'{"users": 2, "horizon": 1}',
    ],
)
def test_a_file_that_cannot_be_read_is_refused_as_elsewhere(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(mixsafe.InputError) as refusal:
        mixsafe.load(tmp_path / "t.csv")
    with pytest.raises(mixsafe.InputError) as same:
        describe(tmp_path / "t.csv")
    assert str(same.value) == str(refusal.value)


def test_gaps_are_shares_of_steps(tmp_path: Path) -> None:
    """Of 10 steps, a has 5 from the first to the last, b 2 of the 3 between its fixes."""
    at = {"a": [0, 2, 4, 6, 9], "b": [1, 3]}
    rows = [[user, BEGIN + 60 * one, 48, 8] for user, steps in at.items() for one in steps]
    found = describe(table(tmp_path / "t.csv", rows), seconds=1).fixes
    assert found is not None
    assert found.between_median == 120
    assert found.time_step == 120
    assert found.share_of_steps == pytest.approx(7 / 10)
    assert found.share_of_steps_within == pytest.approx(7 / 7)
    assert (found.first, found.last) == ("2024-03-01T08:00:00+00:00", "2024-03-01T08:09:00+00:00")


@pytest.mark.parametrize(("every", "step"), [(1, 60), (60, 60), (61, 60), (70, 120), (3600, 3600)])
def test_a_step_is_about_as_long_as_the_time_between_fixes(
    tmp_path: Path, every: int, step: int
) -> None:
    """Never below the default, and a clock that is a second late makes no longer steps."""
    found = describe(table(tmp_path / "t.csv", fixes("ab", every=every)), seconds=1)
    assert found.fixes is not None
    assert found.fixes.time_step == step


def test_rows_without_a_position_spikes_and_pairs_are_named(tmp_path: Path) -> None:
    """By the rules of all readers, with the first rows."""
    rows = fixes("ab", steps=40)
    rows[3][2:] = [0, 0]
    rows.insert(6, ["a", BEGIN + 60 * 5 + 30, 49.5, 8.0])
    found = describe(table(tmp_path / "t.csv", rows), seconds=1)
    said = found.to_dict()
    assert said["skipped"] == {"no position": 1}
    assert said["kept"] == {"spike": 1}
    assert said["examples"]["no position"] == ["line 5 (a)"]
    assert [pair[:2] for pair in said["together"]["pairs"]] == [["a", "b"]]
    assert found.fixes is not None
    assert (found.fixes.users, found.fixes.people) == (2, 1)
    apart = describe(tmp_path / "t.csv", seconds=1, keep_together=True)
    assert apart.fixes is not None
    assert apart.fixes.people == 2


def test_the_table_says_what_verify_says(tmp_path: Path) -> None:
    """Each row is the answer with its cells and steps; the sizes are about what people move."""
    found = describe(mixsafe.sample("cabs"))
    assert found.sizes is not None
    assert found.fixes is not None
    assert found.sizes.sample is None
    traces = mixsafe.load(mixsafe.sample("cabs"))
    for row in found.sizes.rows:
        assert row.cell_size is not None
        assert row.time_step is not None
        problem = mixsafe.pose(traces, cell_size=row.cell_size, time_step=row.time_step)
        answer = mixsafe.verify(problem, k=3)
        assert row.zones == len(problem.zones)
        assert row.undecided == 0
        assert row.safe == pytest.approx(answer.summary["share_of_time_safe"], abs=1e-5)
    middle = found.sizes.rows[found.sizes.suggested].cell_size
    assert middle is not None
    assert 0.5 < middle / (found.fixes.metres_per_step or 0) < 2


def test_of_many_fixes_a_part_of_the_time_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the description says which."""
    whole = describe(mixsafe.sample("cabs"), seconds=1).sizes
    monkeypatch.setattr(measures, "MOST_FIXES", 4000)
    part = describe(mixsafe.sample("cabs"), seconds=1).sizes
    assert part is not None
    assert whole is not None
    assert part.sample == "1.9 hours of the data"
    assert 0 < part.rows[1].zones < whole.rows[1].zones / 2


def test_a_slip_of_centuries_is_described(tmp_path: Path) -> None:
    """The other commands refuse it by line; everything but the sizes is said."""
    rows = [
        [row[0], f"2024-03-01T08:{place % 6:02}:00Z", 48, 8]
        for place, row in enumerate(fixes("abc"))
    ]
    path = table(tmp_path / "t.csv", [*rows, ["a", "9999-01-01T00:00:00Z", 48, 8]])
    with pytest.raises(mixsafe.InputError) as refusal:
        mixsafe.verify(mixsafe.load(path), k=3)
    found = describe(path, seconds=1)
    assert found.fixes is not None
    assert found.fixes.last == "9999-01-01T00:00:00+00:00"
    assert found.fixes.share_of_steps is None
    assert found.sizes is None
    assert found.map is not None
    assert [one.message for one in found.refused] == [str(refusal.value)]


def test_a_map_has_nearly_all_fixes_in_few_squares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Far-off fixes are counted, and do not make the squares of a city large."""
    monkeypatch.setattr(measures, "MOST_SQUARES", 40)
    rows = fixes("ab", steps=30) * 20
    rows += [["c", BEGIN + 60 * step, 48 + step, 8] for step in range(5)]
    path = table(
        tmp_path / "t.csv", [[f"{row[0]}{place}", *row[1:]] for place, row in enumerate(rows)]
    )
    found = describe(path, seconds=1).map
    assert found is not None
    assert len(found.fixes) <= 40
    assert sum(found.fixes) + found.elsewhere == len(rows)
    assert found.elsewhere <= 0.02 * len(rows)
    assert found.side <= 400


def test_of_a_source_larger_than_memory_the_first_fixes_are_described(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", fixes("abcdefgh", steps=3000))
    found = describe(path, seconds=1, memory=1 << 20)
    assert found.fixes is not None
    assert 2000 < found.fixes.fixes < 24_000
    assert any(f"the first {found.fixes.fixes:,} fixes" in note for note in found.notes)


def sources(folder: Path) -> dict[str, tuple[Path, str]]:
    """A source of traces of each format, and its format."""
    rows = fixes("abc")
    plain = table(folder / "t.csv", rows)
    frame = pd.read_csv(plain)
    frame.to_parquet(folder / "t.parquet")
    frame.to_csv(folder / "t.csv.gz", index=False)
    (folder / "many").mkdir()
    for user, part in frame.groupby("user_id"):
        part.to_csv(folder / "many" / f"{user}.csv", index=False)
    features = [
        {
            "type": "Feature",
            "properties": {"user_id": user, "time": time},
            "geometry": {"type": "Point", "coordinates": [lon, lat]},
        }
        for user, time, lat, lon in rows
    ]
    geo = {"type": "FeatureCollection", "features": features}
    (folder / "t.geojson").write_text(json.dumps(geo))
    numbered = [[user, step, 1 + step % 2] for user in (1, 2, 3) for step in range(1, 9)]
    table(folder / "contest.csv", numbered, "user_id,time_id,reg_id")
    slots = [[user, 0, step, 5, 6] for user in (1, 2, 3) for step in range(8)]
    table(folder / "humob.csv", slots, "uid,d,t,x,y")
    (folder / "cabs").mkdir()
    for user in "ab":
        lines = [f"{lat} {lon} 0 {time}" for name, time, lat, lon in rows if name == user]
        (folder / "cabs" / f"new_{user}.txt").write_text("\n".join([*reversed(lines), ""]))
    return {
        "CSV": (plain, "table"),
        "Parquet": (folder / "t.parquet", "table"),
        "packed": (folder / "t.csv.gz", "table"),
        "folder": (folder / "many", "table"),
        "GeoJSON": (folder / "t.geojson", "geojson"),
        "contest": (folder / "contest.csv", "contest"),
        "HuMob": (folder / "humob.csv", "humob"),
        "cabs": (folder / "cabs", "cabspotting"),
    }


@pytest.mark.parametrize(
    "name", ["CSV", "Parquet", "packed", "folder", "GeoJSON", "contest", "HuMob", "cabs"]
)
def test_each_format_of_traces_is_described_as_it_is_read(tmp_path: Path, name: str) -> None:
    """Users, fixes and times are those of ``load``; plain values only, for JSON."""
    path, form = sources(tmp_path)[name]
    found = describe(path, seconds=1)
    traces = mixsafe.load(path)
    assert isinstance(traces, mixsafe.Traces)
    assert found.source.format == form
    assert found.fixes is not None
    assert found.fixes.users == len(traces.users)
    assert found.fixes.fixes == len(traces.user)
    assert (found.map is None) == (traces.lat is None)
    assert found.source.left == ()
    assert {*found.source.taken} >= ({"user_id"} if name not in ("HuMob", "cabs") else set())
    assert found.sizes is not None
    assert json.loads(json.dumps(found.to_dict()))["format"] == form


def test_what_holds_no_traces_says_what_it_is(tmp_path: Path) -> None:
    """Mix zones, problems, problems of tracklets, a feed, and trips."""
    problem = {"users": 2, "horizon": 2, "zones": [[1, [0, 1]]], "knowledge": [[0, 0]]}
    tracklets = {"tracklets": 2, "alive": [[0, 1], [3, 4]], "links": [[0, 1]]}
    bikes = [
        {"last_updated": BEGIN + 60 * one, "version": "2.3", "data": {"bikes": [
            {"bike_id": f"b{one // 2}", "lat": 48, "lon": 8, "is_reserved": False,
             "is_disabled": False}]}}
        for one in range(4)
    ]  # fmt: skip
    files = {
        "p.json": json.dumps(problem),
        "l.json": json.dumps(tracklets),
        "f.jsonl": "".join(f"{json.dumps(one)}\n" for one in bikes),
        "z.csv": "time_id,zone_id,user_id\n1,0,a\n1,0,b\n",
        "trips.csv": "ride_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng\n"
        "R1,2024-03-01 08:00:00,2024-03-01 08:10:00,48,8,48.01,8\n"
        "R2,2024-03-01 08:20:00,2024-03-01 08:30:00,48.01,8,48,8\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    found = {name: describe(tmp_path / name) for name in files}
    assert {name: one.source.what for name, one in found.items()} == {
        "p.json": "problems", "l.json": "links", "f.jsonl": "feed", "z.csv": "zones",
        "trips.csv": "feed",
    }  # fmt: skip
    assert found["p.json"].counts["zones"] == 1
    assert found["l.json"].counts["links"] == 1
    assert found["z.csv"].counts["memberships"] == 2
    assert (found["f.jsonl"].counts["identifiers"], found["f.jsonl"].counts["times"]) == (2, 4)
    assert all(one.refused == () and one.fixes is None for one in found.values())


def test_trips_with_ambiguous_dates_are_described_with_the_option(tmp_path: Path) -> None:
    """The option that settles dates holds for trips, as for traces."""
    path = tmp_path / "trips.csv"
    path.write_text(
        "ride_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng\n"
        "R1,01/03/2024 08:00:00,01/03/2024 08:10:00,48,8,48.01,8\n"
        "R2,02/03/2024 08:20:00,02/03/2024 08:30:00,48.01,8,48,8\n"
    )
    found = describe(path)
    assert found.source.what == "feed"
    assert [one.taken_as for one in found.refused] == ["--day-first"]


def test_a_feed_with_a_bad_record_is_described(tmp_path: Path) -> None:
    """As ``links`` refuses it: with the option that skips the record."""
    snapshots = [
        {"last_updated": BEGIN + 60 * one, "data": {"bikes": [
            {"bike_id": "a", "lat": 48, "lon": 8}, *([{"lat": 48, "lon": 8}] if one == 1 else [])]}}
        for one in range(4)
    ]  # fmt: skip
    path = tmp_path / "f.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in snapshots))
    with pytest.raises(mixsafe.InputError) as refusal:
        mixsafe.read_feed(path)
    found = describe(path)
    assert [one.message for one in found.refused] == [str(refusal.value)]
    assert found.refused[0].taken_as == "--skip-bad --most-bad 100%"
    assert found.premises.to_dict()["skipped"]["bad row"] == 1


def test_several_files_are_one_source(tmp_path: Path) -> None:
    one = table(tmp_path / "1.csv", fixes("ab"))
    other = table(tmp_path / "2.csv", fixes("cd"))
    found = describe([one, other], seconds=1)
    assert found.source.name == "1.csv and 1 more"
    assert found.fixes is not None
    assert found.fixes.first_users == ("a", "b", "c", "d")


def test_traces_in_memory_are_described() -> None:
    traces = mixsafe.load(mixsafe.sample("town"))
    found = mixsafe.describe(traces, seconds=1)
    assert repr(found) == "<Description traces: 200 users, 8,000 fixes>"
    assert found.fixes is not None
    assert found.fixes.places == len(np.unique(traces.region))


def test_users_without_a_fix_are_counted(tmp_path: Path) -> None:
    """A cab without a line stays a user."""
    path, _ = sources(tmp_path)["cabs"]
    shutil.copy(path / "new_a.txt", path / "new_c.txt")
    (path / "new_c.txt").write_text("0 0 0 1709280000\n")
    found = describe(path, seconds=1).fixes
    assert found is not None
    assert (found.users, found.users_without_data) == (3, 1)
