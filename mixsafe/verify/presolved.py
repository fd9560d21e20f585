"""Presolve: a problem as engines see it, and the mapping from their bounds to rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from mixsafe.network.compression import compress
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.state.spent import Spent
from mixsafe.spill.blocks import blocks, mapped_by
from mixsafe.verify.place_counts import Stretches
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
    """A presolved problem, and the mapping back to rows of a result.

    Parameters
    ----------
    zones
        Where users meet.
    whole
        Wires of all zones.
    core
        Wires of those that matter.
    merged
        (n_wires,) wire of the core that each wire of all zones is part of.
    asked
        (n_asked,) wire of the core that each row of the result is about.
    wire
        (n_questions,): wires of the core that are asked about; None: each once, in order.
    k
        (n_questions,): does this wire have k candidates or more?
    seen
        (n,) int64, ascending: rows of the result in whose segment the adversary saw the user.
    """

    zones: MixZones
    whole: WireTimes
    core: Core
    merged: npt.NDArray[np.int64]
    asked: npt.NDArray[np.int64]
    wire: npt.NDArray[np.int64] | None
    k: npt.NDArray[np.int32]
    seen: npt.NDArray[np.int64]

    @classmethod
    def of(cls, problem: Problem, query: Query, requirements: Requirements | None) -> Presolved:
        """Pose a problem; without requirements every wire is asked about."""
        whole = WireNetwork.of(problem.zones)
        core, merged = compress(problem, whole)
        times = WireTimes(whole.row, whole.start, whole.end)
        seen = np.unique(whole.wire_at(problem.knowledge.row, problem.knowledge.time))
        asked, n_wires, most = merged, core.network.n_wires, query.k or 1
        enough = np.int32(problem.zones.n_users + 1)  # more than anybody has
        if requirements is not None:
            wire = whole.wire_at(requirements.row, requirements.time)
            asked, seen = merged[wire], np.flatnonzero(np.isin(wire, seen))
            if not query.exhaustive:
                k = np.minimum(requirements.k, enough)
                return cls(problem.zones, times, core, merged, asked, asked, k, seen)
            most = 1
        k = np.broadcast_to(np.minimum(np.int32(most), enough), n_wires)
        return cls(problem.zones, times, core, merged, asked, None, k, seen)

    def stretches(self, requirements: Requirements | None) -> Stretches:
        """The steps that each row of the result is about, and its wire of the core."""
        if requirements is None:
            return Stretches(self.whole.start, self.whole.end, self.asked)
        return Stretches(requirements.time, requirements.time, self.asked)

    def every_wire(self, k: int, answers: Bounds) -> Rows:
        """A row per wire."""
        whole = self.whole

        def of_wires(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return mapped_by(lambda merged: values[merged], self.merged, values.dtype)

        lower, upper = of_wires(answers.lower), of_wires(answers.upper)
        verdict, weight = np.empty(len(lower), np.int8), np.empty(len(lower), np.int32)
        for part in blocks(len(lower)):
            verdict[part] = verdict_codes(lower[part], upper[part], np.int32(k))
            start, end = whole.start[part], whole.end[part]
            weight[part] = end - np.maximum(start, 1) + 1  # t = 0 is not asked
        every_k = np.broadcast_to(np.int32(k), len(weight))
        decided_by = of_wires(answers.decided_by)
        return Rows(*whole, weight, every_k, lower, upper, verdict, decided_by)

    def some_steps(self, requirements: Requirements, answers: Bounds, exhaustive: bool) -> Rows:
        """A row per requirement."""
        asked = self.asked
        decided_by = answers.decided_by[asked] if exhaustive else answers.decided_by
        lower, upper = answers.lower[asked], answers.upper[asked]
        return Rows(
            requirements.row,
            requirements.time,
            requirements.time,
            np.ones(len(asked), np.int32),
            requirements.k,
            lower,
            upper,
            verdict_codes(lower, upper, requirements.k),
            decided_by,
        )


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
