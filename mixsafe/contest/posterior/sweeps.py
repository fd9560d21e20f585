"""The inner loops of beliefs that go from step to step along ways, for all users side by side."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

LANES = 64
"""Sums and maxima are kept for so many users side by side: one alone would wait for itself."""

FEW = 16
"""Users are asked for so many at once where hardly one is there."""

TINY = np.float32(1e-30)
"""What is divided by is no less."""


@compiled
def arrive(
    ends: tuple[Longs, Longs, Longs],
    chance: Floats,
    come: Floats,
    told: tuple[Numbers, Floats],
    scale: Floats,
    found: Floats,
) -> None:
    """What comes to each place over its ways, times what being there tells of each user.

    Parameters
    ----------
    ends
        ``ptr, way, other``: ways of each place as CSR, and the place at the other end of each way.
    chance
        (n_ways,) what passes.
    come
        (n_other_places, n_users) what is at the other ends.
    told
        (n_places,) contents, and what they tell, (n_contents, n_users).
    scale
        (n_users,) of what has come; becomes that of what is found: one over each user's largest.
    found
        (n_places, n_users) filled.
    """
    content, table = told
    highest = np.zeros(len(scale), np.float32)
    for here in range(len(content)):
        _gather(here, ends, chance, come, found[here])
        _weigh(table[content[here]], scale, found[here], highest)
    _scale_by(highest, scale)


@compiled
def meet(
    ends: tuple[Longs, Longs, Longs],
    chance: Floats,
    after: Floats,
    before: Floats,
    come: Floats,
    sums: Floats,
) -> None:
    """What comes to each place from after it, ``come``; and each user's sum of that times before.

    Parameters
    ----------
    ends, chance
        Ways of each place as CSR with the places at their other ends, and what passes each way.
    after
        (n_places_after, n_users).
    before, come
        (n_places, n_users); ``come`` is filled.
    sums
        (n_users,) filled.
    """
    sums[:] = 0
    for here in range(len(before)):
        row, was = come[here], before[here]
        _gather(here, ends, chance, after, row)
        for user in range(len(sums)):
            sums[user] += was[user] * row[user]


@compiled
def expected_users(
    source: Longs, target: Longs, chance: Floats, before: Floats, after: Floats, found: Floats
) -> None:
    """How many users are expected on each way for a chance of one, ``found`` (n_ways,)."""
    n_users = before.shape[1]
    sums = np.zeros(n_users, np.float32)
    for way in range(len(source)):
        come, go, share = before[source[way]], after[target[way]], chance[way]
        for user in range(n_users):
            sums[user] += share * come[user] * go[user]
    for user in range(n_users):
        sums[user] = np.float32(1) / max(sums[user], TINY)
    lanes = np.empty(LANES, np.float32)
    for way in range(len(source)):
        come, go = before[source[way]], after[target[way]]
        lanes[:] = 0
        for first in range(0, n_users, LANES):
            after_it = first + LANES
            one, two, part = come[first:after_it], go[first:after_it], sums[first:after_it]
            for lane in range(len(part)):
                lanes[lane] += one[lane] * two[lane] * part[lane]
        total = np.float32(0)
        for lane in range(LANES):
            total += lanes[lane]
        found[way] = total


@compiled
def surest_users(
    paths: tuple[Longs, Longs],
    before: Floats,
    after: Floats,
    scale: Floats,
    least: Floats,
    surest: Numbers,
    found: tuple[Longs, Numbers, Floats],
) -> int:
    """The user most believed to be on each way, and all who are believed to be there.

    Parameters
    ----------
    paths
        ``source, target``: (n_ways,) places before and after.
    scale
        (n_users,) one over the sum of each user's beliefs.
    least
        (n_ways,) products below it count as none.
    surest
        (n_ways,) filled: the first of equals.
    found
        ``size, user, value``: how many are believed to be on each way, (n_ways,); way by way who,
        and the product; filled from the beginning.

    Returns
    -------
    int
        How many those are.
    """
    source, target = paths
    size, users, values = found
    value = np.empty(len(scale), np.float32)
    lanes, firsts = np.empty(LANES, np.float32), np.empty(LANES, np.int32)
    count = 0
    for way in range(len(source)):
        come, go = before[source[way]], after[target[way]]
        for user in range(len(scale)):
            value[user] = come[user] * go[user] * scale[user]
        surest[way] = first_of_largest(value, lanes, firsts)
        size[way] = 0
        if value[surest[way]] >= least[way]:
            size[way] = _note_believed(value, least[way], users[count:], values[count:])
        count += size[way]
    return count


@inner
def _note_believed(value: Floats, least: float, users: Numbers, values: Floats) -> int:
    """Users whose value is not below ``least``, with it, from the beginning; and how many."""
    count = 0
    for first in range(0, len(value), FEW):
        end = min(first + FEW, len(value))
        # Few are: users side by side are asked at once.
        some = 0
        for user in range(first, end):
            some += 1 if value[user] >= least else 0
        for user in range(first, end if some else first):
            if value[user] >= least:
                users[count], values[count] = user, value[user]
                count += 1
    return count


@inner
def first_of_largest(value: Floats, lanes: Floats, firsts: Numbers) -> int:
    """The place of the largest of some numbers, none below 0; the first of equals.

    Parameters
    ----------
    lanes, firsts
        (LANES,) to work in.
    """
    lanes[:] = -1
    for first in range(0, len(value), LANES):
        some = value[first : first + LANES]
        for lane in range(len(some)):
            # Written as choices, not as branches, so that it becomes vector instructions.
            better = some[lane] > lanes[lane]
            lanes[lane] = some[lane] if better else lanes[lane]
            firsts[lane] = first if better else firsts[lane]
    best, place = lanes[0], int(firsts[0])
    for lane in range(1, min(LANES, len(value))):
        here = firsts[lane] + lane
        if lanes[lane] > best or (lanes[lane] == best and here < place):
            best, place = lanes[lane], here
    return place


@compiled
def tell(told: tuple[Numbers, Floats], scale: Floats, found: Floats) -> None:
    """Weigh what is found at each place by what being there tells; as :func:`arrive` does."""
    content, table = told
    highest = np.zeros(len(scale), np.float32)
    for here in range(len(content)):
        _weigh(table[content[here]], scale, found[here], highest)
    _scale_by(highest, scale)


@inner
def _gather(
    here: int, ends: tuple[Longs, Longs, Longs], chance: Floats, come: Floats, row: Floats
) -> None:
    """What comes to a place over its ways, ``row`` (n_users,) filled."""
    ptr, way, other = ends
    row[:] = 0
    for at in range(ptr[here], ptr[here + 1]):
        share, there = chance[way[at]], come[other[way[at]]]
        for user in range(len(row)):
            row[user] += share * there[user]


@inner
def _weigh(tells: Floats, scale: Floats, row: Floats, highest: Floats) -> None:
    """Weigh ``row`` (n_users,) by what being there tells; note what is higher than ever."""
    for user in range(len(row)):
        value = row[user] * tells[user] * scale[user]
        row[user] = value
        highest[user] = value if value > highest[user] else highest[user]


@inner
def _scale_by(highest: Floats, scale: Floats) -> None:
    """One over each user's largest."""
    for user in range(len(scale)):
        scale[user] = np.float32(1) / max(highest[user], TINY)
