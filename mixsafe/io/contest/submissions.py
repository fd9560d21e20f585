"""Files of a tournament by their names: what is handed out, and what teams hand in."""

from __future__ import annotations

import re
from pathlib import Path

from mixsafe.errors import InputError

DATA_SET = "data02_TRP"
"""The contest's name of data sets for trace inference, which the first award goes by."""


def set_name(kind: str, number: int) -> str:
    """File of a team's data set: ``orgtraces_team001_data02_TRP.csv``."""
    return f"{kind}_team{number:03d}_{DATA_SET}.csv"


def find_submission(folder: Path, start: str) -> Path | None:
    """The one file in a folder whose name starts so; None if there is none.

    Parameters
    ----------
    start
        Such as ``anotraces`` or ``etable_team001-002``; what follows in the name is free.

    Raises
    ------
    InputError
        There is no such folder, or there are two such files.
    """
    if not folder.is_dir():
        raise InputError("there is no such folder", file=folder)
    found = sorted(folder.glob(f"{start}[._]*csv"))
    if len(found) > 1:
        raise InputError(
            f"{found[0].name} and {found[1].name} are both there",
            file=folder,
            hint="leave the one that counts",
        )
    return found[0] if found else None


def find_sets(folder: Path) -> list[tuple[Path, Path]]:
    """Original and reference traces of each team, in the order of their numbers.

    Raises
    ------
    InputError
        There are none, two of a team, or one of the two is missing.
    """
    kinds = [_by_number(folder, kind) for kind in ("orgtraces", "reftraces")]
    if not kinds[0]:
        raise InputError("there are no files orgtraces_team001….csv", file=folder)
    for number in sorted(set(kinds[0]) ^ set(kinds[1])):
        kind = "reftraces" if number in kinds[0] else "orgtraces"
        raise InputError(f"there are no {kind} of team {number:03d}", file=folder)
    return [(kinds[0][number], kinds[1][number]) for number in sorted(kinds[0])]


def _by_number(folder: Path, kind: str) -> dict[int, Path]:
    """Files of a kind by the number of their team."""
    found: dict[int, Path] = {}
    for path in sorted(folder.glob(f"{kind}_team*.csv")):
        match = re.match(rf"{kind}_team(\d+)", path.name)
        if match is None:
            continue
        number = int(match[1])
        if number in found:
            raise InputError(
                f"{found[number].name} and {path.name} are of one team",
                file=folder,
                hint="a tournament has one data set for each team",
            )
        found[number] = path
    return found
