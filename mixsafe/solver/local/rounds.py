"""Annealing around all open wires: rounds of tries, shared among threads.

In each round every chain takes up open wires of its own, one try each. It is assumed that somebody
is there who is possible and not proven, and for some tries where others are; what follows is taken
for seen (``beginnings``). Then a token is led over the wire, and annealed. What it shows,
varied, on any open wire counts. Chains share nothing within a round, but that one which settles all
ends those after it, and makes them forgotten: so their number, not that of workers, determines what
is found. After a round all know what was found at which temperatures.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import MixsafeError
from mixsafe.model.limits import Deadline
from mixsafe.network.core import Core
from mixsafe.solver.local.beginnings import (
    AssumedSightings,
    assume_places,
    forget,
    lead,
    no_sightings,
    see_told,
)
from mixsafe.solver.local.moves import aim_at, anneal, cool, new_hand, perturb, vary, warm
from mixsafe.solver.local.solutions import (
    TOKEN,
    Ints,
    SearchInstance,
    Solution,
    copy_to,
    identity,
    length_between_sightings,
    reset,
)
from mixsafe.solver.propagate.assumptions import assume_off
from mixsafe.solver.state import tokens
from mixsafe.solver.state.differences import Differences, joined
from mixsafe.solver.state.domains import Domains, take_back
from mixsafe.solver.state.findings import Finding
from mixsafe.solver.state.ledger import Ledger, new_on
from mixsafe.solver.state.questions import Restarts, Targets
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Assignment, fault
from mixsafe.solver.strategy import DEFAULT, Strategy
from mixsafe.solver.workers import SHARES, until

_ALL_VARY = 512  # targets: of more than these each chain varies witnesses for its own only


class TemperatureSelection(NamedTuple):
    """What tries at each temperature have cost and brought.

    ``moves``, ``witnesses``: (number of temperatures,) float64 each.
    """

    moves: npt.NDArray[np.float64]
    witnesses: npt.NDArray[np.float64]

    def with_those_of(self, moves: npt.ArrayLike, witnesses: npt.ArrayLike) -> TemperatureSelection:
        """These and further ones."""
        return TemperatureSelection(
            self.moves + np.asarray(moves, np.float64),
            self.witnesses + np.asarray(witnesses, np.float64),
        )

    def shares(self, moves: int) -> npt.NDArray[np.float64]:
        """(number of temperatures,) how often each should be tried, where a try takes ``moves``.

        As if a try at each had brought a witness before.
        """
        rate = (self.witnesses + 1) / (self.moves + moves)
        weight = rate**2
        return np.asarray(weight / weight.sum())


def no_selection(temperatures: int = len(DEFAULT.temperatures)) -> TemperatureSelection:
    """Nothing has been tried at so many temperatures."""
    return TemperatureSelection(np.zeros(temperatures), np.zeros(temperatures))


class Workspace(NamedTuple):
    """One thread's.

    Parameters
    ----------
    may
        Who may be where, under what is assumed at the time.
    instance
        The landscape with these sets, and with sightings that are added at the time.
    added
        Those sightings.
    """

    may: Domains
    instance: SearchInstance
    added: AssumedSightings


class Workspaces:
    """Made when a thread needs one, and used again by the next: they are large.

    Parameters
    ----------
    core, around
        The question, and its landscape.
    """

    def __init__(self, core: Core, instance: SearchInstance) -> None:
        self.core, self.instance = core, instance
        self._free: list[Workspace] = []

    @contextmanager
    def one(self) -> Iterator[Workspace]:
        """One that nobody else uses, in which nothing is assumed; it is to be left like that."""
        try:
            workspace = self._free.pop()
        except IndexError:
            workspace = self._new()
        yield workspace
        self._free.append(workspace)

    def _new(self) -> Workspace:
        may = Domains.of(self.core, self.instance.possible)
        instance = self.instance._replace(since=self.instance.since.copy(), possible=may.possible)
        return Workspace(may, instance, no_sightings(instance, self.core.network.start))


class Round(NamedTuple):
    """What one round is about.

    Parameters
    ----------
    targets
        Open wires, and what is looked for on them.
    tries
        Of these wires, in the order in which chains take them up in turn.
    proven
        (n, words): candidates that are proven on them.
    moves
        What one try is worth.
    luck
        Of the rounds before.
    strays
        Wires from which exchanges are drawn before each try, so that it begins with a solution
        unlike the one before; None: there are none.
    strategy
        Temperatures, and what is assumed and perturbed.
    """

    targets: Targets
    restarts: Restarts
    proven: TokenSets
    moves: int
    selection: TemperatureSelection
    strays: Ints | None = None
    strategy: Strategy = DEFAULT

    @property
    def is_later(self) -> bool:
        """Whether shorter tries than these were in vain."""
        return self.moves > self.strategy.annealing[0]


class RoundFindings(NamedTuple):
    """What a round finds.

    Parameters
    ----------
    found
        (n, words): tokens that witnesses show on the wires of the targets.
    luck
        What it says of temperatures.
    witnesses
        Those that showed something new, where tries begin anew.
    refuted
        Wires, and tokens that are not possible there; -1: any that was missing.
    told
        Parts of witnesses that show something new where not enough was known, if they are wanted.
    """

    found: TokenSets
    selection: TemperatureSelection
    witnesses: list[Finding]
    refuted: list[tuple[int, int]]
    told: Differences


def anneal_once(
    workspaces: Workspaces,
    asked: Round,
    *,
    seed: int,
    deadline: Deadline,
    workers: int = 0,
    writes: bool = False,
) -> RoundFindings:
    """One round: each try that is not in vain when its turn comes.

    Parameters
    ----------
    workspaces
        The question, and what threads need for themselves.
    asked
        What is looked for.
    seed
        Of the drawing; of no other round.
    deadline
        When to stop before all is done; what was found by then is handed back.
    workers
        Threads; 0 means one per core.
    writes
        Whether parts of witnesses are wanted.

    Raises
    ------
    MixsafeError
        A witness breaks a rule of the problem: a bug.
    """
    stop, n_restarts = np.zeros(SHARES, np.bool_), len(asked.restarts.wires)
    places = np.arange(len(asked.targets.wires))
    chains = [
        _Chain(
            workspaces, asked, seed * SHARES + g, stop[g:],
            places[g::SHARES] if len(places) > _ALL_VARY else places,
            Ledger(workspaces.core) if writes else None,
        )
        for g in range(SHARES)
    ]  # fmt: skip
    runs = [partial(chain.run, np.arange(g, n_restarts, SHARES)) for g, chain in enumerate(chains)]
    until(deadline, runs, stop, workers)
    done = [g for g, chain in enumerate(chains) if chain.is_done()]
    chains, selection = (
        chains[: done[0] + 1] if done else chains,
        no_selection(len(asked.strategy.temperatures)),
    )
    for chain in chains:
        selection = selection.with_those_of(*chain.selection)
    return RoundFindings(
        np.bitwise_or.reduce([chain.found for chain in chains], axis=0),
        selection,
        [witness for chain in chains for witness in chain.witnesses],
        [one for chain in chains for one in chain.refuted],
        joined([chain.told.told for chain in chains if chain.told is not None]),
    )


class _Chain:
    """One thread's work: solutions, one after the other, and what they show."""

    def __init__(
        self,
        workspaces: Workspaces,
        asked: Round,
        seed: int,
        stop: npt.NDArray[np.bool_],
        varied: npt.NDArray[np.int64],
        told: Ledger | None,
    ) -> None:
        self._core, self._around, self._asked = workspaces.core, workspaces.instance, asked
        self._workspaces = workspaces
        self._hand, self._later = new_hand(seed, self._core.network.horizon + 2, stop[:1]), stop[1:]
        self._random = np.random.default_rng(seed)
        self._varied = varied  # places of targets
        strategy = asked.strategy
        self._guesses = strategy.assumed_later if asked.is_later else strategy.assumed
        self._shares = asked.selection.shares(asked.moves)
        self.found, self.told = np.zeros_like(asked.proven), told
        self.selection, self.witnesses = no_selection(len(strategy.temperatures)), list[Finding]()
        self.refuted = list[tuple[int, int]]()
        self._last: Solution | None = None  # witness, or solution, that the next try begins with

    def run(self, mine: npt.NDArray[np.int64]) -> None:
        """Some of the tries, by number."""
        if not len(mine):
            return
        solution = identity(self._around)
        if self._asked.strays is not None or not self._asked.restarts.anew:
            self._last = identity(self._around)
        with self._workspaces.one() as workspace:
            for i in mine.tolist():
                if self._hand.stop[0]:
                    return
                wire, token = (
                    int(self._asked.restarts.wires[i]),
                    int(self._asked.restarts.tokens[i]),
                )
                sought = self._sought(wire, token)
                if sought.any():
                    self._try(wire, token, sought, solution, workspace)
        self._later[:] |= self.is_done()
        self._last = None  # it is large

    def is_done(self) -> bool:
        """Whether this chain alone settles all that is open."""
        known = tokens.count(self._asked.proven | self.found)
        return bool(np.all(known >= self._asked.targets.enough))

    def _sought(self, wire: int, token: int) -> npt.NDArray[np.uint64]:
        """(words,) what is missing on a wire, or ``token`` if it is; nobody if that is enough."""
        targets = self._asked.targets
        place = int(np.searchsorted(targets.wires, wire))
        proven = self._asked.proven[place] | self.found[place]
        if tokens.count(proven[None])[0] >= targets.enough[place]:
            return np.zeros_like(proven)
        sought = targets.sought[wire] & ~proven
        return sought if token < 0 else sought & tokens.set_of(np.array([token]), len(sought))

    def _try(
        self,
        wire: int,
        token: int,
        sought: npt.NDArray[np.uint64],
        solution: Solution,
        workspace: Workspace,
    ) -> None:
        """Assume that somebody who is sought is on a wire, and anneal one onto it."""
        may, net = workspace.may, self._core.network.wires
        is_found = False
        if assume_off(wire, ~sought, may, net):
            mark, guesses = may.n_excluded, int(self._random.choice(self._guesses))
            if not assume_places(guesses, self._hand.random, may, net):
                take_back(mark, may, net)
            is_found = self._annealed(wire, solution, workspace)
        else:
            self.refuted.append((wire, token))
        take_back(0, may, net)
        if is_found:
            self._take_in(solution)

    def _annealed(self, wire: int, solution: Solution, workspace: Workspace) -> bool:
        """Whether a witness was found in which somebody is on a wire who may be there."""
        hand, (may, instance, added) = self._hand, workspace
        temperatures = self._asked.strategy.temperatures
        chosen = int(self._random.choice(len(temperatures), p=self._shares))
        if self._asked.strays is not None and len(self._asked.strays):
            self._perturb(self._asked.strays, solution)
        warm(hand, temperatures[chosen])
        if self._last is None:
            reset(solution, self._around)
        elif solution.size[0]:
            copy_to(self._last, solution)
        if not see_told(may, wire, solution, instance, added):
            return False
        sought = may.possible[wire]
        token, aim = (
            int(self._random.choice(tokens.members(sought))),
            aim_at(wire, ~sought, instance),
        )
        is_found = False
        if lead(token, aim.wire, solution, instance, hand):
            self.selection.moves[chosen] += anneal(self._asked.moves, aim, solution, instance, hand)
            is_found = solution.size[0] == 0
            self.selection.witnesses[chosen] += is_found
        forget(solution, instance, added)
        return is_found

    def _perturb(self, drawn_from: Ints, solution: Solution) -> None:
        """Make ``solution`` a solution that is far from the last one."""
        if (last := self._last) is None:
            raise MixsafeError("internal error, a chain strays from nowhere")
        copy_to(last, solution)
        strategy, length = self._asked.strategy, length_between_sightings(self._around)
        moves = int(strategy.perturbation * len(drawn_from) / length)
        perturb(
            moves, strategy.perturbation_temperature, drawn_from, solution, self._around, self._hand
        )
        if solution.size[0] == 0:
            copy_to(solution, last)

    def _take_in(self, solution: Solution) -> None:
        """Note what a witness and its variations show on all targets."""
        assignment = self._note(solution, None)
        cool(self._hand)
        place, numbers = 0, self._around.number[self._asked.targets.wires[self._varied]]
        if not self._asked.strategy.variations:
            place = len(numbers)
        while place < len(numbers) and not self._hand.stop[0]:
            unwanted = self._unwanted()
            place = vary(place, numbers, unwanted, solution, self._around, self._hand)
            if place < len(numbers):
                assignment = self._note(solution, assignment)
        if self._last is not None:
            copy_to(solution, self._last)

    def _note(self, solution: Solution, before: Assignment | None) -> Assignment:
        """Note what a witness shows; ``before``: the witness that it varies."""
        assignment: Assignment = solution.wires[self._around.number, TOKEN]
        wrong = fault(self._core, assignment)
        if wrong is not None:
            raise MixsafeError(f"internal error, a witness of annealing is wrong: {wrong}")
        wires = self._asked.targets.wires
        if self.told is not None:
            known = self._asked.proven | self.found
            new = new_on(assignment, wires, known, self._asked.targets.enough)
            if new.any():
                self.told.add_parts(assignment, wires[new])
        tokens.put(self.found, np.arange(len(wires)), assignment[wires])
        if self._asked.restarts.anew:
            row = self._core.network.row
            self.witnesses.append(Finding.witness(assignment, row, before))
        return assignment

    def _unwanted(self) -> TokenSets:
        """(n, words): what variations need not show on the targets that are this chain's."""
        targets, mine = self._asked.targets, self._varied
        proven = self._asked.proven[mine] | self.found[mine]
        unwanted = ~targets.sought[targets.wires[mine]] | proven
        unwanted[tokens.count(proven) >= targets.enough[mine]] = ~np.uint64(0)
        return unwanted
