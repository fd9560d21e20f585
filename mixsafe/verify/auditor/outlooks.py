"""How likely a token that wanders comes to its next sighting: whom zones should send where.

Whoever comes to a zone leaves on any of its wires with equal chances, as if alone in the world. One
sweep back through time says how likely that leads to where the token is seen next (the function h
of Doob's transform: Doob, Bulletin de la SMF 85, 1957). It orders wires, and nothing is concluded
from it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.state.tokens import TokenSets, below

Outlooks = npt.NDArray[np.float32]
"""(n_zones, n_rows): chance of each token that is in a zone to come to its next sighting."""

LARGEST = 500_000_000
"""Entries of outlooks that fit into memory: two gigabytes."""


def outlooks(network: WireNetwork, possible: TokenSets, seen: npt.NDArray[np.int32]) -> Outlooks:
    """Chances of all tokens in all zones.

    Parameters
    ----------
    network
        The wires.
    possible
        (n_wires, words): wires on which each token may be.
    seen
        (n_wires,) token that is seen on each wire, or -1.
    """
    found = np.zeros((network.n_zones, network.n_rows), np.float32)
    _look_back(seen, network.leads_to, network.zone_ptr, network.before, possible, found)
    return found


@compiled
def _look_back(  # pragma: no cover - compiled
    seen: npt.NDArray[np.int32],
    leads_to: npt.NDArray[np.int64],
    zone_ptr: npt.NDArray[np.int64],
    before: npt.NDArray[np.int64],
    possible: TokenSets,
    found: Outlooks,
) -> None:
    members = np.empty(found.shape[1], np.int64)
    for z in range(len(zone_ptr) - 2, -1, -1):
        chance = np.float32(1 / (zone_ptr[z + 1] - zone_ptr[z]))
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            wire = before[m] + 1
            zone = leads_to[wire]
            if seen[wire] >= 0:
                found[z, seen[wire]] += chance
                continue
            for token in members[: below(possible[wire], members)]:
                found[z, token] += chance * (found[zone, token] if zone >= 0 else np.float32(1))
