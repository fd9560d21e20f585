"""A tournament that is held again, compared with the files of the first time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mixsafe.errors import InputError
from mixsafe.from_files.tournaments.folder import STANDINGS, write_all
from mixsafe.from_files.tournaments.holding import HeldChallenge
from mixsafe.io.files.content import whole

_OF_TEAMS = "*_team[0-9]*.csv"
"""Files that the judge hands out, publishes or keeps."""

_LONGEST = 60
"""Characters of a line, or of a value, in a message."""


def check_settings(file: Path, committed: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Refuse teams, data or regions that are not those that the judge committed to.

    Parameters
    ----------
    file
        What holds the committed settings.

    Raises
    ------
    InputError
        Names the first setting that differs, and what of it.
    """
    if committed.keys() != found.keys():
        raise InputError("these are settings of another version of mixsafe", file=file)
    for name, value in found.items():
        place = _difference(committed[name], value, name)
        if place is not None:
            raise InputError(
                f"the judge committed to other {place}", file=file, hint="give those of then"
            )


def check_files(folder: Path, held: Sequence[HeldChallenge], answer: dict[str, Any]) -> int:
    """Compare the files of a tournament with those of its replay, and count them.

    Parameters
    ----------
    folder
        Of the first time.
    held, answer
        Of the replay, as :func:`mixsafe.from_files.tournaments.folder.write_all` takes them.

    Raises
    ------
    InputError
        Names the first file and line that differ, a file that is missing, or one too many.
    """
    with TemporaryDirectory() as name:
        again = Path(name)
        write_all(again, held, answer)
        made = sorted(path.relative_to(again) for path in again.rglob("*") if path.is_file())
        surplus = {path.relative_to(folder) for path in folder.rglob(_OF_TEAMS)} - set(made)
        for part in sorted(surplus):
            raise InputError("the replay makes no such file", file=folder / part)
        # Tables of scores last: what they are made from tells more.
        for part in sorted(made, key=lambda path: (len(path.parts) == 1, path)):
            if part.name == STANDINGS:
                _compare_standings(folder / part, again / part)
            else:
                _compare_lines(folder / part, again / part)
    return len(made)


def _compare_lines(found: Path, expected: Path) -> None:
    """Compare text line by line; line ends do not count."""
    pairs = zip_longest(_lines(found), _lines(expected))
    for number, (line, wanted) in enumerate(pairs, 1):
        if line != wanted:
            raise InputError(
                f"{_short(line)} where the replay has {_short(wanted)}", file=found, line=number
            )


def _lines(path: Path) -> Iterator[str]:
    """Lines of a file, without their ends."""
    yield from whole(path).decode("utf-8", "replace").splitlines()


def _short(value: object) -> str:
    """A line or a value in quotes; nothing where there is none."""
    text = "nothing" if value is None else f"'{value}'"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 2]}…'"


def _compare_standings(found: Path, expected: Path) -> None:
    """Compare answers, but for the command, the versions and the inputs that made them."""
    ours, theirs = (_standings(path) for path in (expected, found))
    place = _difference(theirs, ours, "")
    if place is not None:
        raise InputError(f"{place} is not that of the replay", file=found)


def _standings(path: Path) -> dict[str, Any]:
    """An answer without its provenance."""
    try:
        answer = json.loads(whole(path).decode("utf-8"))
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise InputError("these are not the standings of a tournament", file=path)
    return {**answer, "provenance": None}


def _difference(found: object, expected: object, place: str) -> str | None:
    """Where two values of JSON differ first, ``challenges.0.teams.1.rank``; None: nowhere."""
    if isinstance(found, dict) and isinstance(expected, dict):
        pairs = [(key, found.get(key), expected.get(key)) for key in {**expected, **found}]
        if found.keys() != expected.keys() and all(one == other for _, one, other in pairs):
            return place  # a key without a value is there in one of them only
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        pairs = [(key, *pair) for key, pair in enumerate(zip(found, expected, strict=True))]
    else:
        return None if found == expected else place
    inner = (_difference(one, other, f"{place}.{key}".lstrip(".")) for key, one, other in pairs)
    return next((where for where in inner if where is not None), None)
