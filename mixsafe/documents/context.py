"""What is known of an answer beside the answer: its data, the adversary in words, the places."""

from __future__ import annotations

from dataclasses import dataclass

from mixsafe.documents.atlas import Atlas
from mixsafe.model.question.mix_zones import MixZones


@dataclass(frozen=True)
class Context:
    """What an answer does not contain and its document shows.

    Parameters
    ----------
    source
        Name of the file that was read; empty: there is none.
    adversary
        What the adversary knows, in words.
    atlas
        Where places are; None: unknown.
    listed
        Whether the adversary's sightings are those of a file, which ``adversary`` names.
    sealed
        Whether everybody is taken to be seen at the last step.
    """

    source: str = ""
    adversary: str = ""
    atlas: Atlas | None = None
    listed: bool = False
    sealed: bool = False

    def data(self, zones: MixZones) -> str:
        """What was read: users, steps with their period and time zone, mix zones."""
        axis = zones.axis
        name = f"{self.source}: " if self.source else ""
        return (
            f"{name}{zones.n_users:,} users, {axis.steps:,} steps ({axis.period}),"
            f" {len(zones):,} mix zones"
        )
