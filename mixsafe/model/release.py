"""Releases: cells, the secret table of pseudonyms, and an adversary's sightings at places."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.csr import pointers, ranges
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.mobility.traces import Names


@dataclass(frozen=True, eq=False)
class Cells:
    """Released cells (contest paper, 3.4 "Anonymization"), one per row and time.

    Many cells share few distinct contents, so a cell stores a content number, and work is done
    once per content: numbers below ``n_regions`` are that region, ``n_regions`` is a deletion, and
    higher numbers are sets of two or more regions.

    Parameters
    ----------
    code
        (n_rows, n_steps) int32: content of each cell. Rows are users before pseudonymization and
        pseudonyms after it.
    n_regions
        Number of regions, >= 1.
    ptr
        (n_sets + 1,) int64: content ``n_regions + 1 + s`` is ``member[ptr[s]:ptr[s + 1]]``.
    member
        (n_entries,) int32 regions from 0, two or more distinct ones per set, in written order.
    first_time
        time_id of the first column, >= 1.

    Raises
    ------
    InputError
        There is no cell, a content or region is unknown, or a set has fewer than two regions.
    """

    code: npt.NDArray[np.int32]
    n_regions: int
    ptr: npt.NDArray[np.int64]
    member: npt.NDArray[np.int32]
    first_time: int = 1

    def __repr__(self) -> str:
        return f"<Cells: {self.n_rows:,} rows, {self.n_steps:,} times>"

    def __post_init__(self) -> None:
        if self.code.ndim != 2 or not self.code.size:
            raise InputError("a release needs at least one row and one time")
        if self.code.min() < 0 or self.code.max() >= self.n_contents:
            raise InputError("a released cell has an unknown content")
        if np.any(self.set_sizes < 2):
            raise InputError("a set of regions needs at least two regions")
        if len(self.member) and not 0 <= self.member.min() <= self.member.max() < self.n_regions:
            raise InputError(f"a set contains a region outside the {self.n_regions} regions")

    @classmethod
    def of_regions(
        cls, region: npt.NDArray[np.int32], n_regions: int, first_time: int = 1
    ) -> Cells:
        """One region in each cell; ``n_regions`` in ``region`` is a deletion."""
        no_sets = np.zeros(1, np.int64)
        return cls(region.astype(np.int32), n_regions, no_sets, np.zeros(0, np.int32), first_time)

    @property
    def n_rows(self) -> int:
        """Number of users or pseudonyms."""
        return len(self.code)

    @property
    def n_steps(self) -> int:
        """Number of times per row."""
        return int(self.code.shape[1])

    @property
    def time_ids(self) -> npt.NDArray[np.int64]:
        """(n_steps,) time_id of each column."""
        return np.arange(self.first_time, self.first_time + self.n_steps)

    @property
    def deleted(self) -> int:
        """The content of a deleted cell."""
        return self.n_regions

    @property
    def n_contents(self) -> int:
        """Number of contents: regions, deletion and sets."""
        return self.n_regions + len(self.ptr)

    @property
    def set_sizes(self) -> npt.NDArray[np.int64]:
        """(n_sets,) regions in each set."""
        return np.diff(self.ptr)

    def canonical(self) -> Cells:
        """The same cells in canonical form: each set once, ascending.

        Neither the order of regions nor the number of a set then identifies its author.
        """
        members_of = [
            tuple(sorted(self.member[begin:end].tolist()))
            for begin, end in zip(self.ptr[:-1], self.ptr[1:], strict=True)
        ]
        sets = sorted(set(members_of))
        number = {members: self.deleted + place for place, members in enumerate(sets, 1)}
        content = np.arange(self.n_contents, dtype=np.int32)
        content[self.deleted + 1 :] = [number[members] for members in members_of]
        return replace(
            self,
            code=content[self.code],
            ptr=np.concatenate([[0], np.cumsum([len(one) for one in sets])]).astype(np.int64),
            member=np.array([region for one in sets for region in one], np.int32),
        )

    def members_of(
        self, content: npt.NDArray[np.int32]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Concatenated regions of contents; a deletion has none.

        Parameters
        ----------
        content
            (n,) contents.

        Returns
        -------
        ptr, member
            (n + 1,) and (n_entries,): CSR, in the order of ``content``.
        """
        ptr = np.concatenate([np.arange(self.n_regions + 1), self.n_regions + self.ptr])
        region = np.concatenate([np.arange(self.n_regions, dtype=np.int32), self.member])
        sizes = np.diff(ptr)[content]
        return pointers(sizes), region[ranges(ptr[content], sizes)]


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


@dataclass(frozen=True, eq=False)
class TrueTracks:
    """The true track of known users: all the time, or at some steps.

    Unlike an :class:`IdTable`, it need not tell of everybody, nor of every step.

    Parameters
    ----------
    user, track
        (n,) each, int64: number of the known user, and of the track.
    step
        (n,) int64, from 1; None: pseudonyms never change.
    """

    user: npt.NDArray[np.int64]
    track: npt.NDArray[np.int64]
    step: npt.NDArray[np.int64] | None = None

    def __repr__(self) -> str:
        when = "all the time" if self.step is None else f"{len(np.unique(self.step)):,} steps"
        return f"<TrueTracks: {len(np.unique(self.user)):,} users, {when}>"


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
