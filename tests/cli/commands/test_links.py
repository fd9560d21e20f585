"""``mixsafe links``, from snapshots and problems to answers, pages and exit status."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from mixsafe_cli.app import app
from tests.support.feeds import bike, free_bike_status, random_fleet, write_folder, write_lines
from tests.support.rotating_fleet import rotating_fleet

EXAMPLE = {
    "name": "hops",
    "tracklets": 4,
    "alive": [[0, 1], [0, 1], [3, 4], [3, 4]],
    "links": [[0, 2], [1, 2], [1, 3]],
    "continue": [0],
    "come": [],
    "same": [],
}
"""If tracklet 0 must continue, it takes tracklet 2 from tracklet 1."""


def run(*words: object) -> Any:
    return CliRunner().invoke(app, ["links", *map(str, words)])


MESSAGES = """t,pseudonym,pos.x,pos.y,heading,speed
0,a,10,20,90,12
1,a,22,20,90,12
0,x,500,500,0,3
1,x,500,503,0,3
2,x,500,506,0,3
2,b,34,20,91,12
3,b,46,20,91,12
"""
CARS = ("--crs", "metres", "--max-speed", 80, "--max-gap", "3s", "--error", 1)


def test_messages_with_heading_and_speed_are_answered(tmp_path: Path) -> None:
    """Protects the tables of simulations: they are read without conversion, in metres."""
    (tmp_path / "messages.csv").write_text(MESSAGES)
    answer = run(tmp_path / "messages.csv", "--k", 2, *CARS)
    assert answer.exit_code == 1, answer.output
    assert "A follower who bets" in answer.output
    bare = run(tmp_path / "messages.csv")
    assert bare.exit_code == 2
    assert "say --crs metres or --crs EPSG:CODE if pos.x and pos.y are on a plane" in bare.stderr


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("heading", "361", "'361' is not a number from 0 to 360"),
        ("heading", "east", "'east' is not a number from 0 to 360"),
        ("speed", "-12.5", "'-12.5' is not a number from 0 on"),
    ],
)
def test_a_wrong_heading_or_speed_is_one_line(
    tmp_path: Path, column: str, value: str, said: str
) -> None:
    """Protects whoever has a bad table: file, line, column and what to do; exit status 2."""
    lines = MESSAGES.splitlines()
    cells = lines[2].split(",")
    cells[lines[0].split(",").index(column)] = value
    lines[2] = ",".join(cells)
    (tmp_path / "messages.csv").write_text("\n".join(lines) + "\n")
    answer = run(tmp_path / "messages.csv", *CARS)
    assert answer.exit_code == 2
    assert f"messages.csv, line 3, column '{column}': {said}" in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1
    assert run(tmp_path / "messages.csv", *CARS, "--fields", "type").exit_code == 1


@pytest.fixture
def feed(tmp_path: Path) -> Path:
    """Snapshots of eight vehicles."""
    return write_folder(tmp_path / "feed", *random_fleet(8, vehicles=8, steps=14))


def test_a_feed_is_answered_with_a_table_a_result_and_a_page(feed: Path, tmp_path: Path) -> None:
    rows, result, page = tmp_path / "rides.csv", tmp_path / "feed.json", tmp_path / "feed.html"
    done = run(feed, "--k", 2, "-o", rows, "--json", result, "--plot", tmp_path / "c.svg")
    assert done.exit_code in (1, 3), done.stderr
    found = json.loads(result.read_text())
    table = pd.read_csv(rows)
    assert set(table["side"]) == {"end", "begin"}
    assert (table["lower"] <= table["upper"]).all()
    ends = table[table["side"] == "end"]
    assert found["summary"]["ends"]["rides"] == len(ends)
    assert found["summary"]["ends"]["followed"] == (ends["upper"] == 1).sum()
    assert found["summary"]["ends"]["safe"] == (ends["lower"] >= 2).sum()
    report = CliRunner().invoke(app, ["report", str(result), "-o", str(page)])
    assert report.exit_code == 0, report.stderr
    assert f"{len(ends):,} rides" in page.read_text()
    assert found["document"]["sentence"] in " ".join(done.stdout.split())
    assert "<svg" in (tmp_path / "c.svg").read_text()


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        ("order", {"order": "vehicle"}),
        ("field", {"keys": lambda one: {"plate": f"B-{one.serial}"}}),
        ("token", {"keys": lambda one: {"rental_uris": {"web": f"https://app/SN{one.serial:05}"}}}),
    ],
)
def test_what_survives_is_told_in_the_terminal_the_json_and_the_page(
    tmp_path: Path, kind: str, how: dict[str, Any]
) -> None:
    """With its numbers, an example and what to do; honest rotation is told nowhere."""
    result, page = tmp_path / "feed.json", tmp_path / "feed.html"
    for more, expected in ((how, [kind]), ({}, [])):
        snapshots = rotating_fleet(1, vehicles=12, steps=150, **more)
        path = write_lines(tmp_path / "feed.jsonl", *snapshots)
        done = run(path, "--json", result)
        found = json.loads(result.read_text())["findings"]
        assert [one["kind"] for one in found] == expected
        assert CliRunner().invoke(app, ["report", str(result), "-o", str(page)]).exit_code == 0
        assert ("Found in the data" in page.read_text()) is bool(expected)
        for one in found:
            assert 0 < one["count"] <= one["of"]
            assert len(one["example"]) == 2
            for shown in (done.stdout, page.read_text()):
                plain = " ".join(html.unescape(shown).split())
                assert one["sentence"] in plain
                assert one["advice"] in plain


def test_trips_of_mds_are_answered(tmp_path: Path) -> None:
    """A device is one vehicle; trip by trip, the devices test the rules."""
    trips = [
        {
            "provider_id": "p", "device_id": f"d{n % 2}", "trip_id": f"t{n}",
            "start_time": 1_709_280_000_000 + 1_200_000 * n,
            "end_time": 1_709_280_600_000 + 1_200_000 * n,
            **{key: {"lat": 52.5, "lng": 13.4} for key in ("start_location", "end_location")},
        }
        for n in range(6)
    ]  # fmt: skip
    path = tmp_path / "trips.json"
    path.write_text(json.dumps({"version": "2.0.0", "data": {"trips": trips}}))
    done = run(path, "--json", "-")
    assert [one["kind"] for one in json.loads(done.stdout)["findings"]] == ["kept"]
    done = run(path, "--column", "id=trip_id", "--truth", "device_id", "--json", "-", "--k", 2)
    found = json.loads(done.stdout)
    assert found["summary"]["tracklets"] == 6
    assert [one["true_links"] for one in found["rules"]] == [4, 4]
    assert found["unsound"] == []


def test_the_order_of_dates_is_said(tmp_path: Path) -> None:
    path = tmp_path / "trips.csv"
    path.write_text(
        "ride_id,date,start_time,end_time,start_lat,start_lng,end_lat,end_lng\n"
        "a,03/11/2024,08:00,08:10,52.5,13.4,52.5,13.4\n"
        "b,04/11/2024,08:20,08:30,52.5,13.4,52.5,13.4\n"
    )
    done = run(path)
    assert done.exit_code == 2
    assert "say --day-first or --month-first" in " ".join(done.stderr.split())
    for option in ("--day-first", "--month-first"):
        assert run(path, option, "--quiet").exit_code in (0, 1, 3)
    assert run(path, "--day-first", "--month-first").exit_code == 2


def test_the_exit_status_is_that_of_the_rule(feed: Path) -> None:
    assert run(feed, "--k", 2, "--rule", "share:0.1").exit_code == 0
    assert run(feed, "--k", 90).exit_code == 1
    assert run(feed, "--k", 2, "--rule", "some").exit_code == 2


def test_a_truth_tests_the_rules_first(feed: Path) -> None:
    done = run(feed, "--k", 2, "--truth", "truth", "--max-speed", 2, "--json", "-")
    found = json.loads(done.stdout)
    speed = next(one for one in found["rules"] if one["name"] == "speed")
    assert speed["excluded"] > 0
    assert found["unsound"] == ["speed"]
    assert found["summary"]["ends"]["unsafe"] == 0
    assert done.exit_code == 3


def test_remedies_end_with_a_sentence(feed: Path) -> None:
    done = run(feed, "--k", 3, "--rule", "share:0.9", "--remedies", "--believe", 1)
    assert "The mildest change that fulfils the rule" in done.stdout


def test_a_closed_fleet_that_cannot_be_is_contradicted(tmp_path: Path) -> None:
    stays = [bike("stays")]
    shown = [[*stays, bike("gone")], *[stays] * 40]
    path = write_lines(
        tmp_path / "feed.jsonl",
        *(free_bike_status(300 * number, *one) for number, one in enumerate(shown)),
    )
    done = run(path, "--k", 2, "--closed", "--json", "-")
    assert json.loads(done.stdout)["contradiction"] == ["gone"]
    assert done.exit_code == 3
    assert "CONTRADICTED" in run(path, "--k", 2, "--closed").stdout
    assert json.loads(run(path, "--k", 2, "--json", "-").stdout)["contradiction"] == []


def test_problems_are_answered_as_the_format_says(tmp_path: Path) -> None:
    path = tmp_path / "problem.json"
    path.write_text(json.dumps(EXAMPLE))
    done = run(path, "--exhaustive", "--k", 2, "--json", "-")
    found = json.loads(done.stdout)
    assert found["next"] == {"0": ["2"], "1": ["3", "none"], "2": ["none"], "3": ["none"]}
    assert found["previous"] == {"0": ["none"], "1": ["none"], "2": ["0"], "3": ["1", "none"]}
    assert {"tracklet": 1, "time": 3, "candidates": ["3", "none"]} in found["chain"]
    assert done.exit_code == 1
    assert (
        "chain" not in json.loads(run(path, "--json", "-").stdout)
        or not json.loads(run(path, "--json", "-").stdout)["chain"]
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--k", "1"], "--k"),
        (["--max-speed", "0"], "--max-speed 0 is not above 0"),
        (["--min-gap", "3h"], "--min-gap 3h is not below --max-gap 2h"),
        (["--max-gap", "2"], "--max-gap '2' is not a time"),
        (["--low-battery", "2"], "--low-battery 2 is not above 0 and at most 1"),
        (["--battery-rise", "-1"], "--battery-rise -1.0 is negative"),
        (["--recharged-after", "soon"], "--recharged-after 'soon' is not a time"),
        (["--depots", "no.geojson"], "no such file"),
        (["--fields", "colour"], "colour"),
        (["--truth", "nobody"], "nobody"),
        (["--tz", "Mars/Olympus"], "Mars/Olympus"),
    ],
)
def test_what_cannot_be_right_is_refused_in_one_line(
    feed: Path, words: list[str], message: str
) -> None:
    done = run(feed, "--k", 2, *words)
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_options_of_feeds_are_refused_for_problems(tmp_path: Path) -> None:
    path = tmp_path / "problem.json"
    path.write_text(json.dumps(EXAMPLE))
    done = run(path, "--closed")
    assert done.exit_code == 2
    assert "the problems say which links there are" in done.stderr


def test_rides_are_counted_once(feed: Path, tmp_path: Path) -> None:
    """The sentence has the number of rides from both sides, the page the same and no other one."""
    result, page = tmp_path / "feed.json", tmp_path / "feed.html"
    done = run(feed, "--k", 2, "--json", result)
    found = json.loads(result.read_text())
    rides = found["summary"]["rides"]
    assert rides == found["summary"]["ends"]["rides"]
    said = " ".join(done.stdout.split())
    assert said.count(f"of {rides} rides ") == 1
    CliRunner().invoke(app, ["report", str(result), "-o", str(page)])
    text = page.read_text()
    safe = (found["summary"][side]["safe"] for side in ("ends", "begins"))
    assert f"Seen from the start, {next(safe)} of {rides} rides have 2 candidates" in text
    assert f"from the end, {next(safe)} of {found['summary']['begins']['rides']}, and" in text


def test_a_closed_fleet_says_what_fields_give_away_in_it(feed: Path) -> None:
    closed = json.loads(run(feed, "--k", 2, "--closed", "--json", "-").stdout)
    whole = json.loads(run(feed, "--k", 2, "--json", "-").stdout)
    if not closed["contradiction"]:
        first = closed["without"][0]
        assert first["median"] == closed["summary"]["ends"]["median_upper"]
    assert whole["without"][0]["median"] == whole["summary"]["ends"]["median_upper"]
    assert "if any may leave" in run(feed, "--k", 2).stdout


def test_bad_records_and_lost_positions_are_on_terminal_page_and_json(tmp_path: Path) -> None:
    snapshots = random_fleet(4, vehicles=8, steps=14)
    bikes = snapshots[-1]["data"]["bikes"]
    bikes[0] |= {"lat": 0, "lon": 0}
    path = write_lines(tmp_path / "feed.jsonl", *snapshots)
    clean = run(path, "--k", 2, "--json", "-")
    assert "note: 1 identifier begins or ends without a position" in clean.stderr
    bikes.append(bike("z") | {"bike_id": None})
    write_lines(path, *snapshots)
    done = run(path, "--k", 2)
    assert (done.exit_code, "--skip-bad" in done.stderr) == (2, True)
    result, page = tmp_path / "feed.json", tmp_path / "feed.html"
    done = run(path, "--k", 2, "--skip-bad", "--json", result)
    assert done.exit_code == clean.exit_code
    assert "bad row" in done.stderr
    assert "No position" in done.stdout
    found, before = json.loads(result.read_text()), json.loads(clean.stdout)
    assert found["skipped"] == {"bad row": 1, "no position": 1}
    assert found["summary"] == before["summary"]
    CliRunner().invoke(app, ["report", str(result), "-o", str(page)])
    assert "1 without a position" in page.read_text()
    assert "1 skipped" in page.read_text()
    kept = run(path, "--k", 2, "--skip-bad", "--keep-null-island", "--json", "-")
    assert json.loads(kept.stdout)["skipped"] == {"bad row": 1}


def test_the_zone_of_the_feed_is_that_of_times_and_page(tmp_path: Path) -> None:
    system = {"last_updated": 0, "data": {"system_id": "x", "timezone": "Asia/Tokyo"}}
    fleet = random_fleet(4, vehicles=8, steps=14)
    system["last_updated"] = fleet[0]["last_updated"]
    path = write_lines(tmp_path / "feed.jsonl", system, *fleet)
    rows, result, page = tmp_path / "rides.csv", tmp_path / "feed.json", tmp_path / "feed.html"
    run(path, "--k", 2, "-o", rows, "--json", result, "--at", "2025-06-16")
    found = json.loads(result.read_text())
    assert found["tz"] == "Asia/Tokyo"
    assert found["later"][0]["time"] == "2025-06-16T00:00:00+09:00"
    assert pd.read_csv(rows)["time"].str.endswith("+09:00").all()
    (when,) = (one for one in found["document"]["parts"] if one["title"] == "When")
    assert {row[0] for row in when["rows"]} <= {"00:00", "01:00"}  # 15 to 16 o'clock, UTC
    CliRunner().invoke(app, ["report", str(result), "-o", str(page)])
    assert "Asia/Tokyo: of all times" in page.read_text()
    other = json.loads(run(path, "--k", 2, "--tz", "UTC", "--json", "-").stdout)
    assert (other["tz"], other["summary"]) == ("UTC", found["summary"])


def test_hints_of_tables_name_options_that_work(tmp_path: Path) -> None:
    path = tmp_path / "key figures.csv"
    rows = [f"{name},2024-03-01T08:0{n}:00Z,52.5,13.4\n" for n in range(3) for name in "ab"]
    path.write_text("key,when,lat,lon\n" + "".join(rows))
    done = run(path, "--k", 2)
    assert (done.exit_code, "--column user_id=NAME" in done.stderr) == (2, True)
    done = run(path, "--k", 2, "--column", "user_id=key")
    assert (done.exit_code, "--column time=NAME" in done.stderr) == (2, True)
    done = run(path, "--k", 2, "--column", "user_id=key", "--column", "time=when")
    assert done.exit_code == 3, done.stderr
