"""Conversion of PyArrow numbers to NumPy arrays."""

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
