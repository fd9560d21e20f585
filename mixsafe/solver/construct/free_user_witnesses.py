"""Witnesses of the bounds by free users: exchanges that route a token to a wire and back home.

A token is routed over free rows along a path within the bound, zone after zone: it changes places
with the token there, which is free. A free token that replaces a row's own token is routed to the
zone where that token leaves, and the own token is routed over free rows until it can return.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner, tiered
from mixsafe.network.core import Core
from mixsafe.network.timeline import wire_at
from mixsafe.network.wires import Wires, came_from
from mixsafe.solver.construct.free_users import FreeUsers
from mixsafe.solver.state import tokens
from mixsafe.solver.state.witness import WitnessExchanges

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]

BEFORE, AFTER = 0, 1  # a zone


class _Paths(NamedTuple):
    """Working memory, and the recorded exchanges."""

    may_be_on: Ints  # (n_rows,): marks of rows on which the absent token may be
    previous: Ints  # (n_wires,): wire before the zone, for each wire after it on its path
    exchanges: (
        Small  # (room, 3): zone and two rows of each exchange; without room they are only counted
    )
    size: Ints  # (2,): how many exchanges there are, and the mark


def free_user_witnesses(
    core: Core, free_users: FreeUsers, wires: Ints, token: Small
) -> WitnessExchanges:
    """Exchanges after which tokens are on wires.

    Parameters
    ----------
    core
        The question; links are taken as pins to the row's own token.
    free_users
        Free rows, and the tokens that can travel over them.
    wires, token
        (n,) each: a wire, and a token other than its row's.

    Returns
    -------
    Exchanges
        A witness for each pair; without exchanges, if free users do not bring the token there.
    """
    network, ptr = core.network, np.zeros(len(wires) + 1, np.int64)
    may_be_on, previous = np.zeros(network.n_rows, np.int64), np.zeros(network.n_wires, np.int64)
    exchanges, seen = np.zeros((0, 3), np.int32), _last_seen(core)
    for _ in range(2):  # first they are counted
        exchanges, size = np.zeros((ptr[-1], 3), np.int32), np.array([0, may_be_on.max(initial=0)])
        paths = _Paths(may_be_on, previous, exchanges, size)
        _route_all(wires, token, ptr, seen, free_users, paths, network.wires)
    zone, one, other = (np.ascontiguousarray(column) for column in exchanges.T)
    return WitnessExchanges(ptr, network.zone_time[zone], one, other)


def _last_seen(core: Core) -> Ints:
    """(n_wires,) last step up to the first of each wire at which its row's token is seen, or -1."""
    network, pins = core.network, core.own_pins()
    width = np.int64(network.horizon + 2)
    seen = np.sort(np.append(pins.token * width + pins.time, -1))
    last = np.searchsorted(seen, network.row * width + network.start, side="right") - 1
    row, time = np.divmod(seen[last], width)
    return np.where(row == network.row, time, -1)


@tiered
def _route_all(  # pragma: no cover - compiled
    wires: Ints,
    token: Small,
    ptr: Ints,
    seen: Ints,
    free_users: FreeUsers,
    paths: _Paths,
    net: Wires,
) -> None:
    """Route one token after the other."""
    for i in range(len(wires)):
        wire, begin = wires[i], paths.size[0]
        if tokens.holds(free_users.reached[wire], token[i]):
            is_routed = _route_home_to(token[i], wire, -1, free_users, paths, net)
            is_routed = is_routed and _route_onward(token[i], wire, free_users, paths, net)
        else:
            is_routed = _replace_absent(token[i], wire, seen[wire], free_users, paths, net)
        if not is_routed:
            paths.size[0] = begin
        ptr[i + 1] = paths.size[0]


@inner
def _note(zone: int, one: int, other: int, paths: _Paths) -> None:  # pragma: no cover - compiled
    """Record an exchange of two rows."""
    n = paths.size[0]
    if n < len(paths.exchanges):
        paths.exchanges[n, 0], paths.exchanges[n, 1], paths.exchanges[n, 2] = zone, one, other
    paths.size[0] = n + 1


@inner
def _reverse(begin: int, paths: _Paths) -> None:  # pragma: no cover - compiled
    """Reverse the exchanges from ``begin`` on, which were recorded backward in time."""
    first, last = begin, paths.size[0] - 1
    while first < last and last < len(paths.exchanges):
        for column in range(3):
            one, other = paths.exchanges[first, column], paths.exchanges[last, column]
            paths.exchanges[first, column], paths.exchanges[last, column] = other, one
        first += 1
        last -= 1


