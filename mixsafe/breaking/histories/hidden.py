"""Sightings of people while they are away from their rows: what kills many histories, as arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.breaking.allowed import SightingChoices
from mixsafe.breaking.histories.killing import Killing, KnownUsers
from mixsafe.breaking.targets import Ints
from mixsafe.network.wires import WireNetwork

Flags = npt.NDArray[np.bool_]


class Hidden(NamedTuple):
    """Sightings of those who are away in some histories, (n, people) each.

    One who is known is contradicted by any sighting while she is away; another one by a sighting
    while she is away and one while she is not.

    Parameters
    ----------
    low, high
        int64: number of the first choice while each is away, and of the first one after that.
    first, last
        int64: the same of all choices that are about her.
    known
        bool: whether something is known of her before.
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
        """Of those who are away: rows, and from which of their wires to before which, (n,) each.

        Others who are away, too, are neither known nor seen.
        """
        row, begin, end = (np.stack(column, axis=1) for column in zip(*away, strict=True))
        low, high, first, last = (
            np.searchsorted(choices.wire, one)
            for one in (begin, end, network.first[row], network.first[row + 1])
        )
        return cls(low, high, first, last, users.wire[row] >= 0)

    def killed(self, before: Ints) -> Flags:
        """(n,) which are contradicted, where ``before`` (n_choices + 1,) count what is seen."""
        away, home = self._counted(before)
        return np.asarray(((away > 0) & (self.known | (home > 0))).any(axis=1))

    def useful(self, before: Ints) -> Ints:
        """(n,) sightings of use against each, where ``before`` count those that count."""
        away, home = self._counted(before)
        return np.asarray(np.where(self.known, away, np.minimum(away, home)).sum(axis=1))

    def _counted(self, before: Ints) -> tuple[Ints, Ints]:
        """How many there are while each is away, and while she is not."""
        away = before[self.high] - before[self.low]
        return away, before[self.last] - before[self.first] - away

    def killing(self, number: int, counting: int) -> Killing:
        """What kills one of them, of the sightings that count."""
        single, classes = 0, []
        for low, high, first, last, known in zip(*(one[number].tolist() for one in self),
                                                 strict=True):  # fmt: skip
            away = _stretch(low, high) & counting
            home = _stretch(first, last) & counting & ~away
            if known:
                single |= away
            elif home and away:
                classes.append((home, away))
        return Killing(single, tuple(classes))


def _stretch(low: int, high: int) -> int:
    """The set of the numbers ``low`` to ``high - 1``."""
    return (1 << high) - (1 << low)
