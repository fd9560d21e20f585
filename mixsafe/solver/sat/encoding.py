"""SAT encoding of the positions of tracked tokens, used wherever a SAT solver is asked.

Clauses say that a token is on one wire at a time, that it leaves each zone to which it comes and
came to each zone that it leaves, that no two tokens are on one wire, that links hold, and that no
token is that of two people who are different. Pins are
implicit: there are no variables for wires on which a token is impossible. Only tracked tokens are
distinguished, so a contradiction here is a contradiction of the whole problem.

Tokens can be added while a solver works: :meth:`Encoding.with_token` adds one, and
:meth:`Encoding.formula` writes the new clauses. Optionally, zones need a literal to move tokens.
For certificates clauses have names (:mod:`mixsafe.check.claim_clauses`).

In zones with a relation tokens take allowed pairs only. Anonymous tokens must fit in between, so
these zones have a variable for each pair, too: whoever comes on the one track leaves on the other.
Named clauses are about tokens only; without these variables they say less, which is sound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner, tiered
from mixsafe.model.csr import pointers
from mixsafe.network.core import Core
from mixsafe.network.wires import Wires, is_complete, may_leave
from mixsafe.solver.state.tokens import TokenSets, count, holds

Literals = npt.NDArray[np.int32]
"""Variables, 1 and up, negative where they are negated."""

Numbers = npt.NDArray[np.int64]

_PAIRWISE = 5  # literals; at-most-one constraints over more of them use auxiliary variables
_DIRECT = 32  # pairs of wires to and from a zone; with more, clauses use an auxiliary variable
_PAIRED = 16  # wires of a token; with more, some named clauses are left out, which is sound
_PAIRED_SEEN = 128  # as before, of wires on which people are seen who are different

_BEGIN, _ONWARD, _BACK, _FILLED, _NEXT, _LAST, _APART = range(7)  # kinds, as in the checker

_NONE = np.zeros(0, np.int64)


class Formula(NamedTuple):
    """Clauses in a flat array.

    ``literals``: the clauses, each ended by a 0. ``n_variables``: number of variables in use.
    ``names``: (n_clauses, 3) int32 names of the clauses, or empty.
    """

    literals: Literals
    n_variables: int
    names: npt.NDArray[np.int32]

    def clauses(self) -> list[list[int]]:
        """The clauses as lists of literals."""
        ends = np.flatnonzero(self.literals == 0).tolist()
        flat = self.literals.tolist()
        begins = [0, *(end + 1 for end in ends)][: len(ends)]
        return [flat[begin:end] for begin, end in zip(begins, ends, strict=True)]


class _Page(NamedTuple):
    """Output buffers; a first pass without room counts."""

    out: Literals
    names: npt.NDArray[np.int32]  # three for each clause
    at: Numbers  # (3,): literals written, names written, and variables in use


class _Places(NamedTuple):
    """The variables of each wire."""

    ptr: Numbers
    number: npt.NDArray[np.int32]
    variable: npt.NDArray[np.int32]


class _Lists(NamedTuple):
    """Working memory: the variables of each new token before and after a zone."""

    n: Numbers  # (2, n_new): number of variables
    variable: Numbers  # (2, n_new, members)
    member: Numbers  # (2, n_new, members): member whose wire each of them is about


class _Context(NamedTuple):
    """Options and constraints of the clauses."""

    since: int  # number of the first new token
    named: bool  # whether clauses have names, and only variables of tokens
    begins: Numbers  # wires at the first step; empty: tokens need not be anywhere
    moved: Numbers  # (n_zones,) of each zone, or none
    same: Numbers  # (n_tracked,) literal that token 0 is an alias of this one; 0: it never is
    links: Numbers  # (n, 2)
    seen: Numbers  # wires of different people: no token is on two of them
    filled: Numbers  # (n, 2): wire that some tracked token must be on, and its place in the names
    pairs: Numbers  # (n_zones,) variable before those of the zone's pairs; empty: there are none


@dataclass(frozen=True, eq=False)
class Encoding:
    """Variables of some tokens on wires, from one step to another.

    Parameters
    ----------
    core
        The question.
    begin, end
        Steps between which tokens are constrained; before and after these they are free.
    tracked
        (n_tracked,) int64: tokens that are distinguished. All others are anonymous.
    ptr
        (n_wires + 1,) int64: wire w has entries ``ptr[w]`` to ``ptr[w + 1] - 1`` of the following.
    number, variable
        (n,) int32 each: place in ``tracked`` of a token that may be on the wire, ascending; and the
        variable "the token is on the wire".
    first_pair
        Variable before those of the pairs of zones with a relation.
    """

    core: Core
    begin: int
    end: int
    tracked: Numbers
    ptr: Numbers
    number: npt.NDArray[np.int32]
    variable: npt.NDArray[np.int32]
    first_pair: int = 0

    @classmethod
    def of(
        cls,
        core: Core,
        possible: TokenSets,
        tracked: npt.NDArray[np.integer],
        begin: int = 0,
        end: int | None = None,
    ) -> Encoding:
        """Track tokens on all wires on which they are ``possible``: variables 1, 2, and so on.

        Parameters
        ----------
        core
            The question.
        possible
            (n_wires, words) at least as tight as reachability, because pins are read from it.
        tracked
            Tokens, each once; they are numbered in ascending order.
        begin, end
            Steps; None: the horizon.
        """
        network, last = core.network, core.network.horizon if end is None else end
        ordered = np.sort(tracked).astype(np.int64)
        lasts = (network.start <= last) & (network.end >= begin)
        ptr, number = _places(ordered, possible, lasts)
        variable = np.arange(1, len(number) + 1, dtype=np.int32)
        return cls(core, begin, last, ordered, ptr, number, variable, len(number))

    @classmethod
    def empty(cls, core: Core, first_pair: int = 0) -> Encoding:
        """An encoding without tracked tokens, from step 0 to the horizon.

        ``first_pair``: variable before those of the pairs of zones, :attr:`n_variables` in number.
        """
        ptr, none = np.zeros(core.network.n_wires + 1, np.int64), np.zeros(0, np.int32)
        return cls(core, 0, core.network.horizon, _NONE, ptr, none, none, first_pair)

    def with_token(self, token: int, there: npt.NDArray[np.bool_], variables: Numbers) -> Encoding:
        """Track one more token.

        Parameters
        ----------
        token
            The token; -1, for the first one: a token that is not yet determined.
        there
            (n_wires,) wires on which it may be.
        variables
            (n,) unused variables for these wires.
        """
        wires = np.flatnonzero(there)
        behind = self.ptr[wires + 1]
        return replace(
            self,
            tracked=np.append(self.tracked, token),
            ptr=self.ptr + pointers(there),
            number=np.insert(self.number, behind, len(self.tracked)),
            variable=np.insert(self.variable, behind, variables),
        )

    @property
    def n_variables(self) -> int:
        """Number of variables of tokens on wires, and of the pairs of zones."""
        return len(self.number) + int(self._pair_ptr[-1])

    @property
    def _pair_ptr(self) -> Numbers:
        """(n_zones + 1,) offsets of the variables of each zone's pairs."""
        network = self.core.network
        if network.relation is None:
            return np.zeros(1, np.int64)
        size = np.diff(network.zone_ptr)
        return pointers(np.where(np.diff(network.relation.ptr) > 0, size * size, 0))

    def on(self, wire: int, token: int) -> int:
        """Variable "a token is on a wire"; 0: it cannot be there."""
        low, high = self.ptr[wire], self.ptr[wire + 1]
        found = np.flatnonzero(self.tracked[self.number[low:high]] == token)
        return int(self.variable[low + found[0]]) if len(found) else 0

    def at_home(self) -> list[int]:
        """Literals of the identity: all tokens on their own rows."""
        wire = np.repeat(np.arange(self.core.network.n_wires), np.diff(self.ptr))
        home = self.tracked[self.number] == self.core.network.row[wire]
        return [int(literal) for literal in np.where(home, self.variable, -self.variable).tolist()]

    def assignment(self, true: npt.NDArray[np.bool_], whoever: int = -1) -> npt.NDArray[np.int32]:
        """(n_wires,) tracked token on each wire in a model, -1 for an anonymous one.

        Parameters
        ----------
        true
            (n,) whether each variable is true, by its number; number 0 is unused.
        whoever
            Token that is tracked as -1.
        """
        there = np.flatnonzero(true[self.variable])
        assignment = np.full(self.core.network.n_wires, -1, np.int32)
        wire = np.searchsorted(self.ptr, there, side="right") - 1
        token = self.tracked[self.number[there]]
        assignment[wire] = np.where(token < 0, whoever, token)
        return assignment

    def formula(
        self,
        *,
        since: int = 0,
        given_out: int | None = None,
        moved: npt.NDArray[np.integer] = _NONE,
        same: npt.NDArray[np.integer] = _NONE,
    ) -> Formula:
        """The clauses about tracked tokens.

        Parameters
        ----------
        since
            Only clauses that involve tokens from this number on are written.
        given_out
            Number of variables in use; None: those of tokens.
        moved
            (n_zones,) literals: if false, all tokens keep their rows in the zone; if true in a zone
            of two, both change rows. Then tokens are somewhere only if other clauses say so. Empty:
            tokens may change rows in all zones.
        same
            (n_tracked,) literals "token number 0 is an alias of this one"; 0: it never is.
        """
        context = self._context(since, named=False)._replace(
            moved=moved.astype(np.int64), same=same.astype(np.int64)
        )
        if len(moved):
            context = context._replace(begins=_NONE)
        if self.core.network.relation is not None:
            context = context._replace(pairs=self.first_pair + self._pair_ptr[:-1])
        return self._written(context, self.n_variables if given_out is None else given_out)

    def named_formula(self, possible: TokenSets, most: int) -> Formula | None:
        """Clauses with names, over variables of tokens only.

        Any of them may be left out without making a proof unsound. So in large zones two kinds are
        left out that most refutations do not need: that a token leaves by one wire only, and that
        a token that leaves has come to the zone.

        Parameters
        ----------
        possible
            (n_wires, words) tokens that can be on each wire: if all of a wire are tracked, one of
            them is there.
        most
            Maximum number of literals; None is returned if there are more.
        """
        network = self.core.network
        lasts = np.flatnonzero((network.start <= self.end) & (network.end >= self.begin))
        there = np.diff(self.ptr)[lasts]
        full = np.flatnonzero((there > 0) & (there == count(possible[lasts])))
        filled = np.stack([lasts[full], full], axis=1)
        context = self._context(0, named=True)._replace(filled=filled)
        needed = self._write_clauses(context, _blank(0, 0, len(self.number))).at
        return None if needed[0] > most else self._written(context, len(self.number))

    def _context(self, since: int, *, named: bool) -> _Context:
        network = self.core.network
        rows, links = np.arange(network.n_rows), self.core.link_wires
        begins = network.wire_at(rows, np.full(len(rows), self.begin))
        lasts = (network.start[links] <= self.end) & (network.end[links] >= self.begin)
        none = np.zeros((0, 2), np.int64)
        linked = links[np.all(lasts, 1)]
        seen = self.core.apart_wires
        seen = seen[(network.start[seen] <= self.end) & (network.end[seen] >= self.begin)]
        return _Context(since, named, begins, _NONE, _NONE, linked, seen, none, _NONE)

    def _written(self, context: _Context, given_out: int) -> Formula:
        n_literals, n_names, _ = self._write_clauses(context, _blank(0, 0, given_out)).at.tolist()
        page = _blank(n_literals, n_names if context.named else 0, given_out)
        self._write_clauses(context, page)
        return Formula(page.out, int(page.at[2]), page.names.reshape(-1, 3))

    def _write_clauses(self, context: _Context, page: _Page) -> _Page:
        """Write the clauses, as far as there is room, and count them."""
        network = self.core.network
        first, last = np.searchsorted(network.zone_time, [self.begin + 1, self.end + 1]).tolist()
        members = int(np.diff(network.zone_ptr).max(initial=0))
        longest = max(members, len(context.begins), len(context.seen))
        shape = 2, len(self.tracked) - context.since, longest
        lists = _Lists(np.zeros(shape[:2], np.int64), *(np.zeros(shape, np.int64) for _ in "ab"))
        places = _Places(self.ptr, self.number, self.variable)
        _write(page, places, lists, (first, last), context, network.wires)
        return page


