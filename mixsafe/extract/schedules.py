"""When ready-made adversaries see users: at the ends of all time, of every day, or at home."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.days import day_starts, positive_steps
from mixsafe.extract.scene import Scene
from mixsafe.machinery.spill import BLOCK, like, whole_stretches
from mixsafe.model.csr import begins_of
from mixsafe.model.mobility.traces import Positions
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones

SECONDS_PER_HOUR = 3600

Steps = npt.NDArray[np.int64]


def at_endpoints(scene: Scene) -> Knowledge:
    """Every user at step 0 and at the last step."""
    return _everybody_at(scene.zones, np.array([scene.zones.axis.steps]))


def daily(scene: Scene) -> Knowledge:
    """Every user at step 0 and at the first and last step of every day.

    Raises
    ------
    InputError
        A length of a day below 1.
    SpanError
        Days for more than a century.
    """
    axis = scene.zones.axis
    starts = day_starts(axis, steps_per_day=scene.steps_per_day)
    return _everybody_at(scene.zones, np.concatenate([starts, starts[1:] - 1, [axis.steps]]))


def at_home(scene: Scene, at_once: int = BLOCK) -> Knowledge:
    """Every user at step 0 and at every step at which she is at home (:func:`home_places`).

    ``at_once`` positions are looked at together, or those of one user.

    Raises
    ------
    InputError
        It is not known where users are, or a length below 1.
    """
    if scene.positions is None:
        raise InputError(
            "the home adversary needs to know where users are, and this source has only zones",
            hint="use --adversary endpoints or daily, or a source of traces",
        )
    home = home_places(
        scene.positions,
        steps_per_day=scene.steps_per_day,
        steps_per_hour=scene.steps_per_hour,
        at_once=at_once,
    )
    return _at(scene.positions, home, at_once)


def _everybody_at(zones: MixZones, steps: Steps) -> Knowledge:
    """Sightings of all users at step 0 and at ``steps``."""
    steps = np.unique(np.concatenate([[0], steps])).astype(np.int32)
    row = np.repeat(np.arange(zones.n_users, dtype=np.int32), len(steps))
    return Knowledge(row, np.tile(steps, zones.n_users), distinct=True)


def home_places(
    positions: Positions,
    *,
    steps_per_day: int = 20,
    steps_per_hour: int = 2,
    at_once: int = BLOCK,
) -> npt.NDArray[np.int64]:
    """Place of each user in most first hours of her days.

    Where steps are numbered, that hour is the first ``steps_per_hour`` steps of a day. Where times
    are known, it begins with her first position of the day. Among places at which she is equally
    often, the lowest id is taken. ``at_once`` positions are looked at together, or those of one
    user.

    Returns
    -------
    (n_users,) places; -1 for users who have no position in any such hour.

    Raises
    ------
    InputError
        A length below 1.
    """
    if steps_per_hour < 1:
        raise InputError(f"the number of steps per hour is not positive: {steps_per_hour}")
    home = np.full(len(positions.users), -1, np.int64)
    for rows, part in _by_users(positions, at_once):
        home[rows] = _home_places(part, steps_per_day, steps_per_hour)
    return home


def _by_users(positions: Positions, at_once: int) -> Iterator[tuple[slice, Positions]]:
    """Some users after the other, with their positions: those of all need not fit into memory."""
    ptr = begins_of(positions.row, len(positions.users))
    for rows in whole_stretches(ptr, at_once):
        part = slice(int(ptr[rows.start]), int(ptr[rows.stop]))
        row = positions.row[part] - np.int32(rows.start)
        step, place = positions.step[part], positions.place[part]
        yield rows, Positions(positions.users[rows], positions.axis, row, step, place)


def _home_places(
    positions: Positions, steps_per_day: int, steps_per_hour: int
) -> npt.NDArray[np.int64]:
    """The homes of some users, as :func:`home_places`."""
    early = np.flatnonzero(_in_first_hour(positions, steps_per_day, steps_per_hour))
    home = np.full(len(positions.users), -1, np.int64)
    if not len(early):
        return home
    row, place = positions.row[early], positions.place[early]
    order = np.lexsort((place, row))
    row, place = row[order], place[order]
    begin = np.flatnonzero(
        np.concatenate([[True], (row[1:] != row[:-1]) | (place[1:] != place[:-1])])
    )
    times = np.diff(np.append(begin, len(row)))
    row, place = row[begin], place[begin]
    # Rarest first, highest id first: what is assigned last is the answer.
    order = np.lexsort((-place, times))
    home[row[order]] = place[order]
    return home


def _in_first_hour(
    positions: Positions, steps_per_day: int, steps_per_hour: int
) -> npt.NDArray[np.bool_]:
    """(n_positions,) whether each lies in the first hour of its user's day."""
    axis, step = positions.axis, positions.step
    if axis.step_seconds is None:
        time_id = axis.first + step.astype(np.int64) - 1
        into = (time_id - 1) % positive_steps(steps_per_day)
        early: npt.NDArray[np.bool_] = into < steps_per_hour
        return early
    day = np.searchsorted(day_starts(axis, at=step), step, side="right") - 1
    row = positions.row
    new = np.ones(len(step), bool)
    new[1:] = (row[1:] != row[:-1]) | (day[1:] != day[:-1])
    begin = np.flatnonzero(new)
    first = np.repeat(step[begin], np.diff(np.append(begin, len(step))))
    return (step - first).astype(np.int64) * axis.step_seconds < SECONDS_PER_HOUR


def _at(positions: Positions, home: npt.NDArray[np.int64], at_once: int) -> Knowledge:
    """All users seen at step 0, and whenever they are at their home."""
    total = len(home) + sum(
        int(np.count_nonzero(_is_at(part, home[rows])))
        for rows, part in _by_users(positions, at_once)
    )
    row, step = (like(positions.row, total, np.int32) for _ in range(2))
    filled = 0
    for rows, part in _by_users(positions, at_once):
        there = _is_at(part, home[rows])
        everyone = np.arange(len(part.users), dtype=np.int32)
        seen = np.concatenate([everyone, part.row[there]])
        order = np.argsort(seen, kind="stable")  # step 0 first, then in order of time
        chosen = slice(filled, filled + len(order))
        row[chosen] = seen[order] + np.int32(rows.start)
        step[chosen] = np.concatenate([np.zeros_like(everyone), part.step[there]])[order]
        filled += len(order)
    return Knowledge(row, step, distinct=True)


def _is_at(positions: Positions, home: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """(n_positions,) whether each is at its user's home."""
    own = home[positions.row]
    there: npt.NDArray[np.bool_] = (positions.place == own) & (own >= 0)
    return there
