"""Files of a tournament by their names: what is handed out, and what teams hand in.

A name says the kind, the team and the data set: ``orgtraces_team001_data02_TRP.csv``. What teams
hand in may leave out the data set; it then counts for every challenge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mixsafe.errors import InputError


@dataclass(frozen=True)
class DataSetName:
    """A data set in names of files.

    Parameters
    ----------
    name
        Such as ``data02_TRP``.
    known
        All that there are, this one too.
    """

    name: str
    known: Sequence[str]

    def file(self, kind: str, number: int) -> str:
        """File of a team's data set: ``orgtraces_team001_data02_TRP.csv``."""
        return f"{kind}_team{number:03d}_{self.name}.csv"

    def names(self, path: Path) -> bool:
        """Whether a file is of this data set, or does not say of which.

        Raises
        ------
        InputError
            It names a data set that there is not.
        """
        found = re.search(r"_(data\d+(?:_[A-Za-z]+)?)", path.stem)
        if found is not None and found[1] not in self.known:
            hint = f"name it {' or '.join(self.known)}"
            raise InputError(f"there is no data set '{found[1]}'", file=path, hint=hint)
        return found is None or found[1] == self.name


def find_submission(folder: Path, start: str, of: DataSetName, team: int) -> Path | None:
    """The one file in a folder whose name starts so; None if there is none.

    Parameters
    ----------
    start
        Such as ``anotraces`` or ``etable_team001-002``.
    of
        The challenge's data set; files that name another one do not count.
    team
        Whose folder it is.

    Raises
    ------
    InputError
        There is no such folder, there are two such files, or the name says another team or a data
        set that there is not.
    """
    if not folder.is_dir():
        raise InputError("there is no such folder", file=folder)
    found = [path for path in sorted(folder.glob(f"{start}[._]*csv")) if of.names(path)]
    if len(found) > 1:
        raise InputError(
            f"{found[0].name} and {found[1].name} are both there",
            file=folder,
            hint="leave the one that counts",
        )
    for path in found:
        said = re.search(r"_team(\d+)", path.name)
        if said is not None and int(said[1]) != team:
            raise InputError(f"this is of team {said[1]}, not of team {team:03d}", file=path)
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
    """Original and reference traces of each team, in the order of their numbers.

    Files that name another challenge's data set do not count; there may be none that do.

    Raises
    ------
    InputError
        Two of a team, one of the two is missing, or a name says a data set that there is not.
    """
    kinds = [_by_number(folder, kind, of) for kind in ("orgtraces", "reftraces")]
    for number in sorted(set(kinds[0]) ^ set(kinds[1])):
        kind = "reftraces" if number in kinds[0] else "orgtraces"
        raise InputError(f"there are no {kind} of team {number:03d}", file=folder)
    return [(kinds[0][number], kinds[1][number]) for number in sorted(kinds[0])]


def _by_number(folder: Path, kind: str, of: DataSetName) -> dict[int, Path]:
    """Files of a kind by the number of their team."""
    found: dict[int, Path] = {}
    for path in sorted(folder.glob(f"{kind}_team*.csv")):
        match = re.match(rf"{kind}_team(\d+)", path.name)
        if match is None or not of.names(path):
            continue
        number = int(match[1])
        if number in found:
            raise InputError(
                f"{found[number].name} and {path.name} are of one team",
                file=folder,
                hint="a tournament has one data set for each team and challenge",
            )
        found[number] = path
    return found
