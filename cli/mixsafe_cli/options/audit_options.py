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
    column_names,
    refuse_together,
)
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
        typer.Option("--knowledge", help="Who was seen: CSV user_id,time_id,reg_id (or lat,lon)."),
    ] = None
    assume: Annotated[
        int | None,
        typer.Option("--assume", metavar="N", help="Instead: N sightings of each user, drawn."),
    ] = None
    reference: Annotated[
        Path | None, typer.Option("--reference", help="Traces that --assume draws from.")
    ] = None
    draws: Annotated[int | None, typer.Option("--draws", help="Times to draw. Default: 20.")] = None

    @property
    def times(self) -> int:
        """How often sightings are drawn."""
        return 20 if self.draws is None else self.draws

    def check(self) -> None:
        """Refuse options that contradict each other, or files that are not there.

        Raises
        ------
        InputError
            Neither --knowledge nor --assume, both, or --assume without --reference.
        """
        if self.knowledge is not None:
            why = "--knowledge says who was seen"
            given: dict[str, object] = {
                "--assume": self.assume,
                "--reference": self.reference,
                "--draws": self.draws,
            }
            refuse_together(given, why)
        elif self.assume is None or self.reference is None:
            hint = "give --knowledge FILE, or --assume N and --reference REF"
            raise InputError("what the adversary knows is missing", hint=hint)
        check_file("--knowledge", self.knowledge)
        check_file("--reference", self.reference)
        check_positive("--assume", self.assume)
        check_positive("--draws", self.draws)


@dataclass(frozen=True)
class AuditOptions:
    """What is asked, and how it is decided."""

    k: Annotated[
        int, typer.Option("--k", help="Tracks that can be each known user's. Default: 3.")
    ] = 3
    rule: Annotated[
        str | None,
        typer.Option(
            "--rule",
            **one_of(("every", "some"), "share:P"),
            help="When a user passes. Default: some, by which a pass may be a weak one.",
        ),
    ] = None
    exchange: Annotated[
        str,
        typer.Option(
            "--exchange",
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
            "--engine",
            **one_of(ENGINES.names("audit")),
            help=f"{ENGINES.told('audit')}. Default: auto.",
        ),
    ] = "auto"
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", help="Seconds for the run. Default: none.")
    ] = None
    workers: Annotated[
        int,
        typer.Option(
            "--workers", min=0, help="Threads and processes; 0: one per core. Default: 0."
        ),
    ] = 0
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Of draws and searches. Default: 0.")
    ] = 0

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            A k below 2, an unknown word, a limit that is not positive.
        """
        check_asked_k(self.k)
        check_positive("--fewest-sightings", self.fewest_sightings)
        check_choice("--exchange", self.exchange, EXCHANGES)
        check_choice("--engine", self.engine, ENGINES.names("audit"))
        check_positive("--time-limit", self.time_limit)
        _ = self.passing

    @property
    def passing(self) -> Rule:
        """When a user passes."""
        from mixsafe.model.question.requirement import Rule

        return Rule.of(self.rule) or Rule.default(every_time=True)

    def settings(self) -> dict[str, Any]:
        """Arguments of the audit."""
        from mixsafe.model.limits import SolveLimits

        return {
            "exchanged": self.exchange == "zones",
            "rule": self.passing,
            "engine": self.engine,
            "limits": SolveLimits(self.time_limit, self.workers, self.seed),
        }


@dataclass(frozen=True)
class PartOptions:
    """How a release is read, and which part of it is looked at; as for sources of traces."""

    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            autocompletion=offering(FORMATS.names()),
            help="What RELEASE is, as for verify.",
        ),
    ] = None
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="MEANING=NAME",
            help="A table's own column name, as user_id=pseudonym; may be repeated.",
        ),
    ] = None
    users: Annotated[
        int | None,
        typer.Option("--users", help="N of the known users, drawn: she knows of no others."),
    ] = None
    start: Annotated[
        str | None, typer.Option("--start", help="Look at the release from this time on.")
    ] = None
    end: Annotated[str | None, typer.Option("--end", help="Before this time.")] = None
    days: Annotated[int | None, typer.Option("--days", help="N times 24 hours from the start.")] = (
        None
    )
    tz: Annotated[
        str | None, typer.Option("--tz", help="Zone of times that say none. Default: the data's.")
    ] = None
    crs: Annotated[
        str | None, typer.Option("--crs", help="Reference system of a table's coordinates.")
    ] = None
    min_users: Annotated[
        int, typer.Option("--min-users", help="Fewest tracks that make a mix zone. Default: 2.")
    ] = 2
    places: Annotated[
        Path | None,
        typer.Option("--places", help="Tracks meet at these places, as for verify: GeoJSON, …"),
    ] = None

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            An option out of range, or two that contradict each other.
        """
        check_choice("--format", self.format, FORMATS.names())
        column_names(self.column or [])
        check_file("--places", self.places)
        check_positive("--users", self.users)
        check_positive("--days", self.days)
        if self.days is not None:
            refuse_together({"--end": self.end}, "--days says where the data end already")
        if self.min_users < 2:
            raise InputError(f"--min-users {self.min_users}: a mix zone needs two tracks or more")

    def part(self, steps_per_day: int, elsewhere: bool) -> ReleasePart:
        """The same for the task.

        Parameters
        ----------
        elsewhere
            Tracks meet in cells, too, where there are places.
        """
        from mixsafe.io.sources import Reading
        from mixsafe.tasks.released import ReleasePart

        column = column_names(self.column) if self.column else None
        period: Period = {
            "start": self.start,
            "end": self.end,
            "days": self.days,
            "steps_per_day": steps_per_day,
        }
        reading = Reading(self.format, column, self.tz, self.crs)
        return ReleasePart(reading, period, self.min_users, self.places, elsewhere)


@dataclass(frozen=True)
class OutsideOptions:
    """A release, weighed from outside."""

    audit: Annotated[
        Path | None,
        _outside(
            "--audit",
            metavar="FILE",
            help="SOURCE is a release: which track is whose. FILE: who was seen, CSV"
            " user_id,time_id,reg_id (or lat,lon).",
        ),
    ] = None
    same: Annotated[
        tuple[str, str] | None,
        _outside(
            "--same",
            metavar="PSE@TIME PSE@TIME",
            help="How likely is it one person who has these pseudonyms at these times?",
        ),
    ] = None

    def check(self, given: dict[str, object]) -> None:
        """Refuse a file that is not there, and options that do not go together.

        Parameters
        ----------
        given
            Options that a release has no use for, and their values.

        Raises
        ------
        InputError
            Says which.
        """
        if self.audit is None:
            refuse_together({"--same": self.same}, "it is for a release, with --audit")
            return
        check_file("--audit", self.audit)
        refuse_together(given, "--audit weighs a release, with all exchanges alike")
