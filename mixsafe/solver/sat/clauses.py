"""What histories are, in clauses: written by compiled functions, as one array of literals.

A token is on one wire at a time; it leaves the zone to which it came, and comes to that which it
leaves; no two tokens are on one wire; links hold. Where tokens are pinned is in the variables:
there are none for wires on which a token cannot be. Only some tokens are told apart, so what
contradicts itself here contradicts itself in the whole problem.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled, inner
from mixsafe.network.wires import Wires
from mixsafe.solver.sat.tracking import Tracking

Literals = npt.NDArray[np.int32]
"""Variables, 1 and up, negative where they are negated."""

_PAIRWISE = 5  # literals; more than these take further variables to say that one at most is true
_DIRECT = 32  # pairs of wires to and from a zone; with more, clauses go through one more variable


class Formula(NamedTuple):
    """Clauses, one after the other.

    ``literals``: of all clauses, each ended by a 0. ``n_variables``: those that they are about.
    """

    literals: Literals
    n_variables: int

    def clauses(self) -> list[list[int]]:
        """The clauses as solvers take them."""
        ends = np.flatnonzero(self.literals == 0).tolist()
        flat = self.literals.tolist()
        begins = [0, *(end + 1 for end in ends)][: len(ends)]
        return [flat[begin:end] for begin, end in zip(begins, ends, strict=True)]


class _Page(NamedTuple):
    """What is written on: once to count, with no room at all, then to keep."""

    out: Literals
    at: npt.NDArray[np.int64]  # (2,): literals written, and variables given out


class _Lists(NamedTuple):
    """Working memory: the variables of each tracked token to a zone and from it."""

    n: npt.NDArray[np.int64]  # (2, n_tracked): how many there are
    variable: npt.NDArray[np.int64]  # (2, n_tracked, members)


class _Places(NamedTuple):
    """What of :class:`Tracking` compiled functions need."""

    ptr: npt.NDArray[np.int64]
    number: npt.NDArray[np.int32]


def formula(tracking: Tracking, selector: int = 0) -> Formula:
    """All that is known of tracked tokens.

    Parameters
    ----------
    tracking
        The tokens, and their variables.
    selector
        0: each token is somewhere. 1: it need not be, unless its *selector* is true, the variable
        ``tracking.n_variables + 1 +`` its place in ``tracking.tracked``.
    """
    network = tracking.core.network
    first, last = np.searchsorted(network.zone_time, [tracking.begin + 1, tracking.end + 1])
    rows = np.arange(network.n_rows)
    begins = network.wire_at(rows, np.full(len(rows), tracking.begin))
    most = int(np.diff(network.zone_ptr).max(initial=0))
    size = max(most, len(rows))
    n_tracked = len(tracking.tracked)
    lists = _Lists(np.zeros((2, n_tracked), np.int64), np.zeros((2, n_tracked, size), np.int64))
    given = tracking.n_variables + selector * n_tracked
    links, span = tracking.core.link_wires, (tracking.begin, tracking.end)
    links = links[np.all((network.start[links] <= span[1]) & (network.end[links] >= span[0]), 1)]
    out = np.zeros(0, np.int32)
    for _ in range(2):  # first to count
        page = _Page(out, np.array([0, given], np.int64))
        _write(
            page, _Places(tracking.ptr, tracking.number), lists,
            (int(first), int(last)), begins, selector, (links, network.wires),
        )  # fmt: skip
        out = np.zeros(int(page.at[0]), np.int32)
    return Formula(page.out, int(page.at[1]))


@compiled
def _write(  # pragma: no cover - compiled
    page: _Page,
    places: _Places,
    lists: _Lists,
    zones: tuple[int, int],
    begins: npt.NDArray[np.int64],
    selector: int,
    around: tuple[npt.NDArray[np.int64], Wires],
) -> None:
    """Write all clauses, zone by zone."""
    links, net = around
    lists.n[:] = 0
    for wire in begins:
        _gather(wire, 0, places, lists)
        _apart(wire, page, places)
    for i in range(lists.n.shape[1]):
        if selector:
            _put(-(len(places.number) + 1 + i), page)
        for j in range(lists.n[0, i]):
            _put(lists.variable[0, i, j], page)
        _put(0, page)
        _one_at_most(lists.variable[0, i], lists.n[0, i], page)
    for z in range(zones[0], zones[1]):
        lists.n[:] = 0
        for m in range(net.zone_ptr[z], net.zone_ptr[z + 1]):
            _gather(net.before[m], 0, places, lists)
            _gather(net.before[m] + 1, 1, places, lists)
            _apart(net.before[m] + 1, page, places)
        for i in range(lists.n.shape[1]):
            _pass(i, page, lists)
    for i in range(len(links)):
        _link(links[i, 0], links[i, 1], page, places)
        _link(links[i, 1], links[i, 0], page, places)


@inner
def _put(literal: int, page: _Page) -> None:  # pragma: no cover - compiled
    """Write a literal, or 0 to end a clause; where there is no room, count it."""
    if page.at[0] < len(page.out):
        page.out[page.at[0]] = literal
    page.at[0] += 1


@inner
def _two(one: int, other: int, page: _Page) -> None:  # pragma: no cover - compiled
    """Write a clause of two literals."""
    _put(one, page)
    _put(other, page)
    _put(0, page)


@inner
def _gather(  # pragma: no cover - compiled
    wire: int, side: int, places: _Places, lists: _Lists
) -> None:
    """Add the variables of a wire to the lists of their tokens."""
    for p in range(places.ptr[wire], places.ptr[wire + 1]):
        i = places.number[p]
        lists.variable[side, i, lists.n[side, i]] = p + 1
        lists.n[side, i] += 1


@inner
def _pass(i: int, page: _Page, lists: _Lists) -> None:  # pragma: no cover - compiled
    """A token leaves a zone if it comes to it, and the other way round, on one wire each."""
    n = lists.n[0, i] * lists.n[1, i]
    inside = 0
    if n > _DIRECT:
        page.at[1] += 1
        inside = page.at[1]
    for side in range(2):
        here, there = lists.variable[side, i], lists.variable[1 - side, i]
        for j in range(lists.n[side, i]):
            if inside:
                _two(-here[j], inside, page)
            else:
                _otherwise(-here[j], there, lists.n[1 - side, i], page)
        if inside:
            _otherwise(-inside, here, lists.n[side, i], page)
    _one_at_most(lists.variable[1, i], lists.n[1, i], page)


@inner
def _otherwise(  # pragma: no cover - compiled
    literal: int, variables: npt.NDArray[np.int64], n: int, page: _Page
) -> None:
    """Write a clause of a literal and some variables."""
    _put(literal, page)
    for j in range(n):
        _put(variables[j], page)
    _put(0, page)


@inner
def _apart(wire: int, page: _Page, places: _Places) -> None:  # pragma: no cover - compiled
    """No two tokens are on one wire: their variables follow each other."""
    low, high = places.ptr[wire], places.ptr[wire + 1]
    if high - low <= _PAIRWISE:
        for p in range(low, high):
            for q in range(low, p):
                _two(-(p + 1), -(q + 1), page)
    else:
        for p in range(low, high):
            _climb(p + 1, p == low, p == high - 1, page)


@inner
def _one_at_most(  # pragma: no cover - compiled
    variables: npt.NDArray[np.int64], n: int, page: _Page
) -> None:
    """One of the first ``n`` variables is true, or none."""
    if n <= _PAIRWISE:
        for j in range(n):
            for i in range(j):
                _two(-variables[i], -variables[j], page)
    else:
        for j in range(n):
            _climb(variables[j], j == 0, j == n - 1, page)


@inner
def _climb(  # pragma: no cover - compiled
    variable: int, first: bool, last: bool, page: _Page
) -> None:
    """One rung of a ladder (Gent and Nightingale 2004): whether one was true so far."""
    below = page.at[1]
    if not first:
        _two(-variable, -below, page)
    if not last:
        page.at[1] += 1
        _two(-variable, page.at[1], page)
        if not first:
            _two(-below, page.at[1], page)


@inner
def _link(  # pragma: no cover - compiled
    one: int, other: int, page: _Page, places: _Places
) -> None:
    """A token that is on one wire is on the other, too."""
    if places.ptr[one] < places.ptr[one + 1]:
        for p in range(places.ptr[one], places.ptr[one + 1]):
            _put(-(p + 1), page)
            for q in range(places.ptr[other], places.ptr[other + 1]):
                if places.number[q] == places.number[p]:
                    _put(q + 1, page)
            _put(0, page)
