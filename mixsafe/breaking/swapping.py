"""Witnesses without search: swaps of a user with users whom she meets repeatedly (fact 7).

Two users swap at a meeting and back at their next one, or for ever after their last one, while
neither is seen. That shows the other's token on all wires of the user between the two swaps.

If a user alone has sightings, her absences are witnesses, too. Where nothing is known of the
others, assignments need not bring them home. A user's token leaves at one of her zones, goes
wherever it can, and is back at a later one, or never; meanwhile any token that can come to that
zone is on her row. The conflict set does not depend on which token that is, so one absence stands
for as many candidates as could have come.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.breaking.conflicts import Conflicts, KnownUsers, Witness, bits_of, listed
from mixsafe.breaking.targets import BreakingTarget, Flags, Ints, SightingChoices
from mixsafe.machinery.compiled import inner, tiered
from mixsafe.model.csr import pointers, ranges
from mixsafe.network.wires import WireNetwork, Wires, swappable


class Absences(NamedTuple):
    """Stretches of a user's wires on which another token may be, (n,) int64 each.

    Parameters
    ----------
    begin, end
        First of her wires without her token, and the one after the last.
    comers
        Other tokens that may be on all of them meanwhile, counted up to a given maximum.
    """

    begin: Ints
    end: Ints
    comers: Ints


def absences(network: WireNetwork, user: int, most: int) -> Absences:
    """The shortest absences of a user from each of her zones on, and those that do not end.

    Parameters
    ----------
    network
        All wires.
    user
        Her row.
    most
        Maximum count at each zone.
    """
    last = int(network.first[user + 1])
    begin, back = np.arange(int(network.first[user]) + 1, last), soonest_back(network, user)
    comers = np.zeros(len(begin), np.int64)
    come_to(network.wires, user, comers, np.full((network.n_rows, max(most, 1)), -1, np.int32))
    ends = np.full(len(begin), last)
    short = back < last
    return Absences(
        np.concatenate([begin[short], begin]),
        np.concatenate([back[short], ends]),
        np.concatenate([comers[short], comers]),
    )


def soonest_back(network: WireNetwork, user: int) -> Ints:
    """(n,) int64: for each zone of a user the first of her wires on which she can be back.

    If she leaves there; the end of her wires where she cannot be back.
    """
    back = np.zeros(int(network.first[user + 1] - network.first[user]) - 1, np.int64)
    back_at(network.wires, user, back)
    return back


@tiered
def back_at(wires: Wires, user: int, back: Ints) -> None:  # pragma: no cover - compiled
    """Write for each zone of a user the first wire on which she can be back if she leaves there.

    Parameters
    ----------
    wires
        All of them.
    user
        Her row.
    back
        (n,) int64, one for each of her zones; the end of her wires where she cannot be back.
    """
    last = wires.first[user + 1]
    soonest = np.full(len(wires.first) - 1, last)  # by row, for a token that is there
    for zone in range(len(wires.zone_time) - 1, -1, -1):
        mine, least = -1, last
        for m in range(wires.zone_ptr[zone], wires.zone_ptr[zone + 1]):
            if wires.member[m] == user:
                mine = wires.before[m] + 1
            else:
                least = min(least, soonest[wires.member[m]])
        if mine >= 0:
            back[mine - wires.first[user] - 1] = least
            least = mine
        for m in range(wires.zone_ptr[zone], wires.zone_ptr[zone + 1]):
            soonest[wires.member[m]] = least


@tiered
def come_to(  # pragma: no cover - compiled
    wires: Wires, user: int, comers: Ints, there: npt.NDArray[np.int32]
) -> None:
    """Count for each zone of a user the others who can come to it while she keeps to her row.

    Parameters
    ----------
    wires, user
        Wires of the network, and the user.
    comers
        (n,) int64: where it is written, one for each of her zones.
    there
        (n_rows, most) int32: room for tokens that can be on each row; -1: no more.
    """
    most = there.shape[1]
    for row in range(len(there)):
        if row != user:
            there[row, 0] = row
    here = np.empty(most, np.int32)
    for zone in range(len(wires.zone_time)):
        n, mine = 0, -1
        for m in range(wires.zone_ptr[zone], wires.zone_ptr[zone + 1]):
            if wires.member[m] == user:
                mine = wires.before[m]
            else:
                n = _joined(there[wires.member[m]], here, n)
        if mine >= 0:
            comers[mine - wires.first[user]] = n
        for m in range(wires.zone_ptr[zone], wires.zone_ptr[zone + 1]):
            if wires.member[m] != user:
                there[wires.member[m], :n] = here[:n]


@inner
def _joined(  # pragma: no cover - compiled
    some: npt.NDArray[np.int32], here: npt.NDArray[np.int32], n: int
) -> int:
    """Add tokens to the first ``n`` of a set that has room for some; how many there are then."""
    for token in some:
        if token < 0 or n == len(here):
            break
        new = True
        for i in range(n):
            new = new and here[i] != token
        if new:
            here[n] = token
            n += 1
    return n


class Hidden(NamedTuple):
    """Sightings of users who are away in some assignments, (n, people) each.

    Any sighting of a known user while she is away contradicts the assignment. For others it takes
    a sighting while she is away and one while she is not. Where different people are different,
    two users who swap have one token if one of them is seen away and the other one is not; so
    sightings of both count alike.

    Parameters
    ----------
    low, high
        int64: number of the first choice while each is away, and of the first one after that.
    first, last
        int64: the same of all choices about her.
    known
        bool, (n, people), or (n, 1) where they count alike: whether the base knowledge has
        sightings of her, or of one of them.
    """

    low: Ints
    high: Ints
    first: Ints
    last: Ints
    known: Flags

    @classmethod
    def of(
        cls,
        choices: SightingChoices,
        network: WireNetwork,
        users: KnownUsers,
        *away: tuple[Ints, Ints, Ints],
    ) -> Hidden:
        """Of users who are away: rows, first wires, and wires after the last, (n,) each.

        Other users who are also away are neither known nor seen.
        """
        row, begin, end = (np.stack(column, axis=1) for column in zip(*away, strict=True))
        low, high, first, last = (
            np.searchsorted(choices.wire, one)
            for one in (begin, end, network.first[row], network.first[row + 1])
        )
        known = users.wire[row] >= 0
        if users.distinct:
            known = known.any(axis=1, keepdims=True)
        return cls(low, high, first, last, known)

    def contradicted(self, before: Ints) -> Flags:
        """(n,) whether contradicted; ``before`` (n_choices + 1,): cumulative counts of seen."""
        away, home = self._counted(before)
        return np.asarray(((away > 0) & (self.known | (home > 0))).any(axis=1))

    def useful(self, before: Ints) -> Ints:
        """(n,) helpful sightings against each; ``before``: cumulative counts."""
        away, home = self._counted(before)
        return np.asarray(np.where(self.known, away, np.minimum(away, home)).sum(axis=1))

    def _counted(self, before: Ints) -> tuple[Ints, Ints]:
        """Numbers of sightings while users are away, and while they are not, as ``known`` is."""
        away = before[self.high] - before[self.low]
        home = before[self.last] - before[self.first] - away
        if self.known.shape[1] < away.shape[1]:
            away, home = (one.sum(axis=1, keepdims=True) for one in (away, home))
        return away, home

    def conflicts(self, number: int, counting: int) -> Conflicts:
        """Conflict set of one assignment, within the sightings that count."""
        single, classes = 0, []
        rows = zip(*(one[number].tolist() for one in self[:4]), strict=True)
        sets = [
            (away := _stretch(low, high) & counting, _stretch(first, last) & counting & ~away)
            for low, high, first, last in rows
        ]
        known = self.known[number].tolist()
        if len(known) < len(sets):
            sets = [tuple(reduce(or_, column) for column in zip(*sets, strict=True))]
        for (away, home), is_known in zip(sets, known, strict=True):
            if is_known:
                single |= away
            elif home and away:
                classes.append((home, away))
        return Conflicts(single, tuple(classes))


class _Swaps(NamedTuple):
    """Swaps of a user, (n,) int64 each: partner, and first and end wire of both."""

    partner: Ints
    mine: tuple[Ints, Ints]
    theirs: tuple[Ints, Ints]


class Meetings:
    """Meetings of users, and earlier sightings.

    Parameters
    ----------
    network
        All wires.
    known
        The base knowledge.
    """

    def __init__(self, network: WireNetwork, known: KnownUsers) -> None:
        self._network, self._known = network, known
        seen = np.zeros(network.n_wires + 1, np.int64)
        seen[known.seen + 1] = 1
        self._seen = np.cumsum(seen)  # number of wires with sightings before each

    def swaps(self, target: BreakingTarget, choices: SightingChoices) -> Swapping:
        """The swaps of a target's user, and their conflict sets."""
        found = self._of(target.user)
        mine = np.full(len(found.partner), target.user), *found.mine
        hidden = self._hidden(choices, mine, (found.partner, *found.theirs))
        swaps = StandIns(*found.mine, found.partner, hidden)
        return Swapping(target, choices, swaps, self._absences(target, choices))

    def _hidden(self, choices: SightingChoices, *away: tuple[Ints, Ints, Ints]) -> Hidden:
        """Sightings that contradict assignments with some users away."""
        return Hidden.of(choices, self._network, self._known, *away)

    def _absences(self, target: BreakingTarget, choices: SightingChoices) -> StandIns:
        """The absences of a target's user: none if others are known, or may be seen.

        Others make room for her in complete zones only: with a relation none is looked for.
        """
        user, network = target.user, self._network
        others = np.delete(self._known.wire, user)
        others_seen = (others >= 0).any() or (choices.row != user).any()
        if others_seen or network.relation is not None:
            none = np.zeros(0, np.int64)
            return StandIns(none, none, none, self._hidden(choices, (none,) * 3))
        found = absences(network, user, max(int(target.k.max()) - 1, 1))
        free = self._seen[found.begin] == self._seen[found.end]
        begin, end, comers = (one[free] for one in found)
        hidden = self._hidden(choices, (np.full(len(begin), user), begin, end))
        return StandIns(begin, end, comers, hidden)

    def _of(self, user: int) -> _Swaps:
        """All swaps of a user between consecutive meetings without sightings of either.

        Only meetings count at which the zone allows the two to swap.
        """
        net = self._network
        wire = np.arange(net.first[user] + 1, net.first[user + 1])
        zone = net.leads_to[wire - 1].astype(np.int64)
        sizes = net.zone_ptr[zone + 1] - net.zone_ptr[zone]
        entry = ranges(net.zone_ptr[zone], sizes)
        partner, theirs = net.member[entry].astype(np.int64), net.before[entry] + 1
        mine = np.repeat(wire, sizes)
        allowed = partner != user
        if net.relation is not None:
            own = np.repeat(net.wires.entry[wire - 1].astype(np.int64), sizes)
            allowed &= swappable(own, entry, np.repeat(zone, sizes), net.wires)
        others = np.flatnonzero(allowed)
        others = others[np.argsort(partner[others], kind="stable")]
        partner, mine, theirs = (one[others] for one in (partner, mine, theirs))
        again = np.append(partner[1:] == partner[:-1], np.zeros(min(1, len(partner)), bool))
        ends = np.full(len(partner), net.first[user + 1])
        end_theirs = net.first[partner + 1]
        ends[:-1][again[:-1]] = mine[1:][again[:-1]]
        end_theirs[:-1][again[:-1]] = theirs[1:][again[:-1]]
        seen = self._seen
        free = (seen[ends] == seen[mine]) & (seen[end_theirs] == seen[theirs])
        return _Swaps(partner[free], (mine[free], ends[free]), (theirs[free], end_theirs[free]))


