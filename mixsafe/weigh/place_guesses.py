"""The adversary's best guess of a place: candidates at one place add up (docs/weigh.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled
from mixsafe.model.csr import grouped, ranges
from mixsafe.model.mobility.published_steps import PublishedSteps
from mixsafe.model.question.places import UNKNOWN, TrackPlaces
from mixsafe.verify.rows import WireTimes
from mixsafe.weigh.weighed import Chances

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

_AT_ONCE = 1 << 10  # wires whose draws are laid out

Drawn = Callable[[Ints], tuple[Small, Small]]
"""Tokens on some wires, (n_wires, n_draws) each: draws that choose a place, and that weigh it."""


class PlaceGuesses(NamedTuple):
    """The likeliest place of each user at each step, row by row.

    Parameters
    ----------
    ptr
        (n_rows + 1,): row r, a wire of the data, has the entries ``ptr[r]`` to ``ptr[r + 1] - 1``,
        one for each of its steps from 1 on.
    place
        (n_entries,) number of the place in ``TrackPlaces.ids``; -1: no likely candidate shows one.
    chance
        (n_entries,) its chance: of all candidates that are there together. NaN: not settled.
    published
        (n_published,) entries of steps in which something of the user is published; None: all.
    """

    ptr: Ints
    place: Small
    chance: Floats
    published: Ints | None = None

    @classmethod
    def of(
        cls,
        places: TrackPlaces,
        whole: WireTimes,
        merged: Ints,
        exact: Sequence[Chances],
        sampled: tuple[Ints, Drawn] | None,
        n_users: int,
    ) -> PlaceGuesses:
        """Add up chances by place.

        Parameters
        ----------
        places
            Where tracks are.
        whole, merged
            Wires of the data, and the wire of the core that each is part of.
        exact
            Chances of the candidates of wires of the core.
        sampled
            Wires of the core that are sampled, and their draws; None: none are.
        """
        start = np.maximum(whole.start, 1)
        ptr = np.concatenate([[0], np.cumsum(whole.end - start + 1, dtype=np.int64)])
        found = cls(ptr, np.full(ptr[-1], UNKNOWN, np.int32), np.full(ptr[-1], np.nan))
        order, begins = grouped(merged, int(merged.max(initial=-1)) + 1)
        horizon, total = int(whole.end.max(initial=0)), np.zeros(len(places.ids) + 1)
        for first, at in places.blocks(n_users, 1, horizon):
            for some in exact:
                wires, begin = np.unique(some.wire, return_index=True)
                rows, which = _rows_of(wires, order, begins)
                entries = np.append(begin, len(some.wire)).astype(np.int64)
                chances = some.token, some.chance, entries
                _add_up(rows, which, start, whole.end, chances, first, at, total, found)
            for wires, chosen, weighed in _draws(sampled):
                rows, which = _rows_of(wires, order, begins)
                draws = np.ascontiguousarray(chosen), np.ascontiguousarray(weighed)
                _count_draws(rows, which, start, whole.end, draws, first, at, total, found)
        return found

    def published_in(self, steps: PublishedSteps | None, whole: WireTimes) -> PlaceGuesses:
        """The same, of which the entries of published steps count; None: all do.

        Parameters
        ----------
        whole
            Wires of the data.
        """
        if steps is None:
            return self
        width = np.int64(whole.end.max(initial=0)) + 1
        begins = whole.row * width + whole.start  # ascending
        wire = np.searchsorted(begins, steps.row * width + steps.step, side="right") - 1
        first = np.maximum(whole.start[wire], 1)
        return self._replace(published=self.ptr[wire] + steps.step - first)

    @property
    def highest(self) -> Floats:
        """(n_rows,) the largest chance over the steps of each row; NaN: not settled, or no step."""
        found = np.full(len(self.ptr) - 1, np.nan)
        some = np.flatnonzero(np.diff(self.ptr))
        if len(some):
            found[some] = np.maximum.reduceat(self.chance, self.ptr[some])
        return found

    @property
    def share_right(self) -> float | None:
        """Share of the settled time in which a bet on the likeliest place is right; None: none."""
        chance = self.chance if self.published is None else self.chance[self.published]
        settled = chance[~np.isnan(chance)]
        return round(float(settled.mean()), 6) if len(settled) else None


def _rows_of(wires: Ints, order: Ints, begins: Ints) -> tuple[Ints, Ints]:
    """Rows that are part of some wires of the core, and the place of each one's wire there."""
    sizes = begins[wires + 1] - begins[wires]
    return order[ranges(begins[wires], sizes)], np.repeat(np.arange(len(wires)), sizes)


