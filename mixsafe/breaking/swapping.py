"""Witnesses that cost nothing: swaps of a user with those whom she meets, and meets again (fact 7).

Two swap at a meeting and back at their next one, or for ever after their last one, while neither
is seen. That shows the other's token on all wires of the user in between.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from mixsafe.breaking.allowed import SightingChoices
from mixsafe.breaking.killing import Killing, KnownUsers, Witness, bits
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

    def swaps(self, target: BreakingTarget, choices: SightingChoices) -> Swapping:
        """The swaps of a target's user, and what kills them."""
        found = self._of(target.user)
        kills = [
            self._killing(target.user, choices, *(int(one) for one in told))
            for told in zip(found.partner, *found.mine, *found.theirs, strict=True)
        ]
        return Swapping(target, choices, found.partner, *found.mine, kills)

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

    def _killing(self, user: int, choices: SightingChoices, partner: int, *wires: int) -> Killing:
        """What kills a swap: ``wires`` are those of the user, and of the other, from and before."""
        single, classes = 0, []
        for row, begin, end in ((user, *wires[:2]), (partner, *wires[2:])):
            first, last = self._network.first[[row, row + 1]]
            low, begins, ends, high = np.searchsorted(choices.wire, [first, begin, end, last])
            away = _stretch(int(begins), int(ends))
            if self._known.wire[row] >= 0:
                single |= away
            else:
                home = _stretch(int(low), int(high)) & ~away
                if home and away:
                    classes.append((home, away))
        return Killing(single, tuple(classes))


def _stretch(low: int, high: int) -> int:
    """The set of the numbers ``low`` to ``high - 1``."""
    return (1 << high) - (1 << low)


class Swapping:
    """The swaps of a target's user.

    Parameters
    ----------
    target, choices
        What is to fail, and what may be seen.
    partner, begin, end
        (n,) each: with whom, and from which of her wires to before which.
    kills
        What kills each of them.
    """

    def __init__(
        self,
        target: BreakingTarget,
        choices: SightingChoices,
        partner: Ints,
        begin: Ints,
        end: Ints,
        kills: list[Killing],
    ) -> None:
        self.target, self._choices = target, choices
        self._partner, self._kills = partner, kills
        at = target.wires[:, None]
        self._over = (begin <= at) & (at < end)  # (n_wires, n): swaps over each wire

    @cached_property
    def _counts(self) -> list[int]:
        """For each wire of the target the sightings that count for it."""
        patterns, which = np.unique(self._choices.counts, axis=0, return_inverse=True)
        made = [bits(np.flatnonzero(one).tolist()) for one in patterns]
        return [made[one] for one in which.ravel().tolist()]

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
        least: dict[int, Killing] = {}
        for i in np.flatnonzero(self._over[place]).tolist():
            kills = _only(self._kills[i], counts)
            if not kills.by(chosen):
                least.setdefault(int(self._partner[i]), kills)
        if len(least) < needed:
            return None
        return tuple(sorted(least.values(), key=_size)[:needed])


def _only(kills: Killing, counts: int) -> Killing:
    """What kills a history where some sightings count only."""
    classes = []
    for told in kills.classes:
        left = tuple(one & counts for one in told if one & counts)
        if len(left) > 1:
            classes.append(left)
    return Killing(kills.single & counts, tuple(classes))


def _size(kills: Killing) -> int:
    """How many sightings are of use against a history."""
    return kills.useful(0).bit_count()
