"""Numbers, each once: as NumPy says."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.csr import distinct


@given(st.lists(st.integers(-5, 5), max_size=12))
def test_each_number_once_and_ascending(numbers: list[int]) -> None:
    values = np.array(numbers, np.int64)
    assert distinct(values).tolist() == sorted(set(numbers))
