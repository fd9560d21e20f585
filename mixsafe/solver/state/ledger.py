"""What shows that candidates are ones: witnesses, written down where they are found.

Swaps of two users, and what free users carry, are no part of it: which of them show a token on a
wire is known without a search (``swap_cover``, ``free_user_witnesses``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.journal.steps import Entry
from mixsafe.network.core import Core
from mixsafe.solver.state import tokens
from mixsafe.solver.state.differences import Differences, joined, needed_parts
from mixsafe.solver.state.exchanges import Exchanges
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Assignment

Ints = npt.NDArray[np.int64]

_TOLD = ("told_ptr", "told_wire", "told_token")
_MADE = ("made_wire", "made_token", "made_ptr", "made_step", "made_one", "made_other")


class Shown(NamedTuple):
    """That tokens can be on wires, each by one witness.

    Parameters
    ----------
    wire, token
        (n,) int64, and int32: what each witness was made for.
    made
        The witnesses.
    """

    wire: Ints
    token: npt.NDArray[np.int32]
    made: Exchanges

    @classmethod
    def none(cls) -> Shown:
        """Nothing."""
        none, small = np.zeros(0, np.int64), np.zeros(0, np.int32)
        return cls(none, small, Exchanges(np.zeros(1, np.int64), small, small, small))


class Ledger:
    """Witnesses in the order in which they were found.

    Parameters
    ----------
    core
        The question.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._told: list[Differences] = []
        self.through_others = Shown.none()

    def add(self, told: Differences) -> None:
        """Write witnesses down."""
        self._told.append(told)

    def add_parts(self, assignment: Assignment, wires: Ints) -> None:
        """Write that part of a witness down which moves some wires."""
        self.add(needed_parts(self._core, assignment, wires))

    @property
    def told(self) -> Differences:
        """What was written down so far, without exchanges through others."""
        self._told = [joined(self._told)]
        return self._told[0]


def told_of(told: Differences) -> Entry:
    """Witnesses as columns of an entry of a journal."""
    return dict(zip(_TOLD, told, strict=True))


def told_in(entry: Entry) -> Differences:
    """The witnesses in an entry; none if it was kept by a run without a ledger."""
    if not set(_TOLD) <= entry.keys():
        return joined([])
    ptr, wire, token = (entry[name] for name in _TOLD)
    return Differences(
        ptr.astype(np.int64, copy=False),
        wire.astype(np.int64, copy=False),
        token.astype(np.int32, copy=False),
    )


def shown_of(shown: Shown) -> Entry:
    """Exchanges through others as columns of an entry of a journal."""
    return dict(zip(_MADE, (shown.wire, shown.token, *shown.made), strict=True))


def shown_in(entry: Entry) -> Shown:
    """The exchanges in an entry; none if it was kept by a run without a ledger."""
    if not set(_MADE) <= entry.keys():
        return Shown.none()
    wire, token, ptr, step, one, other = (entry[name] for name in _MADE)
    small = (column.astype(np.int32, copy=False) for column in (token, step, one, other))
    token, step, one, other = small
    made = Exchanges(ptr.astype(np.int64, copy=False), step, one, other)
    return Shown(wire.astype(np.int64, copy=False), token, made)


def new_on(
    assignment: Assignment, wires: Ints, found: TokenSets, enough: npt.NDArray[np.int32]
) -> npt.NDArray[np.bool_]:
    """On which wires a witness shows a token that is new, where not enough are found.

    Parameters
    ----------
    assignment
        (n_wires,) the witness.
    wires, found, enough
        (n,), (n, words), (n,): some wires, what was found on each, and how many are enough.
    """
    new = ~tokens.are_in(found, np.arange(len(wires)), assignment[wires])
    return np.asarray(new & (tokens.count(found) < enough))
