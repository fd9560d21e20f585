"""Which exchanges of pseudonyms are possible: when, within a speed, and believable ones only.

Within a speed, a zone has a relation: whoever comes in on the track of a may leave on that of b
only if one person can have made the last fix of a before the zone and the first fix of b after it
(:mod:`mixsafe.extract.exchange.movement`). Fixes in the step of the zone do not count: they are in
the zone. A rotation happens between two steps, so all fixes count there. Fixes before the row's
last zone, or after its next one, do not count either: who is on the track here need not have been
on it there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.exchange.believable import MOST_MEMBERS, Believed, believed
from mixsafe.extract.exchange.continuations import LEAST_TO_LEARN, Continuations
from mixsafe.extract.exchange.movement import Movement, PlacedFixes, at_speed, in_steps, placed
from mixsafe.extract.exchange.rotation import Rotated, Schedule, rotated
from mixsafe.machinery.spill import whole_stretches
from mixsafe.model.csr import pointers, ranges
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names, Traces
from mixsafe.model.question.mix_zones import MixZones, Relation, packed, words_of
from mixsafe.network.relations import zones_apart_by

Ints = npt.NDArray[np.int64]

MOST_PAIRS = 1 << 34
"""Pairs of members of all zones: their bits take 2 GiB."""

_PAIRS_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Jump:
    """A way that the data contain although nobody can make it.

    Parameters
    ----------
    row, step
        Whose way, and the step of the mix zone that it leads through.
    way, time
        Its length, as the movement measures it, and its time.
    """

    row: int
    step: int
    way: float
    time: int


@dataclass(frozen=True, eq=False)
class Related:
    """Mix zones with a relation, and what it does.

    Parameters
    ----------
    zones
        The mix zones, with what they allow.
    n_restricted, n_apart
        Zones that do not allow all exchanges, and those of them that fall apart: that have members
        between whom no exchange is possible, even by way of others.
    n_alone
        Memberships in these of members who can exchange with nobody.
    n_jumps, fastest
        Memberships whose own way is impossible, and the worst of them; None: there is none.
    """

    zones: MixZones
    n_restricted: int = 0
    n_apart: int = 0
    n_alone: int = 0
    n_jumps: int = 0
    fastest: Jump | None = None

    @classmethod
    def of(cls, zones: MixZones, relation: Relation | None) -> Related:
        """Mix zones with this relation; None: all exchanges are possible."""
        zones = replace(zones, relation=relation)
        if relation is None:
            return cls(zones)
        return cls(zones, len(relation.zones), *zones_apart_by(zones.ptr, relation))


def related(
    found: Rotated, movement: Movement, *, tracks: bool = False, jumpers_stay: bool = False
) -> Related:
    """Say what mix zones and rotations allow, by how people move.

    A row's own way is always allowed: where the data contain one that nobody can make, it is
    counted.

    Parameters
    ----------
    tracks
        Rows are published tracks; else people. A fix of a track in a mix zone may be that of
        another person who is there. In a region they are all at one place; a cell has an extent,
        so there such a fix is nobody's next one.
    jumpers_stay
        Whoever has an impossible way through a mix zone exchanges with nobody there. Otherwise the
        truth would be impossible for those who see the released tracks.

    Raises
    ------
    InputError
        Too many pairs of members.
    """
    zones = found.zones
    size = zones.sizes
    if int((size * size).sum()) > MOST_PAIRS:
        largest = int(size.argmax())
        raise InputError(
            f"{size[largest]} users in one mix zone at time"
            f" {zones.axis.label(int(zones.time[largest]))} have too many pairs to compare",
            hint="use smaller cells or fewer users, or leave out --max-speed or --max-step",
        )
    zone = zones.zone_of_member
    begin, end = bounds(zones.axis, zones.time[zone])
    row = zones.members.astype(np.int64)
    between = stretches(found, begin, end, exact=not (tracks and movement.straight))
    before = movement.last_before(row, begin).within(between)
    after = movement.first_from(row, np.where(found.rotation[zone], begin, end)).within(between)
    own = movement.possible(before, after, (row, row))
    ptr = pointers(size * words_of(size))
    words = np.zeros(ptr[-1], np.uint64)
    lacks = np.zeros(len(zones), bool)
    stays = ~own if jumpers_stay else np.zeros(len(own), bool)
    pairs = _Pairs(zones, before, after, row, found.met, stays, movement)
    filled = 0
    for some in whole_stretches(pointers(size[zone]), _PAIRS_AT_ONCE):
        bits, missing = pairs.allowed(some, zone)
        words[filled : filled + len(bits)] = bits
        filled += len(bits)
        lacks[missing] = True
    whole = Relation(ptr, words)
    fastest = _fastest(zones, movement, before, after, np.flatnonzero(~own))
    n_jumps = int(np.count_nonzero(~own))
    return replace(Related.of(zones, _restricted(whole, lacks)), n_jumps=n_jumps, fastest=fastest)


def bounds(axis: TimeAxis, step: npt.NDArray[np.int32]) -> tuple[Ints, Ints]:
    """First time of each step, and the first time after it, as traces have them."""
    length = axis.step_seconds or 1
    begin = axis.first + (step.astype(np.int64) - 1) * length
    return begin, begin + length


def stretches(found: Rotated, begin: Ints, end: Ints, *, exact: bool) -> tuple[Ints, Ints]:
    """Time from which, and up to which, the fixes of each membership's row count.

    That is from the step of the row's last zone, whose fixes are made after the exchange, to the
    step of its next one. If that is a mix zone and fixes in it are ``exact``, these still count.
    """
    zones = found.zones
    order = np.argsort(zones.members, kind="stable")
    same = np.diff(zones.members[order]) == 0
    one, following = order[:-1][same], order[1:][same]
    since = np.full(len(order), np.iinfo(np.int64).min)
    until = np.full(len(order), np.iinfo(np.int64).max)
    since[following] = begin[one]
    rotation = found.rotation[zones.zone_of_member[following]]
    until[one] = np.where(rotation | (not exact), begin[following], end[following])
    return since, until


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of members of zones; arrays have an entry for each membership."""

    zones: MixZones
    before: PlacedFixes
    after: PlacedFixes
    row: Ints
    met: Ints
    stays: npt.NDArray[np.bool_]
    movement: Movement

    def allowed(self, come: slice, zone: Ints) -> tuple[npt.NDArray[np.uint64], Ints]:
        """Words of the memberships ``come``, and the zones that lack a pair of theirs."""
        mine = zone[come]
        size, head = self.zones.sizes[mine], self.zones.ptr[mine]
        one = np.repeat(np.arange(come.start, come.stop), size)
        other = ranges(head, size)
        possible = self.movement.possible(
            self.before.at(one), self.after.at(other), (self.row[one], self.row[other])
        )
        possible |= one == other
        met = self.met[one]
        possible |= (met >= 0) & (met == self.met[other])
        possible &= ~(self.stays[one] | self.stays[other]) | (one == other)
        words = packed(possible, other - np.repeat(head, size))
        return words, np.unique(np.repeat(mine, size)[~possible])


