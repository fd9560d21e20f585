"""Applying a remedy: its data are written, read again, and verified as they were read."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mixsafe.errors import InputError
from mixsafe.io.files.atomic import atomic_folder
from mixsafe.io.files.transaction import together
from mixsafe.io.sources import load
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.problem import Problem
from mixsafe.tasks.remedies.hiding import Hiding
from mixsafe.tasks.remedies.largest_group import Publication
from mixsafe.tasks.remedies.remedy import Remedy
from mixsafe.tasks.remedies.written import DONE, PROBLEM, TRACES, Protected, Published
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.verification import Verification, answer

Again = Callable[[Traces], Publication]
"""The question about traces that were read from the files of a remedy."""


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
        Their names.
    how
        Command that verifies them once more.
    """

    remedy: Remedy
    again: Verification
    folder: Path | None
    files: tuple[str, ...]
    how: str

    @property
    def verdict(self) -> Verdict:
        """On the files."""
        return self.again.verdict


class _NotPassingError(Exception):
    """What was written does not pass, so that it must not appear."""

    def __init__(self, found: Verification) -> None:
        super().__init__()
        self.found = found


_SEEDS = 3
"""Searches, each with a seed of its own, before what they leave open stays open."""


def applied(
    remedy: Remedy,
    asked: Publication,
    folder: Path,
    again: Again,
    settings: Settings,
    how: str,
    random: np.random.Generator | None = None,
) -> Applied:
    """Write the data of a remedy that passes; they appear only if they pass when read again.

    Parameters
    ----------
    remedy, asked
        The remedy, and the question about everybody in its form.
    folder
        Where they go; it must not hold anything.
    again
        Poses the question about what was read.
    settings
        Who verifies it.
    how
        Command that verifies it once more, for those who find the folder.
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
    if asked.traces is None:
        raise InputError("data are written of traces that fit into memory only")
    if asked.rules.limit is not None and remedy.hiding is None:
        raise InputError(
            "with a limit of movement the places of all fixes count, and cells are written",
            hint="hide stretches, or take --leave-out and its list (--user-list)",
        )
    protected = Protected(remedy, asked, asked.traces)
    try:
        with atomic_folder(folder) as draft:
            with together():  # so that the files can be read before the folder appears
                files = (*protected.write(draft, random), DONE)
            found, seed = _passing(draft, protected, again, settings)
            how += f" --seed {seed}" if seed else ""
            done = {**remedy.to_dict(), "verify": how}
            (draft / DONE).write_text(f"{json.dumps(done, indent=2)}\n", "utf-8")
    except _NotPassingError as error:
        return Applied(remedy, error.found, None, (), how)
    return Applied(remedy, found, folder, files, how)


def _passing(
    folder: Path, protected: Protected, again: Again, settings: Settings
) -> tuple[Verification, int]:
    """What verify says of files that pass, and the seed with which it does.

    Raises
    ------
    _NotPassingError
        They do not.
    """
    asked, limits = _read(folder, protected, again), settings.limits or SolveLimits()
    deadline = Deadline(limits.seconds)
    for seed in range(limits.seed, limits.seed + _SEEDS):
        how = replace(limits.until(deadline), seed=seed)
        found = answer(*asked, replace(settings, limits=how))
        if found.verdict.passes:
            return found, seed
        if found.verdict is Verdict.UNSAFE or deadline.passed:
            break
    raise _NotPassingError(found)


def _read(folder: Path, protected: Protected, again: Again) -> tuple[Problem, Query]:
    """The question about the files."""
    written = read(folder / TRACES, protected.traces, protected.published())
    hiding = protected.remedy.hiding
    if hiding is None:
        return again(written).among(protected.kept)
    problems = load(folder / PROBLEM)
    if not isinstance(problems, list) or len(problems) != 1:
        raise ValueError("a problem was written")
    (posed,) = problems
    _check_asked(written, posed, hiding)
    _, query = hiding.published()
    return posed, query


def read(path: Path, like: Traces, published: Published) -> Traces:
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
        window=window, tz=like.tz,
    )  # fmt: skip


def _check_asked(written: Traces, posed: Problem, hiding: Hiding) -> None:
    """Make sure that every published cell lies in a stretch that the problem asks about."""
    axis, asked = hiding.answer.problem.zones.axis, posed.asked
    step = (written.time - axis.first) // (axis.step_seconds or 1) + 1
    left = Hiding(replace(hiding.answer, rows=hiding.rows._replace(
        verdict=np.where(_are_asked(asked.row, asked.time, hiding), 0, 1).astype(np.int8)
    )))  # fmt: skip
    if left.covers(written.user, step).any() or hiding.covers(written.user, step).any():
        raise ValueError("a cell was written that is hidden")


def _are_asked(row: np.ndarray, time: np.ndarray, hiding: Hiding) -> np.ndarray:
    """(n_rows,) whether the problem asks about a stretch."""
    width = np.int64(hiding.answer.problem.zones.axis.steps + 1)
    return np.isin(hiding.rows.user * width + hiding.rows.end, row * width + time)
