"""Wandering: solutions that drift from solution to solution, and what each of them shows.

Exchanges are drawn wherever something is open, and some break sightings; now and then annealing
mends them all, and a solution is had that has little in common with the one before. So a few
hundred solutions show most of what is possible, on all open wires at once, where other searches ask
about one wire after the other. This is the chain over relaxed solutions (docs/develop/facts.md)
without the care that a fair sample would need: it is for witnesses only.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count
from typing import NamedTuple

import numpy as np

from mixsafe.errors import MixsafeError
from mixsafe.journal.steps import Entry
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.network.core import Core
from mixsafe.solver.local.moves import Hand, new_hand, perturb
from mixsafe.solver.local.solutions import (
    TOKEN,
    Ints,
    SearchInstance,
    copy_to,
    identity,
    instance_of,
    length_between_sightings,
    near,
)
from mixsafe.solver.state import tokens
from mixsafe.solver.state.differences import Differences, joined
from mixsafe.solver.state.ledger import new_on
from mixsafe.solver.state.questions import Questions, Targets
from mixsafe.solver.state.search_steps import Step, add_shown, shown
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Assignment, fault
from mixsafe.solver.strategy import Strategy
from mixsafe.solver.workers import SHARES, until

_COPIED = 0.5  # what a wire costs that is copied and checked, in wires that are rewritten
_HOPE = 0.5  # of all open questions a first round may settle


class Terrain(NamedTuple):
    """What wanderers share, and do not change.

    Parameters
    ----------
    core, around
        The question, and its landscape.
    wires
        Wires from which exchanges are drawn, by their numbers in the landscape.
    targets
        What is looked for.
    moved
        Wires that a solution moves, at most, for each token that it is told for.
    """

    core: Core
    instance: SearchInstance
    wires: Ints
    targets: Targets
    moved: int


class Journey(NamedTuple):
    """How far all of them go in one round.

    Parameters
    ----------
    legs, moves
        Solutions that each is to find, and exchanges that are looked at on the way to one.
    temperatures
        Of legs, in turn.
    worth
        Questions that it must settle.
    """

    legs: int
    moves: int
    temperatures: tuple[float, ...]
    worth: float

    @classmethod
    def of_round(cls, number: int, terrain: Terrain, strategy: Strategy) -> Journey:
        """The journey of the first round, or of a later one, which goes further.

        An exchange rewrites two paths up to the next sightings, so it costs what these are long.
        """
        length = length_between_sightings(terrain.instance)
        legs = strategy.random_walk_solutions << number
        moves = max(1, int(len(terrain.wires) * strategy.random_walk_rewrites / length))
        cost = legs * SHARES * (moves * length + _COPIED * len(terrain.instance.wire))
        temperatures = strategy.random_walk_temperatures[: number + 1]
        return cls(legs, moves, temperatures, strategy.random_walk_worth * cost)


def steps(questions: Questions, limits: SolveLimits, deadline: Deadline) -> Iterator[Step]:
    """Settle open questions by solutions that wanderers come through, while that is worth it.

    Parameters
    ----------
    questions
        What is asked. Upper bounds must be at most what reachability leaves.
    limits, deadline
        As for every engine.

    Raises
    ------
    MixsafeError
        A witness breaks a rule of the problem: a bug.
    """
    answers, strategy = questions.answers, questions.strategy
    if not strategy.random_walk_solutions or questions.is_small:
        return
    instance = instance_of(answers.core, answers.possible)
    for number in count():
        before, targets = questions.n_open, questions.targets()
        wires = near(targets.wires, answers.core.network, instance)
        terrain = Terrain(answers.core, instance, wires, targets, strategy.moved_for_one)
        journey = Journey.of_round(number, terrain, strategy)
        if not len(wires) or before * _HOPE < journey.worth:
            return
        seed = limits.seed * 1000 + number
        yield Step(
            "wandering",
            f"wandering {number} {journey.moves} {len(targets.wires)}",
            Argument.ANNEALING,
            targets.wires,
            partial(_round, questions, terrain, journey, seed, limits.workers, deadline),
            partial(add_shown, answers, targets.wires),
        )
        if before - questions.n_open < journey.worth:
            return


def _round(
    questions: Questions,
    terrain: Terrain,
    journey: Journey,
    seed: int,
    workers: int,
    deadline: Deadline,
) -> Entry:
    """What all of them see."""
    wires, stop = terrain.targets.wires, np.zeros(1, np.bool_)
    proven, writes = questions.answers.proven, questions.answers.ledger is not None
    found = [proven[wires] for _ in range(SHARES)]
    told: list[list[Differences] | None] = [[] if writes else None for _ in found]
    size = terrain.core.network.horizon + 2
    runs = [
        partial(_sample, terrain, journey, new_hand(seed * SHARES + g, size, stop), mine, told[g])
        for g, mine in enumerate(found)
    ]
    until(deadline, runs, stop, workers)
    if not writes:
        return shown(np.bitwise_or.reduce(found, axis=0), None)
    seen = proven[wires]
    kept = _worth_keeping([one for those in told for one in those or ()], seen, terrain)
    return shown(seen, kept)


def _worth_keeping(told: list[Differences], found: TokenSets, terrain: Terrain) -> Differences:
    """The solutions that show much for their size; notes what these show."""
    wires, row = terrain.targets.wires, terrain.core.network.row
    kept = [joined([])]
    for one in told:
        assignment = row.copy()
        assignment[one.wire] = one.token
        if _is_worth_keeping(assignment, one, found, terrain):
            kept.append(one)
            tokens.put(found, np.arange(len(wires)), assignment[wires])
    return joined(kept)


def _is_worth_keeping(
    assignment: Assignment, told: Differences, found: TokenSets, terrain: Terrain
) -> bool:
    """Whether a solution shows enough for what it moves: annealing finds small ones, too."""
    wires, enough, _ = terrain.targets
    new = int(np.count_nonzero(new_on(assignment, wires, found, enough)))
    return new * terrain.moved >= max(1, len(told.wire))


def _sample(
    terrain: Terrain,
    journey: Journey,
    hand: Hand,
    found: TokenSets,
    told: list[Differences] | None,
) -> None:
    """Go from the identity on, and note on ``found`` who is on targets in every solution.

    If solutions are to be ``told``, only who is on targets in those that are worth it.
    """
    row = terrain.core.network.row
    instance, wires = terrain.instance, terrain.targets.wires
    solution, last = identity(instance), identity(instance)
    for leg in range(journey.legs):
        temperature = journey.temperatures[leg % len(journey.temperatures)]
        perturb(journey.moves, temperature, terrain.wires, solution, instance, hand)
        if hand.stop[0]:
            return
        if solution.size[0]:
            copy_to(last, solution)
            continue
        copy_to(solution, last)
        assignment: Assignment = solution.wires[instance.number, TOKEN]
        wrong = fault(terrain.core, assignment)
        if wrong is not None:
            raise MixsafeError(f"internal error, a witness of wandering is wrong: {wrong}")
        if told is not None:
            moved = np.flatnonzero(assignment != row)
            one = Differences(np.array([0, len(moved)]), moved, assignment[moved])
            if not _is_worth_keeping(assignment, one, found, terrain):
                continue
            told.append(one)
        tokens.put(found, np.arange(len(wires)), assignment[wires])
