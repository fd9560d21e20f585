"""What one question to a solver brings: a witness, or the proof that there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.journal.steps import Entry

_REFUTED = -1


class Finding(NamedTuple):
    """A witness (tokens on the wires that they moved to), or a wire without further candidates.

    Parameters
    ----------
    wires
        (n,) wires where the witness differs from the identity; or one wire, the refuted one.
    tokens
        (n,) tokens there; None: nothing but what is proven is possible on the wire.
    """

    wires: npt.NDArray[np.int64]
    tokens: npt.NDArray[np.int32] | None

    @classmethod
    def witness(cls, assignment: npt.NDArray[np.int32], row: npt.NDArray[np.int32]) -> Finding:
        """A whole assignment, (n_wires,), where the identity is ``row``."""
        moved = np.flatnonzero(assignment != row)
        return cls(moved, assignment[moved])

    def assignment(self, row: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """(n_wires,) the whole witness, where the identity is ``row``.

        Raises
        ------
        ValueError
            It is a refutation.
        """
        if self.tokens is None:
            raise ValueError("a refutation has no assignment")
        whole = row.copy()
        whole[self.wires] = self.tokens
        return whole

    @classmethod
    def refutation(cls, wire: int) -> Finding:
        """Nothing more is possible on ``wire``."""
        return cls(np.array([wire], np.int64), None)


def packed(findings: Sequence[Finding]) -> Entry:
    """Findings as an entry of a journal: all wires, all tokens, and where each finding begins."""
    wires = [finding.wires for finding in findings]
    told = [
        np.array([_REFUTED], np.int32) if finding.tokens is None else finding.tokens
        for finding in findings
    ]
    return {
        "ptr": np.cumsum([0, *map(len, wires)], dtype=np.int64),
        "wires": np.concatenate([np.zeros(0, np.int64), *wires]),
        "tokens": np.concatenate([np.zeros(0, np.int32), *told]),
    }


def unpacked(entry: Entry) -> list[Finding]:
    """The findings that an entry holds."""
    ptr = entry["ptr"].astype(np.int64)
    wires, told = entry["wires"].astype(np.int64), entry["tokens"].astype(np.int32)
    findings = []
    for begin, end in zip(ptr[:-1].tolist(), ptr[1:].tolist(), strict=True):
        refuted = told[begin] == _REFUTED
        findings.append(Finding(wires[begin:end], None if refuted else told[begin:end]))
    return findings
