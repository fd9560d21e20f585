"""Engine ``auto``: decide by the cheapest argument that is a proof, and never guess."""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import SolveLimits
from mixsafe.model.verdict import Argument
from mixsafe.verify import bounds, cpsat
from mixsafe.verify.answers import Answers, Deadline, Progress, no_progress
from mixsafe.verify.journal import Entry, once
from mixsafe.verify.searching import search
from mixsafe.verify.walks import walk
from mixsafe.verify.windows import HEAVY, LIGHT

_SHORT_WALKS = ((3, 10, 40), (4, 5, 40))
_LONG_WALKS = ((4, 50, 100), (3, 50, 200), (4, 50, 200), (5, 30, 100), (3, 50, 800), (5, 30, 400))
"""Tokens in a support, rounds through the open wires, and how far supports reach."""

_TRIES = 10  # supports drawn each time that a wire is taken up
_MAX_SUPPORTS = 600_000  # in one walk: seconds, since a limit of time is looked at between walks
_LONGEST = 8  # times that the long walks are repeated at most
_PATIENCE = 2  # times in a row that they may find nothing


def decide(
    answers: Answers,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
) -> None:
    """Bounds for all wires at once, walks, windows, then CP-SAT for what they leave open.

    Windows come twice: as long as they settle much, and after the long walks once more. Long
    walks are repeated, each twice as long as the last, as long as they find something.
    """
    bounds.decide(answers, limits, deadline, progress)
    _walk(answers, _SHORT_WALKS, limits, deadline, progress)
    search(answers, limits, deadline, progress, effort=LIGHT, least_share=0.25)
    fruitless = 0
    for again in range(_LONGEST):
        before = answers.n_open
        _walk(answers, _LONG_WALKS, limits, deadline, progress, again)
        fruitless = fruitless + 1 if answers.n_open == before else 0
        if fruitless == _PATIENCE:
            break
    search(answers, limits, deadline, progress, effort=HEAVY)
    if answers.n_open and not deadline.passed:
        cpsat.decide(answers, limits, deadline, progress)


def _walk(
    answers: Answers,
    walks: tuple[tuple[int, int, int], ...],
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress,
    again: int = 0,
) -> None:
    """One walk after the other, over the wires that are still open, the ``again``-th time."""
    total = len(answers.wire)
    for size, rounds, reach in walks:
        if answers.n_open == 0 or deadline.passed:
            return
        progress("walking through solutions", total - answers.n_open, total)
        wires = answers.open_wires()
        rounds = min(rounds << again, max(1, _MAX_SUPPORTS // (_TRIES * len(wires))))
        found = once(
            answers.journal,
            f"walk {again} {size} {rounds} {reach}",
            partial(
                _walk_once, answers, wires, size, rounds, reach, limits.seed * _LONGEST + again
            ),
        )
        if found is not None:
            answers.proven[wires] = found["proven"]
        answers.settle(Argument.SUPPORT, wires)


def _walk_once(
    answers: Answers,
    wires: npt.NDArray[np.int64],
    size: int,
    rounds: int,
    reach: int,
    seed: int,
) -> Entry:
    """What a walk over ``wires`` leaves proven of them."""
    walk(
        answers.core,
        wires,
        answers.enough(wires),
        answers.possible,
        answers.proven,
        size=size,
        rounds=rounds,
        tries=_TRIES,
        reach=reach,
        seed=seed,
    )
    return {"proven": answers.proven[wires]}
