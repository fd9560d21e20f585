"""A fleet of shared scooters and bicycles with known truth, and the feed that it publishes.

Identifiers follow a rule of rotation, as GBFS asks for since version 2.0: "MUST be rotated to a
random string after each trip". The truth is known, so that whoever claims to follow vehicles
through a feed, or that nobody can, can be tested.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.exchange.rotation import Schedule
from mixsafe.model.csr import ranges
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.numerals import check_most
from mixsafe.model.tracklets import FleetFeed, FleetReports, VehicleType
from mixsafe.synthesize.least import check_least
from mixsafe.synthesize.scenarios.cabs import degrees
from mixsafe.synthesize.sharing.jobs import (
    SECONDS_PER_DAY,
    Town,
    in_order,
    retirements,
    rides,
    vans,
    wishes,
)
from mixsafe.synthesize.sharing.stays import DISABLED, RESERVED, Abilities, Fleet, Stays, stays

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FIRST_SECOND = 1_767_571_200
"""When the data begin: Monday 2026-01-05T00:00:00Z, Unix seconds."""

TYPES = (
    VehicleType("scooter", "scooter_standing", "electric", 35_000),
    VehicleType("ebike", "bicycle", "electric_assist", 60_000),
    VehicleType("bike", "bicycle", "human", None),
)

_MOST_DAYS, _MOST_AREA, _MOST_RIDES = 3660, 1e6, 1000.0
"""Largest values: ten years, a large country, a ride every minute and a half."""

_SHARES = (0.65, 0.25, 0.10)
_SPEEDS = (3.6, 4.2, 3.4)
_FASTEST = (5.6, 6.7, 5.8)
"""Shares of the fleet, and metres a second: usually, and at most (20, 24 and 21 km/h)."""

HEARTBEAT = 1800
"""Seconds from a report of a parked vehicle to its next one."""

JITTER, MOST_JITTER = 2.5, 8.0
"""Error of a report's place along either axis, metres: standard deviation, and at most."""

KEPT = ("uri", "last_reported")
"""Fields that may survive a rotation."""


@dataclass(frozen=True)
class FleetSettings:
    """A fleet, its town and its feed.

    Parameters
    ----------
    vehicles
        Number at any time, >= 1.
    days
        >= 1; the first is a Monday.
    area
        km²; None: 40 vehicles to each.
    rides
        Wanted per vehicle and day, in the mean, > 0. Of some, nobody finds a vehicle.
    poll
        Seconds between snapshots, 1 to a day.
    rotate
        When identifiers change: ``trip`` (whenever a vehicle comes back into the feed), ``never``,
        ``poll`` (in every snapshot), or a schedule, as ``every:30min`` or ``daily@04:00``.
    keep
        Fields that survive a rotation, of ``uri`` (``rental_uris`` name the vehicle) and
        ``last_reported`` (the time of a check at night, instead of that of the last report).
    depot
        Whether empty vehicles are charged in a depot overnight, and come back elsewhere.
    turnover
        Share of the fleet that leaves on a day and is replaced by others, >= 0.

    Raises
    ------
    InputError
        A number out of its range, or an unknown field or rule.
    """

    vehicles: int = 500
    days: int = 7
    area: float | None = None
    rides: float = 4.0
    poll: int = 300
    rotate: str = "trip"
    keep: tuple[str, ...] = ()
    depot: bool = False
    turnover: float = 0.005

    def __post_init__(self) -> None:
        check_least(vehicles=self.vehicles, days=self.days)
        check_most(self.days, "days:", _MOST_DAYS)
        if not 1 <= self.poll <= SECONDS_PER_DAY:
            raise InputError(f"a poll every {self.poll} seconds", hint="use 1 s to 24 h")
        for what, number in (("area", self.area), ("rides", self.rides)):
            if number is not None and not 0 < number < np.inf:
                raise InputError(f"{what}: {number} is not a number above 0")
        check_most(self.area or 0, "area, km²:", _MOST_AREA)
        check_most(self.rides, "rides per vehicle and day:", _MOST_RIDES)
        if not 0 <= self.turnover <= 1:
            raise InputError(f"turnover: {self.turnover} is no share", hint="use 0 to 1")
        for one in self.keep:
            if one not in KEPT:
                raise InputError(f"unknown field '{one}'", hint=f"use {' or '.join(KEPT)}")
        self.changes  # noqa: B018 -- refuses what is no schedule

    @property
    def changes(self) -> Ints:
        """Unix seconds at which all identifiers change by a schedule; none without one."""
        if self.rotate in ("trip", "never", "poll"):
            return np.zeros(0, np.int64)
        minutes = TimeAxis(self.days * 1440, FIRST_SECOND, 60)
        try:
            steps = Schedule.parse(self.rotate).steps(minutes)
        except InputError as error:
            hint = "use trip, never, poll, or a schedule as every:30min or daily@04:00"
            raise InputError(error.message, hint=hint) from None
        return FIRST_SECOND + (steps - 1) * 60


