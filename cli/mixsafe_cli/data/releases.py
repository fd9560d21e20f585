"""A release as a command names it, with the options that say how to read it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mixsafe_cli.options.audit_options import PartOptions
from mixsafe_cli.options.checks import chosen_cells, refuse_together
from mixsafe_cli.standard_streams import as_file

if TYPE_CHECKING:
    from mixsafe.tasks.released import Released
    from mixsafe_cli.options.contest_options import UnitOptions
    from mixsafe_cli.options.source_options import SourceOptions


def part_of(source: SourceOptions) -> PartOptions:
    """Options of a release, where it is named as a source of traces is."""
    return PartOptions(
        source.format,
        source.column,
        source.users,
        source.start,
        source.end,
        source.days,
        source.tz,
        source.crs,
        source.fewest,
        source.places,
    )


def released(path: Path, sets_meet: bool, units: UnitOptions, options: PartOptions) -> Released:
    """Read the contest's form, or a table of pseudonyms, times and places.

    Raises
    ------
    InputError
        The file cannot be used, or an option does not apply to it.
    """
    from mixsafe.io.sources import Reading
    from mixsafe.tasks.released import in_contest_form, read_release
    from mixsafe_cli.options.contest_options import read_rules

    given: dict[str, object]
    elsewhere = units.cell_size is not None or units.cells is not None
    path, part = as_file(path), options.part(units.steps_per_day, elsewhere)
    if part.reading == Reading() and in_contest_form(path):
        given = {
            "--cell-size": units.cell_size,
            "--cells": units.cells,
            "--time-step": units.time_step,
            "--places": options.places,
        }
        refuse_together(given, f"places in {path} are regions, and its times are steps")
        n_regions = read_rules(units.regions).regions.count
        return read_release(path, n_regions=n_regions, sets_meet=sets_meet, part=part)
    given = {"--regions": units.regions, "--sets-meet": sets_meet}
    refuse_together(given, f"{path} has no such regions")
    time_step = units.time_step or 60
    cells = chosen_cells(units.cell_size, units.cells)
    return read_release(path, cell_size=cells, time_step=time_step, part=part)
