"""From traces to a problem in one step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.extract.pose import pose
from mixsafe.model.mobility.traces import Traces


@pytest.fixture
def traces() -> Traces:
    """Three users, two steps; all are in region 5 at step 1, nobody meets at step 2."""
    return Traces(
        users=np.array([1, 2, 3]),
        user=np.repeat(np.arange(3, dtype=np.int32), 2),
        time=np.tile(np.array([1, 2]), 3),
        clock="time_id",
        region=np.array([5, 1, 5, 2, 5, 3]),
    )


def test_traces_become_mix_zones_and_knowledge(traces: Traces) -> None:
    problem = pose(traces, name="three")
    assert problem.name == "three"
    assert problem.zones.time.tolist() == [1]
    assert problem.zones.members.tolist() == [0, 1, 2]
    assert problem.knowledge.time.tolist() == [0, 2] * 3
    assert problem.requirements is None


def test_mix_zones_that_are_known_are_taken_as_they_are(traces: Traces) -> None:
    zones = pose(traces).zones
    assert pose(zones, adversary="none").zones is zones


def test_settings_reach_the_stages(traces: Traces) -> None:
    assert len(pose(traces, min_users=4).zones) == 0
    with pytest.raises(InputError, match="adversary"):
        pose(traces, adversary="nobody")


def test_steps_are_minutes_zones_of_two_and_days_of_twenty_steps_unless_it_is_said_otherwise(
    traces: Traces,
) -> None:
    clock = replace(traces, clock="unix", time=np.tile(np.array([0, 60]), 3))
    assert pose(clock).zones.axis.steps == 2
    assert pose(replace(clock, time=np.tile(np.array([0, 59]), 3))).zones.axis.steps == 1
    pair = replace(traces, region=np.array([5, 1, 5, 2, 4, 3]))
    assert pose(pair).zones.members.tolist() == [0, 1]
    long = replace(traces, time=np.tile(np.array([1, 45]), 3))
    seen = pose(long, adversary="daily").knowledge.time
    assert sorted(set(seen.tolist())) == [0, 1, 20, 21, 40, 41, 45]


def test_problems_are_posed_already(traces: Traces) -> None:
    with pytest.raises(InputError, match="already contain their questions"):
        pose([pose(traces)])