def _restricted(whole: Relation, lacks: npt.NDArray[np.bool_]) -> Relation | None:
    """The relation of the zones that lack a pair; None: no zone does."""
    if not lacks.any():
        return None
    n_words = np.where(lacks, np.diff(whole.ptr), 0)
    return Relation(pointers(n_words), whole.words[ranges(whole.ptr[:-1], n_words)])


def _fastest(
    zones: MixZones, movement: Movement, before: PlacedFixes, after: PlacedFixes, jumps: Ints
) -> Jump | None:
    """The worst of the own ways that nobody can make."""
    if not len(jumps):
        return None
    ways = movement.ways(before.at(jumps), after.at(jumps))
    time = after.time[jumps] - before.time[jumps]
    worst = int((ways / np.maximum(time, 1)).argmax())
    zone = int(zones.zone_of_member[jumps[worst]])
    row, step = int(zones.members[jumps[worst]]), int(zones.time[zone])
    return Jump(row, step, float(ways[worst]), int(time[worst]))


@dataclass(frozen=True)
class ExchangeRules:
    """Which exchanges of pseudonyms are possible.

    Parameters
    ----------
    max_speed
        Greatest speed of people, kilometres per hour, > 0; or that of each by name, where those
        without one are not limited. None: any. For traces with coordinates and clock times.
    error
        Of the place of a fix, metres, >= 0.
    max_step
        Regions further in a direction that people get in a step, > 0; None: any number. For traces
        of the contest.
    rotate
        Times at which all pseudonyms change, as
        :class:`mixsafe.extract.exchange.rotation.Schedule` reads them: ``daily@04:00``,
        ``every:14d``; None: never.
    meetings
        Whether pseudonyms are exchanged at mix zones.
    believable
        Only exchanges count that are in a permutation of a zone's members at least so many times
        as likely as the likeliest one, 0 to 1, by how people move
        (:mod:`mixsafe.extract.exchange.believable`); 0: all exchanges that are possible. For
        traces with coordinates, or the contest's regions.

    Raises
    ------
    InputError
        A schedule that is none, two limits, no exchange at all, or a share that is none.
    """

    max_speed: float | Mapping[str | int, float] | None = None
    error: float = 0.0
    max_step: float | None = None
    rotate: str | None = None
    meetings: bool = True
    believable: float = 0.0

    def __post_init__(self) -> None:
        if self.rotate is not None:
            Schedule.parse(self.rotate)
        elif not self.meetings:
            raise InputError("pseudonyms are exchanged neither at mix zones nor at scheduled times")
        if self.max_speed is not None and self.max_step is not None:
            raise InputError("people are limited by speed or by regions per step, not by both")
        if not 0 <= self.believable <= 1:
            raise InputError(f"the share of a belief, {self.believable:g}, is not between 0 and 1")

    @property
    def need_fixes(self) -> bool:
        """Whether what is possible depends on fixes."""
        return self.limit is not None or self.believable > 0

    @property
    def limit(self) -> str | None:
        """How far people get, in words; None: any way is possible."""
        if self.max_step is not None:
            return f"{self.max_step:g} regions per step"
        if isinstance(self.max_speed, Mapping):
            return "the speed of each person"
        return None if self.max_speed is None else f"{self.max_speed:g} km/h"


