"""Record the exchanges that bring a token to an open wire, as they are found."""

from __future__ import annotations

import numpy as np

from mixsafe.machinery.compiled import inner
from mixsafe.model.csr import pointers
from mixsafe.network.wires import Small, Wires
from mixsafe.solver.construct.meeting_again import place
from mixsafe.solver.construct.met_away import is_met_first
from mixsafe.solver.construct.open_wires import OpenLists, learn
from mixsafe.solver.construct.sides import Side, Spot, change_places
from mixsafe.solver.state.exchanges import WitnessExchanges
from mixsafe.solver.state.ledger import ShownTokens


def shown_by(known: OpenLists) -> ShownTokens:
    """All recorded exchanges, in order of time for each candidate."""
    on, slot = np.nonzero(known.exchanges[:, :, 0, 0] >= 0)
    recorded = known.exchanges[on, slot]
    there = recorded[:, :, 0] >= 0
    late = np.where(there, recorded[:, :, 0], np.iinfo(np.int32).max)
    order = np.argsort(late, axis=1, kind="stable")
    recorded = np.take_along_axis(recorded, order[:, :, None], axis=1)[
        np.sort(there, axis=1)[:, ::-1]
    ]
    ptr = pointers(there.sum(axis=1))
    step, one, other = (np.ascontiguousarray(column) for column in recorded.T)
    return ShownTokens(
        known.wires[on], known.tokens[on, slot], WitnessExchanges(ptr, step, one, other)
    )


@inner
def record(  # pragma: no cover - compiled
    asked: Spot, slot: int, i: int, step: int, one: int, other: int, known: OpenLists
) -> int:
    """Record the i-th exchange of a candidate, if that is wanted; the next number."""
    if 0 <= slot < known.exchanges.shape[1]:
        recorded = known.exchanges[asked.number, slot, i]
        recorded[0], recorded[1], recorded[2] = step, one, other
    return i + 1


@inner
def record_through(  # pragma: no cover - compiled
    asked: Spot, slot: int, i: int, exchange: tuple[int, int], how: Small, known: OpenLists
) -> int:
    """Record an ``exchange`` (step, token) with the asked row, direct or through a partner.

    ``how``: the partner, and the steps from and to which it has swapped with the row; -1: direct.
    """
    step, token = exchange
    if how[0] < 0:
        return record(asked, slot, i, step, asked.row, token, known)
    i = record(asked, slot, i, how[1], asked.row, how[0], known)
    i = record(asked, slot, i, step, how[0], token, known)
    return record(asked, slot, i, how[2], asked.row, how[0], known)


@inner
def record_side(  # pragma: no cover - compiled
    asked: Spot, slot: int, i: int, token: int, side: Side, known: OpenLists
) -> int:
    """Record the exchange of a token on one side that keeps it away as long as possible."""
    step = side.final[token] if side.after else side.first[token]
    return record_through(asked, slot, i, (step, token), side.how[token], known)


@inner
def learn_from(  # pragma: no cover - compiled
    asked: Spot, token: int, one: Side, other: Side, known: OpenLists
) -> None:
    """Add a token to the wire's list, because it can exchange on both sides of it."""
    slot = learn(asked.number, token, known)
    i = record_side(asked, slot, 0, token, one, known)
    record_side(asked, slot, i, token, other, known)


@inner
def record_by_way_of(  # pragma: no cover - compiled
    asked: Spot, slot: int, met: tuple[int, int, int], side: Side, other: Side, known: OpenLists
) -> None:
    """Record the exchanges of a token that meets ``via``, which swaps with the row.

    ``met``: step of that meeting, token, and ``via``.
    """
    row, i = asked.row, 0
    t, token, via = met
    if side.after:
        i = record(asked, slot, i, other.first[via], row, via, known)
        i = record(asked, slot, i, other.final[token], row, token, known)
        i = record(asked, slot, i, side.first[via], row, via, known)
        record(asked, slot, i, t, via, token, known)
    else:
        i = record(asked, slot, i, t, via, token, known)
        i = record(asked, slot, i, side.final[via], row, via, known)
        i = record(asked, slot, i, other.first[token], row, token, known)
        record(asked, slot, i, other.final[via], row, via, known)


@inner
def record_partner(  # pragma: no cover - compiled
    asked: Spot,
    slot: int,
    token: int,
    through: tuple[int, int, int],
    side: Side,
    net: Wires,
    known: OpenLists,
) -> int:
    """Record the at most five exchanges of a token whose partner has its place for some time.

    In between, the partner meets the row, or another one that has swapped with the row.
    """
    partner, since, until = through
    met = side.met
    step, by = met.last[partner], met.by_last[partner]
    if is_met_first(since, until, partner, token, met):
        step, by = met.first[partner], met.by[partner]
    side.by[0] = -1
    if by != asked.row:
        change_places(place(by, side.partners), asked.row, side, net)
    i = record(asked, slot, 0, since, token, partner, known)
    i = record_through(asked, slot, i, (step, partner), side.by, known)
    return record(asked, slot, i, until, token, partner, known)