def _blank(n_literals: int, n_names: int, given_out: int) -> _Page:
    at = np.array([0, 0, given_out], np.int64)
    return _Page(np.zeros(n_literals, np.int32), np.zeros(n_names, np.int32), at)


@tiered
def _places(  # pragma: no cover - compiled
    tracked: Numbers, possible: TokenSets, lasts: npt.NDArray[np.bool_]
) -> tuple[Numbers, npt.NDArray[np.int32]]:
    """Pointers to the variables of each wire, and the token number of each variable."""
    ptr = np.zeros(len(possible) + 1, np.int64)
    for w in range(len(possible)):
        ptr[w + 1] = ptr[w]
        if lasts[w]:
            for token in tracked:
                if holds(possible[w], token):
                    ptr[w + 1] += 1
    number = np.empty(ptr[-1], np.int32)
    for w in range(len(possible)):
        at = ptr[w]
        if lasts[w]:
            for i in range(len(tracked)):
                if holds(possible[w], tracked[i]):
                    number[at] = i
                    at += 1
    return ptr, number


@tiered
def _write(  # pragma: no cover - compiled
    page: _Page,
    places: _Places,
    lists: _Lists,
    zones: tuple[int, int],
    context: _Context,
    net: Wires,
) -> None:
    """Write all clauses, zone by zone."""
    lists.n[:] = 0
    for wire in context.begins:
        _gather(wire, 0, 0, context, places, lists)
        _apart(wire, page, context, places)
    for i in range(lists.n.shape[1] if len(context.begins) else 0):
        _start(i, page, context, lists)
    for z in range(zones[0], zones[1]):
        _exchange(z, page, context, places, lists, net)
    for i in range(len(context.links)):
        _link(_NEXT, context.links[i, 0], context.links[i, 1], page, context, places)
        _link(_LAST, context.links[i, 1], context.links[i, 0], page, context, places)
    _see(page, context, places, lists)
    for i in range(len(context.filled)):
        _fill(context.filled[i, 0], context.filled[i, 1], page, places)


