"""One way to compile functions, and to run them side by side.

A compiled function holds no lock of the interpreter while it runs, so plain threads share its
work: blocks of it that write to places of their own. (Numba's own parallel loops do no more here,
and cost ten times as much to compile.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from numba import njit
from numba.extending import register_jitable

from mixsafe.model.limits import SolveLimits

Part = TypeVar("Part")

_LEAN: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True}
"""What is not needed is not compiled: checks of divisors, and a bridge from C."""


def compiled(function: Callable[..., Any]) -> Any:  # noqa: ANN401 - what Numba makes of it
    """Compile a function that Python calls, when it is first called."""
    return njit(cache=True, nogil=True, **_LEAN)(function)


def inner(function: Callable[..., Any]) -> Any:  # noqa: ANN401 - what Numba makes of it
    """Compile a function that only compiled ones call, as part of them.

    No bridge from Python is built for it, which would cost more than the function itself, and
    arrays are not counted: it must not make any. Called from Python it is plain Python, and slow.
    """
    return register_jitable(_nrt=False, **_LEAN)(function)


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
        return
    pool = ThreadPoolExecutor(workers)
    try:
        done, _ = wait([pool.submit(work, part) for part in waiting], None, FIRST_EXCEPTION)
        for one in done:
            one.result()
    finally:  # an error, or Ctrl-C: what has not begun is not begun
        pool.shutdown(cancel_futures=True)
