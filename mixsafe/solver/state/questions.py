"""What searches are asked: on which wires candidates are missing, whoever wants to know."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.strategy import DEFAULT, Strategy


class Targets(NamedTuple):
    """Where a search looks for candidates, and for which.

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
    """What a search is to try, one after the other.

    Parameters
    ----------
    wires, tokens
        (n,) each: a wire, and the token that is to come to it; -1: any that is missing there.
    anew
        Whether each begins with the identity. If not, each begins with the witness before, so that
        witnesses move nearly all tokens, and are too large to be kept.
    """

    wires: npt.NDArray[np.int64]
    tokens: npt.NDArray[np.int64]
    anew: bool = True


class Questions(ABC):
    """Questions about the candidates of wires; who asks them says how they end.

    Parameters
    ----------
    answers
        Bounds on the candidates of every wire.
    strategy
        How they are decided.
    """

    def __init__(self, answers: Answers, strategy: Strategy = DEFAULT) -> None:
        self.answers, self.strategy = answers, strategy

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
        """Whether solvers decide what is open sooner than annealing is compiled."""
        return int(self.answers.upper.sum(dtype=np.int64)) < self.strategy.small

    @property
    def most_walks(self) -> int:
        """Walks that are worth their time."""
        return self.strategy.most_walks

    def targets(self) -> Targets:
        """Where candidates are missing."""
        wires = self.answers.open_wires()
        return Targets(wires, self.answers.enough(wires), self.answers.possible)

    def restarts(self, targets: Targets, seed: int) -> Restarts:
        """Some of the wires of ``targets``, drawn for a round; if they are few, several times."""
        fewest, most = self.strategy.restarts
        drawn = np.random.default_rng(seed).permutation(targets.wires)[:most]
        wires = np.repeat(drawn, -(-fewest // max(1, len(drawn))))
        return Restarts(wires, np.full(len(wires), -1))

    def settle(self, argument: Argument, wires: npt.NDArray[np.int64] | None = None) -> None:
        """Count candidates anew, on ``wires`` or on all, and say what decided the questions."""
        self.answers.settle(argument, wires)

    @abstractmethod
    def finish(self, limits: SolveLimits, deadline: Deadline, progress: Progress) -> None:
        """Decide what walks and wandering leave, by what only this asker can use."""
