"""Studies of traces: utility of releases, where people are at noon, who is at home."""

import numpy as np
import pytest

from benchmarks.contest_traces import HOME, POPULATION, UTILITY, Crowd, populations
from mixsafe.contest.base.rules import Rules
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix


def test_utility_of_teams_has_the_score_and_all_measures_of_each_release(teams, options):
    options.anonymisers = "A1"
    found = UTILITY.look(options, teams)
    assert [(row["release"], row["team"]) for row in found] == [
        (release, team) for team in (1, 2) for release in ("A1", "Uniform", "Reference")
    ]
    unchanged, uniform, reference = found[:3]
    assert list(unchanged) == ["release", "team", "s_U", "TP-TV-Top50", "TM-EMD", "VF-TV"]
    assert unchanged["s_U"] == 1
    assert list(unchanged.values())[3:] == pytest.approx([0, 0, 0])
    assert uniform["s_U"] < reference["s_U"] < 1  # anywhere, and where people usually are


def test_each_team_hands_in_another_submission(teams, options):
    found = UTILITY.look(options, teams)
    submitted = [row for row in found if row["release"] == "Submission"]
    assert [row["team"] for row in submitted] == [1, 2]
    assert len({row["s_U"] for row in submitted}) == 2


def test_who_is_at_home_is_estimated_although_mornings_do_not_show_homes(options):
    """Protects figure 19: 60% at home at first must not read 36% because mornings are uncertain."""
    random = np.random.default_rng(1)
    options.rules = Rules(steps_per_day=3, home_steps=1)
    region = random.integers(1024, size=(4000, 12))
    share = np.tile([0.6, 0.3, 0.0], 4)
    home = random.integers(1024, size=(4000, 1))
    region = np.where(random.random(region.shape) < share, home, region).astype(np.int32)
    (found,) = HOME.look(options, [(TraceMatrix(region[:, :6]), TraceMatrix(region[:, 6:], 7))])
    assert found == pytest.approx([0.6, 0.3, 0.0], abs=0.03)
    short = TraceMatrix(region[:, 1:3], 2), TraceMatrix(region[:, 3:6], 4)
    with pytest.raises(InputError, match="fewer than two days"):
        HOME.look(options, [short])


def test_noon_is_the_same_moment_of_days_with_other_steps(options):
    """Protects figure 4: training traces have 35 steps a day, teams 20."""
    virtual = np.zeros((3, 40), np.int32)
    virtual[:, [8, 28]] = [[5, 6], [5, 5], [6, 5]]
    known = np.zeros((2, 35), np.int32)
    known[:, 14] = [5, 7]
    options.hour = 12
    crowds = [
        Crowd(False, TraceMatrix(known), 35),
        Crowd(True, TraceMatrix(virtual[:, :20]), 20),
        Crowd(True, TraceMatrix(virtual[:, 20:], 21), 20),
    ]
    training, synthetic = populations(POPULATION.look(options, crowds))
    assert dict(enumerate(training[5:8], 5)) == {5: 0.5, 6: 0, 7: 0.5}
    assert synthetic[[5, 6]] == pytest.approx([4 / 6, 2 / 6])
    assert training.sum() == synthetic.sum() == 1
    nobody = [*crowds[:1], Crowd(True, TraceMatrix(virtual[:, :3]), 20)]
    with pytest.raises(InputError, match="nobody at that time"):
        populations(POPULATION.look(options, nobody))
