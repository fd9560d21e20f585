"""Files of a tournament by name: those handed out and those submitted by teams.

A name contains the kind, the team and the data set: ``orgtraces_team001_data02_TRP.csv``. A
submission without a data set in its name counts for every challenge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mixsafe.errors import InputError


@dataclass(frozen=True)
class DataSetName:
    """A data set, as file names refer to it.

    Parameters
    ----------
    name
        Such as ``data02_TRP``.
    known
        All data sets of the tournament, including this one.
    """

    name: str
    known: Sequence[str]

    def file(self, kind: str, number: int) -> str:
        """File name of a team's data set: ``orgtraces_team001_data02_TRP.csv``."""
        return f"{kind}_team{number:03d}_{self.name}.csv"

    def names(self, path: Path) -> bool:
        """True if a file's name contains this data set or none.

        Raises
        ------
        InputError
            The data set in the name is unknown.
        """
        found = re.search(r"_(data\d+(?:_[A-Za-z]+)?)", path.stem)
        if found is not None and found[1] not in self.known:
            hint = f"name it {' or '.join(self.known)}"
            raise InputError(f"unknown data set '{found[1]}'", file=path, hint=hint)
        return found is None or found[1] == self.name


def find_submission(folder: Path, start: str, of: DataSetName, team: int) -> Path | None:
    """Find the one file in a folder whose name has a prefix; None if there is none.

    Parameters
    ----------
    start
        Prefix, such as ``anotraces`` or ``etable_team001-002``.
    of
        The challenge's data set; files of other data sets are ignored.
    team
        Number of the team that owns the folder.

    Raises
    ------
    InputError
        The folder does not exist, there are two such files, or the name contains another team or
        an unknown data set.
    """
    if not folder.is_dir():
        raise InputError("the folder does not exist", file=folder)
    found = [path for path in sorted(folder.glob(f"{start}[._]*csv")) if of.names(path)]
    if len(found) > 1:
        raise InputError(
            f"{found[0].name} and {found[1].name} are both submitted",
            file=folder,
            hint="remove one of them",
        )
    for path in found:
        said = re.search(r"_team(\d+)", path.name)
        if said is not None and int(said[1]) != team:
            raise InputError(f"the file is of team {said[1]}, not of team {team:03d}", file=path)
    return found[0] if found else None


def check_attackers(folder: Path, of: DataSetName, team: int) -> None:
    """Refuse answers that a file's name gives to another team: they would count for nobody.

    Raises
    ------
    InputError
        Names a file such as ``etable_team003-001.csv`` in the folder of team 2.
    """
    for kind in ("etable", "etraces"):
        for path in sorted(folder.glob(f"{kind}_team*csv")):
            said = re.match(rf"{kind}_team(\d+)-\d+", path.name)
            if said is not None and int(said[1]) != team and of.names(path):
                raise InputError(f"this is of team {said[1]}, not of team {team:03d}", file=path)


def find_sets(folder: Path, of: DataSetName) -> list[tuple[Path, Path]]:
    """Find the original and reference traces of each team, sorted by team number.

    Files of other challenges' data sets are ignored; the result may be empty.

    Raises
    ------
    InputError
        A team has two files of a kind or lacks one, or a name contains an unknown data set.
    """
    kinds = [_by_number(folder, kind, of) for kind in ("orgtraces", "reftraces")]
    for number in sorted(set(kinds[0]) ^ set(kinds[1])):
        kind = "reftraces" if number in kinds[0] else "orgtraces"
        raise InputError(f"{kind} of team {number:03d} are missing", file=folder)
    return [(kinds[0][number], kinds[1][number]) for number in sorted(kinds[0])]


def _by_number(folder: Path, kind: str, of: DataSetName) -> dict[int, Path]:
    """Files of a kind by team number."""
    found: dict[int, Path] = {}
    for path in sorted(folder.glob(f"{kind}_team*.csv")):
        match = re.match(rf"{kind}_team(\d+)", path.name)
        if match is None or not of.names(path):
            continue
        number = int(match[1])
        if number in found:
            raise InputError(
                f"{found[number].name} and {path.name} are of the same team",
                file=folder,
                hint="keep one data set per team and challenge",
            )
        found[number] = path
    return found