def _draws(sampled: tuple[Ints, Drawn] | None) -> Iterator[tuple[Ints, Small, Small]]:
    """Draws of some wires at a time."""
    if sampled is None:
        return
    wires, drawn = sampled
    for begin in range(0, len(wires), _AT_ONCE):
        some = wires[begin : begin + _AT_ONCE]
        yield some, *drawn(some)


@compiled
def _add_up(  # pragma: no cover - compiled
    rows: Ints,
    which: Ints,
    start: Small,
    end: Small,
    chances: tuple[Ints, Floats, Ints],
    first: int,
    at: Small,
    total: Floats,
    found: PlaceGuesses,
) -> None:
    """Add up chances of tokens by place, at the steps of a block."""
    token, chance, begins = chances
    for i in range(len(rows)):
        r, low, high = rows[i], begins[which[i]], begins[which[i] + 1]
        for t in range(max(start[r], first), min(end[r], first + len(at) - 1) + 1):
            likely, most = -1, 0.0
            for e in range(low, high):
                there = at[t - first, token[e]]
                if there >= 0:
                    total[there] += chance[e]
                    if total[there] > most:
                        likely, most = there, total[there]
            for e in range(low, high):
                total[at[t - first, token[e]]] = 0.0
            entry = found.ptr[r] + t - start[r]
            found.place[entry] = likely
            found.chance[entry] = min(most, 1.0)


@compiled
def _count_draws(  # pragma: no cover - compiled
    rows: Ints,
    which: Ints,
    start: Small,
    end: Small,
    draws: tuple[Small, Small],
    first: int,
    at: Small,
    total: Floats,
    found: PlaceGuesses,
) -> None:
    """Choose the place of most draws, and count how many of the others are there."""
    chosen, weighed = draws
    for i in range(len(rows)):
        r, some, others = rows[i], chosen[which[i]], weighed[which[i]]
        for t in range(max(start[r], first), min(end[r], first + len(at) - 1) + 1):
            likely, most = -1, 0.0
            for token in some:
                there = at[t - first, token]
                if there >= 0:
                    total[there] += 1
                    if total[there] > most:
                        likely, most = there, total[there]
            for token in some:
                total[at[t - first, token]] = 0.0
            hits = 0
            for token in others:
                hits += likely >= 0 and at[t - first, token] == likely
            entry = found.ptr[r] + t - start[r]
            found.place[entry] = likely
            found.chance[entry] = hits / len(others)


def place_guess_list(
    users: npt.NDArray[Any],
    label: Callable[[int], Any],
    places: TrackPlaces,
    whole: tuple[Small, Small],
    guesses: PlaceGuesses,
) -> list[dict[str, Any]]:
    """Likeliest place of each user at each settled time.

    Parameters
    ----------
    users
        (n_rows,) names.
    label
        Names a step.
    whole
        (n_rows,) each: first and last step of each row.

    Returns
    -------
    list
        ``user_id``, ``time_id``, ``place`` (None: no likely candidate shows one), ``chance``.
    """
    row = np.repeat(np.arange(len(users)), np.diff(guesses.ptr))
    step = np.arange(len(row)) - guesses.ptr[row] + np.maximum(whole[0], 1)[row]
    settled = np.flatnonzero(~np.isnan(guesses.chance))
    columns = (row[settled], step[settled], guesses.place[settled], guesses.chance[settled])
    names = users.tolist()
    return [
        {
            "user_id": names[one],
            "time_id": label(t),
            "place": None if place < 0 else places.label(place),
            "chance": chance,
        }
        for one, t, place, chance in zip(*(column.tolist() for column in columns), strict=True)
    ]
