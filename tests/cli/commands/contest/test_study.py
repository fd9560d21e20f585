"""``mixsafe contest study``: a table and a picture each, from files of teams."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from mixsafe.io.contest.writing import write_traces
from mixsafe.model.mobility.trace_matrix import TraceMatrix
from mixsafe.synthesize.scenarios.town import town
from mixsafe_cli.app import app


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["contest", "study", *map(str, arguments)])


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of two teams of twelve, a day before and a day after."""
    folder = tmp_path_factory.mktemp("teams")
    for number in (1, 2):
        region = town(12, days=2, random=np.random.default_rng(number)).region
        name = f"team00{number}_data01_IDP.csv"
        write_traces(folder / f"reftraces_{name}", TraceMatrix(region[:, :20]))
        write_traces(folder / f"orgtraces_{name}", TraceMatrix(region[:, 20:], 21))
    return folder


STUDIES = {
    "fairness": ["obfuscation", "teams", "s_R_min", "s_R_SD", "s_T_min", "s_T_SD"],
    "error": ["obfuscation", "team", "attack", "s_T", "expected_error_km"],
    "utility": ["release", "team", "s_U", "TP-TV-Top50", "TM-EMD", "VF-TV"],
}


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_of_teams_is_a_table_and_a_picture(data: Path, tmp_path: Path, study: str) -> None:
    table, picture = tmp_path / "table.csv", tmp_path / "picture.svg"
    methods = ("--anonymisers", "A1,A4-1-1")
    found = run(study, data, *methods, "-o", table, "--plot", picture, "-q")
    assert found.exit_code == 0, found.stderr
    with table.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == STUDIES[study]
    assert {row[0] for row in rows[1:]} >= {"A1", "A4-1-1"}
    assert "<svg" in picture.read_text(encoding="utf-8")


def test_the_sweep_of_lengths_is_a_table_and_a_picture(data: Path, tmp_path: Path) -> None:
    files = [data / f"{kind}traces_team001_data01_IDP.csv" for kind in ("org", "ref")]
    table, picture = tmp_path / "table.csv", tmp_path / "picture.png"
    found = run("length", *files, "--days", "1", "-o", table, "--plot", picture)
    assert found.exit_code == 0, found.stderr
    assert table.read_text().startswith("days,I1,I2,I3,T1,T2,T3\n1,")
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert "days" in found.stdout


def test_the_grid_of_some_days_is_a_table_and_a_picture(data: Path, tmp_path: Path) -> None:
    files = [data / f"{kind}traces_team001_data01_IDP.csv" for kind in ("org", "ref")]
    table, picture = tmp_path / "table.csv", tmp_path / "picture.svg"
    methods = ("--anonymisers", "A1,A5-1", "--workers", "1")
    found = run("grid", *files, "--days", "1", *methods, "-o", table, "--plot", picture, "-q")
    assert found.exit_code == 0, found.stderr
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["obfuscation"] for row in rows] == ["A1", "A5-1"]
    for row in rows:
        assert float(row["s_R_min"]) == min(float(row[name]) for name in ("I1", "I2", "I3"))
        assert float(row["s_T_min"]) == min(float(row[name]) for name in ("T1", "T2", "T3"))
    assert "<svg" in picture.read_text(encoding="utf-8")
    refused = run("grid", *files, "-o", tmp_path / "other.csv")
    assert refused.exit_code == 2
    assert "20 days cannot be looked at" in refused.stderr


def test_how_many_are_at_home_is_a_table_and_a_picture(data: Path, tmp_path: Path) -> None:
    table, picture = tmp_path / "home.csv", tmp_path / "home.png"
    found = run("home", data, "-o", table, "--plot", picture, "-q")
    assert found.exit_code == 0, found.stderr
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["step_of_day"] for row in rows] == [str(step) for step in range(1, 21)]
    for row in rows:
        assert 0 <= float(row["lowest_team"]) <= float(row["at_home"]) <= float(row["highest_team"])
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_privacy_of_teams_tells_the_correlation(data: Path, tmp_path: Path) -> None:
    table, picture = tmp_path / "privacy.csv", tmp_path / "privacy.svg"
    methods = ("--anonymisers", "A1,A4-7-1,A5-0.2,A4-1-1", "--attacks", "sample")
    found = run("privacy", data, *methods, "-o", table, "--plot", picture)
    assert found.exit_code == 0, found.stderr
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["obfuscation"] for row in rows] == ["A1", "A4-7-1", "A5-0.2", "A4-1-1"]
    assert "R = " in found.stderr
    assert "R = " in picture.read_text(encoding="utf-8")


