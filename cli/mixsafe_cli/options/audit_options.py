"""Options of ``mixsafe audit``: the adversary, the question, the release."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixsafe.errors import InputError
from mixsafe.io.formats import FORMATS
from mixsafe.model.answer.gaps import NAMES as GAPS
from mixsafe.model.mobility.names import SIMILAR, check_similar
from mixsafe.model.numerals import MOST_SEED
from mixsafe.solver.registry import ENGINES
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
from mixsafe_cli.options.exchange_options import ExchangeOptions
from mixsafe_cli.options.question_options import DistinctPlaces
from mixsafe_cli.options.records import offering, one_of, panel
from mixsafe_cli.options.row_options import RowOptions

if TYPE_CHECKING:
    from mixsafe.extract.select import Period
    from mixsafe.model.answer.gaps import Gaps
    from mixsafe.model.question.requirement import Rule
    from mixsafe.tasks.released import ReleasePart

EXCHANGES = ("zones", "none")

ReadGaps = Annotated[
    str | None,
    typer.Option(
        rich_help_panel="Adversary",
        metavar="READING",
        autocompletion=offering(GAPS),
        help="Tracks without a fix that may belong to a person who was seen then: none (absent),"
        " those that can get there and back at --max-speed (reachable), or all (anywhere). Default:"
        " for each sighting"
        " the strictest reading that contradicts nothing.",
    ),
]

_option = panel()
_seen = panel("Adversary")
_asked = panel("Question")
_solver = panel("Solver")
_data = panel("Data")
_zone = panel("Mix zones")
_exchange = panel("Exchanges")
_outside = panel("Published release")


@dataclass(frozen=True)
class KnowledgeOptions:
    """Knowledge of the adversary, given or drawn."""

    knowledge: Path | None = _seen("Sightings: CSV user_id,time_id,reg_id (or lat,lon).")
    assume: int | None = _seen("Draw N sightings of each user instead.", metavar="N")
    reference: Path | None = _seen("Traces that --assume draws from.")
    draws: int | None = _seen("Number of draws. Default: 20.")

    @property
    def times(self) -> int:
        """Number of draws."""
        return 20 if self.draws is None else self.draws

    @property
    def files(self) -> dict[str, Path | None]:
        """Files to read, by their roles."""
        return {"knowledge": self.knowledge, "reference": self.reference}

    def check(self) -> None:
        """Refuse options that contradict each other, or files that are not there.

        Raises
        ------
        InputError
            Neither --knowledge nor --assume, both, or --assume without --reference.
        """
        if self.knowledge is not None:
            refuse(self, "--knowledge contains the sightings", "assume", "reference", "draws")
        elif self.assume is None or self.reference is None:
            hint = "give --knowledge FILE, or --assume N and --reference REF"
            raise InputError("the adversary's knowledge is missing", hint=hint)
        check_file("--knowledge", self.knowledge)
        check_file("--reference", self.reference)
        check_positive(self, "assume", "draws")


@dataclass(frozen=True)
class AuditOptions:
    """The question and the engine."""

    k: int = _asked("Fewest candidate tracks of a known user.", default=3)
    rule: str | None = _asked(
        "Times at which a user must be safe. Default: some.", **one_of(("every", "some"), "share:P")
    )
    exchange: str = _asked(
        "Pseudonyms are exchanged where tracks meet, or never but by --rotate.",
        default="zones",
        **one_of(EXCHANGES),
    )
    sets_meet: bool = _asked("Equal sets of regions are mix zones, too.", default=False)
    distinct_places: DistinctPlaces = None
    gaps: ReadGaps = None
    fewest_sightings: int | None = _option(
        "Also find the fewest of its sightings (up to M) that single out each track.", metavar="M"
    )
    engine: str = _solver(
        lambda: f"{ENGINES.help('audit')}.",
        default="auto",
        **one_of(lambda: ENGINES.names("audit")),
    )
    time_limit: float | None = _solver("Seconds for the run. Default: none.")
    workers: int = _solver("Threads and processes; 0: one per core.", default=0, min=0)
    seed: int = _solver("Seed of draws and searches.", default=0, min=0, max=MOST_SEED)

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            A k below 2, an unknown word, a limit that is not positive.
        """
        check_asked_k(self.k)
        check_choice("--exchange", self.exchange, EXCHANGES)
        check_choice("--gaps", self.gaps, GAPS)
        check_choice("--engine", self.engine, ENGINES.names("audit"))
        check_positive(self, "distinct_places", "fewest_sightings", "time_limit")
        _ = self.passing

    @property
    def passing(self) -> Rule:
        """When a user passes."""
        from mixsafe.model.question.requirement import Rule

        return Rule.of(self.rule) or Rule.default(every_time=True)

    def exchanged(self, release: ReleaseOptions) -> bool:
        """Whether pseudonyms may be exchanged."""
        return self.exchange == "zones" or release.rotate is not None

    @property
    def reading(self) -> Gaps | None:
        """How gaps are read; None: by the strictest reading that contradicts nothing."""
        from mixsafe.model.answer.gaps import Gaps

        return Gaps.named(self.gaps)

    def check_with(self, release: ReleaseOptions) -> None:
        """Refuse limits of a release whose pseudonyms are not exchanged.

        Raises
        ------
        InputError
            Names them.
        """
        if not self.exchanged(release):
            refuse(release, "--exchange none exchanges nothing", "max_step")

    @property
    def question(self) -> dict[str, Any]:
        """The question as a JSON object."""
        return {
            "exchange": self.exchange,
            "k": self.k,
            "rule": str(self.passing),
            "gaps": self.gaps,
            "engine": self.engine,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class ReleaseOptions(RowOptions, ExchangeOptions):
    """A release, its format, the part to audit and how pseudonyms change; as for traces."""

    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="Published tracks by pseudonym.")
    ]
    regions: RegionFile = None
    steps_per_day: StepsPerDay = 20
    cell_size: float | None = _zone("Side of grid cells of coordinates, metres. Default: 100.")
    cells: str | None = _zone("H3 cells of resolution N, 0 to 15, instead.", metavar="h3:N")
    time_step: int | None = _zone("Length of a step of clock times, seconds. Default: 60.")
    format: str | None = _data(
        "Format of RELEASE, as for verify.", autocompletion=offering(FORMATS.names)
    )
    column: list[str] | None = _data(
        "Column name of a table, as user_id=pseudonym; may be repeated.", metavar="MEANING=NAME"
    )
    users: int | None = _data("Random sample of N known users; the adversary knows no others.")
    start: str | None = _data("From this time on.")
    end: str | None = _data("Before this time.")
    days: int | None = _data("N times 24 hours from the start.")
    tz: str | None = _data("Time zone of times without one. Default: the data's.")
    crs: str | None = _data("Reference system of a table's coordinates.")
    similar_names: str | None = _data(
        "What names are that differ only in case, leading zeros or the like, as for verify.",
        **one_of(SIMILAR),
    )
    min_users: int = _zone("Fewest tracks of a mix zone.", default=2)
    places: Path | None = _zone("Mix zones are these places, as for verify.")
    max_speed: Annotated[
        str | None,
        typer.Option(
            rich_help_panel="Exchanges",
            metavar="KMH",
            help="Nobody is faster: exchanges that would need more are not possible, nor are gaps"
            " (--gaps reachable). Default: all exchanges are possible; 130 in gaps.",
        ),
    ] = field(default=None, kw_only=True)

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            An option out of range, or two that contradict each other.
        """
        _ = self.row_rules, self.table_form
        check_units(self)
        check_choice("--format", self.format, FORMATS.names())
        check_similar(self.similar_names)
        column_names(self.column)
        check_file("--places", self.places)
        check_positive(self, "users", "days")
        if self.days is not None:
            refuse(self, "--days says where the data end already", "end")
        if self.min_users < 2:
            raise InputError(f"--min-users {self.min_users}: a mix zone needs two tracks or more")
        if self.max_speed is not None and self.speed is None:
            hint = "give one number for all, km/h"
            raise InputError(
                f"--max-speed {self.max_speed}: nobody knows whose a track is", hint=hint
            )
        self.check_exchanges()
        if self.regions is not None:
            refuse(self, "it is of the contest's own regions, not of --regions", "max_step")

    @property
    def files(self) -> dict[str, Path | None]:
        """Files to read, by their roles."""
        return {"regions": self.regions, "places": self.places}

    @property
    def part(self) -> ReleasePart:
        """The part to audit, for the task."""
        from mixsafe.io.columns.reading import Reading
        from mixsafe.tasks.released import ReleasePart

        period: Period = {
            "start": self.start,
            "end": self.end,
            "days": self.days,
            "steps_per_day": self.steps_per_day,
        }
        column = column_names(self.column)
        reading = Reading(
            self.format,
            column,
            self.tz,
            self.crs,
            self.similar_names,
            self.row_rules,
            self.table_form,
        )
        elsewhere = self.cell_size is not None or self.cells is not None
        return ReleasePart(reading, period, self.min_users, self.places, elsewhere)


@dataclass(frozen=True)
class OutsideOptions:
    """A release to weigh without its secret table."""

    audit: Path | None = _outside(
        "SOURCE is a release; weigh which track is whose. FILE: sightings, CSV"
        " user_id,time_id,reg_id (or lat,lon).",
        metavar="FILE",
    )
    same: tuple[str, str] | None = _outside(
        "Probability that these pseudonyms at these times are one person's.",
        metavar="PSE@TIME PSE@TIME",
    )
    gaps: ReadGaps = None

    def check(self) -> None:
        """Refuse a file that is not there, and options that do not go together.

        Raises
        ------
        InputError
            Says which.
        """
        if self.audit is None:
            refuse(self, "it is for a release, with --audit", "same", "gaps")
        check_choice("--gaps", self.gaps, GAPS)
        check_file("--audit", self.audit)

    def refuse(self, given: dict[str, object]) -> None:
        """Refuse options without effect on a release.

        Raises
        ------
        InputError
            Says which.
        """
        if self.audit is not None:
            refuse_together(given, "--audit weighs a release, with all exchanges alike")

    @property
    def files(self) -> dict[str, Path | None]:
        """Files that are read in addition to the source, by role."""
        return {"knowledge": self.audit}
