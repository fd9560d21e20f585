"""What a certificate of breaking numbers says must follow: each guard refuses in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from mixsafe.breaking.breaking import breaking
from mixsafe.breaking.proof.certify_breaking import certify_breaking
from mixsafe.check.checker import check
from mixsafe.check.robust.breaking_bounds import BreakingCheck
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.answer.ragged import Ragged
from mixsafe.model.question.requirement import Requirements, Rule
from tests.support.strategies import problem


@lru_cache
def _made() -> Certificate:
    """0 and 1 meet twice and are known at the ends: one more sighting; nobody ever meets 2."""
    known = [(0, 0), (1, 0), (0, 4), (1, 4)]
    asked = problem(3, 4, [(1, [0, 1]), (3, [0, 1])], known)
    return certify_breaking(breaking(asked, k=2, keep_witnesses=True))


def _proof(**changed: Any) -> Callable[[Certificate], Certificate]:
    def change(made: Certificate) -> Certificate:
        assert made.breaking is not None
        return replace(made, breaking=replace(made.breaking, **changed))

    return change


def _broken(**changed: Any) -> Callable[[Certificate], Certificate]:
    def change(made: Certificate) -> Certificate:
        assert made.breaking is not None
        broken = replace(made.breaking.broken, **changed)
        return replace(made, breaking=replace(made.breaking, broken=broken))

    return change


def _claims(**changed: Any) -> Callable[[Certificate], Certificate]:
    return lambda made: replace(made, claims=replace(made.claims, **changed))


def _whole(*values: int) -> np.ndarray[Any, Any]:
    return np.array(values, np.int32)


def _without_claims(made: Certificate) -> Certificate:
    return _proof(sizes=Ragged.of([[0], [1], []]))(made)


REQUIRED = Requirements(_whole(0), _whole(2), _whole(2))

FORGERIES: dict[str, tuple[Callable[[Certificate], Certificate], str]] = {
    "a larger bound": (_proof(lower=_whole(2, 1, 0)), "target 0 may be broken by fewer"),
    "a bound without survivors": (_proof(lower=_whole(1, 1, 1)), "target 2 may be broken by few"),
    "a negative bound": (_proof(lower=_whole(-1, 1, 0)), "target 0 is broken by fewer sightings"),
    "targets out of order": (_proof(row=_whole(1, 0, 2)), "targets are not about users and steps"),
    "a target twice": (_proof(row=_whole(0, 0, 2)), "targets are not about users and steps"),
    "a user who does not exist": (_proof(row=_whole(0, 1, 3)), "targets are not about users"),
    "a step too early": (_proof(start=_whole(0, 1, 1)), "targets are not about users and steps"),
    "a step too late": (_proof(end=_whole(4, 4, 5)), "targets are not about users and steps"),
    "a claim about other steps": (_proof(start=_whole(3, 1, 1)), "target 0 does not pass with the"),
    "claims of nobody": (_proof(sizes=Ragged.of([[1], [], []])), "not all claims belong"),
    "claims of another": (_proof(sizes=Ragged.of([[1, 1], [], []])), "has a claim about another"),
    "a survivor without claims": (_without_claims, "no claims"),
    "sightings of nobody": (_proof(sightings="nobody"), "unknown kind of sightings 'nobody'"),
    "a negative distance": (_proof(away=-1), "distance of sightings is negative"),
    "a claim that is not safe": (_claims(verdict=np.ones(2, np.int8)), "a claim of a survivor"),
    "a claim about several steps": (_claims(end=_whole(2, 2)), "not about a single step"),
    "a step that does not exist": (_claims(start=_whole(9, 1), end=_whole(9, 1)), "does not exist"),
    "another rule": (lambda made: replace(made, rule=Rule("every")), "does not pass with the"),
    "another k": (lambda made: replace(made, k=3), "does not pass with the claims"),
    "no k": (lambda made: replace(made, k=None), "need either k or requirements"),
    "k that asks for nothing": (lambda made: replace(made, k=0), "k = 0 asks for nothing"),
    "both": (
        lambda made: replace(made, problem=replace(made.problem, requirements=REQUIRED)),
        "need either k or requirements",
    ),
    "a broken target twice": (_broken(target=_whole(0, 0, 2)), "are not targets in order"),
    "a broken target that is none": (_broken(target=_whole(0, 1, 3)), "are not targets in order"),
    "sightings of another user": (_broken(row=Ragged.of([[1], [1], []])), "sightings of another"),
    "a sighting that breaks nothing": (
        _broken(time=Ragged.of([[4], [1], []])), "target 0 is not shown to be broken",
    ),
    "a sighting at no step": (_broken(time=Ragged.of([[9], [1], []])), "is not shown to be broken"),
    "a sighting that does not count": (_proof(away=1), "is broken by a sighting that does not"),
}  # fmt: skip


def test_what_was_made_is_accepted() -> None:
    bounds = check(_made()).breaking
    assert bounds is not None
    assert bounds.lower.tolist() == bounds.upper.tolist() == [1, 1, 0]


@pytest.mark.parametrize(("change", "message"), FORGERIES.values(), ids=FORGERIES.keys())
def test_each_forgery_is_refused_in_words(
    change: Callable[[Certificate], Certificate], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        check(change(_made()))


@pytest.mark.parametrize("other", ["audited", "chosen"])
def test_breaking_numbers_of_an_audit_or_of_chosen_zones_are_refused(other: str) -> None:
    made = _made()
    nobody_looks_at: Any = object()
    assert made.breaking is not None
    certificate = replace(made, **{other: nobody_looks_at})
    with pytest.raises(InputError, match="what a publisher asks of all zones"):
        BreakingCheck(certificate, made.breaking, nobody_looks_at)


def test_a_stretch_counts_once_and_all_that_is_asked_must_be_settled() -> None:
    made = _made()
    assert made.breaking is not None
    broken = made.breaking.broken
    first = int(broken.n_unsafe[0])
    twice = broken.step.copy()
    twice[:first] = twice[0]
    with pytest.raises(InputError, match="target 0"):
        check(_broken(step=twice)(made))
    fewer = [[*broken.left[one]] for one in range(1, len(broken.step))]
    less = replace(
        broken, n_unsafe=broken.n_unsafe - np.array([1, 0, 0], np.int32), step=broken.step[1:],
        k=broken.k[1:], left=Ragged.of(fewer), proof=broken.proof[1:],
    )  # fmt: skip
    with pytest.raises(InputError, match="may pass with the sightings that break it"):
        check(_proof(broken=less)(made))
