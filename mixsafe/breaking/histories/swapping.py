"""Witnesses that cost nothing: swaps of a user with those whom she meets, and meets again (fact 7).

Two swap at a meeting and back at their next one, or for ever after their last one, while neither
is seen. That shows the other's token on all wires of the user in between.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.breaking.allowed import SightingChoices
from mixsafe.breaking.histories.absences import absences, soonest_back
from mixsafe.breaking.histories.killing import Killing, KnownUsers, Witness, bits_of
from mixsafe.breaking.targets import BreakingTarget, Ints
from mixsafe.model.question.adversary import Knowledge
from mixsafe.network.wires import NOWHERE, WireNetwork


class _Swaps(NamedTuple):
    """Swaps of a user, (n,) int64 each: with whom, and from which wire of each to before which."""

    partner: Ints
    mine: tuple[Ints, Ints]
    theirs: tuple[Ints, Ints]


class Meetings:
    """Who meets whom, and who was seen before.

    Parameters
    ----------
    network
        All wires.
    knowledge
        The base knowledge.
    """

    def __init__(self, network: WireNetwork, knowledge: Knowledge) -> None:
        self._network = network
        self._known = KnownUsers.of(knowledge, network)
        seen = np.zeros(network.n_wires + 1, np.int64)
        seen[network.wire_at(knowledge.row, knowledge.time) + 1] = 1
        self._seen = np.cumsum(seen)  # wires before each on which somebody was seen
        self._back_of: tuple[int, Ints] | None = None

    def swaps(self, target: BreakingTarget, choices: SightingChoices) -> Swapping:
        """The swaps of a target's user, and what kills them."""
        found, user = self._of(target.user), target.user
        kills = [
            self._killing(choices, (user, begin, end), (partner, *theirs))
            for partner, begin, end, *theirs in zip(
                *(one.tolist() for one in (found.partner, *found.mine, *found.theirs)), strict=True
            )
        ]
        swaps = StandIns(*found.mine, found.partner, kills)
        return Swapping(target, choices, swaps, self._absences(target, choices))

    def pinning(self, target: BreakingTarget, choices: SightingChoices) -> int | None:
        """The sightings right before and after a single wire, if they break a target for sure.

        On both she carries one pseudonym. If that cannot have left her in between, and be back, she
        carries it on the wire itself. What is known of them before is not needed again. None: such
        sightings may not be, or she can have been away.
        """
        user, wire, network = target.user, int(target.wires[0]), self._network
        first, last = network.first[[user, user + 1]].tolist()
        if len(target.wires) != 1 or target.k.min() < 2 or not first < wire < last - 1:
            return None
        if self._back(user)[wire - first - 1] <= wire + 1:
            return None
        chosen = 0
        for at in (wire - 1, wire + 1):
            if self._seen[at + 1] > self._seen[at]:
                continue
            low, high = np.searchsorted(choices.wire, [at, at + 1]).tolist()
            counting = low + np.flatnonzero(choices.counts[0, low:high])
            if not len(counting):
                return None
            chosen |= 1 << int(counting[0])
        return chosen

    def _back(self, user: int) -> Ints:
        """For each zone of a user the first wire on which she can be back; kept for one user."""
        if self._back_of is None or self._back_of[0] != user:
            self._back_of = user, soonest_back(self._network, user)
        return self._back_of[1]

    def _absences(self, target: BreakingTarget, choices: SightingChoices) -> StandIns:
        """The absences of a target's user: none where others are known, or may be seen."""
        user, network = target.user, self._network
        others = np.delete(self._known.wire, user)
        if (others >= 0).any() or (choices.row != user).any():
            nobody = np.zeros(0, np.int64)
            return StandIns(nobody, nobody, nobody, [])
        found = absences(network, user, max(int(target.k.max()) - 1, 1))
        free = self._seen[found.begin] == self._seen[found.end]
        begin, end, comers = (one[free] for one in found)
        kills = [
            self._killing(choices, (user, *ends))
            for ends in zip(begin.tolist(), end.tolist(), strict=True)
        ]
        return StandIns(begin, end, comers, kills)

    def _of(self, user: int) -> _Swaps:
        """All swaps of a user between meetings that follow each other, while nobody is seen."""
        net = self._network
        wire = np.arange(net.first[user] + 1, net.first[user + 1])
        zone = net.comes_from[wire]
        wire, zone = wire[zone != NOWHERE], zone[zone != NOWHERE]
        sizes = net.zone_ptr[zone + 1] - net.zone_ptr[zone]
        entry = np.arange(int(sizes.sum())) + np.repeat(
            net.zone_ptr[zone] - np.cumsum(sizes) + sizes, sizes
        )
        partner, mine, theirs = net.member[entry], np.repeat(wire, sizes), net.before[entry] + 1
        others = np.flatnonzero(partner != user)
        others = others[np.argsort(partner[others], kind="stable")]
        partner, mine, theirs = (one[others].astype(np.int64) for one in (partner, mine, theirs))
        again = np.append(partner[1:] == partner[:-1], np.zeros(min(1, len(partner)), bool))
        ends = np.full(len(partner), net.first[user + 1])
        end_theirs = net.first[partner + 1]
        ends[:-1][again[:-1]] = mine[1:][again[:-1]]
        end_theirs[:-1][again[:-1]] = theirs[1:][again[:-1]]
        seen = self._seen
        free = (seen[ends] == seen[mine]) & (seen[end_theirs] == seen[theirs])
        return _Swaps(partner[free], (mine[free], ends[free]), (theirs[free], end_theirs[free]))

    def _killing(self, choices: SightingChoices, *away: tuple[int, int, int]) -> Killing:
        """What kills a history: who is away from her row, from which of its wires to before which.

        Others who are away, too, are neither known nor seen.
        """
        single, classes = 0, []
        for row, begin, end in away:
            first, last = self._network.first[[row, row + 1]]
            low, begins, ends, high = np.searchsorted(choices.wire, [first, begin, end, last])
            hidden = _stretch(int(begins), int(ends))
            if self._known.wire[row] >= 0:
                single |= hidden
            else:
                home = _stretch(int(low), int(high)) & ~hidden
                if home and hidden:
                    classes.append((home, hidden))
        return Killing(single, tuple(classes))


