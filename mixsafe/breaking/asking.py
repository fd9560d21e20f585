"""Whether a target fails once some sightings are added, and histories that show that it holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

import numpy as np

from mixsafe.breaking.allowed import SightingChoices
from mixsafe.breaking.killing import KnownUsers, Witness, killing, numbers
from mixsafe.breaking.replaying import assignment_of
from mixsafe.breaking.swapping import Meetings, Swapping
from mixsafe.breaking.targets import BreakingTarget, Ints
from mixsafe.certify.witnesses.witness_pool import Pool
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.question.adversary import Knowledge, pins_and_links
from mixsafe.network.wires import WireNetwork
from mixsafe.verify.boards.clauses import formula
from mixsafe.verify.boards.solving import Solving
from mixsafe.verify.boards.tracking import Tracking
from mixsafe.verify.bounds.reachability import reachable
from mixsafe.verify.core import tokens
from mixsafe.verify.core.answers import Answers
from mixsafe.verify.core.core import Core
from mixsafe.verify.core.tokens import TokenSets
from mixsafe.verify.core.witness import Assignment
from mixsafe.verify.engines import auto

_LARGEST = 2_000
"""Tokens on wires up to which all of them are told apart in one formula."""

_UNLIMITED = 1 << 60


class Answer(NamedTuple):
    """What is known of a target once some sightings are added.

    Parameters
    ----------
    fails
        Whether it does; None: not known.
    witness
        If it does not: histories that show it.
    """

    fails: bool | None
    witness: Witness = ()


class _WireShown(NamedTuple):
    """What is known of a wire: whether it has its candidates (None: not known), shown by what."""

    safe: bool | None
    histories: tuple[Assignment, ...] = ()


class _TargetState:
    """What is known of a target's wires: safe, or open; and the histories that show it."""

    def __init__(self, target: BreakingTarget) -> None:
        self.target = target
        self.safe = np.zeros(len(target.wires), bool)
        self.open = np.ones(len(target.wires), bool)
        self.shown: dict[int, Witness] = {}

    def set(self, place: int, safe: bool | None, shown: Witness = ()) -> None:
        """Take in what is known of a wire."""
        self.open[place], self.safe[place] = safe is None, safe is True
        self.shown[place] = shown

    @property
    def passes(self) -> bool:
        """Whether the target is known to pass."""
        return self.target.passes(self.safe)

    @property
    def may_pass(self) -> bool:
        """Whether it is not known to fail."""
        return self.target.passes(self.safe | self.open)

    def witness(self) -> Witness:
        """The histories of as few wires as are enough for the target to pass, few ones first."""
        needed = self.safe.copy()
        cost = [sum(one.useful(0).bit_count() for one in self.shown.get(place, ()))
                for place in range(len(needed))]  # fmt: skip
        for place in sorted(range(len(needed)), key=lambda one: -cost[one]):
            if needed[place]:
                needed[place] = False
                needed[place] = not self.target.passes(needed)
        return tuple(one for place in np.flatnonzero(needed).tolist() for one in self.shown[place])


class Asking:
    """The network and what is known before, to be asked with further sightings.

    Parameters
    ----------
    network
        All wires.
    knowledge
        The base knowledge.
    limits
        Workers and seed.
    deadline
        When to give up.
    """

    def __init__(
        self,
        network: WireNetwork,
        knowledge: Knowledge,
        limits: SolveLimits,
        deadline: Deadline,
    ) -> None:
        self._network, self._knowledge = network, knowledge
        self._limits, self._deadline = limits, deadline
        self._known = KnownUsers.of(knowledge, network)
        self._meetings = Meetings(network, knowledge)

    def about(self, target: BreakingTarget, choices: SightingChoices) -> Swapping:
        """What is known of a target at once: to be handed to :meth:`ask` about it."""
        return self._meetings.swaps(target, choices)

    def ask(
        self, target: BreakingTarget, choices: SightingChoices, swapping: Swapping, chosen: int
    ) -> Answer:
        """Whether a target fails under ``chosen`` sightings as well.

        Parameters
        ----------
        target
            What is to fail.
        choices, chosen
            What may be seen, and the set of what is, as bits.
        swapping
            Of :meth:`about`.
        """
        state = _TargetState(target)
        for place in range(len(target.wires)):
            shown = swapping.over(place, chosen)
            if shown is not None:
                state.set(place, True, shown)
        if state.passes:
            return Answer(False, state.witness())
        some = np.array(list(numbers(chosen)), np.int64)
        counted = choices.counts[:, some]
        for pattern in np.unique(counted, axis=0):
            those = np.flatnonzero((counted == pattern).all(axis=1) & ~state.safe)
            seen = some[pattern]
            core = self._core(choices.row[seen], choices.time[seen])
            for place, wire in self._wires(core, state, those):
                killers = (
                    killing(one, choices, choices.counts[place], self._known)
                    for one in wire.histories
                )
                state.set(place, wire.safe, tuple(killers))
                if state.passes:
                    return Answer(False, state.witness())
        return Answer(None if state.may_pass else True)

    def _core(self, row: Ints, time: Ints) -> Core:
        """The question with further sightings."""
        before = self._knowledge
        row, time = np.concatenate([before.row, row]), np.concatenate([before.time, time])
        return Core(self._network, *pins_and_links(Knowledge.of(row, time)))

    def _wires(
        self, core: Core, state: _TargetState, those: Ints
    ) -> Iterator[tuple[int, _WireShown]]:
        """What is known of some wires of a target, one after the other, while it matters."""
        if not len(those):
            return
        target, possible = state.target, reachable(core)
        upper = tokens.count(possible[target.wires])
        hopeless = upper < target.k
        for place in those[hopeless[those]].tolist():
            yield place, _WireShown(False)
        left = those[~hopeless[those]]
        if not len(left) or not state.may_pass:
            return
        if int(tokens.count(possible).sum(dtype=np.int64)) <= _LARGEST:
            yield from self._by_formula(core, possible, target, left)
        else:
            yield from self._by_engine(core, target, left)

    def _by_formula(
        self, core: Core, possible: TokenSets, target: BreakingTarget, left: Ints
    ) -> Iterator[tuple[int, _WireShown]]:
        """Ask for one history after the other, with all tokens told apart."""
        network = core.network
        tracking = Tracking.of(core, possible, np.arange(network.n_rows))
        with closing(Solving(formula(tracking))) as solving:
            solving.start_from(tracking.at_home())
            for place in left.tolist():
                wire = int(target.wires[place])
                histories: list[Assignment] = []
                without = [-tracking.variable(wire, int(network.row[wire]))]
                answer: bool | None = True
                while len(histories) < target.k[place] - 1:
                    answer = solving.ask(without, _UNLIMITED, self._deadline)
                    if not answer:
                        break
                    found = tracking.told(solving.true())
                    histories.append(found)
                    without.append(-tracking.variable(wire, int(found[wire])))
                yield place, _WireShown(answer, tuple(histories))

    def _by_engine(
        self, core: Core, target: BreakingTarget, left: Ints
    ) -> Iterator[tuple[int, _WireShown]]:
        """Ask engine ``auto``, then look for witnesses of what it finds."""
        wires = target.wires[left]
        answers = Answers(core, wires, target.k[left].astype(np.int32))
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
                yield place, _WireShown(False if refuted else None)
                continue
            by = shown.values[shown.ptr[turn] : shown.ptr[turn + 1]]
            turn += 1
            if len(by) < target.k[place]:
                yield place, _WireShown(None)
                continue
            told = tuple(assignment_of(core, pool.witnesses, one) for one in by[1:].tolist())
            yield place, _WireShown(True, told)
