"""Formula over zones: which must be active to meet requirements.

It has a boolean for each zone and, for each requirement, k - 1 witnesses with different candidates.
Zones that meet the requirements satisfy it; not the other way round, because most tokens are
anonymous in it. So the witnesses of an answer are replayed with all tokens: those who are not where
they are known to be are tracked from then on; when there are none, the zones are enough. (Refining
an abstraction where a counterexample is spurious: Clarke et al. 2003, Journal of the ACM 50.)

A witness puts another token, the *candidate*, on the row that is asked about, and agrees with all
sightings. A zone without an exchange leaves every token on its row, a zone with one permutes them.
Only some tokens are *tracked*: the candidate (which one is open), the row's own token, and those
that are added later. All others are anonymous, and fill the remaining wires. So the clauses hold
for every witness; a solution whose tokens agree with all sightings is a witness.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from mixsafe.model.course import Deadline
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from mixsafe.network.compression import network_without
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.optimize import zone_strategy
from mixsafe.solver.propagate.reachability import AFTER, BEFORE, spread
from mixsafe.solver.sat.encoding import Encoding
from mixsafe.solver.sat.session import Session
from mixsafe.solver.state.witness import Assignment, complete, fault

Numbers = npt.NDArray[np.int64]

_CANDIDATE = -1  # the candidate, among tokens


@dataclass(frozen=True, eq=False)
class ZoneVariables:
    """Zones, a variable for each, and knowledge: what all witnesses share.

    Parameters
    ----------
    zones
        The mix zones.
    core
        The question on all of them.
    active
        (n_zones,) variables: an exchange happens in the zone. Zones may share one.
    """

    zones: MixZones
    core: Core
    active: Numbers

    @classmethod
    def of(cls, zones: MixZones, knowledge: Knowledge, active: Numbers) -> ZoneVariables:
        """Data that all witnesses of a session share."""
        core = Core.of(WireNetwork.of(zones), knowledge)
        return cls(zones, core, active)

    def known(self, token: int) -> list[int]:
        """Steps after which a token is known to be on its own row, ascending; 0 is one."""
        pins = self.core.pins
        return sorted({0, *pins.time[pins.token == token].tolist()})

    def ahead(self, row: int, after: int, until: int) -> npt.NDArray[np.bool_]:
        """(n_wires,) where a token may be, up to a step, that is on ``row`` after another one."""
        return self._spread(AFTER, row, after, (after, until))

    def back(self, row: int, at: int, since: int) -> npt.NDArray[np.bool_]:
        """(n_wires,) where a token may be, from a step on, that is on ``row`` after a later one."""
        return self._spread(BEFORE, row, at, (since, at))

    def _spread(
        self, side: int, row: int, step: int, span: tuple[int, int]
    ) -> npt.NDArray[np.bool_]:
        """(n_wires,) where a token may be of which only one row and step are known."""
        network = self.core.network
        return spread(network, side, network.wire_at([row], [step]), span=span).by >= 0


class WitnessClauses:
    """One witness, written to a session.

    Parameters
    ----------
    session
        Where to.
    shared
        Zones, knowledge, and variables of the zones.
    row, step
        The candidate, not the row's own token, is on this row after this step.
    """

    def __init__(self, session: Session, shared: ZoneVariables, row: int, step: int) -> None:
        self._session, self._shared = session, shared
        self._row, self._step = row, step
        self._wire = int(shared.core.network.wire_at(row, step))
        self._encoding = Encoding.empty(shared.core, session.n_variables)
        session.new(self._encoding.n_variables)
        self._moved = shared.active.copy()
        pairs = np.flatnonzero(shared.zones.sizes == 2)
        self._moved[pairs] = session.new(len(pairs))
        session.add(np.stack([-self._moved[pairs], shared.active[pairs]], axis=1).tolist())
        self._apart = shared.core.apart_wires
        self._start = self._follow_candidate()  # (n_rows,) that it is this row's token; 0: never
        self._starts = self._start[self._start > 0].tolist()
        self._started = self._first_ones()
        self.track(row)

    @property
    def tracked(self) -> set[int]:
        """Tracked tokens, besides the candidate."""
        return set(self._encoding.tracked[1:].tolist())

    def before(self, other: WitnessClauses) -> None:
        """Let the candidate be a lower token than that of another witness of the same claim."""
        self._session.add(
            [[-start, *self._started[n - 1 : n]] for n, start in enumerate(other._starts)]
        )

    def assignment(self, true: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
        """(n_wires,) tracked token on each wire, -1 for an anonymous one, in an answer."""
        return self._encoding.assignment(true, int(np.argmax(true[self._start])))

    def _follow_candidate(self) -> Numbers:
        """(n_rows,) variables of the candidate at step 0; it is known where it starts."""
        shared, network = self._shared, self._shared.core.network
        there = shared.back(self._row, self._step, 0)
        there |= shared.ahead(self._row, self._step, network.horizon)
        there[network.first[self._row]] = False
        on = self._write(_CANDIDATE, there)
        start = on[network.first[:-1]]
        pin, wire = shared.core.pin_wires
        both = np.stack([start[shared.core.pins.token[pin]], on[wire]], axis=1)
        either = np.concatenate([both, both[:, ::-1]]).tolist()
        implied = [[-one, other] if other else [-one] for one, other in either if one]
        self._session.add([*_true(on[[self._wire]]), *implied])
        pinned, seen = start[np.unique(shared.core.pins.token)], on[self._apart]
        if pinned.any() and seen.any():  # else the encoding says all of who is apart
            (named,) = self._session.new(1).tolist()
            self._session.add([[-one, named] for one in pinned[pinned > 0].tolist()])
            self._session.add([[-named, -one] for one in seen[seen > 0].tolist()])
        return start

    def _first_ones(self) -> list[int]:
        """Whether the candidate is one of the first tokens that it may be, of the first two, ...

        The ladder of Gent and Nightingale (2004): it is one of them only.
        """
        so_far: list[int] = self._session.new(len(self._starts)).tolist()
        for n, (start, here) in enumerate(zip(self._starts, so_far, strict=True)):
            sooner = so_far[n - 1 : n]
            never = [[-one, last] for one in sooner for last in (here, -start)]
            self._session.add([[-start, here], [-here, start, *sooner], *never])
        return so_far

    def track(self, token: int) -> None:
        """Track one more token."""
        shared, network = self._shared, self._shared.core.network
        steps = shared.known(token)
        there = shared.ahead(token, steps[-1], network.horizon)
        for after, at in pairwise(steps):
            there |= shared.ahead(token, after, at) & shared.back(token, at, after)
        there[shared.core.pin_wires[1]] = False
        if (shared.core.pins.token == token).any():
            there[self._apart] = False
        home = np.unique(network.wire_at(np.full(len(steps), token), steps))
        there[home] = True
        if token == self._row:
            there[self._wire] = False
        on = self._write(token, there, int(self._start[token]))
        self._session.add(_true(on[home]))

    def _write(self, token: int, there: npt.NDArray[np.bool_], same: int = 0) -> Numbers:
        """(n_wires,) variables where a token may be; ``same`` says that it is the candidate."""
        fresh, number = self._session.new(int(np.count_nonzero(there))), len(self._encoding.tracked)
        on = np.zeros(len(there), np.int64)
        on[there] = fresh
        self._encoding = self._encoding.with_token(token, there, fresh)
        self._session.take_in(
            self._encoding.formula(
                since=number,
                given_out=self._session.n_variables,
                moved=self._moved,
                same=np.append(np.zeros(number, np.int64), same),
            )
        )
        return on


def _true(variables: Numbers) -> list[list[int]]:
    """Clauses that say that these are true; a variable that there is not cannot be."""
    return [[variable] if variable else [] for variable in variables.tolist()]


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
