"""Engine ``auto``: decide by the cheapest argument that is a proof, and never guess."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from mixsafe.journal.steps import Entry
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.solver import bounds
from mixsafe.solver.dp import dynamic_programming
from mixsafe.solver.local import annealing, random_walks
from mixsafe.solver.local.walks import Budget, walk
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.questions import Questions, Targets
from mixsafe.solver.state.search_steps import Step, add_proven, proven_entry, run_steps
from mixsafe.solver.strategy import DEFAULT, Strategy


class Publisher(Questions):
    """The publisher's questions: whether wires have k candidates or more."""

    def finish(self, limits: SolveLimits, deadline: Deadline, progress: Progress) -> None:
        """Run the dynamic program on small parts, probing and annealing in turn, then CP-SAT."""
        if self.strategy.states:
            dynamic_programming.decide_few(self.answers, self.strategy.states, deadline)
        run_steps(annealing.steps(self, limits, deadline), self, deadline, progress)
        if self.strategy.cpsat and self.n_open and not deadline.passed:
            # Imported here: most audits need no solver, and the import takes a tenth of a second.
            from mixsafe.solver.sat import cpsat

            cpsat.decide(self.answers, limits, deadline, progress)


def decide(
    answers: Answers,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
    strategy: Strategy = DEFAULT,
) -> None:
    """Decide a publisher's questions with engine ``auto``."""
    run(Publisher(answers, strategy), limits, deadline, progress)


def run(
    questions: Questions,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
) -> None:
    """Bound all wires at once, then search for the open ones."""
    strategy = questions.strategy
    bounds.decide(questions.answers, limits, deadline, progress, strategy)
    questions.settle(Argument.MATCHING)
    search(questions, limits, deadline, progress)


def search(
    questions: Questions, limits: SolveLimits, deadline: Deadline, progress: Progress
) -> None:
    """Run walks, random walks, then ``finish``.

    Upper bounds must be at least as tight as those of reachability.
    """
    run_steps(_walks(questions, limits, deadline), questions, deadline, progress)
    if questions.n_open and not deadline.passed:
        run_steps(random_walks.steps(questions, limits, deadline), questions, deadline, progress)
        questions.finish(limits, deadline, progress)


def _walks(questions: Questions, limits: SolveLimits, deadline: Deadline) -> Iterator[Step]:
    """Walks, while they settle enough."""
    strategy, fruitless = questions.strategy, 0
    for number in range(questions.most_walks if strategy.neighbourhoods else 0):
        before = questions.n_open
        yield from _walk(questions, number, limits.seed * strategy.most_walks + number, deadline)
        settled = before - questions.n_open
        fruitless = 0 if settled else fruitless + 1
        if number >= strategy.fewest_walks and fruitless >= strategy.fruitless_walks:
            return
        if _is_walked_enough(questions, number + 1, settled / before):
            return


def _is_walked_enough(questions: Questions, n_walks: int, settled: float) -> bool:
    """Whether to stop after ``n_walks`` walks, the last of which ``settled`` that share."""
    strategy, core = questions.strategy, questions.answers.core
    if questions.n_open << n_walks <= strategy.few:
        return False
    by_random_walks = core.network.n_wires < strategy.random_walk_wires * len(core.pins.token)
    is_many = questions.n_open >= strategy.many and not by_random_walks
    share = strategy.walk_share_of_many if is_many else strategy.walk_share
    return n_walks >= 2 and settled < share and not questions.is_small


def _walk(questions: Questions, number: int, seed: int, deadline: Deadline) -> Iterator[Step]:
    """One walk around the open wires, one stretch of time per step of the journal."""
    answers, targets, strategy = questions.answers, questions.targets(), questions.strategy
    wires, draws = targets.wires, strategy.draws
    size, reach = strategy.walk(number)
    in_time = np.argsort(answers.core.network.start[wires], kind="stable")
    n_parts = -(-len(wires) * draws // strategy.drawn_at_once)
    rounds = min(1 << number, max(1, strategy.drawn_at_once // (draws * max(1, len(wires)))))
    budget = Budget(size, rounds, draws, reach)
    for part in np.array_split(in_time, max(1, n_parts)):
        chosen = np.sort(part)
        some = Targets(wires[chosen], targets.enough[chosen], targets.sought)
        yield Step(
            "walking through solutions",
            f"walking {number} {size} {rounds} {reach} {len(part)}",
            Argument.SUPPORT,
            some.wires,
            partial(_walk_once, answers, some, budget, seed, deadline),
            partial(add_proven, answers, some.wires),
        )


def _walk_once(
    answers: Answers, targets: Targets, budget: Budget, seed: int, deadline: Deadline
) -> Entry:
    """Run a walk, and return what it proves about its targets."""
    proven, writes = answers.proven, answers.ledger is not None
    witnesses = walk(
        answers.core, targets, proven, budget, seed=seed, deadline=deadline, writes=writes
    )
    return proven_entry(proven[targets.wires], witnesses if writes else None)
