"""Questions about wires, and what is proven so far: which tokens can, and cannot, be on each wire.

Engines change nothing else. They add tokens to the proven candidates of a wire (each has a
witness), and remove tokens from its possible ones (each has a proof): a *finding* is one or the
other. A question whether a wire has k candidates is settled when k are proven, or fewer than k are
possible. What each argument took is measured from one settling to the next.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import MixsafeError
from mixsafe.machinery.spill import blocks
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Entry
from mixsafe.network.core import Core
from mixsafe.solver.state import tokens
from mixsafe.solver.state.ledger import Ledger, shown_in, shown_of
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Assignment, fault

_REFUTED = -1

_AT_ONCE = 1 << 16  # wires


class Finding(NamedTuple):
    """A witness (tokens on the wires that they moved to), or a wire without further candidates.

    Parameters
    ----------
    wires
        (n,) wires where the witness differs from the identity; or one wire, the refuted one.
    tokens
        (n,) tokens there; None: the wire has no candidates beyond the proven ones.
    varies
        Whether ``wires`` and ``tokens`` are differences from the previous witness in the list.
    """

    wires: npt.NDArray[np.int64]
    tokens: npt.NDArray[np.int32] | None
    varies: bool = False

    @classmethod
    def witness(
        cls, assignment: Assignment, row: Assignment, before: Assignment | None = None
    ) -> Finding:
        """A whole assignment; ``row``: the identity; ``before``: the witness that it varies."""
        moved = np.flatnonzero(assignment != (row if before is None else before))
        return cls(moved, assignment[moved], before is not None)

    def assignment(self, row: Assignment, before: Assignment | None = None) -> Assignment:
        """(n_wires,) the whole witness, where the identity is ``row``.

        Parameters
        ----------
        row
            (n_wires,) int32.
        before
            The previous witness in the list, if this one varies it.

        Raises
        ------
        ValueError
            It is a refutation, or ``before`` is missing.
        """
        if self.tokens is None:
            raise ValueError("a refutation has no assignment")
        varied = before if self.varies else row
        if varied is None:
            raise ValueError("the witness that it varies is missing")
        whole = varied.copy()
        whole[self.wires] = self.tokens
        return whole

    @classmethod
    def refutation(cls, wire: int) -> Finding:
        """A refutation: ``wire`` has no further candidates."""
        return cls(np.array([wire], np.int64), None)


def assignments(witnesses: Iterable[Finding], row: Assignment) -> Iterator[Assignment]:
    """(n_wires,) each: whole witnesses, one after the other, where the identity is ``row``."""
    before = None
    for witness in witnesses:
        before = witness.assignment(row, before)
        yield before


def packed(findings: Sequence[Finding]) -> Entry:
    """Findings as an entry of a journal: all wires, all tokens, and where each finding begins."""
    wires = [finding.wires for finding in findings]
    tokens_of = [
        np.array([_REFUTED], np.int32) if finding.tokens is None else finding.tokens
        for finding in findings
    ]
    return {
        "ptr": np.cumsum([0, *map(len, wires)], dtype=np.int64),
        "wires": np.concatenate([np.zeros(0, np.int64), *wires]),
        "tokens": np.concatenate([np.zeros(0, np.int32), *tokens_of]),
        "varies": np.array([finding.varies for finding in findings], np.bool_),
    }


def unpacked(entry: Entry) -> list[Finding]:
    """The findings that an entry holds."""
    ptr = entry["ptr"].astype(np.int64)
    wires, tokens_of = entry["wires"].astype(np.int64), entry["tokens"].astype(np.int32)
    findings = []
    varies = entry["varies"].astype(bool).tolist()
    for begin, end, varied in zip(ptr[:-1].tolist(), ptr[1:].tolist(), varies, strict=True):
        refuted = begin < end and tokens_of[begin] == _REFUTED
        findings.append(
            Finding(wires[begin:end], None if refuted else tokens_of[begin:end], varied)
        )
    return findings


class Spent:
    """Processor seconds by argument, of this process and of its workers that have ended.

    Workers on other machines are not counted.

    Attributes
    ----------
    seconds
        (len(Argument),) float64.
    """

    def __init__(self) -> None:
        self.seconds: npt.NDArray[np.float64] = np.zeros(len(Argument))
        self._last = _processor_seconds()

    def charge(self, argument: Argument) -> None:
        """Charge the time since the last charge to ``argument``."""
        now = _processor_seconds()
        self.seconds[argument] += now - self._last
        self._last = now


def _processor_seconds() -> float:
    return sum(os.times()[:4])


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
