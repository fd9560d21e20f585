"""Annealing around all open wires: rounds of restarts, shared among threads.

In each round the open wires are divided among chains, one restart per wire. A restart assumes that
a possible, unproven token is on its wire, and sometimes also the places of other tokens. Wires on
which that leaves one token get an implied sighting (``beginnings``). Then the chain routes a token
over the wire, and anneals. The witness and its variations count for every open wire. Chains share
nothing within a round, with one exception: a chain that settles everything stops the chains after
it, and their results are discarded. So results depend on the number of chains, not of threads.
After a round all chains know the success rate of each temperature.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import MixsafeError
from mixsafe.model.course import Course
from mixsafe.network.core import Core
from mixsafe.solver.local.beginnings import (
    AssumedSightings,
    add_implied_sightings,
    assume_places,
    no_sightings,
    remove_sightings,
    route_over,
)
from mixsafe.solver.local.moves import (
    aim_at,
    anneal,
    new_worker_state,
    perturb,
    set_temperature,
    set_zero_temperature,
    vary,
)
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
from mixsafe.solver.state.answers import Finding
from mixsafe.solver.state.domains import Domains, take_back
from mixsafe.solver.state.ledger import Ledger, new_on
from mixsafe.solver.state.searches import Restarts, Targets
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Assignment, Differences, fault, joined
from mixsafe.solver.strategy import DEFAULT, Strategy
from mixsafe.solver.workers import SHARES, until

_ALL_VARY = 512  # with more targets, each chain varies witnesses only for its own share of them


class TemperatureSelection(NamedTuple):
    """Adaptive selection of the temperature: moves spent and witnesses found at each.

    ``moves``, ``witnesses``: (number of temperatures,) float64 each.
    """

    moves: npt.NDArray[np.float64]
    witnesses: npt.NDArray[np.float64]

    def with_those_of(self, moves: npt.ArrayLike, witnesses: npt.ArrayLike) -> TemperatureSelection:
        """Add the counts of further restarts."""
        return TemperatureSelection(
            self.moves + np.asarray(moves, np.float64),
            self.witnesses + np.asarray(witnesses, np.float64),
        )

    def shares(self, moves: int) -> npt.NDArray[np.float64]:
        """(number of temperatures,) share of restarts at each, where a restart takes ``moves``.

        One successful restart is added at each temperature, as a prior.
        """
        rate = (self.witnesses + 1) / (self.moves + moves)
        weight = rate**2
        return np.asarray(weight / weight.sum())


def no_selection(temperatures: int = len(DEFAULT.temperatures)) -> TemperatureSelection:
    """Counts of zero for every temperature."""
    return TemperatureSelection(np.zeros(temperatures), np.zeros(temperatures))


class Workspace(NamedTuple):
    """Working memory of one thread.

    Parameters
    ----------
    domains
        Possible tokens on each wire under the current assumptions.
    instance
        The instance with these sets, and with the sightings that they imply.
    added
        Those sightings.
    """

    domains: Domains
    instance: SearchInstance
    added: AssumedSightings


class Workspaces:
    """Pool of workspaces, which are large: created when a thread needs one, and reused.

    Parameters
    ----------
    core, instance
        The question, and its form for local search.
    """

    def __init__(self, core: Core, instance: SearchInstance) -> None:
        self.core, self.instance = core, instance
        self._free: list[Workspace] = []

    @contextmanager
    def one(self) -> Iterator[Workspace]:
        """An unused workspace without assumptions; the user must take back all assumptions."""
        try:
            workspace = self._free.pop()
        except IndexError:
            workspace = self._new()
        yield workspace
        self._free.append(workspace)

    def _new(self) -> Workspace:
        domains = Domains.of(self.core, self.instance.possible)
        instance = self.instance._replace(
            since=self.instance.since.copy(), possible=domains.possible
        )
        return Workspace(domains, instance, no_sightings(instance, self.core.network.start))


class Round(NamedTuple):
    """Input of one round.

    Parameters
    ----------
    targets
        Open wires, and the candidates that are missing there.
    restarts
        Restarts on these wires, dealt out to the chains in turn.
    proven
        (n, words): proven candidates of the targets.
    moves
        Budget of one restart.
    selection
        Success of the temperatures in earlier rounds.
    perturbed_wires
        Wires from which exchanges are drawn before each restart, so that it begins far from the
        last solution; None: no perturbation.
    strategy
        Temperatures, assumptions and perturbation.
    """

    targets: Targets
    restarts: Restarts
    proven: TokenSets
    moves: int
    selection: TemperatureSelection
    perturbed_wires: Ints | None = None
    strategy: Strategy = DEFAULT

    @property
    def has_long_restarts(self) -> bool:
        """Whether shorter restarts than these have failed before."""
        return self.moves > self.strategy.annealing[0]


class RoundFindings(NamedTuple):
    """Result of a round.

    Parameters
    ----------
    found
        (n, words): tokens that witnesses show on the targets.
    selection
        Moves and witnesses by temperature.
    witnesses
        All witnesses, if restarts begin at the identity; otherwise none.
    refuted
        Pairs of a wire and a token that is impossible there; -1: any that was missing.
    recorded
        Parts of witnesses that show new candidates where there were too few, if they are wanted.
    """

    found: TokenSets
    selection: TemperatureSelection
    witnesses: list[Finding]
    refuted: list[tuple[int, int]]
    recorded: Differences


def anneal_once(
    workspaces: Workspaces,
    asked: Round,
    course: Course,
    *,
    seed: int,
    writes: bool = False,
) -> RoundFindings:
    """Run one round: each restart whose wire still lacks candidates when its turn comes.

    Parameters
    ----------
    workspaces
        The question, and the working memory of threads.
    asked
        Input of the round.
    course
        Threads, and when to stop early; results up to then are returned.
    seed
        Seed of the random generators; must differ between rounds.
    writes
        Whether to record parts of witnesses.

    Raises
    ------
    MixsafeError
        A witness violates a rule of the problem: a bug.
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
    until(course, runs, stop)
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
        joined([chain.ledger.recorded for chain in chains if chain.ledger is not None]),
    )


