"""Histories that may break what is known, and the exchanges that lead from one to another.

A history says for every zone on which wire those who come leave. Each sighting cuts it: from a
wire on which a token is seen on, that token is on the path, whoever came there. Where somebody else
came the sighting is *broken*; a history in which none is, is a solution (docs/develop/facts.md).
So an exchange at a zone changes two paths up to the next sightings only, and what it mends or
breaks is known from who comes and where the paths end, without following them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import inner
from mixsafe.network.wires import WireNetwork, Wires
from mixsafe.verify.core.core import Core
from mixsafe.verify.core.tokens import TokenSets

Ints = npt.NDArray[np.int32]


class Landscape(NamedTuple):
    """What no history changes: the wires, who is seen where, and who can be where at all."""

    net: Wires
    seen: Ints  # (n_wires,): token that is seen on the wire, or -1
    previous: Ints  # (n_wires,): where a token was seen before that is seen on the wire, or -1
    ending: Ints  # (n_wires,): as History.ending, of the identity
    possible: TokenSets  # (n_wires, words)


class History(NamedTuple):
    """Who is on which wire, where paths go on and end, and which sightings are broken."""

    ahead: Ints  # (n_wires,): wire on which the path goes on, -1 at the horizon
    behind: Ints  # (n_wires,): wire from which it comes, -1 at step 0
    token: Ints  # (n_wires,)
    ending: Ints  # (n_wires,): wire of the next sighting on the path; ~last wire: there is none
    broken: Ints  # (n_wires,): wires of broken sightings, the first size[0] of them
    place: Ints  # (n_wires,): where a wire is in `broken`, or -1
    touched: Ints  # (n_wires,): wires that are not as in the identity, among size[1] of them
    is_touched: npt.NDArray[np.bool_]  # (n_wires,)
    size: Ints  # (2,)


def landscape(core: Core, possible: TokenSets) -> Landscape:
    """Every pin and link of ``core`` as a sighting of a token on its own row.

    Parameters
    ----------
    core
        The question.
    possible
        (n_wires, words): upper bound on who is on each wire.
    """
    pins = core.own_pins()
    return landscape_of(
        core.network, pins.token, core.network.wire_at(pins.token, pins.time), possible
    )


def landscape_of(
    network: WireNetwork,
    token: Ints,
    wire: npt.NDArray[np.int64],
    possible: TokenSets,
) -> Landscape:
    """Sightings of any tokens on any wires: (n,) tokens, each on the wire beside it."""
    wires = np.arange(network.n_wires, dtype=np.int32)
    seen = np.full(network.n_wires, -1, np.int32)
    seen[wire] = token
    seen[network.first[:-1]] = np.arange(network.n_rows)
    at = np.flatnonzero(seen >= 0).astype(np.int32)
    at = at[np.lexsort((network.start[at], seen[at]))]
    previous = np.full(network.n_wires, -1, np.int32)
    same = seen[at[1:]] == seen[at[:-1]]
    previous[at[1:][same]] = at[:-1][same]
    never = np.iinfo(np.int32).max
    ahead = np.where(seen >= 0, wires, never)[1:]
    ending = np.append(np.minimum.accumulate(ahead[::-1])[::-1], never)
    last = (network.first[1:] - 1)[network.row]
    ending = np.where(ending <= last, ending, ~last).astype(np.int32)
    return Landscape(network.wires, seen, previous, ending, possible)


def identity(around: Landscape) -> History:
    """The history in which nobody exchanges anything.

    Where tokens are seen on their own rows only, none of its sightings is broken.
    """
    net, n = around.net, len(around.seen)
    wires = np.arange(n, dtype=np.int32)
    since = np.maximum.accumulate(np.where(around.seen >= 0, wires, -1))
    token = around.seen[since]
    broken = np.flatnonzero((around.seen >= 0) & (net.comes_from >= 0)).astype(np.int32)
    broken = broken[token[broken - 1] != around.seen[broken]]
    listed, place = np.zeros(n, np.int32), np.full(n, -1, np.int32)
    listed[: len(broken)] = broken
    place[broken] = np.arange(len(broken))
    return History(
        np.where(net.leads_to >= 0, wires + 1, -1).astype(np.int32),
        np.where(net.comes_from >= 0, wires - 1, -1).astype(np.int32),
        token,
        around.ending.copy(),
        listed,
        place,
        np.zeros(n, np.int32),
        np.zeros(n, np.bool_),
        np.array([len(broken), 0], np.int32),
    )


@inner
def is_broken(token: int, ending: int, seen: Ints) -> int:  # pragma: no cover - compiled
    """1 if ``token`` comes to a sighting of somebody else at the end of its path, 0 if not."""
    return 1 if ending >= 0 and seen[ending] != token else 0


@inner
def loss(  # pragma: no cover - compiled
    one: int, other: int, history: History, seen: Ints
) -> int:
    """Sightings that an exchange of what comes on two wires to a zone breaks, less those mended."""
    a, b = history.token[one], history.token[other]
    x, y = history.ending[one], history.ending[other]
    return (
        is_broken(a, y, seen)
        + is_broken(b, x, seen)
        - is_broken(a, x, seen)
        - is_broken(b, y, seen)
    )


@inner
def exchange(  # pragma: no cover - compiled
    one: int, other: int, history: History, seen: Ints
) -> None:
    """Let the tokens that come on two wires to a zone leave on each other's wires."""
    ahead, behind, ending = history.ahead, history.behind, history.ending
    x, y = ending[one], ending[other]
    after, beyond = ahead[one], ahead[other]
    ahead[one], ahead[other] = beyond, after
    behind[after], behind[beyond] = other, one
    _rename(after, history.token[other], history, seen)
    _rename(beyond, history.token[one], history, seen)
    _redirect(one, y, history, seen)
    _redirect(other, x, history, seen)
    _review(x, history, seen)
    _review(y, history, seen)


