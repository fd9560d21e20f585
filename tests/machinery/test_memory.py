"""Amounts of memory: what people write, and what they cannot mean."""

import pytest

from mixsafe.errors import InputError
from mixsafe.machinery.memory import default_memory, parse_memory


@pytest.mark.parametrize(
    ("text", "bytes_of_it"),
    [
        ("2GB", 2 * 10**9),
        ("2 gb", 2 * 10**9),
        ("1.5GiB", 3 * 2**29),
        ("800M", 8 * 10**8),
        ("800MiB", 800 * 2**20),
        ("1000000000", 10**9),
    ],
)
def test_units_are_those_that_people_know(text, bytes_of_it):
    assert parse_memory(text) == bytes_of_it


@pytest.mark.parametrize("text", ["", "much", "-2GB", "2GBB", "2XB", "1e9", "5iB", "nan"])
def test_what_is_no_amount_is_refused(text):
    with pytest.raises(InputError, match="is not an amount of memory; write it as 2GB"):
        parse_memory(text)


@pytest.mark.parametrize("text", ["0", "599MB", "2"])
def test_less_than_any_run_needs_is_refused(text):
    with pytest.raises(InputError, match="too small; give 600MB or more"):
        parse_memory(text)


def test_some_memory_is_there():
    assert default_memory() >= parse_memory("600MB")
