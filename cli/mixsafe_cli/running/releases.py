"""A release as a command names it, with the options that say how to read it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mixsafe_cli.options.audit_options import ReleaseOptions
from mixsafe_cli.options.checks import chosen_cells, refuse, refuse_together
from mixsafe_cli.standard_streams import as_file

if TYPE_CHECKING:
    from mixsafe.from_files.released import Released
    from mixsafe_cli.options.source_options import SourceOptions


def release_of(source: SourceOptions, release: Path) -> ReleaseOptions:
    """Options of a release, where it is named as a source of traces is."""
    said = vars(ReleaseOptions(release)) | {
        name: value
        for name, value in vars(source).items()
        if name in ReleaseOptions.__dataclass_fields__ and value is not None
    }
    return ReleaseOptions(**said)


def released(
    options: ReleaseOptions,
    *,
    sets_meet: bool = False,
    meetings: bool = True,
    exchanged: bool = True,
) -> Released:
    """Read the contest's form, or a table of pseudonyms, times and places.

    Parameters
    ----------
    sets_meet
        Whether tracks that show the same set of regions meet, too.
    meetings
        Whether pseudonyms are exchanged where tracks meet, and not by ``--rotate`` only.
    exchanged
        False: pseudonyms never change.

    Raises
    ------
    InputError
        The file cannot be used, or an option does not apply to it.
    """
    from mixsafe.from_files.released import in_contest_form, read_release
    from mixsafe.io.columns.reading import Reading
    from mixsafe_cli.options.contest_options import read_rules

    path, part = as_file(options.release), options.part
    rules = options.rules(meetings=meetings or options.rotate is None)
    if part.reading == Reading() and in_contest_form(path):
        why = f"places in {path} are regions, and its times are steps"
        refuse(options, why, "cell_size", "cells", "time_step", "places")
        n_regions = read_rules(options.regions).regions.count
        return read_release(
            path,
            n_regions=n_regions,
            sets_meet=sets_meet,
            part=part,
            rules=rules,
            exchanged=exchanged,
        )
    given: dict[str, object] = {"--regions": options.regions, "--sets-meet": sets_meet}
    refuse_together(given, f"{path} has no such regions")
    cells = chosen_cells(options.cell_size, options.cells)
    step = options.time_step or 60
    return read_release(
        path, cell_size=cells, time_step=step, part=part, rules=rules, exchanged=exchanged
    )
