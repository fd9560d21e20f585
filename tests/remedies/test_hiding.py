"""Hiding stretches: an adversary who knows the rule learns nothing from what is hidden."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.course import Course
from mixsafe.model.question.problem import Problem
from mixsafe.remedies.protecting import may_hide
from mixsafe.remedies.publication import Publication
from mixsafe.remedies.suppression import Hiding
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.verification import answer
from tests.support.hidden_cells import (
    Cells,
    HideBy,
    covered,
    hidden_by_mixsafe,
    hidden_tracks,
    hiding_of,
    worlds,
)
from tests.support.oracles import domains_of
from tests.support.random_problems import of_different_people, random_problem
from tests.support.strategies import problem, problems, with_gaps

SMALL = {"max_users": 4, "max_zones": 4, "max_assignments": 40}


def learned(asked: Problem, hide: HideBy) -> dict[tuple[int, int], set[int]]:
    """Candidates of the published tracks for an adversary who knows the rule of hiding."""
    possible = worlds(asked)
    truth = tuple(tuple(range(asked.zones.n_users)) for _ in range(asked.zones.axis.steps + 1))
    hidden = hidden_tracks(asked, truth, hide)
    fits = [one for one in possible if hidden_tracks(asked, one, hide) == hidden]
    return {
        (track, t): {one[t][track] for one in fits}
        for t in range(1, asked.zones.axis.steps + 1)
        for track in range(asked.zones.n_users)
        if (track, t) not in hidden
    }


def few(k: int) -> HideBy:
    """Hide all tracks with fewer than k candidates."""

    def hide(asked: Problem) -> Cells:
        return {at for at, found in domains_of(asked).items() if len(found) < k}

    return hide


def few_of_whoever_fails(k: int, share: float) -> HideBy:
    """The same, but of people only who are safe for too small a share of the time."""

    def hide(asked: Problem) -> Cells:
        fails = {at for at in few(k)(asked) if at[1] > 0}
        steps = asked.zones.axis.steps
        safe = {u: steps - sum(1 for one in fails if one[0] == u) for u, _ in fails}
        return {at for at in fails if safe[at[0]] < share * steps}

    return hide


def few_tracks(k: int) -> HideBy:
    """Hide the track that a person is on wherever there are few on which the person may be."""

    def hide(asked: Problem) -> Cells:
        found = domains_of(asked)
        people = range(asked.zones.n_users)
        return {
            (one, t)
            for one, t in found
            if sum(one in found[track, t] for track in people) < k
        }  # fmt: skip

    return hide


def told_apart(asked: Problem) -> Problem:
    """The problem of an adversary who knows that different people are different."""
    return replace(asked, knowledge=replace(asked.knowledge, distinct=True))


different = problems(**SMALL).map(told_apart)


@given(different, st.integers(2, 4))
@settings(max_examples=60)
def test_what_is_hidden_is_the_same_whatever_happened(asked: Problem, k: int) -> None:
    hiding = hiding_of(asked, k)
    hidden = covered(hiding, asked)
    assert hidden == {at for at in few(k)(asked) if at[1] > 0}
    assert all(hidden_tracks(asked, one, few(k)) == hidden for one in worlds(asked))


@given(different, st.integers(2, 4))
@settings(max_examples=60)
def test_an_adversary_who_knows_the_rule_learns_nothing(asked: Problem, k: int) -> None:
    before = domains_of(asked)
    after = learned(asked, few(k))
    assert all(after[at] == before[at] and len(after[at]) >= k for at in after)


def test_whoever_it_was_the_same_cells_are_hidden() -> None:
    """In each of all worlds the publisher, who knows which one it is, hides the same."""
    found = 0
    for seed in range(30):
        asked = told_apart(random_problem(np.random.default_rng([seed, 3]), **SMALL))
        hidden = hidden_by_mixsafe(2, asked)
        for world in worlds(asked)[:12]:
            assert hidden_tracks(asked, world, partial(hidden_by_mixsafe, 2)) == hidden
            found += 1
    assert found > 100


def test_so_it_is_where_zones_allow_some_exchanges_only() -> None:
    found = 0
    for seed in range(60):
        asked = of_different_people(np.random.default_rng([seed, 4]), 60)
        if asked.zones.relation is None:
            continue
        too_few = {at for at in few(2)(asked) if at[1] > 0}
        for world in worlds(asked)[:12]:
            hide = partial(hidden_by_mixsafe, 2)
            assert hidden_tracks(asked, world, hide) == too_few
            found += 1
    assert found > 60


def test_stretches_are_not_hidden_where_two_who_are_seen_may_be_one() -> None:
    """If they were, both would be seen on one track, which leaves other candidates elsewhere."""
    told, offered = 0, set()
    for seed in range(150):
        asked = random_problem(np.random.default_rng([seed, 5]), **SMALL)
        possible = worlds(asked)
        truth = hidden_tracks(asked, possible[0], few(2))
        tells = any(hidden_tracks(asked, one, few(2)) != truth for one in possible)
        assert not (tells and may_hide(Publication(asked, Query(2))))
        assert may_hide(Publication(told_apart(asked), Query(2)))
        offered.add(may_hide(Publication(asked, Query(2))))
        told += tells
    assert told > 2
    assert offered == {False, True}


@given(problems(**SMALL, distinct=True), st.integers(2, 4))
@settings(max_examples=60)
def test_what_is_published_passes(asked: Problem, k: int) -> None:
    hiding = hiding_of(asked, k)
    posed, query = hiding.published()
    assert hiding.open == 0
    assert (hiding.verdict is Verdict.SAFE) == bool(len(posed.asked))
    if len(posed.asked):
        assert answer(posed, query, Settings(), Course.begin()).verdict is Verdict.SAFE


BY_THE_TRUTH = {
    "of whoever fails": few_of_whoever_fails(3, 0.6),
    "by tracks": few_tracks(3),
}


def told(hide: HideBy, k: int, asked: Problem) -> bool:
    """Whether a published track has fewer than k candidates after all."""
    return any(len(found) < k for found in learned(asked, hide).values())


def test_hiding_that_depends_on_the_truth_tells_it() -> None:
    """If cells are hidden by what people really did, what is published has fewer candidates."""
    found = {
        name: any(told(hide, 3, drawn(seed)) for seed in range(40))
        for name, hide in BY_THE_TRUTH.items()
    }
    assert all(found.values()), found


def drawn(seed: int) -> Problem:
    random = np.random.default_rng(seed)
    zones = [
        (t, sorted(random.choice(4, random.integers(2, 4), replace=False).tolist()))
        for t in range(1, 5)
    ]
    return problem(4, 5, zones, [(user, 0) for user in range(4)])


def test_undecided_stretches_leave_it_undecided() -> None:
    for seed in range(300):
        hiding = hiding_of(random_problem(np.random.default_rng(seed)), 3, "bounds")
        if hiding.open:
            assert hiding.verdict is Verdict.UNDECIDED
            return
    raise AssertionError


@settings(max_examples=30, deadline=None)
@given(
    asked=problems(max_users=4, max_zones=4, max_assignments=100),
    shown=st.sets(st.tuples(st.integers(0, 1), st.integers(1, 3))),
)
def test_what_is_hidden_is_a_share_of_what_would_be_published(
    asked: Problem, shown: set[tuple[int, int]]
) -> None:
    asked = with_gaps(replace(asked, requirements=None), shown)
    published, domains = asked.zones.published, domains_of(asked)
    assert published is not None
    pairs = list(zip(published.row.tolist(), published.step.tolist(), strict=True))
    hiding = Hiding(answer(asked, Query(2), Settings(), Course.begin()))
    few = [pair for pair in pairs if len(domains[pair]) < 2]
    assert hiding.share_of_time == len(few) / max(len(pairs), 1)
    left = {user for user, _ in set(pairs) - set(few)}
    assert set(np.flatnonzero(hiding.shown).tolist()) == left
