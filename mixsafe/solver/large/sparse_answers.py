"""Questions and answers of a large problem: numbers of candidates instead of sets."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mixsafe.errors import MixsafeError
from mixsafe.machinery.spill import blocks
from mixsafe.model.answer.verdict import Argument
from mixsafe.network.core import Core
from mixsafe.solver.construct.open_wires import OpenLists
from mixsafe.solver.state.answers import Spent

Ints = npt.NDArray[np.int64]


@dataclass(eq=False)
class SparseAnswers:
    """Bounds on the number of candidates of every wire, and the questions that they settle.

    As :class:`mixsafe.solver.state.answers.Answers`, with nine bytes a wire in place of its sets.

    Parameters
    ----------
    core
        The tokens and wires.
    wire
        (n_questions,): wires that are asked about; None: each once, in order.
    k
        (n_questions,): does this wire have k candidates or more?

    Attributes
    ----------
    listed
        Wires that were open after swaps, with tokens that are proven there.
    near
        Members to either side with whom rows were paired in swaps, at most.
    """

    core: Core
    wire: Ints | None
    k: npt.NDArray[np.int32]
    lower: npt.NDArray[np.int32] = field(init=False)
    upper: npt.NDArray[np.int32] = field(init=False)
    decided_by: npt.NDArray[np.uint8] = field(init=False)
    spent: Spent = field(init=False, default_factory=Spent)
    notes: list[str] = field(init=False, default_factory=list)
    listed: OpenLists = field(init=False)
    near: int = field(init=False, default=1)
    _open: Ints | None = field(init=False, default=None)  # questions; None: all

    def __post_init__(self) -> None:
        network = self.core.network
        self.lower = np.ones(network.n_wires, np.int32)
        self.upper = np.full(network.n_wires, network.n_rows, np.int32)
        self.decided_by = np.full(len(self.k), Argument.NONE, np.uint8)
        self.listed = OpenLists.of(np.zeros(0, np.int64), np.zeros(0, np.int32))
        self.settle(Argument.IDENTITY)

    def settle(self, argument: Argument) -> None:
        """Record what decided the newly settled questions.

        Raises
        ------
        MixsafeError
            More candidates are proven than possible: two proofs contradict each other.
        """
        for part in blocks(len(self.lower)):
            _check(self.lower[part], self.upper[part], argument)
        self._settle_open(argument)

    def prove(self, wires: Ints, lower: npt.NDArray[np.int32], argument: Argument) -> None:
        """Raise the lower bounds of ``wires``, which are distinct."""
        self.lower[wires] = np.maximum(self.lower[wires], lower)
        _check(self.lower[wires], self.upper[wires], argument)
        self._settle_open(argument)

    def bound(self, wires: Ints, upper: npt.NDArray[np.int32], argument: Argument) -> None:
        """Reduce the upper bounds of ``wires``, which are distinct."""
        self.upper[wires] = np.minimum(self.upper[wires], upper)
        _check(self.lower[wires], self.upper[wires], argument)
        self._settle_open(argument)

    def _settle_open(self, argument: Argument) -> None:
        """Check the open questions in blocks, because a city has very many."""
        left = []
        for part in blocks(self.n_open):
            some = np.arange(part.start, part.stop) if self._open is None else self._open[part]
            wires, k = self._wires(some), self.k[some]
            settled = (self.lower[wires] >= k) | (self.upper[wires] < k)
            self.decided_by[some[settled]] = argument
            left.append(some[~settled])
        if sum(map(len, left)) < self.n_open:
            self._open = np.concatenate(left)
        self.spent.charge(argument)

    def _wires(self, questions: Ints) -> Ints:
        """Wires of some questions."""
        return questions if self.wire is None else self.wire[questions]

    @property
    def n_open(self) -> int:
        """Number of questions without an answer."""
        return len(self.k) if self._open is None else len(self._open)

    def open_wires(self) -> tuple[Ints, npt.NDArray[np.int32]]:
        """Wires with open questions, ascending, and the number of candidates that settles all."""
        left = np.arange(len(self.k)) if self._open is None else self._open
        wires, number = np.unique(self._wires(left), return_inverse=True)
        enough = np.zeros(len(wires), np.int32)
        np.maximum.at(enough, number, self.k[left])
        return wires, enough


def _check(lower: npt.NDArray[np.int32], upper: npt.NDArray[np.int32], argument: Argument) -> None:
    """Raise if bounds contradict each other.

    Raises
    ------
    MixsafeError
        More candidates are proven than possible.
    """
    if np.any(lower > upper):
        raise MixsafeError(
            f"internal contradiction after {argument.word}: please report this problem"
        )
