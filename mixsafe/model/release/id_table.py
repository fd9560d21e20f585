"""The secret table behind a release: the user of each pseudonym."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.release.cells import Cells


@dataclass(frozen=True, eq=False)
class IdTable:
    """The user of each pseudonym at each time; at each time a bijection.

    In files, pseudonyms are numbered n + 1 to 2n and users 1 to n.

    Parameters
    ----------
    user
        (n, n_steps) int32 users from 0, a row per pseudonym; (n, 1) if pseudonyms are never
        exchanged, as in the contest.
    first_time
        time_id of the first column, >= 1.

    Raises
    ------
    InputError
        A user has no pseudonym, or two, at some time.
    """

    user: npt.NDArray[np.int32]
    first_time: int = 1

    def __repr__(self) -> str:
        return f"<IdTable: {self.user.shape[0]:,} pseudonyms, {self.user.shape[1]:,} times>"

    def __post_init__(self) -> None:
        if self.user.ndim != 2 or not self.user.size:
            raise InputError("an ID table needs at least one pseudonym and one time")
        everyone = np.arange(len(self.user), dtype=np.int32)[:, None]
        if not np.all(np.sort(self.user, axis=0) == everyone):
            raise InputError("the ID table is not a bijection of pseudonyms and users")

    @classmethod
    def of_pseudonyms(cls, pseudonym: npt.NDArray[np.int32], first_time: int = 1) -> IdTable:
        """Table from the pseudonyms (from 0) of each user, (n_users, n_steps or 1)."""
        return cls(np.argsort(pseudonym, axis=0).astype(np.int32), first_time)

    @property
    def pseudonym(self) -> npt.NDArray[np.int32]:
        """(n, n_steps or 1) pseudonym from 0 of each user."""
        return np.argsort(self.user, axis=0).astype(np.int32)

    def publish(self, cells: Cells) -> Cells:
        """Convert cells of users to cells of pseudonyms.

        Raises
        ------
        InputError
            The table has other numbers of users or times.
        """
        n_users, n_steps = self.user.shape
        if n_users != cells.n_rows or n_steps not in (1, cells.n_steps):
            raise InputError(
                f"an ID table of {n_users} users and {n_steps} times does not fit"
                f" {cells.n_rows} users and {cells.n_steps} times"
            )
        return replace(cells, code=cells.code[self.user, np.arange(cells.n_steps)])
