"""Reader of lists of users: a name per line."""

from __future__ import annotations

import os

from mixsafe.errors import InputError
from mixsafe.io.files.content import text_head_of
from mixsafe.io.files.csv_records import records


def line_of(path: str | os.PathLike[str], name: str) -> int | None:
    """The first line with a given name in a list of users; None: there is none."""
    found = (line for line, fields in records(path) if [one.strip() for one in fields] == [name])
    return next(found, None)


def read_user_list(path: str | os.PathLike[str]) -> list[str]:
    """Read names of users, one per line; the first line may be the header ``user_id``.

    Raises
    ------
    InputError
        The file cannot be read, a line has more than one field, or there is no name.
    """
    text_head_of(path)
    names = []
    for line, fields in records(path):
        if len(fields) != 1:
            raise InputError(
                f"{len(fields)} fields instead of 1",
                file=path,
                line=line,
                hint="one name per line",
            )
        names.append(fields[0].strip())
    if names[:1] in (["user_id"], ["uid"]):
        names = names[1:]
    names = [name for name in names if name]
    if not names:
        raise InputError("the file contains no names of users", file=path)
    return names
