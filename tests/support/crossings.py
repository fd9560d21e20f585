"""People who drive straight on, past each other: mix zones that hide nobody."""

from __future__ import annotations

import numpy as np

from mixsafe.extract.positions import positions
from mixsafe.extract.zones import mix_zones
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.mix_zones import MixZones


def crossing(n_users: int = 60, n_rounds: int = 20, seed: int = 0) -> Traces:
    """Pairs of people on straight ways, one eastward and one northward, past a crossing of theirs.

    A round takes 7 minutes, with a fix every 20 seconds, and both are at the crossing at once.
    """
    random = np.random.default_rng(seed)
    time = np.arange(0, 420, 20)
    shape = (n_users, n_rounds, len(time))
    along = (time - 220) * 10 + random.normal(30, 3, shape)
    aside = random.normal(30, 3, shape)
    eastward = (np.arange(n_users) % 2 == 1)[:, None, None]
    east, north = np.where(eastward, along, aside), np.where(eastward, aside, along)
    north += 4000 * (np.arange(n_users) // 2)[:, None, None]
    moment = np.broadcast_to(time + 420 * np.arange(n_rounds)[:, None], shape)
    return Traces(
        np.arange(n_users),
        np.repeat(np.arange(n_users, dtype=np.int32), n_rounds * len(time)),
        moment.ravel().astype(np.int64),
        "unix",
        north.ravel() / 111_195,
        east.ravel() / 111_195,
        center=(0.0, 0.0),
    )


def zones_of(traces: Traces) -> MixZones:
    return mix_zones(positions(traces, cell_size=100.0, time_step=60))
