"""Engine ``auto``: decide by the cheapest argument that is a proof, and never guess."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.journal.steps import Entry, once
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.solver import bounds
from mixsafe.solver.dp import dynamic_programming
from mixsafe.solver.local import annealing, wandering
from mixsafe.solver.local.walks import Effort, walk
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.ledger import told_in, told_of
from mixsafe.solver.state.questions import Questions, Targets, Tries
from mixsafe.solver.strategy import DEFAULT, Strategy

_DRAWN_AT_ONCE = (
    400_000  # neighbourhoods, in one step of a journal: a run that is killed loses seconds
)
_SEEDS = 14  # of walks for each seed of a run


class AutoQuestions(Questions, Protocol):
    """Questions that this engine can answer."""

    @property
    def most_walks(self) -> int:
        """Walks that are worth their time."""

    def finish(self, limits: SolveLimits, deadline: Deadline, progress: Progress) -> None:
        """Ask about what walks leave."""


class Publisher:
    """The publisher's questions: whether wires have k candidates or more.

    Parameters
    ----------
    answers
        The questions, and what is known.
    strategy
        How they are decided.
    """

    def __init__(self, answers: Answers, strategy: Strategy = DEFAULT) -> None:
        self.answers, self.strategy = answers, strategy

    @property
    def most_walks(self) -> int:
        """Walks that are worth their time."""
        return self.strategy.most_walks

    @property
    def n_asked(self) -> int:
        """Number of questions."""
        return len(self.answers.wire)

    @property
    def n_open(self) -> int:
        """Number of questions without an answer."""
        return self.answers.n_open

    def targets(self) -> Targets:
        """Wires with an open question."""
        wires = self.answers.open_wires()
        return Targets(wires, self.answers.enough(wires), self.answers.possible)

    def tries(self, targets: Targets, seed: int) -> Tries:
        """Some of the open wires, drawn; if they are few, several times."""
        fewest, most = self.strategy.restarts
        drawn = np.random.default_rng(seed).permutation(targets.wires)[:most]
        wires = np.repeat(drawn, -(-fewest // max(1, len(drawn))))
        return Tries(wires, np.full(len(wires), -1))

    def settle(self, argument: Argument, wires: npt.NDArray[np.int64] | None = None) -> None:
        """Count candidates anew, and name what decided the questions."""
        self.answers.settle(argument, wires)

    def finish(self, limits: SolveLimits, deadline: Deadline, progress: Progress) -> None:
        """What takes few states, annealing, boards, then CP-SAT for the rest."""
        # Loaded here: most audits need no solver, and loading it takes a tenth of a second.
        from mixsafe.solver.sat import boards, cpsat
        from mixsafe.solver.sat.growing import BoardEffort

        if self.answers.ledger is None:
            self._decide_few(deadline)
        for moves in pairwise(self.strategy.annealing):
            annealing.search(self, moves, limits, deadline, progress)
        if self.strategy.sat_rows:
            effort = BoardEffort(rows=self.strategy.sat_rows)
            boards.search(self.answers, limits, deadline, progress, effort=effort)
        if self.answers.ledger is not None:  # the dynamic program writes no witnesses down
            self._decide_few(deadline)
        if self.strategy.cpsat and self.answers.n_open and not deadline.passed:
            cpsat.decide(self.answers, limits, deadline, progress)

    def _decide_few(self, deadline: Deadline) -> None:
        """Decide what takes few states of tracked tokens."""
        if self.strategy.states and self.n_open and not deadline.passed:
            dynamic_programming.decide_few(self.answers, self.strategy.states, deadline)


def decide(
    answers: Answers,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
    strategy: Strategy = DEFAULT,
) -> None:
    """Engine ``auto`` for the publisher."""
    run(Publisher(answers, strategy), limits, deadline, progress)


def run(
    questions: AutoQuestions,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
) -> None:
    """Bounds for all wires at once, walks, then what they leave open."""
    strategy = questions.strategy
    bounds.decide(questions.answers, limits, deadline, progress, strategy)
    questions.settle(Argument.MATCHING)
    search(questions, limits, deadline, progress)


def search(
    questions: AutoQuestions, limits: SolveLimits, deadline: Deadline, progress: Progress
) -> None:
    """Walks, then what they leave open; upper bounds must be at most what reachability leaves."""
    strategy, fruitless = questions.strategy, 0
    for number in range(questions.most_walks if strategy.neighbourhoods else 0):
        before = questions.n_open
        if not before or deadline.passed:
            break
        _walk(questions, number, limits, deadline, progress)
        settled = before - questions.n_open
        fruitless = 0 if settled else fruitless + 1
        if number >= strategy.fewest_walks and fruitless >= strategy.fruitless_walks:
            break
        if _goes_to_annealing(questions, number + 1, settled / before):
            break
    if questions.n_open and not deadline.passed:
        wandering.search(questions, limits, deadline, progress)
        questions.finish(limits, deadline, progress)


def _goes_to_annealing(questions: AutoQuestions, n_walks: int, settled: float) -> bool:
    """Whether to walk no more, after so many walks, the last of which ``settled`` that share."""
    strategy, core = questions.strategy, questions.answers.core
    if questions.n_open << n_walks <= strategy.few:
        return False
    by_random_walks = core.network.n_wires < strategy.random_walk_wires * len(core.pins.token)
    is_many = questions.n_open >= strategy.many and not by_random_walks
    share = strategy.walk_share_of_many if is_many else strategy.walk_share
    return n_walks >= 2 and settled < share and not annealing.is_small(questions)


def _walk(
    questions: AutoQuestions,
    number: int,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress,
) -> None:
    """The walk of this ``number`` over the wires that are open, a stretch of time at once."""
    answers, targets, strategy = questions.answers, questions.targets(), questions.strategy
    wires, draws = targets.wires, strategy.draws
    size, reach = strategy.walk(number)
    in_time = np.argsort(answers.core.network.start[wires], kind="stable")
    n_parts = -(-len(wires) * draws // _DRAWN_AT_ONCE)
    rounds = min(1 << number, max(1, _DRAWN_AT_ONCE // (draws * max(1, len(wires)))))
    for part in np.array_split(in_time, max(1, n_parts)):
        if questions.n_open == 0 or deadline.passed:
            return
        progress(
            "walking through solutions", questions.n_asked - questions.n_open, questions.n_asked
        )
        chosen = np.sort(part)
        some = Targets(wires[chosen], targets.enough[chosen], targets.sought)
        effort = Effort(size, rounds, draws, reach)
        found = once(
            answers.journal,
            f"walk {number} {size} {rounds} {reach} {len(part)}",
            partial(_walk_once, answers, some, effort, limits.seed * _SEEDS + number, deadline),
        )
        if found is not None:
            answers.proven[some.wires] = found["proven"]
            if answers.ledger is not None:
                answers.ledger.add(told_in(found))
        questions.settle(Argument.SUPPORT, some.wires)


def _walk_once(
    answers: Answers, targets: Targets, effort: Effort, seed: int, deadline: Deadline
) -> Entry | None:
    """What a walk proves of its targets; None: it was cut short."""
    ledger, proven = answers.ledger, answers.proven
    writes = ledger is not None
    told = walk(answers.core, targets, proven, effort, seed=seed, deadline=deadline, writes=writes)
    if deadline.passed:
        if ledger is not None:
            ledger.add(told)
        return None
    return {"proven": proven[targets.wires], **(told_of(told) if writes else {})}
