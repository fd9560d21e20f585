"""Every engine against all assignments of small problems; any disagreement is a wrong theorem."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.course import Course, SolveLimits
from mixsafe.solver.registry import ENGINES
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.verify import verify
from tests.support.cores import pinned_cores
from tests.support.oracles import domains, domains_of, requirements_of
from tests.support.strategies import problem, problems

ONE_WORKER = SolveLimits(workers=1)
EXACT = [engine for engine in ENGINES if engine.exact]
NAMES = [engine.name for engine in EXACT]
ENCODED = [(one.name, encoding) for one in EXACT for encoding in one.encodings or (None,)]


def found_domains(answer):
    return {(row["user"], row["time"]): set(row["pseudonyms"]) for row in answer.domains}


@pytest.mark.parametrize(
    ("engine", "encoding"),
    ENCODED,
)
@given(problem=problems())
@settings(max_examples=60, deadline=None)
def test_exact_engines_find_exactly_the_candidates_that_some_assignment_has(
    engine, encoding, problem
):
    answer = verify(problem, engine=engine, encoding=encoding, exhaustive=True, limits=ONE_WORKER)
    assert found_domains(answer) == domains_of(problem)


@pytest.mark.parametrize("engine", NAMES)
@given(problem=problems(max_requirements=5))
@settings(max_examples=40, deadline=None)
def test_a_requirement_is_safe_exactly_when_k_candidates_exist(engine, problem):
    truth = domains_of(problem)
    answer = verify(problem, engine=engine, limits=ONE_WORKER)
    expected = [
        "safe" if len(truth[user, t]) >= k else "unsafe" for user, t, k in requirements_of(problem)
    ]
    assert answer.results["verdict"].tolist() == expected


@given(problem=problems(max_requirements=5))
@settings(max_examples=150, deadline=None)
def test_bounds_enclose_the_truth(problem):
    truth = domains_of(problem)
    every = verify(problem, engine="bounds", exhaustive=True)
    assert all(proven <= truth[asked] for asked, proven in found_domains(every).items())
    asked = verify(problem, engine="bounds").results
    sizes = [len(truth[user, t]) for user, t, _ in requirements_of(problem)]
    assert np.all(asked["lower"].to_numpy() <= sizes)
    assert np.all(sizes <= asked["upper"].to_numpy())


@pytest.mark.parametrize("engine", NAMES)
@given(asked=pinned_cores())
@settings(max_examples=60, deadline=None)
def test_tokens_pinned_to_sets_of_rows_are_decided_as_in_the_assignments(engine, asked):
    core, zones, pins = asked
    network = core.network
    wires = np.arange(network.n_wires)
    answers = Answers(core, wires, np.ones(len(wires), np.int32), exhaustive=True)
    ENGINES[engine].decider()(answers, Course.begin(ONE_WORKER))
    truth = domains(network.n_rows, network.horizon, zones, [], pins)
    for wire in wires:
        found = set(tokens.members(answers.proven[wire]).tolist())
        assert answers.lower[wire] == answers.upper[wire]
        assert found == truth[int(network.row[wire]), int(network.start[wire])]


@given(problem=problems(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_less_knowledge_never_removes_a_candidate(problem, data):
    knowledge = problem.knowledge
    kept = data.draw(st.lists(st.booleans(), min_size=len(knowledge), max_size=len(knowledge)))
    less = knowledge.those(np.array(kept, bool))
    more_candidates = domains_of(replace(problem, knowledge=less))
    answer = verify(problem, engine="dp", exhaustive=True)
    for asked, candidates in found_domains(answer).items():
        assert candidates <= more_candidates[asked]


@pytest.mark.parametrize("engine", NAMES)
@pytest.mark.parametrize("horizon", [1, 4])
def test_a_zone_of_everybody_in_the_only_step_makes_everybody_anybody(engine, horizon):
    everybody = problem(4, horizon, [(1, range(4))])
    answer = verify(everybody, engine=engine, exhaustive=True, limits=ONE_WORKER)
    late = [row for row in answer.domains if row["time"] > 0]
    assert all(row["pseudonyms"] == [0, 1, 2, 3] for row in late)
    assert len(late) == 4 * horizon