def with_rules(
    zones: MixZones,
    rules: ExchangeRules,
    traces: Traces | None = None,
    steps_per_day: int = 20,
    *,
    tracks: bool = False,
    jumpers_stay: bool = False,
) -> Related:
    """Mix zones with rotations, what they allow, and how much the rules change; notes say it.

    Parameters
    ----------
    zones
        Where users meet.
    traces
        Fixes of the same users; None: unknown.
    steps_per_day
        Length of a day where steps are numbered, >= 1.
    tracks, jumpers_stay
        Of :func:`mixsafe.extract.exchange.rules.related`.

    Raises
    ------
    InputError
        Rules that do not fit the data.
    """
    if rules == ExchangeRules():
        return Related(zones)
    found, notes = _rotated(zones, rules, steps_per_day)
    if not rules.need_fixes:
        return Related(replace(found.zones, notes=(*zones.notes, *notes)))
    if traces is None:
        raise InputError(
            "how far people get is known from traces only, and this source has none in memory",
            hint="use traces; of large ones give more --memory-limit, or choose a period",
        )
    limited, limit = Related(found.zones), rules.limit
    if limit is not None:
        movement = movement_of(traces, rules, steps_per_day)
        limited = related(found, movement, tracks=tracks, jumpers_stay=jumpers_stay)
        notes += (_note(limited, f"within {limit}"),)
        if limited.fastest is not None:
            allowed = "its users keep their pseudonyms" if jumpers_stay else _ALLOWED[tracks]
            notes += (_jumps(limited, limited.fastest, limit, allowed, tracks),)
    if rules.believable:
        model = Continuations.of(found, placed(traces, steps_per_day))
        believable = believed(limited, model, rules.believable)
        limited = believable.related
        notes += _belief_notes(believable, rules.believable)
    said = replace(limited.zones, notes=(*zones.notes, *notes))
    return replace(limited, zones=said)