@inner
def _exchange(  # pragma: no cover - compiled
    z: int, page: _Page, context: _Context, places: _Places, lists: _Lists, net: Wires
) -> None:
    """Write the clauses of a zone: new tokens pass it, and no two leave it on one wire."""
    moved = context.moved[z] if len(context.moved) else 0
    complete = is_complete(z, net)
    swaps = moved != 0 and complete and net.zone_ptr[z + 1] - net.zone_ptr[z] == 2
    lists.n[:] = 0
    for m in range(net.zone_ptr[z], net.zone_ptr[z + 1]):
        _gather(net.before[m], 0, m, context, places, lists)
        _gather(net.before[m] + 1, 1, m, context, places, lists)
        if not swaps:
            _apart(net.before[m] + 1, page, context, places)
    for i in range(lists.n.shape[1]):
        if moved:
            _stay_or_move(i, True, moved, page, lists)
        if swaps:
            _stay_or_move(i, False, -moved, page, lists)
        elif complete:
            _through_zone(i, page, context, lists)
        else:
            _through_related(i, z, page, context, lists, net)
    if not complete and len(context.pairs) and context.since == 0:
        _permute(z, page, context, net)


@inner
def _put(literal: int, page: _Page) -> None:  # pragma: no cover - compiled
    """Write a literal, if there is room, and count it."""
    if page.at[0] < len(page.out):
        page.out[page.at[0]] = literal
    page.at[0] += 1


