"""Evidence of an auditor: published tracks, and sightings of users.

Rows are the published pseudonym tracks, tokens are users (docs/develop/facts.md, definitions). A
sighting "user u was in place l at time t" puts u on one of the tracks that may be hers then: those
that show l, those that show a set of regions with l in it, and those that show nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.exchange.rules import ExchangeRules, with_rules
from mixsafe.extract.zones import mix_zones
from mixsafe.model.csr import pointers, ranges
from mixsafe.model.mobility.place_shapes import PlaceShapes
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.mobility.traces import Names, Positions, Traces
from mixsafe.model.question.adversary import Pins
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.track_places import TrackPlaces
from mixsafe.model.release.cells import Cells
from mixsafe.model.release.sightings import Sightings
from mixsafe.release.exchange import shown_positions

_NOBODY = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Published:
    """Published tracks: their places, and their visible meetings.

    Parameters
    ----------
    zones
        The visible mix zones: rows are tracks, and ``zones.users`` their pseudonyms.
    row, step, place
        (n_shown,) each: the track may have been in the place at that step. A set of regions is an
        entry for each of them; a track without an entry shows nothing then.
    shapes
        Places with outlines, whose ids are negative; None: there are none.
    """

    zones: MixZones
    row: npt.NDArray[np.int32]
    step: npt.NDArray[np.int32]
    place: npt.NDArray[np.int64]
    shapes: PlaceShapes | None = None

    @classmethod
    def of_cells(cls, cells: Cells, *, sets_meet: bool = False, min_users: int = 2) -> Published:
        """A release in the contest's form: pseudonyms of n users are called n + 1 to 2n.

        Parameters
        ----------
        sets_meet
            Whether tracks that show the same set of regions exchange pseudonyms, as
            :func:`mixsafe.release.exchange.exchange_at_mix_zones` lets them; else they never meet.
        min_users
            Fewest tracks that make a mix zone, >= 2.
        """
        shown = shown_positions(cells)
        meets = shown.place < (cells.n_contents if sets_meet else cells.n_regions)
        met = mix_zones(
            replace(
                shown,
                users=shown.users + cells.n_rows,
                row=shown.row[meets],
                step=shown.step[meets],
                place=shown.place[meets],
            ),
            min_users=min_users,
        )
        # As they are called outside: regions from 1; 0 is a set of them, which is no one place.
        code = np.asarray(met.place)
        place = np.where(code < cells.n_regions, code + 1, 0)
        zones = replace(met, place=place, published=None)
        row, column = np.nonzero(cells.code < cells.n_regions)
        place = cells.code[row, column]
        set_row, set_column = np.nonzero(cells.code > cells.n_regions)
        ptr, member = cells.members_of(cells.code[set_row, set_column])
        sizes = np.diff(ptr)
        return cls(
            zones,
            np.concatenate([row, np.repeat(set_row, sizes)]).astype(np.int32),
            np.concatenate([column, np.repeat(set_column, sizes)]).astype(np.int32) + np.int32(1),
            np.concatenate([place, member]).astype(np.int64),
        )

    @classmethod
    def of_positions(
        cls,
        positions: Positions,
        *,
        min_users: int = 2,
        named_only: bool = False,
        shapes: PlaceShapes | None = None,
    ) -> Published:
        """A release of places or coordinates by pseudonym.

        Parameters
        ----------
        min_users
            Fewest tracks that make a mix zone, >= 2.
        named_only
            Whether tracks meet at places with outlines only, and in cells they do not.
        shapes
            These places with outlines; None: there are none.
        """
        meeting = positions.only(positions.place < 0) if named_only else positions
        zones = replace(mix_zones(meeting, min_users=min_users), published=None)
        return cls(zones, positions.row, positions.step, positions.place, shapes)

    @cached_property
    def shown_share(self) -> float:
        """Share of the time of all tracks at which they show a place, or a set of them."""
        steps = self.zones.axis.steps
        shown = np.sort(self.row * np.int64(steps + 1) + self.step)
        count = int(np.count_nonzero(np.diff(shown))) + 1 if len(shown) else 0
        return count / max(self.n_tracks * steps, 1)

    @cached_property
    def track_places(self) -> TrackPlaces:
        """Where tracks are for sure; a set of regions is no sure place."""
        order = np.lexsort((self.step, self.row))
        row, step, place = self.row[order], self.step[order], self.place[order]
        again = np.zeros(len(row) + 1, bool)
        again[1:-1] = (row[1:] == row[:-1]) & (step[1:] == step[:-1])
        sure = ~(again[1:] | again[:-1])
        return TrackPlaces.at(row[sure], step[sure], place[sure], self.shapes)

    def under(
        self, rules: ExchangeRules, traces: Traces | None = None, steps_per_day: int = 20
    ) -> Published:
        """The same, exchanged by some rules: at scheduled times, and only as far as people get.

        Parameters
        ----------
        traces
            Fixes of the tracks, in their order: those that are sure, such as single regions; None:
            unknown.
        steps_per_day
            Length of a day where steps are numbered, >= 1.

        Raises
        ------
        InputError
            Rules that do not fit the release, or a speed for each person.
        """
        if isinstance(rules.max_speed, Mapping):
            raise InputError(
                "nobody knows whose a published track is: each person's own speed is of no use",
                hint="give one --max-speed for all",
            )
        # Who shows nothing, or sets of regions only, changes pseudonyms at scheduled times, too.
        zones = self.zones if rules.rotate is None else replace(self.zones, absent=_NOBODY)
        found = with_rules(zones, rules, traces, steps_per_day, tracks=True)
        return replace(self, zones=found.zones)

    @property
    def n_tracks(self) -> int:
        """Number of published tracks."""
        return self.zones.n_users

    def fitting(
        self, step: npt.NDArray[np.int32], place: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Tracks that may have been in a place at a step.

        Parameters
        ----------
        step, place
            (n,) each.

        Returns
        -------
        ptr, rows
            (n + 1,) and (n_entries,): CSR, rows ascending within each.
        """
        known, rank = np.unique(self.place, return_inverse=True)
        at = np.searchsorted(known, place)
        there = np.isin(place, known)
        span = np.int64(len(known) + 1)
        key = self.step * span + rank
        order = np.argsort(key, kind="stable")
        asked = step * span + np.where(there, at, len(known))
        low, high = (np.searchsorted(key[order], asked, side=side) for side in ("left", "right"))
        low, high = np.asarray(low), np.asarray(high)
        entry = ranges(low, high - low)
        sighting = np.repeat(np.arange(len(step)), high - low)
        hidden, hidden_row = self._hidden(step)
        sighting = np.concatenate([sighting, hidden])
        rows = np.concatenate([self.row[order[entry]], hidden_row])
        sorting = np.lexsort((rows, sighting))
        ptr = np.searchsorted(sighting[sorting], np.arange(len(step) + 1))
        return ptr.astype(np.int64), rows[sorting].astype(np.int32)

    def _hidden(
        self, step: npt.NDArray[np.int32]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Tracks without data at each of some steps, as pairs."""
        steps, number = np.unique(step, return_inverse=True)
        shown = np.zeros((len(steps), self.n_tracks), bool)
        at = np.searchsorted(steps, self.step)
        asked = np.isin(self.step, steps)
        shown[at[asked], self.row[asked]] = True
        hidden_step, hidden_row = np.nonzero(~shown)
        begin = np.searchsorted(hidden_step, np.arange(len(steps) + 1))
        low, high = begin[number], begin[number + 1]
        return np.repeat(np.arange(len(step)), high - low), hidden_row[ranges(low, high - low)]


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything that an audit rests on.

    Parameters
    ----------
    zones
        Where tracks visibly meet; rows are tracks.
    users
        Names of the known users, (n_users,): tokens 0 to n_users - 1. The other tracks are those of
        people of whom nothing is known.
    pins
        Known user ``pins.token`` is on one of the tracks ``pins.rows`` at step ``pins.time``;
        step 0 is the moment before the first exchange.
    published
        The tracks; None: unknown, and so is where they are.
    """

    zones: MixZones
    users: Names
    pins: Pins
    published: Published | None = None

    def __post_init__(self) -> None:
        if len(self.users) > self.zones.n_users:
            raise InputError(
                f"{len(self.users)} users were seen, but only {self.zones.n_users} tracks are"
                " published",
                hint="is this knowledge about this release?",
            )

    @classmethod
    def of(cls, published: Published, sightings: Sightings) -> Evidence:
        """Consequences of sightings for published tracks.

        Raises
        ------
        InputError
            More users than tracks, or a sighting that fits no track.
        """
        ptr, rows = published.fitting(sightings.step, sightings.place)
        empty = np.flatnonzero(np.diff(ptr) == 0)
        if len(empty):
            one = int(empty[0])
            raise InputError(
                f"user {sightings.users[sightings.user[one]]} was seen at time"
                f" {published.zones.axis.label(int(sightings.step[one]))} where no track is",
                hint="the knowledge contradicts the release: were its cells noised?",
            )
        order = np.argsort(sightings.step, kind="stable")
        sizes = np.diff(ptr)[order]
        pins = Pins(
            sightings.user[order],
            sightings.step[order],
            pointers(sizes),
            rows[ranges(ptr[:-1][order], sizes)],
        )
        zones, seen = published.zones, sightings.premises
        if seen.skipped:
            notes = (*zones.notes, *(f"sightings: {note}" for note in seen.notes))
            premises = Premises.joined((zones.premises, seen))
            zones = replace(zones, notes=notes, premises=premises)
        return cls(zones, sightings.users, pins, published)

    @property
    def track_places(self) -> TrackPlaces | None:
        """Where tracks are at each step; None: unknown."""
        return None if self.published is None else self.published.track_places

    @property
    def has_names(self) -> bool:
        """Whether tracks are at named places."""
        return self.published is not None and self.published.shapes is not None
