"""Annealing around all open wires: rounds of tries, shared among threads.

In each round every chain takes up open wires of its own, one try each: a token that is possible
there and not proven is led over the wire, and annealed. What a witness shows on any open wire
counts. Chains share nothing within a round, so their number, not the number of workers, determines
what is found; after it all know what all have found, at which temperatures it was found, and how
many moves were in vain.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import as_python
from mixsafe.errors import MixsafeError
from mixsafe.model.limits import Deadline
from mixsafe.verify.annealing.histories import TOKEN, History, Landscape, identity
from mixsafe.verify.annealing.leads import lead
from mixsafe.verify.annealing.moves import Aim, anneal, new_hand, warm
from mixsafe.verify.core import tokens
from mixsafe.verify.core.core import Core
from mixsafe.verify.core.findings import Finding
from mixsafe.verify.core.tokens import TokenSets
from mixsafe.verify.core.witness import fault
from mixsafe.verify.search.questions import Targets
from mixsafe.verify.search.walks import until

N_CHAINS = 8
TEMPERATURES = (0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18)
"""In broken sightings. Which serves is a matter of the data, and found while running."""

_MOST_TRIES = 256  # in one round: then chains hear what others have found
_LEAST_TRIES = 32  # in one round: few open wires are taken up several times, all chains busy
_HOPE = 1.0  # witnesses that each temperature is taken to have brought before it was tried


class Luck(NamedTuple):
    """What tries at each temperature have cost and brought.

    ``moves``, ``witnesses``: (len(TEMPERATURES),) float64 each.
    """

    moves: npt.NDArray[np.float64]
    witnesses: npt.NDArray[np.float64]

    def with_those_of(self, moves: npt.ArrayLike, witnesses: npt.ArrayLike) -> Luck:
        """These and further ones."""
        return Luck(
            self.moves + np.asarray(moves, np.float64),
            self.witnesses + np.asarray(witnesses, np.float64),
        )

    def shares(self, moves: int) -> npt.NDArray[np.float64]:
        """(len(TEMPERATURES),) how often each should be tried, where a try takes ``moves``."""
        rate = (self.witnesses + _HOPE) / (self.moves + _HOPE * moves)
        weight = rate**2
        return np.asarray(weight / weight.sum())


def no_luck() -> Luck:
    """Nothing has been tried."""
    return Luck(np.zeros(len(TEMPERATURES)), np.zeros(len(TEMPERATURES)))


class Round(NamedTuple):
    """What one round is about.

    Parameters
    ----------
    targets
        Open wires, and what is looked for on them.
    proven
        (n, words): candidates that are proven on them.
    moves
        What one try is worth.
    luck
        Of the rounds before.
    """

    targets: Targets
    proven: TokenSets
    moves: int
    luck: Luck

    def tries(self, seed: int) -> npt.NDArray[np.int64]:
        """Numbers of targets, in the order in which chains take them up in turn."""
        n = len(self.targets.wires)
        drawn = np.random.default_rng(seed).permutation(n)[:_MOST_TRIES]
        return np.repeat(drawn, -(-_LEAST_TRIES // max(1, n)))


class RoundFindings(NamedTuple):
    """What a round finds.

    Parameters
    ----------
    found
        (n, words): tokens that witnesses show on the wires of the targets.
    luck
        What this round says of temperatures.
    witnesses
        Those that showed something new.
    """

    found: TokenSets
    luck: Luck
    witnesses: list[Finding]


def anneal_once(
    core: Core,
    around: Landscape,
    asked: Round,
    *,
    seed: int,
    deadline: Deadline,
    workers: int = 0,
) -> RoundFindings:
    """One round: a try for each of some open wires that is not settled before its turn comes.

    Parameters
    ----------
    core, around
        The question, and its landscape.
    asked
        What is looked for.
    seed
        Of the drawing; of no other round.
    deadline
        When to stop before all is done; what was found by then is handed back.
    workers
        Threads; 0 means one per core.

    Raises
    ------
    MixsafeError
        A witness breaks a rule of the problem: a bug.
    """
    stop, tries = np.zeros(1, np.bool_), asked.tries(seed)
    chains = [_Chain(core, around, asked, seed * N_CHAINS + g, stop) for g in range(N_CHAINS)]
    runs = [partial(chain.run, tries[g::N_CHAINS]) for g, chain in enumerate(chains)]
    with as_python(len(tries) * asked.moves * 10):
        until(deadline, runs, stop, workers)
    luck = no_luck()
    for chain in chains:
        luck = luck.with_those_of(*chain.luck)
    return RoundFindings(
        np.bitwise_or.reduce([chain.found for chain in chains], axis=0),
        luck,
        [witness for chain in chains for witness in chain.witnesses],
    )


class _Chain:
    """One thread's work: histories, one after the other, and what they show."""

    def __init__(
        self, core: Core, around: Landscape, asked: Round, seed: int, stop: npt.NDArray[np.bool_]
    ) -> None:
        self._core, self._around, self._asked = core, around, asked
        self._hand = new_hand(seed, stop)
        self._random = np.random.default_rng(seed)
        self._shares = asked.luck.shares(asked.moves)
        self.found = np.zeros_like(asked.proven)
        self.luck, self.witnesses = no_luck(), list[Finding]()

    def run(self, mine: npt.NDArray[np.int64]) -> None:
        """One try for each of some targets, by number."""
        history = identity(self._around) if len(mine) else None
        for i in mine.tolist():
            if history is None or self._hand.stop[0]:
                return
            self._try(i, history)

    def _try(self, i: int, history: History) -> None:
        """Anneal a candidate more onto a target, if it misses any."""
        targets, moves, hand = self._asked.targets, self._asked.moves, self._hand
        wire, proven = int(targets.wires[i]), self._asked.proven[i] | self.found[i]
        if tokens.count(proven[None])[0] >= targets.enough[i]:
            return
        sought = tokens.members(targets.sought[wire] & ~proven)
        chosen = int(self._random.choice(len(TEMPERATURES), p=self._shares))
        warm(hand, TEMPERATURES[chosen])
        token = int(self._random.choice(sought)) if len(sought) else -1
        aim = Aim(int(self._around.number[wire]), proven)
        if token < 0 or not lead(token, aim.wire, history, self._around, hand):
            return
        self.luck.moves[chosen] += anneal(moves, aim, history, self._around, hand)
        if history.size[0] == 0:
            self.luck.witnesses[chosen] += 1
            self._take_in(history)

    def _take_in(self, history: History) -> None:
        """Note what a witness shows on all targets."""
        assignment = history.wires[self._around.number, TOKEN]
        wrong = fault(self._core, assignment)
        if wrong is not None:
            raise MixsafeError(f"internal error, a witness of annealing is wrong: {wrong}")
        wires = self._asked.targets.wires
        tokens.put(self.found, np.arange(len(wires)), assignment[wires])
        self.witnesses.append(Finding.witness(assignment, self._core.network.row))
