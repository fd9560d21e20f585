"""What a file was read as, and what it suggests: plain records."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from mixsafe.model.mobility.premises import Premises

What = Literal["traces", "zones", "problems", "feed", "links"]


@dataclass(frozen=True)
class Dialect:
    """How a text writes its table.

    Parameters
    ----------
    encoding
        Name of its encoding.
    separator
        What stands between cells.
    decimal
        Decimal mark of its numbers.
    header
        Whether a line names the columns.
    lines_before
        Number of lines before the table.
    """

    encoding: str
    separator: str
    decimal: str
    header: bool
    lines_before: int


@dataclass(frozen=True)
class Source:
    """What the source was recognized as.

    Parameters
    ----------
    name
        Name of the file; of several, with their number.
    what
        What it holds.
    format, about
        Name of its format, and what that is.
    dialect
        How the text of a table is written; None: it is no text, or its format says it.
    taken
        Columns that are read, by meaning, or by their names where the format fixes them.
    left
        Columns that are not read.
    """

    name: str
    what: What
    format: str
    about: str
    dialect: Dialect | None = None
    taken: dict[str, str] = field(default_factory=dict)
    left: tuple[str, ...] = ()


@dataclass(frozen=True)
class Refused:
    """Something that the other commands refuse.

    Parameters
    ----------
    message
        What they say: the place at fault, and the options that settle it.
    taken_as
        Options with which the description was made nevertheless; empty: none is needed for it.
    """

    message: str
    taken_as: str = ""


@dataclass(frozen=True)
class FixFacts:
    """The fixes of traces.

    Parameters
    ----------
    users, users_without_data
        Number of users, and of those among them without a fix.
    first_users
        The first names.
    people
        Number of users after those are merged who are always together.
    fixes
        Number of fixes.
    first, last
        Their first and last time, ISO 8601, or numbers of steps.
    tz
        Time zone of these; None: times are numbers of steps.
    places
        Number of different regions; None: places are coordinates.
    between_median, between_most
        Time from a fix to the user's next one: the median, and what nine of ten do not exceed;
        seconds, or steps. None: no user has two.
    time_step
        Length of the steps of the following, seconds; None: times are numbers of steps.
    share_of_steps
        Share of all steps of all users with a fix; None: there are too many steps.
    share_of_steps_within
        The same, of the steps from each user's first fix to the last one.
    metres_per_step
        Median distance that those who move go in a step; None: unknown.
    """

    users: int
    users_without_data: int
    first_users: tuple[str, ...]
    people: int
    fixes: int
    first: int | str
    last: int | str
    tz: str | None
    places: int | None
    between_median: float | None
    between_most: float | None
    time_step: int | None
    share_of_steps: float | None
    share_of_steps_within: float | None
    metres_per_step: float | None


@dataclass(frozen=True)
class SizeRow:
    """What one size of cells and steps gives.

    Parameters
    ----------
    cell_size
        Metres; None: places are regions.
    time_step
        Seconds; None: times are numbers of steps.
    zones, never_meet
        Number of mix zones, and of users with data who are in none.
    safe, undecided
        Shares of the published time in which k candidates are proven, and may be possible.
    """

    cell_size: float | None
    time_step: int | None
    zones: int
    never_meet: int
    safe: float
    undecided: float


@dataclass(frozen=True)
class SizeTable:
    """Sizes that the fixes suggest, and what each would give.

    Parameters
    ----------
    k, adversary
        What was asked.
    sample
        The part of the data that was looked at, in words; None: all.
    rows
        Smallest size first.
    suggested
        Number of the row that the fixes suggest.
    """

    k: int
    adversary: str
    sample: str | None
    rows: tuple[SizeRow, ...]
    suggested: int


@dataclass(frozen=True)
class FixMap:
    """Fixes by square.

    Parameters
    ----------
    side
        Of a square, metres.
    lat, lon
        Middle of each square with a fix, degrees.
    fixes
        Number of fixes in each.
    elsewhere
        Number of fixes in other squares.
    """

    side: float
    lat: tuple[float, ...]
    lon: tuple[float, ...]
    fixes: tuple[int, ...]
    elsewhere: int = 0

    def __repr__(self) -> str:
        return f"<FixMap: {len(self.fixes):,} squares of {self.side:g} m>"


@dataclass(frozen=True)
class Description:
    """What would be read of a source.

    Parameters
    ----------
    source
        What it was recognized as.
    counts
        Of other sources than traces: what they hold, by name.
    fixes
        Of traces; None: it holds none.
    premises
        Rows that are no data or may be none, and users who are always together.
    refused
        What other commands refuse.
    sizes
        Cells and steps that the fixes suggest; None: nothing can be suggested.
    map
        Where fixes are; None: unknown.
    notes
        What was merged, dropped or assumed.
    """

    source: Source
    counts: dict[str, int | str] = field(default_factory=dict)
    fixes: FixFacts | None = None
    premises: Premises = field(default_factory=Premises)
    refused: tuple[Refused, ...] = ()
    sizes: SizeTable | None = None
    map: FixMap | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        if self.fixes is None:
            return f"<Description {self.source.name}: {self.source.what}>"
        users, fixes = self.fixes.users, self.fixes.fixes
        return f"<Description {self.source.name}: {users:,} users, {fixes:,} fixes>"

    def to_dict(self) -> dict[str, Any]:
        """The description as plain values, for JSON."""
        rows = (*self.premises.skipped, *self.premises.kept)
        return {
            **asdict(self.source),
            "counts": self.counts,
            "fixes": None if self.fixes is None else asdict(self.fixes),
            "refused": [asdict(one) for one in self.refused],
            **self.premises.to_dict(),
            "examples": {one.reason: list(one.examples) for one in rows},
            "sizes": None if self.sizes is None else asdict(self.sizes),
            "map": None if self.map is None else asdict(self.map),
            "notes": list(self.notes),
        }
