"""Cells of a column of regions: numbers where all are numbers, else names as they are written."""

from __future__ import annotations

import pyarrow as pa
from pyarrow import compute

from mixsafe.io.files.csv_records import MISSING

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
