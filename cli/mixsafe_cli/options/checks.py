"""Checks of option values before any long work; each reports an error in one line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from mixsafe.errors import InputError
from mixsafe.io.files.content import size_of
from mixsafe.model.numerals import MOST, integer_of, parse_decimal, parse_whole

if TYPE_CHECKING:
    from mixsafe.model.mobility.instant import DateOrder
    from mixsafe.model.mobility.time_axis import TimeAxis

Number = TypeVar("Number", int, float)


def given(options: object, *names: str) -> dict[str, Any]:
    """Values of fields of a record of options, by the names of the options."""
    return {f"--{name.replace('_', '-')}": getattr(options, name) for name in names}


def check_choice(option: str, value: str | None, choices: tuple[str, ...]) -> None:
    """Refuse a word that is not one of ``choices``.

    Raises
    ------
    InputError
        Another word.
    """
    if value is not None and value not in choices:
        raise InputError(f"{option} '{value}' is unknown", hint=f"use one of {', '.join(choices)}")


def check_file(option: str, path: Path | None) -> None:
    """Refuse a file that is not there.

    Raises
    ------
    InputError
        There is no such file, or it is a folder, a pipe or a device.
    """
    if path is None:
        return
    try:
        size_of(path)
    except InputError as error:
        raise InputError(f"{error.message}, given with {option}", file=path) from None


def number(option: str, text: str, most: float = MOST) -> float:
    """The number above 0, or nothing else, that a word of an option is.

    Raises
    ------
    InputError
        It is none, or out of range; names the option.
    """
    found = _said(option, parse_decimal, text, None, most)
    if found <= 0:
        raise InputError(f"{option} '{text}' is not above 0")
    return found


def whole(option: str, text: str, least: int | None = None) -> int:
    """The whole number that a word of an option is.

    Raises
    ------
    InputError
        It is none, or out of range; names the option.
    """
    return _said(option, parse_whole, text, least)


def _said(option: str, parse: Callable[..., Number], *given: object) -> Number:
    """The result of a parser, whose error names the option."""
    try:
        return parse(*given)
    except InputError as error:
        raise InputError(f"{option}: {error.message}") from None


def moments(at: str, axis: TimeAxis) -> list[int]:
    """Times of ``--at``: numbers of steps, or Unix seconds where the data have moments.

    Raises
    ------
    InputError
        One is no time of such data.
    """
    return [moment(word.strip(), axis) for word in at.split(",")]


def moment(word: str, axis: TimeAxis, option: str = "--at") -> int:
    """As :func:`moments`, of one; ``option``: who says it, if the message is to name it."""
    if axis.timed:
        return instant(word, axis.tz, axis.order, option)
    time = integer_of(word)
    if time is None:
        hint = "use time_ids: the data number their steps"
        raise InputError(f"{option} '{word}' is not a time".lstrip(), hint=hint)
    return time


def instant(
    word: str, tz: str = "UTC", order: DateOrder | None = None, option: str = "--at"
) -> int:
    """Unix second of a time, of this zone unless it says another.

    Raises
    ------
    InputError
        It is no time.
    """
    from mixsafe.model.mobility.clock_numbers import NoTimeError
    from mixsafe.model.mobility.instant import parse_instant

    try:
        return parse_instant(word, tz, order).second
    except NoTimeError as error:
        message = f"{option}: {error.message}" if option else error.message
        raise InputError(message, hint=error.hint) from None


def check_moments(at: str) -> None:
    """Refuse times of ``--at`` that neither number a step nor are moments, before data are read.

    Raises
    ------
    InputError
        One is neither.
    """
    from mixsafe.model.mobility.instant import year_last

    for word in at.split(","):
        if integer_of(word) is None and year_last(word) is None:
            instant(word.strip())


_UNITS = {"s": 1, "min": 60, "h": 3_600, "d": 86_400}


def seconds(option: str, text: str) -> int:
    """A time such as ``90s``, ``5min`` or ``2h``, in seconds.

    Raises
    ------
    InputError
        It is none.
    """
    found = re.fullmatch(r"([0-9]{1,9})(s|min|h|d)", text)
    if found is None:
        raise InputError(f"{option} '{text}' is not a time", hint="write 90s, 5min, 2h or 1d")
    return int(found[1]) * _UNITS[found[2]]


def column_names(said: list[str] | None) -> dict[str, str] | None:
    """Column names by meaning; None: all are the default ones.

    Raises
    ------
    InputError
        One is not written as MEANING=NAME, or a meaning is named twice.
    """
    names: dict[str, str] = {}
    for text in said or ():
        meaning, equals, name = text.partition("=")
        if not (meaning and equals and name):
            raise InputError(f"--column '{text}' is not MEANING=NAME", hint="as in lat=latitude")
        if meaning in names:
            raise InputError(f"--column {meaning} is given twice")
        names[meaning] = name
    return names or None


def refuse_together(values: Mapping[str, object], why: str) -> None:
    """Refuse options that contradict each other or do not apply.

    Parameters
    ----------
    values
        By option; None and False mean that it was not given.
    why
        Why none of them can be given here.

    Raises
    ------
    InputError
        One of them was given.
    """
    wrong = [option for option, value in values.items() if value is not None and value is not False]
    if wrong:
        raise InputError(f"{' and '.join(wrong)} cannot be given: {why}")


def refuse(options: object, why: str, *names: str) -> None:
    """As :func:`refuse_together`, of fields of a record of options."""
    refuse_together(given(options, *names), why)


@contextmanager
def about_list(path: Path | None) -> Iterator[None]:
    """Report the line of a list of users that names an unknown user."""
    from mixsafe.extract.select import UnknownUserError
    from mixsafe.io.problems.side_tables import line_of

    try:
        yield
    except UnknownUserError as error:
        raise error if path is None else error.about(path, line_of(path, error.name)) from None


def chosen_cells(cell_size: float | None, cells: str | None) -> float | str:
    """Side of a grid cell, metres, or which cells of H3."""
    return cells or (100.0 if cell_size is None else cell_size)
