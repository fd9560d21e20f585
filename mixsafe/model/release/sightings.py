"""Sightings at places: the adversary's knowledge in an audit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.mobility.traces import Names


@dataclass(frozen=True, eq=False)
class Sightings:
    """Sightings of users at places.

    Parameters
    ----------
    users
        Names of the users seen, (n_users,).
    user, step, place
        (n_sightings,) each: number of the user (int32), step 1..t* (int32), place (int64).
    premises
        Rows that are no sightings.

    Raises
    ------
    InputError
        The arrays differ in length, or a user has no name.
    """

    users: Names
    user: npt.NDArray[np.int32]
    step: npt.NDArray[np.int32]
    place: npt.NDArray[np.int64]
    premises: Premises = field(default_factory=Premises)

    def __repr__(self) -> str:
        return f"<Sightings: {len(self.step):,} of {len(self.users):,} users>"

    def __post_init__(self) -> None:
        if not len(self.user) == len(self.step) == len(self.place):
            raise InputError("the numbers of users, times and places of sightings differ")
        if len(self.user) and not 0 <= self.user.min() <= self.user.max() < len(self.users):
            raise InputError("the user of a sighting has no name")

    def __len__(self) -> int:
        return len(self.user)

    def only(self, chosen: npt.NDArray[np.int64]) -> Sightings:
        """Select sightings; the users stay the same."""
        return replace(
            self, user=self.user[chosen], step=self.step[chosen], place=self.place[chosen]
        )

    def of_users(self, kept: npt.NDArray[np.bool_]) -> Sightings:
        """Sightings of the users selected by a mask, (n_users,); users are renumbered."""
        number = (np.cumsum(kept) - 1).astype(np.int32)
        chosen = np.flatnonzero(kept[self.user])
        user = number[self.user[chosen]]
        return replace(
            self, users=self.users[kept], user=user, step=self.step[chosen],
            place=self.place[chosen],
        )  # fmt: skip
