"""Studies of single attacks: the strongest counts, and no attack learns how a release was made."""

import numpy as np
import pytest

from benchmarks import contest_guesses
from benchmarks.contest_guesses import ERROR, TUNING, correlations
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.obfuscations import PlanarLaplace


def test_errors_are_those_of_the_strongest_trace_inference(teams, options):
    options.anonymisers = "A1,A4-1-1"
    found = ERROR.look(options, teams)
    rows = ERROR.table(options, found).rows
    assert [row[:2] for row in rows] == [("A1", 1), ("A4-1-1", 1), ("A1", 2), ("A4-1-1", 2)]
    assert all(attack in ("T1", "T2", "T3") for _, _, attack, _, _ in rows)
    plain, noisy = found[:2]
    assert plain.trace < noisy.trace
    assert plain.error < noisy.error
    assert all(-1 <= value <= 1 for value in correlations(options, found).values())


class _Spy:
    """A trace inference that keeps what it is given."""

    short, answers, scheme = "T0", "traces", 1

    def __init__(self):
        self.given = []

    def attack(self, reference, release, random):
        self.given.append((release.code, random.bit_generator.seed_seq.entropy))
        return np.zeros(release.code.shape, np.int32) + int(random.integers(1024))


@pytest.mark.parametrize("study", [ERROR, TUNING], ids=lambda study: study.name)
def test_an_attack_of_a_study_changes_no_release_and_learns_no_seed(
    study, teams, options, monkeypatch
):
    """Protects scores from attacks that draw from, or could draw again, what made the release."""
    options.anonymisers, options.seed = "A4-4-1,A4-1-1", 5
    reference, original = teams[0]
    learned = Reference(reference, options.rules)
    tuned = [(PlanarLaplace(noise, 1), learned, original) for noise in (4, 1)]
    seen = []
    for attackers in (1, 2):
        spies = [_Spy() for _ in range(attackers)]
        settings = [("n", 1, spy) for spy in spies]
        monkeypatch.setattr(contest_guesses, "organizers_attackers", lambda spies=spies: spies)
        monkeypatch.setattr(contest_guesses, "settings", lambda settings=settings: settings)
        study.look(options, teams if study is ERROR else tuned)
        seen.append([release for release, _ in spies[0].given])
        for _, entropy in spies[0].given:
            assert np.size(entropy) == 1, "the list of numbers that a judge's stream comes from"
    assert all(np.array_equal(*both) for both in zip(*seen, strict=True))


def test_the_two_sweeps_of_fuzzy_counting_meet_in_the_best_setting(teams, options):
    reference, original = teams[0]
    release = PlanarLaplace(4, 1), Reference(reference, options.rules), original
    found = TUNING.look(options, [release])
    best = {"lambda": 1.0, "n_0": 0.33}
    for scheme in (1, 2, 3, 4):
        scores = {
            row["score"]
            for row in found
            if row["scheme"] == scheme and row["parameter"] == best.get(row["varied"])
        }
        assert len(scores) == 1
    assert {row["varied"] for row in found} == {"lambda", "n_0", "n"}