@inner
def _end(kind: int, about: int, other: int, page: _Page) -> None:  # pragma: no cover - compiled
    """End a clause, and name it if there is room for names."""
    _put(0, page)
    at = page.at[1]
    if at < len(page.names):
        page.names[at] = kind
        page.names[at + 1] = about
        page.names[at + 2] = other
    page.at[1] += 3


@inner
def _two(one: int, other: int, page: _Page) -> None:  # pragma: no cover - compiled
    """Write a clause of two literals that has no name."""
    _put(one, page)
    _put(other, page)
    _end(-1, 0, 0, page)


@inner
def _not_both(  # pragma: no cover - compiled
    one: int, other: int, unless: int, page: _Page
) -> None:
    """Write that one of two variables is false, or that literal ``unless``, if not 0, is true."""
    low, high = min(one, other), max(one, other)
    _put(-low, page)
    _put(-high, page)
    if unless:
        _put(unless, page)
    _end(_APART, low, high, page)


@inner
def _gather(  # pragma: no cover - compiled
    wire: int, side: int, member: int, context: _Context, places: _Places, lists: _Lists
) -> None:
    """Add the variables of a wire to the lists of their tokens, if these are new."""
    for p in range(places.ptr[wire], places.ptr[wire + 1]):
        i = places.number[p] - context.since
        if i >= 0:
            lists.variable[side, i, lists.n[side, i]] = places.variable[p]
            lists.member[side, i, lists.n[side, i]] = member
            lists.n[side, i] += 1


