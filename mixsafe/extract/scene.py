"""The scene that an adversary can observe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mixsafe.model.mobility.traces import Positions
    from mixsafe.model.question.mix_zones import MixZones


@dataclass(frozen=True)
class Scene:
    """The scene that an adversary can observe.

    Parameters
    ----------
    zones
        Mix zones; their users and time axis count.
    positions
        Where users are; None: only the zones are known.
    steps_per_day, steps_per_hour
        Length of a day and of its first hour where steps are only numbered, >= 1. Where times are
        known, days are those of the calendar.
    """

    zones: MixZones
    positions: Positions | None = None
    steps_per_day: int = 20
    steps_per_hour: int = 2
