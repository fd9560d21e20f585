"""Problems: mix zones, knowledge and requirements."""

from __future__ import annotations

from dataclasses import dataclass

from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.places import ZonePlaces
from mixsafe.model.question.requirement import Requirements
from mixsafe.model.question.track_places import TrackPlaces


@dataclass(frozen=True, eq=False)
class Problem:
    """A k-pseudonym decision problem (CSP paper, definition 9) with any number of requirements.

    Parameters
    ----------
    name
        Display name, repeated in the answer.
    zones
        The mix zones, in order of time.
    knowledge
        The adversary's sightings.
    requirements
        The question; None: none (the caller asks about all wires, or for candidates only).
    zone_index
        Position of each zone in the problem's file; None: the same order.
    places
        Places at which zones are chosen together, and their costs; None: not named.
    track_places
        Where the track of each user is at each step; None: only the zones are known.
    """

    name: str
    zones: MixZones
    knowledge: Knowledge
    requirements: Requirements | None = None
    zone_index: tuple[int, ...] | None = None
    places: ZonePlaces | None = None
    track_places: TrackPlaces | None = None

    def __repr__(self) -> str:
        zones, seen = self.zones, len(self.knowledge)
        asked = "" if self.requirements is None else f", {len(self.requirements):,} requirements"
        return (
            f"<Problem {self.name}: {zones.n_users:,} users, {zones.axis.steps:,} steps,"
            f" {len(zones):,} mix zones, {seen:,} sightings{asked}>"
        )

    @property
    def asked(self) -> Requirements:
        """The requirements, which must exist.

        Raises
        ------
        ValueError
            The problem has no requirements.
        """
        if self.requirements is None:
            raise ValueError(f"problem '{self.name}' has no requirements")
        return self.requirements