def _stretch(low: int, high: int) -> int:
    """The set of the numbers ``low`` to ``high - 1``."""
    return (1 << high) - (1 << low)


class StandIns(NamedTuple):
    """Histories in which others are on a user's row for a while.

    Parameters
    ----------
    begin, end
        (n,) int64 each: from which of her wires to before which.
    who
        (n,) int64: the other one, or how many others it may be.
    kills
        (n,) what kills each of them.
    """

    begin: Ints
    end: Ints
    who: Ints
    kills: list[Killing]

    def over(self, wires: Ints) -> npt.NDArray[np.bool_]:
        """(n_wires, n) which of them cover which wires."""
        at = wires[:, None]
        return np.asarray((self.begin <= at) & (at < self.end))


class Swapping:
    """The swaps of a target's user, and her absences.

    Parameters
    ----------
    target, choices
        What is to fail, and what may be seen.
    swaps
        ``who``: with whom.
    absent
        ``who``: how many others may be there instead.
    """

    def __init__(
        self,
        target: BreakingTarget,
        choices: SightingChoices,
        swaps: StandIns,
        absent: StandIns,
    ) -> None:
        self.target, self._choices = target, choices
        self._swaps, self._absent = swaps, absent
        self._over = swaps.over(target.wires)
        self._without = absent.over(target.wires) & (absent.who >= target.k[:, None] - 1)

    @cached_property
    def _counts(self) -> list[int]:
        """For each wire of the target the sightings that count for it."""
        return [bits_of(one) for one in self._choices.counts]

    def over(self, place: int, chosen: int) -> Witness | None:
        """Swaps that show a wire's candidates under ``chosen`` sightings; None: they are too few.

        Parameters
        ----------
        place
            Of the wire among those of the target.
        chosen
            What is seen.
        """
        needed, counts = int(self.target.k[place]) - 1, self._counts[place]
        enough = self._alive(self._absent, self._without[place], counts, chosen)
        if enough and needed:
            return (min(enough.values(), key=_size),)
        least: dict[int, Killing] = {}
        for i, kills in self._alive(self._swaps, self._over[place], counts, chosen).items():
            least.setdefault(int(self._swaps.who[i]), kills)
        if len(least) < needed:
            return None
        return tuple(sorted(least.values(), key=_size)[:needed])

    @staticmethod
    def _alive(
        among: StandIns, those: npt.NDArray[np.bool_], counts: int, chosen: int
    ) -> dict[int, Killing]:
        """Of some histories those that a set of sightings does not kill, and what would."""
        told = ((i, _only(among.kills[i], counts)) for i in np.flatnonzero(those).tolist())
        return {i: kills for i, kills in told if not kills.by(chosen)}


def _only(kills: Killing, counts: int) -> Killing:
    """What kills a history where some sightings count only."""
    every = kills.single
    for told in kills.classes:
        for one in told:
            every |= one
    if not every & ~counts:
        return kills
    classes = []
    for told in kills.classes:
        left = tuple(one & counts for one in told if one & counts)
        if len(left) > 1:
            classes.append(left)
    return Killing(kills.single & counts, tuple(classes))


def _size(kills: Killing) -> int:
    """How many sightings are of use against a history."""
    return kills.useful(0).bit_count()
