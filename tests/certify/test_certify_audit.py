"""Certificates of audits: true by brute force, replayed whole, and refused when they are forged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mixsafe.certify.certify_audit import certify_audit
from mixsafe.check.checker import check
from mixsafe.check.demands import compare
from mixsafe.errors import InputError
from mixsafe.io.certificates.certificate_reader import read_certificates
from mixsafe.io.certificates.certificate_writer import write_certificates
from mixsafe.model.answer.certificate import Certificate, Claims, Witnesses
from mixsafe.model.answer.verdict import SAFE, UNDECIDED, UNSAFE
from mixsafe.model.course import Course, Deadline, SolveLimits
from mixsafe.model.csr import Ragged
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.requirement import Requirements
from mixsafe.release.audit import audit
from tests.support.audit_certificates import Case, Truth, drawn
from tests.support.audit_oracle import Cell
from tests.support.certificates import Exchange, sealed_again, witnesses_of
from tests.support.refuted import by_clauses
from tests.support.relations import with_pairs
from tests.support.small_releases import evidence_of

WHOLE = np.int32


def is_true(certificate: Certificate, truth: Truth) -> bool:
    claims = certificate.claims
    return all(
        (len(truth[int(claims.row[i]), step]) >= claims.k[i]) == (claims.verdict[i] == SAFE)
        for i in np.flatnonzero(claims.verdict != UNDECIDED).tolist()
        for step in range(int(claims.start[i]), int(claims.end[i]) + 1)
    )


@pytest.fixture(scope="module", name="cases")
def _cases() -> list[Case]:
    return list(drawn(60, 15))


def test_all_that_an_audit_decided_is_replayed_and_true(cases: list[Case], tmp_path: Path) -> None:
    counts = Counter[str]()
    for certificate, truth, n_undecided in cases:
        assert is_true(certificate, truth)
        found = check(certificate)
        counts.update({"safe": found.safe, **found.unsafe_shown})
        assert (found.unsafe_claimed, found.undecided) == (0, n_undecided)
    assert counts["safe"] > 50
    assert counts["reachability"] > 20
    assert counts["closures"] > 0
    folder = write_certificates(tmp_path / "all", [one.certificate for one in cases])
    for read, (own, _, _) in zip(read_certificates(folder), cases, strict=True):
        assert check(read) == check(own)
        assert own.audited is not None
        compare(read, own.problem, own.audited.seen)


def test_clauses_refute_every_other_track_of_an_unsafe_verdict(cases: list[Case]) -> None:
    shown = 0
    for certificate, _, _ in cases:
        if np.any(certificate.claims.verdict == UNSAFE):
            refuted = by_clauses(certificate)
            check(refuted)
            shown += len(refuted.clause_proofs)
    assert shown > 20


def test_without_time_nothing_false_is_certified(cases: list[Case]) -> None:
    tracks: list[list[Cell]] = [[frozenset({0}), frozenset({1})] for _ in range(3)]
    asked = evidence_of(tracks, [(0, 1, 0)], 1)
    found = audit(asked, 3, limits=SolveLimits(workers=1), keep_proof_data=True)
    assert check(certify_audit(found)).safe == 2
    late = certify_audit(
        found, Course.begin().until(Deadline(0.0))
    )  # what unknown users carry takes none
    assert check(late).safe == 2
    with pytest.raises(InputError, match="kept no proof data"):
        certify_audit(audit(asked, 3, limits=SolveLimits(workers=1)))


@pytest.fixture(scope="module", name="one")
def _one() -> Certificate:
    """Tracks 0 and 1 meet at step 2; user 0 was seen on track 0 at step 1, and on either at 2."""
    tracks: list[list[Cell]] = [
        [frozenset({0}), frozenset({2}), frozenset({0})],
        [frozenset({1}), frozenset({2}), frozenset({1})],
    ]
    seen = evidence_of(tracks, [(0, 1, 0), (0, 2, 2)], 2)
    made = certify_audit(audit(seen, 2, limits=SolveLimits(workers=1), keep_proof_data=True))
    assert made.claims.verdict.tolist() == [UNSAFE, SAFE, SAFE] * 2
    assert made.claims.start.tolist() == [1, 2, 3] * 2
    return made


def with_claims(**columns: Any) -> Callable[[Certificate], Certificate]:
    return lambda one: replace(one, claims=replace(one.claims, **columns))


def of_claims(one: Certificate, kept: list[int], end: int | None = None) -> Certificate:
    """Some of the claims only, of which each may end at another step."""
    columns: dict[str, Any] = {
        name: Ragged.of([column[i] for i in kept]) if isinstance(column, Ragged) else column[kept]
        for name, column in vars(one.claims).items()
    }
    if end is not None:
        columns["end"] = np.full(len(kept), end, WHOLE)
    return replace(one, claims=Claims(**columns))


def with_pins(**columns: Any) -> Callable[[Certificate], Certificate]:
    def change(one: Certificate) -> Certificate:
        assert one.audited is not None
        seen = replace(one.audited.seen, pins=replace(one.audited.seen.pins, **columns))
        return replace(one, audited=replace(one.audited, seen=seen))

    return change


def with_base(*exchanges: Exchange, several: int = 1) -> Callable[[Certificate], Certificate]:
    def change(one: Certificate) -> Certificate:
        assert one.audited is not None
        return replace(one, audited=replace(one.audited, base=witnesses_of([exchanges] * several)))

    return change


def with_witness(*exchanges: Exchange) -> Callable[[Certificate], Certificate]:
    def change(one: Certificate) -> Certificate:
        (pool,) = one.witnesses.pieces()
        return replace(one, witnesses=Witnesses.joined([pool, witnesses_of([exchanges])]))

    return change


def knowing(one: Certificate, number: int) -> Certificate:
    """So many known users, of whom nothing was seen."""
    assert one.audited is not None
    pins = one.audited.seen.pins.those(np.zeros(0, np.int64))
    seen = replace(one.audited.seen, users=np.arange(number), pins=pins)
    return replace(one, audited=replace(one.audited, seen=seen))


def with_three(one: Certificate) -> Certificate:
    """Open claims about one user more."""
    more = of_claims(one, [0, 1, 2, 3, 4, 5, 3, 4, 5])
    columns = {"row": np.repeat(np.arange(3, dtype=WHOLE), 3), "verdict": np.full(9, UNDECIDED)}
    empty = {"witnesses": Ragged.empty(9), "candidates": Ragged.empty(9)}
    return replace(more, claims=replace(more.claims, **columns, **empty))


FORGERIES: dict[str, tuple[Callable[[Certificate], Certificate], str]] = {
    "a step is left out": (
        with_claims(start=np.array([1, 3, 3, 1, 2, 3], WHOLE)),
        "not the next one",
    ),
    "a claim spans a mix zone": (lambda one: of_claims(one, [0, 3], end=3), "spans a mix zone"),
    "a user is left out": (lambda one: of_claims(one, [0, 1, 2]), "claims end before row 1"),
    "requirements in its place": (
        lambda one: replace(
            one,
            k=None,
            problem=replace(
                one.problem, requirements=Requirements(*(np.ones(1, WHOLE) for _ in "utk"))
            ),
        ),
        "k of every known user",
    ),
    "sightings of rows": (
        lambda one: replace(one, problem=replace(one.problem, knowledge=Knowledge.of([0], [0]))),
        "sightings of known users only",
    ),
    "a zone that does not allow what a witness exchanges": (
        lambda one: replace(
            one, problem=replace(one.problem, zones=with_pairs(one.problem.zones, [set()]))
        ),
        "does not allow",
    ),
    "two bases": (with_base(several=2), "about one base"),
    "a base that exchanges where nobody meets": (
        with_base(Exchange(1, (0, 1), (1, 0))),
        "exchanges outside a mix zone",
    ),
    "a base that contradicts a sighting": (
        with_base(Exchange(0, (0, 1), (1, 0))),
        "base contradicts a sighting",
    ),
    "a sighting of nobody": (with_pins(token=np.array([0, 2], WHOLE)), "does not exist"),
    "a sighting of somebody before all": (with_pins(token=np.array([0, -1], WHOLE)), "not exist"),
    "a sighting before all steps": (with_pins(time=np.array([-1, 2], WHOLE)), "does not exist"),
    "a sighting on a track before all": (
        with_pins(rows=np.array([0, -1, 1], WHOLE)),
        "does not exist",
    ),
    "nobody is known": (lambda one: knowing(of_claims(one, []), 0), "does not exist"),
    "more users than tracks": (lambda one: knowing(with_three(one), 3), "does not exist"),
    "a sighting at no step": (with_pins(time=np.array([1, 4], WHOLE)), "does not exist"),
    "a sighting on no track": (with_pins(rows=np.array([0, 0, 2], WHOLE)), "does not exist"),
    "a witness that contradicts a sighting": (
        with_witness(Exchange(0, (0, 1), (1, 0))),
        "contradicts a sighting of 0",
    ),
    "a witness that exchanges where nobody meets": (
        with_witness(Exchange(3, (0, 1), (1, 0))),
        "exchanges outside a mix zone",
    ),
    "one track twice": (
        with_claims(witnesses=Ragged.of([[], [0, 0], [0, 1], [], [0, 1], [0, 1]])),
        "do not show k tokens",
    ),
    "another track": (with_claims(candidates=Ragged.of([[1], [], [], [1], [], []])), "leaves out"),
    "a track that is not there": (
        with_claims(candidates=Ragged.of([[2], [], [], [1], [], []])),
        "does not exist",
    ),
    "a safe claim called unsafe": (
        with_claims(
            verdict=np.array([UNSAFE, UNSAFE, SAFE, UNSAFE, SAFE, SAFE], np.int8),
            witnesses=Ragged.of([[], [], [0, 1], [], [0, 1], [0, 1]]),
            candidates=Ragged.of([[0], [0], [], [1], [], []]),
        ),
        "leaves out a token that a witness shows",
    ),
}


@pytest.mark.parametrize("forged", FORGERIES)
def test_a_forged_certificate_of_an_audit_is_refused(one: Certificate, forged: str) -> None:
    change, message = FORGERIES[forged]
    check(one)
    with pytest.raises(InputError, match=message):
        check(change(one))


def test_another_release_or_other_sightings_are_not_what_it_is_about(one: Certificate) -> None:
    audited = one.audited
    assert audited is not None
    seen, pins = audited.seen, audited.seen.pins
    compare(one, one.problem, seen)
    fewer = replace(seen, pins=pins.those(np.array([0])))
    others = replace(seen, users=seen.users[::-1])
    for other in (None, fewer, others):
        with pytest.raises(InputError, match="sightings differ"):
            compare(one, one.problem, other)
    with pytest.raises(InputError, match="sightings differ"):
        compare(replace(one, audited=None), one.problem, seen)


def test_sightings_that_are_tampered_with_are_accepted_only_if_what_is_claimed_stays_true(
    cases: list[Case],
) -> None:
    """Whoever drops a sighting, or widens one, has other candidates; what is proven is another."""
    refused = 0
    for certificate, _, _ in cases:
        audited = certificate.audited
        assert audited is not None
        pins = audited.seen.pins
        for gone in range(len(pins)):
            kept = pins.those(np.delete(np.arange(len(pins)), gone))
            forged = with_pins(**vars(kept))(certificate)
            seen = audited.seen
            with pytest.raises(InputError, match="sightings differ"):
                compare(forged, certificate.problem, seen)
            try:
                refused += check(forged).unsafe_claimed > 0
            except InputError:
                refused += 1
    assert refused > 5  # what no longer follows is only claimed, or refused


FILES: dict[str, tuple[dict[str, Any], str]] = {
    "a publisher's question": ({"known_ids": None}, "contains data of an audit"),
    "other names": ({"known_ids": "counted"}, "unknown kind of names of known users 'counted'"),
}


@pytest.mark.parametrize("forged", FILES)
def test_a_forged_file_of_an_audit_is_refused(
    one: Certificate, tmp_path: Path, forged: str
) -> None:
    told, message = FILES[forged]
    folder = write_certificates(tmp_path / "one", [one])
    sealed_again(folder, lambda manifest, _: manifest["parts"][0].update(told))
    with pytest.raises(InputError, match=message):
        check(read_certificates(folder)[0])


def test_an_audit_without_a_base_is_refused(one: Certificate, tmp_path: Path) -> None:
    folder = write_certificates(tmp_path / "one", [one])

    def without(manifest: dict[str, Any], tables: dict[str, Any]) -> None:
        tables["base"] = tables["base"].slice(0, 0)
        manifest["parts"][0]["rows"]["base"] = 0

    sealed_again(folder, without)
    with pytest.raises(InputError, match="exactly one initial assignment"):
        check(read_certificates(folder)[0])