def _rotated(
    zones: MixZones, rules: ExchangeRules, steps_per_day: int
) -> tuple[Rotated, tuple[str, ...]]:
    """The zones with rotations, and a note about these."""
    if rules.rotate is None:
        n_zones, n_members = len(zones), len(zones.members)
        return Rotated(zones, np.zeros(n_zones, bool), np.full(n_members, -1)), ()
    steps = Schedule.parse(rules.rotate).steps(zones.axis, steps_per_day)
    found = rotated(zones, steps, meetings=rules.meetings)
    times = "one scheduled time" if len(steps) == 1 else f"{len(steps)} scheduled times"
    also = "and at mix zones" if rules.meetings else "and at no other time"
    label = zones.axis.label(int(steps[0]))
    note = f"all pseudonyms change at {times} ({rules.rotate}, first at {label}), {also}"
    return found, (note,)


def movement_of(traces: Traces, rules: ExchangeRules, steps_per_day: int = 20) -> Movement:
    """How far people get, by rules that limit it.

    Raises
    ------
    InputError
        Rules that do not fit the traces.
    """
    if rules.max_step is not None:
        return in_steps(traces, rules.max_step, steps_per_day)
    speed = rules.max_speed
    if isinstance(speed, Mapping):
        return at_speed(traces, _by_user(speed, traces.users), rules.error)
    return at_speed(traces, speed or 0.0, rules.error)


def _by_user(speed: Mapping[str | int, float], users: Names) -> npt.NDArray[np.float64]:
    """(n_users,) speed of each user, inf where it is not known."""
    return np.array([speed.get(user, speed.get(str(user), np.inf)) for user in users.tolist()])


def _belief_notes(found: Believed, share: float) -> tuple[str, ...]:
    """What counting believable exchanges only changes."""
    limit = f"with permutations at least {share:g} times as likely as the likeliest one"
    notes = [_note(found.related, limit)]
    if not found.learned:
        notes.append(
            f"fewer than {LEAST_TO_LEARN} ways through mix zones have a fix on both sides, too few"
            " to learn from: ways are taken to be normally distributed, by the pace of the data"
        )
    if found.n_large:
        notes.append(
            f"{found.n_large} mix zones have more than {MOST_MEMBERS:,} members: all exchanges"
            " that are possible there are taken to be believable"
        )
    return tuple(notes)


def _note(found: Related, limit: str) -> str:
    """What the relation changes."""
    if not found.n_restricted:
        return f"{limit} all exchanges in mix zones are possible"
    zones = found.zones
    return (
        f"{limit}, {found.n_restricted} of {len(zones)} mix zones do not allow all"
        f" exchanges; {found.n_apart} of these fall apart, and {found.n_alone} of"
        f" {len(zones.members)} memberships can exchange with nobody"
    )


_ALLOWED = ("it is allowed, because it is in the data", "that the pseudonym stayed is allowed")
"""What becomes of ways of people, and of tracks, that are not possible."""


def _jumps(found: Related, worst: Jump, limit: str, allowed: str, tracks: bool) -> str:
    """How many ways are not possible, and which is the worst."""
    zones, noun = found.zones, "track" if tracks else "user"
    unit, time = ("m", "s") if zones.axis.timed else ("regions", "steps")
    return (
        f"{found.n_jumps} memberships lie on a way that is not possible within {limit}; {allowed}."
        f" Fastest: {noun} {zones.users[worst.row]} through the mix zone at"
        f" {zones.axis.label(worst.step)}, {worst.way:.0f} {unit} in {worst.time} {time}"
    )
