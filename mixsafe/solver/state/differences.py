"""Witnesses as differences from the identity, and the needed part of a witness.

The wires that a witness moves fall into independent parts. Two wires are in one part if a token
goes from one to the other through a zone, if the row of one is the home of the token on the other
and they overlap in time, if a link connects them, or if on the one a person is seen with the token
of a person who is seen on the other. Each part alone, with all other tokens at home, is a witness
(docs/develop/facts.md, parts of a witness).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner, tiered
from mixsafe.model.csr import pointers
from mixsafe.network.core import Core
from mixsafe.network.timeline import onward, rewind, wire_at
from mixsafe.network.wires import Wires
from mixsafe.solver.state.witness import Assignment

Ints = npt.NDArray[np.int64]


class Differences(NamedTuple):
    """Witnesses: for each the wires that do not hold the token of their own row.

    Parameters
    ----------
    ptr
        (n + 1,) int64: witness w has the wires ``wire[ptr[w]:ptr[w + 1]]``.
    wire, token
        (n_wires,) int64, and int32.
    """

    ptr: Ints
    wire: Ints
    token: npt.NDArray[np.int32]

    @property
    def n(self) -> int:
        """Number of witnesses."""
        return len(self.ptr) - 1

    def among(self, chosen: npt.NDArray[np.bool_]) -> Differences:
        """The witnesses where ``chosen``, (n,), is True."""
        sizes = np.diff(self.ptr)
        kept = np.repeat(chosen, sizes)
        ptr = pointers(sizes[chosen])
        return Differences(ptr, self.wire[kept], self.token[kept])


def joined(several: Sequence[Differences]) -> Differences:
    """Concatenate witnesses."""
    sizes = [np.zeros(1, np.int64), *(np.diff(one.ptr) for one in several)]
    return Differences(
        np.cumsum(np.concatenate(sizes)),
        np.concatenate([np.zeros(0, np.int64), *(one.wire for one in several)]),
        np.concatenate([np.zeros(0, np.int32), *(one.token for one in several)]),
    )


def needed_parts(core: Core, assignment: Assignment, wires: Ints) -> Differences:
    """The parts of a witness that move some wires, as one witness.

    Parameters
    ----------
    core
        The question.
    assignment
        (n_wires,) a witness.
    wires
        (n,) wires whose tokens the result must keep.
    """
    network = core.network
    moved = assignment != network.row
    begun = np.unique(wires[moved[wires]])
    part = np.empty(np.count_nonzero(moved), np.int64)
    part[: len(begun)] = begun
    gathered = np.zeros(network.n_wires, np.bool_)
    gathered[begun] = True
    tied = np.concatenate([core.link_wires, _owners(core, assignment)])
    size = _gather_all(len(begun), assignment, tied, network.wires, part, gathered)
    kept = np.sort(part[:size])
    return Differences(np.array([0, size]), kept, assignment[kept])


def _owners(core: Core, assignment: Assignment) -> Ints:
    """(n, 2) wires on which two people are seen, the first one with the token of the second one.

    Where the first one has it, the second one is not with her own token, as people are different.
    """
    wires, tokens = core.apart_wires, assignment[core.apart_wires]
    at = np.minimum(np.searchsorted(core.apart.row, tokens), max(len(wires) - 1, 0))
    is_of_another = (core.apart.row[at] == tokens) & (core.apart.row != tokens)
    return np.stack([wires, wires[at]], axis=1)[is_of_another]


@tiered
def _gather_all(  # pragma: no cover - compiled
    begun: int,
    on: Assignment,
    tied: Ints,
    net: Wires,
    part: Ints,
    gathered: npt.NDArray[np.bool_],
) -> int:
    """Gather, then continue on the wires that are tied to others, until nothing is added."""
    size, first = begun, 0
    while True:
        size = gather(first, size, on, net, part, gathered)
        first = size
        for i in range(len(tied)):
            for end in range(2):
                wire, other = tied[i, end], tied[i, 1 - end]
                if gathered[wire]:
                    size = _add(other, size, on, net, part, gathered)
        if size == first:
            return size


@inner
def gather(  # pragma: no cover - compiled
    first: int,
    size: int,
    on: Assignment,
    net: Wires,
    part: Ints,
    gathered: npt.NDArray[np.bool_],
) -> int:
    """Add to ``part`` the moved wires that belong to those in it, from place ``first`` on.

    Parameters
    ----------
    first, size
        Place from which the wires in ``part`` are looked at, and how many wires it has.
    on
        (n_wires,) token on each wire.
    net
        The wires.
    part
        Moved wires; must have room for all of them.
    gathered
        (n_wires,) whether each is in ``part``.

    Returns
    -------
    int
        Number of wires in ``part`` afterwards.
    """
    at = first
    while at < size:
        size = _add_next(part[at], size, on, net, part, gathered)
        at += 1
    return size


@inner
def _add_next(  # pragma: no cover - compiled
    wire: int,
    size: int,
    on: Assignment,
    net: Wires,
    part: Ints,
    gathered: npt.NDArray[np.bool_],
) -> int:
    """Add the wires before and after a moved wire on its token's path, and its token's home."""
    token, begin, end = on[wire], net.start[wire], net.horizon + 1
    size = _add(rewind(wire, token, begin - 1, on, net), size, on, net, part, gathered)
    if net.leads_to[wire] >= 0:
        end = net.start[wire + 1]
        size = _add(onward(wire, token, on, net), size, on, net, part, gathered)
    home = wire_at(token, begin, net)
    while home < net.first[token + 1] and net.start[home] < end:
        size = _add(home, size, on, net, part, gathered)
        home += 1
    return size


@inner
def _add(  # pragma: no cover - compiled
    wire: int,
    size: int,
    on: Assignment,
    net: Wires,
    part: Ints,
    gathered: npt.NDArray[np.bool_],
) -> int:
    """Add a wire to a part, if it is moved and not yet in it; the new size."""
    if on[wire] != net.row[wire] and not gathered[wire]:
        gathered[wire] = True
        part[size] = wire
        size += 1
    return size
