"""What a feed says: its tracklets, and what catches the eye about its identifiers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from mixsafe.model.mobility.premises import Premises
from mixsafe.model.tracklets.tracklets import Tracklets

COMPARED = ("type", "battery", "range")
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
    """

    tracklets: Tracklets
    findings: tuple[FeedFinding, ...]
    notes: tuple[str, ...]
    snapshots: int
    vehicles: tuple[str, ...] = ()
    premises: Premises = field(default_factory=Premises)
    tz: str = "UTC"

    def __repr__(self) -> str:
        return f"<Feed: {len(self.tracklets):,} tracklets in {self.snapshots:,} snapshots>"
