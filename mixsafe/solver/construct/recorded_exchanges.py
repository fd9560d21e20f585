"""Which exchanges bring a token to an open wire: written down as they are found."""

from __future__ import annotations

import numpy as np

from mixsafe.compiled import inner
from mixsafe.model.csr import pointers
from mixsafe.network.wires import Small, Wires
from mixsafe.solver.construct.meeting_again import place
from mixsafe.solver.construct.met_away import is_met_first
from mixsafe.solver.construct.open_wires import OpenLists, learn
from mixsafe.solver.construct.sides import Side, Spot, change_places
from mixsafe.solver.state.exchanges import Exchanges
from mixsafe.solver.state.ledger import Shown


def shown_by(known: OpenLists) -> Shown:
    """All that was told, each candidate with its exchanges in order of time."""
    on, slot = np.nonzero(known.told[:, :, 0, 0] >= 0)
    told = known.told[on, slot]
    there = told[:, :, 0] >= 0
    late = np.where(there, told[:, :, 0], np.iinfo(np.int32).max)
    order = np.argsort(late, axis=1, kind="stable")
    told = np.take_along_axis(told, order[:, :, None], axis=1)[np.sort(there, axis=1)[:, ::-1]]
    ptr = pointers(there.sum(axis=1))
    step, one, other = (np.ascontiguousarray(column) for column in told.T)
    return Shown(known.wires[on], known.tokens[on, slot], Exchanges(ptr, step, one, other))


@inner
def tell(  # pragma: no cover - compiled
    asked: Spot, slot: int, i: int, step: int, one: int, other: int, known: OpenLists
) -> int:
    """Write the i-th exchange of a candidate down, if that is wanted; which one comes next."""
    if 0 <= slot < known.told.shape[1]:
        told = known.told[asked.number, slot, i]
        told[0], told[1], told[2] = step, one, other
    return i + 1


@inner
def tell_through(  # pragma: no cover - compiled
    asked: Spot, slot: int, i: int, exchange: tuple[int, int], how: Small, known: OpenLists
) -> int:
    """An exchange with the asked row, at a step and with a token, and ``how`` it is done.

    Directly, or by a partner that has changed places with the row from a step to another.
    """
    step, token = exchange
    if how[0] < 0:
        return tell(asked, slot, i, step, asked.row, token, known)
    i = tell(asked, slot, i, how[1], asked.row, how[0], known)
    i = tell(asked, slot, i, step, how[0], token, known)
    return tell(asked, slot, i, how[2], asked.row, how[0], known)


@inner
def tell_side(  # pragma: no cover - compiled
    asked: Spot, slot: int, i: int, token: int, side: Side, known: OpenLists
) -> int:
    """How a token can exchange with the asked row on one side, away as long as it can be."""
    step = side.final[token] if side.after else side.first[token]
    return tell_through(asked, slot, i, (step, token), side.how[token], known)


@inner
def learn_from(  # pragma: no cover - compiled
    asked: Spot, token: int, one: Side, other: Side, known: OpenLists
) -> None:
    """Note that a token can be on the wire, as it can exchange on both sides of it."""
    slot = learn(asked.number, token, known)
    i = tell_side(asked, slot, 0, token, one, known)
    tell_side(asked, slot, i, token, other, known)


@inner
def tell_by_way_of(  # pragma: no cover - compiled
    asked: Spot, slot: int, met: tuple[int, int, int], side: Side, other: Side, known: OpenLists
) -> None:
    """When somebody else than the row met whom, and how all of them exchange."""
    row, i = asked.row, 0
    t, token, via = met
    if side.after:
        i = tell(asked, slot, i, other.first[via], row, via, known)
        i = tell(asked, slot, i, other.final[token], row, token, known)
        i = tell(asked, slot, i, side.first[via], row, via, known)
        tell(asked, slot, i, t, via, token, known)
    else:
        i = tell(asked, slot, i, t, via, token, known)
        i = tell(asked, slot, i, side.final[via], row, via, known)
        i = tell(asked, slot, i, other.first[token], row, token, known)
        tell(asked, slot, i, other.final[via], row, via, known)


@inner
def tell_partner(  # pragma: no cover - compiled
    asked: Spot,
    slot: int,
    token: int,
    through: tuple[int, int, int],
    side: Side,
    net: Wires,
    known: OpenLists,
) -> int:
    """How a token exchanges by a partner that has its place from a step to another; at most five.

    The row meets the partner in between, or one who has changed places with the row.
    """
    partner, since, until = through
    met = side.met
    step, by = met.last[partner], met.by_last[partner]
    if is_met_first(since, until, partner, token, met):
        step, by = met.first[partner], met.by[partner]
    side.by[0] = -1
    if by != asked.row:
        change_places(place(by, side.partners), asked.row, side, net)
    i = tell(asked, slot, 0, since, token, partner, known)
    i = tell_through(asked, slot, i, (step, partner), side.by, known)
    return tell(asked, slot, i, until, token, partner, known)
