"""Formula over zones: which must be active to meet requirements.

It has a boolean for each zone and, for each requirement, k - 1 witnesses with different candidates
(:mod:`mixsafe.optimize.witness_clauses`). Zones that meet the requirements satisfy it; not
the other way round, because most tokens are anonymous in it. So the witnesses of an answer are
replayed with all tokens: those who are not where they are known to be are tracked from then on;
when there are none, the zones are enough. (Refining an abstraction where a counterexample is
spurious: Clarke et al. 2003, Journal of the ACM 50.)
"""

from __future__ import annotations

import gc
from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from mixsafe.model.course import Deadline
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from mixsafe.network.compression import network_without
from mixsafe.optimize import zone_strategy
from mixsafe.optimize.witness_clauses import WitnessClauses, ZoneVariables
from mixsafe.solver.sat.session import Session
from mixsafe.solver.state.witness import Assignment, complete, fault


def expected_variables(zones: MixZones, asked: Requirements) -> npt.NDArray[np.int64]:
    """(n_asked,) booleans at first: two tokens on each wire, in each of k - 1 witnesses."""
    n_wires = zones.n_users + len(zones.members)
    return 2 * n_wires * (asked.k.astype(np.int64) - 1)


def that_fit(problem: Problem, order: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Numbers, ascending, of the requirements that formulas can hold, taken in this order."""
    size = expected_variables(problem.zones, problem.asked)[order]
    return np.sort(order[np.cumsum(size) <= zone_strategy.VARIABLES])


class ZoneFormula:
    """The formula of a problem's requirements.

    Parameters
    ----------
    session
        Where it is written.
    problem
        With requirements of k >= 2.
    deadline
        When to stop writing it.
    group
        (n_zones,) int64: number of the group of each zone; None: each is one by itself.

    Attributes
    ----------
    chosen
        (n_groups,) literals: exchanges happen in the zones of the group.
    active
        (n_zones,) literals: exchanges happen in the zone.
    is_written
        Whether there was time to write all of it.
    """

    def __init__(
        self,
        session: Session,
        problem: Problem,
        deadline: Deadline,
        group: npt.NDArray[np.int64] | None = None,
    ) -> None:
        self._session = session
        zones = problem.zones
        of = np.arange(len(zones)) if group is None else group
        self.chosen = session.new(int(of.max(initial=-1)) + 1)
        self._shared = ZoneVariables.of(zones, problem.knowledge, self.chosen[of])
        self.active = self._shared.active
        self._witnesses: list[WitnessClauses] = []
        enabled = gc.isenabled()
        gc.disable()  # millions of short lists, none of which is garbage that it could find
        try:
            self.is_written = self._write(problem.asked, deadline)
        finally:
            if enabled:
                gc.enable()

    def _write(self, asked: Requirements, deadline: Deadline) -> bool:
        """Write all witnesses; whether there was time."""
        for row, step, k in zip(asked.row, asked.time, asked.k, strict=True):
            mine = []
            for _ in range(int(k) - 1):
                if deadline.passed:
                    return False
                mine.append(WitnessClauses(self._session, self._shared, int(row), int(step)))
            for one, other in pairwise(mine):
                one.before(other)
            self._witnesses += mine
        return True

    def track_misplaced(self) -> bool:
        """Track the tokens that are misplaced in the last answer; whether there are any."""
        true = self._session.true()
        active = true[self.active]
        misplaced = [
            _misplaced(self._shared, one.assignment(true), active) for one in self._witnesses
        ]
        for witness, tokens in zip(self._witnesses, misplaced, strict=True):
            for token in sorted(tokens - witness.tracked):
                witness.track(token)
        return any(misplaced)


def _misplaced(
    shared: ZoneVariables, assignment: Assignment, active: npt.NDArray[np.bool_]
) -> set[int]:
    """Tokens that are not where they are known to be, when anonymous ones are filled in.

    Parameters
    ----------
    shared
        Zones and knowledge.
    assignment
        (n_wires,) tracked token on each wire, -1 for an anonymous one.
    active
        (n_zones,) zones in which an exchange happens.

    Returns
    -------
    Tokens that are elsewhere, those who are there in their place, and those with whom several
    different users are seen; empty: it is a witness.
    """
    whole = shared.core
    network = network_without(whole.network, ~active)
    core = replace(whole, network=network)
    tracked = np.zeros(network.n_rows, bool)
    tracked[assignment[assignment >= 0]] = True
    completed = complete(
        core, assignment[whole.network.wire_at(network.row, network.start)], tracked
    )
    pin, wire = core.pin_wires
    token = core.pins.token[pin]
    wrong = completed[wire] != token
    linked = completed[core.link_wires]
    broken = linked[linked[:, 0] != linked[:, 1]]
    held, n = np.unique(completed[core.apart_wires], return_counts=True)
    several = held[(n > 1) | np.isin(held, core.pins.token)]
    elsewhere = completed[wire[wrong]], token[wrong], broken.ravel(), several
    found = set(np.concatenate(elsewhere).tolist())
    if not found and (why := fault(core, completed)) is not None:
        raise AssertionError(f"a witness of method auto is none: {why}")
    return found
