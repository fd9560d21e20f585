"""Oracle: whether targets fail once some sightings are added, with witnesses where they hold.

Short walks look for witnesses of many targets at once. Each target has its own proposed sightings;
the walks respect all of them together, so what they find is a witness for each of these targets.
An engine then decides each target that walks leave open; a small problem is one formula with all
tokens tracked, which SAT decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mixsafe.breaking.conflicts import Conflicts, KnownUsers, Witness, conflicts, listed
from mixsafe.breaking.swapping import Swapping
from mixsafe.breaking.targets import BreakingTarget, Ints, SightingChoices
from mixsafe.certify.wanted import WantedWitnesses, take
from mixsafe.certify.witness_pool import Pool
from mixsafe.model.answer.certificate import Witnesses
from mixsafe.model.course import Course, Deadline
from mixsafe.model.question.adversary import Knowledge
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver import auto
from mixsafe.solver.local.walks import WalkBudget, walk
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.sat.encoding import Encoding
from mixsafe.solver.sat.session import Session
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.ledger import Ledger
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Assignment, Differences, joined

_LARGEST = 2_000
"""Largest number of possible tokens on wires for one formula that tracks all tokens."""

_FIRST = (1, 5)
"""Splits of the wires given to an engine in turn: some rules need only a few."""


class WireShown(NamedTuple):
    """Whether a wire has its candidates (None: not known), and the assignments that show it."""

    safe: bool | None
    assignments: tuple[Assignment, ...] = ()


class SmallProblem:
    """A small problem as one SAT formula; call :meth:`close` after use.

    Parameters
    ----------
    core
        The core.
    possible
        (n_wires, words): domain of each wire.
    """

    def __init__(self, core: Core, possible: TokenSets) -> None:
        self._row = core.network.row
        self._encoding = Encoding.of(core, possible, np.arange(core.network.n_rows))
        self._session = Session()
        self._session.take_in(self._encoding.formula())
        self._session.start_from(self._encoding.at_home())

    def close(self) -> None:
        """Free the solver's memory."""
        self._session.close()

    def others(self, wire: int, most: int, deadline: Deadline) -> WireShown:
        """Assignments with ``most`` different other tokens on a wire."""
        found, without = list[Assignment](), [-self._encoding.on(wire, int(self._row[wire]))]
        answer: bool | None = True
        while len(found) < most and answer:
            answer = self._session.solve(without, deadline)
            if answer:
                found.append(self._encoding.assignment(self._session.true()))
                without.append(-self._encoding.on(wire, int(found[-1][wire])))
        return WireShown(answer, tuple(found))


class TargetState:
    """Which wires of a target are safe or open, and the assignments that show it.

    Parameters
    ----------
    target
        The target.
    """

    def __init__(self, target: BreakingTarget) -> None:
        self.target = target
        self.safe = np.zeros(len(target.wires), bool)
        self.open = np.ones(len(target.wires), bool)
        self._shown: dict[int, Witness] = {}

    @classmethod
    def of_swaps(cls, swapping: Swapping, chosen: int) -> TargetState:
        """State that swaps show under ``chosen`` sightings."""
        state = cls(swapping.target)
        for place, shown in swapping.shown(chosen).items():
            state.set(place, True, shown)
        return state

    def set(self, place: int, safe: bool | None, shown: Witness = ()) -> None:
        """Record whether a wire has its candidates; None: not known."""
        self.open[place], self.safe[place] = safe is None, safe is True
        self._shown[place] = shown

    @property
    def passes(self) -> bool:
        """Whether the target is known to pass."""
        return self.target.passes(self.safe)

    @property
    def may_pass(self) -> bool:
        """Whether it is not known to fail."""
        return self.target.passes(self.safe | self.open)

    def witness(self) -> Witness:
        """Assignments of just enough wires to pass, preferring small conflict sets.

        A witness with a smaller conflict set is a stronger core.
        """
        needed, cost = self.safe.copy(), {}
        for place in np.flatnonzero(self.safe).tolist():
            found = 0
            for assignment in self._shown[place]:
                found |= assignment.useful(0)
            cost[place] = found.bit_count()
        for place in sorted(cost, key=lambda one: -cost[one]):
            needed[place] = False
            needed[place] = not self.target.passes(needed)
        return tuple(
            assignment
            for place in np.flatnonzero(needed).tolist()
            for assignment in self._shown[place]
        )


