"""Which users pass: the rule, computed anew from the claims."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mixsafe.check.unsafe import ShownUnsafe
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.answer.ragged import Whole
from mixsafe.model.answer.verdict import SAFE, UNDECIDED, Verdict


class Judged(NamedTuple):
    """Who passes by the rule.

    Parameters
    ----------
    users
        Number of users by verdict: whoever fails does so by what is proven.
    claimed
        (n,) those of the undecided who would fail if unsafe verdicts were believed that are only
        claimed, ascending: rows, or known users of an audit.
    """

    users: dict[Verdict, int]
    claimed: Whole

    @classmethod
    def nobody(cls) -> Judged:
        """Where nothing was asked about users."""
        return cls(dict.fromkeys(Verdict, 0), np.zeros(0, np.int32))


def judged(certificate: Certificate, shown: ShownUnsafe) -> Judged:
    """Users who were asked about, by verdict, under the certificate's rule.

    Where everybody was asked about, those of whom there are no data do not count. An unsafe claim
    that nothing shows leaves its question open.
    """
    claims, rule = certificate.claims, certificate.rule
    # Step 0 is before anything happens: it counts only where it was asked about.
    first = claims.start if certificate.k is None else np.maximum(claims.start, 1)
    steps = claims.end.astype(np.int64) - first + 1
    only_claimed = np.zeros(len(claims), bool)
    only_claimed[shown.claimed] = True
    asked, user = np.unique(claims.row, return_inverse=True)
    total, safe, undecided, claimed = (
        np.bincount(user, np.where(those, steps, 0), len(asked))
        for those in (True, claims.verdict == SAFE, claims.verdict == UNDECIDED, only_claimed)
    )
    needed = rule.needed(total.astype(np.int64))
    passes, fails = safe >= needed, safe + undecided + claimed < needed
    believed = ~fails & (safe + undecided < needed)
    if certificate.k is not None and certificate.audited is None:
        counted = ~np.isin(asked, certificate.problem.zones.absent)
        passes, fails, believed = passes[counted], fails[counted], believed[counted]
        asked = asked[counted]
    counts = (passes.sum(), fails.sum(), (~passes & ~fails).sum())
    return Judged(dict(zip(Verdict, map(int, counts), strict=True)), asked[believed])
