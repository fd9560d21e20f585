"""Options of all commands that read a source: data and mix zones."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError
from mixsafe_cli.options import shared
from mixsafe_cli.options.checks import chosen_cells, column_names
from mixsafe_cli.options.declaring import a_file, a_folder, a_share, above_zero, excludes
from mixsafe_cli.options.exchange_options import ExchangeOptions
from mixsafe_cli.options.records import panel
from mixsafe_cli.options.row_options import RowOptions

if TYPE_CHECKING:
    from mixsafe.extract.exchange.rules import ExchangeRules
    from mixsafe.io.columns.reading import Reading

_data = panel("Data")
_exchange = panel("Exchanges")


@dataclasses.dataclass(frozen=True)
class DataOptions(RowOptions):
    """The data, and how they are read."""

    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="SOURCE",
            help="Traces, mix zones or problems.",
        ),
    ] = None
    further: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[SOURCE]...", help="More files of the same traces."),
    ] = None
    format: Annotated[str | None, shared.FORMAT] = None
    tz: Annotated[str | None, shared.TZ] = None
    similar_names: Annotated[str | None, shared.SIMILAR_NAMES] = None
    column: Annotated[list[str] | None, shared.COLUMN] = None
    crs: Annotated[str | None, shared.CRS] = None
    keep_together: Annotated[bool, shared.KEEP_TOGETHER] = False
    memory_limit: str | None = _data(
        "Memory for reading and finding mix zones, as 2GB; larger tables are sorted on disk."
        " Default: half of the machine's.",
        metavar="SIZE",
    )

    @property
    def memory(self) -> int:
        """Memory that reading and finding mix zones may take, bytes."""
        from mixsafe.machinery.memory import default_memory, parse_memory

        return default_memory() if self.memory_limit is None else parse_memory(self.memory_limit)

    @property
    def reading(self) -> Reading:
        """Options for reading the source.

        Raises
        ------
        InputError
            One that is out of range.
        """
        from mixsafe.io.columns.reading import Reading

        return Reading(
            self.format,
            column_names(self.column),
            self.tz,
            self.crs,
            self.similar_names,
            self.row_rules,
            self.table_form,
        )

    def check(self) -> None:
        """Refuse values that cannot be right, before anything is read.

        Raises
        ------
        InputError
            An option out of range.
        """
        _ = self.row_rules, self.table_form
        super().check()
        if self.memory_limit is not None:
            from mixsafe.machinery.memory import parse_memory

            try:
                parse_memory(self.memory_limit)
            except InputError as error:
                raise InputError(f"--memory-limit: {error.message}", hint=error.hint) from None


@dataclasses.dataclass(frozen=True)
class SourceOptions(DataOptions, ExchangeOptions):
    """The data, which part of them counts, and the definition of a mix zone."""

    users: Annotated[int | None, shared.USERS] = None
    user_list: Path | None = _data(
        "Only these users: a file with a name per line.", constraints=(a_file,)
    )
    start: Annotated[str | None, shared.START] = None
    end: Annotated[str | None, shared.END] = None
    days: Annotated[int | None, shared.DAYS] = None
    steps_per_day: int | None = _data(
        "Steps of a day if times are numbers. Default: 20.", constraints=(above_zero,)
    )
    seed: Annotated[int, shared.SEED] = 0
    places: Annotated[Path | None, shared.PLACES] = None
    cell_size: Annotated[float | None, shared.CELL_SIZE] = None
    cells: Annotated[str | None, shared.CELLS] = None
    time_step: Annotated[int | None, shared.TIME_STEP] = None
    min_users: Annotated[int | None, shared.MIN_USERS] = None
    no_meetings: bool = _exchange(
        "Pseudonyms change by --rotate only, not in mix zones.", default=False
    )
    believable: float | None = _exchange(
        "Count only permutations of a zone's members at least EPS times as likely as the likeliest"
        " one, by how people move: 0 to 1. Default: 0, all that are possible.",
        metavar="EPS",
        constraints=(a_share,),
    )
    temporary_folder: Path | None = _data(
        "Folder for sorting larger tables. Default: the system's.",
        metavar="DIR",
        constraints=(a_folder,),
    )

    def rules(self, *, meetings: bool = True) -> ExchangeRules:
        """Which exchanges are possible, and believable: as for other options of exchanges."""
        return dataclasses.replace(
            super().rules(meetings=meetings), believable=self.believable or 0.0
        )

    @property
    def reading(self) -> Reading:
        """Options for reading the source; stays have a fix in each time step."""
        reading = super().reading
        rules = dataclasses.replace(reading.rules, time_step=self.step_seconds)
        return dataclasses.replace(reading, rules=rules)

    @property
    def grid_cells(self) -> float | str:
        """Side of a grid cell, metres, or which cells of H3."""
        return chosen_cells(self.cell_size, self.cells)

    @property
    def has_grid(self) -> bool:
        """Whether cells were asked for."""
        return self.cell_size is not None or self.cells is not None

    @property
    def step_seconds(self) -> int:
        """Length of a time step."""
        return 60 if self.time_step is None else self.time_step

    @property
    def day_steps(self) -> int:
        """Steps of a day where times are numbers."""
        return 20 if self.steps_per_day is None else self.steps_per_day

    @property
    def fewest(self) -> int:
        """Users who make a mix zone."""
        return 2 if self.min_users is None else self.min_users

    def check(self) -> None:
        """Refuse values that cannot be right, before anything is read.

        Raises
        ------
        InputError
            An option out of range, two that contradict each other, or a folder that is not there.
        """
        super().check()
        if self.no_meetings and self.rotate is None:
            raise InputError(
                "--no-meetings leaves no exchange", hint="say when pseudonyms change: --rotate"
            )


@dataclasses.dataclass(frozen=True)
class ComparedSource(SourceOptions):
    """Data that a certificate's problem is compared with."""

    source: Path | None = _data("Data to compare with, read by these options.", metavar="SOURCE")
    further: list[Path] | None = _data(
        "More files of the same traces; may be repeated.", "--source-too", metavar="SOURCE"
    )
    knowledge: Annotated[
        Path | None,
        shared.KNOWLEDGE.said(
            "Of an audit: who was seen. Then --source is the release.",
            panel="Data",
            constraints=(
                excludes("no_meetings", why="an audit says --exchange none"),
                *shared.KNOWLEDGE.constraints,
            ),
        ),
    ] = None
    exchange: Annotated[str, shared.EXCHANGE.said("Of an audit, as there.", panel="Data")] = "zones"
    sets_meet: Annotated[bool, shared.SETS_MEET.said("Of an audit, as there.", panel=None)] = False
    gaps: Annotated[str | None, shared.GAPS.said("Of an audit, as there.", panel="Data")] = None

    def check(self) -> None:
        """Refuse values that cannot be right, and options without a source.

        Raises
        ------
        InputError
            As :meth:`SourceOptions.check`.
        """
        if self.source is None and self != ComparedSource():
            raise InputError("options say how to read data, and there is no --source")
        super().check()
