"""Tracklets: published identifiers, each with a first and a last record; their links, their feed.

Links say which tracklets may be continued by which, and an adversary concludes from them; a
certificate proves what. A feed has tracklets, and what catches the eye about its identifiers. The
feed of a fleet of shared vehicles says when and where vehicles reported, polled at regular times.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.csr import pointers
from mixsafe.model.mobility.premises import Premises

Values = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Times = Ints | Values
"""Unix seconds; with their parts where records have them."""


@dataclass(frozen=True, eq=False)
class Moments:
    """When, where and with which values tracklets begin, or when, where and how they end.

    Snapshots say only that something happened between two of them. An end is after the last
    snapshot with the identifier (``earliest``) and at or before the next one (``latest``); a
    beginning is after the last snapshot without it and at or before the first one with it.

    Parameters
    ----------
    earliest, latest
        (n,) Unix seconds between which the tracklet begins or ends; equal where the time is known.
    lat, lon
        (n,) degrees of the record next to it; not a number where the data do not say the place.
    cut
        (n,) whether the data begin with the tracklet, or end with it: it is not known whether and
        when it begins or ends.
    fields
        Values of the record, (n,) each, not a number where there is none: ``range`` (metres that
        the vehicle can go), ``battery`` (share of a full one, 0 to 1), ``last_reported`` (Unix
        seconds), ``disabled`` (1 or 0), ``heading`` (degrees clockwise from north, 0 to 360),
        ``speed`` (m/s), ``fraction`` (part of a second that the record is later than the second
        that it is in); numbers of equal values: ``type``, ``station``, ``uri`` and
        others; and ``slots``: what is left of slots has the number ``slots``, and all that it may
        be left of have numbers from there to ``slots_until``.

    Raises
    ------
    InputError
        Arrays of different lengths, or ``latest`` before ``earliest``.
    """

    earliest: Ints
    latest: Ints
    lat: Values
    lon: Values
    cut: npt.NDArray[np.bool_]
    fields: Mapping[str, Values] = field(default_factory=dict)

    def __post_init__(self) -> None:
        arrays = (self.latest, self.lat, self.lon, self.cut, *self.fields.values())
        if any(len(array) != len(self.earliest) for array in arrays):
            raise InputError("the columns of tracklets have different lengths")
        if np.any(self.latest < self.earliest):
            raise InputError("a tracklet begins or ends in an interval of negative length")

    def __len__(self) -> int:
        return len(self.earliest)

    @property
    def placed(self) -> npt.NDArray[np.bool_]:
        """(n,) whether the place is known; all others are nowhere in particular."""
        found: npt.NDArray[np.bool_] = np.isfinite(self.lat) & np.isfinite(self.lon)
        return found


@dataclass(frozen=True, eq=False)
class Tracklets:
    """Published identifiers, each from its first record to its last one.

    Parameters
    ----------
    ids
        (n,) str, the identifiers as published, each once.
    begins, ends
        Of each tracklet.
    horizon
        Unix seconds of the first and the last snapshot or record of the data.
    truth
        (n,) number of the vehicle that each tracklet is of, where the data say it (for tests);
        None: unknown, as to an adversary.
    order
        (n,) times of the first records and of the last ones, with parts of seconds where records
        have them, where ``begins`` and ``ends`` are coarser than the order in which identifiers
        appear and vanish; None: they are not.
    resolution
        By how much values may differ from the true ones because they are rounded: ``place``
        (metres), ``range`` (metres), ``battery`` (share), ``heading`` (degrees), ``speed`` (m/s).

    Raises
    ------
    InputError
        Arrays of different lengths.
    """

    ids: npt.NDArray[np.str_]
    begins: Moments
    ends: Moments
    horizon: tuple[int, int]
    truth: Ints | None = None
    order: tuple[Times, Times] | None = None
    resolution: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        arrays = (self.begins, self.ends, *(self.order or ()))
        arrays = (*arrays, *(() if self.truth is None else (self.truth,)))
        if any(len(array) != len(self.ids) for array in arrays):
            raise InputError("the columns of tracklets have different lengths")

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def first(self) -> Times:
        """(n,) times of the first records."""
        return self.begins.latest if self.order is None else self.order[0]

    @property
    def last(self) -> Times:
        """(n,) times of the last records."""
        return self.ends.earliest if self.order is None else self.order[1]

    def __repr__(self) -> str:
        return f"<Tracklets: {len(self):,}>"


Bools = npt.NDArray[np.bool_]


def _none() -> Ints:
    return np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class LinkProblem:
    """Tracklets, and the links between them: the one may continue as the other.

    A *history* is a set of links, at most one from each tracklet and at most one to each, that
    covers every tracklet that must continue and every one that must have come.

    Parameters
    ----------
    first, last
        (n,) times of the first and the last record of each tracklet, int64, or float64 where
        records have parts of seconds.
    ptr, to
        Tracklet i may continue as ``to[ptr[i]:ptr[i + 1]]``, (n + 1,) int64 and (n_links,) int32,
        in ascending order.
    must_continue
        (n,) tracklets that another one continues.
    must_come
        (n,) tracklets that continue another one.
    same
        (n_same, 2) int32, pairs of tracklets that are of one vehicle, as an adversary knows.
    name
        Of the problem.

    Raises
    ------
    InputError
        A tracklet that ends before it begins, or a link that does not go forward in time
        (``last[i] < first[j]``).
    """

    first: Times
    last: Times
    ptr: npt.NDArray[np.int64]
    to: npt.NDArray[np.int32]
    must_continue: Bools
    must_come: Bools
    same: npt.NDArray[np.int32]
    name: str = "links"

    def __repr__(self) -> str:
        return f"<LinkProblem {self.name}: {len(self):,} tracklets, {self.n_links:,} links>"

    def __post_init__(self) -> None:
        if np.any(self.last < self.first):
            at = int(np.argmax(self.last < self.first))
            raise InputError(f"tracklet {at} ends before it begins")
        backwards = np.repeat(self.last, np.diff(self.ptr)) >= self.first[self.to]
        if np.any(backwards):
            link = int(np.argmax(backwards))
            one, other = int(np.searchsorted(self.ptr, link, "right")) - 1, int(self.to[link])
            raise InputError(
                f"the link from tracklet {one} to {other} goes backwards in time: {one} ends at "
                f"{self.last[one]}, {other} begins at {self.first[other]}"
            )

    def __len__(self) -> int:
        return len(self.first)

    @property
    def n_links(self) -> int:
        """Number of links."""
        return len(self.to)

    @property
    def owner(self) -> npt.NDArray[np.int32]:
        """(n_links,) the tracklet from which each link leads."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.ptr))

    @property
    def is_open(self) -> bool:
        """Whether no link must be in a history, so that each set of links that fit is one."""
        return not (len(self.same) or self.must_continue.any() or self.must_come.any())

    def there(self, time: int) -> Bools:
        """(n,) whether each tracklet has records before and after a time, or one then."""
        return (self.first <= time) & (time <= self.last)

    def leaves(self, links: Bools, may_end: Bools, time: int) -> Bools:
        """(n,) whether a chain may leave each tracklet before a time, and not be back.

        Parameters
        ----------
        links
            (n_links,) the links that are possible.
        may_end
            (n,) tracklets that nothing need continue.
        time
            The time.
        """
        jumps = np.bincount(self.owner[links & (self.first[self.to] > time)], minlength=len(self))
        return (self.last < time) & (may_end | (jumps > 0))

    def ends_of(self, links: Bools) -> tuple[Bools, Bools]:
        """(n,) each: tracklets from which one of the links leads, and those to which one does."""
        sides = np.zeros((2, len(self)), bool)
        sides[0, self.owner[links]] = sides[1, self.to[links]] = True
        return sides[0], sides[1]

    def fit_beside(self, links: Bools) -> Bools:
        """(n_links,) links that neither leave nor reach a tracklet that one of ``links`` does."""
        ends, begins = self.ends_of(links)
        fit: Bools = ~(ends[self.owner] | begins[self.to])
        return fit

    def beside(self, links: Bools, kept: Bools) -> LinkProblem:
        """What is left to be covered, by the links ``kept``, once others are in a history."""
        ends, begins = self.ends_of(links)
        return self.restricted(kept, self.must_continue & ~ends, self.must_come & ~begins)

    def restricted(self, keep: Bools, must_continue: Bools, must_come: Bools) -> LinkProblem:
        """The problem with some of the links, and other tracklets that must be covered."""
        size = np.bincount(self.owner[keep], minlength=len(self))
        return replace(
            self,
            ptr=pointers(size),
            to=self.to[keep],
            must_continue=must_continue,
            must_come=must_come,
        )


