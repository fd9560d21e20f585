"""Names in columns as they are spelled: of users, and of regions, which may be numbers.

Of users' names, :mod:`mixsafe.model.mobility.names` for whole dictionaries: Python looks only at
the few names that need it; the others are left to Arrow.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from pyarrow import compute

from mixsafe.io.files.csv_records import MISSING
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


_CANONICAL = r"^(0|-?[1-9][0-9]{0,17})$"
"""Numbers that are written in one way only. 0150 is a name: 150 would be one place with it."""

_NUMBER = r"^[+-]?(0|[1-9][0-9]{0,17})(\.0*)?$"
"""Numbers as software also writes them: 150.0 in a column in which some are missing."""


def regions_of(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert texts to numbers if each is one, in the one way to write it; else to names.

    Parameters
    ----------
    column
        Strings, or a dictionary of strings.

    Returns
    -------
    int64, or a dictionary of strings without blanks around them; null where there is no position.
    """
    whole = column.unify_dictionaries().combine_chunks()
    coded = whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()
    texts = compute.utf8_trim_whitespace(coded.dictionary.cast(pa.string()))
    if not _are_numbers(texts):
        # PyArrow imports pandas for a list, and for None.
        missing = compute.is_in(texts, value_set=pa.array(MISSING, pa.string()))
        texts = compute.if_else(missing, None, texts)
    if _are_numbers(texts):
        return pa.chunked_array([texts.cast(pa.int64()).take(coded.indices)])
    again = texts.dictionary_encode()  # blanks around a name make no other name
    indices = again.indices.take(coded.indices)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, again.dictionary)])


def _are_numbers(texts: pa.Array) -> bool:
    """Whether all texts that are not null are numbers, in the one way to write each."""
    return bool(compute.all(compute.match_substring_regex(texts, _CANONICAL), min_count=0).as_py())


def region_numbers(names: pa.Array) -> pa.Array:
    """Names as numbers, int64; null where a name is none."""
    good = compute.match_substring_regex(names, _NUMBER)
    plain = compute.replace_substring_regex(names, r"^\+|\.0*$", "")
    return compute.if_else(good, plain, None).cast(pa.int64())
