"""Applying a remedy: its data are written, read again, and verified as they were read.

Files have what is published, what is not, and a release with pseudonyms.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.extract.positions import grid_of, positions
from mixsafe.io.files.json_values import json_text
from mixsafe.io.files.writing import write_columns, write_wires
from mixsafe.io.problems.problem import problem_object
from mixsafe.io.sources import load
from mixsafe.io.traces.table import region_column, write_table
from mixsafe.machinery.files import PUBLISH, SECRET, atomic_folder, new_folder, secret, write_text
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.course import Course, SolveLimits
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Positions, Traces
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.release.exchange import drawn_exchanges, random_keys
from mixsafe.remedies.publication import Asking, Publication
from mixsafe.remedies.remedy import HIDE, Protection, Remedy
from mixsafe.remedies.suppression import Hiding, with_other_names
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.verification import Verification, answer

RELEASE, CELLS = f"{PUBLISH}/release.csv", f"{PUBLISH}/cells.csv"
TRACES, KEPT, HIDDEN = f"{SECRET}/traces.csv", f"{SECRET}/kept.csv", f"{SECRET}/hidden.csv"
PROBLEM, DONE = f"{SECRET}/problem.json", f"{SECRET}/remedy.json"

PUBLIC = {RELEASE: "release", CELLS: "cells"}
"""Files that are to be published, and what each is; the others are secret."""

_SEEDS = 3
"""Searches, each with a seed of its own, before what they leave open stays open."""


class PublishedRemedy(NamedTuple):
    """What a remedy publishes.

    Parameters
    ----------
    traces
        A region for each user and step: the place at which the verdict takes the user to be.
    steps
        (n_fixes,) step of each fix.
    axis
        The steps.
    """

    traces: Traces
    steps: npt.NDArray[np.int32]
    axis: TimeAxis


@dataclass(frozen=True, eq=False)
class Protected:
    """A remedy that passes, and the data that it is for.

    Parameters
    ----------
    remedy
        The remedy.
    asked
        The question about everybody, in the form of the remedy.
    traces
        The data.

    Raises
    ------
    InputError
        The places are given with outlines, which no table of traces says.
    """

    remedy: Remedy
    asked: Publication
    traces: Traces

    def __post_init__(self) -> None:
        if self.traces.shapes is not None:
            raise InputError(
                "the places of the data have outlines, and a table of traces has none",
                hint="publish by yourself who is in kept.csv (--leave-out)",
            )

    @property
    def kept(self) -> npt.NDArray[np.bool_]:
        """(n_users,) those of whom something is published."""
        if self.remedy.hiding is not None:
            return self.remedy.hiding.shown
        if self.remedy.group is not None:
            return self.remedy.group.kept
        return self.asked.everybody

    @property
    def zones(self) -> MixZones:
        """Where pseudonyms are exchanged."""
        if self.remedy.answer is None:
            raise ValueError("nobody is left")
        return self.remedy.answer.problem.zones

    def published(self) -> PublishedRemedy:
        """The traces that are published."""
        where = self._positions()
        hiding = self.remedy.hiding
        # By the number of candidates alone: not by what else becomes of a person's track.
        hidden = None if hiding is None else hiding.covers(where.row, where.step)
        kept = self.kept[where.row] if hidden is None else ~hidden
        row, step, axis = where.row[kept], where.step[kept], where.axis
        time = axis.first + (step.astype(np.int64) - 1) * (axis.step_seconds or 1)
        traces = replace(
            self.traces, user=row, time=time, lat=None, lon=None, region=where.place[kept], notes=()
        )
        return PublishedRemedy(traces, step, axis)

    def _positions(self) -> Positions:
        form = self.remedy.form
        return positions(
            self.traces, cell_size=form.cell_size or 100.0, time_step=form.time_step or 60
        )

    def write(self, folder: Path, random: np.random.Generator | None = None) -> tuple[str, ...]:
        """Write all files into two subfolders of an empty folder; return their names in it.

        Parameters
        ----------
        random
            Draws the exchanges of the release; None: the system's cryptographic source.

        Raises
        ------
        InputError
            A file cannot be written.
        """
        published = self.published()
        new_folder(folder / PUBLISH)
        write_columns(folder / RELEASE, release(published, self.zones, self.kept, random))
        found = [RELEASE]
        if self.remedy.form.cell_size is not None:
            write_columns(folder / CELLS, self._cells(published))
            found.append(CELLS)
        return (*found, *self._write_secrets(folder, published))

    @secret()
    def _write_secrets(self, folder: Path, published: PublishedRemedy) -> list[str]:
        """Write the files that are not to be published; return their names."""
        new_folder(folder / SECRET)
        write_table(folder / TRACES, published.traces)
        write_wires(folder / KEPT, self._who())
        if self.remedy.hiding is None:
            return [TRACES, KEPT]
        write_wires(folder / HIDDEN, _stretches(self.remedy.hiding))
        posed, _ = self.remedy.hiding.published()
        write_text(folder / PROBLEM, f"{json.dumps(problem_object(posed))}\n")
        return [TRACES, KEPT, HIDDEN, PROBLEM]

    def _who(self) -> pd.DataFrame:
        """A row per person: whether anything of hers is published."""
        there = np.flatnonzero(self.asked.everybody)
        names = self.traces.users[there]
        table = pd.DataFrame({"user_id": names, "kept": self.kept[there]})
        return with_other_names(table, self.traces.premises)

    def _cells(self, published: PublishedRemedy) -> pa.Table:
        """Middle of each cell that is published."""
        cell = np.sort(published.traces.region if published.traces.region is not None else [])
        cell = cell[np.append(True, cell[1:] != cell[:-1])] if len(cell) else cell
        lat, lon = grid_of(self.traces, self.remedy.form.cell_size or 100.0).cell_center(cell)
        return pa.table({"reg_id": cell, "lat": lat.round(6), "lon": lon.round(6)})


def _stretches(hiding: Hiding) -> pd.DataFrame:
    """A row per stretch that is hidden: user_id, first and last step as the data label them."""
    zones, hidden = hiding.answer.problem.zones, hiding.hidden & (hiding.rows.weight > 0)
    begin, end = np.maximum(hiding.rows.start[hidden], 1), hiding.rows.end[hidden]
    label = zones.axis.label
    return pd.DataFrame({
        "user_id": zones.users[hiding.rows.user[hidden]],
        "from_time": [label(step) for step in begin.tolist()],
        "to_time": [label(step) for step in end.tolist()],
    })  # fmt: skip


def release(
    published: PublishedRemedy,
    zones: MixZones,
    kept: npt.NDArray[np.bool_],
    random: np.random.Generator | None = None,
) -> pa.Table:
    """What may be given away: places and times under pseudonyms that are exchanged in all zones.

    Parameters
    ----------
    published
        The traces; a user's fixes in order of time.
    zones
        Where pseudonyms are exchanged.
    kept
        (n_users,) those who have pseudonyms; whoever is in a zone has one, too.
    random
        Draws the exchanges of the release; None: the system's cryptographic source.

    Returns
    -------
    pseudonym, time or time_id, reg_id; in order of pseudonym and time. It is not in the contest's
    form (``pse_id``), which names pseudonyms in a way of its own and shows everybody at all times.
    """
    carriers = kept.copy()
    carriers[zones.members] = True
    current = np.full(len(kept), -1, np.int64)
    current[carriers] = np.argsort(random_keys(int(carriers.sum()), random), kind="stable")
    exchanges = drawn_exchanges(zones, random)
    traces, order = published.traces, np.argsort(published.steps, kind="stable")
    steps, row = published.steps[order], traces.user[order]
    begin = np.flatnonzero(np.append(True, exchanges.time[1:] != exchanges.time[:-1]))
    begin = begin[: len(exchanges.time)]
    ends = np.append(begin[1:], len(exchanges.time))
    at = np.searchsorted(steps, exchanges.time[begin], side="left")
    pseudonym = np.empty(len(steps), np.int64)
    pseudonym[: at[0] if len(at) else len(steps)] = current[row[: at[0] if len(at) else len(steps)]]
    for place, (first, last) in enumerate(zip(begin.tolist(), ends.tolist(), strict=True)):
        now = slice(first, last)
        current[exchanges.member[now]] = current[exchanges.giver[now]]
        until = at[place + 1] if place + 1 < len(at) else len(steps)
        pseudonym[at[place] : until] = current[row[at[place] : until]]
    time, region = traces.time[order], traces.region
    if region is None:
        raise ValueError("places are regions")
    sort = np.lexsort((time, pseudonym))
    name = "time" if traces.clock == "unix" else "time_id"
    return pa.table({
        "pseudonym": pseudonym[sort], name: time[sort],
        "reg_id": region_column(region[order][sort], traces.place_names),
    })  # fmt: skip


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
    if asked.rules.need_fixes and remedy.hiding is None:
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
