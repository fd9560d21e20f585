"""Lists of proven tokens on open wires, never longer than what settles the question."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner, tiered
from mixsafe.network.wires import Ints, Small

MOST_EXCHANGES = 6
"""Exchanges of two rows that bring a candidate to a wire and back home, at most."""


class OpenLists(NamedTuple):
    """Open wires, and their proven candidates other than their own tokens.

    Parameters
    ----------
    wires
        (n_open,) ascending.
    enough
        (n_open,) int32: the number of candidates that settles each, including its own token.
    tokens
        (n_open, width) int32: the candidates first, then -1.
    size
        (n_open,) int32: number of candidates on each list.
    exchanges
        (n_open, width, MOST_EXCHANGES, 3) int32: exchanges of two rows after which a candidate is
        on the wire, in order of time; step, one row, the other; then -1. (0, 0, MOST_EXCHANGES, 3)
        if they are not recorded.
    """

    wires: Ints
    enough: Small
    tokens: npt.NDArray[np.int32]
    size: Small
    exchanges: npt.NDArray[np.int32]

    @classmethod
    def of(cls, wires: Ints, enough: Small, records: bool = False) -> OpenLists:
        """Empty lists for ``wires``, each settled by ``enough`` candidates.

        With ``records``, the exchanges of each candidate are recorded, too.
        """
        width = int(enough.max(initial=1)) - 1
        tokens = np.full((len(wires), width), -1, np.int32)
        shape = tokens.shape if records else (0, 0)
        exchanges = np.full((*shape, MOST_EXCHANGES, 3), -1, np.int32)
        return cls(wires, enough, tokens, np.zeros(len(wires), np.int32), exchanges)

    def among(self, wires: Ints) -> OpenLists:
        """The lists of some of the wires, ascending."""
        place = np.searchsorted(self.wires, wires)
        exchanges = self.exchanges[place] if len(self.exchanges) else self.exchanges
        return OpenLists(wires, self.enough[place], self.tokens[place], self.size[place], exchanges)

    def add(self, wires: Ints, tokens: Small) -> None:
        """Add a token to the list of each of some open wires, none of them its own."""
        _learn_all(np.searchsorted(self.wires, wires), tokens, self)


@tiered
def _learn_all(place: Ints, tokens: Small, known: OpenLists) -> None:  # pragma: no cover - compiled
    for i in range(len(place)):
        learn(place[i], tokens[i], known)


@inner
def learn(number: int, token: int, known: OpenLists) -> int:  # pragma: no cover - compiled
    """Add another row's token to a list; its place, or -1: it is there, or the list is full."""
    n = known.size[number]
    if n < known.tokens.shape[1] and not is_known(token, number, known):
        known.tokens[number, n] = token
        known.size[number] = n + 1
        return int(n)
    return -1


@inner
def is_known(token: int, number: int, known: OpenLists) -> bool:  # pragma: no cover - compiled
    """Whether a token is on a list."""
    found = False
    for i in range(known.size[number]):
        found |= known.tokens[number, i] == token
    return found
