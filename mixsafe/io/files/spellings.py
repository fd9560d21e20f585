"""Names of users in columns: :mod:`mixsafe.model.mobility.names` for whole dictionaries.

Python looks only at the few names that need it; the others are left to Arrow.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from pyarrow import compute

from mixsafe.model.mobility.names import alike, plain

_NOT_PLAIN = r"^\s|\s$|[^ -~]|^-?[0-9]+\.0*$"
_ODD = (
    r"[^ -~]|\s\s|^\s|\s$|^[+-]?[0-9]+\.[0-9]*$|^[+-]?[0-9]+(\.[0-9]*)?[eE][+-][0-9]+$|^\+[0-9]+$"
)
_ZEROS = r"^((?:.*[^0-9.])?)0+([0-9]+)$"

_EXACT = 2**53
"""From here on, a floating-point number may stand for several whole numbers."""


def plain_texts(texts: pa.Array) -> pa.Array:
    """The names that spellings stand for; the same array if all are plain."""
    return _where(texts, _NOT_PLAIN, plain)


def alike_keys(names: pa.Array) -> pa.Array:
    """Keys that names share if they are alike."""
    lower = compute.ascii_lower(names)
    keys = compute.replace_substring_regex(lower, _ZEROS, r"\1\2")
    odd = compute.match_substring_regex(names, _ODD)
    return _replaced(keys, names, odd, alike)


def whole_texts(values: pa.Array) -> pa.Array | None:
    """Floating-point numbers as texts such as ``1.0``; None if they are no exact whole numbers."""
    numbers = np.asarray(values.to_numpy(zero_copy_only=False), np.float64)
    known = ~np.isnan(numbers)
    whole = numbers[known]
    if not np.all((np.abs(whole) < _EXACT) & (whole == np.floor(whole))):
        return None
    texts = np.full(len(numbers), None, object)
    texts[known] = [f"{number}.0" for number in whole.astype(np.int64).tolist()]
    return pa.array(texts.tolist(), pa.string())


def _where(texts: pa.Array, pattern: str, change: Callable[[str], str]) -> pa.Array:
    """The texts, those changed that match a pattern."""
    found = compute.match_substring_regex(texts, pattern)
    return _replaced(texts, texts, found, change)


def _replaced(
    texts: pa.Array, names: pa.Array, chosen: pa.Array, change: Callable[[str], str]
) -> pa.Array:
    """The texts, those ``chosen`` replaced by what becomes of their names."""
    if not compute.any(chosen).as_py():
        return texts
    changed = [change(name) for name in names.filter(chosen).to_pylist()]
    return compute.replace_with_mask(texts, chosen.fill_null(False), pa.array(changed, texts.type))
