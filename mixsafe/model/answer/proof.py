"""Proofs that tokens cannot be on rows, as columns: Hall sets and clause proofs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mixsafe.model.answer.ragged import Ints, Ragged, Whole, check_lengths, column, lists


class HallSet(NamedTuple):
    """After step ``time`` these n tokens can only be on these n rows.

    Parameters
    ----------
    time
        The step.
    rows, tokens
        (n,) each.
    """

    time: int
    rows: Ints
    tokens: Ints


class ClauseProof(NamedTuple):
    """A refutation by clauses: only some tokens can be on a row after a step.

    Parameters
    ----------
    row, step
        The row and the step.
    off
        (n,) int64: the possible tokens; the assumption that all of them are elsewhere is refuted.
    tracked
        (n,) int64: tokens distinguished in the encoding, ascending, including those of ``off``.
    begin, end
        First and last step of the encoding.
    needed
        (3 n,) int32: ids of the contradictory clauses, three numbers each
        (:mod:`mixsafe.check.claim_clauses`).
    lemmas
        (n,) int32: derived clauses in order, the last one empty. Each consists of its literals, 0,
        the positions of the clauses from which it follows by unit propagation, 0; positions count
        the clauses from 1 and then the lemmas.
    """

    row: int
    step: int
    off: Ints
    tracked: Ints
    begin: int
    end: int
    needed: Whole
    lemmas: Whole


@dataclass(frozen=True, eq=False)
class HallSets:
    """After step ``time[i]`` the tokens ``tokens[i]`` are on the rows ``rows[i]`` only.

    There are as many tokens as rows, so no other token is on those rows. Each Hall set follows from
    reachability and the Hall sets before it.

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
        check_lengths("Hall sets", self.time, self.rows, self.tokens)

    @classmethod
    def none(cls) -> HallSets:
        """No Hall sets."""
        return cls.of([])

    @classmethod
    def of(cls, hall_sets: Sequence[HallSet]) -> HallSets:
        """Convert Hall sets to columns."""
        return cls(column(hall_sets, "time"), lists(hall_sets, "rows"), lists(hall_sets, "tokens"))

    def __len__(self) -> int:
        return len(self.time)

    def __iter__(self) -> Iterator[HallSet]:
        for i, time in enumerate(self.time.tolist()):
            yield HallSet(time, *(one[i].astype(np.int64) for one in (self.rows, self.tokens)))


@dataclass(frozen=True, eq=False)
class ClauseProofs:
    """Refutations in columns: see :class:`ClauseProof`.

    Parameters
    ----------
    row, step, begin, end
        (n,) int32 each.
    tracked, off, needed, lemmas
        n lists each.
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
        check_lengths("clause proofs", *vars(self).values())

    @classmethod
    def none(cls) -> ClauseProofs:
        """No proofs."""
        return cls.of([])

    @classmethod
    def of(cls, proofs: Sequence[ClauseProof]) -> ClauseProofs:
        """Convert proofs to columns."""
        row, step, begin, end = (column(proofs, name) for name in ("row", "step", "begin", "end"))
        tracked, off, needed, lemmas = (
            lists(proofs, name) for name in ("tracked", "off", "needed", "lemmas")
        )
        return cls(row, step, begin, end, tracked, off, needed, lemmas)

    def __len__(self) -> int:
        return len(self.row)

    def __getitem__(self, i: int) -> ClauseProof:
        """Proof i."""
        row, step, begin, end = (int(one[i]) for one in (self.row, self.step, self.begin, self.end))
        off, tracked = (one[i].astype(np.int64) for one in (self.off, self.tracked))
        return ClauseProof(row, step, off, tracked, begin, end, self.needed[i], self.lemmas[i])

    def __iter__(self) -> Iterator[ClauseProof]:
        return (self[i] for i in range(len(self)))
