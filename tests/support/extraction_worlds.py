"""Small worlds for the tests of extraction, and what they amount to by the plain definitions."""

import numpy as np
from hypothesis import strategies as st

from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Positions, Traces


def numbered(fixes, n_users, **others):
    """Traces of (user, time_id, region), in any order."""
    fixes = sorted(fixes, key=lambda fix: fix[:2])
    user, time, region = (
        (list(column) for column in zip(*fixes, strict=True)) if fixes else ((),) * 3
    )
    return Traces(
        users=np.arange(n_users),
        user=np.array(user, np.int32),
        time=np.array(time, np.int64),
        clock="time_id",
        region=np.array(region, np.int64),
        **others,
    )


def timed(fixes, n_users, **others):
    """Traces of (user, Unix second, region), in any order; later ones of one second come later."""
    traces = numbered(fixes, n_users)
    return Traces(
        users=traces.users,
        user=traces.user,
        time=traces.time,
        clock="unix",
        region=traces.region,
        **others,
    )


def positions_of(places, axis=None, n_users=None):
    """Positions of {(user, step): place}."""
    keys = sorted(places)
    steps = max((step for _, step in keys), default=1)
    return Positions(
        users=np.arange(n_users or max((user for user, _ in keys), default=0) + 1),
        axis=axis or TimeAxis(steps),
        row=np.array([user for user, _ in keys], np.int32),
        step=np.array([step for _, step in keys], np.int32),
        place=np.array([places[key] for key in keys], np.int64),
    )


worlds = st.dictionaries(
    st.tuples(st.integers(0, 5), st.integers(1, 30)), st.integers(0, 4), min_size=1, max_size=60
)
"""{(user, step): place} of up to six users, thirty steps and five places."""
