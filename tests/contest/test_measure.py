"""Studies of lengths, fairness, errors and utility: what they compute is what single steps do."""

import numpy as np
import pytest

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import trace_inference
from mixsafe.contest.grid import organizers_attackers
from mixsafe.contest.measure import expected_error as expected_errors
from mixsafe.contest.measure import team_tuning as tuning
from mixsafe.contest.measure.at_home import at_home
from mixsafe.contest.measure.expected_error import errors_of_releases, expected_error
from mixsafe.contest.measure.length_sweep import by_length, grid_of_days
from mixsafe.contest.measure.populations import populations_at
from mixsafe.contest.measure.protection import protections
from mixsafe.contest.measure.team_privacy import privacy_correlation, team_privacy
from mixsafe.contest.measure.team_tuning import team_tuning
from mixsafe.contest.measure.team_utility import mean_utility, team_utility
from mixsafe.contest.obfuscate.organizers import NoObfuscation, PlanarLaplace
from mixsafe.contest.pseudonymizers import SHUFFLE
from mixsafe.contest.run import Plan, run
from mixsafe.errors import InputError
from mixsafe.model.mobility.trace_matrix import TraceMatrix
from mixsafe.synthesize.scenarios.town import town

RULES = Rules()


@pytest.fixture(scope="module")
def teams():
    """Two teams of twenty, three days before and three after: reference and original traces."""
    regions = [town(20, days=6, random=np.random.default_rng(seed)).region for seed in (1, 2)]
    return [(TraceMatrix(region[:, :60]), TraceMatrix(region[:, 60:], 61)) for region in regions]


def test_a_length_is_the_contest_on_the_first_days_alone(teams):
    reference, original = teams[0]
    found = by_length(original, reference, RULES, days=[1, 3])
    assert [one.days for one in found] == [1, 3]
    for one in found:
        steps = one.days * 20
        known = Reference(TraceMatrix(reference.region[:, :steps]), RULES)
        hidden = TraceMatrix(original.region[:, :steps], steps + 1)
        plan = Plan([NoObfuscation()], {SHUFFLE: organizers_attackers()})
        (outcome,) = run(hidden, known, plan)
        assert one.privacy == {name: score.value for name, score in outcome.privacy.items()}


def test_lengths_that_traces_do_not_have_are_refused(teams):
    for days in (0, 4):
        with pytest.raises(InputError, match=f"{days} days cannot be looked at"):
            by_length(teams[0][1], teams[0][0], RULES, days=[days])


def test_the_grid_of_some_days_is_a_run_on_these_days_alone(teams):
    reference, original = teams[0]
    methods = [NoObfuscation(), PlanarLaplace(1, 1)]
    whole = Reference(reference, RULES)
    found = grid_of_days(original, whole, days=2, anonymisers=methods)
    known = Reference(TraceMatrix(reference.region[:, :40]), RULES)
    hidden = TraceMatrix(original.region[:, :40], 41)
    assert found == run(hidden, known, Plan(methods, {SHUFFLE: organizers_attackers()}))
    with pytest.raises(InputError, match="20 days cannot be looked at"):
        grid_of_days(original, whole)


def test_errors_are_those_of_the_strongest_trace_inference(teams):
    found, correlation = errors_of_releases(
        teams, RULES, anonymisers=[NoObfuscation(), PlanarLaplace(1, 1)]
    )
    assert [(one.anonymiser, one.team) for one in found] == [
        ("A1", 1), ("A4-1-1", 1), ("A1", 2), ("A4-1-1", 2),
    ]  # fmt: skip
    assert all(one.attack in ("T1", "T2", "T3") for one in found)
    original = teams[0][1]
    assert expected_error(original, original.region, RULES) == 0
    assert trace_inference(original, original.region, RULES).value == 0
    assert found[0].trace < found[1].trace
    assert found[0].error < found[1].error
    assert all(-1 <= value <= 1 for value in correlation.values())


