"""Compiled functions: the same in plain Python, which small questions run as."""

from __future__ import annotations

import subprocess
import sys
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.machinery import compiled
from mixsafe.machinery.compiled import as_python, inner, tiered
from mixsafe.model.course import SolveLimits
from mixsafe.verify.verification import verify
from tests.support.strategies import problems


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has not compiled anything, with time for plain Python."""
    monkeypatch.setattr(compiled._Python, "left", 60.0)


@inner
def _twice(number: int) -> int:
    return 2 * number


@compiled.compiled
def _fill(found: np.ndarray, number: int) -> None:
    for i in range(len(found)):
        found[i] += _twice(number)


@compiled.compiled
def _fill_all(found: np.ndarray) -> None:
    for i in range(found.shape[0]):
        _fill(found[i], i)


class Counted(NamedTuple):
    """A record of arrays, as compiled functions take them."""

    count: np.ndarray
    bits: np.ndarray


@compiled.compiled
def _count(counted: Counted, far: int) -> None:
    for i in range(len(counted.count)):
        counted.count[i] += 1
        counted.bits[i] <<= np.uint64(far)


@pytest.mark.parametrize("plain", [as_python, nullcontext])
def test_plain_python_writes_to_the_memory_that_machine_code_writes_to(plain):
    counted = Counted(np.arange(3, dtype=np.int32), np.full(3, 3 << 62, np.uint64))
    apart = counted._replace(count=np.arange(6, dtype=np.int64)[::2])
    with plain():
        _count(counted, 1)
        _count(apart, 0)
    assert counted.count.tolist() == [1, 2, 3]
    assert counted.bits.tolist() == [1 << 63] * 3  # words of bits wrap around
    assert apart.count.tolist() == [1, 3, 5]


@given(asked=problems(), k=st.integers(2, 4), seed=st.integers(0, 2**31 - 1))
@settings(max_examples=40)
def test_an_answer_does_not_depend_on_what_is_compiled(asked, k, seed):
    answers = []
    for left in (0.0, 60.0):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(compiled._Python, "left", left)
            answers.append(
                verify(asked, k=k, exhaustive=True, limits=SolveLimits(seed=seed, workers=1))
            )
    machine, plain = answers
    assert machine.domains == plain.domains
    assert machine.wires.equals(plain.wires)


@pytest.mark.usefixtures("fresh")
def test_what_is_little_runs_as_python_until_what_is_afforded_is_spent():
    @tiered
    def add_one(found: np.ndarray) -> None:
        found[0] += 1

    found = np.zeros(1)
    for _ in range(4):
        add_one(found)
    assert 0 < compiled._Python.left < 60
    compiled._Python.left = 1e-9
    add_one(found)
    assert not add_one._machine_code
    assert compiled._Python.left <= 0
    add_one(found)
    assert add_one._machine_code
    assert found.tolist() == [6.0]


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(("how", "size"), [(tiered, compiled.LITTLE + 1), (compiled.compiled, 1)])
def test_what_is_much_at_once_or_always_compiled_is_the_end_of_plain_python(how, size):
    @how
    def add_one(found: np.ndarray) -> None:
        found[0] += 1

    add_one(np.zeros(size))
    assert add_one._machine_code
    assert compiled._Python.left == 0


@pytest.mark.usefixtures("fresh")
def test_a_compiled_function_calls_others_as_machine_code():
    found = np.zeros((3, 1))
    _fill_all(found)
    assert found.tolist() == [[0], [2], [4]]


def test_the_sample_is_decided_without_loading_what_takes_longer_than_to_decide_it():
    """A first run that compiled, or a later one that loaded compiled code, would wait for it."""
    program = (
        f"import sys; sys.path[:0] = {[entry for entry in sys.path if entry]!r}\n"
        "import mixsafe\n"
        "problem = mixsafe.pose(mixsafe.load(mixsafe.sample('town')))\n"
        "assert mixsafe.verify(problem, k=3).summary['undecided'] == 0\n"
        "slow = ('numba', 'ortools', 'scipy', 'pandas', 'pyarrow.parquet')\n"
        "print([name for name in slow if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
