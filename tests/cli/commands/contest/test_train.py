"""``contest attack --train`` and ``contest run --train``: the table, and what is refused."""

import json
import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

from mixsafe.io.contest.writing import write_public, write_traces
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells
from mixsafe.release.exchange import shuffled_table
from mixsafe_cli.app import app


def write_team(reference, original, seed, regions=1024, users=5):
    random = np.random.default_rng(seed)
    usual = np.tile(random.integers(regions, size=(users, 20)), 4)
    other = random.integers(regions, size=usual.shape)
    region = np.where(random.random(usual.shape) < 0.6, usual, other).astype(np.int32)
    write_traces(reference, TraceMatrix(region[:, :40]))
    write_traces(original, TraceMatrix(region[:, 40:], 41))
    return region


def add_sample(folder, number, seed, **settings):
    kinds = ("reftraces", "orgtraces")
    paths = [folder / f"{kind}_team{number:03d}_data01_IDP.csv" for kind in kinds]
    write_team(*paths, seed, **settings)
    return paths


@pytest.fixture
def folder(tmp_path):
    """A target, its release, and two sample teams."""
    region = write_team(tmp_path / "ref.csv", tmp_path / "org.csv", 1)
    cells = Cells.of_regions(region[:, 40:], 1024, 41)
    table = shuffled_table(cells, np.random.default_rng(0))
    write_public(tmp_path / "pub.csv", table.publish(cells))
    (tmp_path / "samples").mkdir()
    for number in (1, 2):
        add_sample(tmp_path / "samples", number, 10 + number)
    return tmp_path


def attack(folder, *words, method="POST"):
    command = ["contest", "attack", method, folder / "ref.csv", folder / "pub.csv"]
    command += ["--train", folder / "samples", "-o", folder / "etable.csv", *words]
    return CliRunner().invoke(app, [str(word) for word in command])


def test_the_table_has_a_row_for_each_team_left_out(folder):
    result = attack(folder, "--param", "0")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("TRAINED  Weights trained on 2 sample teams.")
    place = next(place for place, line in enumerate(lines) if line.startswith("left out"))
    assert [line.split()[0] for line in lines[place + 1 : place + 4]] == [
        "team001_data01_IDP",
        "team002_data01_IDP",
        "none:",
    ]
    assert len((folder / "etable.csv").read_text().splitlines()) == 6


def test_quiet_prints_no_table(folder):
    result = attack(folder, "--param", "0", "--quiet")
    assert (result.exit_code, result.output) == (0, "")


def test_the_run_uses_the_same_weights_and_names_the_folder(folder):
    words = ["contest", "run", folder / "org.csv", folder / "ref.csv", "-o", folder / "results"]
    words += ["--anonymisers", "A1", "--attacks", "I3,POST", "--train", folder / "samples"]
    words += ["--pseudonymization", "shuffle"]
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    assert "Weights trained on 2 sample teams." in result.stdout
    told = json.loads((folder / "results" / "run.json").read_text())["provenance"]
    assert "samples" in [one["name"] for one in told["inputs"]]


def of_another_grid(folder):
    """Regions beyond the contest's."""
    add_sample(folder / "samples", 3, 13, regions=2000)


def of_other_times(folder):
    _, path = add_sample(folder / "samples", 3, 13)
    write_traces(path, TraceMatrix(np.zeros((5, 60), np.int32), 41))


def the_target(folder):
    for kind, name in (("reftraces", "ref.csv"), ("orgtraces", "org.csv")):
        shutil.copy(folder / name, folder / "samples" / f"{kind}_team003_data01_IDP.csv")


def without_truth(folder):
    (folder / "samples" / "orgtraces_team002_data01_IDP.csv").unlink()


def empty(folder):
    shutil.rmtree(folder / "samples")
    (folder / "samples").mkdir()


def missing(folder):
    shutil.rmtree(folder / "samples")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (missing, "samples: the folder does not exist"),
        (empty, "samples: there are no sample teams; name files orgtraces_team001_data01_IDP.csv"),
        (without_truth, "samples: orgtraces of team 002 are missing"),
        (of_another_grid, "is outside 1 to 1024"),
        (of_other_times, "the original traces have 60 times from 41 on, the target's 40"),
        (the_target, "100% of the traces are the target's own; remove the team"),
    ],
)
def test_what_cannot_teach_is_refused_in_one_line(folder, spoil, message):
    spoil(folder)
    result = attack(folder)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not (folder / "etable.csv").exists()


def test_an_attack_without_weights_is_refused(folder):
    result = attack(folder, method="I2")
    assert result.exit_code == 2
    assert "--train: I2 has no weights to train; use POST, MATCH or POST-T" in result.stderr
