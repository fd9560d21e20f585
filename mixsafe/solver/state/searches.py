"""Searches of engine ``auto``: the wires that they are about, and the loop that runs their steps.

Questions are the wires on which candidates are missing. A search is an iterator of steps. The loop
runs a step, keeps it in the journal, and settles questions. A search ends when its last step found
too little. The loop ends it when no question is open or no time is left.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.journal import each
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, Entry
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.ledger import entry_of, recorded_in
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Differences
from mixsafe.solver.strategy import DEFAULT, Strategy


class Targets(NamedTuple):
    """Wires on which a search looks for candidates, and the candidates that it looks for.

    Parameters
    ----------
    wires, enough
        (n,) each: open wires, ascending, and the number of candidates that settles each.
    sought
        (n_wires, words): candidates that matter, and those that are proven.
    """

    wires: npt.NDArray[np.int64]
    enough: npt.NDArray[np.int32]
    sought: TokenSets


class Restarts(NamedTuple):
    """Restarts of a search, in order.

    Parameters
    ----------
    wires, tokens
        (n,) each: a wire, and the token to bring to it; -1: any that is missing there.
    anew
        Whether each restart begins with the identity. If not, it begins with the last witness;
        then witnesses move nearly all tokens, and are too large to be kept.
    """

    wires: npt.NDArray[np.int64]
    tokens: npt.NDArray[np.int64]
    anew: bool = True


class Questions(ABC):
    """Questions about the candidates of wires; subclasses define the last steps.

    Parameters
    ----------
    answers
        Bounds on the candidates of every wire.
    strategy
        Budgets of the steps.
    """

    def __init__(self, answers: Answers, strategy: Strategy = DEFAULT) -> None:
        self.answers = answers
        self.strategy = strategy

    @property
    def n_asked(self) -> int:
        """Number of questions."""
        return len(self.answers.wire)

    @property
    def n_open(self) -> int:
        """Number of questions without an answer."""
        return self.answers.n_open

    @property
    def is_small(self) -> bool:
        """Whether solvers decide the open questions faster than annealing compiles."""
        return int(self.answers.upper.sum(dtype=np.int64)) < self.strategy.small

    @property
    def most_walks(self) -> int:
        """Maximum number of walks."""
        return self.strategy.most_walks

    def targets(self) -> Targets:
        """The open wires, and the candidates that are missing there."""
        wires = self.answers.open_wires()
        return Targets(wires, self.answers.enough(wires), self.answers.possible)

    def restarts(self, targets: Targets, seed: int) -> Restarts:
        """Draw wires of ``targets`` for a round; if there are few, each comes several times."""
        fewest, most = self.strategy.restarts
        drawn = np.random.default_rng(seed).permutation(targets.wires)[:most]
        wires = np.repeat(drawn, -(-fewest // max(1, len(drawn))))
        return Restarts(wires, np.full(len(wires), -1))

    def settle(self, argument: Argument, wires: npt.NDArray[np.int64] | None = None) -> None:
        """Count candidates again, on ``wires`` or on all, and record what decided questions."""
        self.answers.settle(argument, wires)

    @abstractmethod
    def finish(self, course: Course) -> None:
        """Decide what walks and random walks leave open, by methods of the subclass."""


@dataclass(eq=False)
class Step:
    """One step of a search.

    Parameters
    ----------
    doing
        Activity to display during the step.
    name
        Key in the journal.
    argument
        Argument of the questions that the step settles.
    wires
        Wires with questions that it may settle, ascending; None: any.
    work
        Runs the step; its result is valid even if time runs out.
    take_in
        Adds the result to the answers.
    """

    doing: str
    name: str
    argument: Argument
    wires: npt.NDArray[np.int64] | None
    work: Callable[[], Entry]
    take_in: Callable[[Entry], None]
    found: Entry = field(init=False)


def run_steps(steps: Iterator[Step], questions: Questions, course: Course) -> None:
    """Run the steps of a search while questions are open and time is left.

    The result of an interrupted step is used, but not kept in the journal.
    """
    while questions.n_open and not course.passed:
        step = next(steps, None)
        if step is None:
            return
        course.progress(step.doing, questions.n_asked - questions.n_open, questions.n_asked)
        (step.found,) = each(course, [step.name], [step], _results)
        step.take_in(step.found)
        questions.settle(step.argument, step.wires)


def _results(some: Sequence[Step]) -> Iterator[Entry]:
    """Results of steps, in their order."""
    return (step.work() for step in some)


def proven_entry(found: TokenSets, recorded: Differences | None) -> Entry:
    """A journal entry: tokens that witnesses show on some wires, and the parts to record."""
    return {"found": found, **({} if recorded is None else entry_of(recorded))}


def add_proven(answers: Answers, wires: npt.NDArray[np.int64], entry: Entry) -> None:
    """Add the tokens that witnesses show on ``wires`` to the answers, and parts to the ledger."""
    answers.proven[wires] |= entry["found"].astype(np.uint64, copy=False)
    if answers.ledger is not None:
        answers.ledger.add(recorded_in(entry))
