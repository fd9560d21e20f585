"""``benchmarks/contest_study.py``: a table and a picture each, from files of teams."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.contest_study import STUDIES, main
from mixsafe.io.contest.writing import write_traces
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.synthesize.scenarios.town import town
from mixsafe_cli.app import app


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


TEAM = "orgtraces_team001_data01_IDP.csv reftraces_team001_data01_IDP.csv"
CALLS = {
    "length": f"{TEAM} --days 1",
    "grid": f"{TEAM} --days 1 --anonymisers A1,A5-1 --workers 1",
    "fairness": ". --anonymisers A1,A4-1-1 --workers 1",
    "privacy": ". --anonymisers A1,A4-7-1,A5-0.2,A4-1-1 --attacks sample",
    "protection": "results",
    "error": ". --anonymisers A1,A4-1-1",
    "tuning": f"{TEAM} --anonymisers A4-3.5-1",
    "utility": ". --anonymisers A1,A4-1-1",
    "population": "reftraces_team001_data01_IDP.csv .",
    "synthesizers": f"{TEAM} --days 2 --iterations 2 --workers 1",
    "home": ".",
    "rotation": ".",
    "exchange": f"{TEAM} --workers 1",
}
HEADS = {
    "length": "days,I1,I2,I3,T1,T2,T3",
    "grid": "obfuscation,s_U,I1,I2,I3,T1,T2,T3,s_R_min,s_T_min",
    "fairness": "obfuscation,teams,s_R_min,s_R_SD,s_T_min,s_T_SD",
    "privacy": "obfuscation,s_U,s_R_min,attack,s_T_min,attack",
    "protection": "obfuscation,valid,s_R_min_shuffled,attack,s_R_min_exchanged,attack,"
    "s_T_min_shuffled,attack,s_T_min_exchanged,attack",
    "error": "obfuscation,team,attack,s_T,expected_error_km",
    "tuning": "obfuscation,s_U,varied,parameter,scheme,score",
    "utility": "release,team,s_U,TP-TV-Top50,TM-EMD,VF-TV",
    "population": "reg_id,lat,lon,training,synthetic",
    "synthesizers": "city,traces,TP-TV-Top50,TM-EMD,VF-TV,Same-TV,Diff-TV,SD",
    "home": "step_of_day,at_home,lowest_team,highest_team",
    "rotation": "team,s_U_all,share_at_required",
    "exchange": "obfuscation,s_U,POST,MATCH,POST-T,GUESS,s_R_min,s_T_min",
}
ROWS = {
    "length": 1, "grid": 2, "fairness": 2, "privacy": 4, "protection": 1, "error": 4,
    "tuning": 57, "utility": 8, "population": 1024, "synthesizers": 14, "home": 20, "rotation": 2,
    "exchange": 6,
}  # fmt: skip


@pytest.fixture(scope="module")
def results(data: Path) -> Path:
    """A folder that ``contest run`` wrote."""
    words = f"contest run {TEAM} -o results --anonymisers A1,A4-1-1 --attacks I3,T3,GUESS -q"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(data)
        made = CliRunner().invoke(app, [*words.split(), "--workers", "1"])
    assert made.exit_code == 0, made.stderr
    return data / "results"


def test_every_study_is_tried() -> None:
    assert {study.name for study in STUDIES} == set(CALLS)


@pytest.mark.parametrize("study", CALLS)
@pytest.mark.usefixtures("results")
def test_a_study_is_a_table_and_a_picture(
    study: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(data)
    table, picture = tmp_path / "table.csv", tmp_path / "picture.svg"
    main([study, *CALLS[study].split(), "-o", str(table), "--plot", str(picture)])
    with table.open(newline="") as file:
        head, *rows = csv.reader(file)
    assert ",".join(head) == HEADS[study]
    assert len(rows) == ROWS[study]
    assert "<svg" in picture.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("fairness nowhere -o t.csv", "no files orgtraces_team001_data01_IDP.csv"),
        ("error . -o t.csv --challenge X", "invalid choice: 'X'"),
        ("utility . -o t.csv --plot p.gif", "invalid picture value: 'p.gif'"),
        ("error . -o t.csv --anonymisers A9", "unknown anonymiser 'A9'"),
        (f"grid {TEAM} -o t.csv", "20 days cannot be looked at"),
        ("population missing.csv . -o t.csv", "missing.csv"),
    ],
)
def test_what_cannot_be_studied_is_said_in_a_line(
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: str,
    message: str,
) -> None:
    monkeypatch.chdir(data)
    with pytest.raises(SystemExit) as ended:
        main(words.split())
    assert ended.value.code == 2
    assert message in capsys.readouterr().err.splitlines()[-1]
    assert not (data / "t.csv").exists()
