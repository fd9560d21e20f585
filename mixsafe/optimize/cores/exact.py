"""A minimum set of zones for some requirements, by cores of a SAT formula.

The formula has a boolean for each zone and, for each requirement, k - 1 witnesses with different
candidates (:mod:`mixsafe.optimize.cores.witness_clauses`). Its minimum
(:mod:`mixsafe.optimize.cores.minimum_cost`) is a lower bound, because most tokens are anonymous in
it. When the minimum is found, the witnesses are replayed with all tokens: those who are not where
they are known to be are tracked from then on, and the search goes on; when there are none, the
zones are enough, and nothing is cheaper. (Refining an abstraction where a counterexample is
spurious: Clarke et al. 2003, Journal of the ACM 50.)
"""

from __future__ import annotations

import gc
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import Deadline
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.requirement import Requirements
from mixsafe.optimize.cores.minimum_cost import Cores
from mixsafe.optimize.cores.replay import strays
from mixsafe.optimize.cores.witness_clauses import WitnessClauses, ZoneVariables
from mixsafe.solver.sat.session import Session

MAX_VARIABLES = 8_000_000
"""Of a formula as it is first written; each takes about 1 kB with its clauses."""


def expected_variables(zones: MixZones, asked: Requirements) -> npt.NDArray[np.int64]:
    """(n_asked,) booleans at first: two tokens on each wire, in each of k - 1 witnesses."""
    n_wires = zones.n_users + len(zones.members)
    return 2 * n_wires * (asked.k.astype(np.int64) - 1)


class Step(NamedTuple):
    """What a step of the search brought.

    Parameters
    ----------
    zones
        (n_zones,) bool: zones that cost as much as the bound; None: the bound was raised.
    enough
        Whether these zones are proven to be enough: they are a minimum.
    """

    zones: npt.NDArray[np.bool_] | None
    enough: bool


class Exact:
    """The search, which can be stopped and go on.

    Parameters
    ----------
    session
        Where the formula is written.
    zones, knowledge
        The question.
    asked
        Requirements of k >= 2, all of which all zones together meet.
    cost
        (n_zones,) int64 >= 0.
    deadline
        When to stop writing the formula.
    """

    def __init__(
        self,
        session: Session,
        zones: MixZones,
        knowledge: Knowledge,
        asked: Requirements,
        cost: npt.NDArray[np.int64],
        deadline: Deadline,
    ) -> None:
        self._session = session
        self._shared = ZoneVariables.of(zones, knowledge, session)
        self._witnesses: list[WitnessClauses] = []
        self.written = self._write(asked, deadline)
        priced = cost > 0
        self._cores = Cores(session, self._shared.active[priced], cost[priced])

    def _write(self, asked: Requirements, deadline: Deadline) -> bool:
        """Write all witnesses; whether there was time."""
        enabled = gc.isenabled()
        gc.disable()  # millions of short lists, none of which is garbage that it could find
        try:
            return self._write_witnesses(asked, deadline)
        finally:
            if enabled:
                gc.enable()

    def _write_witnesses(self, asked: Requirements, deadline: Deadline) -> bool:
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

    @property
    def bound(self) -> int:
        """What zones that are enough cost at least."""
        return self._cores.bound if self.written else 0

    def harden(self, below: int) -> None:
        """Look for zones that cost less than ``below`` and for nothing else."""
        if self.written:
            self._cores.harden(below)

    def look_beyond(self, zones: npt.NDArray[np.bool_], below: int) -> None:
        """Look for what costs less than ``below`` and uses a zone besides some ``zones``."""
        if self.written:
            self._session.give_up()
            self._cores.harden(below)
            self._cores.pay_for_one_of(self._shared.active[~zones])

    def pause(self) -> None:
        """Leave the processor to others until the next step."""
        self._session.pause()

    def left(self, below: int) -> npt.NDArray[np.bool_]:
        """(n_zones,) zones that what costs less than ``below`` may use, by the cores so far."""
        if not self.written:
            return np.ones(len(self._shared.active), bool)
        return ~np.isin(self._shared.active, self._cores.too_dear(below))

    def in_cores(self) -> npt.NDArray[np.bool_]:
        """(n_cores, n_zones) zones of the smallest core, of the two smallest, and so on."""
        cores = sorted(self._cores.paid, key=len)
        zones = np.zeros((len(cores), len(self._shared.active)), bool)
        for number, core in enumerate(cores):
            zones[number] = np.isin(self._shared.active, core)
        return np.asarray(np.logical_or.accumulate(zones))

    def step(self, deadline: Deadline) -> Step | None:
        """Raise the bound by a core, or look at zones that may be a minimum; None: no time."""
        holds = self._cores.raise_bound(deadline) if self.written else None
        if holds is None:
            return None
        if not holds:
            return Step(None, False)
        true = self._session.true()
        active = true[self._shared.active]
        astray = [strays(self._shared, one.told(true), active) for one in self._witnesses]
        for witness, tokens in zip(self._witnesses, astray, strict=True):
            for token in sorted(tokens - witness.tracked):
                witness.track(token)
        return Step(active, not any(astray))
