"""What was tuned on one team's data holds for every other team's.

Needs PWS Cup 2019 data of two teams or more (the organizers publish them, pwscup/dp-locationdata):
the environment variable MIXSAFE_DATA names a folder that holds ``pwscup2019`` with
``orgtraces_team001_data01_IDP.csv`` and ``reftraces_team001_data01_IDP.csv`` of each.
"""

import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.obfuscations import NoObfuscation, PlanarLaplace
from mixsafe.contest.posterior.guesses import PosteriorIds
from mixsafe.contest.posterior.training import SampleTeam, check_sample, train
from mixsafe.contest.pseudonymizers import MIXZONE, SHUFFLE
from mixsafe.contest.registry import organizers_attackers, posterior_attackers
from mixsafe.contest.run import Plan, run
from mixsafe.errors import InputError
from mixsafe.io.contest.reading import read_regions, read_traces
from mixsafe.io.contest.writing import write_traces

DATA = Path(os.environ.get("MIXSAFE_DATA", "")) / "pwscup2019"
KINDS = ("reftraces", "orgtraces")


def teams_found():
    """Numbers of the teams with both files, as names have them."""
    if "MIXSAFE_DATA" not in os.environ:
        return []
    names = sorted(path.name for path in DATA.glob("orgtraces_team*_IDP.csv"))
    both = [name for name in names if (DATA / name.replace("org", "ref", 1)).exists()]
    return [name.removeprefix("orgtraces_").removesuffix(".csv") for name in both]


TEAMS = teams_found()

pytestmark = pytest.mark.skipif(
    len(TEAMS) < 2,
    reason=f"MIXSAFE_DATA has {len(TEAMS)} teams in pwscup2019; these tests compare teams",
)
each_team = pytest.mark.parametrize("name", TEAMS)


@cache
def rules():
    file = DATA / "info_region.csv"
    return Rules(regions=read_regions(file)) if file.exists() else Rules()


@cache
def team(name):
    traces = (read_traces(DATA / f"{kind}_{name}.csv", rules().regions.count) for kind in KINDS)
    return SampleTeam(name, *traces)


@each_team
def test_traces_survive_their_file(name, tmp_path):
    """Line by line: some teams' files have CRLF."""
    for kind, traces in zip(KINDS, (team(name).reference, team(name).original), strict=True):
        write_traces(tmp_path / "traces.csv", traces)
        lines = (DATA / f"{kind}_{name}.csv").read_text(encoding="ascii").splitlines()
        assert (tmp_path / "traces.csv").read_text(encoding="ascii").splitlines() == lines


@each_team
@pytest.mark.parametrize(
    "method", [NoObfuscation(), PlanarLaplace(4, 1)], ids=lambda one: one.short
)
def test_beliefs_find_most_of_every_team(name, method):
    """POST at least what the organizers' attacks find, POST-T at least that and what GUESS finds.

    An attack on 2,000 users by chance finds one more or less: 0.005 are ten.
    """
    attackers = {
        how: [*organizers_attackers(), *posterior_attackers(how)] for how in (SHUFFLE, MIXZONE)
    }
    plan = Plan([method], attackers)
    for outcome in run(team(name).original, Reference(team(name).reference, rules()), plan):
        left = {attack: score.value for attack, score in outcome.privacy.items()}
        assert left["POST"] <= min(left[one] for one in ("I1", "I2", "I3")) + 0.005
        assert left["POST-T"] <= min(left[one] for one in ("T1", "T2", "T3", "GUESS")) + 0.005


@each_team
def test_weights_of_the_other_teams_find_about_as_many(name):
    """At most one user in 50 fewer than with weights from the team's own reference traces."""
    mine, others = team(name), [team(one) for one in TEAMS if one != name]
    for one in others:
        check_sample(one, mine.reference, mine.original)
    trained = train(others, rules()).weights
    found = []
    for weights in (None, trained):
        known = Reference(mine.reference, rules(), weights)
        (outcome,) = run(
            mine.original, known, Plan([NoObfuscation()], {SHUFFLE: [PosteriorIds(0)]})
        )
        found.append(outcome.privacy["POST"].value)
    assert found[1] <= found[0] + 0.02


@each_team
def test_no_team_is_trained_on_itself(name):
    mine = team(name)
    renamed = mine.of_users("renamed", np.random.default_rng(1).permutation(mine.reference.n_users))
    with pytest.raises(InputError, match="the target's own"):
        check_sample(renamed, mine.reference, mine.original)
