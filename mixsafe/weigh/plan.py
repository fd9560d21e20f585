"""Settings of posterior inference, engine and accuracy, and its budgets in their order.

What is settled has the error that it states whatever the budgets are; only how much is settled
depends on them. Numbers that decide how a single move is drawn stay next to the move.
"""

from __future__ import annotations

from dataclasses import dataclass

from mixsafe.model.arguments import KeptCourseOptions

ERROR = 0.01
"""Largest Monte Carlo error of a settled best guess."""

PROVEN = 10
"""Candidates of each wire that the engine is asked to prove."""

PROVING, PROVING_SECONDS = 0.2, 60.0
"""Share of the time for that, and seconds at most."""

COMPARED = 400
"""Witnesses that are compared, to begin at those that differ most."""

COUNTED_STEPS = 20_000_000
"""Steps of the dynamic program for one group of users who meet: a second or two."""

COUNTED_ZONES = 4_000
"""Zones times users of a group that is counted, for each of whom there are two sweeps."""

CHAINS = 4
"""Walks through assignments, begun far apart."""

FEWEST_DRAWS, MOST_DRAWS = 160, 1600
"""Of one chain, that are kept; as many of them as there is memory for."""

DRAW_PARTS = 32
"""In which they are drawn: a part is a step of a journal."""

LONGEST_APART = 64
"""Sweeps from draw to draw: when all draws lie as far apart, no more are drawn."""

CONSTANT_APART = 8
"""Sweeps from draw to draw from which no more are drawn where movement is weighed, and what is not
settled has the same token in every draw: near certainty is common there."""

LONGEST_TRANSITION = 64
"""Exchanges of a tempered transition, looked at, after which it is given up."""

TEMPERATURES = (0.35, 0.5, 0.7, 1.0, 1.5, 3.0)
"""Of transitions, in violated pins and links; one is drawn for each neighbourhood."""

ATTENTION = 16
"""Maximum ratio of the frequencies of moves of slow and other zones."""

COMPARING = 1 / 3
"""Share of the time for weighing without movement, where movement is weighed."""

LOOKING, LOOKING_SECONDS = 0.12, 60.0
"""Share of the time for looking at draws, and seconds at most: the room for draws is bounded."""


class WeighOptions(KeptCourseOptions, total=False):
    """Optional arguments of posterior inference, besides those about its course.

    Parameters
    ----------
    engine
        Engine of ``verify`` that proves candidates, from whose witnesses chains begin.
    exact
        Count exactly where that is cheap; False: sample everything.
    error
        Largest Monte Carlo error of a settled best guess.
    exhaustive
        Keep the probability of every candidate, not only of the likeliest.
    """

    engine: str
    exact: bool
    error: float
    exhaustive: bool


@dataclass(frozen=True)
class WeighSettings:
    """What :class:`WeighOptions` says of the accuracy, with what is left out."""

    engine: str = "auto"
    exact: bool = True
    error: float = ERROR
    exhaustive: bool = False
