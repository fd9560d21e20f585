"""Questions about wires, and what is proven so far: which tokens can, and cannot, be on each wire.

Engines change nothing else. They add tokens to the proven candidates of a wire (each has a
witness), and remove tokens from its possible ones (each has a proof). A question whether a wire has
k candidates is settled when k are proven, or fewer than k are possible.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mixsafe.errors import MixsafeError
from mixsafe.machinery.spill import blocks
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Entry
from mixsafe.network.core import Core
from mixsafe.solver.state import tokens
from mixsafe.solver.state.findings import Finding
from mixsafe.solver.state.ledger import Ledger, shown_in, shown_of
from mixsafe.solver.state.spent import Spent
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import fault

_AT_ONCE = 1 << 16  # wires


@dataclass(eq=False)
class Answers:
    """Bounds on the candidates of every wire, and the questions that they settle.

    Parameters
    ----------
    core
        The tokens and wires.
    wire, k
        (n_questions,): does this wire have k candidates or more?
    exhaustive
        Ask for all candidates of each wire instead: a question is settled when the possible tokens
        are the proven ones.
    ledger
        Records witnesses of candidates, for certificates; None: they are not wanted.

    Attributes
    ----------
    possible
        (n_wires, words): sets of tokens (``tokens``), at first all. Engines remove tokens, then
        call :meth:`settle`.
    proven
        (n_wires, words): at first the token of the wire's own row, by the identity (fact 1).
        Engines add tokens, then call :meth:`settle`.
    lower, upper
        (n_wires,): sizes of the proven and the possible sets, as of the last :meth:`settle`.
    decided_by
        (n_questions,): argument that settled each question; NONE: it is open.
    spent
        What each argument cost.
    notes
        Why engines left questions open, one sentence per reason.
    witnesses
        Those that CP-SAT and annealing found, which are expensive to find again.
    """

    core: Core
    wire: npt.NDArray[np.int64]
    k: npt.NDArray[np.int32]
    exhaustive: bool = False
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
        self._record(Argument.IDENTITY)

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
        self._record(argument)

    def _record(self, argument: Argument) -> None:
        """Record ``argument`` for the questions that the bounds newly settle."""
        fresh = self._are_settled() & (self.decided_by == Argument.NONE)
        self.decided_by[fresh] = argument
        self.spent.charge(argument)

    def _are_settled(self) -> npt.NDArray[np.bool_]:
        """(n_questions,) whether the bounds settle each question."""
        lower, upper = self.lower[self.wire], self.upper[self.wire]
        if self.exhaustive:
            return lower == upper
        return (lower >= self.k) | (upper < self.k)

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
        """Add a solution: the token that it has on a wire is a candidate there (fact 10).

        The ledger, if there is one, records the part of it that shows new candidates of wires that
        are asked about.

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
        """Add a witness, which is checked, or the proof that a wire has no further candidates.

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
