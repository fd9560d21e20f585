"""Certificates of verifications: for each safe claim k witnesses, for each unsafe one its bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mixsafe.certify.witness_pool import Pool
from mixsafe.check.checker import check
from mixsafe.errors import InputError, MixsafeError
from mixsafe.model.answer.certificate import Certificate, Claim
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.limits import Deadline
from mixsafe.model.progress import Progress, no_progress
from mixsafe.network.wires import WireNetwork
from mixsafe.verify.core import tokens
from mixsafe.verify.verification import Grounds, Verification


def certify(
    verification: Verification,
    progress: Progress = no_progress,
    deadline: Deadline | None = None,
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
    proven = tuple(
        replace(claim, witnesses=pool.shown_by(wire, claim.k))
        if claim.verdict is Verdict.SAFE
        else claim
        for claim, wire in zip(claims, grounds.wire.tolist(), strict=True)
    )
    asked = claims[0].k if grounds.requirements is None else None
    posed = replace(verification.problem, requirements=grounds.requirements)
    made = Certificate(posed, verification.rule, asked, proven, tuple(pool.witnesses))
    try:
        check(made)
    except InputError as error:
        raise MixsafeError(f"internal error, {error.message}; please report this problem") from None
    return made


def _pool_for(claims: list[Claim], grounds: Grounds, deadline: Deadline) -> Pool:
    """An empty pool: the wires of all safe claims, each with the most tokens that one asks for."""
    safe = np.array([claim.verdict is Verdict.SAFE for claim in claims], bool)
    k = np.array([claim.k for claim in claims], np.int32)
    wires, place = np.unique(grounds.wire[safe], return_inverse=True)
    enough = np.zeros(len(wires), np.int32)
    np.maximum.at(enough, place, k[safe])
    return Pool(grounds.answers, wires, enough, deadline)


def _claims(verification: Verification, grounds: Grounds) -> list[Claim]:
    """The verdicts as claims, without their witnesses."""
    asked, answers = grounds.requirements, grounds.answers
    table = verification.wires if asked is None else verification.results
    if table is None:
        return []
    if asked is None:
        network = WireNetwork.of(verification.problem.zones)
        row, start, end = network.row, network.start, network.end
    else:
        row, start, end = asked.row, asked.time, asked.time
    columns = (row, start, end, table["k"], table["verdict"], table["decided_by"], grounds.wire)
    claims = []
    for user, first, last, k, word, by, wire in zip(*(c.tolist() for c in columns), strict=True):
        claim = Claim(user, first, last, k, Verdict(word))
        if claim.verdict is Verdict.UNSAFE:
            possible = tuple(tokens.members(answers.possible[wire]).tolist())
            claim = replace(claim, candidates=possible, decided_by=by)
        claims.append(claim)
    return claims
