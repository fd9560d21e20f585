"""The loop of engine ``auto``: take a step, which a journal keeps, and count what it settles.

A search is an iterator of steps. It goes on where what the last step found makes that worth it, and
otherwise ends; the loop ends it where nothing is open any more, or no time is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mixsafe.journal.steps import Entry, each
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.limits import Deadline
from mixsafe.model.progress import Progress, no_progress
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.differences import Differences
from mixsafe.solver.state.ledger import told_in, told_of
from mixsafe.solver.state.questions import Questions
from mixsafe.solver.state.tokens import TokenSets


@dataclass(eq=False)
class Step:
    """What a search does next.

    Parameters
    ----------
    doing
        What people are told meanwhile.
    name
        In the journal.
    argument
        What decides the questions that it settles.
    wires
        On which it may settle some, ascending; None: on any.
    work
        Does it; what it finds is true even if the time was up before its end.
    take_in
        Adds what was found to what is known.
    """

    doing: str
    name: str
    argument: Argument
    wires: npt.NDArray[np.int64] | None
    work: Callable[[], Entry]
    take_in: Callable[[Entry], None]
    found: Entry = field(init=False)


def take(
    steps: Iterator[Step],
    questions: Questions,
    deadline: Deadline,
    progress: Progress = no_progress,
) -> None:
    """Take the steps of a search, for as long as questions are open and time is left.

    A step that is cut short is taken in, but not kept.
    """
    journal = questions.answers.journal
    while questions.n_open and not deadline.passed:
        step = next(steps, None)
        if step is None:
            return
        progress(step.doing, questions.n_asked - questions.n_open, questions.n_asked)
        (step.found,) = each(journal, deadline, [step.name], [step], _worked)
        step.take_in(step.found)
        questions.settle(step.argument, step.wires)


def _worked(some: Sequence[Step]) -> Iterator[Entry]:
    return (step.work() for step in some)


def shown(found: TokenSets, told: Differences | None) -> Entry:
    """What witnesses show on some wires, and the parts of them that are to be written down."""
    return {"found": found, **({} if told is None else told_of(told))}


def add_shown(answers: Answers, wires: npt.NDArray[np.int64], entry: Entry) -> None:
    """Add what witnesses show on ``wires`` to what is known, and their parts to the ledger."""
    answers.proven[wires] |= entry["found"].astype(np.uint64, copy=False)
    if answers.ledger is not None:
        answers.ledger.add(told_in(entry))
