"""How people move is evidence: counts step by step, topics, and who is found by it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import reidentification
from mixsafe.contest.posterior import beliefs
from mixsafe.contest.posterior.guesses import PosteriorIds
from mixsafe.contest.posterior.movements import MovementCounts, Movements, parts_of_day, topics
from mixsafe.contest.posterior.smoothing import shown_regions, track_regions
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.model.release import Cells
from mixsafe.release.exchange import shuffled_table

GRID = Regions(2, 3, 35.65, 139.68, 0.003, 0.004, np.zeros(6, bool))


def rules_of(steps: int) -> Rules:
    """Rules of a small grid with days of so many steps."""
    return Rules(regions=GRID, steps_per_day=steps, home_steps=1)


@st.composite
def histories(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, Rules]:
    """Reference days, and tracks of other days, of a few users."""
    steps, users = draw(st.integers(2, 12)), draw(st.integers(2, 5))
    days, more = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    known, hidden = (
        random.integers(0, GRID.count, (users, steps * one)).astype(np.int32)
        for one in (days, more)
    )
    return known, hidden, rules_of(steps)


@given(histories())
def test_evidence_is_the_sum_over_all_steps_of_what_each_says(found) -> None:
    known, hidden, rules = found
    step_of = lambda traces: np.arange(traces.shape[1]) % rules.steps_per_day  # noqa: E731
    movements = Movements.learn(known, step_of(known), rules)
    tracks = shown_regions(Cells.of_regions(hidden, GRID.count))
    moves, stays = movements.evidence(tracks, step_of(hidden))
    part = parts_of_day(rules)
    for track, user in np.ndindex(moves.shape):
        went = stayed = 0.0
        for at in range(1, hidden.shape[1]):
            if at % rules.steps_per_day == 0:
                continue  # nobody knows what happens at night
            now, before, here = part[at % rules.steps_per_day], *hidden[track, at - 1 : at + 1]
            if before == here:
                stayed += movements.stays[now, user, here]
            else:
                went += movements.goes[now, user, here] - movements.reaches[now, user, before]
                stayed += movements.leaves[now, user, before]
        assert moves[track, user] == pytest.approx(went, abs=1e-3)
        assert stays[track, user] == pytest.approx(stayed, abs=1e-3)


@given(histories())
def test_what_may_be_anywhere_stays_as_far_as_it_can_and_nothing_gets_lost(found) -> None:
    _, hidden, rules = found
    random, step = np.random.default_rng(1), np.arange(hidden.shape[1]) % rules.steps_per_day
    likely = random.dirichlet(np.full(GRID.count, 0.3), hidden.T.shape).astype(np.float32)
    counts = MovementCounts.of([track_regions(one, np.float32(0)) for one in likely], step, rules)
    part = parts_of_day(rules)
    come, leave, stay = (np.zeros_like(one) for one in counts)
    for at in range(1, len(step)):
        if step[at]:
            same = np.minimum(likely[at - 1], likely[at])
            stay[part[step[at]]] += same
            come[part[step[at]]] += likely[at] - same
            leave[part[step[at]]] += likely[at - 1] - same
    for mine, expected in zip(counts, (come, leave, stay), strict=True):
        assert mine == pytest.approx(expected, abs=1e-4)


@given(histories())
def test_to_stay_and_to_leave_are_all_that_one_can_do(found) -> None:
    known, _, rules = found
    step = np.arange(known.shape[1]) % rules.steps_per_day
    movements = Movements.learn(known, step, rules)
    # exp of a log-ratio times what is usual is a probability: for some usual share both sum to 1.
    stays, leaves = np.exp(movements.stays), np.exp(movements.leaves)
    assert np.all((np.minimum(stays, leaves) <= 1 + 1e-4) & (np.maximum(stays, leaves) >= 1 - 1e-4))
    for values in (movements.goes, movements.reaches):
        assert np.all(np.isfinite(values))


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_topics_are_distributions_that_make_what_was_counted_likelier(seed, number) -> None:
    random = np.random.default_rng(seed)
    counts = random.poisson(2.0, (6, 9)).astype(np.float32)
    counts[:, 0] += 1
    share, topic = topics(counts, number)
    assert share.sum(axis=1) == pytest.approx(np.ones(6), abs=1e-4)
    assert topic.sum(axis=1) == pytest.approx(np.ones(number), abs=1e-4)
    usual = counts.sum(axis=0) / counts.sum()
    if number == 1:
        assert topic[0] == pytest.approx(usual, abs=1e-3)


def test_two_kinds_of_people_are_two_topics() -> None:
    kinds = np.array([[8, 8, 0, 0], [0, 0, 8, 8]], np.float32)
    share, topic = topics(np.tile(kinds, (10, 1)), 2)
    found = share @ topic
    assert found[0, :2].sum() > 0.9
    assert found[1, 2:].sum() > 0.9


def people_who_stay_or_go(users: int, days: int, seed: int) -> np.ndarray:
    """All are in regions 1 and 2 for equal times; the even ones seldom change, others often."""
    random = np.random.default_rng(seed)
    traces = np.zeros((users, days * 10), np.int32)
    for user in range(users):
        here, often = 1, (0.1, 0.9)[user % 2]
        for at in range(1, traces.shape[1]):
            if at % 10 == 0:
                here = 1 + random.integers(2)
            elif random.random() < often:
                here = 3 - here
            traces[user, at] = here
    return traces


@pytest.mark.parametrize(("long", "all_found"), [(8, True), (99, False)])
def test_who_stays_and_who_goes_is_told_apart_in_the_same_places(
    monkeypatch, long: int, all_found: bool
) -> None:
    monkeypatch.setattr(beliefs, "LONG", long)  # days from which on movements are evidence
    known = Reference(TraceMatrix(people_who_stay_or_go(8, 10, 1)), rules_of(10))
    cells = Cells.of_regions(people_who_stay_or_go(8, 10, 2), GRID.count, 101)
    table = shuffled_table(cells, np.random.default_rng(1))
    named = PosteriorIds(0).attack(known, table.publish(cells), np.random.default_rng(1))
    assert np.all(named % 2 == table.user[:, 0] % 2) == all_found


def test_a_short_history_is_attacked_as_before(monkeypatch) -> None:
    rules = rules_of(10)
    known = Reference(TraceMatrix(people_who_stay_or_go(8, 7, 1)), rules)
    cells = Cells.of_regions(people_who_stay_or_go(8, 7, 2), GRID.count, 71)
    table = shuffled_table(cells, np.random.default_rng(1))
    monkeypatch.setattr(beliefs, "_movement_evidence", None)  # must not be called
    named = PosteriorIds(0).attack(known, table.publish(cells), np.random.default_rng(1))
    assert 0 <= reidentification(table, named).value <= 1


def test_noise_and_sets_do_not_hide_who_stays_and_who_goes(monkeypatch) -> None:
    rules, hidden = rules_of(10), people_who_stay_or_go(8, 20, 2)
    known = Reference(TraceMatrix(people_who_stay_or_go(8, 20, 1)), rules)
    random = np.random.default_rng(3)
    code = np.where(
        random.random(hidden.shape) < 0.1, 3 + random.integers(3, size=hidden.shape), hidden
    )
    code[random.random(hidden.shape) < 0.1] = GRID.count  # deleted
    sets = np.array([0, 2, 4]), np.array([0, 1, 2, 3], np.int32)
    in_sets = (random.random(hidden.shape) < 0.1) & (code < 4)
    code[in_sets] = GRID.count + 1 + code[in_sets] // 2
    cells = Cells(code.astype(np.int32), GRID.count, *sets, first_time=201)
    table = shuffled_table(cells, random)
    named = PosteriorIds(0).attack(known, table.publish(cells), random)
    assert np.all(named % 2 == table.user[:, 0] % 2)
