"""Engine ``auto``: decide by the cheapest argument that is a proof, and never guess.

Bounds for all wires come first. Two searches follow, for solutions that show further candidates of
open wires: walks, which stay among solutions (:mod:`mixsafe.solver.local.walks`, large
neighbourhood search), and random walks, which violate sightings on the way
(:mod:`mixsafe.solver.local.random_walks`). Last comes ``finish``, which publishers and auditors
define. It also excludes tokens, and ends with CP-SAT, which is complete where the problem is not
too large for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, Entry
from mixsafe.solver import bounds
from mixsafe.solver.dp import dynamic_programming
from mixsafe.solver.local import annealing, random_walks
from mixsafe.solver.local.walks import WalkBudget, walk
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.searches import (
    Questions,
    Step,
    Targets,
    add_proven,
    proven_entry,
    run_steps,
)
from mixsafe.solver.strategy import DEFAULT, Strategy


def decide(answers: Answers, course: Course, strategy: Strategy = DEFAULT) -> None:
    """Decide a publisher's questions with engine ``auto``."""
    run(Publisher(answers, strategy), course)


def run(questions: Questions, course: Course) -> None:
    """Bound all wires at once, then search for the open ones.

    The questions are a publisher's or an auditor's, who asks other questions about the same sets.
    """
    bounds.decide(questions.answers, course, questions.strategy)
    questions.settle(Argument.MATCHING)  # an auditor's, which the bounds of wires settle
    search(questions, course)


def search(questions: Questions, course: Course) -> None:
    """Run walks, random walks, then ``finish``, each while questions are open and time is left.

    The possible tokens must be no more than those that reachability leaves.
    """
    run_steps(_walks(questions, course), questions, course)
    if questions.n_open and not course.passed:
        run_steps(random_walks.steps(questions, course), questions, course)
        questions.finish(course)


class Publisher(Questions):
    """A publisher's questions: whether wires have k candidates or more."""

    def finish(self, course: Course) -> None:
        """Run the dynamic program where it has few states, probing and annealing, then CP-SAT."""
        if self.strategy.states:
            dynamic_programming.decide_few(self.answers, self.strategy.states, course)
        run_steps(annealing.steps(self, course), self, course)
        if self.strategy.cpsat and self.n_open and not course.passed:
            # Imported here: most audits need no solver, and the import takes a tenth of a second.
            from mixsafe.solver.sat import cpsat

            cpsat.decide(self.answers, course)


def _walks(questions: Questions, course: Course) -> Iterator[Step]:
    """The steps of walk after walk, while each settles enough."""
    strategy, fruitless = questions.strategy, 0
    for number in range(questions.most_walks if strategy.neighbourhoods else 0):
        before = questions.n_open
        seed = course.seed * strategy.most_walks + number
        yield from _steps_of_walk(questions, number, seed, course)
        settled = before - questions.n_open
        fruitless = 0 if settled else fruitless + 1
        if number >= strategy.fewest_walks and fruitless >= strategy.fruitless_walks:
            return
        if _settle_too_little(questions, number + 1, settled / before):
            return


def _settle_too_little(questions: Questions, n_walks: int, share: float) -> bool:
    """Whether to stop after ``n_walks`` walks, the last of which settled a ``share`` of questions.

    What follows then settles more in the same time.
    """
    strategy, core = questions.strategy, questions.answers.core
    if questions.n_open << n_walks <= strategy.few:  # the next walk is short
        return False
    random_walks_help = core.network.n_wires < strategy.random_walk_wires * len(core.pins)
    is_many = questions.n_open >= strategy.many and not random_walks_help
    worth = strategy.walk_share_of_many if is_many else strategy.walk_share
    return n_walks >= 2 and share < worth and not questions.is_small


def _steps_of_walk(questions: Questions, number: int, seed: int, course: Course) -> Iterator[Step]:
    """One walk around all open wires, in steps of one stretch of time each.

    Walk ``number`` takes each wire up 2 ** number times, or fewer times if many are open.
    """
    answers, targets, strategy = questions.answers, questions.targets(), questions.strategy
    wires, draws = targets.wires, strategy.draws
    size, reach = strategy.walk(number)
    in_time = np.argsort(answers.core.network.start[wires], kind="stable")
    n_stretches = -(-len(wires) * draws // strategy.drawn_at_once)
    rounds = min(1 << number, max(1, strategy.drawn_at_once // (draws * max(1, len(wires)))))
    budget = WalkBudget(size, rounds, draws, reach)
    for stretch in np.array_split(in_time, max(1, n_stretches)):
        chosen = np.sort(stretch)
        some = Targets(wires[chosen], targets.enough[chosen], targets.sought)
        yield Step(
            "walking through solutions",
            f"walking {number} {size} {rounds} {reach} {len(stretch)}",
            Argument.SUPPORT,
            some.wires,
            partial(_walk_stretch, answers, some, budget, seed, course),
            partial(add_proven, answers, some.wires),
        )


def _walk_stretch(
    answers: Answers, targets: Targets, budget: WalkBudget, seed: int, course: Course
) -> Entry:
    """Walk through a stretch of time, and return the tokens that it proves on its targets."""
    proven, writes = answers.proven, answers.ledger is not None
    witnesses = walk(answers.core, targets, proven, budget, course, seed=seed, writes=writes)
    return proven_entry(proven[targets.wires], witnesses if writes else None)
