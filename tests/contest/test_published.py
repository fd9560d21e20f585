"""The organizers' published scores, on their data: equal where they are deterministic.

Needs PWS Cup 2019 data: the environment variable MIXSAFE_DATA names a folder that holds
``pwscup2019`` with the traces of team 001, the published results and three runs of the programs.
"""

import csv
import os
from pathlib import Path

import numpy as np
import pytest

from mixsafe.contest.base.parts import label
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import utility
from mixsafe.contest.obfuscations import MergeAndHide
from mixsafe.contest.pseudonymizers import SHUFFLE
from mixsafe.contest.registry import organizers_anonymisers, organizers_attackers
from mixsafe.contest.run import Plan, run
from mixsafe.io.contest.reading import read_regions, read_traces
from mixsafe.io.contest.writing import write_traces

DATA = Path(os.environ.get("MIXSAFE_DATA", "")) / "pwscup2019"
ORIGINAL = DATA / "orgtraces_team001_data01_IDP.csv"
REFERENCE = DATA / "reftraces_team001_data01_IDP.csv"

pytestmark = pytest.mark.skipif(
    "MIXSAFE_DATA" not in os.environ or not ORIGINAL.exists(),
    reason="MIXSAFE_DATA does not name a folder with pwscup2019",
)

RANDOM = ("I1", "I2", "T1", "T2", "T3")


def rows_of(name):
    with (DATA / name).open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def contest():
    rules = Rules(regions=read_regions(DATA / "info_region.csv"))
    original = read_traces(ORIGINAL, rules.regions.count)
    return original, Reference(read_traces(REFERENCE, rules.regions.count), rules)


@pytest.fixture(scope="module")
def grid(contest):
    plan = Plan(organizers_anonymisers(), {SHUFFLE: organizers_attackers()})
    return {outcome.anonymiser: outcome for outcome in run(*contest, plan, workers=2)}


@pytest.fixture(scope="module")
def published():
    return {row["Ano"]: row for row in rows_of("results_team001_data01.csv")}


def test_the_organizers_traces_survive_their_file_byte_for_byte(contest, tmp_path):
    original, reference = contest
    for path, traces in ((ORIGINAL, original), (REFERENCE, reference.traces)):
        write_traces(tmp_path / "traces.csv", traces)
        assert (tmp_path / "traces.csv").read_bytes() == path.read_bytes()


def test_utility_of_all_settings_is_the_published_one(grid, published):
    assert list(grid) == list(published)
    for name, row in published.items():
        assert grid[name].utility.value == pytest.approx(float(row["Util"]), abs=1e-9), name


def test_home_attack_scores_are_the_published_ones(grid, published):
    """Without sets nothing is random; with sets, the rounding of sums decides ties."""
    for name, row in published.items():
        tolerance = 0.003 if name.startswith("A2-1-1") else 1e-9
        found = grid[name].privacy["I3"].value
        assert found == pytest.approx(float(row["I3"]), abs=tolerance), name


def test_random_scores_of_the_grid_scatter_around_the_published_ones(grid, published):
    """One run against one run: the root mean square of all differences, by column."""
    largest = {"I1": 0.0009, "I2": 0.005, "T1": 0.0013, "T2": 0.004, "T3": 0.006}
    for attack, limit in largest.items():
        differences = [
            grid[name].privacy[attack].value - float(row[attack]) for name, row in published.items()
        ]
        assert np.sqrt(np.mean(np.square(differences))) < limit, attack
        assert abs(np.mean(differences)) < limit / 3, attack


def test_random_scores_are_those_of_the_programs_over_four_seeds(contest):
    """Means of four seeds against means of the programs' three runs, in their joint deviation."""
    theirs = {
        (f"{row['anonymizer']} {row['params']}".strip().replace(" ", "-"), row["metric"]): row
        for row in rows_of("contest_reference.csv")
    }
    settings = [m for m in organizers_anonymisers() if (label(m), "I2") in theirs]
    attackers = [attacker for attacker in organizers_attackers() if attacker.short in RANDOM]
    ours: dict[tuple[str, str], list[float]] = {}
    for seed in range(4):
        plan = Plan(settings, {SHUFFLE: attackers}, attack_seed=seed)
        for outcome in run(*contest, plan):
            for attack, score in outcome.privacy.items():
                ours.setdefault((outcome.anonymiser, attack), []).append(score.value)
    assert len(ours) == 9 * 5
    far = {}
    for key, values in ours.items():
        deviation = max(np.std(values, ddof=1), float(theirs[key]["sd"]))
        far[key] = abs(np.mean(values) - float(theirs[key]["mean"])) / deviation
    assert max(far.values()) < 3, {key: value for key, value in far.items() if value >= 3}


@pytest.mark.parametrize(
    ("bits", "program", "paper"),
    [(1, 0.853160, 0.853160), (2, 0.649972, 0.649972), (3, 0.324002, 0.281589), (4, 0.104754, 0)],
)
def test_both_variants_of_utility_are_the_ones_on_record(contest, bits, program, paper):
    original, reference = contest
    for variant, expected in (("program", program), ("paper", paper)):
        rules = Rules(reference.rules.regions, variant=variant)
        cells = MergeAndHide(bits, bits, 0).anonymise(original, rules, np.random.default_rng(0))
        assert utility(original, cells, rules).value == pytest.approx(expected, abs=1e-6)


def test_hospital_visits_carry_their_weight(contest):
    """3,039 of 80,000 rows, 28.3% of the weight."""
    original, reference = contest
    rows = reference.rules.regions.hospital[original.region].sum()
    assert rows == 3039
    assert 10 * rows / (80_000 + 9 * rows) == pytest.approx(0.283, abs=5e-4)
