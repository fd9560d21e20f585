"""From a problem to the core question of the engines, and from their bounds to rows of a result.

Two sets of wires are kept apart: those of all zones, of which rows of the result speak, and those
of the core, in which redundant zones are gone. ``merged`` leads from the former to the latter.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.machinery.spill import blocks, mapped_by
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from mixsafe.network.compression import compress
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.state.answers import Spent
from mixsafe.verify.place_counts import PlaceStretches
from mixsafe.verify.query import Query
from mixsafe.verify.rows import Rows, WireTimes, verdict_codes

MAX_ZONE = 1_000_000
"""Users in one mix zone beyond which a data set is refused: it is one place, not mix zones."""


class Bounds(Protocol):
    """Bounds on candidates, in any representation."""

    @property
    def lower(self) -> npt.NDArray[np.int32]:
        """(n_wires,) candidates that are proven."""

    @property
    def upper(self) -> npt.NDArray[np.int32]:
        """(n_wires,) candidates that are possible, at most."""

    @property
    def decided_by(self) -> npt.NDArray[np.uint8]:
        """(n_questions,) number of the argument."""

    @property
    def spent(self) -> Spent:
        """What each argument cost."""


@dataclass(frozen=True, eq=False)
class Presolved:
    """A query about a problem as engines see it, and the mapping from their bounds to rows.

    The result has a row for each requirement or, without requirements, for each wire of all zones.
    Engines see the wires of the core; each of these is one or more wires of all zones, merged.

    Parameters
    ----------
    problem, query
        What is asked.
    requirements
        What is asked at single steps; None: every wire is asked about.
    whole
        Rows and steps of the wires of all zones.
    core
        The question without redundant zones, and without steps in which nothing happens.
    merged
        (n_wires,) wire of the core that each wire of all zones is part of.
    wire_of_row
        (n_asked,) wire of the core that each row of the result is about.
    wire
        (n_questions,): wires of the core that engines are asked about; None: each once, in order.
    k
        (n_questions,): does this wire have k candidates or more?
    seen
        (n,) int64, ascending: rows of the result about wires on which the adversary saw the user.
    """

    problem: Problem
    query: Query
    requirements: Requirements | None
    whole: WireTimes
    core: Core
    merged: npt.NDArray[np.int64]
    wire_of_row: npt.NDArray[np.int64]
    wire: npt.NDArray[np.int64] | None
    k: npt.NDArray[np.int32]
    seen: npt.NDArray[np.int64]

    @classmethod
    def of(cls, problem: Problem, query: Query, requirements: Requirements | None) -> Presolved:
        """Presolve a problem; without requirements every wire is asked about."""
        network = WireNetwork.of(problem.zones)
        core, merged = compress(problem, network)
        whole = WireTimes(network.row, network.start, network.end)
        asked = problem, query, requirements, whole, core, merged
        seen = np.unique(network.wire_at(problem.knowledge.row, problem.knowledge.time))
        enough = np.int32(problem.zones.n_users + 1)  # more than anybody has
        n_wires = core.network.n_wires
        if requirements is None:
            k = np.broadcast_to(np.minimum(np.int32(query.k or 1), enough), n_wires)
            return cls(*asked, merged, None, k, seen)
        required = network.wire_at(requirements.row, requirements.time)
        wire_of_row, seen = merged[required], np.flatnonzero(np.isin(required, seen))
        if query.exhaustive:  # all candidates of every wire, whatever k
            return cls(*asked, wire_of_row, None, np.broadcast_to(np.int32(1), n_wires), seen)
        return cls(*asked, wire_of_row, wire_of_row, np.minimum(requirements.k, enough), seen)

    def rows(self, answers: Bounds) -> Rows:
        """The rows of the result: verdicts and bounds for each wire, or for each requirement."""
        if self.requirements is None:
            return self._rows_of_wires(answers)
        return self._rows_of_requirements(self.requirements, answers)

    def _rows_of_wires(self, answers: Bounds) -> Rows:
        """A row per wire of all zones."""
        whole, zones, k = self.whole, self.problem.zones, np.int32(self.query.k or 1)

        def of_wires(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return mapped_by(lambda merged: values[merged], self.merged, values.dtype)

        lower, upper = of_wires(answers.lower), of_wires(answers.upper)
        verdict, weight = np.empty(len(lower), np.int8), np.empty(len(lower), np.int32)
        for part in blocks(len(lower)):
            verdict[part] = verdict_codes(lower[part], upper[part], k)
            weight[part] = zones.time_of(whole.row[part], whole.start[part], whole.end[part])
        every_k = np.broadcast_to(k, len(weight))
        decided_by = of_wires(answers.decided_by)
        return Rows(*whole, weight, every_k, lower, upper, verdict, decided_by)

    def _rows_of_requirements(self, requirements: Requirements, answers: Bounds) -> Rows:
        """A row per requirement."""
        wire, decided_by = self.wire_of_row, answers.decided_by
        lower, upper = answers.lower[wire], answers.upper[wire]
        return Rows(
            requirements.row,
            requirements.time,
            requirements.time,
            np.ones(len(wire), np.int32),
            requirements.k,
            lower,
            upper,
            verdict_codes(lower, upper, requirements.k),
            decided_by[wire] if self.wire is None else decided_by,
        )

    @property
    def without_data(self) -> npt.NDArray[np.int64]:
        """(n_users,) steps asked about in which nothing of each user is published."""
        asked, zones = self.requirements, self.problem.zones
        if asked is None:
            return zones.time_without_data
        return zones.without_data_at(asked.row, asked.time)

    def stretches(self) -> PlaceStretches:
        """The steps that each row of the result is about, and its wire of the core.

        Of wires the published steps are counted, of requirements all.
        """
        if self.requirements is None:
            whole, published = self.whole, self.problem.zones.published
            owner = whole.row if published is not None else np.full(len(whole.row), -1, np.int32)
            return PlaceStretches(whole.start, whole.end, self.wire_of_row, owner)
        time = self.requirements.time
        return PlaceStretches(time, time, self.wire_of_row, np.full(len(time), -1, np.int32))


def check_size(zones: MixZones, file: Path | None = None, column: str | None = None) -> None:
    """Reject zones that are too large to be mix zones.

    Parameters
    ----------
    zones
        The mix zones.
    file, column
        Where they were read, for the message.

    Raises
    ------
    InputError
        A zone has more than ``MAX_ZONE`` users.
    """
    if len(zones) and zones.sizes.max() > MAX_ZONE:
        largest = int(zones.sizes.argmax())
        raise InputError(
            f"{zones.sizes[largest]} users are in one mix zone at time"
            f" {zones.axis.label(int(zones.time[largest]))}, more than {MAX_ZONE}",
            file=file,
            column=column,
            hint="that is one place for everybody: use smaller cells or shorter steps",
        )
