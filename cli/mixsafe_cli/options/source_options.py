"""Options of all commands that read a source: data and mix zones."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError
from mixsafe.io.formats import FORMATS
from mixsafe.model.answer.gaps import NAMES as GAPS
from mixsafe.model.mobility.names import SIMILAR, check_similar
from mixsafe.model.numerals import MOST_SEED
from mixsafe_cli.options.audit_options import EXCHANGES
from mixsafe_cli.options.checks import (
    check_choice,
    check_file,
    check_not_negative,
    check_positive,
    check_units,
    chosen_cells,
    column_names,
    refuse,
)
from mixsafe_cli.options.exchange_options import ExchangeOptions
from mixsafe_cli.options.records import offering, one_of, panel
from mixsafe_cli.options.row_options import RowOptions

if TYPE_CHECKING:
    from mixsafe.io.columns.reading import Reading

_option = panel()
_data = panel("Data")
_zone = panel("Mix zones")
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
    format: str | None = _data(
        lambda: f"{FORMATS.help()}. Default: by content.",
        metavar="NAME",
        autocompletion=offering(FORMATS.names),
    )
    tz: str | None = _data(
        "Time zone of days, and of times without one, as Asia/Tokyo. Default: the data's."
    )
    similar_names: str | None = _data(
        "What names are that differ only in case, leading zeros or the like: the same name, or"
        " different ones. Default: they are refused.",
        **one_of(SIMILAR),
    )
    column: list[str] | None = _data(
        "Name of a column, as user_id=driver; may be repeated. Meanings: user_id, time, time_id,"
        " lat (or y), lon (or x), geometry, reg_id (places by number or name).",
        metavar="MEANING=NAME",
    )
    crs: str | None = _data(
        "Reference system of a table's coordinates; metres: a plane without a place on the Earth."
        " Default: the file's, else degrees.",
        metavar="EPSG:CODE|metres",
    )
    keep_together: bool = _data(
        "Users who are always together are different people. Default: they are one person twice,"
        " such as a phone and a watch, and are merged.",
        default=False,
    )
    memory_limit: str | None = _data(
        "Memory for reading and finding mix zones, as 2GB; larger tables are sorted on disk."
        " Default: half of the machine's.",
        metavar="SIZE",
    )

    @property
    def memory(self) -> int:
        """Memory that reading and finding mix zones may take, bytes."""
        from mixsafe.spill.memory import default_memory, parse_memory

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
        check_choice("--format", self.format, FORMATS.names())
        check_similar(self.similar_names)
        column_names(self.column)
        if self.memory_limit is not None:
            from mixsafe.spill.memory import parse_memory

            try:
                parse_memory(self.memory_limit)
            except InputError as error:
                raise InputError(f"--memory-limit: {error.message}", hint=error.hint) from None


@dataclasses.dataclass(frozen=True)
class SourceOptions(DataOptions, ExchangeOptions):
    """The data, which part of them counts, and the definition of a mix zone."""

    users: int | None = _data("Random sample of N users.")
    user_list: Path | None = _data("Only these users: a file with a name per line.")
    start: str | None = _data("From this time on: ISO 8601, Unix seconds or time_id.")
    end: str | None = _data("Before this time.")
    days: int | None = _data("N times 24 hours from the start.")
    steps_per_day: int | None = _data("Steps of a day if times are numbers. Default: 20.")
    seed: int = _data("Seed of random numbers.", default=0, max=MOST_SEED)
    places: Path | None = _zone(
        "Mix zones are these places: GeoJSON or GeoPackage of polygons, or of points with a radius."
        " With --cell-size or --cells, cells elsewhere are mix zones, too.",
    )
    cell_size: float | None = _zone("Side of grid cells, metres. Default: 100.")
    cells: str | None = _zone(
        "H3 cells of resolution N, 0 to 15, instead; 9 is about 0.1 square km.", metavar="h3:N"
    )
    time_step: int | None = _zone("Length of a time step, seconds. Default: 60.")
    min_users: int | None = _zone("Fewest users of a mix zone. Default: 2.")
    no_meetings: bool = _exchange(
        "Pseudonyms change by --rotate only, not in mix zones.", default=False
    )
    temporary_folder: Path | None = _data(
        "Folder for sorting larger tables. Default: the system's.", metavar="DIR"
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
        check_positive(self, "users", "days", "steps_per_day")
        check_units(self)
        if self.min_users is not None and self.min_users < 2:
            raise InputError(f"--min-users {self.min_users}: a mix zone needs two users or more")
        if self.days is not None:
            refuse(self, "--days says where the data end already", "end")
        check_file("--user-list", self.user_list)
        check_file("--places", self.places)
        if self.users is not None:
            refuse(self, "--users takes a random sample", "user_list")
        check_not_negative(self, "seed")
        self.check_exchanges()
        if self.no_meetings and self.rotate is None:
            raise InputError(
                "--no-meetings leaves no exchange", hint="say when pseudonyms change: --rotate"
            )
        folder = self.temporary_folder
        if folder is not None and not folder.is_dir():
            raise InputError("no such folder, given with --temporary-folder", file=folder)


@dataclasses.dataclass(frozen=True)
class ComparedSource(SourceOptions):
    """Data that a certificate's problem is compared with."""

    source: Path | None = _data("Data to compare with, read by these options.", metavar="SOURCE")
    further: list[Path] | None = _data(
        "More files of the same traces; may be repeated.", "--source-too", metavar="SOURCE"
    )
    knowledge: Path | None = _data("Of an audit: who was seen. Then --source is the release.")
    exchange: str = _data("Of an audit, as there.", default="zones", metavar="|".join(EXCHANGES))
    sets_meet: bool = _option("Of an audit, as there.", default=False)
    gaps: str | None = _data("Of an audit, as there.", metavar="READING")

    def check(self) -> None:
        """Refuse values that cannot be right, and options without a source.

        Raises
        ------
        InputError
            As :meth:`SourceOptions.check`.
        """
        if self.source is None and self != ComparedSource():
            raise InputError("options say how to read data, and there is no --source")
        check_file("--knowledge", self.knowledge)
        if self.knowledge is not None:
            refuse(self, "an audit says --exchange none", "no_meetings")
        check_choice("--exchange", self.exchange, EXCHANGES)
        check_choice("--gaps", self.gaps, GAPS)
        super().check()