class _Spy:
    """A trace inference that keeps what it is given."""

    short, answers = "T0", "traces"

    def __init__(self):
        self.given = []

    def attack(self, reference, release, random):
        self.given.append((release.code, random.bit_generator.seed_seq.entropy))
        return np.zeros(release.code.shape, np.int32) + int(random.integers(1024))


@pytest.mark.parametrize("study", ["error", "tuning"])
def test_an_attack_of_a_study_changes_no_release_and_learns_no_seed(study, teams, monkeypatch):
    """Protects scores from attacks that draw from, or could draw again, what made the release."""
    seen = []
    for attackers in (1, 2):
        spies = [_Spy() for _ in range(attackers)]
        for one in spies:
            one.scheme = 1
        methods = [PlanarLaplace(4, 1), PlanarLaplace(1, 1)]
        if study == "error":
            monkeypatch.setattr(expected_errors, "organizers_attackers", lambda spies=spies: spies)
            errors_of_releases(teams, RULES, anonymisers=methods, seed=5)
        else:
            settings = [("n", 1, one) for one in spies]
            monkeypatch.setattr(tuning, "_settings", lambda settings=settings: settings)
            team_tuning(teams[0][1], Reference(teams[0][0], RULES), anonymisers=methods, seed=5)
        seen.append([release for release, _ in spies[0].given])
        for _, entropy in spies[0].given:
            assert np.size(entropy) == 1, "the list of numbers that a judge's stream comes from"
    assert all(np.array_equal(*both) for both in zip(*seen, strict=True))


def test_utility_of_teams_has_the_score_and_all_measures_of_each_release(teams):
    found = team_utility(teams, RULES, anonymisers=[NoObfuscation()])
    assert [(one.release, one.team) for one in found] == [
        (release, team) for team in (1, 2) for release in ("A1", "Uniform", "Reference")
    ]
    unchanged = found[0]
    assert unchanged.utility == 1
    assert set(unchanged.values) == {"TP-TV-Top50", "TM-EMD", "VF-TV"}
    assert all(value == pytest.approx(0) for value in unchanged.values.values())
    assert found[1].utility < found[2].utility < 1  # anywhere, and where people usually are


def test_who_is_at_home_is_estimated_although_mornings_do_not_show_homes():
    """Protects figure 19: 60% at home at first must not read 36% because mornings are uncertain."""
    random = np.random.default_rng(1)
    rules = Rules(steps_per_day=3, home_steps=1)
    region = random.integers(1024, size=(4000, 12))
    share = np.tile([0.6, 0.3, 0.0], 4)
    home = random.integers(1024, size=(4000, 1))
    region = np.where(random.random(region.shape) < share, home, region).astype(np.int32)
    team = TraceMatrix(region[:, :6]), TraceMatrix(region[:, 6:], 7)
    assert at_home([team], rules)[0] == pytest.approx([0.6, 0.3, 0.0], abs=0.03)
    with pytest.raises(InputError, match="fewer than two days"):
        at_home([(TraceMatrix(region[:, 1:3], 2), TraceMatrix(region[:, 3:6], 4))], rules)


def test_noon_is_the_same_moment_of_days_with_other_steps():
    """Protects figure 4: training traces have 35 steps a day, teams 20."""
    rules = Rules(steps_per_day=20)
    virtual = np.zeros((3, 40), np.int32)
    virtual[:, [8, 28]] = [[5, 6], [5, 5], [6, 5]]
    team = TraceMatrix(virtual[:, :20]), TraceMatrix(virtual[:, 20:], 21)
    known = np.zeros((2, 35), np.int32)
    known[:, 14] = [5, 7]
    found = populations_at(TraceMatrix(known), [team], rules, training_steps_per_day=35)
    assert dict(enumerate(found.training[5:8], 5)) == {5: 0.5, 6: 0, 7: 0.5}
    assert found.synthetic[[5, 6]] == pytest.approx([4 / 6, 2 / 6])
    assert found.training.sum() == found.synthetic.sum() == 1
    with pytest.raises(InputError, match="no time of it"):
        populations_at(TraceMatrix(known), [team], rules, training_steps_per_day=35, passed=1)


