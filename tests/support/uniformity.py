"""Whether chance was fair: outcomes counted over all that there may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable

import numpy as np
from scipy import stats

CERTAIN = 1e-12
"""Below it chance was not fair; all drawing has fixed seeds, so that a result never changes."""

LIKELY = 1e-4
"""Above it nothing speaks against its being fair."""


def uniformity(drawn: Iterable[Hashable], possible: Collection[Hashable]) -> float:
    """Probability of outcomes at least as uneven if all that are possible are equally likely."""
    counts = Counter(drawn)
    assert set(counts) <= set(possible)
    return float(stats.chisquare([counts[one] for one in possible]).pvalue)


def likeness(one: Iterable[Hashable], two: Iterable[Hashable]) -> float:
    """Probability of outcomes at least as different if both kinds are drawn alike."""
    counts = Counter(one), Counter(two)
    every = sorted({*counts[0], *counts[1]}, key=repr)
    table = np.array([[of[outcome] for outcome in every] for of in counts])
    return 1.0 if len(every) == 1 else float(stats.chi2_contingency(table).pvalue)