@inner
def _all(i: int, side: int, page: _Page, lists: _Lists) -> None:  # pragma: no cover - compiled
    """Write the variables of a token on one side of a zone."""
    for j in range(lists.n[side, i]):
        _put(lists.variable[side, i, j], page)


@inner
def _start(
    i: int, page: _Page, context: _Context, lists: _Lists
) -> None:  # pragma: no cover - compiled
    """Write that a token is on exactly one wire at the first step."""
    _all(i, 0, page, lists)
    _end(_BEGIN, context.since + i, 0, page)
    _one_at_most(i, 0, page, context, lists)


@inner
def _fill(wire: int, place: int, page: _Page, places: _Places) -> None:  # pragma: no cover
    """Write that some token is on a wire."""
    for p in range(places.ptr[wire], places.ptr[wire + 1]):
        _put(places.variable[p], page)
    _end(_FILLED, place, 0, page)


@inner
def _through_zone(
    i: int, page: _Page, context: _Context, lists: _Lists
) -> None:  # pragma: no cover - compiled
    """Write that a token leaves a zone if and only if it comes to it, on one wire each."""
    inside = 0
    if lists.n[0, i] * lists.n[1, i] > _DIRECT and not context.named:
        page.at[2] += 1
        inside = page.at[2]
    for side in range(2):
        if side == 1 and context.named and lists.n[0, i] > _PAIRED:
            break
        for j in range(lists.n[side, i]):
            here = lists.variable[side, i, j]
            _put(-here, page)
            if inside:
                _put(inside, page)
            else:
                _all(i, 1 - side, page, lists)
            _end(_BACK if side else _ONWARD, here, 0, page)
        if inside:
            _put(-inside, page)
            _all(i, side, page, lists)
            _end(-1, 0, 0, page)
    _one_at_most(i, 1, page, context, lists)


@inner
def _through_related(  # pragma: no cover - compiled
    i: int, z: int, page: _Page, context: _Context, lists: _Lists, net: Wires
) -> None:
    """As :func:`_through_zone`, in a zone with a relation."""
    size = net.zone_ptr[z + 1] - net.zone_ptr[z]
    for side in range(2):
        for j in range(lists.n[side, i]):
            here = lists.variable[side, i, j]
            _put(-here, page)
            for k in range(lists.n[1 - side, i]):
                come, leave = lists.member[side, i, j], lists.member[1 - side, i, k]
                if side:
                    come, leave = leave, come
                if may_leave(come, leave, z, net):
                    _put(lists.variable[1 - side, i, k], page)
            _end(_BACK if side else _ONWARD, here, 0, page)
    _one_at_most(i, 1, page, context, lists)
    if not len(context.pairs):
        return
    for j in range(lists.n[0, i]):
        for k in range(lists.n[1, i]):
            come, leave = lists.member[0, i, j], lists.member[1, i, k]
            if may_leave(come, leave, z, net):
                _put(-lists.variable[0, i, j], page)
                _put(-lists.variable[1, i, k], page)
                _put(_pair(come, leave, z, size, context, net), page)
                _end(-1, 0, 0, page)


@inner
def _pair(  # pragma: no cover - compiled
    come: int, leave: int, z: int, size: int, context: _Context, net: Wires
) -> int:
    """Variable "whoever comes on one member's track leaves on another's"."""
    head = net.zone_ptr[z]
    return int(context.pairs[z] + 1 + (come - head) * size + leave - head)


@inner
def _permute(z: int, page: _Page, context: _Context, net: Wires) -> None:  # pragma: no cover
    """Write that the pairs of a zone that are taken are a permutation of its members."""
    begin, end = net.zone_ptr[z], net.zone_ptr[z + 1]
    for one in range(begin, end):
        for side in range(2):
            n = 0
            for other in range(begin, end):
                come, leave = (one, other) if side == 0 else (other, one)
                if may_leave(come, leave, z, net):
                    _put(_pair(come, leave, z, end - begin, context, net), page)
                    n += 1
            _end(-1, 0, 0, page)
            rung = 0
            for other in range(begin, end):
                come, leave = (one, other) if side == 0 else (other, one)
                if may_leave(come, leave, z, net):
                    variable = _pair(come, leave, z, end - begin, context, net)
                    _ladder_rung(variable, rung == 0, rung == n - 1, page)
                    rung += 1


