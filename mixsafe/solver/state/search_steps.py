"""The loop of engine ``auto``: run a step, keep it in the journal, and settle questions.

A search is an iterator of steps. It ends when its last step found too little. The loop ends it when
no question is open or no time is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.journal import each
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, Entry
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.differences import Differences
from mixsafe.solver.state.ledger import entry_of, recorded_in
from mixsafe.solver.state.questions import Questions
from mixsafe.solver.state.tokens import TokenSets


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
