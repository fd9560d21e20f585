"""Engine ``auto``: decide by the cheapest argument that is a proof, and never guess."""

from __future__ import annotations

from functools import partial
from typing import Protocol

import numpy as np

from mixsafe.journal.steps import Entry, once
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.solver import bounds
from mixsafe.solver.local import annealing, wandering
from mixsafe.solver.local.walks import Effort, walk
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.questions import Questions, Targets, Tries

FIRST_WALK = (3, 40)
NEXT_WALKS = ((5, 800), (5, 150))
"""Tokens in a support, and how many wires to either side it spans at most; in turn."""

TRIES = 10
"""Supports drawn each time that a wire is taken up."""

_MAX_SUPPORTS = 400_000  # in one walk: seconds, so that a run that is killed loses little
_LONGEST = 14  # walks, each with twice as many rounds through the open wires as the last
_BEFORE_ANNEALING = 2  # walks in any case, and more while each settles
_LITTLE = 1 << 11  # times that wires are taken up: less than annealing takes to begin with
_SETTLED = 0.45  # of what is open: what is left then, annealing finds sooner
_MANY_OPEN = 500  # questions: where nobody wanders, walks for so many are worth it for longer
_SETTLED_OF_MANY = 0.25
_WANDERED = 25  # wires for each sighting: where paths are longer, wandering is in vain
_ANNEALED = ((annealing.FIRST_MOVES, 320_000), (320_000, 1 << 20), (1 << 20, 1 << 22))
"""Moves that a try may take, at first and at most, before others have their turn."""

_MOST_TRIES = 256  # in one round of annealing: then chains hear what others have found
_LEAST_TRIES = 32  # in one round: few open wires are taken up several times, all chains busy
_FEWEST = 8  # walks in any case
_PATIENCE = 3  # long walks in a row that may find nothing


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
    """

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.settle = answers.settle

    @property
    def most_walks(self) -> int:
        """Walks that are worth their time."""
        return _LONGEST

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
        drawn = np.random.default_rng(seed).permutation(targets.wires)[:_MOST_TRIES]
        wires = np.repeat(drawn, -(-_LEAST_TRIES // max(1, len(drawn))))
        return Tries(wires, np.full(len(wires), -1))

    def finish(self, limits: SolveLimits, deadline: Deadline, progress: Progress) -> None:
        """Annealing, boards, then CP-SAT for the rest."""
        # Loaded here: most audits need no solver, and loading it takes a tenth of a second.
        from mixsafe.solver.sat import boards, cpsat

        for worth in _ANNEALED:
            annealing.search(self, worth, limits, deadline, progress)
        boards.search(self.answers, limits, deadline, progress)
        if self.answers.n_open and not deadline.passed:
            cpsat.decide(self.answers, limits, deadline, progress)


def decide(
    answers: Answers,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
) -> None:
    """Engine ``auto`` for the publisher."""
    run(Publisher(answers), limits, deadline, progress)


def run(
    questions: AutoQuestions,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
) -> None:
    """Bounds for all wires at once, walks, then what they leave open."""
    bounds.decide(questions.answers, limits, deadline, progress)
    questions.settle(Argument.MATCHING)
    fruitless = 0
    for number in range(questions.most_walks):
        before = questions.n_open
        if not before or deadline.passed:
            break
        _walk(questions, number, limits, deadline, progress)
        settled = before - questions.n_open
        fruitless = 0 if settled else fruitless + 1
        if number >= _FEWEST and fruitless >= _PATIENCE:
            break
        if _goes_to_annealing(questions, number + 1, settled / before):
            break
    if questions.n_open and not deadline.passed:
        wandering.search(questions, limits, deadline, progress)
        questions.finish(limits, deadline, progress)


def _goes_to_annealing(questions: AutoQuestions, n_walks: int, settled: float) -> bool:
    """Whether to walk no more, after so many walks, the last of which ``settled`` that share."""
    if questions.n_open << n_walks <= _LITTLE:
        return False
    core = questions.answers.core
    is_wandered = core.network.n_wires < _WANDERED * len(core.pins.token)
    is_many = questions.n_open >= _MANY_OPEN and not is_wandered
    if n_walks < _BEFORE_ANNEALING or settled >= (_SETTLED_OF_MANY if is_many else _SETTLED):
        return False
    return not annealing.is_little(questions.answers)


def _walk(
    questions: AutoQuestions,
    number: int,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress,
) -> None:
    """The walk of this ``number`` over the wires that are open, a stretch of time at once."""
    answers, targets = questions.answers, questions.targets()
    wires = targets.wires
    size, reach = NEXT_WALKS[number % len(NEXT_WALKS)] if number else FIRST_WALK
    in_time = np.argsort(answers.core.network.start[wires], kind="stable")
    n_parts = -(-len(wires) * TRIES // _MAX_SUPPORTS)
    rounds = min(1 << number, max(1, _MAX_SUPPORTS // (TRIES * max(1, len(wires)))))
    for part in np.array_split(in_time, max(1, n_parts)):
        if questions.n_open == 0 or deadline.passed:
            return
        progress(
            "walking through solutions", questions.n_asked - questions.n_open, questions.n_asked
        )
        chosen = np.sort(part)
        some = Targets(wires[chosen], targets.enough[chosen], targets.sought)
        effort = Effort(size, rounds, TRIES, reach)
        found = once(
            answers.journal,
            f"walk {number} {size} {rounds} {reach} {len(part)}",
            partial(_walk_once, answers, some, effort, limits.seed * _LONGEST + number, deadline),
        )
        if found is not None:
            answers.proven[some.wires] = found["proven"]
        questions.settle(Argument.SUPPORT, some.wires)


def _walk_once(
    answers: Answers, targets: Targets, effort: Effort, seed: int, deadline: Deadline
) -> Entry | None:
    """What a walk proves of its targets; None: it was cut short."""
    walk(answers.core, targets, answers.proven, effort, seed=seed, deadline=deadline)
    return None if deadline.passed else {"proven": answers.proven[targets.wires]}
