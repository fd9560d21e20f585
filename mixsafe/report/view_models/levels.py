"""Levels of protection: a few classes of numbers of candidates that figures show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import SAFE, UNDECIDED, UNSAFE
from mixsafe.report.base.colours import TOO_FEW_PLACES
from mixsafe.report.view_models.decided import Decided


@dataclass(frozen=True, eq=False)
class Levels:
    """Ordered steps of protection, from known to safe.

    Parameters
    ----------
    names
        Of the levels, the least protected first; the last but one is "undecided", the last safe.
    code
        (n_questions,) level of each question.
    """

    names: tuple[str, ...]
    code: npt.NDArray[np.int8]

    @classmethod
    def of(cls, asked: Decided) -> Levels:
        """Levels by the proven number of candidates.

        If all questions have one k: 1, 2 and two more steps up to k. Otherwise: fewer than asked,
        or enough. Undecided questions are a separate level, whatever their lower bound; so are
        unsafe ones with enough candidates, at too few places. Unsafe ones without a proven
        candidate (the time was up) are on the first level.
        """
        k = np.unique(asked.k)
        edges = np.array([1, 2, -(-k[0] // 4), -(-k[0] // 2)]) if len(k) == 1 else np.array([1])
        edges = np.unique(edges[(edges >= 1) & (edges < k[-1])])
        code = np.maximum(np.searchsorted(edges, asked.lower, side="right") - 1, 0)
        together = (asked.verdict == UNSAFE) & (asked.lower >= asked.k)
        apart = int(together.any())  # a level more
        code[together] = len(edges)
        code[asked.verdict == UNDECIDED] = len(edges) + apart
        code[asked.verdict == SAFE] = len(edges) + apart + 1
        if len(k) != 1:
            names = ["fewer than asked"]
            safe = "as many as asked, or more"
        else:
            ends = np.append(edges[1:], k)[: len(edges)] - 1  # none is below k = 1
            names = [_span(*span) for span in zip(edges.tolist(), ends.tolist(), strict=True)]
            lowest = code == 0
            if names and ends[0] == 1 and asked.lower[lowest].min(initial=1) == 0:
                names[0] = "0 or 1"
            elif names and ends[0] == 1 and asked.upper[lowest].max(initial=1) == 1:
                names[0] = "1 (identified)"
            safe = f"{k[0]} or more"
        few = (TOO_FEW_PLACES,) * apart
        return cls((*names, *few, "undecided", safe), code.astype(np.int8))


def _span(first: int, last: int) -> str:
    """A range of numbers of candidates, in words."""
    return f"{first}" if first == last else f"{first} to {last}"
