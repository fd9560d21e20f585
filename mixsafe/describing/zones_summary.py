"""The mix zones of a source in numbers, and what they say: how many, and how large they are."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mixsafe.describing.followed_zones import FollowedReport
from mixsafe.documents.document import Axis, Chart, Document, Fact, Panel, Series
from mixsafe.model.answer.wording import count, plural
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.mobility.traces import Positions
from mixsafe.model.question.mix_zones import MixZones


@dataclass(frozen=True, eq=False)
class ZonesSummary:
    """Numbers of mix zones, and of people who are in some.

    Parameters
    ----------
    users, steps
        Number of users and of time steps.
    positions
        Number of (user, step) with a place; None where only the zones are known.
    zones, memberships
        Number of mix zones, and of their members together.
    size, zones_of_size
        (n_sizes,) each: the sizes that occur, ascending, and how many zones have them.
    period
        The first and the last step, and their time zone.
    never_meet, absent
        Number of users who are in no mix zone, and of those among them of whom there are no data.
    places
        Number of different places that have a zone; None where places are not known.
    notes
        What was merged or dropped on the way, with counts.
    premises
        Rows that are no data, and people who may be one.
    """

    users: int
    steps: int
    period: str
    positions: int | None
    zones: int
    memberships: int
    size: npt.NDArray[np.int64]
    zones_of_size: npt.NDArray[np.int64]
    never_meet: int
    absent: int
    places: int | None
    notes: tuple[str, ...]
    premises: Premises = field(default_factory=Premises)

    @classmethod
    def of(cls, zones: MixZones, positions: Positions | None = None) -> ZonesSummary:
        """Summarize zones, and their positions if known."""
        size, zones_of_size = np.unique(zones.sizes, return_counts=True)
        absent = len(zones.absent)
        return cls(
            users=zones.n_users,
            steps=zones.axis.steps,
            period=zones.axis.period,
            positions=None if positions is None else len(positions.row),
            zones=len(zones),
            memberships=len(zones.members),
            size=size,
            zones_of_size=zones_of_size.astype(np.int64),
            never_meet=len(zones.alone) + absent,
            absent=absent,
            places=None if zones.place is None else len(np.unique(zones.place)),
            notes=zones.notes,
            premises=zones.premises,
        )

    def to_dict(self) -> dict[str, object]:
        """The summary as plain values, for JSON."""
        sizes = zip(self.size.tolist(), self.zones_of_size.tolist(), strict=True)
        return {
            "users": self.users,
            "steps": self.steps,
            "positions": self.positions,
            "zones": self.zones,
            "memberships": self.memberships,
            "sizes": {str(size): count for size, count in sizes},
            "users_who_never_meet": self.never_meet,
            "users_without_data": self.absent,
            "places": self.places,
            "notes": list(self.notes),
            **self.premises.to_dict(),
        }


def zones_document(
    summary: ZonesSummary,
    source: Path,
    written: Mapping[str, Path],
    followed: FollowedReport | None = None,
    *,
    pages: bool = True,
) -> Document:
    """The document of mix zones.

    Parameters
    ----------
    written
        Files of maps and graphs, by what they hold.
    followed
        Whom somebody would follow through the zones; None: it was not asked.
    pages
        With the parts that only pages show.
    """
    found = "no mix zone"
    if summary.zones:
        members = plural(summary.memberships, "membership", "memberships")
        found = f"{plural(summary.zones, 'mix zone', 'mix zones')} with {members}"
    return Document(
        title=f"Mix zones of {source.name}",
        word="Found" if summary.zones else "None",
        tone="plain",
        sentence=f"{source.name} has {found}.{'' if followed is None else followed.sentence}",
        meaning=(
            "A mix zone is a time step in which several people are in one place. Pseudonyms can be"
            " exchanged there, so that nobody sees who continues as whom."
        ),
        facts=(*_facts(summary, source), *(Fact(what, str(at)) for what, at in written.items())),
        parts=(
            *(followed.parts(pages=pages) if followed is not None else ()),
            *((_sizes_chart(summary),) if pages and summary.zones else ()),
        ),
        next_steps=(f"mixsafe verify {shlex.quote(str(source))} --k 3",) if summary.zones else (),
        limits=("Whom exchanges in these zones protect is not decided: 'mixsafe verify' does.",),
    )


def _facts(summary: ZonesSummary, source: Path) -> Iterator[Fact]:
    absent = f" ({count(summary.absent)} of them without data)" if summary.absent else ""
    yield Fact("Source", source.name)
    yield Fact(
        "Users",
        f"{count(summary.users)}, of whom {count(summary.never_meet)} never meet anyone{absent}",
    )
    yield Fact("Steps", f"{count(summary.steps)} ({summary.period})")
    if summary.positions is not None:
        yield Fact("Positions", summary.positions, "count")
    if summary.places is not None:
        yield Fact("Places", summary.places, "count")
    yield Fact("Sizes", _sizes(summary))


def _sizes(summary: ZonesSummary) -> str:
    """Number of zones by number of members, large ones grouped."""
    if not summary.zones:
        return "-"
    pairs = list(zip(summary.size.tolist(), summary.zones_of_size.tolist(), strict=True))
    said = [f"{count(zones)} of {count(size)}" for size, zones in pairs[:5]]
    if len(pairs) > 5:
        rest = sum(zones for _, zones in pairs[5:])
        said.append(f"{count(rest)} of {count(pairs[5][0])} to {count(pairs[-1][0])}")
    return f"{', '.join(said)} users"


def _sizes_chart(summary: ZonesSummary) -> Chart:
    """Numbers of zones by their number of members."""
    zones, size = summary.zones_of_size.tolist(), summary.size.tolist()
    panel = Panel(
        (Series("", "safe", zones, size, "dots", size=5),),
        Axis("people in the mix zone", log=size[-1] > 20, ticks=size if size[-1] <= 20 else ()),
        Axis("mix zones", log=max(zones) > 20),
    )
    return Chart("Sizes", "sizes", "How many mix zones have so many people.", (panel,))