def test_the_tuning_of_the_slides_is_a_table_and_a_picture(data: Path, tmp_path: Path) -> None:
    files = [data / f"{kind}traces_team001_data01_IDP.csv" for kind in ("org", "ref")]
    table, picture = tmp_path / "tuning.csv", tmp_path / "tuning.svg"
    found = run("tuning", *files, "-o", table, "--plot", picture, "-q")
    assert found.exit_code == 0, found.stderr
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    releases = {row["obfuscation"] for row in rows}
    assert releases == {"AS-94-0-3", "A4-3.5-1", "AS-89-4-3"}
    assert {row["varied"] for row in rows} == {"lambda", "n_0", "n"}
    assert "scheme 4" in picture.read_text(encoding="utf-8")


def test_the_population_at_noon_is_a_table_and_two_maps(data: Path, tmp_path: Path) -> None:
    training = data / "reftraces_team001_data01_IDP.csv"
    table, picture = tmp_path / "noon.csv", tmp_path / "noon.png"
    found = run("population", training, data, "-o", table, "--plot", picture)
    assert found.exit_code == 0, found.stderr
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 1024
    crowds = [float(row["training"]) + float(row["synthetic"]) for row in rows]
    assert crowds == sorted(crowds, reverse=True)
    assert len(found.stdout.splitlines()) < 20
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_synthesizers_are_rows_and_bars_of_each_city(data: Path, tmp_path: Path) -> None:
    cities = [data / f"reftraces_team00{number}_data01_IDP.csv" for number in (1, 2)]
    table, picture = tmp_path / "cities.csv", tmp_path / "cities.svg"
    small = ("--days", "2", "--iterations", "2", "--workers", "1")
    found = run("synthesizers", *cities, *small, "-o", table, "--plot", picture, "-q")
    assert found.exit_code == 0, found.stderr
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 14
    for row in rows:
        assert (row["Same-TV"] == "") == (row["traces"] == "Real")
    text = picture.read_text(encoding="utf-8")
    assert all(path.stem in text for path in cities)


def test_protection_is_drawn_from_the_folder_of_a_run(data: Path, tmp_path: Path) -> None:
    files = [str(data / f"{kind}traces_team001_data01_IDP.csv") for kind in ("org", "ref")]
    results, table, picture = (tmp_path / name for name in ("results", "left.csv", "left.svg"))
    grid = ["--anonymisers", "A1,A4-1-1", "--attacks", "I3,T3,GUESS", "--workers", "1", "-q"]
    made = CliRunner().invoke(app, ["contest", "run", *files, "-o", str(results), *grid])
    assert made.exit_code == 0, made.stderr
    found = run("protection", results, "-o", table, "--plot", picture)
    assert found.exit_code == 0, found.stderr
    with table.open(newline="") as file:
        rows = list(csv.reader(file))
    assert [row[0] for row in rows] == ["obfuscation", "A1"]
    assert "GUESS" in picture.read_text(encoding="utf-8")
    refused = run("protection", tmp_path, "-o", table)
    assert refused.exit_code == 2
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("fairness", "nowhere", "-o", "t.csv"), "there is no such folder"),
        (("error", ".", "-o", "t.csv"), "no files orgtraces_team001_data01_IDP.csv"),
        (("error", ".", "-o", "t.csv", "--challenge", "X"), "unknown challenge 'X'"),
        (("utility", ".", "-o", "t.csv", "--plot", "p.gif"), "end its name in .png or .svg"),
    ],
)
def test_what_cannot_be_studied_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    found = run(*words)
    assert found.exit_code == 2
    assert message in found.stderr
    assert len(found.stderr.splitlines()) == 1
    assert not (tmp_path / "t.csv").exists()
