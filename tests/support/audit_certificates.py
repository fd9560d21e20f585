"""Certificates of audits of small random releases, with the truth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mixsafe.certify.certify_audit import certify_audit
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.course import SolveLimits
from mixsafe.release.audit import audit
from tests.support.audit_oracle import Cell, number_of_stories, tracks_of
from tests.support.small_releases import evidence_of

Truth = dict[tuple[int, int], set[int]]
Random = np.random.Generator


class Case(NamedTuple):
    """A certificate, and the tracks that can be each user's at each time."""

    certificate: Certificate
    truth: Truth
    n_undecided: int


def cell(random: Random) -> Cell:
    kind = random.integers(10)
    if kind == 0:
        return None
    return frozenset(random.choice(3, 2 if kind == 1 else 1, replace=False).tolist())


def drawn(number: int, seed: int) -> Iterator[Case]:
    """Certificates of audits of small random releases that agree with what was seen."""
    random = np.random.default_rng(seed)
    while number:
        n, steps = (int(random.integers(1, 5)) for _ in range(2))
        tracks = [[cell(random) for _ in range(steps)] for _ in range(n)]
        n_known, k = (int(random.integers(1, n + 1)) for _ in range(2))
        exchanged = bool(random.integers(4))
        who = {(int(random.integers(n_known)), int(random.integers(1, steps + 1))) for _ in "12345"}
        seen = [(*one, int(random.integers(3))) for one in sorted(who)]
        if number_of_stories(tracks) > 2000:
            continue
        engine = ("auto", "cpsat", "bounds")[number % 3]
        limits = SolveLimits(workers=1)
        try:
            evidence = evidence_of(tracks, seen, n_known)
            found = audit(
                evidence, k, exchanged=exchanged, engine=engine, limits=limits, keep_proof_data=True
            )
        except InputError:
            continue
        truth = tracks_of(tracks, seen, n_known, exchanged=exchanged)
        asked = found.findings
        assert asked is not None
        left = (asked.lower.count[:, 2:] < k) & (asked.upper.count[:, 2:] >= k)
        yield Case(certify_audit(found), truth, int(np.count_nonzero(left)))
        number -= 1