SHORT = (WalkBudget(3, 1, 10, 40, 1),)
LONG = (*SHORT, WalkBudget(5, 1, 10, 800, 2), WalkBudget(5, 1, 10, 150, 5))
"""Budgets of successive walks; each looks for what those before it did not find."""


class Tried(NamedTuple):
    """A target and the sightings proposed to break it.

    Parameters
    ----------
    swapping
        Its swaps, and the allowed sightings.
    chosen
        The proposed set.
    """

    swapping: Swapping
    chosen: int


class TargetAnswer(NamedTuple):
    """Whether a target fails once some sightings are added.

    Parameters
    ----------
    fails
        True, False or None: not known.
    witness
        Assignments that show that it holds.
    """

    fails: bool | None
    witness: Witness = ()


class BreakingOracle:
    """Oracle for a network and its base knowledge with further sightings.

    Parameters
    ----------
    network, knowledge, known
        All wires, the base knowledge, and the same by user.
    course
        Of the search, of which nothing is told and kept here.
    """

    def __init__(
        self, network: WireNetwork, knowledge: Knowledge, known: KnownUsers, course: Course
    ) -> None:
        self._network, self._knowledge = network, knowledge
        self._course = course
        self._known = known

    def witnesses(
        self, tried: Sequence[Tried], budgets: Sequence[WalkBudget], seed: int
    ) -> list[Witness | None]:
        """For each target a witness that agrees with its sightings; None: none was found.

        Parameters
        ----------
        tried
            Targets that swaps leave open, with their sightings.
        budgets
            Of successive walks.
        seed
            Of the walks.
        """
        network, states = self._network, list[TargetState]()
        core = self._core([(one.swapping.choices, listed(one.chosen)) for one in tried])
        for one in tried:
            if self._course.passed:
                return [None] * len(tried)
            states.append(TargetState.of_swaps(one.swapping, one.chosen))
        need = np.zeros(network.n_wires, np.int32)
        for state in states:
            left, target = ~state.safe, state.target
            np.maximum.at(need, target.wires[left], target.k[left].astype(np.int32) - 1)
        everybody = tokens.everything(network.n_wires, network.n_rows)
        wanted = WantedWitnesses.of(need, network.row, everybody)
        found: list[Differences] = []
        for number, budget in enumerate(budgets):
            sought, shown = wanted.targets(), wanted.shown()
            turn = seed * len(LONG) + number
            walked = walk(core, sought, shown, budget, self._course, seed=turn, writes=True)
            found.append(take(wanted, walked, 1 + sum(one.n for one in found)))
        differences = joined(found)
        for one, state in zip(tried, states, strict=True):
            self._take_in(state, one.swapping.choices, wanted, differences)
        return [state.witness() if state.passes else None for state in states]

    def _take_in(
        self,
        state: TargetState,
        choices: SightingChoices,
        wanted: WantedWitnesses,
        differences: Differences,
    ) -> None:
        """Record the wires of a target that walks have shown, with their assignments."""
        target, contradicts = state.target, dict[tuple[int, bytes], Conflicts]()
        for place in np.flatnonzero(~state.safe).tolist():
            if self._course.passed:
                return
            at = int(wanted.place[target.wires[place]])
            enough = int(target.k[place])
            if at < 0 or wanted.n_shown[at] < enough:
                continue
            counts, shown = choices.counts[place], []
            for by in wanted.shown_by[at, 1:enough].tolist():
                key = by, counts.tobytes()
                if key not in contradicts:
                    assignment = self._assignment(differences, by)
                    contradicts[key] = conflicts(assignment, choices, counts, self._known)
                shown.append(contradicts[key])
            state.set(place, True, tuple(shown))

    def _assignment(self, differences: Differences, number: int) -> Assignment:
        """The full assignment of a witness; number 1 is the first one found."""
        moved = slice(int(differences.ptr[number - 1]), int(differences.ptr[number]))
        assignment: Assignment = self._network.row.copy()
        assignment[differences.wire[moved]] = differences.token[moved]
        return assignment

    def ask(self, tried: Tried) -> TargetAnswer:
        """Whether a target fails with its proposed sightings, by an engine."""
        state = TargetState.of_swaps(tried.swapping, tried.chosen)
        choices, some = tried.swapping.choices, listed(tried.chosen)
        counted = choices.counts[:, some]
        for pattern in np.unique(counted, axis=0):
            those = np.flatnonzero((counted == pattern).all(axis=1) & ~state.safe)
            seen = some[pattern]
            core = self._core([(choices, seen)])
            for place, wire in self._wires(core, state, those):
                contradicted = (
                    conflicts(one, choices, choices.counts[place], self._known)
                    for one in wire.assignments
                )
                state.set(place, wire.safe, tuple(contradicted))
                if state.passes:
                    return TargetAnswer(False, state.witness())
                if not state.may_pass:
                    return TargetAnswer(True)
        return TargetAnswer(None if state.may_pass else True)

    def _core(self, seen: Sequence[tuple[SightingChoices, Ints]]) -> Core:
        """The core with some allowed sightings added."""
        none = np.zeros(0, np.int32)
        row = np.concatenate([none, *(choices.row[some] for choices, some in seen)])
        time = np.concatenate([none, *(choices.time[some] for choices, some in seen)])
        return Core.of(self._network, self._knowledge.with_more(row, time))

    def _wires(
        self, core: Core, state: TargetState, those: Ints
    ) -> Iterator[tuple[int, WireShown]]:
        """Answers for some wires of a target, while they can change its result."""
        if not len(those):
            return
        target, possible = state.target, reachable(core)
        upper = tokens.count(possible[target.wires])
        hopeless = upper < target.k
        for place in those[hopeless[those]].tolist():
            yield place, WireShown(False)
        left = those[~hopeless[those]]
        if not len(left) or not state.may_pass:
            return
        if int(tokens.count(possible).sum(dtype=np.int64)) <= _LARGEST:
            yield from self._by_formula(core, possible, target, left)
        else:
            hope = np.argsort(target.k[left] - upper[left].astype(np.int64), kind="stable")
            for some in np.split(left[hope], _FIRST):
                if len(some):
                    yield from self._by_engine(core, target, some)

    def _by_formula(
        self, core: Core, possible: TokenSets, target: BreakingTarget, left: Ints
    ) -> Iterator[tuple[int, WireShown]]:
        """Find assignments one by one by SAT, with all tokens tracked."""
        with closing(SmallProblem(core, possible)) as problem:
            for place in left.tolist():
                most = int(target.k[place]) - 1
                yield place, problem.others(int(target.wires[place]), most, self._course.deadline)

    def _by_engine(
        self, core: Core, target: BreakingTarget, left: Ints
    ) -> Iterator[tuple[int, WireShown]]:
        """Decide by engine ``auto``, with witnesses of proven candidates."""
        wires = target.wires[left]
        k = target.k[left].astype(np.int32)
        answers = Answers(core, wires, k, ledger=Ledger(core))
        auto.decide(answers, self._course)
        need = np.zeros(core.network.n_wires, np.int32)
        proven = answers.lower[wires] >= target.k[left]
        need[wires[proven]] = target.k[left][proven] - 1
        pool = Pool(answers, need, replace(self._course, seed=0))
        pool.fill()
        shown = pool.shown_by(wires[proven], target.k[left][proven].astype(np.int32))
        turn = 0
        for number, place in enumerate(left.tolist()):
            if not proven[number]:
                refuted = answers.upper[wires[number]] < target.k[place]
                yield place, WireShown(False if refuted else None)
                continue
            by = shown.values[shown.ptr[turn] : shown.ptr[turn + 1]]
            turn += 1
            if len(by) < target.k[place]:
                yield place, WireShown(None)
                continue
            assignments = tuple(
                _assignment_of(core, pool.witnesses, one) for one in by[1:].tolist()
            )
            yield place, WireShown(True, assignments)


def _assignment_of(core: Core, witnesses: Witnesses, number: int) -> Assignment:
    """(n_wires,) token on each wire in a witness, from its exchanges."""
    network = core.network
    exchanges = slice(int(witnesses.ptr[number]), int(witnesses.ptr[number + 1]))
    moved = slice(*witnesses.rows.ptr[[exchanges.start, exchanges.stop]].tolist())
    time = np.repeat(witnesses.time[exchanges], witnesses.rows.sizes[exchanges])
    row, token = witnesses.rows.values[moved], witnesses.tokens.values[moved]
    begins = network.wire_at(row, time)
    assignment: Assignment = network.row.copy()
    for i in np.argsort(time, kind="stable").tolist():  # a later exchange of a row overrides
        assignment[begins[i] : network.first[row[i] + 1]] = token[i]
    return assignment