@inner
def _through(  # pragma: no cover - compiled
    token: int, zone: int, straight: int, avoided: int, side: int, free_users: FreeUsers, net: Wires
) -> int:
    """Wire before or after a zone on which a token may be; -1: there is none.

    Prefers the token's own row, then wire ``straight``. Never on row ``avoided``.
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
def _route_home_to(  # pragma: no cover - compiled
    token: int, wire: int, avoided: int, free_users: FreeUsers, paths: _Paths, net: Wires
) -> bool:
    """Route a token from home to a wire; False: no path was found."""
    begin = paths.size[0]
    while net.row[wire] != token:
        zone = came_from(wire, net)
        if zone < 0:
            return False
        previous = _through(token, zone, wire - 1, avoided, BEFORE, free_users, net)
        if previous < 0:
            return False
        if previous != wire - 1:
            _note(zone, net.row[previous], net.row[wire], paths)
        wire = previous
    _reverse(begin, paths)
    return True


@inner
def _route_onward(  # pragma: no cover - compiled
    token: int, wire: int, free_users: FreeUsers, paths: _Paths, net: Wires
) -> bool:
    """Route a token on from a wire, home or to the horizon; False: no path was found."""
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
def _replace_absent(  # pragma: no cover - compiled
    token: int, wire: int, seen: int, free_users: FreeUsers, paths: _Paths, net: Wires
) -> bool:
    """Route a free token to a wire while its own token is away; False: no path was found.

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
                away = _away_straight(own, left, wire, free_users, paths, net)
            if away >= 0 and _route_home_to(token, guest, own, free_users, paths, net):
                _exchange_with_guest(guest, away, left, paths, net)
                return _route_onward(own, away, free_users, paths, net)
            paths.size[0] = begin
            left -= 1
    return False


@inner
def _guest(  # pragma: no cover - compiled
    token: int, zone: int, own: int, free_users: FreeUsers, net: Wires
) -> int:
    """Free wire, not of row ``own``, on which a free token can come to a zone; or -1."""
    if free_users.last_known[token] >= net.zone_time[zone]:
        return -1
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        wire = net.before[m]
        there = free_users.free[wire + 1] and tokens.holds(free_users.reached[wire], token)
        if there and net.member[m] != own:
            return wire
    return -1


@inner
def _away_straight(  # pragma: no cover - compiled
    own: int, left: int, wire: int, free_users: FreeUsers, paths: _Paths, net: Wires
) -> int:
    """As :func:`_away`, but the token stays on each row as long as possible."""
    zone = came_from(left, net)
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        at = net.before[m] + 1
        if net.member[m] == own or not _can_go(own, at, free_users):
            continue
        paths.previous[at] = left - 1
        while net.leads_to[at] >= 0 and net.zone_time[net.leads_to[at]] <= net.start[wire]:
            goes = _through(own, net.leads_to[at], at + 1, own, AFTER, free_users, net)
            if goes < 0:
                break
            paths.previous[goes] = at
            at = goes
        else:
            return at
    return -1


@inner
def _away(  # pragma: no cover - compiled
    own: int, left: int, wire: int, free_users: FreeUsers, paths: _Paths, net: Wires
) -> int:
    """Wire on which an absent token can be when ``wire`` of its row begins; -1: there is none.

    ``left``: the first wire of its row on which it is absent.
    """
    paths.size[1] += 1
    mark, n, zone = paths.size[1], 0, came_from(left, net)
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        if net.member[m] != own and _can_go(own, net.before[m] + 1, free_users):
            paths.may_be_on[net.member[m]], paths.previous[net.before[m] + 1] = mark, left - 1
            n += 1
    zone += 1
    while n > 0 and zone < len(net.zone_time) and net.zone_time[zone] <= net.start[wire]:
        n += _go_on(own, zone, mark, free_users, paths, net)
        zone += 1
    for row in range(len(paths.may_be_on) if n > 0 else 0):
        if paths.may_be_on[row] == mark:
            return wire_at(row, net.start[wire], net)
    return -1


@inner
def _can_go(token: int, wire: int, free_users: FreeUsers) -> bool:  # pragma: no cover - compiled
    """Whether a token can be on a wire by way of free users."""
    return bool(free_users.free[wire]) and tokens.holds(free_users.reached[wire], token)


@inner
def _go_on(  # pragma: no cover - compiled
    own: int, zone: int, mark: int, free_users: FreeUsers, paths: _Paths, net: Wires
) -> int:
    """Let an absent token pass a zone; the change in the number of rows on which it may be."""
    arrival, change = np.int64(-1), 0
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        if paths.may_be_on[net.member[m]] == mark:
            arrival = net.before[m]
    if arrival < 0:
        return 0
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        row, after = net.member[m], net.before[m] + 1
        if row == own:
            continue
        was_there, can = paths.may_be_on[row] == mark, _can_go(own, after, free_users)
        if can:
            paths.previous[after] = net.before[m] if was_there else arrival
        paths.may_be_on[row] = mark if can else 0
        change += int(can) - int(was_there)
    return change


@inner
def _exchange_with_guest(  # pragma: no cover - compiled
    guest: int, away: int, left: int, paths: _Paths, net: Wires
) -> None:
    """Exchange a token with its guest, and route it to the wire ``away``."""
    first = away
    while paths.previous[first] != left - 1:
        first = paths.previous[first]
    zone = came_from(left, net)
    _note(zone, net.row[left], net.row[guest], paths)
    if net.row[first] != net.row[guest]:
        _note(zone, net.row[guest], net.row[first], paths)
    begin, wire = paths.size[0], away
    while wire != first:
        previous = paths.previous[wire]
        if previous != wire - 1:
            _note(came_from(wire, net), net.row[previous], net.row[wire], paths)
        wire = previous
    _reverse(begin, paths)
