"""Options of ``mixsafe protect`` alone: which remedies are tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mixsafe.errors import InputError
from mixsafe.model.numerals import MOST_WHOLE, is_decimal
from mixsafe_cli.options.checks import number
from mixsafe_cli.options.declaring import CheckedOptions, excludes
from mixsafe_cli.options.records import panel

if TYPE_CHECKING:
    from mixsafe.geometry.grid import CellSize

_remedy = panel("Remedies")


@dataclass(frozen=True)
class RemedyOptions(CheckedOptions):
    """Remedies to try."""

    leave_out: bool = _remedy(
        "Only leave people out: the largest group that passes.",
        default=False,
        constraints=(
            excludes(
                *("cell_sizes", "time_steps", "rotations", "all_rungs"),
                why="--leave-out tries nothing else",
            ),
        ),
    )
    cell_sizes: str | None = _remedy(
        "Larger cells to try, metres or h3:N. Default: 2, 4, 8 and 16 times --cell-size.",
        metavar="M1,M2",
    )
    time_steps: str | None = _remedy(
        "Longer steps to try, seconds. Default: 2, 5, 15 and 60 times --time-step.", metavar="S1,S2"
    )

    rotations: str | None = _remedy(
        "Schedules to try, as of --rotate, or none. Default: weekly, daily, every:6h, every:1h; of"
        " numbered steps weekly, daily, and parts of a day.",
        metavar="S1,S2",
    )
    all_rungs: bool = _remedy(
        "Decide all larger cells, longer steps and rotations, also where a milder one passes.",
        default=False,
    )

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            A size, a length or a schedule that is none.
        """
        super().check()
        _ = self.larger, self.longer, self.schedules

    @property
    def larger(self) -> list[CellSize] | None:
        """Cells that are named; None: none are."""
        from mixsafe.geometry.grid import resolution_of

        if self.cell_sizes is None:
            return None
        found: list[CellSize] = []
        for text in self.cell_sizes.split(","):
            if text.startswith("h3"):
                resolution_of(text)
                found.append(text)
            else:
                found.append(_positive("--cell-sizes", text, "metres, as 200,400"))
        return found

    @property
    def longer(self) -> list[int] | None:
        """Lengths of steps that are named; None: none are."""
        if self.time_steps is None:
            return None
        hint = "whole seconds, as 300,900"
        found = [_positive("--time-steps", text, hint) for text in self.time_steps.split(",")]
        if any(one != int(one) for one in found):
            raise InputError(f"--time-steps '{self.time_steps}' is not whole", hint=f"write {hint}")
        return [int(one) for one in found]

    @property
    def schedules(self) -> list[str] | None:
        """Schedules that are named; None: the default ones."""
        from mixsafe.extract.exchange.rotation import Schedule

        if self.rotations is None:
            return None
        if self.rotations == "none":
            return []
        found = self.rotations.split(",")
        for text in found:
            Schedule.parse(text)
        return found


def _positive(option: str, text: str, hint: str) -> float:
    """A number above 0."""
    if not is_decimal(text):
        raise InputError(f"{option} '{text}' is not a number above 0", hint=f"write {hint}")
    return number(option, text, MOST_WHOLE)
