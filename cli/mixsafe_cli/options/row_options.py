"""Options that say what becomes of rows that are no data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mixsafe_cli.options.records import panel

if TYPE_CHECKING:
    from mixsafe.io.columns.row_rules import RowRules

_data = panel("Data")


@dataclass(frozen=True, kw_only=True)
class RowOptions:
    """Which rows of the data are skipped; those without a position always are."""

    keep_null_island: bool = _data(
        "Latitude 0, longitude 0 is a place. Default: it stands for no position, and is skipped.",
        default=False,
    )
    drop_spikes: float | None = _data(
        "Drop jumps to a place and back that are faster. Default: they are kept; those above"
        " 1,000 km/h are counted.",
        metavar="KMH",
    )
    skip_bad: bool = _data(
        "Skip rows that cannot be read, and count them. Default: the first one is refused.",
        default=False,
    )
    most_bad: str | None = _data(
        "Most rows that --skip-bad may skip: a number or a share. Default: 1%.", metavar="N|P%"
    )

    day_first: bool = _data(
        "Dates with the year last have the day first, as 31.12.2024; also in files of sightings.",
        default=False,
    )
    month_first: bool = _data("They have the month first, as 12/31/2024.", default=False)

    @property
    def row_rules(self) -> RowRules:
        """The rules, for readers.

        Raises
        ------
        InputError
            A speed that is not positive, a number or share of rows that is none, or two orders of
            dates.
        """
        from mixsafe.io.columns.row_rules import RowRules
        from mixsafe.model.mobility.instant import date_order

        order = date_order(self.day_first, self.month_first)
        return RowRules(
            self.keep_null_island, self.drop_spikes, self.skip_bad, self.most_bad, order
        )
