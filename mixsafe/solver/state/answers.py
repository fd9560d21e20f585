"""Questions, and proven bounds on their answers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mixsafe.errors import MixsafeError
from mixsafe.journal.steps import Entry, Journal, NoJournal
from mixsafe.model.answer.verdict import Argument
from mixsafe.network.core import Core
from mixsafe.solver.state import tokens
from mixsafe.solver.state.findings import Finding
from mixsafe.solver.state.ledger import Ledger, shown_in, shown_of
from mixsafe.solver.state.spent import Spent
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import fault
from mixsafe.spill.blocks import blocks

_AT_ONCE = 1 << 16  # wires


@dataclass(eq=False)
class Answers:
    """Bounds on the candidates of every wire, and the questions that they settle.

    Engines add to ``notes`` why they left questions open, one sentence per reason, and to
    ``witnesses`` those that are expensive to find.

    Parameters
    ----------
    core
        The tokens and wires.
    wire, k
        (n_questions,): whether this wire has k candidates or more.
    exhaustive
        Ask for all candidates of each wire instead.
    journal
        Keeps the results of long steps.
    ledger
        Records witnesses of candidates; None: they are not wanted.

    Attributes
    ----------
    possible, proven
        (n_wires, words): sets of tokens (``tokens``), at first all tokens, and each wire's own.
        Engines remove from the one, add to the other, then call :meth:`settle`.
    lower, upper
        (n_wires,): sizes of the proven and the possible sets.
    decided_by
        (n_questions,): argument that settled each question; NONE: it is open.
    """

    core: Core
    wire: npt.NDArray[np.int64]
    k: npt.NDArray[np.int32]
    exhaustive: bool = False
    journal: Journal = field(default_factory=NoJournal)
    ledger: Ledger | None = None
    possible: TokenSets = field(init=False)
    proven: TokenSets = field(init=False)
    lower: npt.NDArray[np.int32] = field(init=False)
    upper: npt.NDArray[np.int32] = field(init=False)
    decided_by: npt.NDArray[np.uint8] = field(init=False)
    spent: Spent = field(init=False, default_factory=Spent)
    notes: list[str] = field(init=False, default_factory=list)
    witnesses: list[Finding] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        network = self.core.network
        self.possible = tokens.everything(network.n_wires, network.n_rows)
        self.proven = tokens.identity(network.row, self.core.words)
        self.lower = np.ones(network.n_wires, np.int32)
        self.upper = np.full(network.n_wires, network.n_rows, np.int32)
        self.decided_by = np.full(len(self.wire), Argument.NONE, np.uint8)
        self._decide(Argument.IDENTITY)

    def state(self) -> Entry:
        """The bounds and what decided them, as arrays to keep."""
        return {
            "possible": self.possible,
            "proven": self.proven,
            "decided_by": self.decided_by,
            **({} if self.ledger is None else shown_of(self.ledger.through_others)),
        }

    def restore(self, state: Entry) -> None:
        """Restore a kept ``state``."""
        self.possible = state["possible"].astype(np.uint64, copy=False)
        self.proven = state["proven"].astype(np.uint64, copy=False)
        self.decided_by = state["decided_by"].astype(np.uint8, copy=False)
        self.lower = tokens.count(self.proven)
        self.upper = tokens.count(self.possible)
        if self.ledger is not None:
            self.ledger.through_others = shown_in(state)

    def ask(self, wire: npt.NDArray[np.int64], k: npt.NDArray[np.int32]) -> None:
        """Ask other questions, as in the constructor; all that is known stays."""
        self.wire, self.k = wire, k
        self.decided_by = np.full(len(wire), Argument.NONE, np.uint8)

    def _settled(self) -> npt.NDArray[np.bool_]:
        lower, upper = self.lower[self.wire], self.upper[self.wire]
        if self.exhaustive:
            return lower == upper
        return (lower >= self.k) | (upper < self.k)

    def settle(self, argument: Argument, wires: npt.NDArray[np.int64] | None = None) -> None:
        """Count candidates of ``wires`` (or of all) again, and record what decided questions.

        Raises
        ------
        MixsafeError
            A proven candidate is not a possible one: two proofs contradict each other.
        """
        # In blocks, because allocating memory would cost more than the work.
        for part in blocks(len(self.lower), _AT_ONCE) if wires is None else [wires]:
            proven, possible = self.proven[part], self.possible[part]
            if np.any(proven & ~possible):
                raise MixsafeError(
                    f"internal contradiction after {argument.word}: please report this problem"
                )
            self.lower[part], self.upper[part] = tokens.count(proven), tokens.count(possible)
        self._decide(argument)

    def _decide(self, argument: Argument) -> None:
        """Record ``argument`` for the questions that the bounds newly settle."""
        fresh = self._settled() & (self.decided_by == Argument.NONE)
        self.decided_by[fresh] = argument
        self.spent.charge(argument)

    @property
    def n_open(self) -> int:
        """Number of questions without an answer."""
        return int(np.count_nonzero(self.decided_by == Argument.NONE))

    def open_wires(self) -> npt.NDArray[np.int64]:
        """Wires with an open question, ascending."""
        return np.unique(self.wire[self.decided_by == Argument.NONE])

    def enough(self, wires: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        """Number of candidates that settles an open question of each of ``wires``.

        ``wires`` are ascending.
        """
        if self.exhaustive:
            return self.upper[wires]
        unsettled = np.flatnonzero(self.decided_by == Argument.NONE)
        unsettled = unsettled[np.isin(self.wire[unsettled], wires)]
        needed = np.full(len(wires), np.iinfo(np.int32).max, np.int32)
        np.minimum.at(needed, np.searchsorted(wires, self.wire[unsettled]), self.k[unsettled])
        return needed

    def is_open(self, wire: int) -> bool:
        """Whether a question about ``wire`` has no answer yet."""
        asked = self.wire == wire
        return bool(np.any(self.decided_by[asked] == Argument.NONE))

    def add_witness(self, assignment: npt.NDArray[np.int32], argument: Argument) -> None:
        """Add a whole assignment, which gives a candidate for every wire (fact 10).

        Parameters
        ----------
        assignment
            (n_wires,) token on each wire; it is checked here.
        argument
            The argument that found it.

        Raises
        ------
        MixsafeError
            The assignment violates a rule of the problem: a bug.
        """
        wrong = fault(self.core, assignment)
        if wrong is not None:
            raise MixsafeError(f"internal error, a witness of {argument.word} is wrong: {wrong}")
        moved = np.flatnonzero(assignment != self.core.network.row)
        if self.ledger is not None:
            new = moved[~tokens.are_in(self.proven, moved, assignment[moved])]
            if len(asked := np.intersect1d(new, self.wire)):
                self.ledger.add_parts(assignment, asked)
        tokens.put(self.proven, moved, assignment[moved])
        self.settle(argument, moved)

    def take_in(self, finding: Finding, argument: Argument) -> None:
        """Add a finding to the answers, after checking witnesses.

        Raises
        ------
        MixsafeError
            A witness violates a rule of the problem.
        """
        if finding.tokens is None:
            self.refute_rest(int(finding.wires[0]), argument)
        else:
            self.add_witness(finding.assignment(self.core.network.row), argument)
            self.witnesses.append(finding)

    def refute_rest(self, wire: int, argument: Argument) -> None:
        """Restrict ``wire`` to its proven candidates."""
        self.possible[wire] = self.proven[wire]
        self.settle(argument, np.array([wire]))

    def rule_out(self, wire: int, token: int, argument: Argument) -> None:
        """Exclude a token from a wire."""
        tokens.exclude(self.possible, np.array([wire]), token)
        self.settle(argument, np.array([wire]))
