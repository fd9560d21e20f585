"""Engines ``auto`` and ``bounds`` for components that are too large for sets of tokens.

They try the cheapest proofs first, without sets of tokens on every wire. At the end they look
around: neighbourhoods of open wires are solved as subproblems of increasing size.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from mixsafe.machinery.journal import each
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, Entry
from mixsafe.model.question.adversary import Pins
from mixsafe.network.timeline import Timeline, timeline
from mixsafe.network.wires import Ints
from mixsafe.solver import auto
from mixsafe.solver.construct.meeting_again import NEAR
from mixsafe.solver.construct.open_wires import OpenLists
from mixsafe.solver.large.capped_sets import set_bounds
from mixsafe.solver.large.narrowing import narrow
from mixsafe.solver.large.neighbourhoods import Size, batches
from mixsafe.solver.large.possible_tokens import QUESTIONS
from mixsafe.solver.large.sparse_answers import SparseAnswers
from mixsafe.solver.large.sweeps import Sweeps, sweeps_of
from mixsafe.solver.strategy import DEFAULT, Strategy

_MOST_PARTNERS = 1 << 18  # of one row: a table of them is kept by each thread


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


def decide(answers: SparseAnswers, course: Course, strategy: Strategy = DEFAULT) -> None:
    """Decide with engine ``auto``: bounds, then neighbourhoods of open wires."""
    sweeps = _bounded(answers, strategy, course)
    if sweeps is not None:
        look_around(answers, answers.listed, strategy, sweeps, course)


def decide_by_bounds(answers: SparseAnswers, course: Course, strategy: Strategy = DEFAULT) -> None:
    """Decide with engine ``bounds``."""
    _bounded(answers, strategy, course)


def _bounded(answers: SparseAnswers, strategy: Strategy, course: Course) -> Sweeps | None:
    """Run capped sets, pairs that meet again or through others, and counts of possible tokens.

    Returns
    -------
    Who walked over the wires, if something is open, with lists of what is proven there.
    """

    def tell(stage: str) -> None:
        course.progress(stage, len(answers.k) - answers.n_open, len(answers.k))

    core = answers.core
    tell("bounding by reachability")
    pins = _bound(answers, strategy, course.workers)
    tell("swapping pairs")
    whole = timeline(core)
    sweeps = sweeps_of(whole, pins, course)
    near = answers.near = _swap(answers, whole, sweeps, strategy.wider)
    wires, enough = answers.open_wires()
    if not len(wires) or course.passed:
        return None
    known = answers.listed = OpenLists.of(wires, enough)
    tell("swapping through others")
    sweeps.fill(near, known)
    answers.prove(wires, 1 + known.size, Argument.SUPPORT)
    _bound_open(answers, strategy, pins, sweeps, course)
    return sweeps


def _bound(answers: SparseAnswers, strategy: Strategy, workers: int) -> Pins:
    """Set upper bounds by capped sets; returns sightings of single tokens on their own rows."""
    core, cap = answers.core, max(strategy.capped, int(answers.k.max(initial=1)) - 1)
    found = set_bounds(core, core.network.wires, cap, workers, strategy.large_share)
    np.minimum(answers.upper, found.upper, out=answers.upper)
    answers.settle(Argument.REACHABILITY)
    return found.pins


def _swap(
    answers: SparseAnswers, whole: Timeline, sweeps: Sweeps, even_more: tuple[int, ...]
) -> int:
    """Pair rows with increasing numbers of partners; returns the last number."""
    near, rows = max(NEAR, int(answers.k.max(initial=1))), None
    most = int(np.diff(whole.net.first).max(initial=1))
    for wider in (near, *even_more):
        if rows is not None:
            if not len(rows) or wider <= near or wider * most > _MOST_PARTNERS:
                break
            near = wider
        found = sweeps.partners(near, rows)
        found += 1
        np.maximum(answers.lower, found, out=answers.lower)
        del found
        answers.settle(Argument.SWAP)
        rows = np.unique(answers.core.network.row[answers.open_wires()[0]]).astype(np.int64)
    return near


def _bound_open(
    answers: SparseAnswers, strategy: Strategy, pins: Pins, sweeps: Sweeps, course: Course
) -> None:
    """Count possible tokens on the open wires, if a sample of them shows that it is worth it.

    Each question is a sweep over the whole network, and lists are many: both would grow faster than
    the city. So a sample is asked first. Where it settles little, lists of all tokens and further
    questions settle little, too.
    """
    wires, _ = answers.open_wires()
    if not len(wires):
        return
    sample = wires[:: -(-len(wires) // QUESTIONS)]
    _ask(sample, answers, sweeps, course)
    settled = int(np.count_nonzero(~np.isin(sample, answers.open_wires()[0])))
    if settled < strategy.large_share * len(sample):
        return
    if not narrow(answers, pins, strategy.large_share, course):
        _ask(np.setdiff1d(answers.open_wires()[0], sample), answers, sweeps, course)


def _ask(wires: Ints, answers: SparseAnswers, sweeps: Sweeps, course: Course) -> None:
    """Count the single tokens that are possible on some open wires, exactly."""
    wires = wires[np.argsort(answers.core.network.start[wires], kind="stable")]
    at_once = sweeps.questions
    for begin in range(0, len(wires), at_once):
        if course.passed:
            return
        course.progress("following questions", len(answers.k) - answers.n_open, len(answers.k))
        some = wires[begin : begin + at_once]
        answers.bound(some, sweeps.possible(some), Argument.REACHABILITY)
