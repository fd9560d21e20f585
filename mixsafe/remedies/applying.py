"""Applying a remedy: its data are written, read again, and verified as they were read."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shlex import quote

import numpy as np

from mixsafe.errors import InputError
from mixsafe.io.files.json_text import json_text
from mixsafe.io.sources import load
from mixsafe.machinery.atomic import atomic_folder, write_text
from mixsafe.machinery.modes import secret
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.course import Course
from mixsafe.model.limits import SolveLimits
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.problem import Problem
from mixsafe.remedies.hiding import Hiding
from mixsafe.remedies.publication import Asking, Publication
from mixsafe.remedies.remedy import HIDE, Protection, Remedy
from mixsafe.remedies.written import DONE, PROBLEM, PUBLIC, TRACES, Protected, PublishedRemedy
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.verification import Verification, answer


@dataclass(frozen=True, eq=False)
class Applied:
    """A remedy whose data were written.

    Parameters
    ----------
    remedy
        The remedy.
    again
        What verify says of the files.
    folder
        Where they are; None: they did not pass, and there are none.
    files
        Their names in it: those in ``publish/`` are to be published, those in ``secret/`` are not.
    how
        Command that verifies them once more.
    """

    remedy: Remedy
    again: Verification
    folder: Path | None
    files: tuple[str, ...]
    how: str

    @property
    def public(self) -> tuple[str, ...]:
        """Those files that are to be published; the others are secret."""
        return tuple(one for one in self.files if one in PUBLIC)

    @property
    def verdict(self) -> Verdict:
        """On the files."""
        return self.again.verdict


def _command(remedy: Remedy, asked: Publication, folder: Path, adversary: str) -> str:
    """The command that verifies written data once more."""
    if remedy.option.also == HIDE:
        return f"mixsafe verify {quote(str(folder / PROBLEM))} --rule every"
    axis, query = asked.problem.zones.axis, asked.query
    times = [axis.label(step) for step in query.at or ()]
    said: dict[str, object] = {
        "k": query.k,
        "at": ",".join(map(str, times)) or None,
        "rule": query.rule,
        "distinct-places": query.distinct_places,
        "start": axis.label(1),
        "end": axis.label(axis.steps + 1),
        "time-step": axis.step_seconds,
        "tz": axis.tz if axis.timed and axis.tz != "UTC" else None,
        "min-users": asked.fewest,
        "steps-per-day": None if axis.timed else asked.steps_per_day,
        "rotate": remedy.form.rotate,
    }
    words = [f"--{name} {quote(str(value))}" for name, value in said.items() if value is not None]
    words += ["--no-meetings"] * (not asked.rules.meetings)
    return " ".join(["mixsafe verify", quote(str(folder / TRACES)), adversary, *words])


class _NotPassingError(Exception):
    """What was written does not pass, so that it must not appear."""

    def __init__(self, found: Verification) -> None:
        super().__init__()
        self.found = found


_SEEDS = 3
"""Searches, each with a seed of its own, before what they leave open stays open."""


def apply_remedy(
    found: Protection,
    number: int,
    folder: str | os.PathLike[str],
    *,
    limits: SolveLimits | None = None,
    progress: Progress = no_progress,
) -> Applied:
    """Write the data of a remedy that passes; they appear only if they pass when read again.

    Parameters
    ----------
    found
        Remedies of traces, as :func:`mixsafe.protect` found them.
    number
        Of one of them that passes: ``found.table`` has it.
    folder
        Where the data go, with a release whose pseudonyms were exchanged by the system's
        cryptographic source of random numbers; the folder must not hold anything.
    limits
        Of verifying what was read.
    progress
        Called with stage, questions settled and questions asked.

    Returns
    -------
    Applied
        ``.verdict`` on the files, ``.folder`` (None: they did not pass, and there are none),
        ``.files``, and ``.how``, the command that verifies them once more.

    Raises
    ------
    InputError
        There is no such remedy, it does not pass, or its data cannot be written.

    Examples
    --------
    >>> import mixsafe
    >>> found = mixsafe.protect(mixsafe.load("town.csv"), 3)  # doctest: +SKIP
    >>> mixsafe.apply_remedy(found, 2, "protected").files  # doctest: +SKIP
    ('publish/release.csv', 'secret/traces.csv', 'secret/kept.csv', 'secret/remedy.json')
    """
    passing = {one.option.number: one for one in found.remedies if one.passes}
    if number not in passing:
        listed = ", ".join(map(str, passing)) or "none"
        raise InputError(f"remedy {number} is none of those that pass: {listed}")
    begin = partial(Course.begin, limits, progress)
    return applied(passing[number], found.asking, Path(folder), Settings(), begin)


def applied(
    remedy: Remedy,
    asking: Asking,
    folder: Path,
    settings: Settings,
    begin: Callable[[], Course],
    random: np.random.Generator | None = None,
) -> Applied:
    """As :func:`apply_remedy`, of one remedy.

    Parameters
    ----------
    remedy
        A remedy that passes.
    asking
        The question that it is for.
    folder
        Where its data go.
    settings
        Who verifies what was read.
    begin
        Begins the course of that.
    random
        Of the exchanges of pseudonyms; None: the system's cryptographic source.

    Raises
    ------
    InputError
        There are no traces, they cannot be written, or the folder holds something.
    ValueError
        The remedy does not pass.
    """
    if not remedy.passes:
        raise ValueError("only a remedy that passes is applied")
    asked = asking(remedy.form)
    if asked.traces is None:
        raise InputError("data are written of traces that fit into memory only")
    if asked.rules.limit is not None and remedy.hiding is None:
        raise InputError(
            "with a limit of movement the places of all fixes count, and cells are written",
            hint="hide stretches, or take --leave-out and its list (--user-list)",
        )
    protected = Protected(remedy, asked, asked.traces)
    how = _command(remedy, asked, folder, asking.adversary)
    try:
        with atomic_folder(folder) as draft:
            files = (*protected.write(draft, random), DONE)
            found, seed = _passing(draft, protected, asking, settings, begin)
            how += f" --seed {seed}" if seed else ""
            done = {**remedy.to_dict(), "verify": how}
            with secret():
                write_text(draft / DONE, f"{json_text(done, indent=2)}\n")
    except _NotPassingError as error:
        return Applied(remedy, error.found, None, (), how)
    return Applied(remedy, found, folder, files, how)


def _passing(
    folder: Path,
    protected: Protected,
    asking: Asking,
    settings: Settings,
    begin: Callable[[], Course],
) -> tuple[Verification, int]:
    """What verify says of files that pass, and the seed with which it does.

    Raises
    ------
    _NotPassingError
        They do not.
    """
    asked, course = _read(folder, protected, asking), begin()
    for seed in range(course.seed, course.seed + _SEEDS):
        found = answer(*asked, settings, replace(course, seed=seed))
        if found.verdict.passes:
            return found, seed
        if found.verdict is Verdict.UNSAFE or course.passed:
            break
    raise _NotPassingError(found)


def _read(folder: Path, protected: Protected, asking: Asking) -> tuple[Problem, Query]:
    """The question about the files."""
    written = read(folder / TRACES, protected.traces, protected.published())
    hiding = protected.remedy.hiding
    if hiding is None:
        return asking.again(written, protected.remedy.form).among(protected.kept)
    problems = load(folder / PROBLEM)
    if not isinstance(problems, list) or len(problems) != 1:
        raise ValueError("a problem was written")
    (posed,) = problems
    _check_asked(written, posed, hiding)
    _, query = hiding.published()
    return posed, query


def read(path: Path, like: Traces, published: PublishedRemedy) -> Traces:
    """Read traces that were written, with the users and the period of those they come from."""
    found = load(path, tz=like.tz if like.clock == "unix" else None)
    if not isinstance(found, Traces):
        raise TypeError("traces were written")
    row = {str(name): place for place, name in enumerate(like.users.tolist())}
    place = np.array([row[str(name)] for name in found.users.tolist()], np.int32)
    user = place[found.user]
    order = np.lexsort((found.time, user))
    axis = published.axis
    window = (axis.first, axis.first + axis.steps * (axis.step_seconds or 1))
    region = None if found.region is None else found.region[order]
    return replace(
        found, users=like.users, user=user[order], time=found.time[order], region=region,
        window=window, tz=like.tz, premises=like.premises,
    )  # fmt: skip


def _check_asked(written: Traces, posed: Problem, hiding: Hiding) -> None:
    """Make sure that the problem asks about each stretch of which a cell was written."""
    axis, asked, rows = hiding.answer.problem.zones.axis, posed.asked, hiding.rows
    step = (written.time - axis.first) // (axis.step_seconds or 1) + 1
    width = np.int64(axis.steps + 1)
    is_asked = np.isin(rows.user * width + rows.end, asked.row * width + asked.time)
    unproven = np.append(hiding.hidden | ~is_asked, False)
    if unproven[hiding.stretch_of(written.user, step)].any():
        raise ValueError("a cell was written that is hidden")
