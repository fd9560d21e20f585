"""Proofs that tokens cannot be on rows, as columns: closed sets, and contradictions of clauses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mixsafe.errors import InputError
from mixsafe.model.answer.ragged import Ragged, Whole


@dataclass(frozen=True, eq=False)
class Closures:
    """After step ``time[i]`` the tokens ``tokens[i]`` are on the rows ``rows[i]`` only.

    There are as many tokens as rows, so that no other token is on those rows. Closures are in the
    order in which they follow from reachability and from those before them.

    Parameters
    ----------
    time
        (n,) int32.
    rows, tokens
        n lists each, ascending.
    """

    time: Whole
    rows: Ragged
    tokens: Ragged

    def __post_init__(self) -> None:
        if not len(self.time) == len(self.rows) == len(self.tokens):
            raise InputError("closures need a time, rows and tokens each")

    @classmethod
    def none(cls) -> Closures:
        """No closures."""
        return cls(np.zeros(0, np.int32), Ragged.empty(0), Ragged.empty(0))

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True, eq=False)
class ClauseProofs:
    """Contradictions of clauses about some tokens: a token of ``off`` is on ``row`` at ``step``.

    Proof i says: with the clauses of the problem about the ``tracked`` tokens, from step ``begin``
    to step ``end``, it is impossible that none of the tokens ``off`` is on the row.

    Parameters
    ----------
    row, step, begin, end
        (n,) int32 each.
    tracked, off
        Tokens that are told apart, and those of them that are assumed to be off the row; n lists.
    needed
        Numbers of the clauses that are needed, ascending; n lists.
    lemmas
        Clauses that follow by unit propagation, literals as in DIMACS, each ended by 0; n lists.
    """

    row: Whole
    step: Whole
    begin: Whole
    end: Whole
    tracked: Ragged
    off: Ragged
    needed: Ragged
    lemmas: Ragged

    def __post_init__(self) -> None:
        if len({len(column) for column in vars(self).values()}) != 1:
            raise InputError("proofs by clauses need the same columns each")

    @classmethod
    def none(cls) -> ClauseProofs:
        """No proofs."""
        number, lists = np.zeros(0, np.int32), Ragged.empty(0)
        return cls(number, number, number, number, lists, lists, lists, lists)

    def __len__(self) -> int:
        return len(self.row)
