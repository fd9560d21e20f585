"""Which users pass: the rule, computed anew from the claims."""

from __future__ import annotations

import numpy as np

from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.answer.verdict import SAFE, UNDECIDED, Verdict


def users_by_verdict(certificate: Certificate) -> dict[Verdict, int]:
    """Number of users who were asked about, by verdict, under the certificate's rule.

    Where everybody was asked about, those of whom there are no data do not count.
    """
    claims, rule = certificate.claims, certificate.rule
    # Step 0 is before anything happens: it counts only where it was asked about.
    first = claims.start if certificate.k is None else np.maximum(claims.start, 1)
    steps = claims.end.astype(np.int64) - first + 1
    asked, user = np.unique(claims.row, return_inverse=True)
    total, safe, undecided = (
        np.bincount(user, np.where(those, steps, 0), len(asked))
        for those in (True, claims.verdict == SAFE, claims.verdict == UNDECIDED)
    )
    needed = rule.needed(total.astype(np.int64))
    passes = safe >= needed
    may = ~passes & (safe + undecided >= needed)
    if certificate.k is not None and certificate.audited is None:
        judged = ~np.isin(asked, certificate.problem.zones.absent)
        passes, may = passes[judged], may[judged]
    counts = (passes.sum(), (~passes & ~may).sum(), may.sum())
    return dict(zip(Verdict, map(int, counts), strict=True))
