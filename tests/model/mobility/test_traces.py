"""A stable order is that of NumPy by several keys, packed into one number or not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.mobility.traces import in_order, stable_order

KINDS = (np.int8, np.uint16, np.int32, np.uint32, np.int64)


@st.composite
def keys(draw: st.DrawFn) -> list[np.ndarray]:
    """One to four keys of a few rows: of few values, or of any."""
    rows = draw(st.integers(0, 12))
    made = []
    for _ in range(draw(st.integers(1, 4))):
        kind = np.dtype(draw(st.sampled_from(KINDS)))
        limits = np.iinfo(kind)
        few = draw(st.booleans())
        values = st.integers(0, 2) if few else st.integers(int(limits.min), int(limits.max))
        made.append(np.array(draw(st.lists(values, min_size=rows, max_size=rows)), kind))
    return made


@given(keys())
def test_it_is_the_order_by_several_keys(keys):
    assert stable_order(*keys).tolist() == np.lexsort(keys[::-1]).tolist()
    found = in_order(*keys)
    assert (np.arange(len(keys[0])) if found is None else found).tolist() == np.lexsort(
        keys[::-1]
    ).tolist()


@pytest.mark.parametrize("width", [62, 63])
def test_keys_as_wide_as_a_number_are_in_order(width):
    ends = np.array([(1 << width) - 1, 0, (1 << width) - 1], np.int64)
    assert stable_order(ends, np.array([1, 1, 0])).tolist() == [1, 2, 0]
