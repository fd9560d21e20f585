"""What the feed of a fleet of shared vehicles says, and when: reports, polled at regular times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class VehicleType:
    """A type of vehicles.

    Parameters
    ----------
    name
        Also its identifier.
    form_factor, propulsion
        In the words of GBFS.
    max_range
        Metres with a full battery; None: it has none.
    """

    name: str
    form_factor: str
    propulsion: str
    max_range: int | None


@dataclass(frozen=True, eq=False)
class FleetReports:
    """What is said of each vehicle until the next report, or until it leaves the feed.

    Parameters
    ----------
    vehicle
        (n,) int64, which it truly is, from 0.
    identifier
        (n,) int64, number of its published identifier.
    since, until
        (n,) Unix seconds from which and before which the feed says this. The reports of a vehicle
        do not overlap.
    lat, lon
        (n,) degrees.
    reserved, disabled
        (n,) whether somebody is on the way to it, or it needs a battery.
    kind
        (n,) number of its type.
    battery
        (n,) share of a full one, 0 to 1; not a number without a battery.
    last_reported
        (n,) Unix seconds of the time stamp that is published.

    Raises
    ------
    InputError
        Arrays of different lengths, or a report that ends before it begins.
    """

    vehicle: Ints
    identifier: Ints
    since: Ints
    until: Ints
    lat: Floats
    lon: Floats
    reserved: Bools
    disabled: Bools
    kind: Ints
    battery: Floats
    last_reported: Ints

    def __post_init__(self) -> None:
        if len({len(column) for column in vars(self).values()}) > 1:
            raise InputError("the columns of a fleet's reports have different lengths")
        if np.any(self.until < self.since):
            raise InputError("a report of a vehicle ends before it begins")

    def __len__(self) -> int:
        return len(self.vehicle)

    def take(self, rows: Ints) -> FleetReports:
        """Some of the reports, in the order given."""
        return FleetReports(**{name: column[rows] for name, column in vars(self).items()})


@dataclass(frozen=True, eq=False)
class FleetFeed:
    """A feed that is polled at regular times.

    Parameters
    ----------
    reports
        In order of ``since``.
    types
        Of vehicles.
    first, poll, n_polls
        Unix seconds of the first poll, seconds between two, and their number.
    key
        Seed of the published identifiers, 0 to 2^64 - 1.
    rotates_each_poll
        Whether all identifiers are new in each snapshot.
    keeps_uri
        Whether ``rental_uris`` name the vehicle, and not its identifier.
    """

    reports: FleetReports
    types: tuple[VehicleType, ...]
    first: int
    poll: int
    n_polls: int
    key: int
    rotates_each_poll: bool = False
    keeps_uri: bool = False

    @property
    def n_vehicles(self) -> int:
        """Number of vehicles that were ever in the fleet."""
        return int(self.reports.vehicle.max(initial=-1)) + 1

    @property
    def shown(self) -> tuple[Ints, Ints]:
        """(n,) each: numbers of the first poll that shows a report, and of the first after it.

        Equal where no poll shows it.
        """
        since = -((self.first - self.reports.since) // self.poll)
        until = -((self.first - self.reports.until) // self.poll)
        return np.clip(since, 0, self.n_polls), np.clip(until, 0, self.n_polls)

    def names(self, numbers: Ints) -> list[str]:
        """Published identifiers of numbers >= 0: 16 hexadecimal digits, different for each.

        Mixed by the finalizer of SplitMix64 (Steele, Lea and Flood 2014), which is one to one.
        """
        mixed = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed += np.uint64(self.key)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        digits = (mixed ^ (mixed >> np.uint64(31))).astype(">u8").tobytes().hex()
        return [digits[at : at + 16] for at in range(0, len(digits), 16)]
