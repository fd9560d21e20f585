"""Who was seen where: what an auditor takes the adversary to know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.traces import Names


@dataclass(frozen=True, eq=False)
class Sightings:
    """Who was seen where; the adversary may have any of them.

    Parameters
    ----------
    users
        Names of those who were seen, (n_users,).
    user, step, place
        (n_sightings,) each: number of the user (int32), step 1..t* (int32), place (int64).

    Raises
    ------
    InputError
        Arrays of different lengths, or a user without a name.
    """

    users: Names
    user: npt.NDArray[np.int32]
    step: npt.NDArray[np.int32]
    place: npt.NDArray[np.int64]

    def __repr__(self) -> str:
        return f"<Sightings: {len(self.step):,} of {len(self.users):,} users>"

    def __post_init__(self) -> None:
        if not len(self.user) == len(self.step) == len(self.place):
            raise InputError("sightings need a user, a time and a place each")
        if len(self.user) and not 0 <= self.user.min() <= self.user.max() < len(self.users):
            raise InputError("a sighting has a user without a name")

    def __len__(self) -> int:
        return len(self.user)

    def only(self, chosen: npt.NDArray[np.int64]) -> Sightings:
        """Some of the sightings, of the same users."""
        return Sightings(self.users, self.user[chosen], self.step[chosen], self.place[chosen])

    def of_users(self, kept: npt.NDArray[np.bool_]) -> Sightings:
        """The sightings of some users, (n_users,) bool, who are numbered anew."""
        number = (np.cumsum(kept) - 1).astype(np.int32)
        chosen = np.flatnonzero(kept[self.user])
        return Sightings(
            self.users[kept], number[self.user[chosen]], self.step[chosen], self.place[chosen]
        )
