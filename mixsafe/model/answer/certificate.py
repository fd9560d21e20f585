"""Certificates: verdicts with proofs that can be checked without trusting the engine.

Everything is stored in columns, because a city has millions of claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.answer.minimum_proof import ChosenZones
from mixsafe.model.answer.proof import ClauseProofs, HallSets
from mixsafe.model.answer.ragged import Ints, Ragged, Whole, check_lengths
from mixsafe.model.answer.verdict import DECISIONS, Argument, Verdict
from mixsafe.model.question.adversary import Seen
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Rule

PIECE = 1 << 21
"""Approximate number of rows exchanged by the witnesses of a piece."""


@dataclass(frozen=True, eq=False)
class Claims:
    """Verdicts, each on one user during steps without an exchange of hers.

    Parameters
    ----------
    row, start, end
        (n,) int32 each: the user, and the first and last step of a verdict. In an audit the user
        is a known one, a token.
    k
        (n,) int32: number of candidates required.
    verdict
        (n,) int8: SAFE, UNSAFE or UNDECIDED.
    decided_by
        (n,) uint8: numbers of the deciding arguments.
    witnesses
        For safe claims: numbers of k witnesses, each with a different token on the row; in an
        audit, each with the token on a different row.
    candidates
        For unsafe claims: the fewer than k possible tokens (in an audit, rows), ascending.
    proof
        (n,) int32: for unsafe claims the number of the clause proof; -1: reachability and Hall sets
        suffice.

    Raises
    ------
    InputError
        The columns differ in length, or a verdict or an argument is unknown.
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
        check_lengths("claims", *vars(self).values())
        if np.any((self.verdict < 0) | (self.verdict >= len(DECISIONS))):
            raise InputError("a claim has an unknown verdict")
        if np.any(self.decided_by >= len(Argument)):
            raise InputError("a claim has an unknown argument")

    def __len__(self) -> int:
        return len(self.row)

    @property
    def counts(self) -> dict[Verdict, int]:
        """Number of claims by verdict."""
        counts = np.bincount(self.verdict, minlength=len(DECISIONS)).tolist()
        return dict(zip(DECISIONS, counts, strict=True))


@dataclass(frozen=True, eq=False)
class Witnesses:
    """Possible assignments, each given by its exchanges; all other tokens stay on their rows.

    Parameters
    ----------
    ptr
        (n + 1,) int64: witness w has the exchanges ``ptr[w]`` to ``ptr[w + 1] - 1``, by time.
    time
        (n_exchanges,) int32: step of each.
    rows, tokens
        For each exchange the rows of one mix zone, and the tokens on them after it, in this order.

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
        Ragged(self.ptr, self.time)  # validates the columns
        same = len(self.rows.ptr) == len(self.tokens.ptr) == len(self.time) + 1
        if not same or np.any(self.rows.ptr != self.tokens.ptr):
            raise InputError("exchanges do not have one time each and one token per row")

    @classmethod
    def home(cls, n: int) -> Witnesses:
        """``n`` witnesses without exchanges: each token stays on its row."""
        nothing = Ragged.empty(0)
        return cls(np.zeros(n + 1, np.int64), np.zeros(0, np.int32), nothing, nothing)

    @classmethod
    def joined(cls, several: Sequence[Witnesses]) -> Witnesses:
        """Concatenate witnesses."""
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

    def pieces(self, at_once: int = PIECE) -> Iterator[Witnesses]:
        """Yield pieces of whole witnesses that move up to ``at_once`` tokens, or of one witness."""
        moved = self.rows.ptr[self.ptr]
        begin = 0
        while begin < len(self):
            end = int(np.searchsorted(moved, moved[begin] + at_once, side="right")) - 1
            end = max(end, begin + 1)
            yield self.stretch(begin, end)
            begin = end


class WitnessPieces(Protocol):
    """Protocol of witnesses that may be larger than memory."""

    def __len__(self) -> int:
        """Number of witnesses."""

    def pieces(self) -> Iterator[Witnesses]:
        """Yield all witnesses in pieces; each call starts with the first."""


@dataclass(frozen=True, eq=False)
class Audited:
    """The part of a certificate about an audit.

    Rows are published tracks. The *base* is an assignment that agrees with the sightings; in it
    each token has a path over the tracks. All other witnesses are relative to it: the rows of
    their exchanges are paths, numbered by token, and a witness without exchanges equals the base.

    Parameters
    ----------
    seen
        Knowledge of the auditor; the problem itself has none.
    base
        One witness, whose rows are tracks. Any token may begin on any track: the initial placement
        is an exchange of all tokens at step 0, each starting on the track of its number.
    """

    seen: Seen
    base: Witnesses


@dataclass(frozen=True, eq=False)
class Certificate:
    """A problem, claims about it, and their proofs.

    Parameters
    ----------
    problem
        The problem; its requirements are the question, unless ``k`` is given.
    rule
        When a user passes.
    k
        Required of every user at every time; None: the problem's requirements are the question.
    claims
        One per requirement, in their order; or, with ``k``, covering steps 0 to t* of each user in
        turn.
    witnesses
        Witnesses shared by the claims.
    Hall sets, clause_proofs
        Proofs of unsafe claims.
    audited
        Knowledge of an auditor, and an assignment; None: it is a publisher's question.
    chosen
        Zones selected from the problem; claims assume exchanges in these only. None: all zones.
    adversary, engine, version
        Name of the problem's adversary, engine, and version of mixsafe; informative only, and not
        used by the checker.
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
    adversary: str = "-"
    engine: str = "-"
    version: str = "-"

    def __repr__(self) -> str:
        return f"<Certificate of {self.problem.name}: {len(self.claims):,} claims>"
