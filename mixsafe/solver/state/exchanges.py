"""Witnesses as sequences of exchanges of two rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner, tiered
from mixsafe.model.csr import pointers, ranges
from mixsafe.network.core import Core
from mixsafe.network.timeline import wire_at
from mixsafe.network.wires import Wires
from mixsafe.solver.state.differences import Differences

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]


class WitnessExchanges(NamedTuple):
    """Witnesses: for each its exchanges, in order of time.

    Parameters
    ----------
    ptr
        (n + 1,) int64: witness w has the exchanges ``ptr[w]`` to ``ptr[w + 1] - 1``.
    step, one, other
        (n_exchanges,) int32: the step, and the two rows, which meet then.
    """

    ptr: Ints
    step: Small
    one: Small
    other: Small

    @property
    def n(self) -> int:
        """Number of witnesses."""
        return len(self.ptr) - 1

    def at(self, chosen: Ints) -> WitnessExchanges:
        """The witnesses with the numbers ``chosen``."""
        sizes = np.diff(self.ptr)[chosen]
        some = ranges(self.ptr[chosen], sizes)
        return WitnessExchanges(pointers(sizes), self.step[some], self.one[some], self.other[some])


def differences_of(core: Core, witnesses: WitnessExchanges) -> Differences:
    """The same witnesses as differences from the identity."""
    network = core.network
    held = np.arange(network.n_rows, dtype=np.int32)
    since, ptr = np.zeros(network.n_rows, np.int64), np.zeros(witnesses.n + 1, np.int64)
    for _ in range(2):  # the first pass counts
        wire, token = np.zeros(ptr[-1], np.int64), np.zeros(ptr[-1], np.int32)
        _follow(witnesses, held, since, network.wires, ptr, wire, token)
    return Differences(ptr, wire, token)


@tiered
def _follow(  # pragma: no cover - compiled
    witnesses: WitnessExchanges,
    held: Small,
    since: Ints,
    net: Wires,
    ptr: Ints,
    wire: Ints,
    token: Small,
) -> None:
    """Write the moved wires of each witness and their tokens, as far as there is room; count all.

    ``held``: current token of each row, its own before and after; ``since``: the wire from which
    on the row holds it.
    """
    n = 0
    for witness in range(len(ptr) - 1):
        begin, end = witnesses.ptr[witness], witnesses.ptr[witness + 1]
        for i in range(begin, end):
            one, other = witnesses.one[i], witnesses.other[i]
            for row in (one, other):
                n = _end(row, wire_at(row, witnesses.step[i], net), n, held, since, wire, token)
            held[one], held[other] = held[other], held[one]
        for i in range(begin, end):
            for row in (witnesses.one[i], witnesses.other[i]):
                n = _end(row, net.first[row + 1], n, held, since, wire, token)
                held[row] = row
        ptr[witness + 1] = n


@inner
def _end(  # pragma: no cover - compiled
    row: int, wire: int, n: int, held: Small, since: Ints, wires: Ints, token: Small
) -> int:
    """Write the wires up to ``wire`` on which a row holds another's token; the places used."""
    if held[row] != row:
        for at in range(since[row], wire):
            if n < len(wires):
                wires[n], token[n] = at, held[row]
            n += 1
    since[row] = wire
    return n
