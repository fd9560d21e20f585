"""Questions of a search: the wires on which candidates are missing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.tokens import TokenSets
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
