"""Witnesses as exchanges of two rows, one after the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import inner, tiered
from mixsafe.model.csr import pointers, ranges
from mixsafe.network.core import Core
from mixsafe.network.timeline import wire_at
from mixsafe.network.wires import Wires
from mixsafe.solver.state.differences import Differences

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]


class Exchanges(NamedTuple):
    """Some witnesses: for each who exchanges with whom, in order of time.

    Parameters
    ----------
    ptr
        (n + 1,) int64: witness w has the exchanges ``ptr[w]`` to ``ptr[w + 1] - 1``.
    step, one, other
        (n_exchanges,) int32: at which step, and the two rows, which meet then.
    """

    ptr: Ints
    step: Small
    one: Small
    other: Small

    @property
    def n(self) -> int:
        """Number of witnesses."""
        return len(self.ptr) - 1

    def at(self, chosen: Ints) -> Exchanges:
        """Some of the witnesses, by their numbers."""
        sizes = np.diff(self.ptr)[chosen]
        some = ranges(self.ptr[chosen], sizes)
        return Exchanges(pointers(sizes), self.step[some], self.one[some], self.other[some])


def differences_of(core: Core, made: Exchanges) -> Differences:
    """The same witnesses by the wires on which somebody is away."""
    network = core.network
    held = np.arange(network.n_rows, dtype=np.int32)
    since, ptr = np.zeros(network.n_rows, np.int64), np.zeros(made.n + 1, np.int64)
    for _ in range(2):  # first it is counted
        wire, token = np.zeros(ptr[-1], np.int64), np.zeros(ptr[-1], np.int32)
        _follow(made, held, since, network.wires, ptr, wire, token)
    return Differences(ptr, wire, token)


@tiered
def _follow(  # pragma: no cover - compiled
    made: Exchanges,
    held: Small,
    since: Ints,
    net: Wires,
    ptr: Ints,
    wire: Ints,
    token: Small,
) -> None:
    """Write down, if there is room, where each witness moves whom, and how much that is.

    ``held``: the token of each row, at first its own, and in the end again; ``since``: the wire
    from which on a row holds it.
    """
    n = 0
    for witness in range(len(ptr) - 1):
        begin, end = made.ptr[witness], made.ptr[witness + 1]
        for i in range(begin, end):
            one, other = made.one[i], made.other[i]
            for row in (one, other):
                n = _end(row, wire_at(row, made.step[i], net), n, held, since, wire, token)
            held[one], held[other] = held[other], held[one]
        for i in range(begin, end):
            for row in (made.one[i], made.other[i]):
                n = _end(row, net.first[row + 1], n, held, since, wire, token)
                held[row] = row
        ptr[witness + 1] = n


@inner
def _end(  # pragma: no cover - compiled
    row: int, wire: int, n: int, held: Small, since: Ints, wires: Ints, token: Small
) -> int:
    """Write down that a row holds its token up to ``wire``, if it is another's; the places used."""
    if held[row] != row:
        for at in range(since[row], wire):
            if n < len(wires):
                wires[n], token[n] = at, held[row]
            n += 1
    since[row] = wire
    return n
