"""Engine ``bounds``: what sweeps over all users at once can prove, and nothing slower."""

from __future__ import annotations

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.verify.bounds.carriers import carried
from mixsafe.verify.bounds.matching import match
from mixsafe.verify.bounds.reachability import narrow, reachable
from mixsafe.verify.bounds.swaps import swapped
from mixsafe.verify.core.answers import Answers

_WORTH_IT = 1000  # matching is repeated while it settles one in so many open questions


def decide(
    answers: Answers,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
) -> None:
    """Reachability, swaps, carriers; then matching and reachability while they help."""
    kept = answers.journal.recall("bounds")
    if kept is not None:
        answers.restore(kept)
        return
    _bound(answers, deadline, progress)
    if deadline.passed:
        answers.journal.cut()
    else:
        answers.journal.keep("bounds", answers.state())


def _bound(answers: Answers, deadline: Deadline, progress: Progress) -> None:
    """Bound all wires."""
    total = len(answers.wire)
    progress("bounding by reachability", 0, total)
    answers.possible &= reachable(answers.core)
    answers.settle(Argument.REACHABILITY)
    progress("swapping pairs", total - answers.n_open, total)
    answers.proven |= swapped(answers.core)
    answers.settle(Argument.SWAP)
    if answers.n_open:
        brought = carried(answers.core, answers.open_wires())
        if brought is not None:
            answers.proven |= brought
            answers.settle(Argument.CARRIER)
    settled = answers.n_open
    while settled > answers.n_open // _WORTH_IT and answers.n_open and not deadline.passed:
        before = answers.n_open
        progress("matching tokens to rows", total - before, total)
        if not match(answers.core, answers.possible, answers.open_wires()):
            break
        narrow(answers.core, answers.possible)
        answers.settle(Argument.MATCHING)
        settled = before - answers.n_open
