"""Options that say which exchanges of pseudonyms are possible."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from mixsafe.errors import InputError
from mixsafe_cli.options import shared
from mixsafe_cli.options.checks import check_file, number, refuse
from mixsafe_cli.options.declaring import CheckedOptions, not_negative
from mixsafe_cli.options.records import panel

if TYPE_CHECKING:
    from mixsafe.extract.exchange.rules import ExchangeRules

_exchange = panel("Exchanges")


@dataclass(frozen=True, kw_only=True)
class ExchangeOptions(CheckedOptions):
    """Which exchanges are possible; where users or tracks meet unless it is said otherwise."""

    max_speed: str | None = _exchange(
        "Nobody is faster: exchanges that would need more are not possible. FILE: CSV"
        " user_id,max_speed. Default: all exchanges are possible.",
        metavar="KMH|FILE",
    )
    error: float | None = _exchange(
        "Error of a fix, metres, with --max-speed. Default: 0.", constraints=(not_negative,)
    )
    max_step: Annotated[float | None, shared.MAX_STEP] = None
    rotate: Annotated[str | None, shared.ROTATE] = None

    @property
    def speed(self) -> float | None:
        """Greatest speed of everybody, km/h; None: a file says it, or there is none."""
        try:
            return None if self.max_speed is None else float(self.max_speed)
        except ValueError:
            return None

    @property
    def speed_file(self) -> Path | None:
        """File of the greatest speed of each user; None: there is none."""
        given = self.max_speed is not None and self.speed is None
        return Path(self.max_speed or "") if given else None

    def check(self) -> None:
        """Refuse limits and schedules that cannot be right.

        Raises
        ------
        InputError
            Says which option, and why.
        """
        super().check()
        check_file("--max-speed", self.speed_file)
        if self.speed is not None:
            if not self.speed > 0:
                raise InputError(f"--max-speed {self.max_speed} is not above 0")
            number("--max-speed", self.max_speed or "")
        if self.max_speed is not None:
            refuse(self, "--max-speed limits how far people get already", "max_step")

    def rules(self, *, meetings: bool = True) -> ExchangeRules:
        """Which exchanges are possible.

        Parameters
        ----------
        meetings
            Whether pseudonyms are exchanged in mix zones.

        Raises
        ------
        InputError
            The file of speeds cannot be used, or an error is given without a speed.
        """
        from mixsafe.extract.exchange.rules import ExchangeRules
        from mixsafe.io.problems.side_tables import read_speeds

        if self.max_speed is None:
            refuse(self, "it belongs to --max-speed", "error")
        file = self.speed_file
        return ExchangeRules(
            max_speed=self.speed if file is None else read_speeds(file),
            error=self.error or 0.0,
            max_step=self.max_step,
            rotate=self.rotate,
            meetings=meetings,
        )
