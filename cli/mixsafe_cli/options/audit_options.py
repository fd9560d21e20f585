"""Options of ``mixsafe audit``: the adversary, the question, the release."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixsafe.errors import InputError
from mixsafe_cli.options import shared
from mixsafe_cli.options.checks import column_names, refuse
from mixsafe_cli.options.contest_options import RegionFile, StepsPerDay
from mixsafe_cli.options.declaring import CheckedOptions, a_file, above_zero, excludes, needs
from mixsafe_cli.options.exchange_options import ExchangeOptions
from mixsafe_cli.options.records import panel
from mixsafe_cli.options.row_options import RowOptions

if TYPE_CHECKING:
    from mixsafe.extract.select import Period
    from mixsafe.from_files.released import ReleasePart
    from mixsafe.model.answer.gaps import Gaps
    from mixsafe.model.question.requirement import Rule

_option = panel()
_seen = panel("Adversary")
_outside = panel("Published release")

_OF_AUDIT = needs("audit", "it is for a release, with --audit")


@dataclass(frozen=True)
class KnowledgeOptions(CheckedOptions):
    """Knowledge of the adversary, given or drawn."""

    knowledge: Annotated[Path | None, shared.KNOWLEDGE] = None
    assume: int | None = _seen(
        "Draw N sightings of each user instead.",
        metavar="N",
        constraints=(
            above_zero,
            excludes(
                *("fewest_sightings", "distinct_places", "output", "candidates", "certificates"),
                "truth",
                why="--assume draws often",
            ),
        ),
    )
    reference: Path | None = _seen("Traces that --assume draws from.", constraints=(a_file,))
    draws: int | None = _seen("Number of draws. Default: 20.", constraints=(above_zero,))

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
        if self.knowledge is None and (self.assume is None or self.reference is None):
            hint = "give --knowledge FILE, or --assume N and --reference REF"
            raise InputError("the adversary's knowledge is missing", hint=hint)
        super().check()


@dataclass(frozen=True)
class AuditQuestionOptions(CheckedOptions):
    """The question and the engine."""

    k: Annotated[int, shared.K.said("Fewest candidate tracks of a known user.")] = 3
    rule: Annotated[
        str | None, shared.RULE.said("Times at which a user must be safe. Default: some.")
    ] = None
    exchange: Annotated[str, shared.EXCHANGE] = "zones"
    sets_meet: Annotated[bool, shared.SETS_MEET] = False
    distinct_places: Annotated[int | None, shared.DISTINCT_PLACES] = None
    gaps: Annotated[str | None, shared.GAPS] = None
    fewest_sightings: int | None = _option(
        "Also find the fewest of its sightings (up to M) that single out each track.",
        metavar="M",
        constraints=(above_zero,),
    )
    truth: Path | None = _option(
        "Secret table of RELEASE: pse_id,user_id, or pse_id,time_id,user_id. Counts how often a"
        " follower who bets names the right track.",
        constraints=(a_file,),
    )
    engine: Annotated[str, shared.AUDIT_ENGINE] = "auto"
    time_limit: Annotated[float | None, shared.TIME_LIMIT] = None
    workers: Annotated[int, shared.WORKERS] = 0
    seed: Annotated[int, shared.SEED.said("Seed of draws and searches.", panel="Solver")] = 0

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
    cell_size: Annotated[float | None, shared.CELL_SIZE] = None
    cells: Annotated[str | None, shared.CELLS] = None
    time_step: Annotated[int | None, shared.TIME_STEP] = None
    format: Annotated[str | None, shared.FORMAT.said("Format of RELEASE, as for verify.")] = None
    column: Annotated[
        list[str] | None,
        shared.COLUMN.said("Column name of a table, as user_id=pseudonym; may be repeated."),
    ] = None
    users: Annotated[
        int | None,
        shared.USERS.said("Random sample of N known users; the adversary knows no others."),
    ] = None
    start: Annotated[str | None, shared.START] = None
    end: Annotated[str | None, shared.END] = None
    days: Annotated[int | None, shared.DAYS] = None
    tz: Annotated[str | None, shared.TZ] = None
    crs: Annotated[str | None, shared.CRS] = None
    similar_names: Annotated[str | None, shared.SIMILAR_NAMES] = None
    min_users: Annotated[
        int,
        shared.MIN_USERS.said(
            "Fewest tracks of a mix zone.",
            constraints=(shared.two_or_more("tracks"),),
        ),
    ] = 2
    places: Annotated[Path | None, shared.PLACES] = None
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
        if self.max_speed is not None and self.speed is None:
            hint = "give one number for all, km/h"
            raise InputError(
                f"--max-speed {self.max_speed}: nobody knows whose a track is", hint=hint
            )
        super().check()
        if self.regions is not None:
            refuse(self, "it is of the contest's own regions, not of --regions", "max_step")

    @property
    def files(self) -> dict[str, Path | None]:
        """Files to read, by their roles."""
        return {"regions": self.regions, "places": self.places}

    @property
    def part(self) -> ReleasePart:
        """The part to audit, for the task."""
        from mixsafe.from_files.released import ReleasePart
        from mixsafe.io.columns.reading import Reading

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
class OutsideOptions(CheckedOptions):
    """A release to weigh without its secret table."""

    audit: Path | None = _outside(
        "SOURCE is a release; weigh which track is whose. FILE: sightings, CSV"
        " user_id,time_id,reg_id (or lat,lon).",
        metavar="FILE",
        constraints=(
            excludes(
                *("adversary", "exchange", "movement", "resume"),
                why="--audit weighs a release, with all exchanges alike",
            ),
            excludes("user_list", why="--audit weighs a release"),
            a_file,
        ),
    )
    same: tuple[str, str] | None = _outside(
        "Probability that these pseudonyms at these times are one person's.",
        metavar="PSE@TIME PSE@TIME",
        constraints=(_OF_AUDIT,),
    )
    gaps: Annotated[
        str | None, shared.GAPS.said(constraints=(_OF_AUDIT, *shared.GAPS.constraints))
    ] = None

    @property
    def files(self) -> dict[str, Path | None]:
        """Files that are read in addition to the source, by role."""
        return {"knowledge": self.audit}