@inner
def _rename(  # pragma: no cover - compiled
    wire: int, token: int, history: History, seen: Ints
) -> None:
    """Put ``token`` on a path from ``wire`` on, up to the next sighting."""
    while wire >= 0 and seen[wire] < 0:
        history.token[wire] = token
        _touch(wire, history)
        wire = history.ahead[wire]


@inner
def _redirect(  # pragma: no cover - compiled
    wire: int, ending: int, history: History, seen: Ints
) -> None:
    """Note where a path ends now, on ``wire`` and back to the sighting before it."""
    while True:
        history.ending[wire] = ending
        _touch(wire, history)
        if seen[wire] >= 0:
            return
        wire = history.behind[wire]


@inner
def _touch(wire: int, history: History) -> None:  # pragma: no cover - compiled
    if not history.is_touched[wire]:
        history.is_touched[wire] = True
        history.touched[history.size[1]] = wire
        history.size[1] += 1


@inner
def _review(ending: int, history: History, seen: Ints) -> None:  # pragma: no cover - compiled
    """Enter the sighting at the end of a path among the broken ones, or strike it off."""
    if ending < 0:
        return
    wrong = history.token[history.behind[ending]] != seen[ending]
    place, size = history.place[ending], history.size
    if wrong and place < 0:
        history.place[ending] = size[0]
        history.broken[size[0]] = ending
        size[0] += 1
    elif place >= 0 and not wrong:
        size[0] -= 1
        last = history.broken[size[0]]
        history.broken[place] = last
        history.place[last] = place
        history.place[ending] = -1


@inner
def reset(history: History, around: Landscape) -> None:  # pragma: no cover - compiled
    """Make it the identity again, all tokens being seen on their own rows only."""
    net = around.net
    for i in range(history.size[0]):
        history.place[history.broken[i]] = -1
    for i in range(history.size[1]):
        wire = history.touched[i]
        history.is_touched[wire] = False
        history.token[wire] = net.row[wire]
        history.ending[wire] = around.ending[wire]
        if net.leads_to[wire] >= 0:
            history.ahead[wire] = wire + 1
            history.behind[wire + 1] = wire
        if net.comes_from[wire] >= 0:
            history.behind[wire] = wire - 1
            history.ahead[wire - 1] = wire
    history.size[0] = history.size[1] = 0
