"""Which users pass: the rule, computed anew from the claims."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.check.unsafe import ShownUnsafe
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.answer.ragged import Ints, Whole
from mixsafe.model.answer.verdict import DECISIONS, SAFE, UNDECIDED, Verdict


class JudgedUsers(NamedTuple):
    """Who passes by the rule.

    Parameters
    ----------
    users
        Number of users by verdict: users fail only by proven claims.
    claimed
        (n,) those of the undecided who would fail if unsafe verdicts were believed that are only
        claimed, ascending: rows, or known users of an audit.
    """

    users: dict[Verdict, int]
    claimed: Whole


def judged(certificate: Certificate, shown: ShownUnsafe) -> JudgedUsers:
    """Users who were asked about, by verdict, under the certificate's rule.

    Where everybody was asked about, those of whom there are no data do not count. An unsafe claim
    that nothing shows leaves its question open.
    """
    claims = certificate.claims
    only_claimed = np.zeros(len(claims), bool)
    only_claimed[shown.claimed] = True
    user, (total, safe, undecided, claimed) = _steps(
        certificate, claims.verdict == SAFE, claims.verdict == UNDECIDED, only_claimed
    )
    needed = certificate.rule.needed(total)
    passes, fails = safe >= needed, safe + undecided + claimed < needed
    counts = (passes.sum(), fails.sum(), (~passes & ~fails).sum())
    believed = ~fails & (safe + undecided < needed)
    return JudgedUsers(dict(zip(DECISIONS, map(int, counts), strict=True)), user[believed])


def passes_weakly(certificate: Certificate) -> bool:
    """Whether a pass is a weak one: by the default rule, which asks for one moment."""
    _, (total, safe) = _steps(certificate, certificate.claims.verdict == SAFE)
    by_default = certificate.rule.by_default and certificate.rule.kind == "some"
    return by_default and bool(np.any(safe < total))


def _steps(certificate: Certificate, *of: npt.NDArray[np.bool_]) -> tuple[Whole, list[Ints]]:
    """Users who count, ascending, and (n_users,) each: the steps of all claims, and of some.

    ``of`` are (n_claims,) each: whose steps are counted.
    """
    claims = certificate.claims
    if certificate.k is None or certificate.audited is not None:
        first = claims.start if certificate.k is None else np.maximum(claims.start, 1)
        steps = claims.end.astype(np.int64) - first + 1
    else:  # Nothing is published in step 0, and perhaps in others: they do not count.
        zones = certificate.problem.zones
        steps = zones.time_of(claims.row, claims.start, claims.end)
    asked, user = np.unique(claims.row, return_inverse=True)
    counts = np.ones(len(asked), bool)
    if certificate.k is not None and certificate.audited is None:
        counts = ~np.isin(asked, certificate.problem.zones.absent)
    sums = [
        np.bincount(user, np.where(those, steps, 0), len(asked)).astype(np.int64)[counts]
        for those in (np.ones(len(claims), bool), *of)
    ]
    return asked[counts], sums
