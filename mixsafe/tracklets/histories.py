"""What continues each tracklet in some history, and what it continues."""

from __future__ import annotations

from mixsafe.model.course import Deadline
from mixsafe.model.tracklets import Contradiction, LinkBounds, LinkProblem
from mixsafe.tracklets.components import alternatives
from mixsafe.tracklets.matching import history_of
from mixsafe.tracklets.together import decide_together

NO_DEADLINE = Deadline(None)


def decide(problem: LinkProblem, deadline: Deadline = NO_DEADLINE) -> LinkBounds:
    """Which links are in some history: exactly, in time linear in links after one matching.

    Parameters
    ----------
    problem
        The tracklets and links.
    deadline
        When to stop; only pairs of ``same`` can take so long. What is open then stays open.
    """
    history = history_of(problem)
    if isinstance(history, Contradiction):
        return LinkBounds.impossible(problem, history)
    bounds = alternatives(problem, history)
    if len(problem.same) == 0:
        return bounds
    return decide_together(problem, bounds, deadline)
