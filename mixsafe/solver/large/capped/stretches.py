"""Stretches: the time of a token between two of its sightings."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.network.timeline import NEVER, Timeline
from mixsafe.network.wires import Ints, Small, Wires, row_of, wires_at

AT_ONCE = 512
"""Stretches in one sweep: eight words for each zone."""

Closed = npt.NDArray[np.bool_]


class Stretches(NamedTuple):
    """Stretches, in order of their beginning."""

    row: Ints  # (n,): whose token it is
    begin: Ints  # (n,): zone at which the token may leave its row
    end: Ints  # (n,): zone at which it is back; the number of zones: it need not be
    until: Small  # (n,): step of the next sighting, or NEVER


def stretches(whole: Timeline) -> tuple[Stretches, Closed]:
    """All stretches in which a token can leave its row, and the wires with their own token only.

    Parameters
    ----------
    whole
        The wires, and when tokens are on their own rows for certain.
    """
    net, seen = whole.net, whole.seen
    n_rows = len(net.first) - 1
    row = np.repeat(np.arange(n_rows), np.diff(seen.ptr))
    wire = wires_at(net, row, seen.time)
    closed = np.zeros(len(net.start), np.bool_)
    closed[net.first[:-1]] = closed[wire] = True  # tokens begin on their own rows
    wires = np.flatnonzero(closed)
    owner = row_of(wires, net)
    following = np.append(wires[1:], 0)
    last = np.append(owner[1:] != owner[:-1], True)
    until = np.full(len(wires), NEVER, np.int32)
    # The token must be back at the first sighting on a wire.
    step = np.full(len(net.start), NEVER, np.int32)
    np.minimum.at(step, wire, seen.time)
    until[~last] = step[following[~last]]
    end = np.where(last, len(net.zone_time), net.leads_to[np.where(last, 0, following - 1)])
    leaves = np.where(last, net.leads_to[wires] >= 0, following > wires + 1)
    some = np.flatnonzero(leaves)
    begin = net.leads_to[wires[some]].astype(np.int64)
    order = np.lexsort((begin, last[some]))
    some = some[order]
    found = Stretches(owner[some], begin[order], end[some].astype(np.int64), until[some])
    return found, closed


def sweeps_needed(asked: Stretches, net: Wires) -> float:
    """Cost of the sweeps over all stretches, in sweeps over the whole network."""
    passed = (zones_of(part, net) for part in batches(asked))
    come_to = sum(int(net.zone_ptr[high] - net.zone_ptr[low]) for low, high in passed)
    return come_to / max(1, len(net.member))


def batches(asked: Stretches, at_once: int = AT_ONCE) -> list[Stretches]:
    """Batches of at most ``at_once`` stretches; those without an end are in separate batches."""
    fixed = int(np.count_nonzero(asked.until < NEVER))
    cuts = [*range(0, fixed, at_once), *range(fixed, len(asked.row), at_once), len(asked.row)]
    parts = [slice(i, j) for i, j in itertools.pairwise(cuts) if j > i]
    return [
        Stretches(asked.row[one], asked.begin[one], asked.end[one], asked.until[one])
        for one in parts
    ]


def zones_of(part: Stretches, net: Wires) -> tuple[int, int]:
    """Range of the zones that the stretches of a batch may visit."""
    return int(part.begin.min()), min(int(part.end.max()) + 1, len(net.zone_time))
