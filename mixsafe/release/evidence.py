"""Evidence of an auditor: published tracks, and sightings of users.

Rows are the published pseudonym tracks, tokens are users (docs/develop/facts.md, definitions). A
sighting "user u was in place l at time t" puts u on one of the tracks that may be hers then: those
that show l, those that show a set of regions with l in it, those that hide the cell on purpose, and
those with a gap that may hide her by some reading (:class:`mixsafe.model.answer.gaps.Gaps`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.exchange.rules import ExchangeRules, with_rules
from mixsafe.extract.zones import mix_zones
from mixsafe.model.answer.gaps import READINGS, Gaps
from mixsafe.model.csr import ranges
from mixsafe.model.mobility.places import PlaceShapes
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.mobility.traces import Names, Positions, Traces
from mixsafe.model.question.adversary import Pins
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.places import TrackPlaces
from mixsafe.model.release import Cells, Sightings
from mixsafe.release.exchange import shown_positions
from mixsafe.release.possible_tracks import GapReach, Levels, PossibleTracks, no_gap, rotations

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
    hides
        Whether steps in which a track shows nothing are hidden on purpose, as in the contest's
        form. Otherwise they are gaps, and entries are sorted by track and step, one each.
    reach
        How far people get in gaps; None: nobody knows how far places are apart.
    """

    zones: MixZones
    row: npt.NDArray[np.int32]
    step: npt.NDArray[np.int32]
    place: npt.NDArray[np.int64]
    shapes: PlaceShapes | None = None
    hides: bool = False
    reach: GapReach | None = None

    def __repr__(self) -> str:
        tracks, places = self.zones.n_users, len(self.row)
        return (
            f"<Published: {tracks:,} tracks with {places:,} places, {len(self.zones):,} mix zones>"
        )

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
            hides=True,
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
        names = self.zones.place_names
        return TrackPlaces.at(row[sure], step[sure], place[sure], self.shapes, names)

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
        if rules.believable:
            raise InputError(
                "nobody knows whose a published track is: which exchanges are believable is a"
                " question to data whose users are known",
                hint="leave out --believable, or ask 'mixsafe verify' about the original data",
            )
        # Who shows nothing, or sets of regions only, changes pseudonyms at scheduled times, too.
        zones = self.zones if rules.rotate is None else replace(self.zones, absent=_NOBODY)
        found = with_rules(zones, rules, traces, steps_per_day, tracks=True)
        reach = None if self.reach is None else replace(self.reach, zones=found.zones)
        return replace(self, zones=found.zones, reach=reach)

    @property
    def n_tracks(self) -> int:
        """Number of published tracks."""
        return self.zones.n_users

    def fitting(self, step: npt.NDArray[np.int32], place: npt.NDArray[np.int64]) -> PossibleTracks:
        """Tracks that may be those of a person who was in a place at a step, by each reading.

        By every reading these are the tracks that show the place then, or hide the cell on purpose;
        and, where times are cut into steps, those that have a gap then and show the place in the
        step before or after. The other tracks with a gap follow by the two wider readings.

        Parameters
        ----------
        step, place
            (n,) each.
        """
        asked = np.unique(place)
        entry = self._entries_at(asked)
        row, shown_step, shown_place = self.row[entry], self.step[entry], self.place[entry]
        if not self.hides and self.zones.axis.timed:
            near, near_step = self.next_to(entry)
            row = np.append(row, self.row[near])
            shown_step = np.append(shown_step, near_step)
            shown_place = np.append(shown_place, self.place[near])
        span = np.int64(len(asked) + 1)
        key = shown_step * span + np.searchsorted(asked, shown_place)
        order = np.argsort(key, kind="stable")
        wanted = step * span + np.searchsorted(asked, place)
        low, high = (np.searchsorted(key[order], wanted, side=side) for side in ("left", "right"))
        low, high = np.asarray(low), np.asarray(high)
        hidden, hidden_row = self._hidden(step)
        sighting = np.concatenate([np.repeat(np.arange(len(step)), high - low), hidden])
        rows = np.concatenate([row[order[ranges(low, high - low)]], hidden_row])
        shown = np.ones(len(rows), bool)
        shown[len(rows) - len(hidden) :] = self.hides
        pair = sighting * np.int64(self.n_tracks) + rows
        by_pair = np.argsort(pair, kind="stable")  # what is shown comes first
        first = np.ones(len(pair), bool)
        first[1:] = np.diff(pair[by_pair]) > 0
        kept = by_pair[first]
        sighting, rows, shown = sighting[kept], rows[kept].astype(np.int32), shown[kept]
        ptr = np.searchsorted(sighting, np.arange(len(step) + 1)).astype(np.int64)
        return PossibleTracks(
            ptr, rows, shown, partial(self._reaches, step[sighting], place[sighting], rows)
        )

    def _reaches(
        self,
        step: npt.NDArray[np.int32],
        place: npt.NDArray[np.int64],
        rows: npt.NDArray[np.int32],
        entry: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.bool_]:
        """Whether gaps may hide a person who gets there and back in time, of some entries."""
        if self.reach is None:
            return np.ones(len(entry), bool)
        return self.reach.possible(step[entry], place[entry], rows[entry])

    def _entries_at(self, asked: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Entries at some places, which are ascending."""
        if not len(asked):
            return np.zeros(0, np.int64)
        at = np.minimum(np.searchsorted(asked, self.place), len(asked) - 1)
        return np.flatnonzero(asked[at] == self.place)

    def next_to(
        self, entry: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Entries with a gap right before or after them, and the step of it.

        A fix belongs to the step in which its time falls, so that a person who is seen at a place
        may have the fix there in the next step. Pseudonyms that all change in between part them.
        """
        steps = self.zones.axis.steps
        found, at = [], []
        for off in (-1, 1):
            beside, there = self.step[entry] + np.int32(off), entry + off
            known = (there >= 0) & (there < len(self.row))
            there = np.where(known, there, 0)
            known &= (self.row[there] == self.row[entry]) & (self.step[there] == beside)
            later = np.maximum(beside, self.step[entry])
            gap = ~known & (beside >= 1) & (beside <= steps)
            gap &= ~np.isin(later, rotations(self.zones))
            found.append(entry[gap])
            at.append(beside[gap])
        return np.concatenate(found), np.concatenate(at)

    @cached_property
    def suppressed(self) -> npt.NDArray[np.bool_]:
        """(n_tracks,) tracks that show nothing at any step."""
        nothing = np.ones(self.n_tracks, bool)
        nothing[self.row] = False
        return nothing

    def hides_at(self, step: npt.NDArray[np.int32]) -> bool:
        """Whether some track shows nothing at some of these steps."""
        return len(self._hidden(step)[0]) > 0

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
    possible
        The tracks of each pin by every reading of gaps; None: the pins are what is known.
    level
        (n_pins,) position of the reading that counts for each pin; empty without ``possible``.
    asked
        The reading that was asked for; None: for each sighting the strictest one that contradicts
        nothing.
    places
        (n_pins,) where each user was seen; None: the pins are what is known.
    """

    zones: MixZones
    users: Names
    pins: Pins
    published: Published | None = None
    possible: PossibleTracks | None = None
    level: Levels = field(default_factory=lambda: np.zeros(0, np.int8))
    asked: Gaps | None = None
    places: npt.NDArray[np.int64] | None = None

    def __repr__(self) -> str:
        seen, tracks = len(self.users), self.zones.n_users
        return f"<Evidence: {len(self.pins):,} sightings of {seen:,} users, {tracks:,} tracks>"

    def __post_init__(self) -> None:
        if len(self.users) > self.zones.n_users:
            raise InputError(
                f"{len(self.users)} users were seen, but only {self.zones.n_users} tracks are"
                " published",
                hint="is this knowledge about this release?",
            )

    @classmethod
    def of(cls, published: Published, sightings: Sightings, gaps: Gaps | None = None) -> Evidence:
        """Consequences of sightings for published tracks.

        Parameters
        ----------
        gaps
            How gaps are read; None: for each sighting by the strictest reading that leaves a track.

        Raises
        ------
        InputError
            More users than tracks, or a sighting that fits no track.
        """
        order = np.argsort(sightings.step, kind="stable")
        seen = sightings.only(order)
        tracks = published.fitting(seen.step, seen.place)
        level = tracks.strictest if gaps is None else np.full(len(seen), gaps.level, np.int8)
        lost = np.flatnonzero(tracks.strictest > (READINGS[-1].level if gaps is None else level))
        if len(lost):
            one = int(lost[np.argmin(order[lost])])
            gap = gaps is not None and tracks.strictest[one] <= READINGS[-1].level
            raise InputError(
                f"user {seen.users[seen.user[one]]} was seen at time"
                f" {published.zones.axis.label(int(seen.step[one]))} where no track is"
                + (f", read as '{gaps.value}'" if gap and gaps is not None else ""),
                hint="leave out the reading of gaps: one of them may hide the user"
                if gap
                else "the knowledge contradicts the release: were its cells noised?",
            )
        pins = Pins(seen.user, seen.step, *tracks.by(level))
        zones, premises = published.zones, sightings.premises
        if premises.skipped:
            notes = (*zones.notes, *(f"sightings: {note}" for note in premises.notes))
            joined = Premises.joined((zones.premises, premises))
            zones = replace(zones, notes=notes, premises=joined)
        return cls(zones, sightings.users, pins, published, tracks, level, gaps, seen.place)

    @property
    def tracks(self) -> PossibleTracks:
        """The tracks of each pin by every reading of gaps; of bare pins they are certain."""
        if self.possible is not None:
            return self.possible
        rows = self.pins.rows
        return PossibleTracks(self.pins.ptr, rows, np.ones(len(rows), bool), no_gap)

    def read(self, level: Levels) -> Evidence:
        """The same with another reading for each pin, (n_pins,)."""
        if self.possible is None:
            return self
        pins = Pins(self.pins.token, self.pins.time, *self.possible.by(level))
        return replace(self, pins=pins, level=level)

    @property
    def speed(self) -> float | None:
        """Greatest speed of people in gaps, kilometres per hour; None: unknown."""
        reach = None if self.published is None else self.published.reach
        return None if reach is None else reach.speed

    @property
    def how_read(self) -> str:
        """How gaps are read, in a few words; empty where there are none."""
        if not self.has_gaps:
            return ""
        used = int(self.level.min())
        wider = int(np.count_nonzero(self.level > used))
        also = f", {wider} of {len(self.pins)} sightings more widely" if wider else ""
        return f"gaps {READINGS[used].value}{also}"

    @property
    def has_gaps(self) -> bool:
        """Whether the reading of gaps changes which tracks are possible at some sighting."""
        return self.possible is not None and not bool(self.possible.shown.all())

    @property
    def track_places(self) -> TrackPlaces | None:
        """Where tracks are at each step; None: unknown."""
        return None if self.published is None else self.published.track_places

    @property
    def has_names(self) -> bool:
        """Whether tracks are at named places."""
        return self.published is not None and self.published.shapes is not None
