"""Demands of a reader on a certificate: the problem, and the question."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.csr import Whole
from mixsafe.model.mobility.published_steps import PublishedSteps
from mixsafe.model.question.adversary import Seen
from mixsafe.model.question.mix_zones import Relation
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements, Rule


def demand(
    certificate: Certificate,
    *,
    k: int | None = None,
    rule: Rule | None = None,
    adversary: str | None = None,
) -> None:
    """Refuse a certificate of another question.

    Parameters
    ----------
    certificate
        What it says of itself.
    k, rule, adversary
        What it should say; None: anything.

    Raises
    ------
    InputError
        It says something else; names what.
    """
    asked = _k_of(certificate)
    if k is not None and not np.all(asked == k):
        given = np.unique(asked).tolist()
        raise InputError(f"k is {', '.join(map(str, given))}, not {k}")
    if rule is not None and rule != certificate.rule:
        raise InputError(f"the rule is '{certificate.rule}', not '{rule}'")
    if adversary is not None and adversary != certificate.adversary:
        raise InputError(f"the adversary is '{certificate.adversary}', not '{adversary}'")


def _k_of(certificate: Certificate) -> Whole:
    """(n,) every k that was asked."""
    asked = certificate.problem.requirements
    if certificate.k is not None:
        return np.array([certificate.k], np.int32)
    return certificate.claims.k if asked is None else asked.k


def compare(certificate: Certificate, problem: Problem, audited: Seen | None = None) -> None:
    """Refuse a certificate of another problem than this one.

    Parameters
    ----------
    certificate
        Whose problem may be anything.
    problem
        Made from the data; its requirements count where the certificate has some, and where it has
        none there must be none.
    audited
        What an auditor has seen, whose rows are published tracks; None: it is a publisher's
        question.

    Raises
    ------
    InputError
        It is another one; names all that differs.
    """
    own, zones = certificate.problem.zones, problem.zones
    known, seen = certificate.problem.knowledge, problem.knowledge
    same = {
        "users": own.users.tolist() == zones.users.tolist(),
        "users without data": np.array_equal(own.absent, zones.absent),
        "steps": own.axis == zones.axis,
        "published steps": _same_published(own.published, zones.published),
        "zones": _equal((own.time, own.ptr, own.members), (zones.time, zones.ptr, zones.members)),
        "allowed exchanges": _same_relation(own.relation, zones.relation),
        "knowledge": _equal((known.row, known.time), (seen.row, seen.time)),
        "readings of knowledge": known.distinct == seen.distinct,
        "requirements": _same_requirements(certificate.problem.requirements, problem.requirements),
    }
    own_seen = None if certificate.audited is None else certificate.audited.seen
    same["sightings"] = _same_seen(own_seen, audited)
    differing = [name for name, is_same in same.items() if not is_same]
    if differing:
        raise InputError(f"its problem is not that of the source: {', '.join(differing)} differ")


def compare_places(certificate: Certificate, groupings: Iterable[npt.NDArray[np.int64]]) -> None:
    """Refuse places that put zones together in another way than all of these.

    What places are called, and what they cost, is for the reader to judge.

    Parameters
    ----------
    certificate
        Of a minimum set, of the same problem.
    groupings
        (n_zones,) each: number of the place of each zone.

    Raises
    ------
    InputError
        No grouping is the same.
    """
    chosen = certificate.chosen
    if chosen is None or chosen.places is None:
        return
    own = _first_of_its_kind(chosen.places.of)
    if not any(np.array_equal(own, _first_of_its_kind(one)) for one in groupings):
        raise InputError("its places are not those of the source")


def _first_of_its_kind(of: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """(n,) position of the first equal number."""
    _, first, inverse = np.unique(of, return_index=True, return_inverse=True)
    positions: npt.NDArray[np.int64] = first[inverse]
    return positions


def _equal(
    some: tuple[np.ndarray[tuple[int], np.dtype[np.integer]], ...],
    others: tuple[np.ndarray[tuple[int], np.dtype[np.integer]], ...],
) -> bool:
    return all(np.array_equal(one, other) for one, other in zip(some, others, strict=True))


def _same_seen(one: Seen | None, other: Seen | None) -> bool:
    if one is None or other is None:
        return one is other
    mine, theirs = one.pins, other.pins
    return one.users.tolist() == other.users.tolist() and _equal(
        (mine.token, mine.time, mine.ptr, mine.rows),
        (theirs.token, theirs.time, theirs.ptr, theirs.rows),
    )


def _same_published(one: PublishedSteps | None, other: PublishedSteps | None) -> bool:
    if one is None or other is None:
        return one is other
    return _equal((one.ptr, one.step), (other.ptr, other.step))


def _same_relation(one: Relation | None, other: Relation | None) -> bool:
    if one is None or other is None:
        return one is other
    return _equal((one.ptr, one.words), (other.ptr, other.words))


def _same_requirements(one: Requirements | None, other: Requirements | None) -> bool:
    if one is None or other is None:
        return one is other
    return _equal((one.row, one.time, one.k), (other.row, other.time, other.k))
