"""Certificates: verdicts with what it takes to check them without trusting who gave them.

All is in columns: a city has millions of claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.answer.breaking_proof import BreakingProof
from mixsafe.model.answer.minimum_proof import ChosenZones
from mixsafe.model.answer.proof import ClauseProofs, HallSets
from mixsafe.model.answer.ragged import Ints, Ragged, Whole
from mixsafe.model.answer.verdict import DECISIONS, Argument, Verdict
from mixsafe.model.question.adversary import Seen
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Rule

PIECE = 1 << 21
"""Rows that witnesses move, in one piece of them, about."""


@dataclass(frozen=True, eq=False)
class Claims:
    """Verdicts, each on one user during some steps in which she is in no exchange.

    Parameters
    ----------
    row, start, end
        (n,) int32 each: the user, and the first and last step that a verdict is about. In an audit
        the user is a known one, a token.
    k
        (n,) int32: candidates that were asked for.
    verdict
        (n,) int8: whether she has them, SAFE, UNSAFE or UNDECIDED.
    decided_by
        (n,) uint8: numbers of the arguments that decided.
    witnesses
        Of safe claims: k numbers of witnesses, each with another token on the row; in an audit,
        each with the token on another row.
    candidates
        Of unsafe claims: the fewer than k tokens (in an audit, rows) that are possible, ascending.
    proof
        (n,) int32: of unsafe claims the number of the proof by clauses; -1: reachability and
        Hall sets are all that there is.

    Raises
    ------
    InputError
        Columns of different lengths, or a verdict or an argument that does not exist.
    """

    row: Whole
    start: Whole
    end: Whole
    k: Whole
    verdict: npt.NDArray[np.int8]
    decided_by: npt.NDArray[np.uint8]
    witnesses: Ragged
    candidates: Ragged
    proof: Whole

    def __post_init__(self) -> None:
        if len({len(column) for column in vars(self).values()}) != 1:
            raise InputError("claims need the same columns each")
        if np.any((self.verdict < 0) | (self.verdict >= len(DECISIONS))):
            raise InputError("a claim has a verdict that does not exist")
        if np.any(self.decided_by >= len(Argument)):
            raise InputError("a claim was decided by an argument that does not exist")

    def __len__(self) -> int:
        return len(self.row)

    @property
    def counts(self) -> dict[Verdict, int]:
        """Number of claims by verdict."""
        counts = np.bincount(self.verdict, minlength=len(DECISIONS)).tolist()
        return dict(zip(DECISIONS, counts, strict=True))


@dataclass(frozen=True, eq=False)
class Witnesses:
    """Possible assignments, each told by its exchanges: all else stays as it is.

    Parameters
    ----------
    ptr
        (n + 1,) int64: witness w has the exchanges ``ptr[w]`` to ``ptr[w + 1] - 1``, in order of
        time.
    time
        (n_exchanges,) int32: step of each.
    rows, tokens
        For each exchange rows of one mix zone, and the tokens that they hold after it, in this
        order.

    Raises
    ------
    InputError
        The columns do not fit each other.
    """

    ptr: Ints
    time: Whole
    rows: Ragged
    tokens: Ragged

    def __post_init__(self) -> None:
        Ragged(self.ptr, self.time)  # says whether they fit
        same = len(self.rows.ptr) == len(self.tokens.ptr) == len(self.time) + 1
        if not same or np.any(self.rows.ptr != self.tokens.ptr):
            raise InputError("exchanges need a time, and a token for each of their rows")

    @classmethod
    def home(cls, n: int) -> Witnesses:
        """``n`` witnesses without exchanges: everybody keeps the own token."""
        nothing = Ragged.empty(0)
        return cls(np.zeros(n + 1, np.int64), np.zeros(0, np.int32), nothing, nothing)

    @classmethod
    def joined(cls, several: Sequence[Witnesses]) -> Witnesses:
        """The witnesses of several, one after the other."""
        exchanges = Ragged.joined([Ragged(one.ptr, one.time) for one in several])
        rows, tokens = (
            Ragged.joined([getattr(one, name) for one in several]) for name in ("rows", "tokens")
        )
        return cls(exchanges.ptr, exchanges.values, rows, tokens)

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def stretch(self, begin: int, end: int) -> Witnesses:
        """Witnesses ``begin`` to ``end - 1``."""
        ptr = self.ptr[begin : end + 1]
        first, last = int(ptr[0]), int(ptr[-1])
        rows, tokens = self.rows.stretch(first, last), self.tokens.stretch(first, last)
        return Witnesses(ptr - first, self.time[first:last], rows, tokens)

    def pieces(self) -> Iterator[Witnesses]:
        """All of them, one piece after the other: whole witnesses, at least one."""
        moved = self.rows.ptr[self.ptr]
        begin = 0
        while begin < len(self):
            end = int(np.searchsorted(moved, moved[begin] + PIECE, side="right")) - 1
            end = max(end, begin + 1)
            yield self.stretch(begin, end)
            begin = end


class WitnessPieces(Protocol):
    """Witnesses that need not be in memory all at once."""

    def __len__(self) -> int:
        """Number of witnesses."""

    def pieces(self) -> Iterator[Witnesses]:
        """All of them, one piece after the other, from the first on each time."""


@dataclass(frozen=True, eq=False)
class Audited:
    """What makes a certificate one of an audit.

    Rows are published tracks. In the *base*, an assignment that agrees with sightings, each token
    has a way over the tracks. All other witnesses are told along these ways: rows of their
    exchanges are ways, by their tokens, and a witness without exchanges is the base.

    Parameters
    ----------
    seen
        What the auditor knows; the problem itself has no knowledge.
    base
        One witness, whose rows are tracks. At step 0 anybody may be anywhere: that is an exchange
        of everybody, who begins on the track of her own number.
    """

    seen: Seen
    base: Witnesses


@dataclass(frozen=True, eq=False)
class Certificate:
    """A problem, claims about it, and what they rest on.

    Parameters
    ----------
    problem
        The whole question; its requirements are what was asked, unless ``k`` is given.
    rule
        When a user passes.
    k
        Asked of every user at every time; None: the problem's requirements were asked.
    claims
        One per requirement, in their order; or, with ``k``, steps 0 to t* of every user in turn;
        of breaking numbers what survives, each at a single step.
    witnesses
        The pool that claims share.
    Hall sets, clause_proofs
        Proofs of unsafe claims.
    audited
        What an auditor knows, and an assignment; None: it is a publisher's question.
    chosen
        Zones that were chosen among those of the problem; claims are about exchanges in these
        alone. None: in all zones.
    breaking
        How many further sightings break what was asked. None: nobody wanted to know.
    adversary, engine, version
        What the adversary of the problem is called, who decided, and the version of mixsafe; told
        to people, and nothing rests on it.
    """

    problem: Problem
    rule: Rule
    k: int | None
    claims: Claims
    witnesses: WitnessPieces
    hall_sets: HallSets = field(default_factory=HallSets.none)
    clause_proofs: ClauseProofs = field(default_factory=ClauseProofs.none)
    audited: Audited | None = None
    chosen: ChosenZones | None = None
    breaking: BreakingProof | None = None
    adversary: str = "-"
    engine: str = "-"
    version: str = "-"

    def __repr__(self) -> str:
        return f"<Certificate of {self.problem.name}: {len(self.claims):,} claims>"
