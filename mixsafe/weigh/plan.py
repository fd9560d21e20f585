"""Plan of posterior inference: the budget of each part.

It is handed in with the question, as engine ``auto``'s :mod:`mixsafe.solver.strategy` is. Numbers
that decide how a single move is drawn stay next to the move.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WeighPlan:
    """Budgets, in the order in which they are spent.

    What is settled has the error that it states whatever the numbers are; only how much is settled
    depends on them.

    Parameters
    ----------
    proven
        Candidates of each wire that the engine is asked to prove.
    proving, proving_seconds
        Share of the time for that, and seconds at most.
    compared
        Witnesses that are compared, to begin at those that differ most.
    counted_steps
        Steps of the dynamic program for one group of users who meet: a second or two.
    counted_zones
        Zones times users of a group that is counted, for each of whom there are two sweeps.
    chains
        Walks through assignments, begun far apart.
    fewest_draws, most_draws
        Of one chain, that are kept; as many of them as there is memory for.
    draw_parts
        In which they are drawn: a part is a step of a journal.
    longest_apart
        Sweeps from draw to draw: when all draws lie as far apart, no more are drawn.
    longest_transition
        Exchanges of a tempered transition, looked at, after which it is given up.
    temperatures
        Of transitions, in violated pins and links; one is drawn for each neighbourhood.
    attention
        Maximum ratio of the frequencies of moves of slow and other zones.
    looking
        Share of the time for looking at draws.
    """

    proven: int = 10
    proving: float = 0.2
    proving_seconds: float = 60.0
    compared: int = 400
    counted_steps: int = 20_000_000
    counted_zones: int = 4_000
    chains: int = 4
    fewest_draws: int = 160
    most_draws: int = 1600
    draw_parts: int = 32
    longest_apart: int = 64
    longest_transition: int = 64
    temperatures: tuple[float, ...] = (0.35, 0.5, 0.7, 1.0, 1.5, 3.0)
    attention: int = 16
    looking: float = 0.12


DEFAULT = WeighPlan()
"""Default plan."""