class _Chain:
    """A sequence of restarts, with one current solution, and what its witnesses show."""

    def __init__(
        self,
        workspaces: Workspaces,
        asked: Round,
        seed: int,
        stop: npt.NDArray[np.bool_],
        varied: npt.NDArray[np.int64],
        ledger: Ledger | None,
    ) -> None:
        self._core, self._instance, self._asked = workspaces.core, workspaces.instance, asked
        self._workspaces = workspaces
        self._worker, self._stop_later = (
            new_worker_state(seed, self._core.network.horizon + 2, stop[:1], self._instance),
            stop[1:],
        )
        self._random = np.random.default_rng(seed)
        self._varied = varied  # places of targets
        strategy = asked.strategy
        self._n_assumed = strategy.assumed_later if asked.has_long_restarts else strategy.assumed
        self._shares = asked.selection.shares(asked.moves)
        self.found, self.ledger = np.zeros_like(asked.proven), ledger
        self.selection, self.witnesses = no_selection(len(strategy.temperatures)), list[Finding]()
        self.refuted = list[tuple[int, int]]()
        self._last: Solution | None = None  # solution that the next restart begins with
        self._perturbation = strategy.perturbation  # before the next restart, and those after it

    def run(self, mine: npt.NDArray[np.int64]) -> None:
        """Run the restarts with these numbers."""
        if not len(mine):
            return
        solution = identity(self._instance)
        if self._asked.perturbed_wires is not None or not self._asked.restarts.anew:
            self._last = identity(self._instance)
        with self._workspaces.one() as workspace:
            for i in mine.tolist():
                if self._worker.stop[0]:
                    return
                wire, token = (
                    int(self._asked.restarts.wires[i]),
                    int(self._asked.restarts.tokens[i]),
                )
                sought = self._sought(wire, token)
                if sought.any():
                    self._try(wire, token, sought, solution, workspace)
        self._stop_later[:] |= self.is_done()
        self._last = None  # frees memory

    def is_done(self) -> bool:
        """Whether this chain alone settles all targets."""
        known = tokens.count(self._asked.proven | self.found)
        return bool(np.all(known >= self._asked.targets.enough))

    def _sought(self, wire: int, token: int) -> npt.NDArray[np.uint64]:
        """(words,) missing tokens of a wire, of these only ``token`` if given; none if settled."""
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
        """Assume that a sought token is on a wire, and anneal one onto it."""
        domains, net = workspace.domains, self._core.network.wires
        is_found = False
        if assume_off(wire, ~sought, domains, net):
            mark, n_assumed = domains.n_excluded, int(self._random.choice(self._n_assumed))
            if not assume_places(n_assumed, self._worker.random, domains, net):
                take_back(mark, domains, net)
            is_found = self._annealed(wire, solution, workspace)
        else:
            self.refuted.append((wire, token))
        take_back(0, domains, net)
        if is_found:
            self._record(solution)

    def _annealed(self, wire: int, solution: Solution, workspace: Workspace) -> bool:
        """Anneal a possible token onto a wire; whether that found a witness."""
        worker, (domains, instance, added) = self._worker, workspace
        temperatures = self._asked.strategy.temperatures
        chosen = int(self._random.choice(len(temperatures), p=self._shares))
        if self._asked.perturbed_wires is not None and len(self._asked.perturbed_wires):
            self._perturb(self._asked.perturbed_wires, solution)
        set_temperature(worker, temperatures[chosen])
        if self._last is None:
            reset(solution, self._instance)
        elif solution.size[0]:
            copy_to(self._last, solution)
        if not add_implied_sightings(domains, wire, solution, instance, added):
            return False
        sought = domains.possible[wire]
        token, aim = (
            int(self._random.choice(tokens.members(sought))),
            aim_at(wire, ~sought, instance),
        )
        is_found = False
        if route_over(token, aim.wire, solution, instance, worker):
            self.selection.moves[chosen] += anneal(
                self._asked.moves, aim, solution, instance, worker
            )
            is_found = solution.size[0] == 0
            self.selection.witnesses[chosen] += is_found
        remove_sightings(solution, instance, added)
        return is_found

    def _perturb(self, drawn_from: Ints, solution: Solution) -> None:
        """Set ``solution`` to one that is far from the last one."""
        if (last := self._last) is None:
            raise MixsafeError("internal error, a chain has no solution to perturb")
        copy_to(last, solution)
        length = length_between_sightings(self._instance)
        moves = int(self._perturbation[0] * len(drawn_from) / length)
        self._perturbation = self._perturbation[-1:]
        perturb(
            moves,
            self._asked.strategy.perturbation_temperature,
            drawn_from,
            solution,
            self._instance,
            self._worker,
        )
        if solution.size[0] == 0:
            copy_to(solution, last)

    def _record(self, solution: Solution) -> None:
        """Record what a witness and its variations show on all targets."""
        assignment = self._record_witness(solution, None)
        set_zero_temperature(self._worker)
        place, numbers = 0, self._instance.number[self._asked.targets.wires[self._varied]]
        if not self._asked.strategy.variations:
            place = len(numbers)
        while place < len(numbers) and not self._worker.stop[0]:
            unwanted = self._unwanted()
            place = vary(place, numbers, unwanted, solution, self._instance, self._worker)
            if place < len(numbers):
                assignment = self._record_witness(solution, assignment)
        if self._last is not None:
            copy_to(solution, self._last)

    def _record_witness(self, solution: Solution, before: Assignment | None) -> Assignment:
        """Record what a witness shows; ``before``: the witness that it varies."""
        assignment: Assignment = solution.wires[self._instance.number, TOKEN]
        wrong = fault(self._core, assignment)
        if wrong is not None:
            raise MixsafeError(f"internal error, a witness of annealing is wrong: {wrong}")
        wires = self._asked.targets.wires
        if self.ledger is not None:
            known = self._asked.proven | self.found
            new = new_on(assignment, wires, known, self._asked.targets.enough)
            if new.any():
                self.ledger.add_parts(assignment, wires[new])
        tokens.put(self.found, np.arange(len(wires)), assignment[wires])
        if self._asked.restarts.anew:
            row = self._core.network.row
            self.witnesses.append(Finding.witness(assignment, row, before))
        return assignment

    def _unwanted(self) -> TokenSets:
        """(n, words): tokens that variations need not show on this chain's share of the targets."""
        targets, mine = self._asked.targets, self._varied
        proven = self._asked.proven[mine] | self.found[mine]
        unwanted = ~targets.sought[targets.wires[mine]] | proven
        unwanted[tokens.count(proven) >= targets.enough[mine]] = ~np.uint64(0)
        return unwanted
