"""``mixsafe contest utility``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from mixsafe.io.contest.writing import write_anonymized, write_inferred_traces, write_traces
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells
from mixsafe_cli.app import app


@pytest.fixture
def folder(tmp_path):
    """Twelve users of 6 x 6 regions, one day, and a release of them."""
    lines = ["reg_id,y_id,x_id,y(center),x(center),hospital"]
    for number in range(36):
        row, column = divmod(number, 6)
        place = f"{35.65 + 0.01 * row:.2f},{139.7 + 0.01 * column:.2f}"
        lines.append(f"{number + 1},{row + 1},{column + 1},{place},{int(number == 7)}")
    (tmp_path / "regions.csv").write_text("\n".join(lines) + "\n")
    random = np.random.default_rng(2)
    for name in ("org", "test", "one", "two"):
        region = random.integers(0, 36, (12, 20)).astype(np.int32)
        write_traces(tmp_path / f"{name}.csv", TraceMatrix(region))
        if name == "org":
            write_anonymized(tmp_path / "ano.csv", Cells.of_regions(region, 36))
        write_inferred_traces(tmp_path / f"e{name}.csv", region)
    (tmp_path / "poi.csv").write_text("lat,lon,category\n35.67,139.72,food\n35.66,139.7,home\n")
    return tmp_path


def call(*words, code=0):
    regions = ["--regions", str(Path(words[0]).parent / "regions.csv")]
    result = CliRunner().invoke(app, ["contest", "utility", *map(str, words), *regions])
    assert result.exit_code == code, result.output
    return result


def test_a_release_of_the_truth_is_perfect(folder) -> None:
    said = call(
        folder / "org.csv", folder / "ano.csv", "--poi", folder / "poi.csv", "--json",
        "--category", "food",
    )  # fmt: skip
    (other,) = json.loads(said.stdout)["others"]
    assert other.pop("file").endswith("ano.csv")
    assert other == {"TP-TV-Top50": 0, "TM-EMD": 0, "VF-TV": 0, "POI accuracy": 1}


def test_synthetic_traces_are_attacked_and_teams_compared(folder) -> None:
    files = [folder / f"{name}.csv" for name in ("org", "one", "two")]
    said = call(*files, "--testing", folder / "test.csv", "--diversity", "--json")
    answer = json.loads(said.stdout)
    assert len(answer["others"]) == 2
    assert 0 <= answer["others"][0]["membership advantage"] <= 1
    assert answer["diversity"]["pairs"] == 6
    shown = call(*files, "--testing", folder / "test.csv", "--diversity").stdout
    for word in ("TM-EMD", "re-identification rate", "Same-TV", "Diff-TV"):
        assert word in shown


def test_attacks_have_their_expected_errors_and_a_correlation(folder) -> None:
    options = [
        word for name in ("org", "one", "two") for word in ("--inferred", folder / f"e{name}.csv")
    ]
    said = call(folder / "org.csv", folder / "ano.csv", *options, "--json")
    found = json.loads(said.stdout)["expected_error"]
    assert min(found["km"].values()) == 0
    assert -1 <= found["correlation with s_T"]["hospital weight 10"] <= 1
    few = call(folder / "org.csv", folder / "ano.csv", *options[:2], "--json")
    assert "correlation with s_T" not in json.loads(few.stdout)["expected_error"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--diversity"], "two files"),
        (["--category", "food"], "--poi"),
        (["--testing", "test.csv"], "not for releases"),
    ],
)
def test_what_does_not_go_together_is_refused(folder, monkeypatch, words, said) -> None:
    monkeypatch.chdir(folder)
    result = call("org.csv", "ano.csv", *words, code=2)
    assert said in result.output
