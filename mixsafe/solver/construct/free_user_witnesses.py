"""Witnesses of what free carriers bring: the exchanges that lead a token there and back again.

Over free rows a token is led by a way that the bound left it, zone after zone: it changes places
with whoever is there, who is free. Who comes to a row while its own token is away is led to where
that leaves, and the token is led on over free rows until it can come back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import inner, tiered
from mixsafe.network.core import Core
from mixsafe.network.timeline import wire_at
from mixsafe.network.wires import Wires, came_from
from mixsafe.solver.construct.free_users import FreeUsers
from mixsafe.solver.state import tokens
from mixsafe.solver.state.exchanges import Exchanges

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]

BEFORE, AFTER = 0, 1  # a zone


class _Paths(NamedTuple):
    """Working memory, and what is written down."""

    may: Ints  # (n_rows,): marks of rows on which the token that left may be
    came: Ints  # (n_wires,): on which wire to a zone it came, for each on which it leaves that
    made: Small  # (room, 3): zone and two rows of each exchange; what has no room is but counted
    size: Ints  # (2,): how many exchanges there are, and the mark


def free_user_witnesses(core: Core, free_users: FreeUsers, wires: Ints, token: Small) -> Exchanges:
    """Exchanges after which tokens are on wires.

    Parameters
    ----------
    core
        The question; links are taken as pins to the row's own token.
    carriers
        What free rows can carry.
    wires, token
        (n,) each: a wire, and a token other than its row's.

    Returns
    -------
    Exchanges
        For each pair a witness; one without exchanges: free carriers do not bring the token there.
    """
    network, ptr = core.network, np.zeros(len(wires) + 1, np.int64)
    may, came = np.zeros(network.n_rows, np.int64), np.zeros(network.n_wires, np.int64)
    made, seen = np.zeros((0, 3), np.int32), _last_seen(core)
    for _ in range(2):  # first they are counted
        made, size = np.zeros((ptr[-1], 3), np.int32), np.array([0, may.max(initial=0)])
        paths = _Paths(may, came, made, size)
        _lead_all(wires, token, ptr, seen, free_users, paths, network.wires)
    zone, one, other = (np.ascontiguousarray(column) for column in made.T)
    return Exchanges(ptr, network.zone_time[zone], one, other)


def _last_seen(core: Core) -> Ints:
    """(n_wires,) last step up to the first of each wire at which its row's token is seen, or -1."""
    network, pins = core.network, core.own_pins()
    width = np.int64(network.horizon + 2)
    seen = np.sort(np.append(pins.token * width + pins.time, -1))
    last = np.searchsorted(seen, network.row * width + network.start, side="right") - 1
    row, time = np.divmod(seen[last], width)
    return np.where(row == network.row, time, -1)


@tiered
def _lead_all(  # pragma: no cover - compiled
    wires: Ints,
    token: Small,
    ptr: Ints,
    seen: Ints,
    free_users: FreeUsers,
    paths: _Paths,
    net: Wires,
) -> None:
    """Lead one token after the other."""
    for i in range(len(wires)):
        wire, begin = wires[i], paths.size[0]
        if tokens.holds(free_users.reached[wire], token[i]):
            is_led = _back(token[i], wire, -1, free_users, paths, net)
            is_led = is_led and _on(token[i], wire, free_users, paths, net)
        else:
            is_led = _take_place(token[i], wire, seen[wire], free_users, paths, net)
        if not is_led:
            paths.size[0] = begin
        ptr[i + 1] = paths.size[0]


@inner
def _note(zone: int, one: int, other: int, paths: _Paths) -> None:  # pragma: no cover - compiled
    """Write an exchange of two rows down."""
    n = paths.size[0]
    if n < len(paths.made):
        paths.made[n, 0], paths.made[n, 1], paths.made[n, 2] = zone, one, other
    paths.size[0] = n + 1


@inner
def _turn(begin: int, paths: _Paths) -> None:  # pragma: no cover - compiled
    """Turn the order of the exchanges from ``begin`` on, which were noted backward in time."""
    first, last = begin, paths.size[0] - 1
    while first < last and last < len(paths.made):
        for column in range(3):
            one, other = paths.made[first, column], paths.made[last, column]
            paths.made[first, column], paths.made[last, column] = other, one
        first += 1
        last -= 1


@inner
def _through(  # pragma: no cover - compiled
    token: int, zone: int, straight: int, avoided: int, side: int, free_users: FreeUsers, net: Wires
) -> int:
    """Wire before a zone on which a token may come, or after it on which it may leave; -1: none.

    Its own row's if that meets there; then the one ``straight`` on. None of row ``avoided``.
    """
    found = -1
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        wire = net.before[m] + side
        if net.member[m] == avoided or not tokens.holds(free_users.reached[wire], token):
            continue
        if net.member[m] == token:
            return wire
        if found < 0 or wire == straight:
            found = wire
    return found


@inner
def _back(  # pragma: no cover - compiled
    token: int, wire: int, avoided: int, free_users: FreeUsers, paths: _Paths, net: Wires
) -> bool:
    """Lead a token from home to a wire; false: that was not found."""
    begin = paths.size[0]
    while net.row[wire] != token:
        zone = came_from(wire, net)
        if zone < 0:
            return False
        came = _through(token, zone, wire - 1, avoided, BEFORE, free_users, net)
        if came < 0:
            return False
        if came != wire - 1:
            _note(zone, net.row[came], net.row[wire], paths)
        wire = came
    _turn(begin, paths)
    return True


