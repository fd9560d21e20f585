"""What proves that somebody has fewer candidates: closures, and refutations by clauses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Closure(NamedTuple):
    """After step ``time`` these tokens can be on these rows only, which are as many.

    Parameters
    ----------
    time
        The step.
    rows, tokens
        (n,) each.
    """

    time: int
    rows: npt.NDArray[np.int64]
    tokens: npt.NDArray[np.int64]


class ClauseProof(NamedTuple):
    """No history has another token than some on a row after a step: clauses contradict it.

    Parameters
    ----------
    row, time
        What it is about.
    off
        (n,) int64: the tokens that are taken to be elsewhere, which cannot be.
    tracked
        (n,) int64: tokens that are told apart, ascending, those of ``off`` among them.
    begin, end
        Steps between which they are followed.
    needed
        (3 n,) int32: names of the clauses that contradict each other, three numbers each
        (:mod:`mixsafe.check.claim_clauses`).
    lemmas
        (n,) int32: clauses that follow, one after the other, the last one empty. Each is its
        literals, 0, the places of the clauses from which it follows by unit propagation, 0;
        places count the clauses from 1 on, and then the lemmas.
    """

    row: int
    time: int
    off: npt.NDArray[np.int64]
    tracked: npt.NDArray[np.int64]
    begin: int
    end: int
    needed: npt.NDArray[np.int32]
    lemmas: npt.NDArray[np.int32]
