"""The order of fixes: by user and time, and by place where these are equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Scalar = TypeVar("Scalar", bound=np.generic)

_BITS = 63
"""Of a number that is not negative."""


def in_order(*keys: npt.NDArray[Any]) -> npt.NDArray[np.int64] | None:
    """A stable order by the keys, the first first; None if they are already sorted."""
    return None if in_sequence(keys) else stable_order(*keys)


def stable_order(*keys: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """A stable order by the keys, the first first.

    Each row is one number, of its keys and its place, if 63 bits hold them: NumPy sorts such ones
    ten times as fast as by several keys.
    """
    n_rows = len(keys[0])
    if not n_rows:
        return np.zeros(0, np.int64)
    lows = [int(key.min()) for key in keys]
    widths = [(int(key.max()) - low).bit_length() for key, low in zip(keys, lows, strict=True)]
    of_place = (n_rows - 1).bit_length()
    if sum(widths) + of_place > _BITS:
        return np.lexsort(keys[::-1])
    packed = np.zeros(n_rows, np.int64)
    for key, low, width in zip(keys, lows, widths, strict=True):
        packed <<= width
        packed |= key.astype(np.int64) - low
    packed <<= of_place
    packed |= np.arange(n_rows)
    packed.sort()
    packed &= (1 << of_place) - 1
    return packed


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
