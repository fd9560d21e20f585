"""Findings of a solver: a witness, or a proof that there is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.course import Entry
from mixsafe.solver.state.witness import Assignment

_REFUTED = -1


class Finding(NamedTuple):
    """A witness (tokens on the wires that they moved to), or a wire without further candidates.

    Parameters
    ----------
    wires
        (n,) wires where the witness differs from the identity; or one wire, the refuted one.
    tokens
        (n,) tokens there; None: the wire has no candidates beyond the proven ones.
    varies
        Whether ``wires`` and ``tokens`` are differences from the previous witness in the list.
    """

    wires: npt.NDArray[np.int64]
    tokens: npt.NDArray[np.int32] | None
    varies: bool = False

    @classmethod
    def witness(
        cls, assignment: Assignment, row: Assignment, before: Assignment | None = None
    ) -> Finding:
        """A whole assignment; ``row``: the identity; ``before``: the witness that it varies."""
        moved = np.flatnonzero(assignment != (row if before is None else before))
        return cls(moved, assignment[moved], before is not None)

    def assignment(self, row: Assignment, before: Assignment | None = None) -> Assignment:
        """(n_wires,) the whole witness, where the identity is ``row``.

        Parameters
        ----------
        row
            (n_wires,) int32.
        before
            The previous witness in the list, if this one varies it.

        Raises
        ------
        ValueError
            It is a refutation, or ``before`` is missing.
        """
        if self.tokens is None:
            raise ValueError("a refutation has no assignment")
        varied = before if self.varies else row
        if varied is None:
            raise ValueError("the witness that it varies is missing")
        whole = varied.copy()
        whole[self.wires] = self.tokens
        return whole

    @classmethod
    def refutation(cls, wire: int) -> Finding:
        """A refutation: ``wire`` has no further candidates."""
        return cls(np.array([wire], np.int64), None)


def assignments(witnesses: Iterable[Finding], row: Assignment) -> Iterator[Assignment]:
    """(n_wires,) each: whole witnesses, one after the other, where the identity is ``row``."""
    before = None
    for witness in witnesses:
        before = witness.assignment(row, before)
        yield before


def packed(findings: Sequence[Finding]) -> Entry:
    """Findings as an entry of a journal: all wires, all tokens, and where each finding begins."""
    wires = [finding.wires for finding in findings]
    tokens_of = [
        np.array([_REFUTED], np.int32) if finding.tokens is None else finding.tokens
        for finding in findings
    ]
    return {
        "ptr": np.cumsum([0, *map(len, wires)], dtype=np.int64),
        "wires": np.concatenate([np.zeros(0, np.int64), *wires]),
        "tokens": np.concatenate([np.zeros(0, np.int32), *tokens_of]),
        "varies": np.array([finding.varies for finding in findings], np.bool_),
    }


def unpacked(entry: Entry) -> list[Finding]:
    """The findings that an entry holds."""
    ptr = entry["ptr"].astype(np.int64)
    wires, tokens_of = entry["wires"].astype(np.int64), entry["tokens"].astype(np.int32)
    findings = []
    varies = entry["varies"].astype(bool).tolist()
    for begin, end, varied in zip(ptr[:-1].tolist(), ptr[1:].tolist(), varies, strict=True):
        refuted = begin < end and tokens_of[begin] == _REFUTED
        findings.append(
            Finding(wires[begin:end], None if refuted else tokens_of[begin:end], varied)
        )
    return findings
