"""A problem as engines see it, and the way back from their bounds to rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from mixsafe.network.wires import WireNetwork
from mixsafe.verify.core.compression import compress
from mixsafe.verify.core.core import Core
from mixsafe.verify.query import Query
from mixsafe.verify.rows import Rows, verdict_codes


class Bounds(Protocol):
    """What is known in the end, however it was kept."""

    @property
    def lower(self) -> npt.NDArray[np.int32]:
        """(n_wires,) candidates that are proven."""

    @property
    def upper(self) -> npt.NDArray[np.int32]:
        """(n_wires,) candidates that are possible, at most."""

    @property
    def decided_by(self) -> npt.NDArray[np.uint8]:
        """(n_questions,) number of the argument."""


@dataclass(frozen=True, eq=False)
class Posed:
    """A problem as engines see it, and the way back.

    Parameters
    ----------
    zones
        Where users meet.
    whole, core
        Wires of all zones, and of those that matter.
    merged
        (whole.n_wires,) wire of the core that each wire is part of.
    asked
        (n_asked,) wire of the core that each row of the result is about.
    wire, k
        (n_questions,): does this wire of the core have k candidates or more?
    """

    zones: MixZones
    whole: WireNetwork
    core: Core
    merged: npt.NDArray[np.int64]
    asked: npt.NDArray[np.int64]
    wire: npt.NDArray[np.int64]
    k: npt.NDArray[np.int32]

    @classmethod
    def of(cls, problem: Problem, query: Query, requirements: Requirements | None) -> Posed:
        """Pose a problem; without requirements every wire is asked about."""
        whole = WireNetwork.of(problem.zones)
        core, merged = compress(problem, whole)
        asked, n_wires, most = merged, core.network.n_wires, query.k or 1
        if requirements is not None:
            asked = merged[whole.wire_at(requirements.row, requirements.time)]
            if not query.exhaustive:
                return cls(problem.zones, whole, core, merged, asked, asked, requirements.k)
            most = 1
        wire, k = np.arange(n_wires), np.full(n_wires, most, np.int32)
        return cls(problem.zones, whole, core, merged, asked, wire, k)

    def every_wire(self, k: int, answers: Bounds) -> Rows:
        """A row per wire."""
        whole, merged = self.whole, self.merged
        weight = (whole.end - np.maximum(whole.start, 1) + 1).astype(np.int64)  # t = 0 is not asked
        lower, upper = answers.lower, answers.upper
        verdict = verdict_codes(lower, upper, np.full_like(lower, k))
        return Rows(
            whole.row,
            whole.start,
            whole.end,
            weight,
            np.broadcast_to(np.int32(k), len(weight)),
            lower[merged],
            upper[merged],
            verdict[merged],
            answers.decided_by[merged],
        )

    def some_steps(self, requirements: Requirements, answers: Bounds, exhaustive: bool) -> Rows:
        """A row per requirement."""
        asked = self.asked
        decided_by = answers.decided_by[asked] if exhaustive else answers.decided_by
        lower, upper = answers.lower[asked], answers.upper[asked]
        return Rows(
            requirements.row,
            requirements.time,
            requirements.time,
            np.ones(len(asked), np.int64),
            requirements.k,
            lower,
            upper,
            verdict_codes(lower, upper, requirements.k),
            decided_by,
        )
