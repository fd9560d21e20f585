"""One way to compile functions, and to run them side by side.

A compiled function holds no lock of the interpreter while it runs, so plain threads share its
work: blocks of it that write to places of their own. (Numba's own parallel loops do no more here,
and cost ten times as much to compile.)

To compile takes seconds, and even to load Numba takes longer than a small question does in plain
Python. So there are two tiers, as in other just-in-time compilers: small calls run as the Python
that they are written in until this has taken a second, or Numba is loaded for something else;
from then on all is machine code. What a function finds does not depend on that.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import numpy as np

from mixsafe.model.course import SolveLimits

Part = TypeVar("Part")

AFFORDED = 1.0
"""Processor seconds that a process spends in plain Python before it compiles functions."""

LITTLE = 500_000
"""Numbers in the arrays of a call that may run as plain Python, at most."""

_AS_PYTHON: ContextVar[bool] = ContextVar("as_python", default=False)
_LOADED = time.time()
_LOADING = threading.RLock()
_WAITING: list[Callable[..., Any]] = []
"""Inner functions not yet registered with Numba."""


class _Python:
    """Processor seconds that are left for plain Python; none once there is machine code."""

    left = AFFORDED


class Compiled:
    """A function that is compiled when it is first called, or called often.

    Parameters
    ----------
    function
        What is compiled, in the part of Python that Numba knows.
    tiered
        Whether it begins as Python.
    """

    def __init__(self, function: Callable[..., Any], *, tiered: bool) -> None:
        functools.update_wrapper(self, function)
        self._function, self._tiered = function, tiered
        self._machine_code: dict[object, Callable[..., Any]] = {}

    def __call__(self, *given: Any) -> Any:  # noqa: ANN401 - as the function has it
        """Run it."""
        if _AS_PYTHON.get():
            return self._function(*map(_by_number, given))
        if self._tiered and _Python.left > 0 and _size(given) <= LITTLE:
            began = time.thread_time()
            with as_python():
                found = self._function(*map(_by_number, given))
            _Python.left -= time.thread_time() - began
            return found
        types = tuple(map(_type, given))
        if types not in self._machine_code:
            with _LOADING:
                _tell_numba()
                from mixsafe.machinery.numba_cache import KeptCode

                self._machine_code.setdefault(types, KeptCode(self._function, types, _LOADED))
        return self._machine_code[types](*given)

    @functools.cached_property
    def _as_part(self) -> Any:  # noqa: ANN401 - what Numba makes of it
        """The function where another compiled one calls it: it becomes part of that."""
        from numba import njit

        from mixsafe.machinery.numba_cache import LEAN

        return njit(nogil=True, **LEAN)(self._function)

    @property
    def _numba_type_(self) -> Any:  # noqa: ANN401 - what Numba asks of things that it meets
        """Type of the function there."""
        from numba import typeof

        return typeof(self._as_part)


def _type(given: Any) -> object:  # noqa: ANN401 - whatever a compiled function takes
    """A key that determines the Numba type of an argument.

    Raises
    ------
    TypeError
        It is none of what compiled functions are given here.
    """
    if isinstance(given, np.ndarray):
        flags = given.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return given.dtype, given.ndim, layout, flags.aligned, flags.writeable
    if isinstance(given, tuple):
        return type(given), *map(_type, given)
    if given is None:
        return None
    if type(given) is int:
        return np.dtype(np.int64 if given.bit_length() < 64 else np.uint64)
    if isinstance(given, bool | float | np.generic):
        return np.dtype(type(given))
    raise TypeError(f"no argument of a compiled function: {type(given).__name__}")


def _size(given: Any) -> int:  # noqa: ANN401 - whatever a compiled function takes
    """Numbers in the arrays of an argument."""
    if isinstance(given, np.ndarray):
        return given.size
    return sum(map(_size, given)) if isinstance(given, tuple) else 0


def _by_number(given: Any) -> Any:  # noqa: ANN401 - whatever a compiled function takes
    """What plain Python takes single numbers from in half the time: the same memory.

    Arrays of signed whole numbers, alone and in records, become views whose numbers are Python's.
    Bits stay as they are: their words wrap around.
    """
    if isinstance(given, np.ndarray):
        return given.data if given.ndim == 1 and given.dtype.kind == "i" else given
    if isinstance(given, tuple):
        return given._make(map(_by_number, given)) if hasattr(given, "_make") else given
    return given


def compiled(function: Callable[..., Any]) -> Any:  # noqa: ANN401 - called as the function is
    """Compile a function that Python calls, when it is first called."""
    return Compiled(function, tiered=False)


def tiered(function: Callable[..., Any]) -> Any:  # noqa: ANN401 - called as the function is
    """Compile a function that Python calls; small amounts of work run as plain Python.

    Both forms must return the same, and visit each number of the arrays a few times; callers with
    much more work call :func:`compile_always` first.
    """
    return Compiled(function, tiered=True)


def inner(function: Callable[..., Any]) -> Any:  # noqa: ANN401 - called as the function is
    """Compile a function that only compiled ones call, as part of them.

    No bridge from Python is built for it, which would cost more than the function itself, and
    arrays are not counted: it must not make any. Called from Python it is plain Python, and slow.
    """
    _WAITING.append(function)
    return function


def _tell_numba() -> None:
    """Tell Numba of inner functions, those of files that were loaded since included."""
    from numba.extending import register_jitable

    from mixsafe.machinery.numba_cache import LEAN

    compile_always()
    while _WAITING:
        register_jitable(_nrt=False, **LEAN)(_WAITING.pop())


def compile_always() -> None:
    """Compile every function from now on: this process has much to do."""
    _Python.left = 0


@contextmanager
def as_python() -> Iterator[None]:
    """Run compiled functions as the Python that they are written in."""
    before = _AS_PYTHON.set(True)
    try:
        with np.errstate(over="ignore"):  # as in machine code, where integers wrap around
            yield
    finally:
        _AS_PYTHON.reset(before)


def side_by_side(work: Callable[[Part], object], parts: Iterable[Part], workers: int = 0) -> None:
    """Do ``work`` on each of ``parts``, on several threads; the first error ends it.

    Parameters
    ----------
    work
        Calls a compiled function. What it does to a part must not depend on the others.
    parts
        Blocks of the work, any number.
    workers
        Threads, >= 1; 0 means one per core.
    """
    waiting = list(parts)
    workers = min(SolveLimits(workers=workers).workers, len(waiting))
    if workers <= 1:
        for part in waiting:
            work(part)
    else:
        _on_threads(work, waiting, workers)


def _on_threads(work: Callable[[Part], object], parts: list[Part], workers: int) -> None:
    """Do ``work`` on several threads at once."""
    pool = ThreadPoolExecutor(workers)
    try:
        done, _ = wait([pool.submit(work, part) for part in parts], None, FIRST_EXCEPTION)
        for one in done:
            one.result()
    finally:  # an error, or Ctrl-C: what has not begun is not begun
        pool.shutdown(cancel_futures=True)
