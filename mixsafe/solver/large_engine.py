"""Engines ``auto`` and ``bounds`` where one component is too large for sets of tokens."""

from __future__ import annotations

from functools import partial

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.solver import bounds
from mixsafe.solver.auto import Publisher
from mixsafe.solver.large import deciding
from mixsafe.solver.large.sparse_answers import SparseAnswers
from mixsafe.solver.local import annealing
from mixsafe.solver.local.walks import Effort, walk
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.search_steps import take
from mixsafe.solver.strategy import Strategy

_STRATEGY = Strategy(annealing=(12_000, 12_000))
# Short restarts only: what longer ones find takes ten times their time, mostly in vain.


def decide(
    answers: SparseAnswers,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
) -> None:
    """Engine ``auto``: bounds, then neighbourhoods of what they leave open."""
    nearby = partial(_decide_nearby, limits=limits if limits.crew is None else limits.alone)
    deciding.decide(answers, nearby, _STRATEGY, limits, deadline, progress)


def decide_by_bounds(
    answers: SparseAnswers,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
) -> None:
    """Engine ``bounds``."""
    deciding.decide(answers, None, _STRATEGY, limits, deadline, progress)


def _decide_nearby(
    answers: Answers, *, level: int, deadline: Deadline, limits: SolveLimits
) -> None:
    """Bounds, walks and annealing: what finds witnesses, with an end that does not hang on time."""
    questions, strategy = Publisher(answers, _STRATEGY), _STRATEGY
    bounds.decide(answers, limits, deadline, strategy=strategy)
    for number, (size, reach) in enumerate(strategy.neighbourhoods):
        if answers.n_open and not deadline.passed:
            targets = questions.targets()
            effort = Effort(
                size, strategy.surroundings_rounds[level] if number else 1, strategy.draws, reach
            )
            seed = limits.seed * len(strategy.neighbourhoods) + number
            walk(answers.core, targets, answers.proven, effort, seed=seed, deadline=deadline)
            questions.settle(Argument.SUPPORT, targets.wires)
    if level:
        take(annealing.steps(questions, limits, deadline), questions, deadline)
