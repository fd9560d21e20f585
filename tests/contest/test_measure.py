"""Studies of lengths, fairness, errors and utility: what they compute is what single steps do."""

import numpy as np
import pytest

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import trace_inference
from mixsafe.contest.grid import organizers_attackers
from mixsafe.contest.measure.at_home import at_home
from mixsafe.contest.measure.expected_error import errors_of_releases, expected_error
from mixsafe.contest.measure.length_sweep import by_length, grid_of_days
from mixsafe.contest.measure.team_utility import team_utility
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
