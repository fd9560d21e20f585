"""Arguments of the library's functions: what is none is refused in a sentence."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from mixsafe.errors import InputError
from mixsafe.model.limits import SolveLimits


def of_kind(name: str, value: object, kinds: tuple[type, ...], wanted: str, hint: str) -> None:
    """Refuse an argument of another kind.

    Parameters
    ----------
    name
        Of the argument.
    wanted
        What it should be, in words.
    hint
        What to give in its place.

    Raises
    ------
    InputError
        The value is of none of the kinds.
    """
    if not isinstance(value, kinds):
        raise InputError(f"{name} is of type {type(value).__name__}, not {wanted}", hint=hint)


def options_of(function: str, options: Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """Options of a call, with ``time_limit`` as a part of ``limits``.

    Parameters
    ----------
    function
        Its name, for the message.
    known
        Names of the options that it has, besides ``time_limit``.

    Raises
    ------
    InputError
        It has no such option, or a value is not what it should be.
    """
    check_known(function, options, (*known, "time_limit"))
    found = {name: value for name, value in options.items() if name != "time_limit"}
    progress = options.get("progress")
    if progress is not None and not callable(progress):
        raise InputError(f"progress is of type {type(progress).__name__}, not a function")
    limits = limits_of(options.get("limits"), options.get("time_limit"))
    return found if limits is None else {**found, "limits": limits}


def check_known(function: str, options: Mapping[str, object], names: Iterable[str]) -> None:
    """Refuse an option that a function does not have.

    Raises
    ------
    InputError
        Names the option, and the closest one that there is.
    """
    known = set(names)
    for name in options.keys() - known:
        close = difflib.get_close_matches(name, known, 1, 0.5)
        hint = f"use {close[0]}=" if close else f"it has {', '.join(sorted(known))}"
        raise InputError(f"{function} has no option '{name}'", hint=hint)


def limits_of(limits: SolveLimits | None, time_limit: float | None) -> SolveLimits | None:
    """Limits of a call that may say its time limit alone, in seconds.

    Raises
    ------
    InputError
        Both are given, or the limits are none.
    """
    if limits is not None and not isinstance(limits, SolveLimits):
        message = f"limits is of type {type(limits).__name__}, not mixsafe.SolveLimits"
        raise InputError(message, hint="for seconds use time_limit=")
    if time_limit is None:
        return limits
    if limits is not None:
        raise InputError("give either limits or time_limit")
    if isinstance(time_limit, bool) or not isinstance(time_limit, int | float):
        raise InputError(
            f"time_limit is of type {type(time_limit).__name__}, not a number of seconds"
        )
    return SolveLimits(time_limit)
