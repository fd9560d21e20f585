"""The checker: a true certificate passes, and a forgery for every guard does not.

A certificate claims exactly what was asked, nothing left out and nothing added. Who passes by the
rule: what counts is shown, and all of the steps that were asked about.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pytest

from mixsafe.check import checker
from mixsafe.check.checker import judged
from mixsafe.check.unsafe import ShownUnsafe
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Witnesses
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.question.requirement import Rule
from tests.support.certificates import Claim, Exchange, Written, in_pieces
from tests.support.strategies import problem
from tests.support.written import (
    ASKED,
    EVERYTHING,
    HOME,
    OUT_AND_BACK,
    SEEN,
    ZONES,
    check,
    claiming,
    put,
    stretching,
    witnessed,
)


def test_what_is_true_passes() -> None:
    found = check(ASKED)
    assert (found.safe, found.unsafe_confirmed, found.unsafe_claimed) == (1, 1, 0)
    assert found.verdict is Verdict.UNSAFE
    assert check(EVERYTHING).undecided == len(EVERYTHING.claims)


FORGERIES = {
    # Witnesses.
    "exchanges out of order": (
        witnessed((5, (2, 3), (3, 2)), (3, (0, 1), (1, 0)), (5, (0, 1), (0, 1))),
        "witness 2 exchanges outside a mix zone at step 3",
    ),
    "an exchange before all steps, by those whose numbers follow on people who meet in the last": (
        replace(
            ASKED,
            problem=problem(5, 6, [*ZONES, (6, [2, 3])], SEEN, [(0, 2, 2), (3, 4, 2)]),
            witnesses=(*ASKED.witnesses, (Exchange(-2, (3, 4), (4, 3)),)),
        ),
        "witness 2 exchanges outside a mix zone at step -2",
    ),
    "an exchange after all steps, by those whose numbers are before people who meet": (
        witnessed((8 + 5, (1, 2), (2, 1))),
        "witness 2 exchanges outside a mix zone at step 13",
    ),
    "an exchange among two zones of one step": (
        witnessed((5, (1, 2), (2, 1))),
        "witness 2 exchanges outside a mix zone at step 5",
    ),
    "an exchange with somebody who is not in the zone": (
        witnessed((1, (1, 2), (2, 1))),
        "witness 2 exchanges outside a mix zone at step 1",
    ),
    "an exchange at a step without a zone": (
        witnessed((2, (0, 1), (1, 0)), (5, (0, 1), (0, 1))),
        "witness 2 exchanges outside a mix zone at step 2",
    ),
    "an exchange of users who never meet anybody": (
        witnessed((3, (4,), (4,))),
        "witness 2 exchanges outside a mix zone at step 3",
    ),
    "an exchange of users who do not exist": (
        witnessed((1, (7, 8), (8, 7))),
        "witness 2 exchanges outside a mix zone at step 1",
    ),
    "an exchange of nobody": (
        witnessed((1, (), ())),
        "witness 2 exchanges outside a mix zone at step 1",
    ),
    "an exchange of nobody at a step without a zone": (
        witnessed((2, (), ())),
        "witness 2 exchanges outside a mix zone at step 2",
    ),
    "duplicate rows": (
        witnessed((5, (2, 2), (2, 2))),
        "witness 2 does not permute the tokens at step 5",
    ),
    "tokens that are no permutation": (
        witnessed((5, (2, 3), (3, 3))),
        "witness 2 does not permute the tokens at step 5",
    ),
    "fewer tokens than rows": (
        witnessed((5, (2, 3), (2,))),
        "one token per row",
    ),
    "more tokens than rows": (
        witnessed((5, (2, 3), (3, 2, 2))),
        "one token per row",
    ),
    "a token that was exchanged away": (
        witnessed((3, (1, 2), (2, 1)), (5, (2, 3), (3, 2))),
        "witness 2 does not permute the tokens at step 5",
    ),
    "two exchanges of a row in one step": (
        witnessed((3, (0, 1), (1, 0)), (3, (0, 1), (0, 1))),
        "witness 2 exchanges twice at step 3",
    ),
    "two exchanges of a row in one step, and one before": (
        witnessed((1, (0, 1), (1, 0)), (3, (0, 1), (0, 1)), (3, (0, 1), (1, 0))),
        "witness 2 exchanges twice at step 3",
    ),
    "a token that never comes home": (
        witnessed((1, (0, 1), (1, 0))),
        "witness 2 contradicts what is known of row 0",
    ),
    "two pseudonyms of one who is seen twice": (
        witnessed((3, (1, 2), (2, 1))),
        "witness 2 contradicts what is known of row 2",
    ),
    "a witness that no claim needs, and that is wrong": (
        replace(ASKED, witnesses=(HOME, OUT_AND_BACK, OUT_AND_BACK[:1], HOME)),
        "witness 2 contradicts",
    ),
    # Safe claims.
    "too few witnesses": (claiming(0, witnesses=(1,)), "claim 0 does not have k witnesses"),
    "too many witnesses": (
        replace(claiming(0, witnesses=(0, 1, 1)), witnesses=(HOME, OUT_AND_BACK)),
        "claim 0 does not have k witnesses",
    ),
    "one witness more than asked for": (
        replace(
            ASKED,
            problem=problem(5, 6, ZONES, SEEN, [(0, 2, 1), (3, 4, 2)]),
            claims=(replace(ASKED.claims[0], k=1), ASKED.claims[1]),
        ),
        "claim 0 does not have k witnesses",
    ),
    "one witness twice": (claiming(0, witnesses=(1, 1)), "claim 0 is not safe"),
    "two witnesses that show the same token": (
        replace(claiming(0, witnesses=(1, 2)), witnesses=(HOME, OUT_AND_BACK, OUT_AND_BACK)),
        "claim 0 is not safe",
    ),
    "a witness that shows another token only later": (
        replace(
            ASKED,
            witnesses=(
                HOME,
                (Exchange(3, (0, 1), (1, 0)), Exchange(5, (0, 1), (0, 1))),
            ),
        ),
        "claim 0 is not safe",
    ),
    "a witness that is not there": (
        claiming(0, witnesses=(0, 2)),
        "claim 0 is not safe: it has a witness that is not there",
    ),
    "a negative witness index": (
        claiming(0, witnesses=(0, -1)),
        "claim 0 is not safe: it has a witness that is not there",
    ),
    "a safe claim with candidates": (claiming(0, candidates=(0,)), "claim 0 has candidates"),
    "an undecided claim with candidates": (
        claiming(1, verdict=Verdict.UNDECIDED),
        "claim 1 has candidates and is not unsafe",
    ),
    "an undecided claim with witnesses": (
        claiming(0, verdict=Verdict.UNDECIDED),
        "claim 0 does not have k witnesses, if it is safe, or none",
    ),
    "an unsafe claim with witnesses": (
        claiming(1, witnesses=(0, 1)),
        "claim 1 does not have k witnesses, if it is safe, or none",
    ),
    # Unsafe claims.
    "an unsafe claim that leaves k candidates": (
        claiming(1, candidates=(2, 3)),
        "claim 1 is not unsafe: it leaves k tokens",
    ),
    "an unsafe claim that leaves more than k candidates": (
        claiming(1, candidates=(0, 2, 3)),
        "claim 1 is not unsafe",
    ),
    "a candidate left out that a witness shows": (
        claiming(0, verdict=Verdict.UNSAFE, witnesses=(), candidates=(0,)),
        "claim 0 leaves out a token that a witness shows",
    ),
    "a candidate left out that only a witness of others shows": (
        replace(
            claiming(1, verdict=Verdict.UNSAFE, candidates=(3,)),
            problem=problem(5, 6, ZONES, SEEN, [(0, 2, 2), (3, 5, 2)]),
            claims=(ASKED.claims[0], replace(ASKED.claims[1], start=5, end=5)),
            witnesses=(HOME, OUT_AND_BACK, (Exchange(5, (2, 3), (3, 2)),)),
        ),
        "claim 1 leaves out a token that a witness shows",
    ),
    "candidates out of order": (
        replace(
            claiming(1, k=3, candidates=(3, 2)),
            problem=problem(5, 6, ZONES, SEEN, [(0, 2, 2), (3, 4, 3)]),
        ),
        "claim 1 has candidates that are not ascending",
    ),
    "a candidate twice": (
        replace(
            claiming(1, k=3, candidates=(3, 3)),
            problem=problem(5, 6, ZONES, SEEN, [(0, 2, 2), (3, 4, 3)]),
        ),
        "claim 1 has candidates that are not ascending",
    ),
    "candidates of a later claim out of order": (
        replace(
            ASKED,
            problem=problem(5, 6, ZONES, SEEN, [(3, 4, 3), (3, 4, 3)]),
            claims=tuple(
                Claim(3, 4, 4, 3, Verdict.UNSAFE, candidates=left) for left in ((3,), (3, 2))
            ),
        ),
        "claim 1 has candidates that are not ascending",
    ),
    "a candidate that is no token": (
        claiming(0, verdict=Verdict.UNSAFE, witnesses=(), candidates=(5,)),
        "claim 0 leaves a token that does not exist",
    ),
    "a candidate below all tokens": (
        claiming(1, candidates=(-1,)),
        "claim 1 leaves a token that does not exist",
    ),
    "a candidate that the next claim would leave": (
        replace(
            ASKED,
            problem=problem(5, 6, ZONES, SEEN, [(0, 2, 4), (1, 2, 2)]),
            claims=(
                Claim(0, 2, 2, 4, Verdict.UNSAFE, candidates=(0, 1, 5)),  # token 0 of the next one
                Claim(1, 2, 2, 2, Verdict.UNSAFE, candidates=(1,)),
            ),
        ),
        "claim 0 leaves a token that does not exist",
    ),
    "two of k witnesses of a later claim that show the same token": (
        replace(
            ASKED,
            problem=problem(5, 6, ZONES, SEEN, [(0, 2, 2), (0, 2, 3)]),
            claims=(
                ASKED.claims[0],
                Claim(0, 2, 2, 3, Verdict.SAFE, witnesses=(0, 1, 2)),
            ),
            witnesses=(HOME, OUT_AND_BACK, OUT_AND_BACK),
        ),
        "claim 1 is not safe: its witnesses do not show k tokens",
    ),
    "a user's own token is left out for another one": (
        claiming(1, candidates=(2,)),
        "claim 1 leaves out a token that a witness shows",
    ),
    "a user's own token is left out": (
        claiming(1, candidates=()),
        "claim 1 leaves out a token that a witness shows",
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_refused_for_what_is_wrong(name: str) -> None:
    forged, message = FORGERIES[name]
    with pytest.raises(InputError, match=message):
        check(forged)


def test_a_witness_is_told_by_its_number_in_whichever_piece_it_comes() -> None:
    for forged, message in FORGERIES.values():
        if "witness 2" in message:
            with pytest.raises(InputError, match=message):
                checker.check(in_pieces(forged.certificate))


def test_a_claim_is_shown_by_witnesses_of_whichever_pieces() -> None:
    three = replace(ASKED, witnesses=(OUT_AND_BACK, HOME, OUT_AND_BACK))
    for numbers in ((0, 1), (1, 2)):
        claim = replace(ASKED.claims[0], witnesses=numbers)
        certificate = replace(three, claims=(claim, *ASKED.claims[1:])).certificate
        assert checker.check(in_pieces(certificate)) == checker.check(certificate)
    claim = replace(ASKED.claims[0], witnesses=(0, 2))
    with pytest.raises(InputError, match="its witnesses do not show k tokens"):
        checker.check(in_pieces(replace(three, claims=(claim, *ASKED.claims[1:])).certificate))


@dataclass(frozen=True)
class Pieces:
    """Witnesses that say to be more, or fewer, than there are."""

    own: Witnesses
    said: int

    def __len__(self) -> int:
        return self.said

    def pieces(self) -> Iterator[Witnesses]:
        return self.own.pieces()


@pytest.mark.parametrize("said", [1, 3])
def test_witnesses_are_as_many_as_they_are_said_to_be(said: int) -> None:
    whole = claiming(0, verdict=Verdict.UNDECIDED, witnesses=()).certificate
    pieces = Pieces(Witnesses.joined(list(whole.witnesses.pieces())), said)
    with pytest.raises(InputError, match="there are not as many witnesses as there should be"):
        checker.check(replace(whole, witnesses=pieces))


def test_candidates_may_be_side_by_side() -> None:
    asked = problem(3, 3, [(1, [0, 1])], [], [(0, 1, 3)])
    claims = (Claim(0, 1, 1, 3, Verdict.UNSAFE, candidates=(0, 1)),)
    assert check(Written(asked, Rule("every"), None, claims, (HOME,))).unsafe_confirmed == 1


def test_rows_of_one_zone_may_exchange_in_two_groups() -> None:
    zones = [(1, [0, 1, 2, 3])]
    both = (Exchange(1, (0, 1), (1, 0)), Exchange(1, (2, 3), (3, 2)))
    claims = (Claim(3, 1, 1, 2, Verdict.SAFE, witnesses=(0, 1)),)
    asked = problem(4, 1, zones, [], [(3, 1, 2)])
    assert check(Written(asked, Rule("every"), None, claims, (HOME, both))).safe == 1


def test_two_zones_of_one_step_may_both_exchange() -> None:
    assert check(witnessed((5, (0, 1), (0, 1)), (5, (2, 3), (3, 2)))).safe == 1


def test_one_sighting_tells_nothing() -> None:
    asked = problem(2, 3, [(1, [0, 1])], [(0, 2)], [(0, 2, 2)])
    claims = (Claim(0, 2, 2, 2, Verdict.SAFE, witnesses=(0, 1)),)
    swap = (Exchange(1, (0, 1), (1, 0)),)
    assert check(Written(asked, Rule("every"), None, claims, (HOME, swap))).safe == 1


def test_somebody_who_is_seen_in_a_zone_has_exchanged_by_then() -> None:
    asked = problem(2, 3, [(2, [0, 1])], [(0, 1), (0, 2)], [(0, 2, 2)])
    claims = (Claim(0, 2, 2, 2, Verdict.SAFE, witnesses=(0, 1)),)
    swap = (Exchange(2, (0, 1), (1, 0)),)
    with pytest.raises(InputError, match="witness 1 contradicts what is known of row 0"):
        check(Written(asked, Rule("every"), None, claims, (HOME, swap)))


def test_an_unsafe_claim_that_is_not_proven_again_is_only_claimed() -> None:
    # Each of the three can be reached by each token, but not with all three back home.
    zones = [(1, [0, 1]), (2, [1, 2]), (3, [0, 2])]
    known = [(user, t) for user in range(3) for t in (0, 3)]
    asked = problem(3, 3, zones, known, [(1, 1, 2)])
    claims = (Claim(1, 1, 1, 2, Verdict.UNSAFE, candidates=(1,), decided_by="cpsat"),)
    found = check(Written(asked, Rule("every"), None, claims, (HOME,)))
    assert (found.unsafe_confirmed, found.unsafe_claimed) == (0, 1)


OTHER_QUESTIONS = {
    # What is claimed, where requirements were asked.
    "nothing is asked": (
        replace(ASKED, problem=replace(ASKED.problem, requirements=None)),
        "nothing is asked",
    ),
    "a claim is left out": (
        replace(ASKED, claims=ASKED.claims[:1]),
        "claims are not about the problem's requirements",
    ),
    "a claim is added": (
        replace(ASKED, claims=(*ASKED.claims, ASKED.claims[0])),
        "claims are not about the problem's requirements",
    ),
    "claims change places": (
        replace(ASKED, claims=ASKED.claims[::-1]),
        "claims are not about the problem's requirements",
    ),
    "a claim about another user": (
        claiming(1, row=4, candidates=(4,)),
        "claims are not about the problem's requirements",
    ),
    "a claim about another step": (
        claiming(0, start=1, end=1),
        "claims are not about the problem's requirements",
    ),
    "a claim of a smaller k": (
        claiming(0, k=1, witnesses=(0,)),
        "claims are not about the problem's requirements",
    ),
    "a claim about more than the step that was asked about": (
        claiming(0, end=3),
        "claims are not about the problem's requirements",
    ),
    "a k beside requirements": (replace(ASKED, k=2), "there are requirements as well"),
    "a requirement about nobody": (
        replace(
            ASKED,
            problem=problem(5, 6, ZONES, SEEN, [(5, 2, 1)]),
            claims=(Claim(5, 2, 2, 1, Verdict.UNDECIDED),),
        ),
        "a user, a step or a k that does not exist",
    ),
    "a requirement about no step": (
        replace(
            ASKED,
            problem=problem(5, 6, ZONES, SEEN, [(0, 7, 1)]),
            claims=(Claim(0, 7, 7, 1, Verdict.UNDECIDED),),
        ),
        "a user, a step or a k that does not exist",
    ),
    "a requirement of no candidates": (
        replace(
            ASKED,
            problem=problem(5, 6, ZONES, SEEN, [(0, 2, 0)]),
            claims=(Claim(0, 2, 2, 0, Verdict.SAFE),),
        ),
        "a user, a step or a k that does not exist",
    ),
    "a requirement about somebody before all": (
        replace(
            ASKED,
            problem=problem(5, 6, ZONES, SEEN, [(-1, 2, 1)]),
            claims=(Claim(-1, 2, 2, 1, Verdict.UNDECIDED),),
        ),
        "a user, a step or a k that does not exist",
    ),
    "a requirement about a step before all": (
        replace(
            ASKED,
            problem=problem(5, 6, ZONES, SEEN, [(0, -1, 1)]),
            claims=(Claim(0, -1, -1, 1, Verdict.UNDECIDED),),
        ),
        "a user, a step or a k that does not exist",
    ),
    "a sighting of nobody": (
        replace(ASKED, problem=problem(5, 6, ZONES, [*SEEN, (5, 2)], [(0, 2, 2), (3, 4, 2)])),
        "a sighting is of a user or at a step that does not exist",
    ),
    "a sighting of somebody before all": (
        replace(ASKED, problem=problem(5, 6, ZONES, [(-1, 2), *SEEN], [(0, 2, 2), (3, 4, 2)])),
        "a sighting is of a user or at a step that does not exist",
    ),
    "a sighting before all steps": (
        replace(ASKED, problem=problem(5, 6, ZONES, [(0, -1), *SEEN], [(0, 2, 2), (3, 4, 2)])),
        "a sighting is of a user or at a step that does not exist",
    ),
    "a sighting at no step": (
        replace(ASKED, problem=problem(5, 6, ZONES, [*SEEN, (0, 7)], [(0, 2, 2), (3, 4, 2)])),
        "a sighting is of a user or at a step that does not exist",
    ),
    # What is claimed, where everything was asked.
    "a k of nobody": (replace(EVERYTHING, k=0), "k = 0 asks for nothing"),
    "a k of more than all": (replace(EVERYTHING, k=6), "claim 0 is not the next one"),
    "no claims at all": (replace(EVERYTHING, claims=()), "claims end before row 0, step 0"),
    "a stretch of time is left out": (
        stretching(lambda claims: claims.pop(1)),
        "claim 1 is not the next one about row 0, step 1",
    ),
    "a user is left out": (
        stretching(lambda claims: claims.__delitem__(slice(8, 11))),
        "claim 8 is not the next one about row 2, step 0",
    ),
    "a stretch of time twice": (
        stretching(lambda claims: claims.insert(1, claims[0])),
        "claim 1 is not the next one about row 0, step 1",
    ),
    "stretches of time change places": (
        stretching(lambda claims: claims.insert(1, claims.pop(2))),
        "claim 1 is not the next one about row 0, step 1",
    ),
    "one claim of a smaller k": (stretching(put(5, k=1)), "claim 5 is not the next one"),
    "a stretch that ends before it begins": (
        stretching(lambda claims: claims.insert(0, replace(claims[0], end=-1))),
        "claim 0 is not the next one",
    ),
    "a stretch beyond the last step": (
        stretching(put(-1, end=7)),
        "claim 13 is not the next one about row 4, step 0",
    ),
    "a claim that spans a mix zone": (
        stretching(lambda claims: claims.__setitem__(slice(0, 2), [replace(claims[0], end=2)])),
        "claim 0 spans a mix zone",
    ),
    "a claim that ends with a mix zone's step": (
        stretching(
            lambda claims: claims.__setitem__(
                slice(2), [replace(claims[0], end=1), replace(claims[1], start=2)]
            )
        ),
        "claim 0 spans a mix zone",
    ),
    "claims that end before the last user": (
        stretching(lambda claims: claims.pop()),
        "claims end before row 4, step 0",
    ),
    "claims that end before the last step": (
        stretching(put(-1, end=5)),
        "claims end before row 4, step 6",
    ),
    "claims about one user more": (
        stretching(lambda claims: claims.append(replace(claims[-1], row=5))),
        "the claims end before row 6, step 0",
    ),
    "claims about a part of the time of one user more": (
        stretching(lambda claims: claims.append(replace(claims[-1], row=5, end=3))),
        "the claims end before row 5, step 4",
    ),
}


@pytest.mark.parametrize("name", OTHER_QUESTIONS)
def test_claims_about_anything_else_than_what_was_asked_are_refused(name: str) -> None:
    forged, message = OTHER_QUESTIONS[name]
    with pytest.raises(InputError, match=message):
        check(forged)


@pytest.mark.parametrize("steps", [2**31 - 1, 2**31, 2**32, 2**40])
def test_so_many_steps_are_refused_that_the_one_after_the_last_has_no_number(steps: int) -> None:
    # She would be seen at home although her pseudonym never comes home.
    swap = (Exchange(1, (0, 1), (1, 0)),)
    claims = (Claim(0, 2, 2, 2, Verdict.SAFE, witnesses=(0, 1)),)
    asked = problem(2, steps, [(1, [0, 1])], [(0, 0), (0, 3)], [(0, 2, 2)])
    with pytest.raises(InputError, match="steps are more than 2147483646"):
        check(Written(asked, Rule("every"), None, claims, (HOME, swap)))


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