@dataclass(frozen=True, eq=False)
class Contradiction:
    """Why there is no history: what cannot hold together. No part of it shows it.

    Parameters
    ----------
    ends
        Tracklets that must continue: too few begin that they could continue as, if this is all.
    begins
        Tracklets that must have come: too few end that could continue as them, if this is all.
    pairs
        Numbers of the pairs of ``same``.
    """

    ends: Ints = field(default_factory=_none)
    begins: Ints = field(default_factory=_none)
    pairs: Ints = field(default_factory=_none)

    def __len__(self) -> int:
        return len(self.ends) + len(self.begins) + len(self.pairs)


@dataclass(frozen=True, eq=False)
class LinkBounds:
    """Which links are in some history, as far as it is known.

    Parameters
    ----------
    proven
        (n_links,) links that are in a history.
    possible
        (n_links,) links that no proof excludes; equal to ``proven`` where all is decided.
    may_end, may_begin
        (n,) whether, in some history, nothing continues the tracklet, or it continues nothing.
    may_end_possible, may_begin_possible
        (n,) whether no proof excludes that.
    contradiction
        Why there is no history; None: there is one, or it is not known. Nothing is possible then.
    """

    proven: Bools
    possible: Bools
    may_end: Bools
    may_begin: Bools
    may_end_possible: Bools
    may_begin_possible: Bools
    contradiction: Contradiction | None = None

    @classmethod
    def exact(cls, links: Bools, may_end: Bools, may_begin: Bools) -> LinkBounds:
        """Bounds where all is decided."""
        return cls(links, links, may_end, may_begin, may_end, may_begin)

    @classmethod
    def impossible(cls, problem: LinkProblem, contradiction: Contradiction) -> LinkBounds:
        """Bounds where there is no history."""
        tracklets = np.zeros(len(problem), bool)
        nothing = cls.exact(np.zeros(problem.n_links, bool), tracklets, tracklets)
        return replace(nothing, contradiction=contradiction)

    @property
    def decided(self) -> bool:
        """True if nothing is open."""
        pairs = (
            (self.proven, self.possible),
            (self.may_end, self.may_end_possible),
            (self.may_begin, self.may_begin_possible),
        )
        return all(np.array_equal(proven, possible) for proven, possible in pairs)


