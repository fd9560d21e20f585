"""Whether targets fail once some sightings are added, and assignments that show that they hold.

Witnesses of many targets at once are looked for by short walks. Each target has sightings of its
own that are tried. The walks see all of them together: an assignment that agrees with more than a
target's own sightings is a witness for it all the same. What walks leave open is asked about each
target alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

import numpy as np

from mixsafe.breaking.allowed import SightingChoices
from mixsafe.breaking.assignments.conflicts import Conflicts, KnownUsers, Witness, conflicts, listed
from mixsafe.breaking.assignments.sat_subproblems import SatSubproblem, WireShown
from mixsafe.breaking.assignments.swapping import Swapping
from mixsafe.breaking.assignments.target_state import TargetState
from mixsafe.breaking.targets import BreakingTarget, Ints
from mixsafe.certify.witnesses.wanted import Wanted, take
from mixsafe.certify.witnesses.witness_pool import Pool
from mixsafe.model.answer.certificate import Witnesses
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.question.adversary import Knowledge, pins_and_links
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver import auto
from mixsafe.solver.local.walks import Budget, walk
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.differences import Differences, joined
from mixsafe.solver.state.ledger import Ledger
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Assignment

SHORT = (Budget(3, 1, 10, 40, 1),)
LONG = (*SHORT, Budget(5, 1, 10, 800, 2), Budget(5, 1, 10, 150, 5))
"""Walks one after the other, of which each is asked what those before it did not find."""


_LARGEST = 2_000
"""Tokens on wires up to which all of them are told apart in one formula."""

_FIRST = (1, 5)
"""Wires that an engine is asked about before the next ones: to some rules a few are enough."""


class Tried(NamedTuple):
    """A target, and sightings that are tried on it.

    Parameters
    ----------
    swapping
        Its swaps.
    choices, chosen
        What may be seen, and the set of what is.
    """

    swapping: Swapping
    choices: SightingChoices
    chosen: int


class TargetAnswer(NamedTuple):
    """What is known of a target once some sightings are added.

    Parameters
    ----------
    fails
        Whether it does; None: not known.
    witness
        If it does not: assignments that show it.
    """

    fails: bool | None
    witness: Witness = ()


class Asking:
    """The network and what is known before, to be asked with further sightings.

    Parameters
    ----------
    network, knowledge, known
        All wires, the base knowledge, and what it says of users.
    limits
        Workers and seed.
    deadline
        When to give up.
    """

    def __init__(
        self,
        network: WireNetwork,
        knowledge: Knowledge,
        known: KnownUsers,
        limits: SolveLimits,
        deadline: Deadline,
    ) -> None:
        self._network, self._knowledge = network, knowledge
        self._limits, self._deadline = limits, deadline
        self._known = known

    def witnesses(
        self, tried: Sequence[Tried], budgets: Sequence[Budget], seed: int
    ) -> list[Witness | None]:
        """For each target a witness that survives what is tried on it; None: none was found.

        Parameters
        ----------
        tried
            Targets that swaps leave open.
        efforts
            How much is tried.
        seed
            Of the drawing.
        """
        network, states = self._network, list[TargetState]()
        core = self._core([(one.choices, listed(one.chosen)) for one in tried])
        for one in tried:
            if self._deadline.passed:
                return [None] * len(tried)
            states.append(TargetState.of_swaps(one.swapping, one.chosen))
        need = np.zeros(network.n_wires, np.int32)
        for state in states:
            left, target = ~state.safe, state.target
            np.maximum.at(need, target.wires[left], target.k[left].astype(np.int32) - 1)
        everybody = tokens.everything(network.n_wires, network.n_rows)
        wanted = Wanted.of(need, network.row, everybody)
        found: list[Differences] = []
        for number, budget in enumerate(budgets):
            sought, shown = wanted.targets(), wanted.shown()
            turn, until = seed * len(LONG) + number, self._deadline
            made = walk(core, sought, shown, budget, seed=turn, deadline=until, writes=True)
            found.append(take(wanted, made, 1 + sum(one.n for one in found)))
        told = joined(found)
        for one, state in zip(tried, states, strict=True):
            self._take_in(state, one.choices, wanted, told)
        return [state.witness() if state.passes else None for state in states]

    def _take_in(
        self, state: TargetState, choices: SightingChoices, wanted: Wanted, told: Differences
    ) -> None:
        """Note which of a target's wires walks have shown, and by what."""
        target, contradicts = state.target, dict[tuple[int, bytes], Conflicts]()
        for place in np.flatnonzero(~state.safe).tolist():
            if self._deadline.passed:
                return
            at = int(wanted.place[target.wires[place]])
            enough = int(target.k[place])
            if at < 0 or wanted.n_shown[at] < enough:
                continue
            counts, shown = choices.counts[place], []
            for by in wanted.shown_by[at, 1:enough].tolist():
                key = by, counts.tobytes()
                if key not in contradicts:
                    assignment = self._assignment(told, by)
                    contradicts[key] = conflicts(assignment, choices, counts, self._known)
                shown.append(contradicts[key])
            state.set(place, True, tuple(shown))

    def _assignment(self, told: Differences, number: int) -> Assignment:
        """The whole of a witness; the first one, number 1, is the first that was told."""
        moved = slice(int(told.ptr[number - 1]), int(told.ptr[number]))
        made: Assignment = self._network.row.copy()
        made[told.wire[moved]] = told.token[moved]
        return made

    def ask(self, tried: Tried) -> TargetAnswer:
        """Whether a target fails under the sightings that are tried on it as well."""
        state = TargetState.of_swaps(tried.swapping, tried.chosen)
        choices = tried.choices
        some = listed(tried.chosen)
        counted = choices.counts[:, some]
        for pattern in np.unique(counted, axis=0):
            those = np.flatnonzero((counted == pattern).all(axis=1) & ~state.safe)
            seen = some[pattern]
            core = self._core([(choices, seen)])
            for place, wire in self._wires(core, state, those):
                killers = (
                    conflicts(one, choices, choices.counts[place], self._known)
                    for one in wire.assignments
                )
                state.set(place, wire.safe, tuple(killers))
                if state.passes:
                    return TargetAnswer(False, state.witness())
                if not state.may_pass:
                    return TargetAnswer(True)
        return TargetAnswer(None if state.may_pass else True)

    def _core(self, seen: Sequence[tuple[SightingChoices, Ints]]) -> Core:
        """The question with some of what may be seen."""
        none = np.zeros(0, np.int32)
        row = np.concatenate([none, *(choices.row[some] for choices, some in seen)])
        time = np.concatenate([none, *(choices.time[some] for choices, some in seen)])
        return Core(self._network, *pins_and_links(self._knowledge.with_more(row, time)))

    def _wires(
        self, core: Core, state: TargetState, those: Ints
    ) -> Iterator[tuple[int, WireShown]]:
        """What is known of some wires of a target, one after the other, while it matters."""
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
        """Ask for one assignment after the other, with all tokens told apart."""
        with closing(SatSubproblem(core, possible)) as subproblem:
            for place in left.tolist():
                most = int(target.k[place]) - 1
                yield place, subproblem.others(int(target.wires[place]), most, self._deadline)

    def _by_engine(
        self, core: Core, target: BreakingTarget, left: Ints
    ) -> Iterator[tuple[int, WireShown]]:
        """Ask engine ``auto``, and for the witnesses of what it finds."""
        wires = target.wires[left]
        k = target.k[left].astype(np.int32)
        answers = Answers(core, wires, k, ledger=Ledger(core))
        auto.decide(answers, self._limits, self._deadline)
        need = np.zeros(core.network.n_wires, np.int32)
        proven = answers.lower[wires] >= target.k[left]
        need[wires[proven]] = target.k[left][proven] - 1
        pool = Pool(answers, need, self._deadline)
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
            told = tuple(_assignment_of(core, pool.witnesses, one) for one in by[1:].tolist())
            yield place, WireShown(True, told)


def _assignment_of(core: Core, witnesses: Witnesses, number: int) -> Assignment:
    """(n_wires,) token on each wire in one of some witnesses, told by their exchanges."""
    network = core.network
    exchanges = slice(int(witnesses.ptr[number]), int(witnesses.ptr[number + 1]))
    moved = slice(*witnesses.rows.ptr[[exchanges.start, exchanges.stop]].tolist())
    time = np.repeat(witnesses.time[exchanges], witnesses.rows.sizes[exchanges])
    row, token = witnesses.rows.values[moved], witnesses.tokens.values[moved]
    begins = network.wire_at(row, time)
    made: Assignment = network.row.copy()
    for i in np.argsort(time, kind="stable").tolist():  # a later exchange of a row overrides
        made[begins[i] : network.first[row[i] + 1]] = token[i]
    return made
