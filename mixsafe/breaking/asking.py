"""Whether a target fails once some sightings are added, and histories that show that it holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

import numpy as np

from mixsafe.breaking.histories.killing import KnownUsers, Witness, killing, listed
from mixsafe.breaking.histories.replaying import assignment_of
from mixsafe.breaking.histories.target_state import TargetState
from mixsafe.breaking.targets import BreakingTarget, Ints
from mixsafe.breaking.walking import Tried
from mixsafe.certify.witnesses.witness_pool import Pool
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.question.adversary import Knowledge, pins_and_links
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver import auto
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.sat.encoding import Encoding
from mixsafe.solver.sat.session import Session
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.ledger import Ledger
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Assignment

_LARGEST = 2_000
"""Tokens on wires up to which all of them are told apart in one formula."""

_FIRST = (1, 5)
"""Wires that an engine is asked about before the next ones: to some rules a few are enough."""


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


class Asking:
    """The network and what is known before, to be asked with further sightings.

    Parameters
    ----------
    network, knowledge
        All wires, and the base knowledge.
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

    def ask(self, tried: Tried) -> Answer:
        """Whether a target fails under the sightings that are tried on it as well."""
        state = TargetState.of_swaps(tried.swapping, tried.chosen)
        choices = tried.choices
        some = listed(tried.chosen)
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
                if not state.may_pass:
                    return Answer(True)
        return Answer(None if state.may_pass else True)

    def _core(self, row: Ints, time: Ints) -> Core:
        """The question with further sightings."""
        return Core(self._network, *pins_and_links(self._knowledge.with_more(row, time)))

    def _wires(
        self, core: Core, state: TargetState, those: Ints
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
            hope = np.argsort(target.k[left] - upper[left].astype(np.int64), kind="stable")
            for some in np.split(left[hope], _FIRST):
                if len(some):
                    yield from self._by_engine(core, target, some)

    def _by_formula(
        self, core: Core, possible: TokenSets, target: BreakingTarget, left: Ints
    ) -> Iterator[tuple[int, _WireShown]]:
        """Ask for one history after the other, with all tokens told apart."""
        network = core.network
        encoding = Encoding.of(core, possible, np.arange(network.n_rows))
        with closing(Session()) as session:
            session.take_in(encoding.formula())
            session.start_from(encoding.at_home())
            for place in left.tolist():
                wire = int(target.wires[place])
                histories: list[Assignment] = []
                without = [-encoding.on(wire, int(network.row[wire]))]
                answer: bool | None = True
                while len(histories) < target.k[place] - 1:
                    answer = session.solve(without, self._deadline)
                    if not answer:
                        break
                    found = encoding.told(session.true())
                    histories.append(found)
                    without.append(-encoding.on(wire, int(found[wire])))
                yield place, _WireShown(answer, tuple(histories))

    def _by_engine(
        self, core: Core, target: BreakingTarget, left: Ints
    ) -> Iterator[tuple[int, _WireShown]]:
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
                yield place, _WireShown(False if refuted else None)
                continue
            by = shown.values[shown.ptr[turn] : shown.ptr[turn + 1]]
            turn += 1
            if len(by) < target.k[place]:
                yield place, _WireShown(None)
                continue
            told = tuple(assignment_of(core, pool.witnesses, one) for one in by[1:].tolist())
            yield place, _WireShown(True, told)