@dataclass(frozen=True, eq=False)
class ChainBounds:
    """Which tracklets may be of the vehicle of one tracklet at a later time.

    Parameters
    ----------
    tracklet, time
        The question.
    proven
        Tracklets, ascending, that are there at that time and on its chain in some history.
    possible
        Those that no proof excludes.
    may_be_none, may_be_none_possible
        Whether, in some history, no tracklet of the chain is there at that time; whether no proof
        excludes that.
    """

    tracklet: int
    time: int
    proven: Ints
    possible: Ints
    may_be_none: bool
    may_be_none_possible: bool

    @property
    def decided(self) -> bool:
        """True if nothing is open."""
        return len(self.proven) == len(self.possible) and (
            self.may_be_none == self.may_be_none_possible
        )


@dataclass(frozen=True, eq=False)
class ChainCounts:
    """How many tracklets may be of the vehicle of each tracklet at one time.

    Parameters
    ----------
    time
        The time.
    asked
        (n,) tracklets that ended before it; the other numbers are about these only.
    lower, upper
        (n,) int64 bounds of the number of tracklets that are there then and may be of the vehicle;
        that none is there is not counted.
    may_be_none, may_be_none_possible
        (n,) whether, in some history, none is; whether no proof excludes that.
    """

    time: int
    asked: Bools
    lower: Ints
    upper: Ints
    may_be_none: Bools
    may_be_none_possible: Bools


