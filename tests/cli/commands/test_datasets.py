"""``mixsafe datasets`` and ``mixsafe synthesize``."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from mixsafe.synthesize.samples import sample
from mixsafe_cli.app import app


def test_the_list_has_licence_and_origin_of_each_and_what_is_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cabspotting").mkdir()
    (tmp_path / "cabspotting" / "cabspottingdata.tar.gz").touch()
    monkeypatch.setenv("MIXSAFE_DATA", str(tmp_path))
    done = CliRunner().invoke(app, ["datasets", "list", "--json", "-"])
    cards = {card["name"]: card for card in json.loads(done.stdout)["datasets"]}
    assert set(cards) == {"town", "cabs", "cabspotting", "pwscup2019", "peopleflow"}
    assert all(card["licence"] and card["origin"] and card["cite"] for card in cards.values())
    assert cards["town"]["files"] == [str(sample("town"))]
    assert [Path(file).name for file in cards["cabspotting"]["files"]] == ["cabspottingdata.tar.gz"]
    assert cards["pwscup2019"]["files"] == []


def test_the_samples_can_be_made_again(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["datasets", "make", "-o", str(tmp_path / "new")])
    assert done.exit_code == 0, done.stderr
    for name in ("town", "cabs"):
        made = pd.read_csv(tmp_path / "new" / sample(name).name)
        # Another processor may round a coordinate otherwise in its last digit.
        pd.testing.assert_frame_equal(made, pd.read_csv(sample(name)), rtol=0, atol=1.1e-5)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["town", "--users", "20", "--days", "1"], "town.csv"),
        (["cabs", "--users", "5", "--steps", "30"], "cabs.csv"),
        (["cabs", "--users", "5", "--steps", "30"], "cabs.parquet"),
        (["metro", "--users", "50", "--steps", "30"], "metro.csv"),
        (["metro", "--users", "50", "--steps", "30"], "metro.parquet"),
    ],
    ids=["town", "cabs as CSV", "cabs as Parquet", "metro as CSV", "metro as Parquet"],
)
def test_synthetic_traces_are_a_source(arguments: list[str], name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    made = CliRunner().invoke(app, ["synthesize", *arguments, "--seed", "3", "-o", str(path)])
    assert made.exit_code == 0, made.stderr
    done = CliRunner().invoke(app, ["zones", str(path), "--json", "-"])
    assert json.loads(done.stdout)["users"] == int(arguments[2])


GERMAN = """Fahrzeug;Zeit;Breite;Länge;Status
a;2024-03-01 08:00:00;48,0001;8,0;frei
a;2024-03-01 08:01:00;48,0101;8,0;frei
b;2024-03-01 08:00:10;48,0001;8,0;frei
b;2024-03-01 08:01:10;48,0201;8,0;frei
c;2024-03-01 08:00:20;48,0001;8,0;frei
c;2024-03-01 08:01:20;0;0;frei
"""
COLUMNS = tuple(
    word
    for name in ("user_id=Fahrzeug", "time=Zeit", "lat=Breite", "lon=Länge")
    for word in ("--column", name)
)


def test_a_description_says_how_the_file_is_read_and_what_to_run_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command of its last lines runs, with the options with which the file was described."""
    monkeypatch.chdir(tmp_path)
    Path("taxi.csv").write_text(GERMAN, encoding="cp1252")
    words = ["taxi.csv", *COLUMNS, "--time-limit", "1"]
    done = CliRunner().invoke(app, ["datasets", "describe", *words])
    assert done.exit_code == 0, done.output
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert lines[0].startswith("READABLE taxi.csv has 5 fixes of 3 users, 2024-03-01 08:00 to")
    assert "Columns read Fahrzeug as user_id, Zeit as time, Breite as lat, Länge as lon" in lines
    assert "Columns left Status" in lines
    assert "Skipped 1 row: no position (line 7 (c))" in lines
    assert any("Windows-1252" in line and "“;”" in line and "“,”" in line for line in lines)
    (then,) = (line.removeprefix("Next: ") for line in lines if line.startswith("Next: "))
    program, *asked = shlex.split(then)
    assert program == "mixsafe"
    assert {*COLUMNS, "--cell-size", "--time-step"} < {*asked}
    verified = CliRunner().invoke(app, asked)
    assert verified.exit_code in (0, 1, 3, 4), verified.output


