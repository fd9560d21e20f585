"""How often a follower is right, by her belief."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt


def by_belief(
    least: Sequence[float],
    belief: npt.NDArray[np.float64],
    right: npt.NDArray[np.bool_],
    weight: npt.NDArray[np.int64],
) -> Iterator[tuple[float, int, float, float]]:
    """Yield for each class of beliefs the least one, its weight, its mean belief and share right.

    Parameters
    ----------
    least
        Least belief of each class, ascending from 0; empty classes are left out.
    belief, right, weight
        (n,) of each bet: the belief, whether it is right, and how much it counts.
    """
    place = np.searchsorted(least, belief, "right") - 1
    counts, beliefs, rights = (
        np.bincount(place, weight * values, len(least)) for values in (1.0, belief, right)
    )
    for number in np.flatnonzero(counts).tolist():
        count = counts[number]
        mean, share = float(beliefs[number] / count), float(rights[number] / count)
        yield least[number], int(count), mean, share
