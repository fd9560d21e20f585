"""Levels of protection: a few classes of numbers of candidates that figures show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import SAFE, UNDECIDED, UNSAFE
from mixsafe.verify.privacy.decided import KNOWN, Decided

KNOWN_WORDS = "known by assumption"
KNOWN_COLOUR = "series-6"
"""Of what is known by assumption, in every picture."""

_FEW = ("unsafe-1", "unsafe-2", "unsafe-3", "unsafe-4")  # from the fewest candidates on


@dataclass(frozen=True, eq=False)
class Levels:
    """Ordered steps of protection, from known to safe.

    Parameters
    ----------
    names, colours
        Of the levels, the least protected first; the last but one is "undecided", the last safe.
    code
        (n_questions,) level of each question.
    """

    names: tuple[str, ...]
    colours: tuple[str, ...]
    code: npt.NDArray[np.int8]

    @classmethod
    def of(cls, asked: Decided) -> Levels:
        """Levels by the proven number of candidates.

        If all questions have one k: 1, 2 and two more steps up to k. Otherwise: fewer than asked,
        or enough. Undecided questions are a separate level, whatever their lower bound; so are
        unsafe ones with enough candidates, at too few places, and those that are known by
        assumption. Unsafe ones without a proven candidate (the time was up) are on the first level
        of numbers.
        """
        k = np.unique(asked.k)
        edges = np.array([1, 2, -(-k[0] // 4), -(-k[0] // 2)]) if len(k) == 1 else np.array([1])
        edges = np.unique(edges[(edges >= 1) & (edges < k[-1])])
        known = asked.standing == KNOWN
        first = int(known.any())  # a level before the numbers
        code = first + np.maximum(np.searchsorted(edges, asked.lower, side="right") - 1, 0)
        few = (asked.standing == UNSAFE) & (asked.lower >= asked.k)
        apart = int(few.any())  # a level after them
        code[known] = 0
        code[few] = first + len(edges)
        code[asked.verdict == UNDECIDED] = first + len(edges) + apart
        code[asked.verdict == SAFE] = first + len(edges) + apart + 1
        if len(k) != 1:
            names = ["fewer than asked"]
            safe = "as many as asked, or more"
        else:
            ends = np.append(edges[1:], k)[: len(edges)] - 1  # none is below k = 1
            names = [_span(*span) for span in zip(edges.tolist(), ends.tolist(), strict=True)]
            lowest = code == first
            if names and ends[0] == 1 and asked.lower[lowest].min(initial=1) == 0:
                names[0] = "0 or 1"
            elif names and ends[0] == 1 and asked.upper[lowest].max(initial=1) == 1:
                names[0] = "1 (identified)"
            safe = f"{k[0]} or more"
        return cls(
            ((KNOWN_WORDS,) * first) + (*names, *("at too few places",) * apart, "undecided", safe),
            ((KNOWN_COLOUR,) * first)
            + (*_FEW[: len(names)], *("series-3",) * apart, "undecided", "safe"),
            code.astype(np.int8),
        )


def _span(first: int, last: int) -> str:
    """A range of numbers of candidates, in words."""
    return f"{first}" if first == last else f"{first} to {last}"
