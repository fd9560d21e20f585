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

_FIRST_WALK = (3, 40)
_NEXT_WALKS = ((5, 800), (5, 150))
"""Tokens in a support, and how many wires to either side it spans at most; in turn."""

_TRIES = 10  # supports drawn each time that a wire is taken up
_MAX_SUPPORTS = 400_000  # in one walk: seconds, so that a run that is killed loses little
_LONGEST = 14  # walks, each with twice as many rounds through the open wires as the last
_FEWEST = 8  # walks in any case
_PATIENCE = 3  # long walks in a row that may find nothing


def decide(
    answers: Answers,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
) -> None:
    """Bounds for all wires at once, walks, windows, then CP-SAT for what they leave open."""
    bounds.decide(answers, limits, deadline, progress)
    fruitless = 0
    for number in range(_LONGEST):
        before = answers.n_open
        _walk(answers, number, limits, deadline, progress)
        fruitless = fruitless + 1 if answers.n_open == before else 0
        if number >= _FEWEST and fruitless >= _PATIENCE:
            break
    search(answers, limits, deadline, progress)
    if answers.n_open and not deadline.passed:
        cpsat.decide(answers, limits, deadline, progress)


def _walk(
    answers: Answers,
    number: int,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress,
) -> None:
    """The walk of this ``number`` over the wires that are open, a stretch of time at once."""
    total = len(answers.wire)
    size, reach = _NEXT_WALKS[number % len(_NEXT_WALKS)] if number else _FIRST_WALK
    wires = answers.open_wires()
    in_time = wires[np.argsort(answers.core.network.start[wires], kind="stable")]
    n_parts = -(-len(wires) * _TRIES // _MAX_SUPPORTS)
    rounds = min(1 << number, max(1, _MAX_SUPPORTS // (_TRIES * max(1, len(wires)))))
    for part in np.array_split(in_time, max(1, n_parts)):
        if answers.n_open == 0 or deadline.passed:
            return
        progress("walking through solutions", total - answers.n_open, total)
        some = np.sort(part)
        found = once(
            answers.journal,
            f"walk {number} {size} {rounds} {reach} {len(part)}",
            partial(
                _walk_once,
                answers,
                some,
                size=size,
                rounds=rounds,
                reach=reach,
                seed=limits.seed * _LONGEST + number,
                deadline=deadline,
            ),
        )
        if found is not None:
            answers.proven[some] = found["proven"]
        answers.settle(Argument.SUPPORT, some)


def _walk_once(
    answers: Answers,
    wires: npt.NDArray[np.int64],
    *,
    size: int,
    rounds: int,
    reach: int,
    seed: int,
    deadline: Deadline,
) -> Entry | None:
    """What a walk over ``wires`` leaves proven of them; None: it was cut short."""
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
        deadline=deadline,
    )
    return None if deadline.passed else {"proven": answers.proven[wires]}
