"""Engine ``auto``: decide by the cheapest argument that is a proof, and never guess."""

from __future__ import annotations

from mixsafe.model.limits import SolveLimits
from mixsafe.model.verdict import Argument
from mixsafe.verify import bounds, cpsat
from mixsafe.verify.answers import Answers, Deadline, Progress, no_progress
from mixsafe.verify.searching import search
from mixsafe.verify.walks import walk

_WALKS = ((3, 10), (2, 10), (4, 10), (3, 30), (4, 30))
"""Tokens in a support, and rounds through the open wires, of one walk after the other."""


def decide(
    answers: Answers,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
) -> None:
    """Bounds for all wires at once, walks, windows, then CP-SAT for what they leave open."""
    bounds.decide(answers, limits, deadline, progress)
    total = len(answers.wire)
    for number, (size, rounds) in enumerate(_WALKS):
        if answers.n_open == 0 or deadline.passed:
            return
        progress("walking through solutions", total - answers.n_open, total)
        wires = answers.open_wires()
        walk(
            answers.core,
            wires,
            answers.enough(wires),
            answers.possible,
            answers.proven,
            size=size,
            rounds=rounds,
            tries=10,
            reach=40,
            seed=limits.seed * len(_WALKS) + number,
        )
        answers.settle(Argument.SUPPORT, wires)
    if answers.n_open and not deadline.passed:
        search(answers, limits, deadline, progress)
    if answers.n_open and not deadline.passed:
        cpsat.decide(answers, limits, deadline, progress)