@inner
def _on(  # pragma: no cover - compiled
    token: int, wire: int, free_users: FreeUsers, paths: _Paths, net: Wires
) -> bool:
    """Lead a token on from a wire, home if that can be; false: that was not found."""
    while net.row[wire] != token and net.leads_to[wire] >= 0:
        zone = net.leads_to[wire]
        goes = _through(token, zone, wire + 1, -1, AFTER, free_users, net)
        if goes < 0:
            return False
        if goes != wire + 1:
            _note(zone, net.row[wire], net.row[goes], paths)
        wire = goes
    return True


@inner
def _take_place(  # pragma: no cover - compiled
    token: int, wire: int, seen: int, free_users: FreeUsers, paths: _Paths, net: Wires
) -> bool:
    """Lead a free token to a wire whose own one is away; false: that was not found.

    ``seen``: last step at which the wire's own token is seen before.
    """
    own, begin = net.row[wire], paths.size[0]
    for looks_everywhere in range(2):
        left = wire
        while came_from(left, net) >= 0 and net.zone_time[came_from(left, net)] > seen:
            guest, away = _guest(token, came_from(left, net), own, free_users, net), -1
            if guest >= 0 and looks_everywhere:
                away = _away(own, left, wire, free_users, paths, net)
            elif guest >= 0:
                away = _straight(own, left, wire, free_users, paths, net)
            if away >= 0 and _back(token, guest, own, free_users, paths, net):
                _lead_off(guest, away, left, paths, net)
                return _on(own, away, free_users, paths, net)
            paths.size[0] = begin
            left -= 1
    return False


@inner
def _guest(  # pragma: no cover - compiled
    token: int, zone: int, own: int, free_users: FreeUsers, net: Wires
) -> int:
    """Free wire on which a free token can come to a zone, of another row than ``own``; or -1."""
    if free_users.last_known[token] >= net.zone_time[zone]:
        return -1
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        wire = net.before[m]
        there = free_users.free[wire + 1] and tokens.holds(free_users.reached[wire], token)
        if there and net.member[m] != own:
            return wire
    return -1


@inner
def _straight(  # pragma: no cover - compiled
    own: int, left: int, wire: int, free_users: FreeUsers, paths: _Paths, net: Wires
) -> int:
    """As :func:`_away`, but only by staying on each row as long as that can be."""
    zone = came_from(left, net)
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        at = net.before[m] + 1
        if net.member[m] == own or not _can_go(own, at, free_users):
            continue
        paths.came[at] = left - 1
        while net.leads_to[at] >= 0 and net.zone_time[net.leads_to[at]] <= net.start[wire]:
            goes = _through(own, net.leads_to[at], at + 1, own, AFTER, free_users, net)
            if goes < 0:
                break
            paths.came[goes] = at
            at = goes
        else:
            return at
    return -1


@inner
def _away(  # pragma: no cover - compiled
    own: int, left: int, wire: int, free_users: FreeUsers, paths: _Paths, net: Wires
) -> int:
    """Where a token can be, when ``wire`` of its row begins, if it is not on ``left``; -1: nowhere.

    ``left``: wire of its row that it does not leave on.
    """
    paths.size[1] += 1
    mark, n, zone = paths.size[1], 0, came_from(left, net)
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        if net.member[m] != own and _can_go(own, net.before[m] + 1, free_users):
            paths.may[net.member[m]], paths.came[net.before[m] + 1] = mark, left - 1
            n += 1
    zone += 1
    while n > 0 and zone < len(net.zone_time) and net.zone_time[zone] <= net.start[wire]:
        n += _go_on(own, zone, mark, free_users, paths, net)
        zone += 1
    for row in range(len(paths.may) if n > 0 else 0):
        if paths.may[row] == mark:
            return wire_at(row, net.start[wire], net)
    return -1


@inner
def _can_go(token: int, wire: int, free_users: FreeUsers) -> bool:  # pragma: no cover - compiled
    """Whether free carriers can have a token on a wire."""
    return bool(free_users.free[wire]) and tokens.holds(free_users.reached[wire], token)


@inner
def _go_on(  # pragma: no cover - compiled
    own: int, zone: int, mark: int, free_users: FreeUsers, paths: _Paths, net: Wires
) -> int:
    """Let a token that is away pass a zone; by how many the rows on which it may be change."""
    came, change = np.int64(-1), 0
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        if paths.may[net.member[m]] == mark:
            came = net.before[m]
    if came < 0:
        return 0
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        row, after = net.member[m], net.before[m] + 1
        if row == own:
            continue
        was, can = paths.may[row] == mark, _can_go(own, after, free_users)
        if can:
            paths.came[after] = net.before[m] if was else came
        paths.may[row] = mark if can else 0
        change += int(can) - int(was)
    return change


@inner
def _lead_off(  # pragma: no cover - compiled
    guest: int, away: int, left: int, paths: _Paths, net: Wires
) -> None:
    """Let a guest have the place of a token, which goes to where it is ``away``."""
    first = away
    while paths.came[first] != left - 1:
        first = paths.came[first]
    zone = came_from(left, net)
    _note(zone, net.row[left], net.row[guest], paths)
    if net.row[first] != net.row[guest]:
        _note(zone, net.row[guest], net.row[first], paths)
    begin, wire = paths.size[0], away
    while wire != first:
        came = paths.came[wire]
        if came != wire - 1:
            _note(came_from(wire, net), net.row[came], net.row[wire], paths)
        wire = came
    _turn(begin, paths)
