"""``mixsafe weigh``, from files to answers, pages and exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from mixsafe_cli.app import app

ZONES = "time_id,zone_id,user_id\n1,0,a\n1,0,b\n2,1,b\n2,1,c\n3,2,a\n3,2,c\n"


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def zones(tmp_path: Path) -> Path:
    path = tmp_path / "zones.csv"
    path.write_text(ZONES)
    return path


def test_wires_are_written_and_a_page_is_made(zones: Path, tmp_path: Path) -> None:
    table, result = tmp_path / "weights.csv", tmp_path / "weights.json"
    done = run("weigh", zones, "--adversary", "none", "-o", table, "--json", result)
    assert done.exit_code == 0, done.stderr
    assert "Betting on the likeliest" in done.stdout
    wires = pd.read_csv(table)
    assert len(wires) == 9
    assert set(wires["by"]) <= {"alone", "counted"}
    after_first = wires[(wires["user_id"] == "b") & (wires["from_time"] == 1)]
    assert after_first["best_guess"].tolist() == [0.5]
    found = json.loads(result.read_text())
    assert found["weights"]["share_not_settled"] == 0
    page = tmp_path / "page.html"
    assert run("report", result, "-o", page).exit_code == 0
    assert "Weighed candidates" in page.read_text()


def test_chances_come_from_the_command_line_or_from_a_file(zones: Path, tmp_path: Path) -> None:
    by_user, by_zone = tmp_path / "user.csv", tmp_path / "zone.csv"
    by_user.write_text("user_id,chance\na,0.5\n")
    by_zone.write_text("zone_id,chance\n0,0.5\n")
    best = []
    for chance in ("0.5", by_user, by_zone):
        table = tmp_path / "weights.csv"
        done = run("weigh", zones, "--adversary", "none", "--exchange", chance, "-o", table, "-q")
        assert done.exit_code == 0, done.stderr
        wires = pd.read_csv(table)
        best.append(wires[(wires["user_id"] == "b") & (wires["from_time"] == 1)])
    assert [found["best_guess"].tolist() for found in best] == [[0.75]] * 3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("user_id,chance\na,1.5\n", "line 2, column 'chance': the chance 1.5 is not between 0"),
        ("user_id,chance\nz,0.5\n", "line 2, column 'user_id'"),
        ("user_id,chance\na,1\na,1\n", "line 3, column 'user_id': a occurs twice"),
        ("zone_id,chance\n7,1\n", "line 2, column 'zone_id': zone 7 is not one of the data's 3"),
        ("who,chance\na,1\n", "no column 'user_id' or 'zone_id' found"),
    ],
)
def test_a_wrong_file_of_chances_is_one_line_and_status_2(
    zones: Path, tmp_path: Path, content: str, said: str
) -> None:
    chances = tmp_path / "chances.csv"
    chances.write_text(content)
    done = run("weigh", zones, "--adversary", "none", "--exchange", chances)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "wrong",
    [
        ("--exchange", "1.5"),
        ("--exchange", "nan"),
        ("--exchange", "missing.csv"),
        ("--bet", "2"),
        ("--time-limit", "0"),
        ("--workers", "-1"),
        ("--output", "weights.txt"),
    ],
)
def test_what_cannot_be_right_is_refused(zones: Path, wrong: tuple[str, str]) -> None:
    done = run("weigh", zones, *wrong)
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1


def test_a_run_is_taken_up_again(zones: Path, tmp_path: Path) -> None:
    again = []
    for _ in range(2):
        kept = run("weigh", zones, "--resume", tmp_path / "run", "--json", "-")
        assert kept.exit_code == 0, kept.stderr
        found = json.loads(kept.stdout)
        again.append((found["weights"], found["document"]["parts"]))
    assert again[0] == again[1]


RELEASE = """pse_id,time_id,reg_id
3,41,1
3,42,2
3,43,1
4,41,3
4,42,2
4,43,3
"""
"""Tracks 3 and 4 meet at time 42."""


@pytest.fixture
def release(tmp_path: Path) -> Path:
    path = tmp_path / "pub.csv"
    path.write_text(RELEASE)
    (tmp_path / "seen.csv").write_text("user_id,time_id,reg_id\nann,41,1\n")
    return path


def test_a_release_is_weighed_from_outside(release: Path) -> None:
    seen, table = release.parent / "seen.csv", release.parent / "tracks.csv"
    result = release.parent / "tracks.json"
    options = ("--audit", seen, "--same", "3@41", "4@43", "-o", table, "--json", result)
    done = run("weigh", release, *options)
    assert done.exit_code == 0, done.stderr
    assert "Betting on the likeliest track is right" in done.stdout
    tracks = pd.read_csv(table)
    assert tracks["by"].tolist() == ["alone", "sampled", "sampled"]
    assert tracks["pse_id"].tolist()[0] == 3
    assert tracks["best_guess"].tolist() == pytest.approx([1, 0.5, 0.5], abs=0.05)
    found = json.loads(result.read_text())
    assert found["follower_right"] == pytest.approx(2 / 3, abs=0.05)
    assert run("report", result, "-o", release.parent / "page.html").exit_code == 0
    page = (release.parent / "page.html").read_text()
    for said in ("Whose tracks: pub.csv", "3@41 and 4@43 are one person with probability", "ann"):
        assert said in page
    assert found["same_person"]["found"]["chance"] == pytest.approx(0.5, abs=0.05)
    assert found["random_guess"] == 0.5


STATION = """{"type": "FeatureCollection", "features": [{"type": "Feature",
"properties": {"name": "the station", "radius": 60},
"geometry": {"type": "Point", "coordinates": [10.0, 50.0]}}]}
"""


def test_tracks_that_meet_at_a_place_may_be_exchanged_there_and_nowhere_else(
    tmp_path: Path,
) -> None:
    """Two tracks meet at the station, then far from it; ann was seen before both."""
    release, seen, places = (tmp_path / one for one in ("pub.csv", "seen.csv", "places.geojson"))
    rows = [
        (pse, time, lat)
        for pse in (1, 2)
        for time, lat in ((1700000100, 50.0004), (1700000160, 50.1))
    ]
    release.write_text(
        "pseudonym,time,lat,lon\n" + "".join(f"{pse},{time},{lat},10\n" for pse, time, lat in rows)
        + "2,1700000040,50.2,10\n1,1700000040,50.3,10\n"
    )  # fmt: skip
    seen.write_text("user_id,time,lat,lon\nann,1700000040,50.2,10\n")
    places.write_text(STATION)
    away = tmp_path / "away.geojson"
    away.write_text(STATION.replace("10.0, 50.0", "10.0, 51.0"))
    right = {}
    for where in (places, away):
        options = ("--audit", seen, "--places", where, "--tz", "Asia/Tokyo", "--json", "-")
        same = ("--same", "2@2023-11-15T07:14:00", "1@2023-11-14T22:16:00Z")
        done = run("weigh", release, *options, *same)
        assert done.exit_code == 0, done.stderr
        found = json.loads(done.stdout)
        right[where] = found["follower_right"]
        if where == places:
            assert found["same_person"]["found"]["chance"] == pytest.approx(0.5, abs=0.05)
    assert right == {places: pytest.approx(2 / 3, abs=0.05), away: 1}
    assert [one["what"] for one in found["provenance"]["inputs"]] == [
        "release", "knowledge", "places",
    ]  # fmt: skip
    assert found["provenance"]["parameters"]["tz"] == "Asia/Tokyo"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--audit", "seen.csv", "--exchange", "0.5"), "--exchange cannot be given"),
        (("--audit", "seen.csv", "--movement"), "--movement cannot be given"),
        (("--audit", "none.csv"), "none.csv"),
        (("--same", "3@41", "4@43"), "--same cannot be given"),
        (("--audit", "seen.csv", "--same", "3@41", "9@43"), "--same 9@43: there is no such"),
        (("--audit", "seen.csv", "--same", "3@41", "4@99"), "--same 4@99: time 99 is outside"),
        (("--audit", "seen.csv", "--same", "3@41", "4@noon"), "--same 4@noon: 'noon' is not"),
    ],
)
def test_what_does_not_go_with_a_release_is_one_line_and_status_2(
    release: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(release.parent)
    done = run("weigh", release, *options)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_sightings_that_contradict_the_release_are_one_line_and_status_2(release: Path) -> None:
    seen = release.parent / "seen.csv"
    seen.write_text("user_id,time_id,reg_id\nann,41,1\nann,43,7\n")
    done = run("weigh", release, "--audit", seen)
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1


def test_a_result_of_verify_stands_for_its_data(zones: Path, tmp_path: Path) -> None:
    verified, table, again = (tmp_path / name for name in ("verified.json", "a.csv", "b.csv"))
    assert run("verify", zones, "--k", 2, "--adversary", "none", "--json", verified).exit_code == 4
    assert run("weigh", verified, "-o", table, "--json", tmp_path / "w.json").exit_code == 0
    assert run("weigh", zones, "--adversary", "none", "-o", again).exit_code == 0
    assert table.read_text() == again.read_text()
    inputs = json.loads((tmp_path / "w.json").read_text())["provenance"]["inputs"]
    assert [one["what"] for one in inputs] == ["source", "verified"]


def test_a_result_of_verify_is_refused_where_its_data_are_others(
    zones: Path, tmp_path: Path
) -> None:
    verified = tmp_path / "verified.json"
    assert run("verify", zones, "--k", 2, "--json", verified).exit_code < 2
    twice = run("weigh", verified, "--adversary", "home")
    assert "--adversary cannot be given" in twice.stderr
    zones.write_text(ZONES + "3,3,b\n3,3,d\n")
    other = run("weigh", verified)
    assert "zones.csv: it is not what was verified" in other.stderr
    zones.unlink()
    gone = run("weigh", verified)
    assert "zones.csv: it was verified, and is not there any more" in gone.stderr
    found = json.loads(verified.read_text())
    del found["provenance"]
    verified.write_text(json.dumps(found))
    silent = run("weigh", verified)
    assert "it does not say by which command it was made" in silent.stderr
    for done in (twice, other, gone, silent):
        assert done.exit_code == 2
        assert done.stderr.count("\n") == 1


def straight_ways(folder: Path, n_pairs: int) -> Path:
    """Two people cross each other's way six times, one eastward and one northward; many times."""
    rows = [
        (f"{who}{pair}", 1700000000 + 600 * turn + 60 * step, pair, (step - 4) * 0.002)
        for turn in range(6)
        for step in range(9)
        for who in ("east", "north")
        for pair in range(n_pairs)
    ]
    text = "".join(
        f"{who},{time},{50 + 0.1 * pair + along * (who[0] == 'n'):.4f},"
        f"{10 + along * (who[0] == 'e'):.4f}\n"
        for who, time, pair, along in rows
    )
    path = folder / "ways.csv"
    path.write_text("user_id,time,lat,lon\n" + text)
    return path


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--movement",), "all happen; permutations weighed by movement"),
        (("--movement", "--exchange", "0.9"), "as --exchange says; permutations weighed by"),
    ],
)
def test_movement_tells_who_goes_straight_on(
    tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    ways, result = straight_ways(tmp_path, 20), tmp_path / "weights.json"
    done = run("weigh", ways, "--adversary", "none", *options, "--json", result)
    assert done.exit_code == 0, done.stderr
    found = json.loads(result.read_text())
    assert found["uniform"] is False
    movement = found["weights"]["movement"]
    assert movement["follower_right"] > 0.75 > 0.65 > movement["without"]
    assert movement["right_in_truth"] > 0.75
    facts = {fact["label"]: fact["value"] for fact in found["document"]["facts"]}
    assert words in facts["Exchanges"]
    assert "Movement is weighed: in truth," in found["document"]["sentence"]


def test_movement_weighs_what_is_believable(tmp_path: Path) -> None:
    ways, table = straight_ways(tmp_path, 20), tmp_path / "weights.csv"
    best = []
    for share in ("0", "0.5"):
        options = ("--movement", "--believable", share, "-o", table)
        done = run("weigh", ways, "--adversary", "none", *options)
        assert done.exit_code == 0, done.stderr
        best.append(pd.read_csv(table)["best_guess"].min())
    assert best[0] < best[1] == 1


def test_few_ways_teach_nothing_which_is_said(tmp_path: Path) -> None:
    ways = straight_ways(tmp_path, 3)
    done = run("weigh", ways, "--adversary", "none", "--movement", "--json", tmp_path / "w.json")
    assert done.exit_code == 0, done.stderr
    assert "too few to learn from" in done.stderr
    assert "a normal distribution of ways" in (tmp_path / "w.json").read_text()


def test_what_does_not_say_how_people_move_is_one_line_and_status_2(
    zones: Path, tmp_path: Path
) -> None:
    posed = tmp_path / "posed.json"
    posed.write_text(
        json.dumps({"users": 2, "horizon": 2, "zones": [[1, [0, 1]]], "knowledge": []})
    )
    named = tmp_path / "named.csv"
    named.write_text("user_id,time,place\na,1700000000,x\nb,1700000000,x\n")
    for source in (zones, named, posed):
        done = run("weigh", source, "--movement")
        assert done.exit_code == 2
        assert done.stderr.count("\n") == 1
