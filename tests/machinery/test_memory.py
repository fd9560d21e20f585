"""Amounts of memory: what people write, and what they cannot mean."""

import os
import platform
import subprocess
import sys

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


_ARRAYS = """
import resource
import numpy as np
from mixsafe.machinery.memory import keep_freed
keep_freed()
np.ones(8_000_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
np.ones(8_000_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a setting of the GNU C library")
def test_a_large_array_takes_the_memory_of_one_that_is_gone():
    """Else the system clears its 15,625 pages again."""
    plain = {**os.environ, "NUMPY_MADVISE_HUGEPAGE": "0"}  # which count as one page each
    found = subprocess.run(
        [sys.executable, "-c", _ARRAYS], env=plain, capture_output=True, text=True, check=True
    )
    assert int(found.stdout) < 1000
