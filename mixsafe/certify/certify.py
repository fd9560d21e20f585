"""Certificates of verifications: for each safe claim k witnesses, for each unsafe one its bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mixsafe.certify.proving import prove
from mixsafe.certify.witness_pool import Pool
from mixsafe.check.checker import check
from mixsafe.errors import InputError, MixsafeError
from mixsafe.model.answer.certificate import Certificate, Claims, Witnesses
from mixsafe.model.answer.ragged import Ragged
from mixsafe.model.answer.verdict import SAFE, UNSAFE
from mixsafe.model.limits import Deadline
from mixsafe.model.progress import Progress, no_progress
from mixsafe.verify.core import tokens
from mixsafe.verify.verification import Grounds, Verification
from mixsafe.version import __version__


def certify(
    verification: Verification,
    progress: Progress = no_progress,
    deadline: Deadline | None = None,
    adversary: str = "-",
) -> Certificate:
    """Certificate of a verification that kept its grounds.

    Parameters
    ----------
    verification
        Of ``verify(..., keep_grounds=True)``.
    progress
        Called with stage, wires that have their witnesses, and wires that need some.
    deadline
        When to give up; None: never.
    adversary
        What she is called, for people who read the certificate.

    Raises
    ------
    InputError
        The verification did not keep its grounds.
    TimeUpError
        The deadline passed.
    MixsafeError
        No witnesses were found for a safe verdict, or the checker refuses the certificate: a bug
        that must not be written down as safe.
    """
    grounds = verification.grounds
    if grounds is None:
        raise InputError("a certificate needs verify(..., keep_grounds=True)")
    claims = _claims(verification, grounds)
    pool = _pool_for(claims, grounds, deadline or Deadline(None))
    pool.fill(progress)
    proofs = prove(verification.problem, claims, grounds, deadline or Deadline(None), progress)
    made = Certificate(
        replace(verification.problem, requirements=grounds.requirements),
        verification.rule,
        int(claims.k[0]) if grounds.requirements is None else None,
        replace(_witnessed(claims, grounds, pool), proof=proofs.proof),
        Witnesses.joined(pool.witnesses),
        proofs.closures,
        proofs.clause_proofs,
        adversary=adversary,
        engine=verification.engine,
        version=__version__,
    )
    _must_pass(made)
    return made


def _must_pass(made: Certificate) -> None:
    """Nothing that the checker refuses is written down."""
    try:
        check(made)
    except InputError as error:
        raise MixsafeError(f"internal error, {error.message}; please report this problem") from None


def _witnessed(claims: Claims, grounds: Grounds, pool: Pool) -> Claims:
    """The claims with their witnesses."""
    safe = (claims.verdict == SAFE).tolist()
    asked = zip(grounds.wire.tolist(), claims.k.tolist(), safe, strict=True)
    shown = [pool.shown_by(wire, k) if is_safe else () for wire, k, is_safe in asked]
    return replace(claims, witnesses=Ragged.of(shown))


def _pool_for(claims: Claims, grounds: Grounds, deadline: Deadline) -> Pool:
    """An empty pool: the wires of all safe claims, each with the most tokens that one asks for."""
    safe = claims.verdict == SAFE
    wires, place = np.unique(grounds.wire[safe], return_inverse=True)
    enough = np.zeros(len(wires), np.int32)
    np.maximum.at(enough, place, claims.k[safe])
    return Pool(grounds.answers, wires, enough, deadline)


def _claims(verification: Verification, grounds: Grounds) -> Claims:
    """The verdicts as claims, without their witnesses."""
    found, n = verification.rows, len(verification.rows.verdict)
    unsafe = np.flatnonzero(found.verdict == UNSAFE)
    left = [tokens.members(grounds.answers.possible[wire]) for wire in grounds.wire[unsafe]]
    sizes = np.zeros(n, np.int64)
    sizes[unsafe] = [len(one) for one in left]
    return Claims(
        found.user,
        found.start,
        found.end,
        np.ascontiguousarray(found.k),
        found.verdict,
        found.decided_by,
        Ragged.empty(n),
        Ragged(
            np.concatenate([[0], np.cumsum(sizes)]),
            np.concatenate([np.zeros(0, np.int32), *left]).astype(np.int32),
        ),
        np.full(n, -1, np.int32),
    )
