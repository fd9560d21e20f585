"""Conversion of PyArrow columns to NumPy arrays and back, and what columns hold.

PyArrow's own ``to_numpy``, ``array`` and ``scalar`` import pandas, which takes longer than reading
a small file, and 60 MB.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def numbers(array: pa.Array | pa.ChunkedArray) -> npt.NDArray[Any]:
    """Convert a column to a NumPy array, as a read-only view where possible."""
    kind = array.type
    if array.null_count or not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return np.asarray(array.to_numpy(zero_copy_only=False))
    if not isinstance(array, pa.ChunkedArray):
        return np.from_dlpack(array)
    if array.num_chunks == 1:  # combine_chunks would copy it
        return np.from_dlpack(array.chunk(0))
    return np.from_dlpack(array.combine_chunks())


def flags(array: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """Convert a column of truth values to a NumPy array."""
    whole = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    return np.asarray(whole.to_numpy(zero_copy_only=False), bool)


def arrow_of(values: npt.NDArray[Any]) -> pa.Array:
    """Convert a NumPy array of numbers or truth values to a column, numbers without a copy."""
    kind = pa.from_numpy_dtype(values.dtype)
    held = np.packbits(values, bitorder="little") if values.dtype == np.bool_ else values
    buffer = pa.py_buffer(np.ascontiguousarray(held))
    return pa.Array.from_buffers(kind, len(values), [None, buffer])


def arrow_texts(texts: Sequence[str]) -> pa.Array:
    """Convert texts to a column."""
    content = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, content)]).astype(np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(content))]
    return pa.Array.from_buffers(pa.string(), len(content), buffers)


def value_type(kind: pa.DataType) -> pa.DataType:
    """Type of the values of a column, also of one with a dictionary."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def is_text(kind: pa.DataType) -> bool:
    """True for a column of texts without a dictionary."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
