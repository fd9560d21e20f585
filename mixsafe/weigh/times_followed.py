"""For how long the true pseudonym of a person stays likely, out of weighed wires."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.time_followed import BELIEFS, TimeFollowed
from mixsafe.model.question.followed_zones import FollowedPeople
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.movement.time_followed import time_followed
from mixsafe.weigh.weighed import Weighed, WeighedRows

_ROUNDING = 1e-9


def times_followed(zones: MixZones, rows: WeighedRows) -> dict[str, TimeFollowed]:
    """Longest and median time, from each moment on, in which the true pseudonym stays as likely.

    Wires that are not settled count as time in which nobody is followed.

    Returns
    -------
    dict
        For ``1`` (certainty), ``0.9`` and ``0.5``.
    """
    order = np.lexsort((rows.start, rows.user))
    user, start = (column[order].astype(np.int64) for column in (rows.user, rows.start))
    found = {}
    for least in (1.0, *BELIEFS):
        likely = _at_least(rows.found, rows.user, least)[order]
        people = np.setdiff1d(np.arange(zones.n_users), zones.absent)
        asked = FollowedPeople(people, user, start, likely.astype(np.float64), likely)
        found[f"{least:g}"] = time_followed(zones, asked, asked.belief, after=True)
    return found


def _at_least(found: Weighed, user: npt.NDArray[np.int32], least: float) -> npt.NDArray[np.bool_]:
    """(n,) whether the true pseudonym of each wire is known to have such a chance, 0.5 or more.

    Above 0.5 it is the likeliest one. Of two that are equally likely it is one.
    """
    best = np.nan_to_num(found.best)
    of_two = (least <= 0.5 + _ROUNDING) & (np.abs(best - 0.5) < _ROUNDING)
    of_two &= np.abs(np.nan_to_num(found.effective) - 2) < _ROUNDING
    likely: npt.NDArray[np.bool_] = (found.token == user) & (best >= least - _ROUNDING) | of_two
    return likely
