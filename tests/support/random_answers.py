"""Random small answers, and what is dense about them."""

from __future__ import annotations

import numpy as np

from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.network.wires import WireNetwork
from mixsafe.verify.privacy.decided import Decided, NamedCandidates


def random_answer(seed: int, *, k: int = 3) -> Decided:
    """Bounds drawn at random on the wires of random meetings at five places."""
    random = np.random.default_rng(seed)
    users, steps = int(random.integers(2, 9)), int(random.integers(1, 12))
    time, members, place = [], [], []
    for step in range(1, steps + 1):
        where = random.integers(0, 5, users)
        for spot in range(4):  # place 4 is nowhere
            rows = np.flatnonzero(where == spot)
            if len(rows) > 1:
                time.append(step)
                members.append(rows)
                place.append(spot + 10)
    zones = MixZones(
        np.arange(users) + 100,
        TimeAxis(steps),
        np.array(time, np.int32),
        np.cumsum([0, *map(len, members)]).astype(np.int64),
        np.concatenate([*members, np.zeros(0)]).astype(np.int32),
        np.array(place, np.int64),
    )
    network = WireNetwork.of(zones)
    meeting = np.full(network.n_wires, -1)
    meeting[network.before + 1] = zones.zone_of_member
    lower = random.integers(1, k + 2, network.n_wires)
    return Decided(
        zones,
        network.row.astype(np.int64),
        network.start.astype(np.int64),
        network.end.astype(np.int64),
        np.full(network.n_wires, k),
        lower,
        lower + random.integers(0, 3, network.n_wires),
        meeting,
        lambda question, _: NamedCandidates([f"c{question}"], 1, 2),
        whole=True,
    )


def dense(asked: Decided) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """(n_users, t* + 1) question about each user at each step."""
    found = np.full((asked.zones.n_users, asked.zones.axis.steps + 1), -1)
    for number, (row, start, end) in enumerate(
        zip(asked.row.tolist(), asked.start.tolist(), asked.end.tolist(), strict=True)
    ):
        found[row, start : end + 1] = number
    return found
