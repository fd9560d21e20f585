"""What the outcome of a run depends on: only a run with the same may be taken up again."""

from __future__ import annotations

from mixsafe.journal.steps import RunKey
from mixsafe.model.question.fingerprint import fingerprint
from mixsafe.model.question.problem import Problem
from mixsafe.version import __version__


def question_of(problem: Problem, asked: RunKey) -> RunKey:
    """All that an answer depends on.

    Parameters
    ----------
    problem
        Told by its fingerprint, which does not depend on its name.
    asked
        What is asked, and how it is decided. Workers and limits of time do not count.

    Returns
    -------
    Question
        With the version, too: another one may take other steps.
    """
    return {"data": fingerprint(problem), **asked, "version": __version__}
