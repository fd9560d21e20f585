"""Preparation of posterior inference: bounds on candidates, and witnesses as starts of chains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.course import Course, Deadline
from mixsafe.model.question.adversary import known_rows
from mixsafe.model.question.problem import Problem
from mixsafe.network.compression import compress, event_steps, in_events
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.registry import engine_of
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers, assignments
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Assignment
from mixsafe.verify.parts import set_bytes
from mixsafe.verify.rows import WireTimes
from mixsafe.weigh import plan
from mixsafe.weigh.exchange_models import ExchangeModel, Uniform, ZoneWeights, check_weights


@dataclass(frozen=True, eq=False)
class KnownBefore:
    """A presolved problem with bounds on its candidates.

    Parameters
    ----------
    core
        Tokens and wires. Redundant zones are removed only if all exchanges are uniform: then they
        do not affect weights, either (docs/weigh.md).
    weights
        The exchange model of the zones of ``core``.
    whole, merged
        Wires of all zones, and the wire of the core that each is part of.
    possible, proven
        (n_wires, words): bounds on the candidates.
    far
        Assignments far from the identity and from each other.
    """

    core: Core
    weights: ZoneWeights
    whole: WireTimes
    merged: npt.NDArray[np.int64]
    possible: TokenSets
    proven: TokenSets
    far: list[Assignment]

    @property
    def allows_identity(self) -> bool:
        """Whether the exchange model allows the identity."""
        return not np.isneginf(self.weights.table[self.weights.begin]).any()

    @property
    def n_possible(self) -> npt.NDArray[np.int32]:
        """(n_wires,) upper bound on the number of candidates."""
        return tokens.count(self.possible)

    @property
    def n_proven(self) -> npt.NDArray[np.int32]:
        """(n_wires,) lower bound on the number of candidates."""
        return tokens.count(self.proven)


def known_of(problem: Problem, model: ExchangeModel, engine: str, course: Course) -> KnownBefore:
    """Presolve a problem and bound its candidates by an engine in a part of the time.

    Raises
    ------
    InputError
        An unknown engine, or sets of tokens that are too large.
    """
    decide = engine_of(engine, "verify").decider()
    network = WireNetwork.of(problem.zones)
    small, merged = compress(problem, network)
    if set_bytes(network.n_wires, network.n_rows) > course.memory.whole_bytes:
        raise InputError(
            f"the candidates of {network.n_rows} users on {network.n_wires} wires are too many to"
            " be weighed",
            hint="take fewer users (--users), a shorter time, or larger steps",
        )
    k = np.full(small.network.n_wires, min(plan.PROVEN, network.n_rows), np.int32)
    answers = Answers(small, np.arange(small.network.n_wires), k, False)
    proving = Deadline(min(plan.PROVING * course.left, plan.PROVING_SECONDS))
    decide(answers, course.aside.until(proving))
    times = WireTimes(network.row, network.start, network.end)
    far = list(_far_apart(answers, small.network.row))
    if model.is_uniform:
        zones = small.network.n_zones
        weights = Uniform().for_sizes(zones, len(small.network.member))
        return KnownBefore(small, weights, times, merged, answers.possible, answers.proven, far)
    weights = model.weights(problem.zones)
    check_weights(weights)
    core = _with_all_zones(problem, network)
    proven, possible = answers.proven[merged], answers.possible[merged]
    if np.isneginf(weights.table).any():  # what never happens is no candidate
        proven, far = tokens.identity(network.row, core.words), []
    return KnownBefore(
        core,
        weights,
        times,
        np.arange(network.n_wires),
        possible & reachable(core),
        proven,
        [start[merged] for start in far],
    )


def _with_all_zones(problem: Problem, network: WireNetwork) -> Core:
    """The core with all zones."""
    core = Core.of(network, problem.knowledge)
    _, known_time = known_rows(core.pins, core.links, core.apart)
    return in_events(core, event_steps(network.horizon, network.zone_time, known_time))


def _far_apart(answers: Answers, row: Assignment) -> Iterator[Assignment]:
    """Witnesses, farthest first: from the identity, then from all chosen before."""
    listed = list(islice(assignments(answers.witnesses, row), plan.COMPARED))
    chosen = [row]
    while listed and len(chosen) < plan.CHAINS:
        unlike = [min(int(np.count_nonzero(one != other)) for other in chosen) for one in listed]
        most = int(np.argmax(unlike))
        if unlike[most] == 0:
            return
        chosen.append(listed.pop(most))
        yield chosen[-1]
