"""Engine ``auto``: decide by the cheapest argument that is a proof, and never guess."""

from __future__ import annotations

from mixsafe.model.limits import SolveLimits
from mixsafe.verify import bounds, cpsat
from mixsafe.verify.answers import Answers, Deadline, Progress, no_progress


def decide(
    answers: Answers,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
) -> None:
    """Bounds for all wires at once, then CP-SAT for what they leave open."""
    bounds.decide(answers, limits, deadline, progress)
    if answers.n_open and not deadline.passed:
        cpsat.decide(answers, limits, deadline, progress)
