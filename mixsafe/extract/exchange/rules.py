"""Which exchanges of pseudonyms are possible: when, within a speed, and believable ones only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.exchange.believable import MOST_MEMBERS, Believed, believed
from mixsafe.extract.exchange.continuations import LEAST_TO_LEARN, Continuations
from mixsafe.extract.exchange.likelihoods import pair_likelihoods
from mixsafe.extract.exchange.movement import Movement, at_speed, in_steps, placed
from mixsafe.extract.exchange.relation import Jump, Related, related
from mixsafe.extract.exchange.rotation import Rotated, Schedule, rotated
from mixsafe.model.mobility.traces import Names, Traces
from mixsafe.model.question.likelihoods import PairLikelihoods
from mixsafe.model.question.mix_zones import MixZones

Ints = npt.NDArray[np.int64]


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
    movement
        Whether zones also get the likelihoods of their pairs, by how people move, for
        :class:`mixsafe.weigh.exchange_models.ByMovement`. They change no verdict. For the same
        traces.

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
    movement: bool = False

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
        return self.limit is not None or self.believable > 0 or self.movement

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
        Of :func:`mixsafe.extract.exchange.relation.related`.

    Raises
    ------
    InputError
        Rules that do not fit the data.
    """
    if rules == ExchangeRules():
        return Related(zones)
    found, notes = _rotated(zones, rules, steps_per_day)
    if not rules.need_fixes:
        return Related(replace(found.zones, notes=(*zones.notes, *notes)), possible=found)
    if traces is None:
        raise InputError(
            "how people move is known from traces only, and this source has none in memory",
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
    possible = replace(found, zones=limited.zones)
    likelihoods = None
    if rules.believable or rules.movement:
        option = "--believable" if rules.believable else "--movement"
        model = Continuations.of(found, placed(traces, steps_per_day, option=option))
    if rules.believable:
        believable = believed(limited, model, rules.believable)
        limited = believable.related
        notes += _belief_notes(believable, rules.believable)
    if rules.movement:
        likelihoods = pair_likelihoods(limited.zones, model)
        notes += _weight_notes(likelihoods, said=rules.believable > 0)
    said = replace(limited.zones, notes=(*zones.notes, *notes), likelihoods=likelihoods)
    return replace(limited, zones=said, possible=possible)


def _rotated(
    zones: MixZones, rules: ExchangeRules, steps_per_day: int
) -> tuple[Rotated, tuple[str, ...]]:
    """The zones with rotations, and a note about these."""
    if rules.rotate is None:
        return Rotated.never(zones), ()
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
        notes.append(_NOTHING_LEARNED)
    if found.n_large:
        notes.append(
            f"{found.n_large} mix zones have more than {MOST_MEMBERS:,} members: all exchanges"
            " that are possible there are taken to be believable"
        )
    return tuple(notes)


_NOTHING_LEARNED = (
    f"fewer than {LEAST_TO_LEARN} ways through mix zones have a fix on both sides, too few to learn"
    " from: ways are taken to be normally distributed, by the pace of the data"
)


def _weight_notes(likelihoods: PairLikelihoods, *, said: bool) -> tuple[str, ...]:
    """Where movement weighs little or nothing; ``said``: already, that nothing is learned."""
    notes = [] if likelihoods.learned or said else [_NOTHING_LEARNED]
    n_large = int(np.count_nonzero(likelihoods.begin < 0))
    if n_large:
        notes.append(
            f"{n_large} mix zones have more than {MOST_MEMBERS:,} members: all exchanges there are"
            " taken to be equally likely"
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