def shared_fleet(settings: FleetSettings, *, seed: int = 0) -> FleetFeed:
    """A fleet, from demand to feed; the same for the same seed.

    Parameters
    ----------
    seed
        Of all chance, >= 0.
    """
    random = np.random.default_rng(seed)
    town = Town.of(settings.area or settings.vehicles / 40, random)
    kind = random.choice(len(TYPES), settings.vehicles, p=_SHARES)
    battery = np.where(_ranges()[kind] < np.inf, 0.2 + 0.8 * random.random(len(kind)), 1.0)
    central = random.random(len(kind)) < 0.5
    near, far = town.near_centres(len(kind), random), town.anywhere(len(kind), random)
    fleet = Fleet(np.where(central, near, far), battery, kind)
    days, size = settings.days, settings.vehicles
    jobs = in_order(
        rides(town, wishes(town, settings.rides * size, days, random), random),
        vans(town, 0.08 * size, days, random),
        retirements(town, settings.turnover * size, days, random),
    )
    abilities = Abilities(np.array(_SPEEDS), np.array(_FASTEST), _ranges())
    found = stays(jobs, fleet, abilities, days * SECONDS_PER_DAY, depot=settings.depot)
    reports = _cut(_reports(found, "last_reported" in settings.keep, random), settings.changes)
    order = np.lexsort((reports.vehicle, reports.since))
    return FleetFeed(
        reports=_identified(reports, settings).take(order),
        types=TYPES,
        first=FIRST_SECOND,
        poll=settings.poll,
        n_polls=-(-days * SECONDS_PER_DAY // settings.poll),
        key=int(random.integers(1 << 63)),
        rotates_each_poll=settings.rotate == "poll",
        keeps_uri="uri" in settings.keep,
    )


def _ranges() -> Floats:
    """Metres that types go with a full battery; infinite without one."""
    return np.array([np.inf if one.max_range is None else one.max_range for one in TYPES])


def _reports(found: Stays, nightly: bool, random: np.random.Generator) -> FleetReports:
    """What vehicles report while they stand: at once, and at every heartbeat.

    Identifiers are, for now, the numbers of appearances.

    Parameters
    ----------
    nightly
        Whether the published time is that of a check at night.
    """
    beats = -((found.since - found.until) // HEARTBEAT)
    stay = np.repeat(np.arange(len(found.vehicle)), beats)
    beat = ranges(np.zeros(len(beats), np.int64), beats)
    since = found.since[stay] + beat * HEARTBEAT
    error = np.clip(random.normal(0, JITTER, (2, len(stay))), -MOST_JITTER, MOST_JITTER)
    lat, lon = degrees(found.place[:, stay] + error, 6)  # 0.1 m
    vehicle, kind = found.vehicle[stay], found.kind[stay]
    checks = _checks(vehicle, since, random)
    return FleetReports(
        vehicle=vehicle,
        identifier=found.appearance[stay],
        since=FIRST_SECOND + since,
        until=FIRST_SECOND + np.minimum(since + HEARTBEAT, found.until[stay]),
        lat=lat,
        lon=lon,
        reserved=found.state[stay] == RESERVED,
        disabled=found.state[stay] == DISABLED,
        kind=kind,
        battery=np.where(_ranges()[kind] < np.inf, found.battery[stay], np.nan),
        last_reported=FIRST_SECOND + (checks if nightly else since),
    )


def _checks(vehicle: Ints, since: Ints, random: np.random.Generator) -> Ints:
    """Seconds of the last check before each report: one a night, between 3:00 and 4:00."""
    days = int(since.max(initial=0)) // SECONDS_PER_DAY + 2
    second = 3 * 3600 + random.integers(3600, size=(int(vehicle.max(initial=0)) + 1, days))
    day = since // SECONDS_PER_DAY + 1
    day -= (day - 1) * SECONDS_PER_DAY + second[vehicle, day] > since
    checks: Ints = (day - 1) * SECONDS_PER_DAY + second[vehicle, day]
    return checks


def _cut(reports: FleetReports, moments: Ints) -> FleetReports:
    """The same reports, those that last over a moment repeated from then on."""
    first = np.searchsorted(moments, reports.since, "right")
    further = np.searchsorted(moments, reports.until, "left") - first
    row = np.repeat(np.arange(len(reports)), further + 1)
    part = ranges(np.zeros(len(further), np.int64), further + 1)
    edges = np.concatenate([moments, [0]])
    columns = vars(reports.take(row))
    since = np.where(part == 0, columns["since"], edges[first[row] + part - 1])
    last = part == further[row]
    until = np.where(last, columns["until"], edges[np.where(last, -1, first[row] + part)])
    return FleetReports(**{**columns, "since": since, "until": until})


def _identified(reports: FleetReports, settings: FleetSettings) -> FleetReports:
    """The reports, with the identifiers of the rule."""
    if settings.rotate == "trip":
        return reports
    identifier = reports.vehicle
    if len(settings.changes):
        epoch = np.searchsorted(settings.changes, reports.since, "right")
        identifier = identifier + (int(identifier.max(initial=0)) + 1) * epoch
    return FleetReports(**{**vars(reports), "identifier": identifier})
