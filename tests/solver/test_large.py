"""Engines without sets of tokens: whatever they say is so, and is what engines with sets say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mixsafe
from mixsafe.errors import InputError
from mixsafe.machinery.checkpoint import Checkpoint
from mixsafe.model.answer.verdict import UNDECIDED, Argument
from mixsafe.model.course import Course, MemoryLimits, SolveLimits
from mixsafe.network.compression import compress
from mixsafe.network.core import Core
from mixsafe.network.timeline import certain
from mixsafe.network.wires import MOST, WireNetwork
from mixsafe.solver import bounds
from mixsafe.solver.construct.open_wires import OpenLists
from mixsafe.solver.large import deciding
from mixsafe.solver.large.deciding import look_around
from mixsafe.solver.large.possible_tokens import QUESTIONS, count_possible
from mixsafe.solver.large.sparse_answers import SparseAnswers
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.strategy import DEFAULT, Strategy
from mixsafe.verify.verification import verify
from tests.support.cores import core_of, pinned_cores, truth_of
from tests.support.oracles import domains, domains_of
from tests.support.random_problems import crowd
from tests.support.relations import related_problems, with_random_pairs
from tests.support.strategies import problems

LIMITS = SolveLimits(workers=1)

SPARSE = SolveLimits(memory=MemoryLimits(sparse_bytes=0))
"""No engine makes sets of tokens that can do without."""


def sparsely(core: Core, k: int, decide=deciding.decide) -> SparseAnswers:
    """What an engine says without sets."""
    wires = np.arange(core.network.n_wires)
    answers = SparseAnswers(core, wires, np.full(len(wires), k, np.int32))
    decide(answers, Course.begin(LIMITS))
    return answers


@given(asked=problems(), k=st.integers(2, 5))
@settings(max_examples=40, deadline=None)
def test_bounds_hold_in_all_assignments(asked, k):
    answers = sparsely(core_of(asked), k)
    truth = np.array(list(map(len, truth_of(asked))))
    assert np.all(answers.lower <= truth)
    assert np.all(truth <= answers.upper)


@given(asked=related_problems(), k=st.integers(2, 5))
@settings(max_examples=60, deadline=None)
def test_bounds_hold_where_zones_allow_some_exchanges_only(asked, k):
    core = compress(asked, WireNetwork.of(asked.zones))[0]
    answers, truth = sparsely(core, k), domains_of(asked)
    steps = core.real_steps[core.network.start]
    size = np.array(
        [len(truth[at]) for at in zip(core.network.row.tolist(), steps.tolist(), strict=True)]
    )
    assert np.all(answers.lower <= size)
    assert np.all(size <= answers.upper)
    rows = core.network.row
    possible = count_possible(core.network.wires, certain(core.pins), np.arange(len(rows)), 1)
    assert np.all(size <= possible)
    if not len(core.pins) and not len(core.links):  # zones are independent then
        assert np.array_equal(size, possible)


@given(asked=pinned_cores(), k=st.integers(2, 5))
@settings(max_examples=30, deadline=None)
def test_bounds_hold_where_tokens_are_on_one_of_several_rows(asked, k):
    core, zones, pins = asked
    answers = sparsely(core, k)
    found = domains(core.network.n_rows, core.network.horizon, zones, [], pins)
    rows = core.network.row.tolist()
    truth = [len(found[row, t]) for row, t in zip(rows, core.network.start.tolist(), strict=True)]
    assert np.all(answers.lower <= truth)
    assert np.all(truth <= answers.upper)


@pytest.mark.parametrize(
    "adversary", ["none", "endpoints", "now and then", "never at 0", "days", "at home"]
)
@pytest.mark.parametrize("places", [1, 5, 30])
def test_verdicts_are_those_of_engines_with_sets(adversary, places):
    asked = crowd(places, 90, 24, places, adversary)
    core, k = core_of(asked), 3
    wires = np.arange(core.network.n_wires)
    dense = Answers(core, wires, np.full(len(wires), k, np.int32))
    bounds.decide(dense, Course.begin(LIMITS))
    sparse = sparsely(core, k)
    assert np.all(sparse.lower <= tokens.count(dense.possible))
    assert np.all(dense.lower <= sparse.upper)
    both = (dense.decided_by != Argument.NONE) & (sparse.decided_by != Argument.NONE)
    assert np.array_equal(dense.lower[both] >= k, sparse.lower[both] >= k)
    assert both.any()


def test_engines_choose_it_where_one_component_is_too_large():
    asked = crowd(3, 60, 12, 6, "endpoints")
    dense = verify(asked, k=3)
    sparse = verify(asked, k=3, limits=SPARSE)
    assert dense.to_dict()["representation"] == "dense"
    assert sparse.to_dict()["representation"] == "sparse"
    kept = verify(asked, k=3, engine="bounds", keep_proof_data=True, limits=SPARSE)
    assert kept.proof_data is not None  # certificates need sets, where they can be held
    decided = (dense.rows.verdict != UNDECIDED) & (sparse.rows.verdict != UNDECIDED)
    assert np.array_equal(dense.rows.verdict[decided], sparse.rows.verdict[decided])
    assert np.all(sparse.rows.upper <= asked.zones.n_users)
    at = verify(asked, k=3, at=[5], engine="bounds", limits=SPARSE)
    assert at.to_dict()["representation"] == "sparse"
    assert len(at.rows.verdict) == 60


@pytest.mark.parametrize("related", [False, True], ids=["complete", "related"])
@pytest.mark.parametrize("adversary", ["endpoints", "now and then"])
def test_the_candidates_that_are_told_are_candidates(adversary, related):
    asked = crowd(3, 14, 8, 3, adversary)
    if related:
        asked = with_random_pairs(asked, np.random.default_rng(4))
    dense = verify(asked, k=4, exhaustive=True, keep_proof_data=True)
    sparse = verify(asked, k=4, keep_candidates=True, limits=SPARSE)
    assert sparse.to_dict()["representation"] == "sparse"
    for row, (user, lower) in enumerate(zip(sparse.rows.user, sparse.rows.lower, strict=True)):
        told, truth = sparse.candidates.of_row(row, 3), dense.candidates.of_row(row, 60)
        assert len(told.tokens) == len(set(told.tokens)) == min(3, lower)
        assert user in told.tokens
        assert set(told.tokens) <= set(truth.tokens)
        assert told.proven <= len(truth.tokens) <= told.possible


def same(one: SparseAnswers, other: SparseAnswers) -> bool:
    """Whether two runs found the same, by the same arguments."""
    names = ("lower", "upper", "decided_by")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


def run(core: Core, workers: int = 1, kept: Checkpoint | None = None) -> SparseAnswers:
    """Engine ``auto``, asked for more candidates than swaps prove everywhere."""
    wires = np.arange(core.network.n_wires)
    answers = SparseAnswers(core, wires, np.full(len(wires), 4, np.int32))
    deciding.decide(answers, Course.begin(SolveLimits(workers=workers), journal=kept))
    return answers


def test_workers_and_stops_change_nothing(tmp_path):
    core = core_of(crowd(11, 60, 12, 12, "endpoints"))
    alone = run(core)
    assert Argument.SUPPORT in alone.decided_by
    assert same(alone, run(core, workers=3))
    with Checkpoint(tmp_path) as kept:
        assert same(alone, run(core, kept=kept))
    path = tmp_path / "checkpoint"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])  # killed in the middle
    with Checkpoint(tmp_path) as kept:
        assert same(alone, run(core, kept=kept))
    assert path.read_bytes() == whole


def test_a_limit_of_time_leaves_questions_open_and_no_bound_wrong():
    core = core_of(crowd(5, 60, 12, 12, "endpoints"))
    answers = SparseAnswers(core, np.arange(core.network.n_wires), np.full(core.network.n_wires, 4))
    deciding.decide(answers, Course.begin(SolveLimits(1e-9, workers=1)))
    full = run(core)
    assert answers.n_open > full.n_open
    assert np.all(answers.lower <= full.upper)
    assert np.all(full.lower <= answers.upper)


def test_bounds_of_both_kinds_agree_on_the_contest_of_osaka(published):
    traces = mixsafe.load(published("pwscup2019/orgtraces_team001_data01_IDP.csv"))
    asked = mixsafe.pose(traces, adversary="endpoints")
    dense = verify(asked, k=3, engine="bounds").rows
    sparse = verify(asked, k=3, engine="bounds", limits=SPARSE).rows
    assert np.all(sparse.lower <= dense.upper)
    assert np.all(dense.lower <= sparse.upper)
    decided = (dense.verdict != UNDECIDED) & (sparse.verdict != UNDECIDED)
    assert decided.mean() > 0.7
    assert np.array_equal(dense.verdict[decided], sparse.verdict[decided])


@pytest.mark.parametrize("possible", [1, 60])
def test_open_wires_are_asked_about_if_that_settles_enough_of_a_sample(possible, monkeypatch):
    core = core_of(crowd(5, 120, 24, 12, "endpoints"))
    n_wires = core.network.n_wires
    answers = SparseAnswers(core, None, np.full(n_wires, 3, np.int32))
    asked, listed = [], []

    class Told:
        questions = 100

        def possible(self, wires):
            asked.extend(wires.tolist())
            return np.full(len(wires), possible, np.int32)

    assert n_wires > 2 * QUESTIONS
    monkeypatch.setattr(deciding, "narrow", lambda *given: listed.append(given))
    deciding._bound_open(answers, DEFAULT, core.pins, Told(), Course.begin(LIMITS))
    assert len(asked) == len(set(asked))
    assert len(asked) == n_wires if possible < 3 else 0 < len(asked) <= QUESTIONS
    assert len(listed) == (possible < 3)


@pytest.mark.parametrize("is_settled", [False, True])
def test_all_open_wires_are_looked_around_if_that_settles_enough_of_a_sample(is_settled):
    core = core_of(crowd(5, 60, 12, 12, "endpoints"))
    n_wires = core.network.n_wires
    answers = SparseAnswers(core, None, np.full(n_wires, 2, np.int32))
    known = OpenLists.of(*answers.open_wires())
    looked = []

    class Shown:
        def look(self, decide, lists, size, asked):
            for wires in asked:
                looked.append(wires)
                other = (core.network.row[wires] + 1) % core.network.n_rows
                some = slice(None) if is_settled else slice(0)
                by = np.full(len(wires), Argument.SUPPORT, np.uint8)
                yield {"wires": wires[some], "tokens": other[some].astype(np.int32), "by": by}

    strategy = Strategy(surroundings=((4, 20),), sample=2)
    look_around(answers, known, strategy, Shown(), Course.begin(LIMITS))
    assert sum(map(len, looked)) == n_wires if is_settled else 0 < len(looked) <= 3
    assert answers.n_open == (0 if is_settled else n_wires)


def test_memberships_whose_places_are_no_numbers_of_32_bits_are_refused():
    core = core_of(crowd(3, 20, 6, 4, "none"))
    member = np.broadcast_to(np.int32(0), MOST + 1)  # takes no memory
    with pytest.raises(InputError, match="memberships are more than"):
        sparsely(replace(core, network=replace(core.network, member=member)), 2)
