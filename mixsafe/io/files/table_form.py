"""What the user says of the files of a table: names of columns, and which files there are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath

from mixsafe.errors import InputError
from mixsafe.io.files.json_text import half_error, has_half

_PLACE = re.compile(r"\{(?P<column>[^{}/*]+)\}|(?P<any>\*\*|\*)")


@dataclass(frozen=True)
class TableForm:
    """What the user says of a table without a header, and of tables in many files.

    Parameters
    ----------
    columns
        Names of the columns of each file, in order, if these have no header; ``_`` is a column that
        is not needed. Empty: they have one.
    files
        Which files of a folder are read: a path in it, with ``*`` for any part of a name, and
        ``{user_id}`` for a part that is the value of that column, as in
        ``{user_id}/Trajectory/*.plt``. None: tables, by their endings.
    layer
        Which layer of each file is read; None: the only one.

    Raises
    ------
    InputError
        A column is named twice.
    """

    columns: tuple[str, ...] = ()
    files: str | None = None
    layer: str | None = None

    def __post_init__(self) -> None:
        named = [name for name in self.columns if name != "_"]
        twice = [name for name in named if named.count(name) > 1]
        if twice:
            raise InputError(f"--columns names '{twice[0]}' twice")
        if "" in named or (self.columns and not named):
            hint = "as in user_id,time,lat,lon; _ is a column that is not needed"
            raise InputError("--columns has an empty name", hint=hint)
        if self.files is not None:
            _ = self._pattern

    @classmethod
    def said(cls, columns: str | None, files: str | None) -> TableForm:
        """The form of texts: names of columns with commas between them, and a pattern of files.

        Raises
        ------
        InputError
            A column has no name, or is named twice, or the pattern is none.
        """
        names = () if columns is None else tuple(one.strip() for one in columns.split(","))
        return cls(names, files)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """What paths of files look like.

        Raises
        ------
        InputError
            It names a column twice.
        """
        pattern, begin, named = "", 0, set()
        text = (self.files or "").removeprefix("./")
        for found in _PLACE.finditer(text):
            pattern += re.escape(text[begin : found.start()])
            begin = found.end()
            if found["any"]:
                pattern += ".*" if found["any"] == "**" else "[^/]*"
            elif found["column"] in named:
                raise InputError(f"--files '{self.files}' names '{found['column']}' twice")
            else:
                named.add(found["column"])
                pattern += "([^/]+)"
        return re.compile(pattern + re.escape(text[begin:]))

    def values_of(self, path: PurePath) -> dict[str, str] | None:
        """Values of columns that the path of a file in its folder says; None: it is not read.

        Raises
        ------
        InputError
            A value is not UTF-8.
        """
        found = self._pattern.fullmatch(path.as_posix())
        if found is None:
            return None
        if any(map(has_half, found.groups())):
            raise half_error(path.name, path.parent)
        names = [one["column"] for one in _PLACE.finditer(self.files or "") if one["column"]]
        return dict(zip(names, found.groups(), strict=True))
