"""Two true certificates, and ways to write something else in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mixsafe.check import checker
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.question.requirement import Rule
from tests.support.certificates import Claim, Exchange, Witness, Written
from tests.support.strategies import problem


def check(written: Written) -> checker.Checked:
    return checker.check(written.certificate)


ZONES = [(1, [0, 1]), (3, [0, 1, 2]), (5, [0, 1]), (5, [2, 3])]
SEEN = [(0, 0), (0, 6), (1, 2), (2, 2), (2, 4)]
"""User 0 is known by name; user 1 is seen once; user 2 has one pseudonym at steps 2 and 4."""
HOME: Witness = ()
OUT_AND_BACK: Witness = (Exchange(1, (0, 1), (1, 0)), Exchange(5, (0, 1), (0, 1)))
ASKED = Written(
    problem(5, 6, ZONES, SEEN, [(0, 2, 2), (3, 4, 2)]),
    Rule("every"),
    None,
    (
        Claim(0, 2, 2, 2, Verdict.SAFE, witnesses=(0, 1)),
        Claim(3, 4, 4, 2, Verdict.UNSAFE, candidates=(3,), decided_by="reachability"),
    ),
    (HOME, OUT_AND_BACK),
)
"""Requirements were asked: user 0 is safe at step 2; user 3 has met nobody before step 5."""
STRETCHES = {
    0: [(0, 0), (1, 2), (3, 4), (5, 6)],
    1: [(0, 0), (1, 2), (3, 4), (5, 6)],
    2: [(0, 2), (3, 4), (5, 6)],
    3: [(0, 4), (5, 6)],
    4: [(0, 6)],
}
EVERYTHING = Written(
    problem(5, 6, ZONES, SEEN),
    Rule("some"),
    2,
    tuple(
        Claim(row, start, end, 2, Verdict.UNDECIDED)
        for row, stretches in STRETCHES.items()
        for start, end in stretches
    ),
    (),
)
"""Every step of every user was asked about, and nothing decided."""


def claiming(place: int, **changes: Any) -> Written:
    """``ASKED`` with something else in one claim."""
    claims = list(ASKED.claims)
    claims[place] = replace(claims[place], **changes)
    return replace(ASKED, claims=tuple(claims))


def stretching(change: Callable[[list[Claim]], object]) -> Written:
    """``EVERYTHING`` with other claims."""
    claims = list(EVERYTHING.claims)
    change(claims)
    return replace(EVERYTHING, claims=tuple(claims))


def put(place: int, **changes: int) -> Callable[[list[Claim]], object]:
    def change(claims: list[Claim]) -> None:
        claims[place] = replace(claims[place], **changes)

    return change


def witnessed(*exchanges: tuple[int, tuple[int, ...], tuple[int, ...]]) -> Written:
    """``ASKED`` with one more witness, that no claim needs."""
    made = tuple(Exchange(*exchange) for exchange in exchanges)
    return replace(ASKED, witnesses=(*ASKED.witnesses, made))
