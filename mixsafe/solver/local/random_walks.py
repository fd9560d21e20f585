"""Random walks from solution to solution, and the candidates that each solution shows.

Random exchanges near open wires may violate sightings. After a number of them, annealing repairs
all violations, which gives a solution that has little in common with the one before. A few hundred
solutions show most candidates, on all open wires at once, whereas other searches treat one wire
after the other. This is the Markov chain over relaxed solutions (docs/develop/facts.md), without
what unbiased sampling would need: it is for witnesses only.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count
from typing import NamedTuple

import numpy as np

from mixsafe.errors import MixsafeError
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, Entry
from mixsafe.network.core import Core
from mixsafe.solver.local.moves import WorkerState, new_worker_state, perturb
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
from mixsafe.solver.state.ledger import new_on
from mixsafe.solver.state.searches import Questions, Step, Targets, add_proven, proven_entry
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Assignment, Differences, fault, joined
from mixsafe.solver.strategy import Strategy
from mixsafe.solver.workers import SHARES, until

_COPY_COST = 0.5  # cost of copying and checking a wire; rewriting a wire costs 1
_MAX_SETTLED_SHARE = 0.5  # share of the open questions that a round is expected to settle at most


class SharedData(NamedTuple):
    """Input that all random walks share, and do not change.

    Parameters
    ----------
    core, instance
        The question, and its form for local search.
    wires
        Wires from which exchanges are drawn, by their numbers in the instance.
    targets
        Open wires, and the candidates that are missing there.
    moved
        Maximum number of moved wires per new candidate in a solution that is recorded.
    """

    core: Core
    instance: SearchInstance
    wires: Ints
    targets: Targets
    moved: int


class WalkPlan(NamedTuple):
    """Length and temperatures of the random walks of one round.

    Parameters
    ----------
    n_solutions, moves
        Solutions per walk, and exchanges that are tried for each.
    temperatures
        Temperatures of consecutive solutions, used in turn.
    min_settled
        Questions that the round must settle for another round to follow.
    """

    n_solutions: int
    moves: int
    temperatures: tuple[float, ...]
    min_settled: float

    @classmethod
    def of_round(cls, number: int, shared: SharedData, strategy: Strategy) -> WalkPlan:
        """Plan of a round; later rounds are longer.

        An exchange rewrites two paths up to the next sightings, so its cost is their length.
        """
        length = length_between_sightings(shared.instance)
        n_solutions = strategy.random_walk_solutions << number
        moves = max(1, int(len(shared.wires) * strategy.random_walk_rewrites / length))
        cost = n_solutions * SHARES * (moves * length + _COPY_COST * len(shared.instance.wire))
        temperatures = strategy.random_walk_temperatures[: number + 1]
        return cls(n_solutions, moves, temperatures, strategy.random_walk_worth * cost)


def steps(questions: Questions, course: Course) -> Iterator[Step]:
    """Settle open questions by the solutions of random walks, while enough are settled.

    Parameters
    ----------
    questions
        The questions. Upper bounds must be at least as tight as those of reachability.
    course
        Of the run; what is open when its time is up stays open.

    Raises
    ------
    MixsafeError
        A witness violates a rule of the problem: a bug.
    """
    answers, strategy = questions.answers, questions.strategy
    if not strategy.random_walk_solutions or questions.is_small:
        return
    instance = instance_of(answers.core, answers.possible)
    for number in count():
        before, targets = questions.n_open, questions.targets()
        wires = near(targets.wires, answers.core.network, instance)
        shared = SharedData(answers.core, instance, wires, targets, strategy.moved_for_one)
        plan = WalkPlan.of_round(number, shared, strategy)
        if not len(wires) or before * _MAX_SETTLED_SHARE < plan.min_settled:
            return
        seed = course.seed * 1000 + number
        yield Step(
            "random walks",
            f"wandering {number} {plan.moves} {len(targets.wires)}",
            Argument.ANNEALING,
            targets.wires,
            partial(_run_round, questions, shared, plan, seed, course),
            partial(add_proven, answers, targets.wires),
        )
        if before - questions.n_open < plan.min_settled:
            return


def _run_round(
    questions: Questions,
    shared: SharedData,
    plan: WalkPlan,
    seed: int,
    course: Course,
) -> Entry:
    """Run the random walks of a round, and return what they find as an entry of the journal."""
    wires, stop = shared.targets.wires, np.zeros(1, np.bool_)
    proven, writes = questions.answers.proven, questions.answers.ledger is not None
    found = [proven[wires] for _ in range(SHARES)]
    recorded: list[list[Differences] | None] = [[] if writes else None for _ in found]
    size = shared.core.network.horizon + 2
    runs = [
        partial(
            _sample,
            shared,
            plan,
            new_worker_state(seed * SHARES + g, size, stop, shared.instance),
            mine,
            recorded[g],
        )
        for g, mine in enumerate(found)
    ]
    until(course, runs, stop)
    if not writes:
        return proven_entry(np.bitwise_or.reduce(found, axis=0), None)
    seen = proven[wires]
    kept = _worth_keeping([one for those in recorded for one in those or ()], seen, shared)
    return proven_entry(seen, kept)


def _worth_keeping(
    recorded: list[Differences], found: TokenSets, shared: SharedData
) -> Differences:
    """The solutions that show much for their size; adds what they show to ``found``."""
    wires, row = shared.targets.wires, shared.core.network.row
    kept = [joined([])]
    for one in recorded:
        assignment = row.copy()
        assignment[one.wire] = one.token
        if _is_worth_keeping(assignment, one, found, shared):
            kept.append(one)
            tokens.put(found, np.arange(len(wires)), assignment[wires])
    return joined(kept)


def _is_worth_keeping(
    assignment: Assignment, recorded: Differences, found: TokenSets, shared: SharedData
) -> bool:
    """Whether a solution shows enough for its size: annealing finds small ones anyway."""
    wires, enough, _ = shared.targets
    new = int(np.count_nonzero(new_on(assignment, wires, found, enough)))
    return new * shared.moved >= max(1, len(recorded.wire))


def _sample(
    shared: SharedData,
    plan: WalkPlan,
    worker: WorkerState,
    found: TokenSets,
    recorded: list[Differences] | None,
) -> None:
    """Walk from the identity, and add the tokens on targets in each solution to ``found``.

    With ``recorded``, only of solutions that are worth keeping, which are appended to it.
    """
    row = shared.core.network.row
    instance, wires = shared.instance, shared.targets.wires
    solution, last = identity(instance), identity(instance)
    for number in range(plan.n_solutions):
        temperature = plan.temperatures[number % len(plan.temperatures)]
        perturb(plan.moves, temperature, shared.wires, solution, instance, worker)
        if worker.stop[0]:
            return
        if solution.size[0]:
            copy_to(last, solution)
            continue
        copy_to(solution, last)
        assignment: Assignment = solution.wires[instance.number, TOKEN]
        wrong = fault(shared.core, assignment)
        if wrong is not None:
            raise MixsafeError(f"internal error, a witness of the random walk is wrong: {wrong}")
        if recorded is not None:
            moved = np.flatnonzero(assignment != row)
            one = Differences(np.array([0, len(moved)]), moved, assignment[moved])
            if not _is_worth_keeping(assignment, one, found, shared):
                continue
            recorded.append(one)
        tokens.put(found, np.arange(len(wires)), assignment[wires])
