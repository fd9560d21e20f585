"""Where tracked tokens may be: a variable for each token and wire that reachability leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled
from mixsafe.network.core import Core
from mixsafe.solver.state.tokens import TokenSets, holds


@dataclass(frozen=True, eq=False)
class Tracking:
    """Variables of some tokens, from one step to another.

    Parameters
    ----------
    core
        The question.
    tracked
        (n_tracked,) int64: tokens that are told apart, ascending. All others are anonymous.
    begin, end
        Steps between which they are followed; before and after these anything may happen.
    ptr
        (n_wires + 1,) int64: wire w has the variables ``ptr[w] + 1`` to ``ptr[w + 1]``.
    number
        (n_variables,) int32: place in ``tracked`` of the token that each variable is about.
    """

    core: Core
    tracked: npt.NDArray[np.int64]
    begin: int
    end: int
    ptr: npt.NDArray[np.int64]
    number: npt.NDArray[np.int32]

    @classmethod
    def of(
        cls,
        core: Core,
        possible: TokenSets,
        tracked: npt.NDArray[np.integer],
        begin: int = 0,
        end: int | None = None,
    ) -> Tracking:
        """Track tokens on all wires on which they are ``possible``.

        Parameters
        ----------
        core
            The question.
        possible
            (n_wires, words) at most what reachability leaves: pins are read off it.
        tracked
            Tokens, each once.
        begin, end
            Steps; None: the horizon.
        """
        network, last = core.network, core.network.horizon if end is None else end
        told = np.sort(tracked).astype(np.int64)
        lasts = (network.start <= last) & (network.end >= begin)
        ptr, number = _places(told, possible, lasts)
        return cls(core, told, begin, last, ptr, number)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.number)

    def variable(self, wire: int, token: int) -> int:
        """Variable that says whether a token is on a wire; 0: it cannot be there."""
        low, high = self.ptr[wire], self.ptr[wire + 1]
        found = np.flatnonzero(self.tracked[self.number[low:high]] == token)
        return int(low + found[0] + 1) if len(found) else 0

    def at_home(self) -> list[int]:
        """Literals of all tokens on their own rows."""
        wire = np.repeat(np.arange(self.core.network.n_wires), np.diff(self.ptr))
        home = self.tracked[self.number] == self.core.network.row[wire]
        variables = np.arange(1, self.n_variables + 1)
        return [int(literal) for literal in np.where(home, variables, -variables).tolist()]

    def told(self, true: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
        """(n_wires,) tracked token on each wire, -1 for an anonymous one, in an answer.

        Parameters
        ----------
        true
            (n,) which variables are true, from number 1 on; there may be others after these.
        """
        there = np.flatnonzero(true[: self.n_variables])
        told = np.full(self.core.network.n_wires, -1, np.int32)
        wire = np.searchsorted(self.ptr, there, side="right") - 1
        told[wire] = self.tracked[self.number[there]]
        return told


@compiled
def _places(  # pragma: no cover - compiled
    tracked: npt.NDArray[np.int64], possible: TokenSets, lasts: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Where the variables of each wire begin, and the token that each of them is about."""
    ptr = np.zeros(len(possible) + 1, np.int64)
    for w in range(len(possible)):
        ptr[w + 1] = ptr[w]
        if lasts[w]:
            for token in tracked:
                if holds(possible[w], token):
                    ptr[w + 1] += 1
    number = np.empty(ptr[-1], np.int32)
    for w in range(len(possible)):
        at = ptr[w]
        if lasts[w]:
            for i in range(len(tracked)):
                if holds(possible[w], tracked[i]):
                    number[at] = i
                    at += 1
    return ptr, number
