"""Lists of users: a name per line."""

from __future__ import annotations

import os

from mixsafe.errors import InputError
from mixsafe.io.files.content import text_head_of
from mixsafe.io.files.csv_records import records


def line_of(path: str | os.PathLike[str], name: str) -> int | None:
    """The first line of a list of users that has a name; None: there is none."""
    found = (line for line, fields in records(path) if [one.strip() for one in fields] == [name])
    return next(found, None)


def read_user_list(path: str | os.PathLike[str]) -> list[str]:
    """Names of users: a line each, the first of them may be the header ``user_id``.

    Raises
    ------
    InputError
        The file cannot be read, a line holds more than a name, or there is no name.
    """
    text_head_of(path)
    names = []
    for line, fields in records(path):
        if len(fields) != 1:
            raise InputError(
                f"{len(fields)} fields instead of 1", file=path, line=line, hint="a name per line"
            )
        names.append(fields[0].strip())
    if names[:1] in (["user_id"], ["uid"]):
        names = names[1:]
    names = [name for name in names if name]
    if not names:
        raise InputError("there is no name of a user in it", file=path)
    return names
