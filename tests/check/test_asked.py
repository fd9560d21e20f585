"""What a certificate claims: exactly what was asked, nothing left out and nothing added."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mixsafe.errors import InputError
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.question.requirement import Rule
from tests.support.certificates import Claim, Exchange, Written
from tests.support.strategies import problem
from tests.support.written import (
    ASKED,
    EVERYTHING,
    HOME,
    SEEN,
    ZONES,
    check,
    claiming,
    put,
    stretching,
)

FORGERIES = {
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


@pytest.mark.parametrize("name", FORGERIES)
def test_claims_about_anything_else_than_what_was_asked_are_refused(name: str) -> None:
    forged, message = FORGERIES[name]
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