@inner
def _stay_or_move(  # pragma: no cover - compiled
    i: int, stays: bool, unless: int, page: _Page, lists: _Lists
) -> None:
    """Write that a token keeps (or changes) its row in a zone, unless a literal is true."""
    for side in range(2):
        for j in range(lists.n[side, i]):
            _put(-lists.variable[side, i, j], page)
            _put(unless, page)
            for k in range(lists.n[1 - side, i]):
                if (lists.member[1 - side, i, k] == lists.member[side, i, j]) == stays:
                    _put(lists.variable[1 - side, i, k], page)
            _end(-1, 0, 0, page)


@inner
def _apart(  # pragma: no cover - compiled
    wire: int, page: _Page, context: _Context, places: _Places
) -> None:
    """Write that no two tokens are on one wire, except token 0 and the one that it stands for."""
    low, high = places.ptr[wire], places.ptr[wire + 1]
    if high - low <= _PAIRWISE or context.named or len(context.same):
        for p in range(low, high):
            if places.number[p] >= context.since:
                for q in range(low, p):
                    unless = 0
                    if len(context.same) and places.number[q] == 0:
                        unless = context.same[places.number[p]]
                    _not_both(places.variable[q], places.variable[p], unless, page)
    else:
        for p in range(low, high):
            _ladder_rung(places.variable[p], p == low, p == high - 1, page)
    if len(context.same) and low < high and places.number[low] == 0:
        _be_there(low, high, page, context, places)


@inner
def _be_there(  # pragma: no cover - compiled
    low: int, high: int, page: _Page, context: _Context, places: _Places
) -> None:
    """Write that the new token for which token 0 stands is where token 0 is."""
    for i in range(context.since, len(context.same)):
        if context.same[i]:
            _put(-places.variable[low], page)
            _put(-context.same[i], page)
            for p in range(low, high):
                if places.number[p] == i:
                    _put(places.variable[p], page)
            _end(-1, 0, 0, page)


@inner
def _one_at_most(  # pragma: no cover - compiled
    i: int, side: int, page: _Page, context: _Context, lists: _Lists
) -> None:
    """Write that at most one of a token's variables on one side of a zone is true."""
    n = lists.n[side, i]
    if n <= _PAIRWISE or (context.named and n <= _PAIRED):
        for j in range(n):
            for k in range(j):
                _not_both(lists.variable[side, i, k], lists.variable[side, i, j], 0, page)
    elif not context.named:
        for j in range(n):
            _ladder_rung(lists.variable[side, i, j], j == 0, j == n - 1, page)


@inner
def _see(  # pragma: no cover - compiled
    page: _Page, context: _Context, places: _Places, lists: _Lists
) -> None:
    """Write that each token is on one wire at most on which people are seen who are different."""
    lists.n[:] = 0
    for wire in context.seen:
        _gather(wire, 0, 0, context, places, lists)
    for i in range(lists.n.shape[1]):
        n = lists.n[0, i]
        if context.named and _PAIRED < n <= _PAIRED_SEEN:
            for j in range(n):
                for k in range(j):
                    _not_both(lists.variable[0, i, k], lists.variable[0, i, j], 0, page)
        else:
            _one_at_most(i, 0, page, context, lists)


@inner
def _ladder_rung(  # pragma: no cover - compiled
    variable: int, first: bool, last: bool, page: _Page
) -> None:
    """Write one rung of a ladder encoding (Gent and Nightingale 2004) of at most one."""
    below = page.at[2]
    if not first:
        _two(-variable, -below, page)
    if not last:
        page.at[2] += 1
        _two(-variable, page.at[2], page)
        if not first:
            _two(-below, page.at[2], page)


@inner
def _link(  # pragma: no cover - compiled
    kind: int, one: int, other: int, page: _Page, context: _Context, places: _Places
) -> None:
    """Write that a token on one wire is on the other, too."""
    for p in range(places.ptr[one], places.ptr[one + 1]):
        if places.number[p] >= context.since:
            _put(-places.variable[p], page)
            for q in range(places.ptr[other], places.ptr[other + 1]):
                if places.number[q] == places.number[p]:
                    _put(places.variable[q], page)
            _end(kind, places.variable[p], 0, page)
