"""The cheapest exchanges among a few rows that put somebody else's token on a row, and undo it.

Everybody else keeps the pseudonym, so every solution among a few rows is one of the whole problem
(fact 8). The states are the permutations of up to six tokens over their rows; one pass forward to
the step that is asked about and one backward from the end give, for each token, what the zones cost
in which an exchange must happen so that this token is on the row at the step. Who is seen must have
the own token then. That is a little more than knowledge says of users of whom the pseudonym is not
known: what is found is a witness all the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled, inner
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.solver.dp.permutations import permutations

_MAX_EVENTS = 512  # meetings of two or more of the rows; with more of them nothing is found


class RowMeetings(NamedTuple):
    """Who meets whom, by row, and who is seen when.

    Parameters
    ----------
    row_ptr, row_zone
        Zones of each row, in order of time: ``row_zone[row_ptr[r]:row_ptr[r + 1]]``.
    time
        (n_zones,) int32.
    seen_ptr, seen_time
        Steps at which each row is seen, ascending.
    """

    row_ptr: npt.NDArray[np.int64]
    row_zone: npt.NDArray[np.int64]
    time: npt.NDArray[np.int32]
    seen_ptr: npt.NDArray[np.int64]
    seen_time: npt.NDArray[np.int32]

    @classmethod
    def of(cls, zones: MixZones, knowledge: Knowledge) -> RowMeetings:
        """RowMeetings in ``zones``."""
        order = np.argsort(zones.members, kind="stable")
        rows = np.arange(zones.n_users + 1)
        seen = np.lexsort((knowledge.time, knowledge.row))
        return cls(
            np.searchsorted(zones.members[order], rows),
            zones.zone_of_member[order],
            zones.time,
            np.searchsorted(knowledge.row[seen], rows),
            knowledge.time[seen],
        )


class Tables(NamedTuple):
    """Permutations of a few tokens, and working memory.

    ``on_path``, (n, size): token on each row. ``exchanged``, (n, size, size): number of the
    permutation after the tokens of two rows are exchanged. ``cost``, (events + 1, n): cheapest
    way to each permutation, on both sides of the step. ``zone``, ``met``, ``who``: the events.
    """

    on_path: npt.NDArray[np.int8]
    exchanged: npt.NDArray[np.int16]
    cost: npt.NDArray[np.float64]
    mixed: npt.NDArray[np.float64]
    copied: npt.NDArray[np.float64]
    zone: npt.NDArray[np.int64]
    met: npt.NDArray[np.int64]
    who: npt.NDArray[np.int64]


def tables(size: int) -> Tables:
    """Tables for ``size`` rows."""
    on_row, exchanged = permutations(size)
    return Tables(
        on_row,
        exchanged,
        np.zeros((_MAX_EVENTS + 2, len(on_row))),
        np.zeros(len(on_row)),
        np.zeros(len(on_row)),
        np.zeros(_MAX_EVENTS, np.int64),
        np.zeros(_MAX_EVENTS, np.int64),
        np.zeros((_MAX_EVENTS, size), np.int64),
    )


@compiled
def _events(rows: npt.NDArray[np.int64], m: RowMeetings, t: Tables) -> int:  # pragma: no cover
    """Fill in the meetings of two or more of ``rows``; how many, or -1 if they are too many."""
    size = len(rows)
    at = np.empty(size, np.int64)
    for a in range(size):
        at[a] = m.row_ptr[rows[a]]
    n = 0
    while True:
        first, alive = np.int64(1) << 60, 0
        for a in range(size):
            if at[a] < m.row_ptr[rows[a] + 1]:
                alive += 1
                first = min(first, m.row_zone[at[a]])
        if alive < 2:
            return n
        if n == _MAX_EVENTS:
            return -1
        met = 0
        for a in range(size):
            if at[a] < m.row_ptr[rows[a] + 1] and m.row_zone[at[a]] == first:
                t.who[n, met] = a
                met += 1
                at[a] += 1
        t.zone[n], t.met[n] = first, met
        n += met >= 2


@compiled
def _mix(event: int, old: npt.NDArray[np.float64], t: Tables) -> None:  # pragma: no cover
    """``t.mixed``: least of ``old`` over all that an exchange at the event turns into each."""
    t.mixed[:] = old
    for j in range(1, t.met[event]):
        t.copied[:] = t.mixed
        for i in range(j):
            a, b = t.who[event, i], t.who[event, j]
            for p in range(len(old)):
                q = t.exchanged[p, a, b]
                t.mixed[q] = min(t.mixed[q], t.copied[p])


@inner
def _hold(  # pragma: no cover
    rows: npt.NDArray[np.int64],
    since: int,
    until: int,
    values: npt.NDArray[np.float64],
    m: RowMeetings,
    t: Tables,
) -> None:
    """Who is seen at a step in ``since``..``until`` - 1 has the own token."""
    for a in range(len(rows)):
        for i in range(m.seen_ptr[rows[a]], m.seen_ptr[rows[a] + 1]):
            if since <= m.seen_time[i] < until:
                for p in range(len(values)):
                    if t.on_path[p, a] != a:
                        values[p] = np.inf
                break


@compiled
def solve(  # pragma: no cover - compiled
    rows: npt.NDArray[np.int64],
    step: int,
    price: npt.NDArray[np.float64],
    m: RowMeetings,
    t: Tables,
    best: npt.NDArray[np.float64],
) -> tuple[int, int]:
    """Cheapest exchanges that put the token of each of ``rows`` on the first one at ``step``.

    ``best``, (size,), takes the prices; the number of events and of those up to ``step`` are
    returned. ``t.cost[:split + 1]`` holds the ways forward, the rest the ways backward.
    """
    best[:] = np.inf
    n = _events(rows, m, t)
    if n < 1:
        return 0, 0
    split = 0
    while split < n and m.time[t.zone[split]] <= step:
        split += 1
    t.cost[0, :] = np.inf
    t.cost[0, 0] = 0.0
    since = np.int64(1)  # of one type everywhere: each other one would be compiled anew
    for e in range(split):
        until = np.int64(m.time[t.zone[e]])
        _hold(rows, since, until, t.cost[e], m, t)
        since = until
        _mix(e, t.cost[e], t)
        for p in range(len(t.mixed)):
            t.cost[e + 1, p] = min(t.cost[e, p], t.mixed[p] + price[t.zone[e]])
    _hold(rows, since, np.int64(step + 1), t.cost[split], m, t)
    t.cost[n + 1, :] = 0.0
    until = np.int64(1) << 60
    for e in range(n - 1, split - 1, -1):
        since = np.int64(m.time[t.zone[e]])
        _hold(rows, since, until, t.cost[e + 2], m, t)
        until = since
        _mix(e, t.cost[e + 2], t)
        # what is before the step is kept in row ``split``: the ways backward begin one further on
        for p in range(len(t.mixed)):
            t.cost[e + 1, p] = min(t.cost[e + 2, p], t.mixed[p] + price[t.zone[e]])
    _hold(rows, np.int64(step + 1), until, t.cost[split + 1], m, t)
    for p in range(len(t.mixed)):
        whole = t.cost[split, p] + t.cost[split + 1, p]
        best[t.on_path[p, 0]] = min(best[t.on_path[p, 0]], whole)
    return n, split


@inner
def _from(  # pragma: no cover - compiled
    p: int, event: int, values: npt.NDArray[np.float64], t: Tables
) -> int:
    """The cheapest permutation in ``values`` that an exchange at the event turns into ``p``."""
    found = p
    for q in range(len(values)):
        same = True
        for a in range(t.on_path.shape[1]):
            meets = False
            for i in range(t.met[event]):
                meets = meets or t.who[event, i] == a
            if not meets and t.on_path[p, a] != t.on_path[q, a]:
                same = False
        if same and values[q] < values[found]:
            found = q
    return found


@compiled
def trace(  # pragma: no cover - compiled
    rows: npt.NDArray[np.int64],
    step: int,
    token: int,
    price: npt.NDArray[np.float64],
    m: RowMeetings,
    t: Tables,
) -> npt.NDArray[np.int64]:
    """Zones of the cheapest exchanges that put the token of ``rows[token]`` on ``rows[0]``."""
    best = np.empty(len(rows))
    n, split = solve(rows, step, price, m, t, best)
    used = np.empty(n, np.int64)
    k = 0
    middle, least = -1, np.inf
    for p in range(len(t.mixed)):
        whole = t.cost[split, p] + t.cost[split + 1, p]
        if t.on_path[p, 0] == token and whole < least:
            middle, least = p, whole
    if middle < 0:
        return used[:0]
    p = middle
    for e in range(split - 1, -1, -1):
        if t.cost[e + 1, p] < t.cost[e, p]:
            p = _from(p, e, t.cost[e], t)
            used[k] = t.zone[e]
            k += 1
    p = middle
    for e in range(split, n):
        if t.cost[e + 1, p] < t.cost[e + 2, p]:
            p = _from(p, e, t.cost[e + 2], t)
            used[k] = t.zone[e]
            k += 1
    return np.sort(used[:k])


@compiled
def scan(  # pragma: no cover - compiled
    sets: npt.NDArray[np.int64],
    step: int,
    price: npt.NDArray[np.float64],
    m: RowMeetings,
    t: Tables,
) -> npt.NDArray[np.float64]:
    """(n_sets, size): the price of each token on the first row of each set; inf: impossible."""
    found = np.full(sets.shape, np.inf)
    for i in range(len(sets)):
        solve(sets[i], step, price, m, t, found[i])
    return found
