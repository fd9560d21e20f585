"""Remedies: each is verified, and the finest rung of a ladder that passes is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mixsafe
from mixsafe.errors import InputError
from mixsafe.extract.pose import pose
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.question.problem import Problem
from mixsafe.tasks.remedies.ladders import allows_more, coarser_cells, grain_of, ladders_of
from tests.support.oracles import domains_of, zones_of
from tests.support.strategies import mix_zones, problem, problems

METRE = 1 / 111_195
"""A metre, degrees of latitude."""


def walkers(seed: int, n_users: int = 8, reach: float = 300.0) -> mixsafe.Traces:
    """People who walk on a line near the equator, with a fix every minute."""
    random = np.random.default_rng(seed)
    way = random.uniform(-reach, reach, n_users) + random.normal(0, 40, (20, n_users)).cumsum(0)
    return mixsafe.Traces(
        users=np.arange(n_users),
        user=np.repeat(np.arange(n_users, dtype=np.int32), 20),
        time=np.tile(60 * np.arange(20), n_users),
        clock="unix",
        lat=(way.T * METRE).ravel(),
        lon=np.zeros(20 * n_users),
    )


def merged(whole: Problem, random: np.random.Generator) -> Problem:
    """The problem with some zones of one step joined, and others added."""
    joined: list[tuple[int, list[int]]] = []
    for t, members in zones_of(whole):
        if joined and joined[-1][0] == t and random.random() < 0.7:
            joined[-1][1].extend(members)
        else:
            joined.append((t, list(members)))
    return replace(whole, zones=mix_zones(whole.zones.n_users, whole.zones.axis.steps, joined))


@given(problems(max_users=5, max_assignments=60), st.integers(0, 99))
@settings(max_examples=60)
def test_zones_within_zones_allow_no_candidate_less(fine: Problem, seed: int) -> None:
    coarse = merged(fine, np.random.default_rng(seed))
    assert allows_more(fine, coarse)
    before, after = domains_of(fine), domains_of(coarse)
    assert all(before[at] <= after[at] for at in before)


def test_other_zones_knowledge_or_requirements_are_not_comparable() -> None:
    one = problem(3, 4, [(1, [0, 1, 2])], [(0, 0)], [(0, 1, 2)])
    assert allows_more(one, one)
    assert allows_more(problem(3, 4, [(1, [1, 2])], [(0, 0)], [(0, 1, 2)]), one)
    others = (
        problem(3, 4, [(1, [1, 2])], [(0, 0)], [(0, 1, 2)]),
        problem(3, 4, [(2, [0, 1, 2])], [(0, 0)], [(0, 1, 2)]),
        problem(3, 4, [(1, [0, 1, 2])], [(0, 1)], [(0, 1, 2)]),
        problem(3, 4, [(1, [0, 1, 2])], [(0, 0)], [(0, 2, 2)]),
        problem(3, 4, [(1, [0, 1, 2])], [(0, 0)]),
        problem(3, 5, [(1, [0, 1, 2])], [(0, 0)], [(0, 1, 2)]),
        problem(3, 4, [], [(0, 0)], [(0, 1, 2)]),
    )
    assert not any(allows_more(one, other) for other in others)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("factor", [2, 1.5], ids=["nested", "not nested"])
def test_the_finest_cells_that_pass_are_found(seed: int, factor: float) -> None:
    """Of nested cells by fewer verifications than of others."""
    traces, rule = walkers(seed), "share:0.4"
    sizes = [50.0 * factor**n for n in range(1, 7)]
    asked = {"rule": rule, "cell_size": 50.0, "cell_sizes": sizes, "time_steps": ()}
    found = mixsafe.protect(traces, 3, **asked)
    tried = [one for one in found.remedies if one.name == "larger cells"]
    passes = {
        size: mixsafe.verify(pose(traces, cell_size=size), k=3, rule=rule).verdict is Verdict.SAFE
        for size in sizes
    }
    assert not found.remedies[0].passes
    assert [one.passes for one in tried] == [passes[one.grain.cell_size] for one in tried]
    finest = min(size for size in sizes if passes[size])
    assert finest == min(one.grain.cell_size for one in tried if one.passes)
    in_order = sizes[: sizes.index(finest) + 1]
    if factor == 2:
        assert len(tried) <= 4
    else:
        assert [one.grain.cell_size for one in tried] == in_order


def test_no_rung_may_pass() -> None:
    found = mixsafe.protect(walkers(0), 9, rule="every", adversary="none")
    assert found.verdict is Verdict.UNSAFE
    assert {one.name for one in found.remedies} == {
        "as it is", "leave out", "larger cells", "longer steps",
    }  # fmt: skip
    assert found.to_dict()["kept"] == []
    assert len(found.table) == len(found.remedies)


def test_what_passes_needs_no_coarser_grain() -> None:
    found = mixsafe.protect(walkers(1), 2, rule="some", adversary="none", cell_size=500)
    assert found.remedies[0].passes
    assert [one.name for one in found.remedies] == ["as it is", "leave out"]
    assert found.to_dict()["left_out"] == []


def test_coarser_cells_of_both_kinds() -> None:
    assert coarser_cells(100) == (200, 400, 800, 1600)
    assert coarser_cells("h3:9") == ("h3:8", "h3:7", "h3:6")
    assert coarser_cells("h3:1") == ("h3:0",)


@pytest.mark.parametrize(
    ("sizes", "lengths", "says"),
    [
        ([200, 100], None, "cells of 100 are not larger than those now, 100"),
        (None, [60], "steps of 60 s are not longer than those now, 60 s"),
    ],
)
def test_a_rung_that_is_not_coarser_is_refused(sizes, lengths, says) -> None:
    traces = walkers(0)
    with pytest.raises(InputError, match=says):
        ladders_of(traces, grain_of(traces, 100, 60), sizes, lengths)


def test_a_ladder_needs_cells_and_a_clock() -> None:
    traces = mixsafe.load(mixsafe.sample("town"))
    for ladder in ({"cell_sizes": [200]}, {"time_steps": [120]}):
        with pytest.raises(InputError, match=r"cannot be given: the (places|traces)"):
            mixsafe.protect(traces, 3, **ladder)
    with pytest.raises(InputError, match="need traces"):
        mixsafe.protect(problem(2, 1, [(1, [0, 1])]), 2, cell_sizes=[200])
