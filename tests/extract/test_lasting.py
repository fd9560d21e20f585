"""What stays safe or unsafe when data are added, and what does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.extract.adversaries import knowledge, sealed
from mixsafe.extract.exchange.together import lasting
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.problem import Problem
from tests.support.oracles import domains, knowledge_of, zones_of
from tests.support.strategies import mix_zones, problem, problems


def candidates(asked: Problem) -> dict[tuple[int, int], set[int]]:
    zones = asked.zones
    return domains(zones.n_users, zones.axis.steps, zones_of(asked), knowledge_of(asked))


@given(asked=problems(max_horizon=6), data=st.data())
def test_what_is_safe_when_sealed_stays_safe(asked: Problem, data: st.DataObject) -> None:
    """The first steps alone and sealed, against all steps and any knowledge about later ones."""
    steps, n_users = asked.zones.axis.steps, asked.zones.n_users
    cut = data.draw(st.integers(1, steps))
    begun = problem(
        n_users,
        cut,
        [zone for zone in zones_of(asked) if zone[0] <= cut],
        [(user, t) for user, t in knowledge_of(asked) if t <= cut],
    )
    before = candidates(replace(begun, knowledge=sealed(begun)))
    after = candidates(asked)
    for (user, t), found in before.items():
        assert found <= after[user, t]
    unsealed = candidates(begun)
    for (user, t), found in unsealed.items():
        assert after[user, t] <= found  # what is unsafe stays unsafe


@pytest.mark.parametrize(
    ("adversary", "steps", "safe", "unsafe"),
    [
        ("none", 40, False, True),
        ("endpoints", 40, True, False),
        ("daily", 40, True, True),
        ("daily", 37, True, False),
    ],
)
def test_what_is_final_depends_on_who_is_seen(
    adversary: str, steps: int, safe: bool, unsafe: bool
) -> None:
    zones = mix_zones(3, steps, [(2, [0, 1])])
    asked = Problem("p", zones, knowledge(adversary, zones))
    found = lasting(asked, adversary)
    assert (found.safe, found.unsafe) == (safe, unsafe)
    assert (not found.why) == (safe and unsafe)
    closed = replace(asked, knowledge=sealed(asked))
    assert lasting(closed, adversary).safe
    assert not lasting(closed, adversary, limited=True).safe
    assert lasting(closed, adversary, limited=True).unsafe == unsafe
    moving = lasting(closed, adversary, centred=True)
    assert not moving.safe
    assert not moving.unsafe
    assert "--cells h3:N" in moving.why[0]


def test_homes_can_change() -> None:
    asked = problem(2, 4, [(2, [0, 1])])
    found = lasting(replace(asked, knowledge=sealed(asked)), "home")
    assert not found.safe
    assert not found.unsafe


def test_calendar_days_end_at_midnight_and_who_has_no_data_is_not_seen() -> None:
    zones = mix_zones(3, 24, [(2, [0, 1])])
    zones = replace(zones, axis=TimeAxis(24, 0, 3600), absent=np.array([2]))
    asked = Problem("p", zones, knowledge("daily", zones))
    assert lasting(asked, "daily").unsafe
    shorter = replace(zones, axis=TimeAxis(23, 0, 3600))
    assert not lasting(Problem("p", shorter, knowledge("daily", shorter)), "daily").unsafe
    assert set(sealed(replace(asked, knowledge=knowledge("none", zones))).row.tolist()) == {0, 1}
