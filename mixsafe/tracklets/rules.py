"""Which tracklet may continue as which: a list of rules that never exclude what happened.

A rule is *sound* if it allows each link of two tracklets that follow each other on one vehicle.
Identifiers are followed by excluding what no vehicle can have done, so that a rule that is not
sound makes false certainties. Where the data say the truth, :func:`check_rules` counts them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from math import isfinite

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.exchange.movement import on_sphere
from mixsafe.model.numerals import check_most
from mixsafe.model.tracklets import COMPARED, MOTION, Moments, Tracklets

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]

FIELDS = COMPARED
"""Fields that an adversary compares unless told otherwise."""

SURVIVING = ("uri", "last_reported", "slots")
"""Fields of GBFS that tell two identifiers of one vehicle only where they survive the change."""

_HOUR = 3600
_ROUNDING = 1e-9
"""0.55 is more than 0.05 above 0.5, in floating-point numbers."""


@dataclass(frozen=True)
class LinkRules:
    """What an adversary knows of rides.

    Parameters
    ----------
    max_speed
        Of a ride on the straight line from its origin to its destination, km/h.
    min_gap, max_gap
        Least and longest time between two tracklets of one vehicle, seconds.
    error
        Largest error of a position, metres.
    fields
        Fields that are compared: ``battery``, ``range`` may not rise; ``heading`` and ``speed`` may
        be any, and say what is likely; all others must be equal.
    battery_tolerance, range_tolerance
        By how much they may rise all the same: a share, and metres.
    recharge_after
        Seconds between two tracklets after which battery and range may rise; None: never.
    recharge_rate
        By how much the battery rises at most in an hour of such a time, share of a full one; None:
        without limit. The range is not limited by it.

    Raises
    ------
    InputError
        A number that is negative or not one, or times in the wrong order.
    """

    max_speed: float = 25.0
    min_gap: int = 0
    max_gap: int = 2 * _HOUR
    error: float = 20.0
    fields: tuple[str, ...] = FIELDS
    battery_tolerance: float = 0.05
    range_tolerance: float = 1000.0
    recharge_after: int | None = None
    recharge_rate: float | None = None

    def __post_init__(self) -> None:
        for name in ("max_speed", "min_gap", "max_gap", "error", "battery_tolerance",
                     "range_tolerance", "recharge_after", "recharge_rate"):  # fmt: skip
            value = getattr(self, name)
            if value is not None and not (isfinite(value) and value >= 0):
                raise InputError(f"{name.replace('_', ' ')}: {value:g} is not a number from 0 on")
            if value is not None:
                check_most(value, f"{name.replace('_', ' ')}:")
        if self.max_gap < self.min_gap:
            raise InputError(
                f"the longest time between two tracklets, {self.max_gap} s, is shorter than the"
                f" least, {self.min_gap} s"
            )


@dataclass(frozen=True, eq=False)
class ComparedTracklets:
    """Tracklets, with what all their pairs need.

    Parameters
    ----------
    tracklets
        All tracklets.
    """

    tracklets: Tracklets

    @cached_property
    def points(self) -> tuple[Values, Values]:
        """(3, n) metres from the centre of the earth, of the ends and of the beginnings."""
        ends, begins = self.tracklets.ends, self.tracklets.begins
        one, other = on_sphere(ends.lat, ends.lon), on_sphere(begins.lat, begins.lon)
        return np.ascontiguousarray(one.T), np.ascontiguousarray(other.T)


@dataclass(frozen=True, eq=False)
class TrackletPairs:
    """Ends and beginnings that are tested against rules.

    Parameters
    ----------
    compared
        All tracklets.
    end, begin
        (n,) numbers of the tracklets that end, and of those that begin.
    """

    compared: ComparedTracklets
    end: Ints
    begin: Ints

    def __len__(self) -> int:
        return len(self.end)

    @property
    def tracklets(self) -> Tracklets:
        """All tracklets."""
        return self.compared.tracklets

    def those(self, chosen: Bools) -> TrackletPairs:
        """The chosen pairs."""
        return TrackletPairs(self.compared, self.end[chosen], self.begin[chosen])

    @property
    def longest(self) -> Ints:
        """(n,) longest time between the end and the beginning, seconds."""
        begins, ends = self.tracklets.begins, self.tracklets.ends
        time: Ints = begins.latest[self.begin] - ends.earliest[self.end]
        return time

    @property
    def shortest(self) -> Ints:
        """(n,) shortest time between them, seconds."""
        begins, ends = self.tracklets.begins, self.tracklets.ends
        time: Ints = np.maximum(begins.earliest[self.begin] - ends.latest[self.end], 0)
        return time

    @property
    def squared_distance(self) -> Values:
        """(n,) squares of straight lines between them, square metres; shorter than any way."""
        ends, begins = self.compared.points
        total = np.zeros(len(self))
        for axis in range(3):
            apart = ends[axis][self.end]
            apart -= begins[axis][self.begin]
            apart *= apart
            total += apart
        return total

    def of(self, name: str) -> tuple[Values, Values]:
        """(n,) values of a field at the ends and at the beginnings."""
        one, other = self.tracklets.ends.fields[name], self.tracklets.begins.fields[name]
        return one[self.end], other[self.begin]


@dataclass(frozen=True)
class LinkRule:
    """One rule.

    Parameters
    ----------
    name
        ``time``, ``speed``, or the field that it compares.
    sentence
        Says it, with its numbers.
    allows
        Which pairs it allows, (n_pairs,); values that are missing allow all.
    """

    name: str
    sentence: str
    allows: Callable[[TrackletPairs], Bools]


def rules_of(tracklets: Tracklets, rules: LinkRules) -> tuple[LinkRule, ...]:
    """The rules that apply to tracklets; those of fields that no record has do not.

    Numbers that are rounded (``tracklets.resolution``) widen their rules, so that rounding never
    removes a link.

    Raises
    ------
    InputError
        The rules compare a field that a ride changes, or that no record has and GBFS does not know.
    """
    found = [_time(rules), _speed(rules, tracklets.resolution.get("place", 0.0))]
    for name in dict.fromkeys(rules.fields):
        if name in MOTION:
            continue  # without a bound on acceleration they exclude nothing
        if name in ("station", "disabled"):
            raise InputError(
                f"a ride changes the field '{name}', so it cannot be compared",
                hint=f"compare {', '.join((*FIELDS, *SURVIVING))}",
            )
        if not (_is_known(tracklets.ends, name) and _is_known(tracklets.begins, name)):
            if name in (*FIELDS, *SURVIVING):
                continue
            hint = "read it with the feed, or leave it out"
            raise InputError(f"no record has the field '{name}'", hint=hint)
        rounded = tracklets.resolution.get(name, 0.0)
        if name == "battery":
            found.append(_battery(rules, rounded))
        elif name == "range":
            found.append(_range(rules, rounded))
        elif name == "slots" and "slots_until" in tracklets.begins.fields:
            found.append(LinkRule(name, "A vehicle keeps its later slots.", _later_slots))
        else:
            found.append(_equal(name))
    return tuple(found)


def _is_known(moments: Moments, name: str) -> bool:
    """Whether a record says the field."""
    return name in moments.fields and not bool(np.isnan(moments.fields[name]).all())


def _time(rules: LinkRules) -> LinkRule:
    least, most = rules.min_gap, rules.max_gap
    at_least = f"at least {_said(least)} and " if least else ""
    sentence = f"Between two identifiers of a vehicle are {at_least}at most {_said(most)}."

    def allows(pairs: TrackletPairs) -> Bools:
        tracklets = pairs.tracklets
        later = tracklets.first[pairs.begin] > tracklets.last[pairs.end]
        return later & (pairs.longest >= least) & (pairs.shortest <= most)

    return LinkRule("time", sentence, allows)


def _speed(rules: LinkRules, rounded: float) -> LinkRule:
    metres_per_second, error = rules.max_speed / 3.6, 2 * (rules.error + rounded)
    sentence = f"At most {rules.max_speed:g} km/h. Each position may be {error / 2:g} m wrong."

    def allows(pairs: TrackletPairs) -> Bools:
        reach = metres_per_second * pairs.longest + error
        return ~(pairs.squared_distance > reach * reach)

    return LinkRule("speed", sentence, allows)


def _battery(rules: LinkRules, rounded: float) -> LinkRule:
    tolerance = rules.battery_tolerance + 2 * rounded
    sentence = (
        f"The battery rises by at most {100 * tolerance:g} percentage points{_unless(rules)}."
    )
    return LinkRule("battery", sentence, partial(_may_rise, "battery", tolerance, rules))


def _range(rules: LinkRules, rounded: float) -> LinkRule:
    tolerance = rules.range_tolerance + 2 * rounded
    sentence = f"The range rises by at most {tolerance / 1000:g} km{_unless(rules)}."
    return LinkRule("range", sentence, partial(_may_rise, "range", tolerance, rules))


def _unless(rules: LinkRules) -> str:
    if rules.recharge_after is None:
        return ""
    return f", unless it was recharged for {_said(rules.recharge_after)} or more"


def _may_rise(name: str, tolerance: float, rules: LinkRules, pairs: TrackletPairs) -> Bools:
    """Pairs whose field does not rise, or rises where there was time to recharge."""
    before, after = pairs.of(name)
    rise, tolerance = after - before, tolerance + _ROUNDING
    allowed = ~(rise > tolerance)
    if rules.recharge_after is not None:
        longest = pairs.longest
        recharged = longest >= rules.recharge_after
        if rules.recharge_rate is not None and name == "battery":
            recharged &= ~(rise > tolerance + rules.recharge_rate * longest / _HOUR)
        allowed |= recharged
    return allowed


def _equal(name: str) -> LinkRule:
    def allows(pairs: TrackletPairs) -> Bools:
        before, after = pairs.of(name)
        return ~((before < after) | (before > after))

    return LinkRule(name, f"A vehicle keeps its {name.replace('_', ' ')}.", allows)


def _later_slots(pairs: TrackletPairs) -> Bools:
    """Pairs whose slots at the beginning are the last ones of those at the end."""
    before, after = pairs.of("slots")
    _, until = pairs.of("slots_until")
    return ~((before < after) | (before > until))


def _said(seconds: float) -> str:
    """A time in words."""
    for unit, name in ((_HOUR, "h"), (60, "min")):
        if seconds >= unit and seconds % unit == 0:
            return f"{seconds / unit:g} {name}"
    return f"{seconds:g} s"


@dataclass(frozen=True)
class RuleCheck:
    """A rule, and the true links that it excludes.

    Parameters
    ----------
    name, sentence
        Of the rule.
    excluded, of
        Number of true links that it excludes, and of all.
    low, high
        Share of links that it excludes: Wilson's 95% interval (Wilson 1927); 0 to 1 without links.
    """

    name: str
    sentence: str
    excluded: int
    of: int
    low: float
    high: float

    @property
    def sound(self) -> bool:
        """Whether it excludes none; if it does, what follows from it is not proven."""
        return not self.excluded


def true_links(tracklets: Tracklets) -> npt.NDArray[np.int64]:
    """(n_links, 2) numbers of tracklets that follow each other on one vehicle.

    Raises
    ------
    InputError
        The truth is not known, or a vehicle has two identifiers at one time.
    """
    if tracklets.truth is None:
        raise InputError("the data do not say which vehicle an identifier is of")
    order = np.lexsort((tracklets.first, tracklets.truth))
    vehicle = tracklets.truth[order]
    follow = np.flatnonzero(vehicle[1:] == vehicle[:-1])
    links: npt.NDArray[np.int64] = np.stack([order[follow], order[follow + 1]], axis=1)
    at_once = tracklets.last[links[:, 0]] >= tracklets.first[links[:, 1]]
    if at_once.any():
        one, other = links[int(at_once.argmax())]
        raise InputError(
            f"identifiers '{tracklets.ids[one]}' and '{tracklets.ids[other]}' are of one vehicle"
            " and published at the same time",
            hint="is the truth the name of a vehicle?",
        )
    return links


def check_rules(tracklets: Tracklets, rules: LinkRules) -> tuple[RuleCheck, ...]:
    """Count the true links that each rule excludes.

    Raises
    ------
    InputError
        As :func:`true_links`.
    """
    from scipy import stats

    links = true_links(tracklets)
    pairs = TrackletPairs(ComparedTracklets(tracklets), links[:, 0], links[:, 1])
    found = []
    for rule in rules_of(tracklets, rules):
        excluded, low, high = int(np.count_nonzero(~rule.allows(pairs))), 0.0, 1.0
        if len(pairs):
            interval = stats.binomtest(excluded, len(pairs)).proportion_ci(method="wilson")
            low, high = float(interval.low), float(interval.high)
        found.append(RuleCheck(rule.name, rule.sentence, excluded, len(pairs), low, high))
    return tuple(found)
