"""NumPy arrays and PyArrow columns are the same values, whichever way they are converted."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.io.files.arrays import arrow_of, arrow_texts, numbers


@given(st.lists(st.booleans(), max_size=40), st.integers(1, 3))
def test_arrays_are_columns_of_the_same_values(flags, every):
    values = np.array(flags, bool)[::every]
    assert arrow_of(values).to_pylist() == values.tolist()
    for kind in (np.int32, np.int64, np.float64):
        column = arrow_of(np.arange(len(flags), dtype=kind)[::every])
        assert column.type == pa.from_numpy_dtype(kind)
        assert column.to_pylist() == list(range(0, len(flags), every))


@given(st.lists(st.text(max_size=5), max_size=8))
def test_texts_are_a_column_of_the_same_texts(texts):
    column = arrow_texts(texts)
    column.validate(full=True)
    assert column.to_pylist() == texts


@pytest.mark.parametrize("chunks", [[[1, 2, 3]], [[1], [2, 3]], [[], [1, 2, 3]]])
def test_a_column_in_chunks_is_one_array(chunks):
    column = pa.chunked_array([pa.array(chunk, pa.int64()) for chunk in chunks])
    assert numbers(column).tolist() == [1, 2, 3]
