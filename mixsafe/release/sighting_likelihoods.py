"""How likely it is that somebody on a track is seen at a place, by what the track shows.

A track that shows the place at that time explains the sighting, and one that shows another place
contradicts it. A track that shows nothing then, because of a gap or of a hidden cell, explains it
only if the person was at that very place. How likely that is follows from where the track shows the
person before and after, and where she was seen in the same gap: people are at a place as often as
all tracks are there, times a ratio that the release itself teaches. For this, fixes are withheld,
and compared with where those before and after lead to, in a straight line at an even pace (a
Brownian bridge: Horne, Garton, Krone and Lewis 2007). Times at which people are seen are taken to
have nothing to do with gaps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.extract.exchange.movement import on_sphere
from mixsafe.movement.ratios import Binned, RatioTable
from mixsafe.release.evidence import Published
from mixsafe.release.possible_tracks import rotations

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LEAST_TO_LEARN = 200
"""Withheld fixes with another one before or after; from fewer, nothing is learned."""

_WITHHELD = 20_000
"""Fixes that are withheld, at most."""

_OTHERS = 4
"""Places of other tracks with which that of each one is compared."""

_NEAREST, _DRAWN = 64, 32
"""Places by which the chances of all places add up to 1: the nearest ones, and some of the rest."""

_DISTANCES = 12
"""Bins of distances, at most."""


class LastSeen(NamedTuple):
    """When and where somebody was seen before a sighting, (n,) each.

    Parameters
    ----------
    step
        -1: never.
    place
        Id of the place.
    """

    step: Ints
    place: Ints


class Gaps(NamedTuple):
    """Steps in which tracks show nothing, and what is known before and after them, (n,) each.

    Parameters
    ----------
    step
        The steps.
    came, came_from
        Step and place of the last fix before the gap; -1: there is none.
    left, left_to
        Those of the first one after it.
    """

    step: Ints
    came: Ints
    came_from: Ints
    left: Ints
    left_to: Ints


class Bridges(NamedTuple):
    """Where the fixes around gaps lead to, (n,) each.

    Parameters
    ----------
    time
        Steps to the only fix, or to both their product by their sum; NaN: there is none.
    place
        Number of the place of the nearer one.
    ends
        What is known: 0 for one side only, 1 for the same place on both, 2 for two places.
    point
        (n, 3) where an even pace leads to; empty: places have no coordinates.
    """

    time: Floats
    place: Ints
    ends: Floats
    point: Floats

    def features(self, place: Ints, points: Floats) -> dict[str, Floats]:
        """Time and distance from some places: metres, or 0 for the same place and 1 for another.

        Parameters
        ----------
        place, points
            (n,) their numbers, and (n, 3) where they are; empty: nobody knows.
        """
        distance = np.where(self.place == place, 0.0, 1.0)
        if len(self.point):
            distance = np.linalg.norm(self.point - points, axis=1)
        return {"ends": self.ends, "time": self.time, "distance": distance}


@dataclass(frozen=True, eq=False)
class ShownPlaces:
    """Where tracks are, sorted by track and step.

    Parameters
    ----------
    published
        The tracks.
    """

    published: Published

    @cached_property
    def _span(self) -> np.int64:
        return np.int64(self.published.zones.axis.steps + 2)

    @cached_property
    def _entries(self) -> tuple[Ints, Ints]:
        """Track and step of each entry as one number, ascending, and the number of its place."""
        keys = self.published.row * self._span + self.published.step
        order = np.argsort(keys, kind="stable")
        return keys[order], np.searchsorted(self.places, self.published.place)[order]

    @cached_property
    def _fixes(self) -> tuple[Ints, Ints]:
        """The same of entries that are the only ones of their track and step: where it is sure."""
        keys, place = self._entries
        apart = np.diff(keys, prepend=-1, append=-1) != 0
        sure = apart[1:] & apart[:-1]
        return keys[sure], place[sure]

    @cached_property
    def places(self) -> Ints:
        """(n_places,) ids of all places that tracks show, ascending."""
        return np.unique(self.published.place)

    @cached_property
    def often(self) -> Floats:
        """(n_places + 1,) share of all entries at each place; last, that at any other one."""
        counts = np.bincount(self._entries[1], minlength=len(self.places) + 1).astype(np.float64)
        shares: Floats = (counts + 1 / len(counts)) / (counts.sum() + 1)
        return shares

    def number_of(self, place: Ints) -> Ints:
        """(n,) numbers of places in ``places``; the one after the last: tracks never show it."""
        if not len(self.places):
            return np.zeros(len(place), np.int64)
        number = np.minimum(np.searchsorted(self.places, place), len(self.places) - 1)
        return np.where(self.places[number] == place, number, len(self.places))

    @cached_property
    def points(self) -> Floats:
        """(n_places, 3) where the places are."""
        return self.points_of(self.places)

    def points_of(self, place: Ints) -> Floats:
        """(n, 3) middles of places, metres from that of the earth; empty: nobody knows."""
        reach = self.published.reach
        if reach is None:
            return np.zeros((0, 3))
        ids, number = np.unique(place, return_inverse=True)
        lat, lon = np.empty(len(ids)), np.empty(len(ids))
        cells = ids >= 0
        lat[cells], lon[cells] = reach.outlines.grid.cell_center(ids[cells])
        lat[~cells], lon[~cells] = reach.outlines.circles(ids[~cells])[:2]
        return on_sphere(lat, lon)[number]

    def shares(self, row: Ints, step: Ints, place: Ints) -> Floats:
        """(n,) chance of a place if a track shows it, alone or with others; NaN: it shows none."""
        keys, places = self._entries
        asked = row * self._span + step
        low, high = (np.searchsorted(keys, asked, side=side) for side in ("left", "right"))
        upto = np.concatenate([[0.0], np.cumsum(self.often[places])])
        found = np.where(high > low, 1.0, np.nan)
        several = high - low > 1
        whole = upto[high[several]] - upto[low[several]]
        found[several] = self.often[self.number_of(place[several])] / whole
        return found

    def gaps(self, row: Ints, step: Ints, long: Ints | int = 1) -> Gaps:
        """Gaps of tracks that begin and end so many steps off, and what is around them.

        Fixes on the other side of a scheduled change of pseudonyms are of somebody else.

        Parameters
        ----------
        row, step
            (n,) tracks and steps.
        long
            (2, n) steps to the last one before the gap that may have a fix, and to the first one
            after it, >= 1.
        """
        keys, places = self._fixes
        long = np.broadcast_to(long, (2, len(row)))
        begin, end = np.maximum(step - long[0], 0), np.minimum(step + long[1], self._span - 1)
        before = np.searchsorted(keys, row * self._span + begin, side="right") - 1
        after = np.searchsorted(keys, row * self._span + end)
        ends: list[Ints] = []
        for number in (before, after):
            inside = (number >= 0) & (number < len(keys))
            there, at = np.divmod(keys[np.where(inside, number, 0)], self._span)
            inside &= (there == row) & self._one_period(at, step)
            ends += [np.where(inside, at, -1), self.places[places[np.where(inside, number, 0)]]]
        return Gaps(step, *ends)

    def _one_period(self, one: Ints, other: Ints) -> npt.NDArray[np.bool_]:
        """Whether all pseudonyms change at no scheduled time between two steps."""
        changes = rotations(self.published.zones)
        same: npt.NDArray[np.bool_] = np.equal(
            *(np.searchsorted(changes, step, side="right") for step in (one, other))
        )
        return same

    def after_seen(self, gaps: Gaps, last: LastSeen) -> Gaps:
        """The same gaps if somebody was seen in them: that is as good as a fix."""
        later = (last.step > gaps.came) & self._one_period(last.step, gaps.step)
        came = np.where(later, last.step, gaps.came)
        return gaps._replace(came=came, came_from=np.where(later, last.place, gaps.came_from))

    def bridges(self, gaps: Gaps) -> Bridges:
        """Where what is known around gaps leads to."""
        inverse = np.stack(
            [
                np.where(at >= 0, 1 / np.maximum(np.abs(gaps.step - at), 1), 0.0)
                for at in (gaps.came, gaps.left)
            ]
        )
        total = inverse.sum(axis=0)
        known = total > 0
        time = np.divide(1.0, total, out=np.full(len(total), np.nan), where=known)
        weight = np.divide(inverse, total, out=np.zeros_like(inverse), where=known)
        place = self.number_of(np.where(weight[0] >= weight[1], gaps.came_from, gaps.left_to))
        ends = np.where(gaps.came_from == gaps.left_to, 1.0, 2.0)
        ends[~(inverse > 0).all(axis=0)] = 0.0
        if self.published.reach is None:
            return Bridges(time, place, ends, np.zeros((0, 3)))
        point = weight[0][:, None] * self.points_of(gaps.came_from)
        point = point + weight[1][:, None] * self.points_of(gaps.left_to)
        return Bridges(time, place, ends, point)

    def withheld(self, random: np.random.Generator) -> tuple[Gaps, Ints]:
        """Gaps made by taking out fixes and those around them, and the places of the fixes."""
        keys, places = self._fixes
        chosen = random.choice(len(keys), min(len(keys), _WITHHELD), replace=False)
        row, step = np.divmod(keys[chosen], self._span)
        longest = np.log(max(self.published.zones.axis.steps, 2))
        long = np.exp(random.random((2, len(chosen))) * longest).astype(np.int64)
        found = self.gaps(row, step, long)
        known = (found.came >= 0) | (found.left >= 0)
        return Gaps(*(one[known] for one in found)), places[chosen[known]]


@dataclass(frozen=True, eq=False)
class SightingLikelihoods:
    """How likely sightings are, given whose a track is.

    Parameters
    ----------
    shown
        Where tracks are.
    table
        How much likelier a place is in a gap, the nearer it is to where the fixes around lead;
        None: there are too few to learn from, and people in gaps are anywhere, as often as tracks.
    """

    shown: ShownPlaces
    table: RatioTable | None

    @classmethod
    def of(cls, published: Published, seed: int = 0) -> SightingLikelihoods:
        """Learn from a release."""
        shown, random = ShownPlaces(published), np.random.default_rng(seed)
        if not len(published.row):
            return cls(shown, None)
        gaps, place = shown.withheld(random)
        if len(place) < LEAST_TO_LEARN:
            return cls(shown, None)
        bridges = shown.bridges(gaps)
        features = bridges.features(place, _of(shown.points, place))
        others = []
        for _ in range(_OTHERS):
            other = random.permutation(place)
            others.append(bridges.features(other, _of(shown.points, other)))
        longest = int(np.log2(shown.published.zones.axis.steps + 1))
        time = np.concatenate([[0.0], 2.0 ** np.arange(1, 2 + longest)])
        near = np.quantile(features["distance"], np.arange(1, _DISTANCES) / _DISTANCES)
        far = np.quantile(others[0]["distance"], [0.25, 0.5, 0.75])
        least = 0.5 if not len(shown.points) else 1.0
        edges = np.unique(np.concatenate([[0.0], np.maximum([*near, *far], least)]))
        binned = Binned(("ends", "time", "distance"), (np.arange(3.0), time, edges), 2)
        size = int(np.prod(binned.shape))
        true = np.bincount(binned.bins(features), minlength=size).astype(np.float64)
        other = np.zeros(size)
        for one in others:
            other += np.bincount(binned.bins(one), minlength=size)
        return cls(shown, RatioTable.of(binned, true, other))

    def of_sightings(
        self, row: Ints, step: Ints, place: Ints, last: LastSeen | None = None
    ) -> Floats:
        """(n,) chance that the person on a track is at a place at a step, by what it shows then.

        Parameters
        ----------
        row, step, place
            (n,) track, step and id of the place; the track does not show another place then.
        last
            When and where the same person was seen before; None: never.
        """
        found = self.shown.shares(row, step, place)
        hidden = np.flatnonzero(np.isnan(found))
        if len(hidden):
            before = None if last is None else LastSeen(*(one[hidden] for one in last))
            found[hidden] = self._unseen(row[hidden], step[hidden], place[hidden], before)
        return found

    def _unseen(self, row: Ints, step: Ints, place: Ints, last: LastSeen | None) -> Floats:
        """Chance of places in gaps."""
        shown, number = self.shown, self.shown.number_of(place)
        chance = shown.often[number]
        if self.table is None:
            return chance
        gaps = shown.gaps(row, step)
        bridges = shown.bridges(gaps if last is None else shown.after_seen(gaps, last))
        ratio = self._ratio(bridges, number, shown.points_of(place))
        return np.minimum(chance * ratio / self._whole(bridges), 1.0)

    def _ratio(self, bridges: Bridges, place: Ints, points: Floats) -> Floats:
        """How much likelier places are than for somebody of whom nothing is known."""
        if self.table is None:
            return np.ones(len(place))
        bins = self.table.binned.bins(bridges.features(place, points))
        ratio: Floats = np.exp(self.table.of_bins(bins))
        return ratio

    def _whole(self, bridges: Bridges) -> Floats:
        """Sum of the chances of all places, before they are made to add up to 1.

        The nearest places are summed up, and of the others some are drawn.
        """
        shown = self.shown
        n_places, often = len(shown.places), shown.often[:-1]
        if not len(shown.points):
            here = shown.often[bridges.place]
            same, other = (
                self._ratio(bridges, number, np.zeros((0, 3)))
                for number in (bridges.place, np.full(len(here), -1))
            )
            whole: Floats = here * same + (1 - here) * other
            return whole
        from scipy.spatial import KDTree

        nearest = min(_NEAREST, n_places)
        at = bridges.point
        _, near = KDTree(shown.points).query(at, k=np.arange(1, nearest + 1))
        total, mass = np.zeros(len(at)), np.zeros(len(at))
        for number in near.T:
            total += often[number] * self._ratio(bridges, number, shown.points[number])
            mass += often[number]
        last = np.linalg.norm(at - shown.points[near[:, -1]], axis=1)
        drawn = np.random.default_rng(0).choice(n_places, _DRAWN, p=often / often.sum())
        beyond, ratios = np.zeros(len(at)), np.zeros(len(at))
        for number in drawn.tolist():
            everywhere = np.full(len(at), number)
            far = np.linalg.norm(at - shown.points[number], axis=1) > last
            ratios += far * self._ratio(bridges, everywhere, shown.points[everywhere])
            beyond += far
        rest = np.divide(ratios, beyond, out=np.zeros(len(at)), where=beyond > 0)
        summed: Floats = np.maximum(total + np.maximum(1 - mass, 0.0) * rest, 1e-9)
        return summed


def _of(points: Floats, place: Ints) -> Floats:
    """Points of places; none where nobody knows where places are."""
    return points[place] if len(points) else points
