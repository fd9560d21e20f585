"""Remedies: each is verified, and the finest rung of a ladder that passes is found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mixsafe
from mixsafe.errors import InputError
from mixsafe.extract.exchange.rules import ExchangeRules
from mixsafe.extract.pose import pose
from mixsafe.extract.positions import grid_of
from mixsafe.model.answer.verdict import UNDECIDED, Verdict
from mixsafe.model.course import SolveLimits
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.problem import Problem
from mixsafe.remedies import protecting
from mixsafe.remedies.publication import (
    allows_more,
    coarser_cells,
    form_of,
    ladders_of,
    more_rotations,
)
from mixsafe.verify.verification import Verification
from tests.support.oracles import domains_of, zones_of
from tests.support.strategies import mix_zones, problem, problems
from tests.support.walkers import METRE, walkers


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
    asked["rotations"] = ()
    found = mixsafe.protect(traces, 3, **asked)
    tried = [one for one in found.remedies if one.name == "larger cells"]
    passes = {
        size: mixsafe.verify(pose(traces, cell_size=size), k=3, rule=rule).verdict is Verdict.SAFE
        for size in sizes
    }
    assert not found.remedies[0].passes
    assert [one.passes for one in tried] == [passes[one.form.cell_size] for one in tried]
    finest = min(size for size in sizes if passes[size])
    assert finest == min(one.form.cell_size for one in tried if one.passes)
    in_order = sizes[: sizes.index(finest) + 1]
    if factor == 2:
        assert len(tried) <= 4
    else:
        assert [one.form.cell_size for one in tried] == in_order


def test_no_rung_may_pass() -> None:
    found = mixsafe.protect(walkers(0), 9, rule="every", adversary="none")
    assert found.verdict is Verdict.UNSAFE
    ways = ("larger cells", "longer steps")
    also = ("leave out", "hide stretches")
    assert {one.name for one in found.remedies} == {
        "as it is", *also, *ways, *(f"{way}, {more}" for way in ways for more in also),
    }  # fmt: skip
    assert found.to_dict()["kept"] == []
    assert len(found.table) == len(found.remedies)


def test_what_passes_needs_no_coarser_grain() -> None:
    found = mixsafe.protect(walkers(1), 2, rule="some", adversary="none", cell_size=500)
    assert found.remedies[0].passes
    assert [one.name for one in found.remedies] == ["as it is", "leave out"]
    assert found.to_dict()["left_out"] == []


def test_all_rungs_are_decided_where_a_milder_form_passes() -> None:
    asked = {"rule": "some", "adversary": "none", "cell_size": 500, "rotations": ()}
    asked |= {"cell_sizes": [1000, 2000], "time_steps": [300]}
    found = mixsafe.protect(walkers(1), 2, **asked, all_rungs=True)
    assert found.remedies[0].passes
    forms = [(one.name, one.form.cell_size, one.form.time_step) for one in found.remedies]
    assert forms == [
        ("as it is", 500, 60),
        ("leave out", 500, 60),
        ("larger cells", 1000, 60),
        ("larger cells", 2000, 60),
        ("longer steps", 500, 300),
    ]
    for one in found.remedies[2:]:
        where = {"cell_size": one.form.cell_size, "time_step": one.form.time_step}
        posed = pose(walkers(1), adversary="none", **where)
        assert one.verdict is mixsafe.verify(posed, k=2, rule="some").verdict


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
        ladders_of(form_of(traces, 100, 60), sizes, lengths)


def test_a_ladder_needs_cells_and_a_clock() -> None:
    traces = mixsafe.load(mixsafe.sample("town"))
    for ladder in ({"cell_sizes": [200]}, {"time_steps": [120]}):
        with pytest.raises(InputError, match=r"cannot be given: the (places|data)"):
            mixsafe.protect(traces, 3, **ladder)
    with pytest.raises(InputError, match="need traces"):
        mixsafe.protect(problem(2, 1, [(1, [0, 1])]), 2, cell_sizes=[200])


def test_a_problem_says_itself_when_pseudonyms_change() -> None:
    with pytest.raises(InputError, match="says itself"):
        mixsafe.protect(problem(2, 2, [(1, [0, 1])]), 2, rotations=["daily"])


@pytest.mark.parametrize("seed", range(3))
def test_the_rarest_rotation_that_passes_is_found(seed: int) -> None:
    """Every 2 minutes is at all times of every 4, so that halves of the ladder are enough."""
    traces, rule = walkers(seed), "share:0.5"
    schedules = [f"every:{steps}" for steps in (16, 8, 4, 2)]
    asked = {"rule": rule, "cell_size": 20.0, "cell_sizes": (), "time_steps": ()}
    found = mixsafe.protect(traces, 3, rotations=schedules, **asked)
    passes = {
        one: mixsafe.verify(
            pose(traces, cell_size=20.0, rules=ExchangeRules(rotate=one)), k=3, rule=rule
        ).verdict
        is Verdict.SAFE
        for one in schedules
    }
    tried = {one.form.rotate: one.passes for one in found.remedies if one.name == "rotations"}
    assert tried == {one: passes[one] for one in tried}
    rarest = next(one for one in schedules if passes[one])
    assert tried[rarest]
    assert not any(tried[one] for one in schedules[: schedules.index(rarest)] if one in tried)
    assert len(tried) <= 3


def test_rotations_are_more_and_more_frequent() -> None:
    day = TimeAxis(60)
    assert more_rotations(day, None, 20) == ("daily", "every:10", "every:5")
    assert more_rotations(day, "daily", 20) == ("every:10", "every:5")
    assert more_rotations(TimeAxis(24 * 60, 0, 60), None) == ("every:6h", "every:1h")
    weeks = TimeAxis(20 * 24 * 60, 0, 60)
    assert more_rotations(weeks, None) == ("weekly", "daily", "every:6h", "every:1h")
    assert more_rotations(TimeAxis(1), None) == ()


def test_numbers_of_remedies_do_not_depend_on_what_is_tried() -> None:
    """Of the same question, so that --apply can name one."""
    every, some = (
        mixsafe.protect(walkers(3), 3, rule=rule, adversary="none", cell_sizes=[200, 400])
        for rule in ("every", "share:0.3")
    )
    numbers = [{(one.name, one.form): one.option.number for one in was.remedies}
               for was in (every, some)]  # fmt: skip
    both = numbers[0].keys() & numbers[1].keys()
    assert len(both) >= 2
    assert all(numbers[0][one] == numbers[1][one] for one in both)


def test_with_little_time_the_last_rung_is_tried_as_well() -> None:
    found = mixsafe.protect(walkers(0), 9, rule="every", limits=SolveLimits(0.5))
    assert {one.form.time_step for one in found.remedies} == {60, 120, 300, 900, 3600}


@pytest.mark.parametrize("seed", range(4))
def test_what_it_costs(seed: int) -> None:
    """Against a count of the fixes, one by one."""
    traces = walkers(seed)
    found = mixsafe.protect(traces, 3, rule="every", cell_sizes=[200], time_steps=[300])
    for one in found.remedies:
        grid = grid_of(traces, one.form.cell_size)
        kept = {}  # the last fix of each step counts
        for fix, (user, time) in enumerate(zip(traces.user, traces.time, strict=True)):
            kept[user, time // one.form.time_step] = fix
        fixes = list(kept.values())
        if one.group is not None:
            fixes = [fix for fix in fixes if one.group.kept[traces.user[fix]]]
        if one.hiding is not None:
            length = one.form.time_step
            step = traces.time // length - traces.time.min() // length + 1
            fixes = [
                fix for fix in fixes
                if not one.hiding.covers(traces.user[[fix]], step[[fix]])[0]
            ]  # fmt: skip
        assert one.cost.lost == pytest.approx(1 - len(fixes) / len(traces.user), abs=1e-6)
        if not fixes:
            continue
        lat, _ = grid.cell_center(grid.cell(traces.lat[fixes], traces.lon[fixes]))
        off = np.abs(lat - traces.lat[fixes]) / METRE
        across = one.form.cell_size / 2  # all are on one meridian, on a corner of cells
        assert one.cost.metres == pytest.approx(np.hypot(off, across).mean(), abs=0.2)
        late = traces.time[fixes] % one.form.time_step / 60
        assert one.cost.minutes == pytest.approx(late.mean(), abs=0.01)


def test_a_remedy_that_was_cut_short_is_tried_again_in_the_time_that_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first decision, about the data as they are, ends as one that took too long."""
    decided, calls = protecting.answer, list[int]()

    def cut_short_once(*asked: Any) -> Verification:
        found = decided(*asked)
        calls.append(len(calls))
        if len(calls) > 1:
            return found
        undecided = np.full_like(found.user_rows.verdict, UNDECIDED)
        return replace(found, user_rows=found.user_rows._replace(verdict=undecided))

    monkeypatch.setattr(protecting, "answer", cut_short_once)
    asked: dict[str, Any] = {"rule": "share:0.4", "cell_size": 50.0, "cell_sizes": ()}
    asked |= {"time_steps": (), "rotations": ()}
    limited = mixsafe.protect(walkers(0), 3, limits=SolveLimits(600), **asked)
    assert len(calls) == 2
    unlimited = mixsafe.protect(walkers(0), 3, **asked)
    assert [one.verdict for one in limited.remedies] == [one.verdict for one in unlimited.remedies]
    assert (limited.group.kept == unlimited.group.kept).all()
