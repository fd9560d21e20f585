"""Conversion of PyArrow columns to NumPy arrays, and what columns hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def numbers(array: pa.Array | pa.ChunkedArray) -> npt.NDArray[Any]:
    """Convert a column to a NumPy array, as a read-only view where possible.

    PyArrow's ``to_numpy`` imports pandas, which takes longer than reading a small file.
    """
    kind = array.type
    if array.null_count or not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return np.asarray(array.to_numpy(zero_copy_only=False))
    whole = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    return np.from_dlpack(whole)


def flags(array: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """Convert a column of truth values to a NumPy array."""
    whole = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    return np.asarray(whole.to_numpy(zero_copy_only=False), bool)


def value_type(kind: pa.DataType) -> pa.DataType:
    """Type of the values of a column, also of one with a dictionary."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def is_text(kind: pa.DataType) -> bool:
    """True for a column of texts without a dictionary."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
