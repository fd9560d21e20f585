"""A release as a command names it, with the options that say how to read it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mixsafe_cli.options.checks import refuse_together

if TYPE_CHECKING:
    from mixsafe.tasks.released import Released


def released(
    path: Path,
    regions: Path | None,
    sets_meet: bool,
    cell_size: float | None,
    time_step: int | None,
) -> Released:
    """Read the contest's form, or a table of pseudonyms, times and places.

    Raises
    ------
    InputError
        The file cannot be used, or an option does not apply to it.
    """
    from mixsafe.tasks.released import in_contest_form, read_release
    from mixsafe_cli.options.contest_options import read_rules

    if in_contest_form(path):
        given: dict[str, object] = {"--cell-size": cell_size, "--time-step": time_step}
        refuse_together(given, f"places in {path} are regions, and its times are steps")
        n_regions = read_rules(regions).regions.count
        return read_release(path, n_regions=n_regions, sets_meet=sets_meet)
    refuse_together({"--regions": regions, "--sets-meet": sets_meet}, f"{path} has no such regions")
    cell_metres = 100.0 if cell_size is None else cell_size
    return read_release(path, cell_size=cell_metres, time_step=time_step or 60)