Nodes = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class LinkProof:
    """One history, and why others have further links and no more.

    Cycles of the exchange graph lead from the history to the others. Its nodes are ends (0 to
    n - 1), beginnings (n to 2 n - 1) and the closing node, 2 n.

    Parameters
    ----------
    after
        (n,) the history: what continues each tracklet, or -1.
    label
        (2 n + 1,) numbers that no arc leads up to: what leads down is on no cycle.
    from_root
        (2 n + 1,) node from which an arc leads to each one, on a path from a root; the root itself
        at roots. Nodes with one root, there and back, are on cycles with each other.
    to_root
        (2 n + 1,) node to which an arc leads from each one, on a path to the same root.
    """

    after: Nodes
    label: Nodes
    from_root: Nodes
    to_root: Nodes


@dataclass(frozen=True, eq=False)
class LinkCertificate:
    """A problem, what is claimed of it, and a proof.

    Parameters
    ----------
    problem
        The tracklets and links.
    bounds
        What is claimed. A contradiction is its own proof.
    proof
        The proof; None: of a contradiction, or where no history is known.
    """

    problem: LinkProblem
    bounds: LinkBounds
    proof: LinkProof | None


MOTION = ("heading", "speed")
"""Fields of vehicles that move when they change their identifier: they bound nothing, but tell what
is likely."""

COMPARED = ("type", "battery", "range", *MOTION)
"""Fields that an adversary compares unless told otherwise: those of one vehicle agree."""

Kind = Literal["kept", "each poll", "token", "time stamp", "field", "slots", "order", "reused"]


@dataclass(frozen=True)
class FeedFinding:
    """Something about the identifiers of a feed that needs no search.

    Parameters
    ----------
    kind
        ``kept``: identifiers that do not change; ``each poll``: they change although nothing moves;
        ``token``, ``time stamp``, ``field``, ``slots``, ``order``: a part of their rental URIs, the
        time of a report, another value, time slots or the place in the list survive the change;
        ``reused``: identifiers return.
    sentence
        Says it, with its numbers and an example.
    count, of
        Number of identifiers it applies to, and of those looked at.
    example
        Identifiers of the first case: one, or two that follow each other.
    advice
        What to do; empty: nothing.
    """

    kind: Kind
    sentence: str
    count: int
    of: int
    example: tuple[str, ...] = ()
    advice: str = ""


class FeedGaps(NamedTuple):
    """Where a feed has no snapshots for much longer than usual.

    Parameters
    ----------
    number
        Of gaps.
    longest, usual
        Seconds of the longest one, and those between two snapshots usually.
    share
        Of the time of the feed that is in gaps.
    """

    number: int
    longest: int
    share: float
    usual: int


@dataclass(frozen=True)
class Feed:
    """The tracklets of a feed.

    Parameters
    ----------
    tracklets
        In the order of their first records.
    findings
        About its identifiers.
    notes
        Assumptions made while reading.
    snapshots
        Number of snapshots, or of different times of a table.
    vehicles
        Names of the vehicles that ``tracklets.truth`` numbers; empty: unknown.
    premises
        Records that were not used, and identifiers without a position, which are nowhere in
        particular.
    tz
        Time zone of the feed.
    gaps
        Where snapshots are missing; None: nowhere.
    """

    tracklets: Tracklets
    findings: tuple[FeedFinding, ...]
    notes: tuple[str, ...]
    snapshots: int
    vehicles: tuple[str, ...] = ()
    premises: Premises = field(default_factory=Premises)
    tz: str = "UTC"
    gaps: FeedGaps | None = None

    def __repr__(self) -> str:
        return f"<Feed: {len(self.tracklets):,} tracklets in {self.snapshots:,} snapshots>"


Floats = npt.NDArray[np.float64]


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
