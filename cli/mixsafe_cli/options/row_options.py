"""Options that say which rows and files are data, and what their columns are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from mixsafe_cli.options import shared
from mixsafe_cli.options.declaring import CheckedOptions
from mixsafe_cli.options.records import panel

if TYPE_CHECKING:
    from mixsafe.io.columns.reading import RowRules
    from mixsafe.io.files.table_form import TableForm

_data = panel("Data")


@dataclass(frozen=True, kw_only=True)
class FormOptions(CheckedOptions):
    """What tables do not say: names of columns, which files are read, the order of dates."""

    columns: str | None = _data(
        "Names of the columns of text without a header, in order, as user_id,time,lat,lon; _ is a"
        " column that is not needed.",
        metavar="N1,N2",
    )
    file_pattern: str | None = _data(
        "Files of a folder that are read, * for any part of a name, {user_id} for the user:"
        " '{user_id}/Trajectory/*.plt'. Default: all .csv and .parquet.",
        "--files",
        metavar="PATTERN",
    )
    day_first: bool = _data(
        "Dates with the year last have the day first, as 31.12.2024; in all tables.",
        default=False,
    )
    month_first: bool = _data("They have the month first, as 12/31/2024.", default=False)

    @property
    def table_form(self) -> TableForm:
        """What is said of tables, for readers.

        Raises
        ------
        InputError
            A name of a column is empty or said twice.
        """
        from mixsafe.io.files.table_form import TableForm

        return TableForm.said(self.columns, self.file_pattern)


@dataclass(frozen=True, kw_only=True)
class RowOptions(FormOptions):
    """Which rows of the data are skipped; those without a position always are."""

    keep_null_island: Annotated[bool, shared.KEEP_NULL_ISLAND] = False
    drop_spikes: float | None = _data(
        "Drop jumps to a place and back that are faster. Default: they are kept; those above"
        " 1,000 km/h are counted.",
        metavar="KMH",
    )
    skip_bad: Annotated[bool, shared.SKIP_BAD] = False
    most_bad: Annotated[str | None, shared.MOST_BAD] = None

    layer: str | None = _data(
        "Layer that is read of files with several, such as GeoPackages. Default: the only one.",
        metavar="NAME",
    )

    @property
    def table_form(self) -> TableForm:
        """What is said of files, for readers.

        Raises
        ------
        InputError
            As :attr:`FormOptions.table_form`.
        """
        return replace(super().table_form, layer=self.layer)

    @property
    def row_rules(self) -> RowRules:
        """The rules, for readers.

        Raises
        ------
        InputError
            A speed that is not positive, a number or share of rows that is none, or two orders of
            dates.
        """
        from mixsafe.io.columns.reading import RowRules
        from mixsafe.model.mobility.instant import date_order

        order = date_order(self.day_first, self.month_first)
        return RowRules(
            self.keep_null_island, self.drop_spikes, self.skip_bad, self.most_bad, order
        )
