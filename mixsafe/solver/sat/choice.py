"""Whom to put on a board: those whom its rows meet, most often first."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.network.wires import WireNetwork
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets

Numbers = npt.NDArray[np.int64]


def meetings(
    network: WireNetwork,
    rows: Numbers,
    begin: int,
    end: int,
    may: npt.NDArray[np.bool_] | None = None,
) -> npt.NDArray[np.int64]:
    """(n_rows,) in how many zones from one step to another each row meets one of ``rows``.

    Parameters
    ----------
    may
        (n_wires,) wires that count; None: all.
    """
    zone, on = network.zone_of_entry, np.zeros(network.n_rows, bool)
    on[rows] = True
    counts = (network.zone_time[zone] > begin) & (network.zone_time[zone] <= end)
    if may is not None:
        counts &= may[network.before] | may[network.before + 1]
    theirs = np.zeros(network.n_zones, bool)
    theirs[zone[counts & on[network.member]]] = True
    return np.bincount(network.member[counts & theirs[zone]], minlength=network.n_rows)


def partners(network: WireNetwork, rows: Numbers, begin: int, end: int, number: int) -> Numbers:
    """Rows that meet some others most often, twice at least: with them, exchanges are undone."""
    met = meetings(network, rows, begin, end)
    met[rows] = 0
    best = np.argsort(-met, kind="stable")[:number]
    return best[met[best] > 1]


def ways_out(
    network: WireNetwork,
    possible: TokenSets,
    token: int,
    rows: Numbers,
    span: tuple[int, int],
    number: int,
) -> Numbers:
    """Rows on which a token can be, and that meet the board most often where it can be."""
    may = tokens.are_in(possible, np.arange(network.n_wires), token)
    met = meetings(network, rows, *span, may)
    met[rows] = 0
    best = np.argsort(-met, kind="stable")[:number]
    return best[met[best] > 0]


def candidates(
    network: WireNetwork, others: Numbers, wire: int, begin: int, end: int, near: int = 6
) -> Numbers:
    """Tokens ``others``, those whose rows the wire's row meets most often near it first."""
    row = network.row[wire : wire + 1].astype(np.int64)
    low, high = int(network.start[wire]) - near, int(network.end[wire]) + near
    close = meetings(network, row, max(begin, low), min(end, high))[others]
    ever = meetings(network, row, begin, end)[others]
    return others[np.lexsort((others, -ever, -close))]
