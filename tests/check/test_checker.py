"""The checker: a true certificate passes, and a forgery for every guard does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from mixsafe.check import checker
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
