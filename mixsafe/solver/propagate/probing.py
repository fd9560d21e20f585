"""Probing: assume one candidate on a wire, and exclude it if that leads to a contradiction.

Where few possible tokens are unproven, most of them are not candidates. Assuming that *some* of
them is on the wire contradicts nothing, but assuming a single one does. So each is assumed alone
(:mod:`mixsafe.solver.propagate.assumptions`). Refuted ones are excluded for good, with all
consequences.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, Entry
from mixsafe.solver.propagate.assumptions import assume_off
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.domains import Domains, take_back
from mixsafe.solver.state.questions import Questions
from mixsafe.solver.state.search_steps import Step
from mixsafe.solver.workers import until

Pairs = npt.NDArray[np.int64]
"""(n, 2): wires, and tokens that may be there."""


def steps(questions: Questions, course: Course) -> Iterator[Step]:
    """Probe the missing candidates of open wires that have few of them.

    Upper bounds must be at least as tight as those of reachability.
    """
    answers, seen = questions.answers, np.zeros(0, np.int64)
    while True:
        wires, asked = _few_missing(questions, seen)
        if not len(wires):
            return
        seen = np.union1d(seen, wires)
        step = Step(
            "ruling out candidates",
            f"elimination {len(seen)} {len(asked)}",
            Argument.ASSUMPTION,
            None,
            partial(_ruled_out, answers, asked, course),
            partial(_exclude, answers, asked),
        )
        yield step
        n_ruled_out = np.count_nonzero(step.found["ruled_out"])
        if n_ruled_out < questions.strategy.success_share * len(asked):
            return


def _few_missing(questions: Questions, seen: npt.NDArray[np.int64]) -> tuple[Pairs, Pairs]:
    """Unseen open wires with the fewest missing candidates, and pairs with these candidates."""
    targets, proven, strategy = questions.targets(), questions.answers.proven, questions.strategy
    wires = np.setdiff1d(targets.wires, seen)
    missing = targets.sought[wires] & questions.answers.possible[wires] & ~proven[wires]
    many = tokens.count(missing)
    some = np.argsort(many, kind="stable")
    is_few = (many[some] > 0) & (many[some] <= strategy.probed)
    some = some[is_few][: strategy.probed_at_once]
    on, token = tokens.pairs(missing[some])
    return wires[some], np.column_stack([wires[some][on], token])


def _ruled_out(answers: Answers, asked: Pairs, course: Course) -> Entry:
    """Which of the pairs are refuted."""
    stop, ruled_out = np.zeros(1, np.bool_), np.zeros(len(asked), bool)
    shares = min(course.workers, len(asked))
    runs = [
        partial(_assume_each, answers, asked[share::shares], ruled_out[share::shares], stop)
        for share in range(shares)
    ]
    until(course, runs, stop)
    return {"ruled_out": ruled_out}


def _assume_each(
    answers: Answers, asked: Pairs, ruled_out: npt.NDArray[np.bool_], stop: npt.NDArray[np.bool_]
) -> None:
    """Assume one pair after the other, and mark the refuted ones."""
    core = answers.core
    domains, words = Domains.of(core, answers.possible), answers.possible.shape[1]
    for i, (wire, token) in enumerate(asked.tolist()):
        if stop[0]:
            return
        alone = tokens.set_of(np.array([token]), words)
        ruled_out[i] = not assume_off(wire, ~alone, domains, core.network.wires)
        take_back(0, domains, core.network.wires)


def _exclude(answers: Answers, asked: Pairs, found: Entry) -> None:
    """Exclude the refuted pairs of ``asked``, and propagate."""
    ruled_out = asked[found["ruled_out"].astype(bool)]
    domains, words = Domains.of(answers.core, answers.possible), answers.possible.shape[1]
    for wire in np.unique(ruled_out[:, 0]).tolist():
        off = tokens.set_of(ruled_out[ruled_out[:, 0] == wire, 1], words)
        assume_off(wire, off, domains, answers.core.network.wires)
    answers.possible[:] = domains.possible
