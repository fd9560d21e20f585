"""Bottlenecks: zones that limit how much of a token makes its way, while zones are active in part.

In an optimum of the linear relaxation a zone is active to a part, 0 to 1, and a token is a
candidate to a part. That part must flow from the token's row to the row that is asked about, and
home again, through zones that let through no more than they are active. Where it cannot, a
smallest cut of the flow network (:mod:`mixsafe.optimize.flow`) names the zones that are too
narrow: one of them must be active if the token is a candidate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from mixsafe.model.mix_zones import MixZones
from mixsafe.network.wires import WireNetwork
from mixsafe.optimize.flow import Flow
from mixsafe.optimize.loops import Cut, Loops
from mixsafe.optimize.spread import NEVER

_ACTIVE = 1e-7  # part of a zone that counts
_BROKEN = 0.01  # by how much a cut is to be broken
_TOKENS = 60  # per requirement, those that are chosen most


class Bottlenecks:
    """Finds cuts that an optimum of the linear relaxation breaks.

    Parameters
    ----------
    zones
        The mix zones.
    loops
        Of each requirement.
    """

    def __init__(self, zones: MixZones, loops: Sequence[Loops]) -> None:
        self._zones, self._loops = zones, loops
        self._around = np.zeros(len(zones), bool)  # zones next to the wires that are asked about
        network = WireNetwork.of(zones)
        zone = np.repeat(np.arange(len(zones)), np.diff(network.zone_ptr))
        rows, steps = (np.array([getattr(one, x) for one in loops]) for x in ("row", "step"))
        asked = network.wire_at(rows, steps)
        self._around[zone[np.isin(network.before, asked)]] = True
        self._around[zone[np.isin(network.before + 1, asked)]] = True

    def cuts(
        self,
        value: npt.NDArray[np.float64],
        chosen: Sequence[npt.NDArray[np.float64]],
        candidates: Sequence[npt.NDArray[np.int64]],
    ) -> Iterator[Cut]:
        """Cuts that are broken.

        Parameters
        ----------
        value
            (n_zones,) how far each zone is active, 0 to 1.
        chosen
            For each requirement, (n_candidates,): how far each token is a candidate, 0 to 1.
        candidates
            For each requirement, (n_candidates,): the tokens.
        """
        flow = Flow(self._zones, value, (value > _ACTIVE) | self._around)
        for loops, part, tokens in zip(self._loops, chosen, candidates, strict=True):
            yield from _displaced(flow, loops)
            yield from _together(flow, loops, tokens, part / (loops.k - 1))
            most = np.argsort(-part, kind="stable")[:_TOKENS]
            for place in most[part[most] > _BROKEN].tolist():
                yield from _alone(flow, loops, int(tokens[place]), float(part[place]))


def _displaced(flow: Flow, loops: Loops) -> Iterator[Cut]:
    """Cuts for the row's own token, all of which must leave the row and come home."""
    row, due = loops.row, int(loops.due[loops.row])
    if due == NEVER:
        return
    start, end = (row, int(loops.left[row])), (row, due)
    for zones in flow.smallest_cuts(start, end, 1.0 - _BROKEN, (row, loops.step)):
        yield from loops.way_out(zones)


def _together(
    flow: Flow, loops: Loops, tokens: npt.NDArray[np.int64], part: npt.NDArray[np.float64]
) -> Iterator[Cut]:
    """Cuts for all candidates together, who are to be k - 1: parts of them that sum up to one."""
    here, least = (loops.row, loops.step), float(part.sum()) - _BROKEN
    named = part > _ACTIVE
    starts = list(zip(tokens[named].tolist(), loops.left[tokens[named]].tolist(), strict=True))
    zones = flow.smallest_cut_of_many(starts, part[named], here, least, home=False)
    if zones is not None:
        yield from loops.far_before(zones)
    bound = named & (loops.due[tokens] != NEVER)
    least = float(part[bound].sum()) - _BROKEN
    ends = list(zip(tokens[bound].tolist(), loops.due[tokens[bound]].tolist(), strict=True))
    zones = flow.smallest_cut_of_many(ends, part[bound], here, least, home=True)
    if zones is not None:
        yield from loops.far_after(zones)


def _alone(flow: Flow, loops: Loops, token: int, part: float) -> Iterator[Cut]:
    """Cuts for ``part`` of a token that must come to the row and get home."""
    here, start = (loops.row, loops.step), (token, int(loops.left[token]))
    for zones in flow.smallest_cuts(start, here, part - _BROKEN):
        yield from loops.way_in(zones, token)
    due = int(loops.due[token])
    if due == NEVER:
        return
    for zones in flow.smallest_cuts(here, (token, due), part - _BROKEN):
        yield from loops.way_home(zones, token)
