"""Unsafe claims: which of them follow from what single tokens can do, Hall sets and refutations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.check.claim_clauses import replay
from mixsafe.check.reached import MOST_BYTES, Reached, reachable_tokens
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Certificate, Claims, ClauseProof, ClauseProofs
from mixsafe.model.answer.verdict import UNSAFE
from mixsafe.model.csr import Ints

CLAIMED, REACHABILITY, HALL_SETS, CLAUSES = range(4)
"""Kinds of proof of an unsafe claim; ``CLAIMED``: none."""

WORDS = ("claimed", "reachability", "closures", "clauses")

_NO_PROOF = -1


class ShownUnsafe(NamedTuple):
    """Unsafe claims, and what shows each: (n,) numbers of the claims, and (n,) int8."""

    claim: Ints
    by: npt.NDArray[np.int8]

    @property
    def claimed(self) -> Ints:
        """Numbers of the claims without a proof."""
        return np.asarray(self.claim[self.by == CLAIMED])

    @property
    def counts(self) -> dict[str, int]:
        """Number of claims that are proven again, by what shows them."""
        counts = np.bincount(self.by, minlength=len(WORDS)).tolist()
        return dict(list(zip(WORDS, counts, strict=True))[1:])


def shown_unsafe(certificate: Certificate, most_bytes: int = MOST_BYTES) -> ShownUnsafe:
    """Prove unsafe claims again.

    Every Hall set and every refutation of the certificate is checked, needed or not. Where there
    are none, and the sets of all wires would take more than ``most_bytes``, tokens are followed one
    by one only.

    Raises
    ------
    InputError
        A Hall set or a refutation is wrong, or one is not of the claim that names it.
    """
    claims, problem = certificate.claims, certificate.problem
    hall_sets, proofs = certificate.hall_sets, certificate.clause_proofs
    _check_named(claims, len(proofs))
    unsafe = np.flatnonzero(claims.verdict == UNSAFE)
    row, start, k = claims.row[unsafe], claims.start[unsafe], claims.k[unsafe]
    by_reach = np.zeros(len(unsafe), bool)
    named = len(hall_sets) > 0 or len(proofs) > 0
    if len(unsafe) and certificate.audited is None and not named:
        by_reach = reachable_tokens(problem, row, start) < k
    by_hall_sets, by_clauses = by_reach.copy(), claims.proof[unsafe] != _NO_PROOF
    if named or (not by_reach.all() and Reached.fits(problem, most_bytes)):
        reached = reached_in(certificate)
        by_reach |= reached.n_left(row, start) < k
        reached.close(list(hall_sets))
        by_hall_sets = by_reach | (reached.n_left(row, start) < k)
        if len(proofs) or not by_hall_sets.all():
            reached.follow()
            by_hall_sets |= reached.n_left(row, start) < k
        _replay_all(reached, proofs)
    for claim in unsafe[by_clauses].tolist():
        _check_own(claim, claims, proofs[claims.proof[claim]])
    by = np.where(by_clauses, CLAUSES, CLAIMED)
    by[by_hall_sets] = HALL_SETS
    by[by_reach] = REACHABILITY
    return ShownUnsafe(unsafe, by.astype(np.int8))


def reached_in(certificate: Certificate) -> Reached:
    """Reachable rows of single tokens in the problem of a certificate."""
    audited = certificate.audited
    return Reached(certificate.problem, None if audited is None else audited.seen.pins)


def _replay_all(reached: Reached, proofs: ClauseProofs) -> None:
    for number, proof in enumerate(proofs):
        try:
            replay(reached, proof)
        except InputError as error:
            raise InputError(f"refutation {number}: {error.message}") from None


def _check_named(claims: Claims, n_proofs: int) -> None:
    """Only unsafe claims have refutations, and those exist."""
    proof = claims.proof
    wrong = (proof < _NO_PROOF) | (proof >= n_proofs)
    wrong |= (proof != _NO_PROOF) & (claims.verdict != UNSAFE)
    if np.any(wrong):
        raise InputError(f"claim {np.flatnonzero(wrong)[0]} has a refutation that is not there")


def _check_own(claim: int, claims: Claims, proof: ClauseProof) -> None:
    """A refutation must be about the claim's row and steps, and leave no other tokens than it."""
    about = (
        proof.row == claims.row[claim] and claims.start[claim] <= proof.step <= claims.end[claim]
    )
    if not about or not np.all(np.isin(proof.off, claims.candidates[claim])):
        raise InputError(f"claim {claim} has the refutation of another one")
