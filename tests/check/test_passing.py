"""Who passes by the rule: what counts is shown, and all of the steps that were asked about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from mixsafe.check.passing import judged
from mixsafe.check.unsafe import ShownUnsafe
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.question.requirement import Rule
from tests.support.certificates import Claim, Exchange, Written
from tests.support.strategies import problem
from tests.support.written import (
    EVERYTHING,
    HOME,
    check,
)


def decided_in_part(rule: Rule, *, proven: bool) -> Written:
    """User 0 is safe in five of ten steps, undecided in two; the others are undecided.

    The rest is proven to be unsafe if she is seen at steps 0 and 8; else that is only claimed.
    """
    swap = (Exchange(1, (0, 1), (1, 0)), Exchange(6, (0, 1), (0, 1)))
    claims = (
        Claim(0, 0, 0, 2, Verdict.UNDECIDED),
        Claim(0, 1, 5, 2, Verdict.SAFE, witnesses=(0, 1)),
        Claim(0, 6, 7, 2, Verdict.UNDECIDED),
        Claim(0, 8, 10, 2, Verdict.UNSAFE, candidates=(0,), decided_by="cpsat"),
        *(Claim(1, *steps, 2, Verdict.UNDECIDED) for steps in ((0, 0), (1, 5), (6, 10))),
        *(Claim(2, *steps, 2, Verdict.UNDECIDED) for steps in ((0, 7), (8, 10))),
    )
    seen = [(0, 0), (0, 8)] if proven else []
    asked = problem(3, 10, [(1, [0, 1]), (6, [0, 1]), (8, [0, 2])], seen)
    return Written(asked, rule, 2, claims, (HOME, swap))


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        (Rule("every"), Verdict.UNSAFE),
        (Rule("some"), Verdict.SAFE),
        (Rule("share", 0.5), Verdict.SAFE),
        (Rule("share", 0.51), Verdict.UNDECIDED),
        (Rule("share", 0.7), Verdict.UNDECIDED),
        (Rule("share", 0.71), Verdict.UNSAFE),
    ],
)
def test_a_user_passes_by_her_steps_and_step_0_is_none(rule: Rule, verdict: Verdict) -> None:
    found = check(decided_in_part(rule, proven=True))
    counts = {Verdict.SAFE: 0, Verdict.UNSAFE: 0, Verdict.UNDECIDED: 2}
    counts[verdict] += 1
    assert found.users == counts
    assert (found.safe, found.unsafe_confirmed, found.undecided) == (1, 1, 7)
    assert found.verdict is (verdict if verdict is Verdict.UNSAFE else Verdict.UNDECIDED)
    assert found.users_claimed == ()


@pytest.mark.parametrize(
    ("rule", "verdict", "claimed"),
    [
        (Rule("every"), Verdict.UNDECIDED, (0,)),
        (Rule("some"), Verdict.SAFE, ()),
        (Rule("share", 0.5), Verdict.SAFE, ()),
        (Rule("share", 0.7), Verdict.UNDECIDED, ()),
        (Rule("share", 0.71), Verdict.UNDECIDED, (0,)),
    ],
)
def test_nobody_fails_by_an_unsafe_verdict_that_is_only_claimed(
    rule: Rule, verdict: Verdict, claimed: tuple[int, ...]
) -> None:
    found = check(decided_in_part(rule, proven=False))
    counts = {Verdict.SAFE: 0, Verdict.UNSAFE: 0, Verdict.UNDECIDED: 2}
    counts[verdict] += 1
    assert found.users == counts
    assert (found.unsafe_confirmed, found.unsafe_claimed) == (0, 1)
    assert found.users_claimed == claimed
    assert found.verdict is Verdict.UNDECIDED


def test_whoever_fails_by_what_is_proven_fails_whatever_else_is_claimed_of_her() -> None:
    """Reachability shows that user 1 is unsafe at step 3; her step 1 and user 2 take more."""
    zones = [(1, [0, 1]), (2, [1, 2]), (3, [0, 2])]
    known = [(user, t) for user in range(3) for t in (0, 3)]
    asked = problem(3, 3, zones, known, [(1, 1, 2), (1, 3, 2), (2, 2, 2)])
    claims = tuple(
        Claim(row, step, step, 2, Verdict.UNSAFE, candidates=(row,), decided_by="cpsat")
        for row, step in ((1, 1), (1, 3), (2, 2))
    )
    found = check(Written(asked, Rule("every"), None, claims, (HOME,)))
    assert found.users == {Verdict.SAFE: 0, Verdict.UNSAFE: 1, Verdict.UNDECIDED: 1}
    assert (found.unsafe_confirmed, found.users_claimed) == (1, (2,))
    assert found.verdict is Verdict.UNSAFE


def test_a_share_that_is_met_exactly_is_met_whatever_its_rounding() -> None:
    swap = (Exchange(1, (0, 1), (1, 0)), Exchange(8, (0, 1), (0, 1)))
    claims = tuple(
        Claim(row, *steps, 2, verdict, witnesses=(0, 1) if verdict is Verdict.SAFE else ())
        for row in range(2)
        for steps, verdict in (
            ((0, 0), Verdict.UNDECIDED),
            ((1, 7), Verdict.SAFE),
            ((8, 25), Verdict.UNDECIDED),
        )
    )
    asked = problem(2, 25, [(1, [0, 1]), (8, [0, 1])])
    assert 0.28 * 25 > 7
    found = check(Written(asked, Rule("share", 0.28), 2, claims, (HOME, swap)))
    assert found.verdict is Verdict.SAFE


MANY = 2**31 - 2


@pytest.mark.parametrize(
    ("rule", "safe"),
    [
        (Rule("some"), False),
        (Rule("every"), True),
        (Rule("share", 0.5), False),
        (Rule("share", 1e-12), False),
        (Rule("share", 0.9999999999), True),
    ],
)
def test_no_step_is_made_up_where_there_are_very_many(rule: Rule, safe: bool) -> None:
    # Between the two zones everybody is safe, or nobody; in the last step nobody is.
    zones = [(1, [0, 1]), (MANY, [0, 1])]
    swap = (Exchange(1, (0, 1), (1, 0)), Exchange(MANY, (0, 1), (0, 1)))
    claims = tuple(
        Claim(row, *steps, 2, Verdict.SAFE, witnesses=(0, 1))
        if safe and steps[0] == 1
        else Claim(row, *steps, 2, Verdict.UNSAFE, candidates=(row,), decided_by="cpsat")
        for row in range(2)
        for steps in ((0, 0), (1, MANY - 1), (MANY, MANY))
    )
    seen = (0, MANY) if safe else (0, 1, MANY)
    asked = problem(2, MANY, zones, [(user, t) for user in range(2) for t in seen])
    found = check(Written(asked, rule, 2, claims, (HOME, swap) if safe else (HOME,)))
    assert found.users[Verdict.UNSAFE] == 2


@pytest.mark.parametrize(
    ("asked", "n_judged"), [("everybody", 4), ("requirements", 5), ("known users", 5)]
)
def test_only_where_everybody_was_asked_about_those_without_data_do_not_count(
    asked: str, n_judged: int
) -> None:
    zones = replace(EVERYTHING.problem.zones, absent=np.array([4], np.int32))
    told = replace(EVERYTHING, problem=replace(EVERYTHING.problem, zones=zones)).certificate
    if asked == "requirements":
        told = replace(told, k=None)
    elif asked == "known users":
        told = replace(told, audited=cast(Any, "an auditor's sightings"))
    nothing = ShownUnsafe(np.zeros(0, np.int64), np.zeros(0, np.int8))
    assert sum(judged(told, nothing).users.values()) == n_judged


def test_one_safe_step_of_many_is_some() -> None:
    swap = (Exchange(1, (0, 1), (1, 0)), Exchange(2, (0, 1), (0, 1)))
    claims = tuple(
        Claim(row, *steps, 2, Verdict.SAFE, witnesses=(0, 1))
        if steps == (1, 1)
        else Claim(row, *steps, 2, Verdict.UNSAFE, candidates=(row,), decided_by="cpsat")
        for row in range(2)
        for steps in ((0, 0), (1, 1), (2, 9))
    )
    asked = problem(2, 9, [(1, [0, 1]), (2, [0, 1])])
    found = check(Written(asked, Rule("some"), 2, claims, (HOME, swap)))
    assert found.users[Verdict.SAFE] == 2


def test_everybody_has_one_candidate() -> None:
    claims = tuple(
        replace(claim, k=1, verdict=Verdict.SAFE, witnesses=(0,)) for claim in EVERYTHING.claims
    )
    assert check(replace(EVERYTHING, k=1, claims=claims, witnesses=(HOME,))).safe == len(claims)


def test_step_0_counts_where_it_was_asked_about() -> None:
    claims = (Claim(0, 0, 0, 2, Verdict.UNSAFE, candidates=(0,), decided_by="reachability"),)
    asked = problem(2, 3, [(1, [0, 1])], [], [(0, 0, 2)])
    found = check(Written(asked, Rule("every"), None, claims, ()))
    assert (found.verdict, found.unsafe_confirmed) == (Verdict.UNSAFE, 1)


def safe_in_steps(last: int, rule: Rule) -> Written:
    """Two users who exchange at step 1 are safe up to step ``last`` of 3, and unsafe after it."""
    swap = (Exchange(1, (0, 1), (1, 0)), Exchange(2, (0, 1), (0, 1)))
    seen = (0, 3) if last == 1 else (0,)
    claims = tuple(
        Claim(row, *steps, 2, Verdict.SAFE, witnesses=(0, 1 if last == 1 else 2))
        if 1 <= steps[0] <= last
        else Claim(row, *steps, 2, Verdict.UNSAFE, candidates=(row,), decided_by="reachability")
        for row in range(2)
        for steps in ((0, 0), (1, 1), (2, 3))
    )
    asked = problem(2, 3, [(1, [0, 1]), (2, [0, 1])], [(u, t) for u in range(2) for t in seen])
    return Written(asked, rule, 2, claims, (HOME, swap, *([swap[:1]] * (last == 3))))


@pytest.mark.parametrize(
    ("rule", "last", "verdict", "weak"),
    [
        (Rule("some", by_default=True), 1, Verdict.WEAK_PASS, True),
        (Rule("some", by_default=True), 3, Verdict.SAFE, False),
        (Rule("some"), 1, Verdict.SAFE, False),
        (Rule("every", by_default=True), 1, Verdict.UNSAFE, False),
        (Rule("every", by_default=True), 3, Verdict.SAFE, False),
        (Rule("every"), 3, Verdict.SAFE, False),
    ],
)
def test_a_pass_at_some_of_the_steps_is_weak_unless_the_rule_was_given(
    rule: Rule, last: int, verdict: Verdict, weak: bool
) -> None:
    found = check(safe_in_steps(last, rule))
    assert (found.verdict, found.weak) == (verdict, weak)
