"""``mixsafe audit``: releases of every kind, what is said, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from mixsafe_cli.app import app

RELEASE = """pse_id,time_id,reg_id
4,41,1
4,42,2
4,43,1
5,41,3
5,42,2
5,43,3
6,41,9
6,42,9
6,43,*
"""
"""Tracks 4 and 5 meet at time 42, in region 2; track 6 meets nobody."""


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["audit", *(str(argument) for argument in arguments)])


@pytest.fixture
def release(tmp_path: Path) -> Path:
    path = tmp_path / "pub.csv"
    path.write_text(RELEASE)
    return path


def seen(release: Path, *rows: str) -> Path:
    path = release.parent / "seen.csv"
    path.write_text("\n".join(["user_id,time_id,reg_id", *rows, ""]))
    return path


def test_who_was_seen_before_a_meeting_is_lost_after_it(release: Path) -> None:
    found = run(release, "--knowledge", seen(release, "ann,41,1"), "--k", 2, "--json", "-")
    answer = json.loads(found.stdout)
    assert found.exit_code == 4
    assert answer["summary"]["users"] == {"safe": 1, "unsafe": 0, "undecided": 0}
    assert answer["zones_that_hide"] == {"something": 1, "nothing": 0, "undecided": 0}
    assert answer["without_exchange"]["users"]["unsafe"] == 1
    tied = {row["pse_id"]: row["tied_share"] for row in answer["pseudonyms"]}
    assert tied == pytest.approx({4: 1 / 3, 5: 0, 6: 0})


def test_fewest_sightings_of_each_track_are_told_and_on_the_page(release: Path) -> None:
    out, page = release.parent / "audit.json", release.parent / "audit.html"
    asked = (release, "--knowledge", seen(release, "ann,41,1"), "--k", 2, "--json", out)
    found = run(*asked, "--fewest-sightings", 2)
    assert "1 track by 1 sighting, 2 tracks by 2 sightings, 0 not" in " ".join(found.stdout.split())
    columns = ("pse_id", "sightings_at_least", "sightings_at_most", "seen_at")
    rows = json.loads(out.read_text(encoding="utf-8"))["pseudonyms"]
    told = [tuple(row[name] for name in columns) for row in rows]
    assert told[:2] == [(4, 2, 2, "41 43"), (5, 2, 2, "41 43")]
    assert told[2] in [(6, 1, 1, step) for step in ("41", "42", "43")]  # any one tells track 6
    made = CliRunner().invoke(app, ["report", str(out), "-o", str(page)])
    assert made.exit_code == 0, made.stderr
    assert "singled out by" in page.read_text(encoding="utf-8")
    refused = run(release, "--assume", 1, "--reference", release, "--fewest-sightings", 2)
    assert refused.exit_code == 2
    assert "--fewest-sightings cannot be given" in refused.stderr


def test_a_mix_zone_of_a_set_of_regions_is_at_no_one_place(tmp_path: Path) -> None:
    """Regions 2 and 3 are on the map, and the set of both is neither of them."""
    release, page = tmp_path / "pub.csv", tmp_path / "audit.html"
    release.write_text("pse_id,time_id,reg_id\n4,1,2\n4,2,2 3\n5,1,*\n5,2,2 3\n6,1,*\n6,2,*\n")
    out, known = tmp_path / "audit.json", seen(release, "3,1,1")
    found = run(release, "--knowledge", known, "--k", 2, "--sets-meet", "-q", "--json", out)
    assert found.exit_code == 0, found.stderr
    answer = json.loads(out.read_text(encoding="utf-8"))
    assert answer["zones_that_hide"] == {"something": 1, "nothing": 0, "undecided": 0}
    parts = answer["document"]["parts"]
    (shown,) = (part for part in parts if part["kind"] == "map")
    helps = shown["exposure"]["helps"]
    assert dict(zip(shown["names"], helps, strict=True)) == {"2": 0, "3": 0}
    (places,) = (part for part in parts if part["title"] == "Places of mix zones")
    assert [row[0] for row in places["rows"]] == ["several regions"]
    assert "Where people mix" not in [part["title"] for part in parts]  # no place has a position
    assert CliRunner().invoke(app, ["report", str(out), "-o", str(page)]).exit_code == 0
    assert "several regions" in page.read_text(encoding="utf-8")


def test_mix_zones_are_named_by_the_regions_of_the_release(release: Path) -> None:
    """Ann is on track 6: the meeting in region 2 hides nobody who is known."""
    known = seen(release, "ann,41,9")
    found = run(release, "--knowledge", known, "--k", 2, "--json", "-")
    told = json.loads(found.stdout)["zones_that_hide_nothing"]
    assert told == [{"time": 42, "place": 2, "size": 2}]


def test_a_static_release_gives_a_whole_track_away_for_one_sighting(release: Path) -> None:
    tracks = release.parent / "tracks.csv"
    known = seen(release, "ann,41,1")
    options = ("--exchange", "none", "--k", 2, "--candidates", tracks)
    found = run(release, "--knowledge", known, *options)
    assert found.exit_code == 1
    assert found.stdout.startswith("INVALID  1 of 1 person never has 2 candidate tracks (ann).")
    assert "give a whole track away" in " ".join(found.stdout.split())
    assert tracks.read_text().splitlines() == [
        "user_id,from_time,to_time,pse_id,proven",
        "ann,41,43,4,true",
    ]


def test_the_table_has_a_row_per_user_and_stretch_of_time(release: Path) -> None:
    table = release.parent / "users.parquet"
    run(release, "--knowledge", seen(release, "7,41,1", "8,43,3"), "--k", 2, "--output", table)
    rows = pd.read_parquet(table)
    assert ",".join(rows) == "user_id,from_time,to_time,k,lower,upper,verdict,decided_by"
    assert rows[rows.user_id == 7][["from_time", "to_time", "lower"]].values.tolist() == [
        [41, 41, 1],
        [42, 43, 2],
    ]


def test_coordinates_and_clock_times_are_audited_too(tmp_path: Path) -> None:
    fixes = {"a": (50.00, 50.01, 50.02), "b": (50.03, 50.01, 50.04)}
    rows = [
        f"{p},{1700000040 + 60 * t},{lat},10.0"
        for p, lats in fixes.items()
        for t, lat in enumerate(lats)
    ]
    release = tmp_path / "release.csv"
    release.write_text("\n".join(["pseudonym,time,lat,lon", *rows, ""]))
    known = tmp_path / "seen.csv"
    known.write_text("user_id,time,lat,lon\nann,1700000050,50.0,10.0\n")
    found = run(release, "--knowledge", known, "--k", 2, "--json", "-")
    assert found.exit_code == 4, found.stderr
    assert json.loads(found.stdout)["summary"]["share_of_time_safe"] == pytest.approx(2 / 3, 1e-5)


def test_draws_are_reported_with_their_spread_and_a_seed_repeats_them(release: Path) -> None:
    reference = release.parent / "ref.csv"
    reference.write_text("user_id,time_id,reg_id\n1,41,1\n1,42,2\n2,41,3\n2,42,2\n")
    options = ("--assume", 1, "--reference", reference, "--draws", 6, "--k", 2, "--json", "-")
    one, two = (run(release, *options, "--exchange", "none") for _ in range(2))
    assert one.stdout == two.stdout
    answer = json.loads(one.stdout)
    assert one.exit_code == 0
    assert len(answer["draws"]) == 6
    assert answer["random_guess"] == pytest.approx(1 / 3)
    unsafe = answer["shares"]["unsafe"]
    assert 0 <= unsafe["low"] <= unsafe["mean"] <= unsafe["high"] <= 1


def test_a_reference_of_more_people_than_tracks_is_named(release: Path) -> None:
    reference = release.parent / "ref.csv"
    reference.write_text("user_id,time_id,reg_id\n1,41,1\n2,41,3\n3,41,1\n4,41,3\n")
    found = run(release, "--assume", 1, "--reference", reference)
    assert found.exit_code == 2
    assert f"{reference}: 4 users were seen, but only" in found.stderr


def test_a_reference_of_other_days_is_moved_to_the_same_time_of_the_day(release: Path) -> None:
    reference = release.parent / "ref.csv"
    reference.write_text("user_id,time_id,reg_id\n1,1,1\n2,2,2\n3,3,3\n")
    options = ("--reference", reference, "--draws", 2, "--steps-per-day", 20, "--exchange", "none")
    found = run(release, "--assume", 1, *options, "--json", "-")
    assert {draw["contradicted"] for draw in json.loads(found.stdout)["draws"]} == {0}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["ann,41,4"], "line 2, column 'reg_id': no published track was at 4 then"),
        (["ann,41,1", "ann,42,2", "bob,41,1"], "cannot all have been"),
        (["ann,41,1", "ann,42,9"], "user ann cannot have been where she was seen at time 42"),
        (["ann,40,1"], "line 2, column 'time_id': time 40 is outside the release's 41 to 43"),
        (["ann,41,1", "ann,41,3"], "line 3, column 'reg_id': the user is elsewhere"),
        (["ann,41,1025"], "region 1025 is outside 1 to 1024"),
        ([f"user{n},41,1" for n in range(4)], "4 users were seen, but only 3 tracks"),
    ],
)
def test_knowledge_that_contradicts_the_release_is_named(
    release: Path, rows: list[str], message: str
) -> None:
    found = run(release, "--knowledge", seen(release, *rows))
    assert found.exit_code == 2
    assert message in found.stderr
    assert len(found.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "the adversary's knowledge is missing"),
        (["--assume", "2"], "the adversary's knowledge is missing"),
        (["--knowledge", "pub.csv", "--assume", "2"], "--assume cannot be given"),
        (["--knowledge", "none.csv"], "no such file"),
        (["--knowledge", "pub.csv", "--exchange", "all"], "--exchange 'all' is unknown"),
        (["--knowledge", "pub.csv", "--output", "pub.csv"], "would overwrite an input"),
        (["--knowledge", "pub.csv", "--cell-size", "50"], "--cell-size cannot be given"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    release: Path, options: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(release.parent)
    found = run("pub.csv", *options)
    assert found.exit_code == 2
    assert message in found.stderr
    assert len(found.stderr.splitlines()) == 1
    assert release.read_text() == RELEASE


def test_a_period_is_cut_out_and_what_was_seen_outside_does_not_count(release: Path) -> None:
    """The same as a release that ends there, for times by number and for moments."""
    known = seen(release, "ann,41,1", "bob,43,9")
    with_rest = run(release, "--knowledge", known, "--k", 2, "--end", 43, "--json", "-")
    answer = json.loads(with_rest.stdout)
    assert answer["summary"]["users"] == {"safe": 1, "unsafe": 0, "undecided": 0}
    short = release.parent / "short.csv"
    short.write_text("".join(line for line in RELEASE.splitlines(True) if ",43," not in line))
    alone = run(short, "--knowledge", seen(release, "ann,41,1"), "--k", 2, "--json", "-")
    assert json.loads(alone.stdout)["per_user"] == answer["per_user"]
    none = run(release, "--knowledge", known, "--start", 42, "--end", 43)
    assert none.exit_code == 2
    assert "nobody was seen in the period" in none.stderr


TRACKS = """track;when;north;east
p;2008-05-17T05:00:00;37.75;-122.5
q;2008-05-17T05:00:00;37.75;-122.4
p;2008-05-17T05:01:00;37.75;-122.45
q;2008-05-17T05:01:00;37.75;-122.45
p;2008-05-17T05:02:00;37.75;-122.5
q;2008-05-17T05:02:00;37.75;-122.4
""".replace(";", ",")
"""Two tracks that meet in the second of three minutes, in local time."""


def test_a_table_of_any_names_is_read_in_its_zone(tmp_path: Path) -> None:
    path, known = tmp_path / "tracks.csv", tmp_path / "known.csv"
    path.write_text(TRACKS)
    known.write_text(
        "user_id,time,lat,lon\nann,2008-05-17T05:00:30,37.75,-122.5\nbob,2008-05-17T12:00:30Z,37.75,-122.4\n"
    )
    names = ("user_id=track", "time=when", "lat=north", "lon=east")
    columns = [word for name in names for word in ("--column", name)]
    zone = ("--tz", "America/Los_Angeles")
    found = run(path, "--knowledge", known, "--k", 2, "--json", "-", *columns, *zone)
    answer = json.loads(found.stdout)
    assert [row["user_id"] for row in answer["per_user"]] == ["ann", "bob"]
    assert answer["summary"]["users"] == {"safe": 2, "unsafe": 0, "undecided": 0}
    stricter = run(path, "--knowledge", known, "--k", 2, "--min-users", 3, *columns, *zone)
    assert stricter.exit_code == 1
    one = run(path, "--knowledge", known, "--users", 1, "--k", 2, "--json", "-", *columns, *zone)
    assert len(json.loads(one.stdout)["per_user"]) == 1
    cut = ("--start", "2008-05-17T05:00:00", "--end", "2008-05-17T05:02:00")
    part = run(path, "--knowledge", known, "--k", 2, "--json", "-", *columns, *zone, *cut)
    assert json.loads(part.stdout)["steps"] == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--users", 9), "a sample of 9 users"),
        (("--min-users", 1), "two tracks or more"),
        (("--days", 1, "--end", 43), "--days says where"),
        (("--column", "user_id"), "MEANING=NAME"),
        (("--format", "excel"), "'excel' is unknown"),
        (("--start", "noon"), "is not a time"),
    ],
)
def test_parts_that_cannot_be_are_refused(
    release: Path, options: tuple[object, ...], says: str
) -> None:
    found = run(release, "--knowledge", seen(release, "ann,41,1"), *options)
    assert found.exit_code == 2
    assert says in found.stderr


def test_the_certificate_of_an_audit_is_checked_against_release_and_knowledge(
    release: Path,
) -> None:
    proofs, known = release.parent / "proofs", seen(release, "ann,41,1", "bea,43,3")
    asked = ("--knowledge", known, "--k", 2, "--rule", "every", "--certificates", proofs)
    assert run(release, *asked, "--time-limit", 6000, "--quiet").exit_code == 1

    def checked(*options: object) -> Any:
        words = [str(one) for one in ("check", proofs, *options)]
        return CliRunner().invoke(app, words)

    source = ("--source", release, "--knowledge", known, "--k", 2, "--rule", "every")
    found = checked(*source, "--json", "-")
    told = json.loads(found.stdout)
    assert found.exit_code == 1
    assert (told["known"], told["users"], told["unsafe_claimed"], told["undecided"]) == (2, 3, 0, 0)
    assert told["safe_replayed"] > 0
    assert "2 known users, 3 tracks" in checked().stdout
    other = seen(release, "ann,41,1", "bea,41,3")
    for options, message in (
        (("--source", release, "--knowledge", other), "sightings differ"),
        (("--source", release, "--knowledge", known, "--exchange", "none"), "zones"),
        (("--knowledge", known), "there is no --source"),
    ):
        refused = checked(*options)
        assert (refused.exit_code, len(refused.stderr.splitlines())) == (2, 1)
        assert message in refused.stderr


def test_many_draws_have_no_certificate(release: Path) -> None:
    options = ("--assume", 1, "--reference", release, "--certificates", release.parent / "proofs")
    found = run(release, *options)
    assert found.exit_code == 2
    assert "--assume draws often" in found.stderr


STATION = """{"type": "FeatureCollection", "features": [{"type": "Feature",
"properties": {"name": "the station", "radius": 60},
"geometry": {"type": "Point", "coordinates": [10.0, 50.0]}}]}
"""


@pytest.mark.parametrize(("more", "zones"), [((), 1), (("--cell-size", 100), 2)], ids=["", "cells"])
def test_tracks_meet_at_places_and_in_cells_where_that_is_said(
    tmp_path: Path, more: tuple[object, ...], zones: int
) -> None:
    """Two tracks meet at the station, then in a cell far from it; one was seen in that cell."""
    release, places = tmp_path / "pub.csv", tmp_path / "places.geojson"
    rows = [
        (pse, time, lat)
        for pse in (1, 2)
        for time, lat in ((1700000100, 50.0004), (1700000160, 50.1))
    ]
    release.write_text(
        "pseudonym,time,lat,lon\n" + "".join(f"{pse},{time},{lat},10\n" for pse, time, lat in rows)
        + "2,1700000040,50.2,10\n1,1700000040,50.3,10\n3,1700000040,50.1,10\n"
    )  # fmt: skip
    places.write_text(STATION)
    known = tmp_path / "seen.csv"
    known.write_text("user_id,time,lat,lon\nann,1700000040,50.2,10\nann,1700000160,50.1,10\n")
    asked = (release, "--knowledge", known, "--places", places, *more, "--k", 2)
    found = run(*asked, "--json", "-", "--certificates", tmp_path / "proofs")
    assert found.exit_code == 4, found.stderr
    answer = json.loads(found.stdout)
    assert sum(answer["zones_that_hide"].values()) == zones
    tables = (part for part in answer["document"]["parts"] if part["kind"] == "table")
    (places,) = (part for part in tables if part["title"] == "Places of mix zones")
    assert "the station" in [row[0] for row in places["rows"]]
    again = ["check", tmp_path / "proofs", "--source", *asked]
    assert CliRunner().invoke(app, [*map(str, again)]).exit_code == 4


def test_places_are_for_coordinates(release: Path) -> None:
    (release.parent / "places.geojson").write_text(STATION)
    places = ("--places", release.parent / "places.geojson")
    found = run(release, "--knowledge", seen(release, "ann,41,1"), *places)
    assert found.exit_code == 2
    assert "--places" in found.stderr


def in_the_city(*, cabs: int = 4, steps: int = 12, known: int = 0) -> tuple[str, str]:
    """Cabs on parallel streets with a fix in every fourth minute, and sightings of one of them."""
    fixes, seen = ["pseudonym,time,lat,lon"], ["user_id,time,lat,lon"]
    for step in range(steps):
        cab, at = step % cabs, f"2026-06-15T08:{step:02}:30+00:00,{49 + 0.01 * (step % cabs)}"
        fixes.append(f"{cab + 41},{at},{8.4 + 0.002 * step}")
        if cab == known:
            seen.append(f"ann,{at},{8.4 + 0.002 * step}")
    return "\n".join([*fixes, ""]), "\n".join([*seen, ""])


@pytest.fixture
def city(tmp_path: Path) -> tuple[Path, Path]:
    release, known = tmp_path / "city.csv", tmp_path / "known.csv"
    for path, text in zip((release, known), in_the_city(), strict=True):
        path.write_text(text)
    return release, known


def test_a_static_release_with_gaps_is_not_valid_where_each_sighting_fits_one_track(
    city: tuple[Path, Path],
) -> None:
    release, known = city
    asked = (release, "--knowledge", known, "--exchange", "none", "--json", "-")
    found = run(*asked)
    answer = json.loads(found.stdout)
    assert (found.exit_code, answer["verdict"]) == (1, "unsafe")
    gaps = answer["gaps"]
    assert [gaps[name] for name in ("absent", "reachable", "anywhere")] == [
        "unsafe",
        "safe",
        "safe",
    ]
    assert (gaps["asked"], gaps["used"], gaps["max_speed"]) == (None, "absent", 130)
    assert gaps["sentence"] in answer["headline"]["exposure"]
    slow = json.loads(run(*asked, "--max-speed", 20).stdout)["gaps"]
    assert (slow["absent"], slow["reachable"], slow["anywhere"]) == ("unsafe", "unsafe", "safe")
    words = run(release, "--knowledge", known, "--exchange", "none").stdout
    assert "'absent': INVALID, 'reachable' at 130 km/h: VALID" in " ".join(words.split())


def test_a_pass_by_a_reading_of_gaps_that_the_sightings_do_not_need_is_weak(
    city: tuple[Path, Path],
) -> None:
    release, known = city
    asked = (release, "--knowledge", known, "--exchange", "none", "--rule", "every")
    found = run(*asked, "--gaps", "anywhere")
    assert found.exit_code == 4
    assert found.stdout.startswith("WEAK PASS")
    assert "Do not take it for VALID" in " ".join(found.stdout.split())
    assert run(*asked, "--gaps", "absent").exit_code == 1
    refused = run(*asked, "--gaps", "nowhere")
    assert refused.exit_code == 2
    assert "absent" in refused.stderr


def test_a_sighting_in_a_gap_is_read_more_widely_and_that_is_said(
    city: tuple[Path, Path],
) -> None:
    release, known = city
    known.write_text(known.read_text() + "ann,2026-06-15T08:06:30+00:00,49.005,8.412\n")
    found = run(release, "--knowledge", known, "--exchange", "none", "--json", "-")
    gaps = json.loads(found.stdout)["gaps"]
    assert gaps["absent"] == "contradicted"
    assert gaps["sightings_read_more_widely"] == 1
    assert found.exit_code == 1
    refused = run(release, "--knowledge", known, "--exchange", "none", "--gaps", "absent")
    assert refused.exit_code == 2
    assert "read as 'absent'" in refused.stderr


def test_a_certificate_of_an_audit_says_how_gaps_are_read_and_is_checked_so(
    city: tuple[Path, Path],
) -> None:
    release, known = city
    proof = release.parent / "proof"
    audited = run(release, "--knowledge", known, "--exchange", "none", "--certificates", proof)
    assert audited.exit_code == 1
    asked = ["check", proof, "--source", release, "--knowledge", known, "--exchange", "none"]
    words = list(map(str, asked))
    checked = CliRunner().invoke(app, [*words, "--json", "-"])
    assert checked.exit_code == 1, checked.stderr
    assert json.loads(checked.stdout)["adversary"] == "auditor, gaps absent"
    other = CliRunner().invoke(app, [*words, "--gaps", "anywhere"])
    assert other.exit_code == 2
    assert "gaps absent" in other.stderr


def test_releases_with_gaps_are_read_so_together_too(city: tuple[Path, Path]) -> None:
    release, known = city
    later = release.parent / "later.csv"
    later.write_text(release.read_text().replace("T08:", "T11:"))
    asked = (release, later, "--together", "--knowledge", known, "--exchange", "none")
    found = run(*asked, "--json", "-")
    answer = json.loads(found.stdout)
    assert (found.exit_code, answer["gaps"]["absent"]) == (1, "unsafe")
    assert answer["gaps"]["anywhere"] != "contradicted"
    assert run(*asked, "--gaps", "anywhere", "--rule", "some").exit_code in (1, 4)


def test_a_greatest_speed_in_gaps_needs_coordinates(release: Path) -> None:
    known = seen(release, "ann,41,1")
    found = run(release, "--knowledge", known, "--exchange", "none", "--max-speed", 50)
    assert found.exit_code == 2
    assert "needs coordinates" in found.stderr
    answer = json.loads(run(release, "--knowledge", known, "--k", 2, "--json", "-").stdout)
    assert answer["gaps"]["absent"] == answer["gaps"]["anywhere"] == answer["verdict"]


def test_a_pass_does_not_reassure_where_a_follower_who_bets_finds_the_track(tmp_path: Path) -> None:
    """Three tracks with gaps; one of them shows the place whenever ann was seen."""
    path = tmp_path / "gaps.csv"
    cells = [f"{time},8.4{time % 7}00" for time in range(0, 6000, 60)]
    rows = [
        f"{track},{1_700_000_000 + int(cell.split(',')[0])},49.0{track},{cell.split(',')[1]}"
        for track in (1, 2, 3)
        for number, cell in enumerate(cells)
        if track == 1 or number % 10 > 2
    ]
    path.write_text("\n".join(["pseudonym,time,lat,lon", *rows, ""]))
    known = tmp_path / "known.csv"
    when = [row for row in rows if row.startswith("1,")][0:30:10]
    known.write_text("\n".join(["user_id,time,lat,lon", *(f"ann{row[1:]}" for row in when), ""]))
    asked = (path, "--knowledge", known, "--exchange", "none", "--gaps", "anywhere")
    found = run(*asked, "--json", tmp_path / "a.json")
    assert found.exit_code == 4
    first = " ".join(found.stdout.split())
    assert first.startswith("WEAK PASS A follower who bets names the right track for over 99.9%")
    assert "Possible: 3 tracks." in first
    assert "do not take it for safe" in first.lower()
    bets = json.loads((tmp_path / "a.json").read_text())["follower"]
    assert bets["named"][0]["pse_id"] == "1"
    assert bets["followed"]["1"]["longest"] == 0
    assert bets["followed"]["0.9"]["longest"] >= 5900
    assert bets["possible_tracks"] == 3
    assert bets["expected"] > 0.999


IDS = """pse_id,time_id,user_id
4,41,ann
4,42,ben
4,43,ben
5,41,ben
5,42,ann
5,43,ann
6,41,eve
6,42,eve
6,43,eve
"""


def with_ids(release: Path, text: str = IDS) -> Path:
    path = release.parent / "ids.csv"
    path.write_text(text)
    return path


def test_a_truth_says_how_often_a_follower_who_bets_is_right(release: Path) -> None:
    """Ann is on track 4 before the meeting for sure, and on 5 after it: one guess in two."""
    known = seen(release, "ann,41,1")
    out = release.parent / "audit.json"
    done = run(release, "--knowledge", known, "--k", 2, "--truth", with_ids(release), "--json", out)
    answer = json.loads(out.read_text())
    bets = answer["follower"]
    named = 1 / 3 if bets["named"][0]["pse_id"] in (4, "4") else 1.0
    assert bets["expected"] == pytest.approx(2 / 3)
    assert bets["right"] == pytest.approx(named)
    assert bets["told"] == 1
    assert bets["certain"]["right"] == 1
    assert bets["named"][0]["right"] == pytest.approx(named)
    first = " ".join(done.stdout.split())
    assert "names the right track for 66.7% of the time (expected; counted: 33.3%)" in first
    assert "right for" in first
    assert not any(one["what"] == "truth" for one in answer["provenance"]["inputs"])


def test_the_greater_of_both_shares_is_first_and_decides_what_is_said(release: Path) -> None:
    """By this truth nothing changed over."""
    same = IDS.replace("ben", "x").replace("ann", "ben").replace("x", "ann")
    stays = "\n".join([*IDS.splitlines()[:2], *same.splitlines()[2:4], "5,41,ben"])
    known = seen(release, "ann,41,1")
    asked = ("--knowledge", known, "--k", 2, "--truth")
    found = " ".join(run(release, *asked, with_ids(release, stays + "\n")).stdout.split())
    assert "names the right track for 100% of the time (counted; expected: 66.7%)" in found
    part = "\n".join(stays.splitlines()[:2]) + "\n"
    found = " ".join(run(release, *asked, with_ids(release, part)).stdout.split())
    assert "100% of the time (counted for 33.3% of the time; expected: 66.7%)" in found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (IDS.replace("4,43,ben", "9,43,ben"), "line 4, column 'pse_id': pseudonym 9 is not in"),
        (IDS.replace("ann", "eva"), "column 'user_id': user ann was seen, but the table"),
        (IDS.replace("ann", "x").replace("ben", "x").replace("eve", "x"), "are of one user, 'x'"),
        (IDS.replace("user_id", "owner"), "users"),
        (IDS.replace("pse_id", "id"), "no column 'pse_id' or 'pseudonym'"),
        (IDS.replace("ann", "y").replace("ben", "ann").replace("y", "ben"), "ann was seen at time"),
        (IDS.replace("41,ben", "41,ann", 1), "user ann already has another pseudonym"),
    ],
)
def test_a_truth_that_cannot_be_is_refused_in_one_line(
    release: Path, text: str, message: str
) -> None:
    known, ids = seen(release, "ann,41,1"), with_ids(release, text)
    found = run(release, "--knowledge", known, "--k", 2, "--truth", ids)
    assert found.exit_code == 2
    assert message in found.stderr
    assert "ids.csv" in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1


def test_a_truth_is_of_one_release_and_of_sightings_that_are_known(release: Path) -> None:
    known, ids = seen(release, "ann,41,1"), with_ids(release)
    both = run(release, release, "--together", "--knowledge", known, "--truth", ids)
    drawn = run(release, "--assume", 1, "--reference", known, "--truth", ids)
    for found in (both, drawn):
        assert found.exit_code == 2
        assert "--truth" in found.stderr
