"""Reader of lists of users: a name per line, or a table that says who is kept."""

from __future__ import annotations

import os
from collections.abc import Iterator

from mixsafe.errors import InputError
from mixsafe.io.files.content import text_head_of
from mixsafe.io.files.csv_records import records

_HEADERS = (["user_id"], ["uid"])


def line_of(path: str | os.PathLike[str], name: str) -> int | None:
    """The first line with a given name in a list of users; None: there is none."""
    return next((line for line, said in _names(path) if said == name), None)


def read_user_list(path: str | os.PathLike[str]) -> list[str]:
    """Read names of users, one per line; the first line may be the header ``user_id``.

    A table with columns ``user_id`` and ``kept``, as ``mixsafe protect`` writes it, is read as the
    list of those who are kept.

    Raises
    ------
    InputError
        The file cannot be read, a line has more than one field, or there is no name.
    """
    text_head_of(path)
    names = [name for _, name in _names(path) if name]
    if not names:
        raise InputError("the file contains no names of users", file=path)
    return names


def _names(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Names of users with their lines."""
    head: list[str] = []
    for line, fields in records(path):
        cells = [one.strip() for one in fields]
        if not head:
            head = cells
            if head in _HEADERS or head[:2] == ["user_id", "kept"]:
                continue
            head = ["user_id"]
        if len(cells) != len(head):
            raise InputError(
                f"{len(cells)} fields instead of {len(head)}",
                file=path,
                line=line,
                hint="one name per line",
            )
        if len(head) == 1 or _is_kept(cells[1], path, line):
            yield line, cells[0]


def _is_kept(said: str, path: str | os.PathLike[str], line: int) -> bool:
    if said.lower() not in ("true", "false"):
        raise InputError(f"kept is '{said}'", file=path, line=line, hint="write true or false")
    return said.lower() == "true"
