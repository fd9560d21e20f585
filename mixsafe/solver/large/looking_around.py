"""Neighbourhoods of open wires, solved as subproblems of increasing size."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from mixsafe.machinery.journal import each
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, Entry
from mixsafe.network.wires import Ints
from mixsafe.solver import auto
from mixsafe.solver.construct.open_wires import OpenLists
from mixsafe.solver.large.neighbourhoods import Size, batches
from mixsafe.solver.large.sparse_answers import SparseAnswers
from mixsafe.solver.large.sweeps import Sweeps
from mixsafe.solver.strategy import Strategy


def look_around(
    answers: SparseAnswers, known: OpenLists, strategy: Strategy, sweeps: Sweeps, course: Course
) -> None:
    """Settle open questions by witnesses in their neighbourhoods.

    Parameters
    ----------
    answers
        What is asked; settled in place.
    known
        Its open wires; filled in place.
    strategy
        Sizes of neighbourhoods, and what is worth going on.
    sweeps
        Who looks.
    course
        Of the run; what is open when its time is up stays open.
    """

    def tell() -> None:
        settled = len(answers.k) - answers.n_open
        course.progress("looking around open wires", settled, len(answers.k))

    nearby = course.aside.silent if course.executor is None else course.alone
    for level, size in enumerate(Size(*one) for one in strategy.surroundings):
        cut = list(batches(answers.open_wires()[0], size, answers.core.network.wires))
        apart = max(1, len(cut) // strategy.sample)
        decide = partial(auto.decide, course=nearby, strategy=_nearby(strategy, level))
        for part in range(2):
            some = [wires for i, wires in enumerate(cut) if (i % apart > 0) == part]
            names = [f"around {level} {part} {i} {len(wires)}" for i, wires in enumerate(some)]
            look = partial(sweeps.look, decide, known, size)
            before = answers.n_open
            tell()
            entries = each(course, names, some, look)
            for wires, found in zip(some, entries, strict=True):
                _take_in(answers, known, wires, found)
                tell()
                if course.passed:
                    return
            if before - answers.n_open < strategy.surroundings_share * sum(map(len, some)):
                break


def _nearby(strategy: Strategy, level: int) -> Strategy:
    """What finds witnesses in small problems, with an end that does not hang on time.

    A few walks, one more in each larger problem, and then short restarts of annealing: what longer
    ones find takes ten times their time, mostly in vain.
    """
    return replace(
        strategy,
        most_walks=3 + level,
        random_walk_solutions=0,
        states=0,
        annealing=strategy.annealing[:1] * 2 if level else (),
        cpsat=False,
    )


def _take_in(answers: SparseAnswers, known: OpenLists, wires: Ints, found: Entry) -> None:
    """Add candidates to the lists, and settle questions."""
    known.add(found["wires"].astype(np.int64), found["tokens"].astype(np.int32))
    lower = 1 + known.among(wires).size
    by = np.where(found["by"] == Argument.NONE, np.uint8(Argument.SUPPORT), found["by"])
    for code in np.unique(by).tolist():
        some = by == code
        answers.prove(wires[some], lower[some], Argument(code))
