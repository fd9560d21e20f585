"""``mixsafe synthesize train``, ``sample``, ``sgd`` and ``uniform``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from mixsafe.io.contest.reading import read_traces
from mixsafe.io.contest.writing import write_traces
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe_cli.app import app

SMALL = ("--region-count", "9", "--steps-per-day", "5")


def call(*words: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["synthesize", *map(str, words)])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Training traces, and a model of them."""
    folder = tmp_path_factory.mktemp("model")
    region = np.random.default_rng(0).integers(0, 9, (12, 10)).astype(np.int32)
    write_traces(folder / "train.csv", TraceMatrix(region))
    call("train", folder / "train.csv", *SMALL, *["--iterations", "4", "--features", "3"], "-o",
         folder / "model.npz", "-q")  # fmt: skip
    return folder


def test_the_same_seed_writes_the_same_model(folder: Path, tmp_path: Path) -> None:
    call("train", folder / "train.csv", *SMALL, *["--iterations", "4", "--features", "3"], "-o",
         tmp_path / "again.npz")  # fmt: skip
    assert (tmp_path / "again.npz").read_bytes() == (folder / "model.npz").read_bytes()


def test_a_contest_has_reference_and_original_days_of_every_team(
    folder: Path, tmp_path: Path
) -> None:
    files = {}
    for workers in (1, 2):
        out = tmp_path / str(workers)
        call("sample", folder / "model.npz", "--users", 7, "--days", 5, "--teams", 2,
             "--reference-days", 2, "--workers", workers, "-o", out, "-q")  # fmt: skip
        files[workers] = {path.name: path.read_bytes() for path in out.iterdir()}
    assert files[1] == files[2]
    assert sorted(files[1]) == [
        f"{kind}traces_team{team:03d}_data01_IDP.csv" for kind in ("org", "ref") for team in (1, 2)
    ]
    reference = read_traces(tmp_path / "1" / "reftraces_team001_data01_IDP.csv", 9)
    original = read_traces(tmp_path / "1" / "orgtraces_team001_data01_IDP.csv", 9)
    assert (reference.n_users, reference.n_steps, reference.first_time) == (7, 10, 1)
    assert (original.n_users, original.n_steps, original.first_time) == (7, 15, 11)


def test_teams_of_both_challenges_have_other_users_in_each(folder: Path, tmp_path: Path) -> None:
    words = ("sample", folder / "model.npz", "--users", 7, "--days", 2, "--quiet", "--teams", 2)
    call(*words, "-o", tmp_path / "both", "--challenge", "both")
    call(*words, "-o", tmp_path / "idp")
    own = {path.name: path.read_bytes() for path in (tmp_path / "both").iterdir()}
    assert len(own) == len(set(own.values())) == 8
    for path in (tmp_path / "idp").iterdir():
        assert own[path.name] == path.read_bytes()
        assert path.name.replace("data01_IDP", "data02_TRP") in own


def test_teams_of_another_contest_are_not_mixed_with_new_ones(folder: Path, tmp_path: Path) -> None:
    words = ["sample", folder / "model.npz", "--users", 3, "-o", tmp_path / "out"]
    call(*words, "--teams", 2)
    before = {path: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert "already" in call(*words, "--seed", 1, code=2)
    assert before == {path: path.read_bytes() for path in (tmp_path / "out").iterdir()}


def test_one_file_holds_all_days(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "traces.csv"
    call("sample", folder / "model.npz", "--users", 300, "--days", 1, "--steps", 8, "-o", path)
    traces = read_traces(path, 9)
    assert traces.region.shape == (300, 8)


def test_baselines_write_traces(folder: Path, tmp_path: Path) -> None:
    call("sgd", folder / "train.csv", *SMALL, "--users", 6, "--days", 2, "-o", tmp_path / "s.csv")
    assert read_traces(tmp_path / "s.csv", 9).region.shape == (6, 10)
    call("uniform", *SMALL, "--users", 6, "--days", 2, "-o", tmp_path / "u.csv")
    assert read_traces(tmp_path / "u.csv", 9).region.shape == (6, 10)


def test_ppmtf_makes_a_user_for_each_training_user(folder: Path, tmp_path: Path) -> None:
    few = ("--iterations", "4", "--features", "3")
    for name in ("one.csv", "same.csv"):
        call("ppmtf", folder / "train.csv", *SMALL, *few, "--days", 2, "-o", tmp_path / name)
    assert read_traces(tmp_path / "one.csv", 9).region.shape == (12, 10)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "same.csv").read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["sample", "train.csv", "-o", "out.csv"], "not a model of mixsafe"),
        (["sample", "model.npz", "-o", "out.csv", "--teams", "2"], "need a folder"),
        (["sample", "model.npz", "-o", "out", "--days", "1"], "none to publish"),
        (["sample", "model.npz", "-o", "out", "--days", "3", "--reference-days", "3"], "none to"),
        (["sample", "model.npz", "-o", "out", "--skip-slots", "5"], "none would be left"),
        (["train", "train.csv", "-o", "train.csv"], "overwrite an input"),
        (["train", "train.csv", "-o", "m.csv"], "end its name in .npz"),
        (["sgd", "train.csv", "-o", "m.parquet"], "end its name in .csv"),
        (["ppmtf", "train.csv", "-o", "m.parquet"], "end its name in .csv"),
        (["uniform", "-o", "m.parquet"], "end its name in .csv"),
        (["town", "-o", "m.parquet"], "end its name in .csv"),
        (["train", "train.csv", "-o", "m.npz", "--region-count", "3"], "--region-count"),
        (["train", "train.csv", "-o", "m.npz", "--alpha", "0"], "alpha"),
        (["train", "missing.csv", "-o", "m.npz"], "missing.csv"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(folder)
    output = call(*words, code=2)
    assert said in output
    assert not (folder / "out").exists()
    assert not (folder / "out.csv").exists()
    assert not list(folder.glob("m.*"))


def test_a_folder_of_a_city_has_a_part_per_day_and_is_never_mixed_with_others(
    tmp_path: Path,
) -> None:
    words = ["metro", "--users", 20, "--steps", 40, "-o", tmp_path / "metro"]
    call(*words)
    folders = sorted(path.name for path in (tmp_path / "metro").iterdir())
    assert folders == ["day=1", "day=2"]
    assert "not empty" in call(*words, code=2)
    (tmp_path / "file").write_text("mine")
    assert "is a file" in call("metro", "-o", tmp_path / "file", code=2)
    assert (tmp_path / "file").read_text() == "mine"
