"""Which users pass: the rule, computed anew from the claims."""

from __future__ import annotations

import numpy as np

from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.answer.ragged import Ints
from mixsafe.model.answer.verdict import DECISIONS, SAFE, UNDECIDED, Verdict


def users_by_verdict(certificate: Certificate) -> dict[Verdict, int]:
    """Number of users who were asked about, by verdict, under the certificate's rule.

    Where everybody was asked about, those of whom there are no data do not count.
    """
    total, safe, undecided = _steps(certificate)
    needed = certificate.rule.needed(total)
    passes = safe >= needed
    may = ~passes & (safe + undecided >= needed)
    counts = (passes.sum(), (~passes & ~may).sum(), may.sum())
    return dict(zip(DECISIONS, map(int, counts), strict=True))


def passes_weakly(certificate: Certificate) -> bool:
    """Whether a pass is a weak one: by a rule that nobody chose, and that asks for one moment."""
    total, safe, _ = _steps(certificate)
    by_default = certificate.rule.by_default and certificate.rule.kind == "some"
    return by_default and bool(np.any(safe < total))


def _steps(certificate: Certificate) -> tuple[Ints, Ints, Ints]:
    """(n_users,) each: steps that users were asked about, safe ones, and undecided ones."""
    claims = certificate.claims
    # Step 0 is before anything happens: it counts only where it was asked about.
    first = claims.start if certificate.k is None else np.maximum(claims.start, 1)
    steps = claims.end.astype(np.int64) - first + 1
    asked, user = np.unique(claims.row, return_inverse=True)
    total, safe, undecided = (
        np.bincount(user, np.where(those, steps, 0), len(asked)).astype(np.int64)
        for those in (True, claims.verdict == SAFE, claims.verdict == UNDECIDED)
    )
    if certificate.k is not None and certificate.audited is None:
        judged = ~np.isin(asked, certificate.problem.zones.absent)
        return total[judged], safe[judged], undecided[judged]
    return total, safe, undecided