def test_each_release_of_the_correlation_is_of_another_team(teams):
    methods = [NoObfuscation(), PlanarLaplace(8, 1), PlanarLaplace(7, 1), PlanarLaplace(0.1, 1)]
    found = team_privacy(teams, RULES, anonymisers=methods)
    assert [one.anonymiser for one in found] == ["A1", "A4-8-1", "A4-7-1", "A4-0.1-1"]
    for number, one in enumerate(found):
        reference, original = teams[number % 2]
        attacks = {SHUFFLE: organizers_attackers()}
        plan = Plan([methods[number]], attacks, 1 + number, compatible=False)
        assert run(original, Reference(reference, RULES), plan) == [one]
    useful = [one for one in found if one.utility.valid]
    assert found[3] not in useful
    assert len(useful) == 3
    assert privacy_correlation(found) == privacy_correlation(useful)
    with pytest.raises(InputError, match="three valid releases at least, not 2"):
        privacy_correlation(found[1:])


def test_the_two_sweeps_of_fuzzy_counting_meet_in_the_best_setting(teams):
    reference, original = teams[0]
    found = team_tuning(original, Reference(reference, RULES), anonymisers=[PlanarLaplace(4, 1)])
    met = {"lambda": 1.0, "n_0": 0.33}
    for scheme in (1, 2, 3, 4):
        values = {
            one.value
            for one in found
            if one.scheme == scheme and one.parameter == met.get(one.varied)
        }
        assert len(values) == 1
    assert {one.varied for one in found} == {"lambda", "n_0", "n"}


def _row(name: str, method: str, attack: str, kind: str, value: float, valid: str = "yes"):
    return {
        "anonymiser": name, "pseudonymization": method, "valid": valid, "attack": attack,
        "score": kind, "value": value,
    }  # fmt: skip


def test_protection_is_what_the_strongest_attacks_of_each_kind_leave():
    rows = [
        _row(name, method, attack, kind, value - loss, valid)
        for name, valid, loss in (("A1", "yes", 0.1), ("A4-1-1", "no", 0.0))
        for method, attack, kind, value in (
            ("shuffle", "utility", "utility", 0.3),
            ("shuffle", "I3", "reid", 0.9),
            ("shuffle", "POST", "reid", 0.8),
            ("shuffle", "GUESS", "trace", 0.7),
            ("mixzone", "POST", "reid", 0.99),
            ("mixzone", "POST-T", "trace", 0.75),
            ("mixzone", "T3", "trace", 0.95),
        )
    ]
    found, guessed = protections(rows, ["A4-1-1", "A1"])
    assert [(one.anonymiser, one.valid) for one in found] == [("A4-1-1", False), ("A1", True)]
    assert guessed == pytest.approx(0.6)
    left = found[0]
    assert (left.shuffled["reid"].attack, left.shuffled["reid"].value) == ("POST", 0.8)
    assert left.exchanged["trace"].attack == "POST-T"
    assert [one.anonymiser for one in protections(rows)[0]] == ["A1"]
    with pytest.raises(InputError, match="GUESS is not among the attacks"):
        protections([row for row in rows if row["attack"] != "GUESS"])
    with pytest.raises(InputError, match="no reid score of A1 with mixzone"):
        protections([row for row in rows if row["value"] != pytest.approx(0.89)])


def test_each_team_hands_in_another_submission(teams):
    found = team_utility(teams, RULES)
    submitted = [one for one in found if one.release == "Submission"]
    assert [one.team for one in submitted] == [1, 2]
    assert len({one.utility for one in submitted}) == 2
    mean = mean_utility(found)["Submission"]
    assert mean == pytest.approx(sum(one.utility for one in submitted) / 2)
