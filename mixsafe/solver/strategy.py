"""The strategy of engine ``auto``: its steps and their budgets.

It is passed with the questions, so that a test or a benchmark can leave out or shorten a step.
Parameters of single moves are in the modules of the moves.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Strategy:
    """Budgets by step, in the order in which steps are taken.

    A step is left out if its first number is 0, or its tuple empty. The numbers change only how
    much is decided, and when; all results are proven.

    Parameters
    ----------
    free_users
        Whether to use exchanges with free users, those without later sightings.
    third_parties
        Candidates of a wire to search for by exchanges through third parties, at most.
    matching_share
        Matchings are repeated while they settle this share of the open questions.
    neighbourhoods
        (tokens, wires to either side) of the neighbourhoods of the first walk, then of the others
        in turn (large neighbourhood search).
    draws
        Neighbourhoods that are drawn each time that a walk takes a wire up.
    drawn_at_once
        Neighbourhoods of one step of a journal, at most: a run that is killed loses seconds.
    fewest_walks, most_walks
        Walks before fruitless ones count, and at most. Each takes every wire up twice as often as
        the last. After two, ``walk_share`` may end them sooner.
    fruitless_walks
        Walks in a row that may settle nothing.
    walk_share, walk_share_of_many
        Walks go on while one settles this share of what is open; where ``many`` questions are open
        and random walks are in vain, while it settles the smaller share.
    many
        Open questions.
    few
        Times that a walk takes wires up: for fewer, annealing is not begun.
    small
        Pairs of a token and a wire on which it may be: in smaller problems solvers are asked
        without random walks and annealing.
    random_walk_solutions
        Solutions that each random walk is to find in the first round; twice as many in each later
        one.
    random_walk_rewrites
        Wires that it rewrites for a solution, for each from which exchanges are drawn.
    random_walk_temperatures
        In violated sightings, of solutions in turn; round by round one more of them.
    random_walk_worth
        Questions that a random walk must settle for each wire that it rewrites, to go on.
    moved_for_one
        Wires that a solution of a random walk moves, at most, for each token that it shows.
    random_walk_wires
        Wires for each sighting: where paths are longer, random walks are in vain.
    states
        Steps of the dynamic program over the states of tracked tokens: it is complete where few
        users were ever seen, and leaves what takes more to others.
    probed, probed_at_once
        Missing candidates of a wire that are assumed one by one, at most; and wires in a round.
    success_share
        Probing goes on while this share of what it assumes is ruled out, and restarts do not become
        longer while this share of them find a solution.
    annealing
        Moves of a restart: of the first ones, then of the longest ones of each stage.
    restarts
        In a round, at least and at most.
    annealing_growth
        Factor by which restarts become longer.
    fruitless_rounds
        Rounds of the longest restarts of a stage that may settle nothing.
    temperatures
        Of restarts, in violated sightings; those that brought most are taken most often.
    assumed, assumed_later
        Numbers of assumed places of other tokens, of which each restart draws one: for short
        restarts, and for later ones.
    perturbation, perturbation_temperature
        Wires that are rewritten before the first of a sequence of later restarts, which begins at
        the identity, and before each other, for each wire near open ones; and the temperature of
        that, in violated sightings.
    variations
        Whether to scan the solutions that are one exchange away from each new one.
    cpsat
        Whether to ask CP-SAT about questions that remain open.
    capped
        Tokens of a set, where sets of all tokens do not fit in memory; more where more are asked
        for.
    wider
        Members of a zone, to either side, with whom rows are paired there that have open wires.
    large_share
        There sets, lists and questions are repeated while they settle this share of what is open.
    surroundings
        There small problems are made around (wires, rows), a few wires and the rows near them;
        then larger ones.
    sample, surroundings_share
        So many of these problems are decided first; the others, if this share of their wires is
        settled.
    """

    free_users: bool = True
    third_parties: int = 32
    matching_share: float = 0.001
    neighbourhoods: tuple[tuple[int, int], ...] = ((3, 40), (5, 150), (5, 300))
    draws: int = 10
    drawn_at_once: int = 400_000
    fewest_walks: int = 8
    most_walks: int = 14
    fruitless_walks: int = 3
    walk_share: float = 0.45
    walk_share_of_many: float = 0.25
    many: int = 500
    few: int = 2048
    small: int = 100_000
    random_walk_solutions: int = 4
    random_walk_rewrites: float = 1.25
    random_walk_temperatures: tuple[float, ...] = (0.05, 0.1, 0.15, 0.2)
    random_walk_worth: float = 1 / 600_000
    moved_for_one: int = 5000
    random_walk_wires: int = 25
    states: int = 20_000_000
    probed: int = 32
    probed_at_once: int = 128
    success_share: float = 0.1
    annealing: tuple[int, ...] = (30_000, 320_000, 1 << 20, 1 << 22)
    restarts: tuple[int, int] = (32, 256)
    annealing_growth: int = 4
    fruitless_rounds: int = 2
    temperatures: tuple[float, ...] = (0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.23)
    assumed: tuple[int, ...] = (0, 4, 8)
    assumed_later: tuple[int, ...] = (0, 0, 8, 32)
    perturbation: tuple[float, ...] = (30.0, 5.0)
    perturbation_temperature: float = 0.15
    variations: bool = True
    cpsat: bool = True
    capped: int = 16
    wider: tuple[int, ...] = (64, 512)
    large_share: float = 0.02
    surroundings: tuple[tuple[int, int], ...] = ((32, 192), (16, 384))
    sample: int = 16
    surroundings_share: float = 0.125

    def walk(self, number: int) -> tuple[int, int]:
        """Tokens of the neighbourhoods of a walk, and wires to either side."""
        later = self.neighbourhoods[1:] or self.neighbourhoods
        return later[number % len(later)] if number else self.neighbourhoods[0]


DEFAULT = Strategy()
"""The default strategy of engine ``auto``."""
