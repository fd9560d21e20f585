"""Where tracked tokens are, in clauses: the one encoding of all who ask a SAT solver.

A token is on one wire at a time; it leaves the zone to which it came, and comes to that which it
leaves; no two tokens are on one wire; links hold. Where tokens are pinned is in the variables:
there are none for wires on which a token cannot be. Only some tokens are told apart, so what
contradicts itself here contradicts itself in the whole problem.

Who is tracked can grow while a solver works: :meth:`Encoding.with_token` adds a token, and
:meth:`Encoding.formula` writes what is new. Tokens need a *selector* to be anywhere, and zones
a literal to move anybody, where these are given. For certificates clauses have names
(:mod:`mixsafe.check.claim_clauses` says which).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import inner, tiered
from mixsafe.model.csr import pointers
from mixsafe.network.core import Core
from mixsafe.network.wires import Wires
from mixsafe.solver.state.tokens import TokenSets, count, holds

Literals = npt.NDArray[np.int32]
"""Variables, 1 and up, negative where they are negated."""

Numbers = npt.NDArray[np.int64]

_PAIRWISE = 5  # literals; more than these take further variables to say that one at most is true
_DIRECT = 32  # pairs of wires to and from a zone; with more, clauses go through one more variable
_PAIRED = 16  # wires of a token; with more, clauses with names say less, which is no less sound

_BEGIN, _ONWARD, _BACK, _FILLED, _NEXT, _LAST, _APART = range(7)  # as the checker counts kinds

_NONE = np.zeros(0, np.int64)


class Formula(NamedTuple):
    """Clauses, one after the other.

    ``literals``: of all clauses, each ended by a 0. ``n_variables``: those that are given out.
    ``names``: (n_clauses, 3) int32 of clauses that have names, else empty.
    """

    literals: Literals
    n_variables: int
    names: npt.NDArray[np.int32]

    def clauses(self) -> list[list[int]]:
        """The clauses as solvers take them."""
        ends = np.flatnonzero(self.literals == 0).tolist()
        flat = self.literals.tolist()
        begins = [0, *(end + 1 for end in ends)][: len(ends)]
        return [flat[begin:end] for begin, end in zip(begins, ends, strict=True)]


class _Page(NamedTuple):
    """What is written on: once to count, with no room at all, then to keep."""

    out: Literals
    names: npt.NDArray[np.int32]  # three for each clause
    at: Numbers  # (3,): literals written, names written, and variables given out


class _Places(NamedTuple):
    """The variables of each wire."""

    ptr: Numbers
    number: npt.NDArray[np.int32]
    variable: npt.NDArray[np.int32]


class _Lists(NamedTuple):
    """Working memory: the variables of each new token to a zone and from it."""

    n: Numbers  # (2, n_new): how many there are
    variable: Numbers  # (2, n_new, members)
    member: Numbers  # (2, n_new, members): whose wire each of them is about


class _Said(NamedTuple):
    """What else clauses depend on."""

    since: int  # number of the first new token
    named: bool  # whether clauses have names, and no variables but those of tokens
    begins: Numbers  # wires at the first step; none: it is not said that tokens are anywhere
    selector: Numbers  # (n_tracked,) of each token, or none
    moved: Numbers  # (n_zones,) of each zone, or none
    same: Numbers  # (n_tracked,) says that token 0 is another name of this one; 0: it never is
    links: Numbers  # (n, 2)
    filled: Numbers  # (n, 2): a wire on which some token is, and its place in the names


@dataclass(frozen=True, eq=False)
class Encoding:
    """Variables of some tokens on wires, from one step to another.

    Parameters
    ----------
    core
        The question.
    begin, end
        Steps between which tokens are followed; before and after these anything may happen.
    tracked
        (n_tracked,) int64: tokens that are told apart. All others are anonymous.
    ptr
        (n_wires + 1,) int64: wire w has entries ``ptr[w]`` to ``ptr[w + 1] - 1`` of the following.
    number, variable
        (n,) int32 each: place in ``tracked`` of a token that may be on the wire, ascending; and the
        variable that says that it is.
    """

    core: Core
    begin: int
    end: int
    tracked: Numbers
    ptr: Numbers
    number: npt.NDArray[np.int32]
    variable: npt.NDArray[np.int32]

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
            (n_wires, words) at most what reachability leaves: pins are read off it.
        tracked
            Tokens, each once; they are numbered in ascending order.
        begin, end
            Steps; None: the horizon.
        """
        network, last = core.network, core.network.horizon if end is None else end
        told = np.sort(tracked).astype(np.int64)
        lasts = (network.start <= last) & (network.end >= begin)
        ptr, number = _places(told, possible, lasts)
        variable = np.arange(1, len(number) + 1, dtype=np.int32)
        return cls(core, begin, last, told, ptr, number, variable)

    @classmethod
    def empty(cls, core: Core) -> Encoding:
        """No token is tracked yet, from step 0 to the horizon."""
        ptr, none = np.zeros(core.network.n_wires + 1, np.int64), np.zeros(0, np.int32)
        return cls(core, 0, core.network.horizon, _NONE, ptr, none, none)

    def with_token(self, token: int, there: npt.NDArray[np.bool_], variables: Numbers) -> Encoding:
        """Track one more token.

        Parameters
        ----------
        token
            Which one; -1 as the first one: whoever it is.
        there
            (n_wires,) where it may be.
        variables
            (n,) variables that no clause is about yet, of these wires.
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
        """Number of variables of tokens on wires."""
        return len(self.number)

    def on(self, wire: int, token: int) -> int:
        """Variable that says that a token is on a wire; 0: it cannot be there."""
        low, high = self.ptr[wire], self.ptr[wire + 1]
        found = np.flatnonzero(self.tracked[self.number[low:high]] == token)
        return int(self.variable[low + found[0]]) if len(found) else 0

    def at_home(self) -> list[int]:
        """Literals of all tokens on their own rows."""
        wire = np.repeat(np.arange(self.core.network.n_wires), np.diff(self.ptr))
        home = self.tracked[self.number] == self.core.network.row[wire]
        return [int(literal) for literal in np.where(home, self.variable, -self.variable).tolist()]

    def told(self, true: npt.NDArray[np.bool_], whoever: int = -1) -> npt.NDArray[np.int32]:
        """(n_wires,) tracked token on each wire, -1 for an anonymous one, in an answer.

        Parameters
        ----------
        true
            (n,) which variables are true, by their numbers; number 0 is none.
        whoever
            Token that is tracked as -1.
        """
        there = np.flatnonzero(true[self.variable])
        told = np.full(self.core.network.n_wires, -1, np.int32)
        wire = np.searchsorted(self.ptr, there, side="right") - 1
        token = self.tracked[self.number[there]]
        told[wire] = np.where(token < 0, whoever, token)
        return told

    def formula(
        self,
        *,
        selected: bool = False,
        since: int = 0,
        given_out: int | None = None,
        moved: npt.NDArray[np.integer] = _NONE,
        same: npt.NDArray[np.integer] = _NONE,
    ) -> Formula:
        """All that is known of tracked tokens.

        Parameters
        ----------
        selected
            Whether each token needs a *selector* to be anywhere: the variable ``n_variables + 1 +``
            its place in ``tracked``.
        since
            Clauses about tokens up to this number are written already.
        given_out
            Variables that are given out; None: those of tokens, and selectors.
        moved
            (n_zones,) literals without which nobody changes rows in a zone, and with which all do
            in a zone of two. Tokens are somewhere only if other clauses say so. Empty: anybody may
            change rows anywhere.
        same
            (n_tracked,) literals that say that token number 0 is this one, under another name;
            0: it never is.
        """
        n, selector = self.n_variables, _NONE
        if selected:
            selector = n + 1 + np.arange(len(self.tracked))
        said = self._said(since, named=False)._replace(
            selector=selector, moved=moved.astype(np.int64), same=same.astype(np.int64)
        )
        if len(moved):
            said = said._replace(begins=_NONE)
        return self._written(said, n + len(selector) if given_out is None else given_out)

    def named_formula(self, possible: TokenSets, most: int) -> Formula | None:
        """Clauses and their names, about no variables but those of tokens.

        Any of them may be left out, which cannot make a wrong proof. So where zones are large,
        those that most refutations do without are: that a token leaves by one wire only, and that
        it came from where it is.

        Parameters
        ----------
        possible
            As for :meth:`of`: where all that is possible is tracked, some token is.
        most
            Literals that are written; of more than these, none are.
        """
        network = self.core.network
        lasts = np.flatnonzero((network.start <= self.end) & (network.end >= self.begin))
        there = np.diff(self.ptr)[lasts]
        full = np.flatnonzero((there > 0) & (there == count(possible[lasts])))
        filled = np.stack([lasts[full], full], axis=1)
        said = self._said(0, named=True)._replace(filled=filled)
        needed = self._put_down(said, _blank(0, 0, self.n_variables)).at
        return None if needed[0] > most else self._written(said, self.n_variables)

    def _said(self, since: int, *, named: bool) -> _Said:
        network = self.core.network
        rows, links = np.arange(network.n_rows), self.core.link_wires
        begins = network.wire_at(rows, np.full(len(rows), self.begin))
        lasts = (network.start[links] <= self.end) & (network.end[links] >= self.begin)
        none = np.zeros((0, 2), np.int64)
        return _Said(since, named, begins, _NONE, _NONE, _NONE, links[np.all(lasts, 1)], none)

    def _written(self, said: _Said, given_out: int) -> Formula:
        n_literals, n_names, _ = self._put_down(said, _blank(0, 0, given_out)).at.tolist()
        page = _blank(n_literals, n_names if said.named else 0, given_out)
        self._put_down(said, page)
        return Formula(page.out, int(page.at[2]), page.names.reshape(-1, 3))

    def _put_down(self, said: _Said, page: _Page) -> _Page:
        """Write clauses, as far as there is room, and count them."""
        network = self.core.network
        first, last = np.searchsorted(network.zone_time, [self.begin + 1, self.end + 1]).tolist()
        members = int(np.diff(network.zone_ptr).max(initial=0))
        shape = 2, len(self.tracked) - said.since, max(members, len(said.begins))
        lists = _Lists(np.zeros(shape[:2], np.int64), *(np.zeros(shape, np.int64) for _ in "ab"))
        places = _Places(self.ptr, self.number, self.variable)
        _write(page, places, lists, (first, last), said, network.wires)
        return page


def _blank(n_literals: int, n_names: int, given_out: int) -> _Page:
    at = np.array([0, 0, given_out], np.int64)
    return _Page(np.zeros(n_literals, np.int32), np.zeros(n_names, np.int32), at)


@tiered
def _places(  # pragma: no cover - compiled
    tracked: Numbers, possible: TokenSets, lasts: npt.NDArray[np.bool_]
) -> tuple[Numbers, npt.NDArray[np.int32]]:
    """Where the variables of each wire begin, and the token that each of them is about."""
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
    page: _Page, places: _Places, lists: _Lists, zones: tuple[int, int], said: _Said, net: Wires
) -> None:
    """Write all clauses, zone by zone."""
    lists.n[:] = 0
    for wire in said.begins:
        _gather(wire, 0, 0, said, places, lists)
        _apart(wire, page, said, places)
    for i in range(lists.n.shape[1] if len(said.begins) else 0):
        _begin(i, page, said, lists)
    for z in range(zones[0], zones[1]):
        _exchange(z, page, said, places, lists, net)
    for i in range(len(said.links)):
        _link(_NEXT, said.links[i, 0], said.links[i, 1], page, said, places)
        _link(_LAST, said.links[i, 1], said.links[i, 0], page, said, places)
    for i in range(len(said.filled)):
        _fill(said.filled[i, 0], said.filled[i, 1], page, places)


@inner
def _exchange(  # pragma: no cover - compiled
    z: int, page: _Page, said: _Said, places: _Places, lists: _Lists, net: Wires
) -> None:
    """New tokens go through a zone; no two leave it on one wire."""
    moved = said.moved[z] if len(said.moved) else 0
    swaps = moved != 0 and net.zone_ptr[z + 1] - net.zone_ptr[z] == 2
    lists.n[:] = 0
    for m in range(net.zone_ptr[z], net.zone_ptr[z + 1]):
        _gather(net.before[m], 0, m, said, places, lists)
        _gather(net.before[m] + 1, 1, m, said, places, lists)
        if not swaps:
            _apart(net.before[m] + 1, page, said, places)
    for i in range(lists.n.shape[1]):
        if moved:
            _go_on(i, True, moved, page, lists)
        if swaps:
            _go_on(i, False, -moved, page, lists)
        else:
            _pass(i, page, said, lists)


@inner
def _put(literal: int, page: _Page) -> None:  # pragma: no cover - compiled
    """Write a literal; where there is no room, count it."""
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
    """One of two variables is false, unless a literal is true, where it is not 0."""
    low, high = min(one, other), max(one, other)
    _put(-low, page)
    _put(-high, page)
    if unless:
        _put(unless, page)
    _end(_APART, low, high, page)


@inner
def _gather(  # pragma: no cover - compiled
    wire: int, side: int, member: int, said: _Said, places: _Places, lists: _Lists
) -> None:
    """Add the variables of a wire to the lists of their tokens, if these are new."""
    for p in range(places.ptr[wire], places.ptr[wire + 1]):
        i = places.number[p] - said.since
        if i >= 0:
            lists.variable[side, i, lists.n[side, i]] = places.variable[p]
            lists.member[side, i, lists.n[side, i]] = member
            lists.n[side, i] += 1


@inner
def _all(i: int, side: int, page: _Page, lists: _Lists) -> None:  # pragma: no cover - compiled
    """The variables of a token on one side of a zone."""
    for j in range(lists.n[side, i]):
        _put(lists.variable[side, i, j], page)


@inner
def _begin(i: int, page: _Page, said: _Said, lists: _Lists) -> None:  # pragma: no cover - compiled
    """A token is on one wire at the first step, if its selector is true."""
    if len(said.selector):
        _put(-said.selector[i], page)
    _all(i, 0, page, lists)
    _end(_BEGIN, said.since + i, 0, page)
    _one_at_most(i, 0, page, said, lists)


@inner
def _fill(wire: int, place: int, page: _Page, places: _Places) -> None:  # pragma: no cover
    """Some token is on a wire."""
    for p in range(places.ptr[wire], places.ptr[wire + 1]):
        _put(places.variable[p], page)
    _end(_FILLED, place, 0, page)


@inner
def _pass(i: int, page: _Page, said: _Said, lists: _Lists) -> None:  # pragma: no cover - compiled
    """A token leaves a zone if it comes to it, and the other way round, on one wire each."""
    inside = 0
    if lists.n[0, i] * lists.n[1, i] > _DIRECT and not said.named:
        page.at[2] += 1
        inside = page.at[2]
    for side in range(2):
        if side == 1 and said.named and lists.n[0, i] > _PAIRED:
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
    _one_at_most(i, 1, page, said, lists)


@inner
def _go_on(  # pragma: no cover - compiled
    i: int, stays: bool, unless: int, page: _Page, lists: _Lists
) -> None:
    """A token goes through a zone on its row, or on another one, unless a literal is true."""
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
    wire: int, page: _Page, said: _Said, places: _Places
) -> None:
    """No two tokens are on one wire; but token 0 is on those of the one that it is."""
    low, high = places.ptr[wire], places.ptr[wire + 1]
    if high - low <= _PAIRWISE or said.named or len(said.same):
        for p in range(low, high):
            if places.number[p] >= said.since:
                for q in range(low, p):
                    unless = 0
                    if len(said.same) and places.number[q] == 0:
                        unless = said.same[places.number[p]]
                    _not_both(places.variable[q], places.variable[p], unless, page)
    else:
        for p in range(low, high):
            _climb(places.variable[p], p == low, p == high - 1, page)
    if len(said.same) and low < high and places.number[low] == 0:
        _be_there(low, high, page, said, places)


@inner
def _be_there(  # pragma: no cover - compiled
    low: int, high: int, page: _Page, said: _Said, places: _Places
) -> None:
    """The new token that token 0 is, under another name, is where token 0 is."""
    for i in range(said.since, len(said.same)):
        if said.same[i]:
            _put(-places.variable[low], page)
            _put(-said.same[i], page)
            for p in range(low, high):
                if places.number[p] == i:
                    _put(places.variable[p], page)
            _end(-1, 0, 0, page)


@inner
def _one_at_most(  # pragma: no cover - compiled
    i: int, side: int, page: _Page, said: _Said, lists: _Lists
) -> None:
    """One of a token's variables on one side of a zone is true, or none."""
    n = lists.n[side, i]
    if n <= _PAIRWISE or (said.named and n <= _PAIRED):
        for j in range(n):
            for k in range(j):
                _not_both(lists.variable[side, i, k], lists.variable[side, i, j], 0, page)
    elif not said.named:
        for j in range(n):
            _climb(lists.variable[side, i, j], j == 0, j == n - 1, page)


@inner
def _climb(  # pragma: no cover - compiled
    variable: int, first: bool, last: bool, page: _Page
) -> None:
    """One rung of a ladder (Gent and Nightingale 2004): whether one was true so far."""
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
    kind: int, one: int, other: int, page: _Page, said: _Said, places: _Places
) -> None:
    """A token that is on one wire is on the other, too."""
    for p in range(places.ptr[one], places.ptr[one + 1]):
        if places.number[p] >= said.since:
            _put(-places.variable[p], page)
            for q in range(places.ptr[other], places.ptr[other + 1]):
                if places.number[q] == places.number[p]:
                    _put(places.variable[q], page)
            _end(kind, places.variable[p], 0, page)
