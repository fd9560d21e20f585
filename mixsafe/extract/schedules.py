"""When ready-made adversaries see users: at the ends of all time, of every day, or at home."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.days import day_starts
from mixsafe.extract.scene import Scene
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
    """
    axis = scene.zones.axis
    starts = day_starts(axis, steps_per_day=scene.steps_per_day)
    return _everybody_at(scene.zones, np.concatenate([starts, starts[1:] - 1, [axis.steps]]))


def at_home(scene: Scene) -> Knowledge:
    """Every user at step 0 and at every step at which she is at home (:func:`home_places`).

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
        scene.positions, steps_per_day=scene.steps_per_day, steps_per_hour=scene.steps_per_hour
    )
    return _at(scene.positions, home)


def _everybody_at(zones: MixZones, steps: Steps) -> Knowledge:
    """All users seen at step 0 and at ``steps``."""
    steps = np.unique(np.concatenate([[0], steps])).astype(np.int32)
    row = np.repeat(np.arange(zones.n_users, dtype=np.int32), len(steps))
    return Knowledge(row, np.tile(steps, zones.n_users))


def home_places(
    positions: Positions, *, steps_per_day: int = 20, steps_per_hour: int = 2
) -> npt.NDArray[np.int64]:
    """Place at which each user is most often in the first hour of her days.

    Where steps are numbered, that hour is the first ``steps_per_hour`` steps of a day. Where times
    are known, it begins with her first position of the day. Among places at which she is equally
    often, the lowest id is taken.

    Returns
    -------
    (n_users,) places; -1 for users who have no position in any such hour.

    Raises
    ------
    InputError
        A length below 1.
    """
    if steps_per_hour < 1:
        raise InputError(f"{steps_per_hour} steps per hour are not a positive number")
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
    starts = day_starts(axis, steps_per_day=steps_per_day)
    day = np.searchsorted(starts, step, side="right") - 1
    if axis.step_seconds is None:
        time_id = axis.first + step.astype(np.int64) - 1
        early: npt.NDArray[np.bool_] = (time_id - 1) % steps_per_day < steps_per_hour
        return early
    row = positions.row
    new = np.ones(len(step), bool)
    new[1:] = (row[1:] != row[:-1]) | (day[1:] != day[:-1])
    begin = np.flatnonzero(new)
    first = np.repeat(step[begin], np.diff(np.append(begin, len(step))))
    return (step - first).astype(np.int64) * axis.step_seconds < SECONDS_PER_HOUR


def _at(positions: Positions, home: npt.NDArray[np.int64]) -> Knowledge:
    """All users seen at step 0, and whenever they are at their home."""
    seen = positions.place == home[positions.row]
    seen &= home[positions.row] >= 0
    everyone = np.arange(len(positions.users), dtype=np.int32)
    return Knowledge.of(
        np.concatenate([everyone, positions.row[seen]]),
        np.concatenate([np.zeros_like(everyone), positions.step[seen]]),
    )
