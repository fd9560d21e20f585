"""Towns for audits in which everybody is seen a few times, and a solution is known to exist."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from mixsafe.model.question.adversary import Pins
from mixsafe.network.core import Core
from mixsafe.solver.state.witness import Assignment, fault
from mixsafe.verify.auditor.paths import unnamed_start
from tests.support.strategies import mix_zones


def town(n_rows: int, steps: int, per_token: int, seed: int) -> Core:
    """People in a town whose zones exchange them all the time, each seen a few times in truth."""
    random = np.random.default_rng(seed)
    place = random.integers(max(1, n_rows // 4), size=(steps, n_rows))
    zones = [
        (t + 1, np.flatnonzero(place[t] == where).tolist())
        for t in range(steps)
        for where in np.unique(place[t])
        if np.count_nonzero(place[t] == where) > 1
    ]
    row_of = random.permutation(n_rows)  # of each token
    rows = np.empty((steps, n_rows), np.int64)
    for t in range(steps):
        token_on = np.argsort(row_of)
        for where in np.unique(place[t]):
            there = np.flatnonzero(place[t] == where)
            token_on[there] = random.permutation(token_on[there])
        row_of = np.argsort(token_on)
        rows[t] = row_of
    pins = sorted(
        (t + 1, token, np.flatnonzero(place[t] == place[t, rows[t, token]]).tolist())
        for token in range(n_rows)
        for t in random.choice(steps, per_token, replace=False).tolist()
    )
    return unnamed_start(
        mix_zones(n_rows, steps, zones),
        Pins(
            np.array([token for _, token, _ in pins], np.int32),
            np.array([t for t, _, _ in pins], np.int32),
            np.cumsum([0, *(len(there) for *_, there in pins)]).astype(np.int64),
            np.array([row for *_, there in pins for row in there], np.int32),
        ),
    )


@st.composite
def partly_known_towns(draw: st.DrawFn) -> Core:
    """Small towns in which only the first few are known."""
    n_rows, steps = draw(st.integers(2, 12)), draw(st.integers(1, 6))
    per_token, seed = draw(st.integers(1, steps)), draw(st.integers(0, 999))
    core = town(n_rows, steps, min(per_token, 3), seed)
    known = np.flatnonzero(core.pins.token < draw(st.integers(1, 12)))
    return Core(core.network, core.pins.those(known), core.links)


def assert_sound_and_repeatable(
    core: Core, found: Assignment | None, again: Assignment | None
) -> None:
    """What was found twice is a solution, and the same one."""
    assert (found is None) == (again is None)
    if found is not None:
        assert again is not None
        assert fault(core, found) is None
        assert np.array_equal(found, again)
