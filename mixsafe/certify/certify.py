"""Certificates of verifications: for each safe claim k witnesses, for each unsafe one its bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.certify.proving import prove
from mixsafe.certify.witness_pool import Pool
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Certificate, Claims
from mixsafe.model.answer.verdict import SAFE, UNDECIDED, UNSAFE, Argument
from mixsafe.model.arguments import of_kind
from mixsafe.model.course import Course, Deadline, Journal
from mixsafe.model.csr import Ragged, pointers
from mixsafe.model.progress import Progress, no_progress
from mixsafe.solver.state import tokens
from mixsafe.verify.verification import ProofData, Verification
from mixsafe.version import __version__

_AT_ONCE = 1 << 12
"""Unsafe claims whose tokens are spread out at once."""


def certify(
    verification: Verification,
    progress: Progress = no_progress,
    deadline: Deadline | None = None,
    adversary: str = "-",
    journal: Journal | None = None,
) -> Certificate:
    """Certificate of a verification that kept its proof data.

    A safe verdict for which no witnesses are found, or not in time, is undecided in it.

    Parameters
    ----------
    verification
        Of ``verify(..., keep_proof_data=True)``.
    progress
        Called with stage, wires that have their witnesses, and wires that need some.
    deadline
        Time limit of the search for witnesses; None: until all methods are exhausted.
    adversary
        Name of the adversary in the certificate.
    journal
        What keeps the search for witnesses, for a run that goes on from there.

    Raises
    ------
    InputError
        The verification did not keep its proof data.
    """
    course = Course.begin(None, progress, journal)
    course = course if deadline is None else course.until(deadline)
    return certified(verification, course, adversary)


def certified(verification: Verification, course: Course, adversary: str = "-") -> Certificate:
    """Certificate of a verification: as :func:`certify`, with a course.

    Raises
    ------
    InputError
        As :func:`certify`.
    """
    hint = "give what mixsafe.verify(…, keep_proof_data=True) returns"
    of_kind("verification", verification, (Verification,), "a verification", hint)
    proof_data = verification.proof_data
    if proof_data is None:
        raise InputError("a certificate needs verify(..., keep_proof_data=True)")
    claims = _claims(verification, proof_data)
    # First, as proofs take seconds, and the last witnesses all the time there is.
    half = course.until(Deadline(course.left / 2))
    proofs = prove(verification.problem, claims, half)
    need = _need(claims, proof_data)
    pool = Pool(proof_data.answers, need, course)
    pool.fill()
    problem = replace(verification.problem, requirements=proof_data.requirements)
    shown = replace(_witnessed(claims, proof_data, pool), proof=proofs.proof)
    found = shown, pool.witnesses, proofs.hall_sets, proofs.clause_proofs
    k = None if proof_data.requirements is not None else int(claims.k[0])
    return Certificate(
        problem, verification.rule, k, *found,
        adversary=adversary, engine=verification.engine, version=__version__,
    )  # fmt: skip


def _need(claims: Claims, proof_data: ProofData) -> npt.NDArray[np.int32]:
    """(n_wires,) tokens besides its own that each wire must show, for its claim of largest k."""
    safe = claims.verdict == SAFE
    need = np.zeros(proof_data.answers.core.network.n_wires, np.int32)
    np.maximum.at(need, proof_data.wire[safe], claims.k[safe] - 1)
    return need


def _witnessed(claims: Claims, proof_data: ProofData, pool: Pool) -> Claims:
    """The claims with their witnesses; what has none is undecided."""
    safe = np.flatnonzero(claims.verdict == SAFE)
    shown = pool.shown_by(proof_data.wire[safe], claims.k[safe])
    sizes = np.zeros(len(claims), np.int64)
    sizes[safe] = shown.sizes
    verdict, decided_by = claims.verdict.copy(), claims.decided_by.copy()
    lost = safe[shown.sizes < claims.k[safe]]
    verdict[lost], decided_by[lost] = UNDECIDED, Argument.NONE
    witnesses = Ragged(pointers(sizes), shown.values)
    return replace(claims, verdict=verdict, decided_by=decided_by, witnesses=witnesses)


def _claims(verification: Verification, proof_data: ProofData) -> Claims:
    """The verdicts as claims, without their witnesses."""
    found, n = verification.rows, len(verification.rows.verdict)
    return Claims(
        found.user,
        found.start,
        found.end,
        np.ascontiguousarray(found.k),
        found.verdict,
        found.decided_by,
        Ragged.empty(n),
        _candidates(found.verdict == UNSAFE, proof_data),
        np.full(n, -1, np.int32),
    )


def _candidates(unsafe: npt.NDArray[np.bool_], proof_data: ProofData) -> Ragged:
    """Tokens that are possible where a verdict is unsafe, and none elsewhere."""
    numbers = np.flatnonzero(unsafe)
    owners, found = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for begin in range(0, len(numbers), _AT_ONCE):
        some = numbers[begin : begin + _AT_ONCE]
        of, token = tokens.pairs(proof_data.answers.possible[proof_data.wire[some]])
        owners.append(some[of])
        found.append(token)
    counts = np.bincount(np.concatenate(owners), minlength=len(unsafe))
    values = np.concatenate(found).astype(np.int32)
    return Ragged(pointers(counts), values)