def test_a_description_has_json_a_picture_and_a_page_with_a_map(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["datasets", "describe", str(sample("cabs")), "--time-limit", "1"]
    done = CliRunner().invoke(app, [*words, "--json", "d.json", "--plot", "d.png", "-q"])
    assert (done.exit_code, done.output) == (0, "")
    found = json.loads(Path("d.json").read_text())
    assert list(found)[:2] == ["schema", "verdict"]
    assert found["schema"] == "datasets describe 1"
    assert found["fixes"]["users"] == 36
    assert sum(found["map"]["fixes"]) + found["map"]["elsewhere"] == 12_960
    assert [row["cell_size"] for row in found["sizes"]["rows"]] == [100, 200, 500]
    assert Path("d.png").read_bytes().startswith(b"\x89PNG")
    made = CliRunner().invoke(app, ["report", "d.json", "-o", "d.html"])
    assert made.exit_code == 0, made.output
    page = Path("d.html").read_text(encoding="utf-8")
    assert "Readable" in page
    assert 'id="map-data"' in page


def test_what_is_refused_elsewhere_is_described_with_the_option_that_settles_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = ["user_id,time_id,reg_id", "Ann,1,1", "ann,2,1", "b,1,1"]
    Path("t.csv").write_text("\n".join([*rows, ""]))
    refused = CliRunner().invoke(app, ["verify", "t.csv", "--k", "2"])
    assert refused.exit_code == 2
    done = CliRunner().invoke(app, ["datasets", "describe", "t.csv"])
    assert done.exit_code == 0, done.output
    said = " ".join(done.stdout.split())
    assert said.startswith("TO SETTLE t.csv has 3 fixes of 3 users, steps 1 to 2.")
    where = refused.stderr.removeprefix("mixsafe: ").partition(";")[0]
    assert where in said
    assert "Described as with --similar-names different." in said
    assert "settle what is said above; then mixsafe verify t.csv --k 3" in said
    picture = CliRunner().invoke(app, ["datasets", "describe", "t.csv", "--plot", "t.png"])
    assert picture.exit_code == 2
    assert not Path("t.png").exists()
    settled = CliRunner().invoke(
        app, ["datasets", "describe", "t.csv", "--similar-names", "same", "--json", "-"]
    )
    assert json.loads(settled.stdout)["fixes"]["users"] == 2


def test_a_feed_is_sent_to_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    snapshots = [
        {"last_updated": 1_709_280_000 + 60 * one, "data": {"bikes": [
            {"bike_id": f"b{one // 2}", "lat": 48.0, "lon": 8.0}]}}
        for one in range(4)
    ]  # fmt: skip
    Path("f.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in snapshots))
    done = CliRunner().invoke(app, ["datasets", "describe", "f.jsonl"])
    assert done.exit_code == 0, done.output
    assert "snapshots of GBFS" in done.stdout
    assert "mixsafe links f.jsonl --k 3" in done.stdout


@pytest.mark.parametrize(
    "words",
    [["nothing.csv"], ["b.csv"], ["p.csv", "--k", "1"], ["p.csv", "--time-limit", "0"]],
    ids=["no file", "binary", "k", "time"],
)
def test_what_cannot_be_described_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("b.csv").write_bytes(b"\0\1\2")
    Path("p.csv").write_text("user_id,time_id,reg_id\na,1,1\n")
    done = CliRunner().invoke(app, ["datasets", "describe", *words, "--json", "d.json"])
    assert done.exit_code == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert not Path("d.json").exists()
