"""Pieces that threads make while those before them are in use, handed on in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

Part = TypeVar("Part")
Piece = TypeVar("Piece")


def ahead(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The same pieces; a thread makes the next one while one is in use.

    So one more of them is in memory than without.
    """
    source = iter(pieces)
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(_next, source)
        while found := coming.result():
            coming = pool.submit(_next, source)
            yield from found


def _next(source: Iterator[Piece]) -> list[Piece]:
    """The next piece; at the end none."""
    return list(islice(source, 1))


def in_turn(work: Callable[[Part], Piece], parts: Iterable[Part], workers: int) -> Iterator[Piece]:
    """Apply ``work`` to parts on threads; yield results in the order of the parts.

    Parameters
    ----------
    work
        Does a part, without others.
    parts
        Taken up one by one: as many as there are threads are under way, or have been done and wait.
    workers
        Threads, >= 1.
    """
    pool: ThreadPoolExecutor = ThreadPoolExecutor(workers)
    waiting: deque[Future[Piece]] = deque()
    try:
        for part in parts:
            waiting.append(pool.submit(work, part))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:  # an error, or Ctrl-C: what has not begun is not begun
        pool.shutdown(cancel_futures=True)
