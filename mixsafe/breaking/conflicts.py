"""Conflict sets: the sightings that contradict an assignment, or the paths of single tokens.

An assignment that agrees with the base knowledge is *contradicted* by a sighting of a user that
shows her with another token than her earlier sightings. If there are none, it takes two sightings
that show her with different tokens. Where different people are different, a sighting of a user with
the token of somebody who was seen before contradicts it, too, and so do two sightings that show two
users with one token. Sets of sightings are bits of integers: that of number i of the
:class:`~mixsafe.breaking.targets.SightingChoices` is ``1 << i``.

An assignment with another token on a user's wire contains a path of that token over it, from one of
its pins to the next, over no wire to which another token is pinned; and a path of the user's own
token around the wire. Reachability decides which paths exist (fact 5). If there are too few, the
wire is broken. Each path has a conflict set, as an assignment has: so the smallest sets that leave
too few paths are hitting sets as well. Users count as known if their token is known: if they were
seen before their first zone. Sightings of others are ignored, which leaves more paths.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.breaking.targets import BreakingTarget, Flags, Ints, SightingChoices
from mixsafe.model.question.adversary import Knowledge
from mixsafe.network.wires import NOWHERE, WireNetwork
from mixsafe.solver.propagate.reachability import AFTER, BEFORE, FAR, ReachedWires, spread
from mixsafe.solver.state.witness import Assignment

_Numbers = npt.NDArray[np.int32] | Ints
"""(n_choices,) tokens or users."""

_NEAR = 6
"""Zones to either side searched first: short paths have small conflict sets."""


class Conflicts(NamedTuple):
    """Conflict set of an assignment.

    Parameters
    ----------
    single
        Sightings each of which contradicts it: of users with known sightings.
    classes
        For each other user with several tokens: classes of sightings that show the same token.
        Where different people are different, for each token of several users also: classes of
        sightings of the same user. Two sightings of different classes contradict it.
    """

    single: int
    classes: tuple[tuple[int, ...], ...] = ()

    def by(self, chosen: int) -> bool:
        """Whether a set of sightings contradicts the assignment."""
        if self.single & chosen:
            return True
        return any(sum(bool(one & chosen) for one in family) > 1 for family in self.classes)

    def useful(self, chosen: int) -> int:
        """Sightings of which at least one must be added to those ``chosen`` to contradict it."""
        found = self.single
        for family in self.classes:
            hit = [one for one in family if one & chosen]
            spared = hit[0] if hit else max(family, key=int.bit_count)
            for one in family:
                found |= one if one != spared else 0
        return found


Witness = tuple[Conflicts, ...]
"""Assignments that show that a target passes: it fails only if one of them is contradicted."""


def survives(witness: Witness, chosen: int) -> bool:
    """Whether a set of sightings contradicts no assignment of a witness."""
    return not any(assignment.by(chosen) for assignment in witness)


def useful(witness: Witness, chosen: int) -> int:
    """Sightings of which at least one must be added to contradict one of its assignments."""
    found = 0
    for assignment in witness:
        found |= assignment.useful(chosen)
    return found


def hits_of(witness: Witness) -> tuple[list[int], list[list[list[int]]]]:
    """Sightings that contradict one of its assignments, as a core of an implicit hitting set.

    Parameters
    ----------
    witness
        A surviving witness.

    Returns
    -------
    Sightings one of which is enough; and families of classes, two of one of which are enough.
    """
    single, families = 0, []
    for assignment in witness:
        single |= assignment.single
        for family in assignment.classes:
            families.append([listed(one).tolist() for one in family])
    return listed(single).tolist(), families


def set_of(chosen: Iterable[int]) -> int:
    """The set of some numbers, which may be given several times."""
    return reduce(or_, (1 << one for one in chosen), 0)


def bits_of(those: npt.NDArray[np.bool_]) -> int:
    """The set of the numbers at which an array, (n,), is true."""
    return int.from_bytes(np.packbits(those, bitorder="little").tobytes(), "little")


def listed(chosen: int) -> Ints:
    """(n,) int64: the numbers of a set, ascending."""
    bits = np.frombuffer(chosen.to_bytes(chosen.bit_length() // 8 + 1, "little"), np.uint8)
    return np.flatnonzero(np.unpackbits(bits, bitorder="little"))


class KnownUsers(NamedTuple):
    """Base knowledge by user.

    Parameters
    ----------
    wire
        (n_rows,) int64: a wire on which each was seen; -1: never.
    seen
        (n,) int64, ascending: the wires with sightings.
    named
        (n_rows,) bool: seen before her first zone, which reveals her token.
    distinct
        Whether different users have different tokens at their sightings.
    """

    wire: Ints
    seen: Ints
    named: Flags
    distinct: bool

    @classmethod
    def of(cls, knowledge: Knowledge, network: WireNetwork) -> KnownUsers:
        """By the first sighting of each user."""
        wire = np.full(network.n_rows, -1, np.int64)
        row, first = np.unique(knowledge.row, return_index=True)
        wire[row] = network.wire_at(row, knowledge.time[first])
        seen = np.unique(network.wire_at(knowledge.row, knowledge.time))
        named = np.zeros(network.n_rows, np.bool_)
        named[network.row[seen[seen == network.first[network.row[seen]]]]] = True
        return cls(wire, seen, named, knowledge.distinct)


def conflicts(
    assignment: Assignment,
    choices: SightingChoices,
    counts: npt.NDArray[np.bool_],
    known: KnownUsers,
) -> Conflicts:
    """Conflict set of an assignment.

    Parameters
    ----------
    assignment
        (n_wires,) token on each wire.
    choices
        Allowed sightings.
    counts
        (n_choices,) bool: whether each counts.
    known
        Base knowledge by user.
    """
    shown = assignment[choices.wire]
    seen = known.wire[choices.row]
    is_known = seen >= 0
    single = counts & is_known & (shown != assignment[seen])
    free = counts & ~is_known
    if known.distinct:
        single |= free & np.isin(shown, assignment[known.wire[known.wire >= 0]])
    moved = free & (shown != choices.row)
    classes = _classes(free, choices.row, shown, choices.row[moved])
    if known.distinct:
        classes += _classes(free, shown, choices.row, shown[moved])
    return Conflicts(bits_of(single), tuple(classes))


def _classes(free: Flags, of: _Numbers, by: _Numbers, some: _Numbers) -> list[tuple[int, ...]]:
    """For some values of ``of``: the classes of sightings with the same value ``by``, if several.

    ``free``, (n_choices,): sightings that count, of users without known sightings.
    """
    families = []
    for one in np.unique(some).tolist():
        classes: dict[int, int] = {}
        for number in np.flatnonzero(free & (of == one)).tolist():
            classes[int(by[number])] = classes.get(int(by[number]), 0) | 1 << number
        if len(classes) > 1:
            families.append(tuple(classes.values()))
    return families


class _Pinned(NamedTuple):
    """Wires to which known users are pinned.

    ``taken`` (n_wires,) bool; ``last`` and ``following`` (n_rows,): the last such wire of each row
    that does not begin after the wire asked about ends, and the first one that does not end before
    it begins; -1 and n_wires where there is none.
    """

    taken: npt.NDArray[np.bool_]
    last: Ints
    following: Ints


class _TokenPath(NamedTuple):
    """A path of a token: the wires of others that it uses, and its own that it leaves."""

    token: int
    on: Ints
    off: Ints


class _Others(NamedTuple):
    """Other tokens that can be on the wire, those with the shortest paths first.

    ``token``, ``low``, ``high`` (n,): the token, the wire on which it leaves its row, and the one
    where it is back, or ends; ``back``, ``ahead``: the paths to the wire, and on from it.
    """

    token: Ints
    low: Ints
    high: Ints
    back: ReachedWires
    ahead: ReachedWires


class TokenPaths:
    """Paths of tokens over a single wire, and around it.

    Parameters
    ----------
    network, known
        All wires, and the base knowledge.
    target
        A single wire; k is 2 or more.
    choices
        Allowed sightings.
    """

    def __init__(
        self,
        network: WireNetwork,
        known: KnownUsers,
        target: BreakingTarget,
        choices: SightingChoices,
    ) -> None:
        self._network, self._known, self._choices = network, known, choices
        self._user, self._wire = target.user, int(target.wires[0])
        self._needed = int(target.k[0]) - 1
        start, end = (int(ends[self._wire]) for ends in (network.start, network.end))
        rows = np.arange(network.n_rows)
        self._then = network.wire_at(rows, start), network.wire_at(rows, end)

    def witness(self, chosen: int) -> Witness | None:
        """Paths that agree with all sightings; None: too few, so the wire is broken."""
        pinned = self._pinned(chosen)
        if pinned.taken[self._wire]:
            return None
        around = self._around(pinned, _NEAR) or self._around(pinned, FAR)
        if around is None:
            return None
        others = self._over(pinned, _NEAR) or self._over(pinned, FAR)
        if others is None:
            return None
        return tuple(self._conflicts(path) for path in (around, *others))

    def _pinned(self, chosen: int) -> _Pinned:
        """Pins of known users, once some sightings are added."""
        network, wires, named = self._network, self._known.seen, self._known.named
        added = self._choices.wire[listed(chosen)]
        first = added[added == network.first[network.row[added]]]
        if len(first):
            named = named.copy()
            named[network.row[first]] = True
        wires = np.concatenate([wires, added])
        wires = wires[named[network.row[wires]]]
        taken = np.zeros(network.n_wires, np.bool_)
        taken[wires] = True
        last = np.full(network.n_rows, -1, np.int64)
        following = np.full(network.n_rows, network.n_wires, np.int64)
        row = network.row[wires]
        early, late = wires <= self._then[1][row], wires >= self._then[0][row]
        np.maximum.at(last, row[early], wires[early])
        np.minimum.at(following, row[late], wires[late])
        return _Pinned(taken, last, following)

    def _around(self, pinned: _Pinned, most: int) -> _TokenPath | None:
        """A short path of the user's own token around the wire; None: there is none."""
        network, user, wire = self._network, self._user, self._wire
        low = max(int(pinned.last[user]), int(network.first[user]))
        if low >= wire:
            return None
        begin = np.arange(wire - 1, low - 1, -1)
        ahead = spread(network, AFTER, begin, pinned.taken, shut=wire, most=most)
        high = min(int(pinned.following[user]) + 1, int(network.first[user + 1]))
        home = np.flatnonzero((ahead.wire > wire) & (ahead.wire < high))
        far = ahead.depth[home] + ahead.wire[home] - wire - 1
        ends = [(int(far.min()), int(ahead.wire[home[far.argmin()]]))] if len(home) else []
        if high == network.first[user + 1] and not pinned.taken[high - 1]:
            away = self._free_end(ahead, pinned)
            if away is not None:
                ends.append((away[0] + high - wire - 1, away[1]))
        if not ends:
            return None
        _, end = min(ends)
        path = np.array(ahead.path(end)[::-1], np.int64)
        until = end if network.row[end] == user else high
        return self._path(user, path, (int(path[0]) + 1, until))

    def _over(self, pinned: _Pinned, most: int) -> list[_TokenPath] | None:
        """Short paths of the required number of other tokens over the wire; None: too few."""
        others = self._others(pinned, most)
        if len(others.token) < self._needed:
            return None
        found = []
        for token, low, high in zip(
            *(one[: self._needed].tolist() for one in others[:3]), strict=True
        ):
            path = np.array([*others.back.path(low), *others.ahead.path(high)[::-1]], np.int64)
            home = high if self._network.row[high] == token else self._network.first[token + 1]
            found.append(self._path(token, path, (low + 1, int(home))))
        return found

    def _others(self, pinned: _Pinned, most: int) -> _Others:
        """The other tokens that can be on the wire, by paths no longer than ``most``."""
        begin = np.array([self._wire])
        back = spread(self._network, BEFORE, begin, pinned.taken, most=most)
        ahead = spread(self._network, AFTER, begin, pinned.taken, most=most)
        rows, far, at = self._joins(back, pinned.last, self._then[0])
        ends, further, to = self._leaves(ahead, pinned)
        both, here, there = np.intersect1d(rows, ends, assume_unique=True, return_indices=True)
        near = np.argsort(far[here] + further[there], kind="stable")
        return _Others(both[near], at[here[near]], to[there[near]], back, ahead)

    def _joins(self, back: ReachedWires, last: Ints, then: Ints) -> tuple[Ints, Ints, Ints]:
        """For each other token that comes to the wire: row, how far, and where it leaves home."""
        row = self._network.row[back.wire].astype(np.int64)
        those = np.flatnonzero((row != self._user) & (back.wire >= last[row]))
        wire, row = back.wire[those], row[those]
        return _least(row, back.depth[those] + then[row] - wire, wire)

    def _leaves(self, ahead: ReachedWires, pinned: _Pinned) -> tuple[Ints, Ints, Ints]:
        """For each other token that can go on: row, how far, and where it is back, or ends."""
        network, then = self._network, self._then[1]
        row = network.row[ahead.wire].astype(np.int64)
        those = np.flatnonzero((row != self._user) & (ahead.wire <= pinned.following[row]))
        wire, row = ahead.wire[those], row[those]
        far = ahead.depth[those] + wire - then[row]
        away = self._free_end(ahead, pinned)
        if away is not None:
            free = np.flatnonzero(pinned.following == network.n_wires)
            free = free[free != self._user]
            row, wire = np.append(row, free), np.append(wire, np.full(len(free), away[1]))
            far = np.append(far, away[0] + network.first[free + 1] - then[free])
        return _least(row, far, wire)

    def _free_end(self, ahead: ReachedWires, pinned: _Pinned) -> tuple[int, int] | None:
        """Distance to the nearest last wire without a pin, and this wire."""
        ends = self._network.leads_to[ahead.wire] == NOWHERE
        those = np.flatnonzero(ends & ~pinned.taken[ahead.wire])
        return (int(ahead.depth[those[0]]), int(ahead.wire[those[0]])) if len(those) else None

    def _path(self, token: int, path: Ints, away: tuple[int, int]) -> _TokenPath:
        """A token path, with the token's own wires that it leaves within a range ``away``."""
        own = self._network.row[path] == token
        return _TokenPath(token, path[~own], np.setdiff1d(np.arange(*away), path[own]))

    def _conflicts(self, path: _TokenPath) -> Conflicts:
        """Conflict set of a path."""
        single, classes = 0, list[tuple[int, ...]]()
        for row, wires in self._of_rows(path):
            seen = self._bits(wires)
            if self._known.named[row]:
                single |= seen
                continue
            by_name = self._bits(self._network.first[row : row + 1])
            if np.isin(wires, self._known.seen).any():
                single |= by_name
            elif seen and by_name:
                classes.append((by_name, seen))
        return Conflicts(single, tuple(classes))

    def _of_rows(self, path: _TokenPath) -> Iterator[tuple[int, Ints]]:
        """For each row the wires on which a path puts another token."""
        yield path.token, path.off
        row = self._network.row[path.on]
        for one in np.unique(row).tolist():
            yield one, path.on[row == one]

    def _bits(self, wires: Ints) -> int:
        """The set of allowed sightings on some wires."""
        allowed = self._choices.wire
        at = np.searchsorted(allowed, wires)
        inside = at < len(allowed)
        at, wires = at[inside], wires[inside]
        return set_of(at[allowed[at] == wires].tolist())


def _least(row: Ints, far: Ints, wire: Ints) -> tuple[Ints, Ints, Ints]:
    """The nearest of each row."""
    order = np.lexsort((far, row))
    row, far, wire = row[order], far[order], wire[order]
    new = np.ones(len(row), bool)
    new[1:] = row[1:] != row[:-1]
    return row[new], far[new], wire[new]
