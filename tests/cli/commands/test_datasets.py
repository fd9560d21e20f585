"""``mixsafe datasets`` and ``mixsafe synthesize``."""

from __future__ import annotations

import json
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
