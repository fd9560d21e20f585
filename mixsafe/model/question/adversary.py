"""Knowledge of the adversary: sightings, and the constraints from them (pins, links, apart)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.csr import pointers, ranges
from mixsafe.model.mobility.traces import Names

READINGS = {
    "distinct": "different people have different pseudonyms",
    "paper": "two people may have one pseudonym, as the CSP paper reads sightings",
}
"""What sightings of two people say of each other, by the names of both readings."""

_BLOCK = 1 << 22
"""Sightings per batch: those of a city may be larger than memory."""


@dataclass(frozen=True, eq=False)
class Knowledge:
    """External knowledge E: the adversary saw the user of ``row`` at step ``time``.

    Worst case (CSP paper, section 4.2): all pseudonyms of a user at her sightings are equal.

    Parameters
    ----------
    row, time
        (n_sightings,) int32 each, sorted by (row, time), no pair twice.
    distinct
        True: who reads pseudonyms off a release knows that different people have different ones
        (fact 16). False: the paper's reading, in which sightings of two users say nothing of each
        other.

    Raises
    ------
    InputError
        Sightings are not sorted, or a pair occurs twice (use :meth:`of`).
    """

    row: npt.NDArray[np.int32]
    time: npt.NDArray[np.int32]
    distinct: bool = False

    def __repr__(self) -> str:
        return f"<Knowledge: {len(self):,} sightings{', distinct' * self.distinct}>"

    def __post_init__(self) -> None:
        if len(self.row) != len(self.time):
            raise InputError("the numbers of users and times of sightings differ")
        for begin in range(0, len(self.row), _BLOCK):
            part = slice(begin, begin + _BLOCK + 1)
            rows, times = np.diff(self.row[part]), np.diff(self.time[part])
            if np.any((rows < 0) | ((rows == 0) & (times <= 0))):
                raise InputError("sightings are not sorted by user and time, or contain duplicates")

    @classmethod
    def of(cls, row: npt.ArrayLike, time: npt.ArrayLike, *, distinct: bool = False) -> Knowledge:
        """Knowledge from sightings in any order; duplicates are merged."""
        pairs = np.stack([np.asarray(row, np.int32), np.asarray(time, np.int32)], axis=1)
        pairs = np.unique(pairs.reshape(-1, 2), axis=0)
        return cls(np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1]), distinct)

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[int, int]], *, distinct: bool = False) -> Knowledge:
        """Knowledge from (row, step) pairs."""
        listed = list(pairs)
        rows, times = [row for row, _ in listed], [time for _, time in listed]
        return cls.of(rows, times, distinct=distinct)

    @property
    def reading(self) -> str:
        """``distinct`` or ``paper``, as answers call it."""
        return "distinct" if self.distinct else "paper"

    @property
    def reading_words(self) -> str:
        """The reading in words; empty where both are one."""
        if not len(apart_rows(replace(self, distinct=True))):
            return ""
        return READINGS[self.reading]

    def with_more(self, row: npt.ArrayLike, time: npt.ArrayLike) -> Knowledge:
        """The knowledge with further sightings, (n,) each in any order."""
        row, time = np.append(self.row, row), np.append(self.time, time)
        return Knowledge.of(row, time, distinct=self.distinct)

    def those(self, chosen: npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> Knowledge:
        """Select sightings: a mask, or numbers ascending."""
        return replace(self, row=self.row[chosen], time=self.time[chosen])

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True, eq=False)
class Pins:
    """Token ``token[p]`` is on one of the rows ``rows[ptr[p]:ptr[p + 1]]`` after step ``time[p]``.

    Parameters
    ----------
    token, time
        (n_pins,) int32 each, sorted by time.
    ptr
        (n_pins + 1,) int64.
    rows
        (n_entries,) int32, ascending within a pin, at least one each.
    """

    token: npt.NDArray[np.int32]
    time: npt.NDArray[np.int32]
    ptr: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int32]

    def __repr__(self) -> str:
        return f"<Pins: {len(self):,}>"

    @classmethod
    def own(cls, row: npt.NDArray[np.int32], time: npt.NDArray[np.int32]) -> Pins:
        """Pins of tokens to the rows of the same number, given in any order."""
        order = np.lexsort((row, time))
        return cls(row[order], time[order], np.arange(len(row) + 1), row[order])

    def __len__(self) -> int:
        return len(self.token)

    @property
    def pin_of_entry(self) -> npt.NDArray[np.int64]:
        """(n_entries,) number of the pin that each of the ``rows`` belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.ptr))

    def those(self, chosen: npt.NDArray[np.int64]) -> Pins:
        """Select pins by their numbers, ascending."""
        size = np.diff(self.ptr)[chosen]
        rows = self.rows[ranges(self.ptr[chosen], size)]
        return Pins(self.token[chosen], self.time[chosen], pointers(size), rows)

    def joined(self, other: Pins) -> Pins:
        """Merge with other pins."""
        sizes = np.concatenate([np.diff(self.ptr), np.diff(other.ptr)])
        begin = np.concatenate([self.ptr[:-1], other.ptr[:-1] + len(self.rows)])
        rows = np.concatenate([self.rows, other.rows])
        order = np.argsort(np.concatenate([self.time, other.time]), kind="stable")
        return Pins(
            np.concatenate([self.token, other.token])[order],
            np.concatenate([self.time, other.time])[order],
            pointers(sizes[order]),
            rows[ranges(begin[order], sizes[order])],
        )


