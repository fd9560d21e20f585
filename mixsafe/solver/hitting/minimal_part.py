"""A minimal part of a set for which a test still holds, by taking out halves."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def minimal_part(items: Sequence[int], holds: Callable[[list[int]], bool]) -> list[int]:
    """A part of some items for which a test holds, as it does for all, but for no part of it.

    The first half is taken out, then the second one; where the test does not hold without a half,
    its halves are tried.

    Parameters
    ----------
    items
        Different ones.
    holds
        Whether the test holds for a part, in the same order. If it does, it does for larger parts.
    """
    left, stack = list(items), [list(items)]
    while stack:
        removed = stack.pop()
        without = set(removed)
        tried = [one for one in left if one not in without]
        if holds(tried):
            left = tried
        elif len(removed) > 1:
            half = len(removed) // 2
            stack += [removed[half:], removed[:half]]
    return left
