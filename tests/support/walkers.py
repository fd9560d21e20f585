"""People who walk on a line, in metres."""

from __future__ import annotations

import numpy as np

import mixsafe

BEGIN = 946_684_800
"""2000-01-01T00:00:00Z, Unix seconds."""

METRE = 1 / 111_195
"""A metre, degrees of latitude."""


def walkers(seed: int, n_users: int = 8, reach: float = 300.0) -> mixsafe.Traces:
    """People who walk on a line near the equator, with a fix every minute."""
    random = np.random.default_rng(seed)
    way = random.uniform(-reach, reach, n_users) + random.normal(0, 40, (20, n_users)).cumsum(0)
    return mixsafe.Traces(
        users=np.arange(n_users),
        user=np.repeat(np.arange(n_users, dtype=np.int32), 20),
        time=np.tile(BEGIN + 60 * np.arange(20), n_users),
        clock="unix",
        lat=(way.T * METRE).ravel(),
        lon=np.ones(20 * n_users),
    )
