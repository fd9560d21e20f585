"""The errors that mixsafe raises on purpose; everything else is a bug."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

_LONGEST = 80
"""Characters of a column's name that a message shows."""


class MixsafeError(Exception):
    """Parent of all errors that mixsafe raises on purpose."""


class InputNote(UserWarning):
    """A note on an input, for its author, that does not change the result."""


class InputError(MixsafeError, ValueError):
    """Input that cannot be used: one line that names the place at fault and the way out.

    Parameters
    ----------
    message
        What is wrong, in words, with the value received.
    file
        The file at fault, if the input came from one.
    line
        Line in that file, counted from 1, the header included.
    column
        Name of the column (or the key of a JSON object) at fault.
    hint
        What to do about it.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | os.PathLike[str] | None = None,
        line: int | None = None,
        column: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.message = message
        self.file = None if file is None else os.fspath(file)
        self.line = line
        self.column = column
        self.hint = hint
        super().__init__(self._one_line())

    def about(self, file: str | os.PathLike[str], line: int | None = None) -> Self:
        """The same error, and the file that it is about, unless it names one already."""
        if self.file is None:
            self.file, self.line = os.fspath(file), line if self.line is None else self.line
            self.args = (self._one_line(),)
        return self

    def advising(self, hint: str | None) -> Self:
        """The same error, with another hint."""
        self.hint = hint
        self.args = (self._one_line(),)
        return self

    def _one_line(self) -> str:
        place = [] if self.file is None else [self.file]
        if self.line is not None:
            place.append(f"line {self.line}")
        if self.column is not None:
            place.append(f"column '{self.column[:_LONGEST]}'")
        text = f"{', '.join(place)}: {self.message}" if place else self.message
        if self.hint is not None:
            text = f"{text}; {self.hint}"
        # Cells of a file may hold what would upset a terminal.
        return printable(" ".join(text.split()))


class SpanError(InputError):
    """Data that reach too far in time: more steps, or days, than can be counted."""


@contextmanager
def about(file: str | os.PathLike[str]) -> Iterator[None]:
    """Errors about input in the block name this file, unless they name another one."""
    try:
        yield
    except InputError as error:
        raise error.about(file) from None


def printable(text: str) -> str:
    """A text with escape sequences in place of unprintable characters.

    Terminals interpret control characters, direction marks reverse text, and names that differ only
    in such characters look the same. Line breaks stay.
    """
    return "\n".join("".join(map(_printable, line)) for line in text.split("\n"))


def _printable(letter: str) -> str:
    """The letter, or its escape sequence if it is unprintable."""
    return letter if letter.isprintable() else ascii(letter)[1:-1]


def reason_of(error: OSError) -> str:
    """The system's error message, in lower case, as a part of a sentence."""
    return (error.strerror or str(error)).lower()
