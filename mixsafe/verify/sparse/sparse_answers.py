"""What is asked of a large problem, and what is known of it so far: numbers instead of sets."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mixsafe.errors import MixsafeError
from mixsafe.journal.steps import Journal, NoJournal
from mixsafe.model.answer.verdict import Argument
from mixsafe.verify.core.core import Core


@dataclass(eq=False)
class SparseAnswers:
    """Bounds on the number of candidates of every wire, and the questions that they settle.

    As :class:`mixsafe.verify.core.answers.Answers`, with four bytes a wire in place of each set.

    Parameters
    ----------
    core
        The tokens and wires.
    wire, k
        (n_questions,): does this wire have k candidates or more?
    journal
        Where long steps keep what they find.
    """

    core: Core
    wire: npt.NDArray[np.int64]
    k: npt.NDArray[np.int32]
    journal: Journal = field(default_factory=NoJournal)
    lower: npt.NDArray[np.int32] = field(init=False)
    upper: npt.NDArray[np.int32] = field(init=False)
    decided_by: npt.NDArray[np.uint8] = field(init=False)
    notes: list[str] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        network = self.core.network
        self.lower = np.ones(network.n_wires, np.int32)
        self.upper = np.full(network.n_wires, network.n_rows, np.int32)
        self.decided_by = np.full(len(self.wire), Argument.NONE, np.uint8)
        self.settle(Argument.IDENTITY)

    def settle(self, argument: Argument) -> None:
        """Name what decided the questions that are settled by now.

        Raises
        ------
        MixsafeError
            More candidates are proven than possible: two proofs contradict each other.
        """
        if np.any(self.lower > self.upper):
            raise MixsafeError(
                f"internal contradiction after {argument.word}: please report this problem"
            )
        left = np.flatnonzero(self.decided_by == Argument.NONE)
        wires, k = self.wire[left], self.k[left]
        self.decided_by[left[(self.lower[wires] >= k) | (self.upper[wires] < k)]] = argument

    def prove(
        self, wires: npt.NDArray[np.int64], lower: npt.NDArray[np.int32], argument: Argument
    ) -> None:
        """So many candidates are proven on ``wires``, none of which comes twice."""
        self.lower[wires] = np.maximum(self.lower[wires], lower)
        self.settle(argument)

    def bound(
        self, wires: npt.NDArray[np.int64], upper: npt.NDArray[np.int32], argument: Argument
    ) -> None:
        """No more than so many candidates are possible on ``wires``, none of which comes twice."""
        self.upper[wires] = np.minimum(self.upper[wires], upper)
        self.settle(argument)

    @property
    def n_open(self) -> int:
        """Number of questions without an answer."""
        return int(np.count_nonzero(self.decided_by == Argument.NONE))

    def open_wires(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Wires with an open question, ascending, and the number of candidates that settles all."""
        left = np.flatnonzero(self.decided_by == Argument.NONE)
        wires, number = np.unique(self.wire[left], return_inverse=True)
        enough = np.zeros(len(wires), np.int32)
        np.maximum.at(enough, number, self.k[left])
        return wires, enough
