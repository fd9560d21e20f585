"""The data of a remedy as files: what is published, what is not, and a release with pseudonyms."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.extract.positions import grid_of, positions
from mixsafe.io.files.writing import write_columns
from mixsafe.io.problems.problem_writer import problem_object
from mixsafe.io.problems.wires import write_wires
from mixsafe.io.traces.table_writer import region_column, write_table
from mixsafe.machinery.atomic import write_text
from mixsafe.machinery.modes import PUBLISH, SECRET, new_folder, secret
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Positions, Traces
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.release.permutations import drawn_exchanges, random_keys
from mixsafe.remedies.hiding import Hiding
from mixsafe.remedies.largest_group import with_other_names
from mixsafe.remedies.publication import Publication
from mixsafe.remedies.remedy import Remedy

RELEASE, CELLS = f"{PUBLISH}/release.csv", f"{PUBLISH}/cells.csv"
TRACES, KEPT, HIDDEN = f"{SECRET}/traces.csv", f"{SECRET}/kept.csv", f"{SECRET}/hidden.csv"
PROBLEM, DONE = f"{SECRET}/problem.json", f"{SECRET}/remedy.json"

PUBLIC = {RELEASE: "release", CELLS: "cells"}
"""Files that are to be published, and what each is; the others are secret."""


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
