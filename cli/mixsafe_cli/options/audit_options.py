"""Options of ``mixsafe audit``: what the adversary knows, what is asked, how it is decided."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixsafe.errors import InputError
from mixsafe.io.formats import FORMATS
from mixsafe.solver.registry import ENGINES
from mixsafe_cli.options.breaking_options import FewestSightings
from mixsafe_cli.options.checks import (
    check_asked_k,
    check_choice,
    check_file,
    check_positive,
    check_units,
    column_names,
    refuse,
    refuse_together,
)
from mixsafe_cli.options.contest_options import RegionFile, StepsPerDay
from mixsafe_cli.options.records import offering, one_of, panel

if TYPE_CHECKING:
    from mixsafe.extract.select import Period
    from mixsafe.model.question.requirement import Rule
    from mixsafe.tasks.released import ReleasePart

EXCHANGES = ("zones", "none")

_outside = panel("A release from outside")


@dataclass(frozen=True)
class KnowledgeOptions:
    """What the adversary knows, or might."""

    knowledge: Annotated[
        Path | None,
        typer.Option(help="Who was seen: CSV user_id,time_id,reg_id (or lat,lon)."),
    ] = None
    assume: Annotated[
        int | None,
        typer.Option(metavar="N", help="Instead: N sightings of each user, drawn."),
    ] = None
    reference: Annotated[Path | None, typer.Option(help="Traces that --assume draws from.")] = None
    draws: Annotated[int | None, typer.Option(help="Times to draw. Default: 20.")] = None

    @property
    def times(self) -> int:
        """How often sightings are drawn."""
        return 20 if self.draws is None else self.draws

    @property
    def files(self) -> dict[str, Path | None]:
        """What is read, by what it is."""
        return {"knowledge": self.knowledge, "reference": self.reference}

    def check(self) -> None:
        """Refuse options that contradict each other, or files that are not there.

        Raises
        ------
        InputError
            Neither --knowledge nor --assume, both, or --assume without --reference.
        """
        if self.knowledge is not None:
            refuse(self, "--knowledge says who was seen", "assume", "reference", "draws")
        elif self.assume is None or self.reference is None:
            hint = "give --knowledge FILE, or --assume N and --reference REF"
            raise InputError("what the adversary knows is missing", hint=hint)
        check_file("--knowledge", self.knowledge)
        check_file("--reference", self.reference)
        check_positive(self, "assume", "draws")


@dataclass(frozen=True)
class AuditOptions:
    """What is asked, and how it is decided."""

    k: Annotated[int, typer.Option(help="Tracks that can be each known user's. Default: 3.")] = 3
    rule: Annotated[
        str | None,
        typer.Option(
            **one_of(("every", "some"), "share:P"),
            help="When a user passes. Default: some, by which a pass may be a weak one.",
        ),
    ] = None
    exchange: Annotated[
        str,
        typer.Option(
            **one_of(EXCHANGES),
            help="Whether pseudonyms were exchanged where tracks meet, or never. Default: zones.",
        ),
    ] = "zones"
    sets_meet: Annotated[
        bool,
        typer.Option("--sets-meet", help="Equal sets of regions are mix zones, too."),
    ] = False
    fewest_sightings: FewestSightings = None
    engine: Annotated[
        str,
        typer.Option(
            **one_of(ENGINES.names("audit")),
            help=f"{ENGINES.told('audit')}. Default: auto.",
        ),
    ] = "auto"
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds for the run. Default: none.")
    ] = None
    workers: Annotated[
        int,
        typer.Option(min=0, help="Threads and processes; 0: one per core. Default: 0."),
    ] = 0
    seed: Annotated[int, typer.Option(min=0, help="Of draws and searches. Default: 0.")] = 0

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            A k below 2, an unknown word, a limit that is not positive.
        """
        check_asked_k(self.k)
        check_choice("--exchange", self.exchange, EXCHANGES)
        check_choice("--engine", self.engine, ENGINES.names("audit"))
        check_positive(self, "fewest_sightings", "time_limit")
        _ = self.passing

    @property
    def passing(self) -> Rule:
        """When a user passes."""
        from mixsafe.model.question.requirement import Rule

        return Rule.of(self.rule) or Rule.default(every_time=True)

    @property
    def exchanged(self) -> bool:
        """Whether pseudonyms may be exchanged."""
        return self.exchange == "zones"

    @property
    def told(self) -> dict[str, Any]:
        """What is asked, as JSON has it."""
        return {
            "exchange": self.exchange,
            "k": self.k,
            "rule": str(self.passing),
            "engine": self.engine,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class ReleaseOptions:
    """A release, how it is read, and which part of it is looked at; as for sources of traces."""

    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="Published tracks by pseudonym.")
    ]
    regions: RegionFile = None
    steps_per_day: StepsPerDay = 20
    cell_size: Annotated[
        float | None,
        typer.Option(help="Of coordinates: grid cells, metres. Default: 100."),
    ] = None
    cells: Annotated[
        str | None,
        typer.Option(metavar="h3:N", help="Instead: H3 cells of resolution N, 0 to 15."),
    ] = None
    time_step: Annotated[
        int | None,
        typer.Option(help="Of clock times: a step, seconds. Default: 60."),
    ] = None
    format: Annotated[
        str | None,
        typer.Option(
            autocompletion=offering(FORMATS.names()),
            help="What RELEASE is, as for verify.",
        ),
    ] = None
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEANING=NAME",
            help="A table's own column name, as user_id=pseudonym; may be repeated.",
        ),
    ] = None
    users: Annotated[
        int | None,
        typer.Option(help="N of the known users, drawn: she knows of no others."),
    ] = None
    start: Annotated[str | None, typer.Option(help="Look at the release from this time on.")] = None
    end: Annotated[str | None, typer.Option(help="Before this time.")] = None
    days: Annotated[int | None, typer.Option(help="N times 24 hours from the start.")] = None
    tz: Annotated[
        str | None, typer.Option(help="Zone of times that say none. Default: the data's.")
    ] = None
    crs: Annotated[str | None, typer.Option(help="Reference system of a table's coordinates.")] = (
        None
    )
    min_users: Annotated[
        int, typer.Option(help="Fewest tracks that make a mix zone. Default: 2.")
    ] = 2
    places: Annotated[
        Path | None,
        typer.Option(help="Tracks meet at these places, as for verify: GeoJSON, …"),
    ] = None

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            An option out of range, or two that contradict each other.
        """
        check_units(self)
        check_choice("--format", self.format, FORMATS.names())
        column_names(self.column)
        check_file("--places", self.places)
        check_positive(self, "users", "days")
        if self.days is not None:
            refuse(self, "--days says where the data end already", "end")
        if self.min_users < 2:
            raise InputError(f"--min-users {self.min_users}: a mix zone needs two tracks or more")

    @property
    def files(self) -> dict[str, Path | None]:
        """What is read, by what it is."""
        return {"regions": self.regions, "places": self.places}

    @property
    def part(self) -> ReleasePart:
        """The same for the task."""
        from mixsafe.io.sources import Reading
        from mixsafe.tasks.released import ReleasePart

        period: Period = {
            "start": self.start,
            "end": self.end,
            "days": self.days,
            "steps_per_day": self.steps_per_day,
        }
        reading = Reading(self.format, column_names(self.column), self.tz, self.crs)
        elsewhere = self.cell_size is not None or self.cells is not None
        return ReleasePart(reading, period, self.min_users, self.places, elsewhere)


@dataclass(frozen=True)
class OutsideOptions:
    """A release, weighed from outside."""

    audit: Annotated[
        Path | None,
        _outside(
            metavar="FILE",
            help="SOURCE is a release: which track is whose. FILE: who was seen, CSV"
            " user_id,time_id,reg_id (or lat,lon).",
        ),
    ] = None
    same: Annotated[
        tuple[str, str] | None,
        _outside(
            metavar="PSE@TIME PSE@TIME",
            help="How likely is it one person who has these pseudonyms at these times?",
        ),
    ] = None

    def check(self) -> None:
        """Refuse a file that is not there, and options that do not go together.

        Raises
        ------
        InputError
            Says which.
        """
        if self.audit is None:
            refuse(self, "it is for a release, with --audit", "same")
        check_file("--audit", self.audit)

    def refuse(self, given: dict[str, object]) -> None:
        """Refuse options that a release has no use for.

        Raises
        ------
        InputError
            Says which.
        """
        if self.audit is not None:
            refuse_together(given, "--audit weighs a release, with all exchanges alike")

    @property
    def files(self) -> dict[str, Path | None]:
        """What is read besides the source, by what it is."""
        return {"knowledge": self.audit}
