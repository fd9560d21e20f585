"""Ledger of witnesses, recorded when they are found.

Swaps of two users and exchanges by free users are not recorded: their witnesses are constructed
without a search (``swap_cover``, ``free_user_witnesses``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.course import Entry
from mixsafe.network.core import Core
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import (
    Assignment,
    Differences,
    WitnessExchanges,
    joined,
    needed_parts,
)

Ints = npt.NDArray[np.int64]

_RECORDED = ("told_ptr", "told_wire", "told_token")
_EXCHANGES = ("made_wire", "made_token", "made_ptr", "made_step", "made_one", "made_other")


class ShownTokens(NamedTuple):
    """Pairs of a wire and a token, each with a witness.

    Parameters
    ----------
    wire, token
        (n,) int64, and int32: the pair that each witness shows.
    exchanges
        The witnesses.
    """

    wire: Ints
    token: npt.NDArray[np.int32]
    exchanges: WitnessExchanges

    @classmethod
    def none(cls) -> ShownTokens:
        """No pairs."""
        none, small = np.zeros(0, np.int64), np.zeros(0, np.int32)
        return cls(none, small, WitnessExchanges(np.zeros(1, np.int64), small, small, small))


class Ledger:
    """Witnesses in the order in which they were found.

    Parameters
    ----------
    core
        The question.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._recorded: list[Differences] = []
        self.through_others = ShownTokens.none()

    def add(self, recorded: Differences) -> None:
        """Record witnesses."""
        self._recorded.append(recorded)

    def add_parts(self, assignment: Assignment, wires: Ints) -> None:
        """Record the parts of a witness that move some wires."""
        self.add(needed_parts(self._core, assignment, wires))

    @property
    def recorded(self) -> Differences:
        """All recorded witnesses, except exchanges through others."""
        self._recorded = [joined(self._recorded)]
        return self._recorded[0]


def entry_of(recorded: Differences) -> Entry:
    """Witnesses as columns of a journal entry."""
    return dict(zip(_RECORDED, recorded, strict=True))


def recorded_in(entry: Entry) -> Differences:
    """The witnesses in a journal entry; none if the run had no ledger."""
    if not set(_RECORDED) <= entry.keys():
        return joined([])
    ptr, wire, token = (entry[name] for name in _RECORDED)
    return Differences(
        ptr.astype(np.int64, copy=False),
        wire.astype(np.int64, copy=False),
        token.astype(np.int32, copy=False),
    )


def shown_of(shown: ShownTokens) -> Entry:
    """Exchanges through others as columns of a journal entry."""
    return dict(zip(_EXCHANGES, (shown.wire, shown.token, *shown.exchanges), strict=True))


def shown_in(entry: Entry) -> ShownTokens:
    """The exchanges in a journal entry; none if the run had no ledger."""
    if not set(_EXCHANGES) <= entry.keys():
        return ShownTokens.none()
    wire, token, ptr, step, one, other = (entry[name] for name in _EXCHANGES)
    small = (column.astype(np.int32, copy=False) for column in (token, step, one, other))
    token, step, one, other = small
    exchanges = WitnessExchanges(ptr.astype(np.int64, copy=False), step, one, other)
    return ShownTokens(wire.astype(np.int64, copy=False), token, exchanges)


def new_on(
    assignment: Assignment, wires: Ints, found: TokenSets, enough: npt.NDArray[np.int32]
) -> npt.NDArray[np.bool_]:
    """Whether a witness shows a new token on each of some wires that have too few candidates.

    Parameters
    ----------
    assignment
        (n_wires,) the witness.
    wires, found, enough
        (n,), (n, words), (n,): wires, tokens found on each, and the number that settles each.
    """
    new = ~tokens.are_in(found, np.arange(len(wires)), assignment[wires])
    return np.asarray(new & (tokens.count(found) < enough))
