"""Lists of different lengths in one array: the same as lists of Python's.

Numbers, each once: as NumPy says.
"""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.csr import batches, begins_of, distinct, grouped, of_groups, pointers, ranges

SIZES = st.lists(st.integers(0, 4), max_size=6)


@given(SIZES)
def test_each_list_begins_where_those_before_it_end(sizes):
    made = pointers(np.array(sizes, np.int32))
    assert made.tolist() == [sum(sizes[:number]) for number in range(len(sizes) + 1)]


def test_places_are_counted_in_64_bits_whatever_sizes_are():
    assert pointers(np.full(4, 1 << 30, np.int32))[-1] == 1 << 32
    assert pointers(np.ones(300, np.bool_))[-1] == 300


@given(st.lists(st.integers(0, 5)), st.sampled_from([np.int64, np.int32, np.uint16]))
def test_groups_of_sorted_items_begin_where_all_lower_ones_end(items, kind):
    begins = begins_of(np.sort(np.array(items, kind)), 6)
    assert begins.dtype == np.int64
    assert begins.tolist() == [sum(one < group for one in items) for group in range(7)]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=6))
def test_ranges_are_those_of_python_one_after_the_other(drawn):
    begin, size = np.array(drawn, np.int64).reshape(-1, 2).T
    expected = [number for first, some in drawn for number in range(first, first + some)]
    assert ranges(begin, size).tolist() == expected


@given(st.lists(st.integers(0, 4), max_size=9), st.lists(st.integers(0, 4), max_size=4))
def test_things_are_found_by_their_groups_in_their_own_order(group, chosen):
    found = grouped(np.array(group, np.int32), 5)
    listed = [[thing for thing, of in enumerate(group) if of == one] for one in range(5)]
    order, ptr = found
    assert [order[ptr[one] : ptr[one + 1]].tolist() for one in range(5)] == listed
    some = of_groups(found, np.array(chosen, np.int64))
    assert some.tolist() == [thing for one in chosen for thing in listed[one]]


@given(st.lists(st.integers(-5, 5), max_size=12))
def test_each_number_once_and_ascending(numbers: list[int]) -> None:
    values = np.array(numbers, np.int64)
    assert distinct(values).tolist() == sorted(set(numbers))


@given(st.lists(st.integers(0, 9), max_size=20), st.integers(1, 12))
def test_batches_are_as_long_as_their_items_allow(sizes, most):
    until = np.cumsum(sizes, dtype=np.int64)
    runs = list(batches(until, most))
    assert [group for begin, end in runs for group in range(begin, end)] == list(range(len(sizes)))
    for begin, end in runs:
        assert end == begin + 1 or sum(sizes[begin:end]) <= most
        assert end == len(sizes) or sum(sizes[begin : end + 1]) > most