class StandIns(NamedTuple):
    """Assignments in which others are on a user's row for a while.

    Parameters
    ----------
    begin, end
        (n,) int64 each: the first of her wires, and the one after the last.
    who
        (n,) int64: the other token, or how many tokens it may be.
    hidden
        Their conflict sets.
    """

    begin: Ints
    end: Ints
    who: Ints
    hidden: Hidden

    def over(self, wires: Ints) -> Flags:
        """(n_wires, n) whether each covers a wire."""
        at = wires[:, None]
        return np.asarray((self.begin <= at) & (at < self.end))


class _Standing(NamedTuple):
    """Stand-ins of a kind that survive a set of sightings, for wires with the same counts.

    ``left`` (n,) bool; ``size`` (n,) helpful sightings against each.
    """

    left: Flags
    size: Ints


class Swapping:
    """The swaps of a target's user, and her absences.

    Parameters
    ----------
    target, choices
        The target and the allowed sightings.
    swaps
        Swaps; ``who``: the partner.
    absent
        Absences; ``who``: how many other tokens may be on the row instead.
    """

    def __init__(
        self,
        target: BreakingTarget,
        choices: SightingChoices,
        swaps: StandIns,
        absent: StandIns,
    ) -> None:
        self.target, self.choices = target, choices
        self._swaps, self._absent = swaps, absent
        self._over = swaps.over(target.wires)
        self._without = absent.over(target.wires) & (absent.who >= target.k[:, None] - 1)
        patterns, which = choices.counts[:1], np.zeros(len(target.wires), np.int64)
        if not choices.counts.all():  # else the same sightings count for all wires
            patterns, which = np.unique(choices.counts, axis=0, return_inverse=True)
        self._patterns = [
            (counts, np.flatnonzero(which.ravel() == number))
            for number, counts in enumerate(patterns)
        ]
        self._kept: dict[tuple[bool, int, int], Conflicts] = {}

    def shown(self, chosen: int) -> dict[int, Witness]:
        """Witnesses by the place of a wire, for wires whose candidates swaps show; smallest first.

        Parameters
        ----------
        chosen
            The set of sightings.
        """
        seen = np.zeros(len(self.choices.row), np.bool_)
        seen[listed(chosen)] = True
        found = dict[int, Witness]()
        for pattern, (counts, places) in enumerate(self._patterns):
            absent, swaps = (
                _standing(some.hidden, counts, seen) for some in (self._absent, self._swaps)
            )
            needed = self.target.k[places] - 1
            least = self._least_absent(places, absent)
            those = self._partners(places, int(needed.max()), swaps)
            rows = zip(*(one.tolist() for one in (places, needed, least, those)), strict=True)
            for place, several, alone, others in rows:
                if several and alone >= 0:
                    found[place] = (self._conflicts(place, pattern, alone, absent=True),)
                elif len(others) >= several and -1 not in others[:several]:
                    found[place] = tuple(
                        self._conflicts(place, pattern, one, absent=False)
                        for one in others[:several]
                    )
        return found

    def _least_absent(self, places: Ints, absent: _Standing) -> Ints:
        """For each of some wires a sufficient absence with a small conflict set; -1: none."""
        enough = self._without[places] & absent.left
        if not enough.any():
            return np.full(len(places), -1)
        least = np.where(enough, absent.size, np.iinfo(np.int64).max).argmin(axis=1)
        return np.where(enough.any(axis=1), least, -1)

    def _partners(self, places: Ints, most: int, swaps: _Standing) -> Ints:
        """(n, most) for each of some wires swaps with different partners; -1: no more.

        Swaps with small conflict sets come first. There are fewer columns if no wire has so many.
        """
        order = np.flatnonzero(swaps.left)
        order = order[np.argsort(swaps.size[order], kind="stable")]
        over, who = self._over[np.ix_(places, order)], self._swaps.who[order]
        columns = list[Ints]()
        while len(columns) < most and over.any():
            first = over.argmax(axis=1)
            columns.append(np.where(over.any(axis=1), order[first], -1))
            over &= who != who[first][:, None]
        none = np.zeros((len(places), 0), np.int64)
        return np.stack(columns, axis=1) if columns else none

    def _conflicts(self, place: int, pattern: int, number: int, *, absent: bool) -> Conflicts:
        """Conflict set of a stand-in, within the sightings that count for a place."""
        key = absent, pattern, number
        if key not in self._kept:
            some = self._absent if absent else self._swaps
            counting = bits_of(self.choices.counts[place])
            self._kept[key] = some.hidden.conflicts(number, counting)
        return self._kept[key]


def _standing(
    hidden: Hidden, counts: npt.NDArray[np.bool_], seen: npt.NDArray[np.bool_]
) -> _Standing:
    """Stand-ins that survive a set of sightings, if only some of them count."""
    seen_before, counted_before = (pointers(one) for one in (counts & seen, counts))
    return _Standing(~hidden.contradicted(seen_before), hidden.useful(counted_before))


def _stretch(low: int, high: int) -> int:
    """The set of the numbers ``low`` to ``high - 1``."""
    return (1 << high) - (1 << low)
