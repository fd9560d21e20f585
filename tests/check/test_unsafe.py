"""Unsafe claims: Hall sets and refutations show them, and each guard has its forgery."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mixsafe.certify.certify import certify
from mixsafe.certify.proving import prove
from mixsafe.check.checker import check
from mixsafe.check.reached import reachable_tokens
from mixsafe.check.unsafe import CLAIMED, CLAUSES, HALL_SETS, shown_unsafe
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Audited, ClauseProof, ClauseProofs, HallSet, HallSets
from mixsafe.model.answer.verdict import SAFE, UNSAFE, Verdict
from mixsafe.model.course import Course
from mixsafe.model.csr import Ragged
from mixsafe.model.question.adversary import Pins, Seen
from mixsafe.model.question.requirement import Rule
from mixsafe.verify.verification import verify
from tests.support.certificates import Claim, Written, witnesses_of
from tests.support.random_problems import random_problem
from tests.support.strategies import problem

CLOSED = problem(
    5,
    8,
    [(1, [0, 1, 4]), (3, [0, 2, 3, 4]), (5, [0, 4])],
    [(0, 2), (1, 6), (2, 3), (3, 2), (3, 8), (4, 3)],
)
"""After step 3 four tokens have four rows."""


def certified(asked, k, engine="auto"):
    return certify(verify(asked, k=k, engine=engine, keep_proof_data=True))


MEETING_AGAIN = problem(
    3,
    7,
    [(1, [0, 2]), (2, [0, 1]), (3, [0, 2]), (5, [0, 1, 2]), (7, [0, 1])],
    [(0, 1), (0, 4), (0, 6), (2, 2), (2, 7)],
)
"""Users 0 and 2 have a pseudonym each at all their sightings, nobody knows which."""


@pytest.fixture(name="refuted", scope="module")
def _refuted():
    """A certificate of which three claims are shown by clauses alone."""
    return certified(MEETING_AGAIN, 3, engine="dp")


def with_proofs(certificate, change):
    """The certificate with other refutations."""
    proofs = change(list(certificate.clause_proofs))
    return replace(certificate, clause_proofs=ClauseProofs.of(proofs))


def claiming(certificate, claim, proof):
    """The certificate with another number of a refutation in one claim."""
    numbers = certificate.claims.proof.copy()
    numbers[claim] = proof
    return replace(certificate, claims=replace(certificate.claims, proof=numbers))


def test_hall_sets_show_what_single_tokens_do_not():
    certificate = certified(CLOSED, 5)
    assert len(certificate.hall_sets)
    assert not len(certificate.clause_proofs)
    assert check(certificate).unsafe_shown["closures"] > 0
    without = check(replace(certificate, hall_sets=HallSets.none()))
    assert without.unsafe_claimed == check(certificate).unsafe_shown["closures"]
    n_unsafe = np.count_nonzero(certificate.claims.verdict == UNSAFE)
    assert without.unsafe_confirmed == n_unsafe - without.unsafe_claimed
    assert without.unsafe_shown.keys() == {"reachability", "closures", "clauses"}


@pytest.mark.parametrize(("seen_at", "shown"), [(1, True), (3, False)])
def test_in_an_audit_no_token_is_taken_to_begin_on_a_row(seen_at, shown):
    """Tracks 0 and 1 meet at step 2: seen after it, user 0 may have been on either before it."""
    asked = problem(2, 3, [(2, [0, 1])])
    claims = (Claim(0, 1, 1, 2, Verdict.UNSAFE, candidates=(0,)),)
    pins = Pins(*(np.array(one, np.int32) for one in ([0], [seen_at], [0, 1], [0])))
    audited = Audited(Seen(np.arange(1), pins), witnesses_of([()]))
    certificate = replace(Written(asked, Rule("every"), 2, claims).certificate, audited=audited)
    assert (len(shown_unsafe(certificate).claimed) == 0) == shown


def test_a_hall_set_that_is_none_is_refused_needed_or_not():
    certificate = certified(CLOSED, 5)
    wrong = HallSet(3, np.array([0]), np.array([0]))
    forged = replace(certificate, hall_sets=HallSets.of([*certificate.hall_sets, wrong]))
    with pytest.raises(InputError, match="closure"):
        check(forged)


def test_what_follows_from_hall_sets_is_shown_by_them():
    """Tokens 0 and 1 fill rows 0 and 1 at step 1, so token 2 does not go on from there to row 3."""
    asked = problem(4, 3, [(1, [0, 1, 2]), (2, [0, 1, 3])], [(0, 0), (0, 3), (1, 0), (1, 3)])
    claims = (Claim(3, 2, 2, 2, Verdict.UNSAFE, candidates=(3,)),)
    certificate = Written(asked, Rule("every"), None, claims).certificate
    full = HallSets.of([HallSet(1, np.array([0, 1]), np.array([0, 1]))])
    assert shown_unsafe(certificate).by.tolist() == [CLAIMED]
    assert shown_unsafe(replace(certificate, hall_sets=full)).by.tolist() == [HALL_SETS]


def test_clauses_show_what_hall_sets_do_not(refuted):
    shown = shown_unsafe(refuted)
    by_clauses = shown.claim[shown.by == CLAUSES]
    assert len(by_clauses) == 3
    assert check(refuted).unsafe_claimed == 0
    for claim in by_clauses.tolist():
        without = check(claiming(refuted, claim, -1))
        assert without.unsafe_claimed == 1


def test_a_refutation_that_is_not_there_or_of_a_claim_that_is_not_unsafe_is_refused(refuted):
    claims = refuted.claims
    unsafe = int(np.flatnonzero(claims.verdict == UNSAFE)[0])
    for number in (-2, len(refuted.clause_proofs)):
        with pytest.raises(InputError, match=f"claim {unsafe} has a refutation that is not there"):
            check(claiming(refuted, unsafe, number))
    safe = int(np.flatnonzero(claims.verdict == SAFE)[0])
    with pytest.raises(InputError, match=f"claim {safe} has a refutation that is not there"):
        check(claiming(refuted, safe, 0))


def test_a_refutation_of_another_claim_is_refused(refuted):
    claims, proof = refuted.claims, refuted.clause_proofs[0]
    others = np.flatnonzero((claims.verdict == UNSAFE) & (claims.row != proof.row)).tolist()
    for claim in others:
        with pytest.raises(InputError, match=f"claim {claim} has the refutation of another one"):
            check(claiming(refuted, claim, 0))
    same = (claims.verdict == UNSAFE) & (claims.row == proof.row)
    away = np.flatnonzero(same & ((claims.end < proof.step) | (claims.start > proof.step)))
    for claim in away.tolist():
        with pytest.raises(InputError, match=f"claim {claim} has the refutation of another one"):
            check(claiming(refuted, claim, 0))


def test_a_refutation_that_leaves_another_candidate_does_not_show_the_claim(refuted):
    claims, proof = refuted.claims, refuted.clause_proofs[0]
    assert proof.off.tolist() == [0, 2]
    claim = int(np.flatnonzero(claims.proof == 0)[0])
    values = claims.candidates.values.copy()
    values[claims.candidates.ptr[claim] + 1] = 1  # instead of 2
    other = replace(claims, candidates=replace(claims.candidates, values=values))
    with pytest.raises(InputError, match=f"claim {claim} has the refutation of another one"):
        shown_unsafe(replace(refuted, claims=other))


def test_a_wrong_refutation_is_refused_whether_a_claim_needs_it_or_not(refuted):
    def forge(proofs):
        return [*proofs, proofs[0]._replace(lemmas=proofs[0].lemmas[:0])]

    with pytest.raises(InputError, match=f"refutation {len(refuted.clause_proofs)}: "):
        check(with_proofs(refuted, forge))
    with pytest.raises(InputError, match=f"refutation {len(refuted.clause_proofs)}: "):
        shown_unsafe(with_proofs(refuted, forge), most_bytes=0)  # however large the sets


def test_refutations_of_other_knowledge_do_not_pass(refuted):
    known = refuted.problem.knowledge
    less = replace(
        refuted.problem, knowledge=replace(known, row=known.row[:0], time=known.time[:0])
    )
    with pytest.raises(InputError):
        check(replace(refuted, problem=less))


def test_where_sets_are_too_large_reachability_still_shows_what_it_can():
    whole = certified(CLOSED, 5)
    claims = whole.claims
    proofs = prove(CLOSED, claims, Course.begin(), most_bytes=0)
    assert len(proofs.hall_sets) == len(proofs.clause_proofs) == 0
    certificate = replace(
        whole,
        claims=replace(claims, proof=proofs.proof),
        hall_sets=proofs.hall_sets,
        clause_proofs=proofs.clause_proofs,
    )
    unsafe = np.flatnonzero(claims.verdict == UNSAFE)
    left = reachable_tokens(CLOSED, claims.row[unsafe], claims.start[unsafe])
    found = shown_unsafe(certificate, most_bytes=0)
    assert found.counts["reachability"] == np.count_nonzero(left < 5) > 0
    assert len(found.claimed) == np.count_nonzero(left >= 5) > 0


def test_wrong_proofs_are_refused_where_reachability_shows_all():
    asked = problem(3, 4, [(1, [0, 1])], [(user, step) for user in range(3) for step in (0, 4)])
    certificate = certified(asked, 2)
    assert check(certificate).unsafe_shown["reachability"] == np.count_nonzero(
        certificate.claims.verdict == UNSAFE
    )
    wrong = HallSet(1, np.array([0, 1]), np.array([1, 2]))
    with pytest.raises(InputError, match="closure 0"):
        check(replace(certificate, hall_sets=HallSets.of([wrong])))
    nothing = np.zeros(0, np.int32)
    proof = ClauseProof(0, 1, np.array([0]), np.array([0]), 0, 4, nothing, nothing)
    with pytest.raises(InputError, match="refutation 0"):
        check(with_proofs(certificate, lambda proofs: [proof]))


COLUMNS = {
    "hall_sets": ("time", "rows", "tokens"),
    "clause_proofs": ("row", "step", "begin", "end", "tracked", "off", "needed", "lemmas"),
}


def tampered(certificate, random):
    """The certificate with one number of its proofs changed."""
    part = str(random.choice([name for name in COLUMNS if len(getattr(certificate, name))]))
    whole = getattr(certificate, part)
    column = str(random.choice(COLUMNS[part]))
    before = getattr(whole, column)
    flat = (before.values if isinstance(before, Ragged) else before).copy()
    flat[random.integers(len(flat))] = random.choice([-(2**31), -1, 0, 1, 2, 3, 7, 2**31 - 1])
    after = Ragged(before.ptr, flat) if isinstance(before, Ragged) else flat
    return replace(certificate, **{part: replace(whole, **{column: after})})


def test_tampered_proofs_are_refused_as_what_they_are_or_still_true(refuted):
    random, refused = np.random.default_rng(8), 0
    for certificate in (certified(CLOSED, 5), refuted):
        before = check(certificate)
        for _ in range(300):
            forged = tampered(certificate, random)
            if random.random() < 0.5:
                forged = tampered(forged, random)
            try:
                assert check(forged).unsafe_claimed >= before.unsafe_claimed
            except InputError:
                refused += 1
    assert refused > 400


@pytest.mark.parametrize("engine", ["auto", "cpsat", "dp", "bounds"])
def test_nothing_that_an_engine_calls_unsafe_is_only_claimed(engine):
    random = np.random.default_rng(16)
    for _ in range(40):
        asked = random_problem(random, max_users=6)
        found = certify(verify(asked, engine=engine, keep_proof_data=True))
        assert check(found).unsafe_claimed == 0
