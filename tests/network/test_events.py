"""Time as events: empty steps cost nothing and change nothing, however many they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.certify.certify import certify
from mixsafe.check.checker import check
from mixsafe.model.question.problem import Problem
from mixsafe.network.compression import compress
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.optimize.minimum import minimum_zones
from mixsafe.verify.verification import verify
from tests.support.oracles import knowledge_of, requirements_of, zones_of
from tests.support.strategies import problem, problems

ENDLESS = 2_000_000_000
"""Steps: a loop or an array over them would not come to an end."""

HOME_AND_BACK = problem(
    4,
    9,
    [(2, [0, 1, 2]), (4, [1, 3]), (6, [0, 1]), (8, [0, 1, 2])],
    [(user, t) for user in (0, 1, 2) for t in (0, 9)],
    [(0, 3, 2), (1, 5, 2), (2, 7, 3), (3, 5, 2)],
)

FEASIBLE = replace(HOME_AND_BACK, requirements=HOME_AND_BACK.requirements.those(slice(3)))
"""Without what no zones can meet."""


def at_times(asked: Problem, time: Sequence[int]) -> Problem:
    """The same problem, step t being step ``time[t]``."""
    return problem(
        asked.zones.n_users,
        time[-1],
        [(time[t], members) for t, members in zones_of(asked)],
        [(user, time[t]) for user, t in knowledge_of(asked)],
        [(user, time[t], k) for user, t, k in requirements_of(asked)],
        distinct=asked.knowledge.distinct,
    )


def endless(asked: Problem) -> Problem:
    """The same problem with hundreds of millions of steps between any two."""
    factor = ENDLESS // asked.zones.axis.steps
    return at_times(asked, [factor * t for t in range(asked.zones.axis.steps + 1)])


def core_of(asked: Problem) -> tuple[Core, list[int]]:
    core, merged = compress(asked, WireNetwork.of(asked.zones))
    return core, merged.tolist()


@given(
    asked=problems(max_horizon=7),
    gaps=st.lists(st.integers(1, 10**8), min_size=7, max_size=7),
)
def test_empty_steps_between_do_not_change_the_question(asked, gaps):
    time = [0, *np.cumsum(gaps).tolist()][: asked.zones.axis.steps + 1]
    (core, merged), (longer, merged_too) = core_of(asked), core_of(at_times(asked, time))
    assert merged == merged_too
    assert core.network.horizon == longer.network.horizon
    for part in ("network", "pins", "links", "apart"):
        one, other = vars(getattr(core, part)), vars(getattr(longer, part))
        assert all(np.array_equal(one[name], other[name]) for name in one)
    assert np.array_equal(np.array(time)[core.real_steps], longer.real_steps)


@given(asked=problems(max_horizon=9))
def test_every_event_stands_for_its_step_of_the_data(asked):
    core, merged = core_of(asked)
    steps, whole = core.real_steps, WireNetwork.of(asked.zones)
    kept = np.unique(np.array(merged), return_index=True)[1]
    assert (steps[0], steps[-1]) == (0, asked.zones.axis.steps)
    assert steps[core.network.start].tolist() == whole.start[kept].tolist()
    assert set(steps[core.network.zone_time]) <= set(asked.zones.time.tolist())
    seen = [*core.pins.time, *core.links.start, *core.links.end, *core.apart.time]
    assert set(steps[seen].tolist()) <= set(asked.knowledge.time.tolist())
    ends = np.append(steps[1:] - 1, steps[-1])[core.network.end]
    last = np.append(kept[1:] - 1, whole.n_wires - 1)
    assert ends.tolist() == whole.end[last].tolist()


@pytest.mark.parametrize("engine", ["auto", "bounds", "cpsat", "dp"])
@given(asked=problems())
@settings(max_examples=10)
def test_no_engine_minds_endless_empty_time(engine, asked):
    for k in (None, 2):
        found, long = (verify(one, k=k, engine=engine) for one in (asked, endless(asked)))
        tables = zip((found.wires, found.results), (long.wires, long.results), strict=True)
        for one, other in tables:
            columns = ["verdict", "lower", "upper", "decided_by"]
            assert one is None or one[columns].equals(other[columns])


def test_tables_have_the_steps_of_the_data():
    factor = ENDLESS // 9
    wires = verify(endless(HOME_AND_BACK), k=2).wires
    assert wires["from_time"].tolist()[:4] == [0, 2 * factor, 6 * factor, 8 * factor]
    assert wires["to_time"].tolist()[:4] == [
        2 * factor - 1,
        6 * factor - 1,
        8 * factor - 1,
        9 * factor,
    ]


@pytest.mark.parametrize("engine", ["auto", "bounds", "cpsat", "dp"])
@pytest.mark.parametrize("k", [None, 2])
def test_certificates_have_the_steps_of_the_data(engine, k):
    answer = verify(endless(HOME_AND_BACK), k=k, engine=engine, keep_proof_data=True)
    certificate = certify(answer)
    assert check(certificate).safe == answer.summary["safe"] > 0
    met = {int(t) for t in answer.problem.zones.time}
    times = [piece.time for piece in certificate.witnesses.pieces()]
    assert set(np.concatenate(times).tolist()) <= met


@pytest.mark.parametrize("method", ["auto", "dp"])
def test_a_minimum_set_of_zones_does_not_mind_endless_empty_time(method):
    found, long = (minimum_zones(one, method=method) for one in (FEASIBLE, endless(FEASIBLE)))
    assert (long.status, long.minimum, long.zones) == (found.status, found.minimum, found.zones)
    assert found.status == "optimal"


def test_what_was_too_much_for_the_dynamic_program_is_said_of_a_step_of_the_data():
    asked = problem(
        9, 9, [(t, range(9)) for t in (2, 5, 8)], [(u, t) for u in range(9) for t in (0, 9)]
    )
    proof_data = verify(endless(asked), k=2, engine="dp", keep_proof_data=True).proof_data
    factor = ENDLESS // 9
    assert proof_data.answers.notes
    said = {int(note.rpartition(" ")[2]) for note in proof_data.answers.notes}
    assert said <= {factor * t for t in range(10)}
    assert max(said) > 9
