"""Advice of a refusal that the command which ran can follow.

Readers are shared by all commands, and their hints name options that not every command has. What
names such an option is left out, unless it names the program or the command that has it.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_PROGRAM = re.compile(r"\b(mixsafe|dask) [a-z]")
_OF_ALL = frozenset({"--config", "--debug", "--help", "--help-all", "--spreadsheet", "--verbose"})


def followed(hint: str, options: Collection[str]) -> str | None:
    """The parts of a hint that a command with these options can follow; None: there is none.

    Examples
    --------
    >>> followed("check for a missing quote; or skip such rows with --skip-bad", ["--seed"])
    'check for a missing quote'
    >>> followed("the columns are a, b: name it with --column time=NAME", ["--seed"])
    'the columns are a, b'
    """
    known = _OF_ALL | {*options}
    parts = []
    for part in hint.split("; "):
        if _PROGRAM.search(part) or known.issuperset(_OPTION.findall(part)):
            parts.append(part)
        elif ": " in part:
            first = part.rpartition(": ")[0]
            parts += [first] if known.issuperset(_OPTION.findall(first)) else []
    return "; ".join(parts).removeprefix("or ") or None
