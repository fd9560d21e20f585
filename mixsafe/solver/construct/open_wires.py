"""Tokens that are proven on the wires that are still open: never more than settle the question."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import inner, tiered
from mixsafe.network.wires import Ints, Small

MOST_EXCHANGES = 6
"""Of two rows each, that bring a candidate to a wire and back home."""


class OpenLists(NamedTuple):
    """Open wires, and beside their own tokens those that are known to be candidates.

    Parameters
    ----------
    wires
        (n_open,) ascending.
    enough
        (n_open,) int32: the number of candidates that settles each, its own token among them.
    tokens
        (n_open, width) int32: the candidates first, then -1.
    size
        (n_open,) int32: how many they are.
    told
        (n_open, width, MOST_EXCHANGES, 3) int32: exchanges of two rows after which a candidate is
        on the wire, in order of time; step, one row, the other; then -1. (0, 0, MOST_EXCHANGES, 3)
        where they are not wanted.
    """

    wires: Ints
    enough: Small
    tokens: npt.NDArray[np.int32]
    size: Small
    told: npt.NDArray[np.int32]

    @classmethod
    def of(cls, wires: Ints, enough: Small, tells: bool = False) -> OpenLists:
        """Nothing but their own tokens is known of ``wires``; ``enough`` candidates settle each.

        With ``tells``, by which exchanges is to be told of all others.
        """
        width = int(enough.max(initial=1)) - 1
        tokens = np.full((len(wires), width), -1, np.int32)
        shape = tokens.shape if tells else (0, 0)
        told = np.full((*shape, MOST_EXCHANGES, 3), -1, np.int32)
        return cls(wires, enough, tokens, np.zeros(len(wires), np.int32), told)

    def among(self, wires: Ints) -> OpenLists:
        """Only some of them, ascending."""
        place = np.searchsorted(self.wires, wires)
        told = self.told[place] if len(self.told) else self.told
        return OpenLists(wires, self.enough[place], self.tokens[place], self.size[place], told)

    def add(self, wires: Ints, tokens: Small) -> None:
        """Note that each of some open wires can hold the token beside it, another than its own."""
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
