"""Arguments of the library's functions: what is none is refused in a sentence."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypedDict

from mixsafe.errors import InputError
from mixsafe.model.course import Course, Journal, SolveLimits
from mixsafe.model.progress import Progress, no_progress


class CourseOptions(TypedDict, total=False):
    """Options of a call about its course; all are optional.

    Parameters
    ----------
    limits
        Time, workers and seed.
    time_limit
        Instead of limits: seconds.
    progress
        Called with stage, questions settled and questions asked.
    """

    limits: SolveLimits | None
    time_limit: float | None
    progress: Progress


class KeptCourseOptions(CourseOptions, total=False):
    """Options of a call about a course whose findings may be kept.

    Parameters
    ----------
    journal
        Results of an earlier run with the same question, engine and seed; new results are added.
        The answer equals that of one run without interruption.
    """

    journal: Journal | None


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


def options_of(
    function: str, options: Mapping[str, Any], kind: type
) -> tuple[Callable[[], Course], dict[str, Any]]:
    """Options of a call: what begins its course, and the options that are about something else.

    Parameters
    ----------
    function
        Its name, for the message.
    kind
        The options that it has: :class:`CourseOptions` with others.

    Raises
    ------
    InputError
        It has no such option, or a value is not what it should be.
    """
    check_known(function, options, kind.__optional_keys__)  # type: ignore[attr-defined]
    others = dict(options)
    course = {
        name: others.pop(name) for name in KeptCourseOptions.__optional_keys__ & options.keys()
    }
    progress = course.pop("progress", no_progress)
    if not callable(progress):
        raise InputError(f"progress is of type {type(progress).__name__}, not a function")
    limits = limits_of(course.get("limits"), course.get("time_limit"))
    return partial(Course.begin, limits, progress, course.get("journal")), others


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