@dataclass(frozen=True, eq=False)
class Seen:
    """Knowledge of an auditor: positions of users, who may be on any published track.

    Parameters
    ----------
    users
        Names of the known users, tokens 0 to n - 1; the other tokens are unknown users.
    pins
        Known user ``pins.token`` is on one of the tracks ``pins.rows`` after step ``pins.time``;
        step 0 is before the first exchange.
    """

    users: Names
    pins: Pins


@dataclass(frozen=True, eq=False)
class Links:
    """The token on ``row`` after step ``start`` is the token on it after step ``end``.

    The token itself is unknown. Parameters are (n_links,) int32 arrays, ``start < end``;
    the links of a row do not overlap.
    """

    row: npt.NDArray[np.int32]
    start: npt.NDArray[np.int32]
    end: npt.NDArray[np.int32]

    @classmethod
    def none(cls) -> Links:
        """No links."""
        return cls(*(np.zeros(0, np.int32) for _ in range(3)))

    def __len__(self) -> int:
        return len(self.row)

    def those(self, chosen: npt.NDArray[np.int64]) -> Links:
        """Select links by their numbers."""
        return Links(self.row[chosen], self.start[chosen], self.end[chosen])


@dataclass(frozen=True, eq=False)
class Apart:
    """The tokens on ``row`` after step ``time`` differ from each other and from all pinned tokens.

    A user who is seen, but not at step 0, has a token of her own (fact 16). One of her sightings is
    enough: links say that it is the token at all others.

    Parameters
    ----------
    row, time
        (n,) int32 each, rows ascending, no row twice, none of a pinned token.
    """

    row: npt.NDArray[np.int32]
    time: npt.NDArray[np.int32]

    @classmethod
    def none(cls) -> Apart:
        """Nobody is known to differ from anybody."""
        return cls(np.zeros(0, np.int32), np.zeros(0, np.int32))

    def __len__(self) -> int:
        return len(self.row)

    def those(self, chosen: npt.NDArray[np.int64]) -> Apart:
        """Select rows by their places here, ascending."""
        return Apart(self.row[chosen], self.time[chosen])


def known_rows(
    pins: Pins, links: Links, apart: Apart
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """(n,) rows and (n,) steps of all constraints."""
    row = np.concatenate([pins.rows, links.row, links.row, apart.row])
    time = np.concatenate([pins.time[pins.pin_of_entry], links.start, links.end, apart.time])
    return row, time


def pins_and_links(knowledge: Knowledge) -> tuple[Pins, Links]:
    """Convert sightings to constraints on single users (docs/develop/facts.md, definitions).

    A row seen at step 0 has its own token at each of its sightings: one pin each. Two or more later
    sightings of any other row give a link between consecutive ones. A single later sighting gives
    neither.

    Returns
    -------
    Pins, Links
        For a publisher: each pin is to the row of its token.
    """
    row, time = knowledge.row, knowledge.time
    named = _named(knowledge)
    pins = Pins.own(row[named], time[named])
    row, time = row[~named], time[~named]
    linked = np.flatnonzero(row[1:] == row[:-1])
    links = Links(row[linked], time[linked], time[linked + 1])
    return pins, links


def apart_rows(knowledge: Knowledge) -> Apart:
    """Who is seen, but not at step 0, at the first of her sightings (fact 16).

    Nobody in the paper's reading, nor if only one person is seen at all.
    """
    row = knowledge.row
    if not knowledge.distinct or not len(row) or row[0] == row[-1]:
        return Apart.none()
    first = np.flatnonzero(np.diff(row, prepend=-1))
    unnamed = first[knowledge.time[first] > 0]
    return Apart(row[unnamed], knowledge.time[unnamed])


def _named(knowledge: Knowledge) -> npt.NDArray[np.bool_]:
    """(n_sightings,) whether each is of a user who is seen at step 0."""
    return np.isin(knowledge.row, knowledge.row[knowledge.time == 0])
