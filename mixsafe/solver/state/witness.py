"""Witnesses: complete assignments of tokens to wires, differences from the identity, exchanges.

Assignments are filled in and checked. The wires that a witness moves fall into independent parts.
Two wires are in one part if a token goes from one to the other through a zone, if the row of one is
the home of the token on the other and they overlap in time, if a link connects them, or if on the
one a person is seen with the token of a person who is seen on the other. Each part alone, with all
other tokens at home, is a witness (docs/develop/facts.md, parts of a witness). Short witnesses are
sequences of exchanges of two rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner, tiered
from mixsafe.model.csr import pointers, ranges
from mixsafe.network.core import Core
from mixsafe.network.relations import Matching, match_all, new_matching
from mixsafe.network.timeline import onward, rewind, wire_at
from mixsafe.network.wires import Wires, is_complete, may_leave

Assignment = npt.NDArray[np.int32]
"""(n_wires,) token on each wire."""


_WRONG = (
    "",
    "a zone does not permute the tokens that come to it",
    "a zone moves a token as its relation does not allow",
)

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]


def complete(core: Core, partial: Assignment, tracked: npt.NDArray[np.bool_]) -> Assignment:
    """Fill in anonymous tokens: at each zone they stay on their own row, or take a free one.

    In zones with a relation they stay where they are, or take allowed pairs.

    Parameters
    ----------
    core
        The question.
    partial
        (n_wires,) tracked token on each wire, -1 for an anonymous one.
    tracked
        (n_rows,) bool: tokens that ``partial`` distinguishes.

    Returns
    -------
    (n_wires,) token on each wire; -1 where ``partial`` contradicts itself.
    """
    network = core.network
    size = int(np.diff(network.zone_ptr).max(initial=0))
    assignment = partial.copy()
    _complete(partial, tracked, assignment, new_matching(size), network.wires)
    return assignment


def fault(core: Core, assignment: Assignment) -> str | None:
    """The first rule that an assignment violates, or None. Checks the definitions directly.

    Tokens start on their own rows, zones permute the tokens that come to them, by allowed pairs,
    pins and links hold, and people who are seen have different tokens.
    """
    network = core.network
    if np.any(assignment[network.first[:-1]] != np.arange(network.n_rows)):
        return "a token does not start on its own row"
    wrong = _wrong_zone(assignment, network.n_rows, network.wires)
    if wrong:
        return _WRONG[wrong]
    linked = core.link_wires
    if np.any(assignment[linked[:, 0]] != assignment[linked[:, 1]]):
        return "a link is violated"
    distinct = assignment[core.apart_wires]
    if len(np.unique(distinct)) < len(distinct) or np.isin(distinct, core.pins.token).any():
        return "two people who are seen have one token"
    holds = np.zeros(len(core.pins), bool)
    pin, wire = core.pin_wires
    np.logical_or.at(holds, pin, assignment[wire] == core.pins.token[pin])
    return None if holds.all() else "a pinned token is elsewhere"


@tiered
def _complete(  # pragma: no cover - compiled
    partial: Assignment,
    tracked: npt.NDArray[np.bool_],
    assignment: Assignment,
    nodes: Matching,
    net: Wires,
) -> None:
    first, zone_ptr, before = net.first, net.zone_ptr, net.before
    here = np.full(len(first) - 1, -1, np.int64)  # zone in which an anonymous token waits
    for r in range(len(first) - 1):
        assignment[first[r]] = r
    for z in range(len(zone_ptr) - 1):
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            token = assignment[before[m]]
            if token >= 0 and not tracked[token]:
                here[token] = z
        if not is_complete(z, net):
            _fill_related(z, assignment, here, nodes, net)
            continue
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            own = net.member[m]
            if partial[before[m] + 1] < 0 and here[own] == z:
                assignment[before[m] + 1] = own
                here[own] = -1
        _fill(z, assignment, here, net)


@inner
def _fill(  # pragma: no cover - compiled
    z: int, assignment: Assignment, here: npt.NDArray[np.int64], net: Wires
) -> None:
    """Assign the remaining wires of zone ``z`` to the tokens that still wait there."""
    before = net.before
    empty, end = net.zone_ptr[z], net.zone_ptr[z + 1]
    for m in range(net.zone_ptr[z], end):
        token = assignment[before[m]]
        if token >= 0 and here[token] == z:
            while empty < end and assignment[before[empty] + 1] >= 0:
                empty += 1
            if empty == end:
                return
            assignment[before[empty] + 1] = token


@inner
def _fill_related(  # pragma: no cover - compiled
    z: int, assignment: Assignment, here: npt.NDArray[np.int64], nodes: Matching, net: Wires
) -> None:
    """As :func:`_fill`, by allowed pairs: a matching, from the tokens that can stay."""
    before, head = net.before, net.zone_ptr[z]
    size = net.zone_ptr[z + 1] - head
    for i in range(size):
        token = assignment[before[head + i]]
        nodes.free[i] = assignment[before[head + i] + 1] < 0
        nodes.waits[i] = token >= 0 and here[token] == z
    match_all(size, net.pairs, net.pair_ptr[z], nodes)
    for i in range(size):
        if nodes.leaves[i] >= 0:
            assignment[before[head + nodes.leaves[i]] + 1] = assignment[before[head + i]]


@tiered
def _wrong_zone(  # pragma: no cover - compiled
    assignment: Assignment, n_rows: int, net: Wires
) -> int:
    """What is wrong with some zone, as a number of :data:`_WRONG`; 0: nothing."""
    zone_ptr, before = net.zone_ptr, net.before
    came_to = np.full(n_rows, -1, np.int64)  # place among all members
    for z in range(len(zone_ptr) - 1):
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            token = assignment[before[m]]
            if token < 0 or token >= n_rows:
                return 1
            came_to[token] = m
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            token = assignment[before[m] + 1]
            if token < 0 or token >= n_rows or came_to[token] < zone_ptr[z]:
                return 1
            if not may_leave(came_to[token], m, z, net):
                return 2
            came_to[token] = -1
    return 0


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
