"""What searches are asked: on which wires candidates are missing, whoever wants to know."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import Argument
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.strategy import Strategy


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


class Tries(NamedTuple):
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


class Questions(Protocol):
    """Questions about the candidates of wires, whoever asks them."""

    @property
    def answers(self) -> Answers:
        """Bounds on the candidates of every wire."""

    @property
    def strategy(self) -> Strategy:
        """How they are decided."""

    @property
    def n_asked(self) -> int:
        """Number of questions."""

    @property
    def n_open(self) -> int:
        """Number of questions without an answer."""

    def targets(self) -> Targets:
        """Where candidates are missing."""

    def tries(self, targets: Targets, seed: int) -> Tries:
        """What to try around ``targets`` in one round, one after the other."""

    def settle(self, argument: Argument, wires: npt.NDArray[np.int64] | None = None) -> None:
        """Count candidates anew, on ``wires`` or on all, and say what decided the questions."""
