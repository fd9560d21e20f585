"""Witnesses for a user who alone has sightings: she leaves, and another token comes.

Where nothing is known of the others, assignments need not bring them home. A user's token leaves at
one of her zones, goes wherever it can, and is back at a later one, or never; meanwhile any token
that can come to that zone is on her row. The conflict set does not depend on
which token that is, so one absence stands for as many candidates as could have come.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.breaking.targets import Ints
from mixsafe.machinery.compiled import inner, tiered
from mixsafe.network.wires import WireNetwork, Wires


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
