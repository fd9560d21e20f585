"""Possible sightings as numbers: users between two of their zones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mixsafe.check.lookup import Places
from mixsafe.check.replay import Tracks
from mixsafe.check.robust.withstanding import Contradicted
from mixsafe.model.answer.ragged import Ints, Whole


class Stretch(NamedTuple):
    """The first and the last step of a row between two of its zones."""

    begin: int
    end: int


class Moves(NamedTuple):
    """The tokens of an assignment on the rows that it moves, by row and step, (n,) int32 each."""

    row: Whole
    token: Whole
    begin: Whole
    end: Whole

    @classmethod
    def of(cls, tracks: Tracks, witness: int) -> Moves:
        """Those of a witness, by its place in its piece."""
        step = tracks.places.width * tracks.places.n_rows
        low, high = np.searchsorted(tracks.key, (witness * step, (witness + 1) * step))
        columns = tracks.row, tracks.token, tracks.begin, tracks.end
        return cls(*(one[low:high] for one in columns))


class Spots:
    """The spots of some rows, numbered as they are asked for.

    Parameters
    ----------
    places
        Where the problem lets tokens change rows, and where users were seen before.
    only
        The one row whose user may be seen; None: anybody may be.
    away
        A sighting counts for a stretch if it is more than so many steps before or after it; None:
        each counts.
    distinct
        Whether different users have different tokens at their sightings.
    """

    def __init__(
        self, places: Places, only: int | None, away: int | None, *, distinct: bool = False
    ) -> None:
        self._places, self._only, self._away = places, only, away
        self._distinct = distinct
        self._begins: dict[int, tuple[int, Ints]] = {}
        self._total = 0

    def contradicting(self, assignment: Moves, about: Stretch) -> Contradicted:
        """Sightings that contradict an assignment, of those that count for a stretch."""
        single, shown, distinct = 0, [], self._distinct
        users: dict[int, dict[int, int]] = {}  # of whom nothing is known, by token
        taken = self._taken(assignment) if distinct else set()
        for row in np.unique(assignment.row).tolist():
            if self._only is not None and row != self._only:
                continue
            by_token, own = self._tokens(row, assignment), self._known(row)
            counting = self._counting(row, about)
            sets = {token: spots & counting for token, (spots, _) in by_token.items()}
            if own is None:
                shown += _several(sets)
                for token, spots in sets.items() if distinct else ():
                    single |= spots if token in taken else 0
                    users.setdefault(token, {})[row] = spots
                continue
            for token, (_, steps) in by_token.items():
                if not any(begin <= own < end for begin, end in steps):
                    single |= sets[token]
        for of_token in users.values():
            shown += _several(of_token)
        return Contradicted(single, tuple(shown))

    def _taken(self, assignment: Moves) -> set[int]:
        """Tokens of users who are seen, of rows that an assignment moves."""
        found, segments = set[int](), zip(*(column.tolist() for column in assignment), strict=True)
        last = -1
        for row, token, begin, end in segments:
            own = self._known(row)
            if own is not None and row != last and own < begin:
                found.add(row)
            if own is not None and begin <= own < end:
                found.add(token)
            last = row
        return found

    def _tokens(self, row: int, assignment: Moves) -> dict[int, tuple[int, list[tuple[int, int]]]]:
        """Spots and steps of each token on a row; before its first exchange it has its own."""
        those = np.flatnonzero(assignment.row == row)
        by_token = {row: (0, list[tuple[int, int]]())}
        first = int(assignment.begin[those[0]])
        for token, begin, end in (
            (row, 0, first),
            *zip(*(one[those].tolist() for one in assignment[1:]), strict=True),
        ):
            spots, steps = by_token.get(token, (0, []))
            by_token[token] = spots | self._between(row, begin, end), [*steps, (begin, end)]
        return by_token

    def _known(self, row: int) -> int | None:
        """The first step at which the user of a row is seen; None: there is none."""
        places = self._places
        at = int(np.searchsorted(places.seen, row * places.width))
        if at == len(places.seen) or places.seen[at] >= (row + 1) * places.width:
            return None
        return int(places.seen[at] - row * places.width)

    def _of(self, row: int) -> tuple[int, Ints]:
        """The number of a row's first spot, and where its spots begin, and the last one ends."""
        if row not in self._begins:
            begins = self._places.begins(row)
            self._begins[row] = self._total, begins
            self._total += len(begins) - 1
        return self._begins[row]

    def _between(self, row: int, begin: int, end: int) -> int:
        """The spots of a row that begin from ``begin`` up to, but not at, ``end``."""
        first, begins = self._of(row)
        low, high = (int(at) for at in np.searchsorted(begins[:-1], (begin, end)))
        return ((1 << high) - (1 << low)) << first

    def _counting(self, row: int, about: Stretch) -> int:
        """The spots of a row at which a sighting counts for a stretch."""
        first, begins = self._of(row)
        if self._away is None:
            return ((1 << (len(begins) - 1)) - 1) << first
        early = begins[:-1] < about.begin - self._away
        late = begins[1:] - 1 > about.end + self._away
        return sum(1 << (first + int(at)) for at in np.flatnonzero(early | late))


def _several(sets: dict[int, int]) -> list[tuple[int, ...]]:
    """Sets of spots of which two contradict an assignment; none if there are fewer than two."""
    some = tuple(spots for spots in sets.values() if spots)
    return [some] if len(some) > 1 else []
