"""For how long people are followed: with certainty, and by a follower who bets."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.time_followed import BELIEFS, TimeFollowed
from mixsafe.model.question.followed_zones import FollowedPeople, FollowedZones
from mixsafe.movement.time_followed import time_followed
from mixsafe.verify.rows import Rows


def times_followed(
    followed: FollowedZones | None, rows: Rows | None
) -> dict[str, TimeFollowed] | None:
    """Longest and median time for which people are followed from each moment on, by belief.

    Parameters
    ----------
    followed
        What a follower who bets makes of the mix zones; None: unknown.
    rows
        What was found of every wire; None: only some times were asked about.

    Returns
    -------
    dict
        For ``1`` (certainty), ``0.9`` and ``0.5``; None: unknown.
    """
    if followed is None or followed.people is None:
        return None
    zones, people = followed.zones, followed.people
    certain = people.alone if rows is None else people.alone | _identified(people, rows)
    found = {"1": time_followed(zones, people, certain.astype(np.float64))}
    # What is certain need not be believed.
    belief = np.where(certain, 1.0, people.belief)
    return found | {f"{least:g}": time_followed(zones, people, belief, least) for least in BELIEFS}


def _identified(people: FollowedPeople, rows: Rows) -> npt.NDArray[np.bool_]:
    """(n_memberships,) whether a person has one candidate right before and right after a zone."""
    width = np.int64(max(rows.end.max(initial=0), people.step.max(initial=0)) + 2)
    starts = rows.user * width + rows.start  # ascending
    after = np.searchsorted(starts, people.member * width + people.step, side="right") - 1
    alone = rows.upper == 1
    identified: npt.NDArray[np.bool_] = alone[after] & alone[after - 1]
    return identified
