"""The order of fixes: by user and time, and by place where these are equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Scalar = TypeVar("Scalar", bound=np.generic)


def in_order(*keys: npt.NDArray[Any]) -> npt.NDArray[np.int64] | None:
    """A stable order by the keys, the first first; None if they are already sorted."""
    return None if in_sequence(keys) else np.lexsort(keys[::-1])


def in_sequence(keys: Sequence[npt.NDArray[Any]]) -> bool:
    """Whether rows are sorted by keys, the first first."""
    later = keys[-1][1:] >= keys[-1][:-1]
    for key in keys[-2::-1]:
        later = (key[1:] > key[:-1]) | ((key[1:] == key[:-1]) & later)
    return bool(later.all())


def take(array: npt.NDArray[Scalar], order: npt.NDArray[np.int64] | None) -> npt.NDArray[Scalar]:
    """Reorder an array; unchanged if ``order`` is None."""
    return array if order is None else array[order]


def equal_to_next(columns: Sequence[npt.NDArray[Any]]) -> npt.NDArray[np.bool_]:
    """(n - 1,) whether the next row has the same values."""
    equal: npt.NDArray[np.bool_] = columns[0][1:] == columns[0][:-1]
    for column in columns[1:]:
        equal &= column[1:] == column[:-1]
    return equal


def same_moment_in_order(
    keys: Sequence[npt.NDArray[Any]],
    places: Sequence[npt.NDArray[Any]],
    again: npt.NDArray[np.bool_],
    order: npt.NDArray[np.int64] | None,
) -> npt.NDArray[np.int64]:
    """The order in which rows of one user and time are also sorted by place.

    Rows do not say in which of two places a user is at one moment, and which of them comes first in
    a file must not matter. The last one counts: the northernmost, then the easternmost, or the
    region with the largest number, or the last name.

    Parameters
    ----------
    keys
        (n,) columns of users and times, in order.
    places
        (n,) columns of places, as in the file.
    again
        (n - 1,) whether the next row has the same keys.
    order
        (n,) rows of the file by keys; None: as they are.
    """
    whole = np.arange(len(keys[0])) if order is None else order.copy()
    slots = np.flatnonzero(np.append(again, False) | np.append(False, again))
    rows = whole[slots]
    columns = [*(key[slots] for key in keys), *(place[rows] for place in places)]
    whole[slots] = rows[np.lexsort(columns[::-1])]
    return whole


def elsewhere_note(count: int) -> tuple[str, ...]:
    """A note on the number of fixes with another one of the same user at the same time."""
    if not count:
        return ()
    some = "1 fix has" if count == 1 else f"{count:,} fixes have"
    return (
        f"{some} the same user and time as another one elsewhere: the northernmost counts, or the"
        " region with the largest number, or the last name",
    )
