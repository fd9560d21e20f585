"""The key of a run: all inputs of its result. Only a run with the same key is resumed."""

from __future__ import annotations

from mixsafe.model.course import RunKey
from mixsafe.model.question.problem import Problem, fingerprint
from mixsafe.version import __version__


def question_of(problem: Problem, asked: RunKey) -> RunKey:
    """The key of a run: all inputs of its answer.

    Parameters
    ----------
    problem
        Enters by its fingerprint, which does not depend on its name.
    asked
        The question and the engine. Workers and time limits do not count.

    Returns
    -------
    RunKey
        With the version, as another version may take other steps.
    """
    return {"data": fingerprint(problem), **asked, "version": __version__}
