"""Certificates: verdicts with proofs that can be checked without trusting the engine.

Proofs are Hall sets and clause proofs, which show that tokens cannot be on rows, and lower bounds,
which show that a set of zones is a minimum. Everything is stored in columns, because a city has
millions of claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.answer.verdict import DECISIONS, Argument, Verdict
from mixsafe.model.csr import Ints, Ragged, Whole, add_up, check_lengths, column, lists
from mixsafe.model.question.adversary import Seen
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.places import ZonePlaces
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Rule


class HallSet(NamedTuple):
    """After step ``time`` these n tokens can only be on these n rows.

    Parameters
    ----------
    time
        The step.
    rows, tokens
        (n,) each.
    """

    time: int
    rows: Ints
    tokens: Ints


class ClauseProof(NamedTuple):
    """A refutation by clauses: only some tokens can be on a row after a step.

    Parameters
    ----------
    row, step
        The row and the step.
    off
        (n,) int64: the possible tokens; the assumption that all of them are elsewhere is refuted.
    tracked
        (n,) int64: tokens distinguished in the encoding, ascending, including those of ``off``.
    begin, end
        First and last step of the encoding.
    needed
        (3 n,) int32: ids of the contradictory clauses, three numbers each
        (:mod:`mixsafe.check.claim_clauses`).
    lemmas
        (n,) int32: derived clauses in order, the last one empty. Each consists of its literals, 0,
        the positions of the clauses from which it follows by unit propagation, 0; positions count
        the clauses from 1 and then the lemmas.
    """

    row: int
    step: int
    off: Ints
    tracked: Ints
    begin: int
    end: int
    needed: Whole
    lemmas: Whole


@dataclass(frozen=True, eq=False)
class HallSets:
    """After step ``time[i]`` the tokens ``tokens[i]`` are on the rows ``rows[i]`` only.

    There are as many tokens as rows, so no other token is on those rows. Each Hall set follows from
    reachability and the Hall sets before it.

    Parameters
    ----------
    time
        (n,) int32.
    rows, tokens
        n lists each, ascending.
    """

    time: Whole
    rows: Ragged
    tokens: Ragged

    def __post_init__(self) -> None:
        check_lengths("Hall sets", self.time, self.rows, self.tokens)

    @classmethod
    def none(cls) -> HallSets:
        """No Hall sets."""
        return cls.of([])

    @classmethod
    def of(cls, hall_sets: Sequence[HallSet]) -> HallSets:
        """Convert Hall sets to columns."""
        return cls(column(hall_sets, "time"), lists(hall_sets, "rows"), lists(hall_sets, "tokens"))

    def __len__(self) -> int:
        return len(self.time)

    def __iter__(self) -> Iterator[HallSet]:
        for i, time in enumerate(self.time.tolist()):
            yield HallSet(time, *(one[i].astype(np.int64) for one in (self.rows, self.tokens)))


@dataclass(frozen=True, eq=False)
class ClauseProofs:
    """Refutations in columns: see :class:`ClauseProof`.

    Parameters
    ----------
    row, step, begin, end
        (n,) int32 each.
    tracked, off, needed, lemmas
        n lists each.
    """

    row: Whole
    step: Whole
    begin: Whole
    end: Whole
    tracked: Ragged
    off: Ragged
    needed: Ragged
    lemmas: Ragged

    def __post_init__(self) -> None:
        check_lengths("clause proofs", *vars(self).values())

    @classmethod
    def none(cls) -> ClauseProofs:
        """No proofs."""
        return cls.of([])

    @classmethod
    def of(cls, proofs: Sequence[ClauseProof]) -> ClauseProofs:
        """Convert proofs to columns."""
        row, step, begin, end = (column(proofs, name) for name in ("row", "step", "begin", "end"))
        tracked, off, needed, lemmas = (
            lists(proofs, name) for name in ("tracked", "off", "needed", "lemmas")
        )
        return cls(row, step, begin, end, tracked, off, needed, lemmas)

    def __len__(self) -> int:
        return len(self.row)

    def __getitem__(self, i: int) -> ClauseProof:
        """Proof i."""
        row, step, begin, end = (int(one[i]) for one in (self.row, self.step, self.begin, self.end))
        off, tracked = (one[i].astype(np.int64) for one in (self.off, self.tracked))
        return ClauseProof(row, step, off, tracked, begin, end, self.needed[i], self.lemmas[i])

    def __iter__(self) -> Iterator[ClauseProof]:
        return (self[i] for i in range(len(self)))


Weight = Literal["count", "members"]
"""Cost of a zone: 1, or its number of members."""

WEIGHTS = ("count", "members")

PLACES = "places"
"""What stands for a weight where places are chosen, which have costs of their own."""

Costs = np.ndarray[tuple[int], np.dtype[np.int64]]


def cost_of(zones: MixZones, weight: Weight) -> Costs:
    """(n_zones,) cost of an exchange in each zone."""
    return zones.sizes.astype(np.int64) if weight == "members" else np.ones(len(zones), np.int64)


class ZoneCore(NamedTuple):
    """Zones of which every sufficient set needs at least one: without them a requirement fails.

    Parameters
    ----------
    requirement
        Number of the requirement.
    off
        Numbers of the zones; empty: not even all zones meet the requirement.
    left
        Tokens possible without the zones, fewer than required.
    Hall sets, refutation
        Proofs, in the problem without the zones.
    """

    requirement: int
    off: Whole
    left: Whole
    hall_sets: tuple[HallSet, ...] = ()
    refutation: ClauseProof | None = None


@dataclass(frozen=True, eq=False)
class ZoneCores:
    """Cores in columns.

    Parameters
    ----------
    requirement
        (n,) int32.
    off, left
        n lists, ascending.
    n_hall_sets, n_refutations
        (n,) int32: how many of ``hall_sets`` and of ``refutations`` belong to each, in order.
    Hall sets, refutations
        Those of all cores.

    Raises
    ------
    InputError
        The columns have inconsistent lengths.
    """

    requirement: Whole
    off: Ragged
    left: Ragged
    n_hall_sets: Whole
    n_refutations: Whole
    hall_sets: HallSets
    refutations: ClauseProofs

    def __post_init__(self) -> None:
        columns = self.off, self.left, self.n_hall_sets, self.n_refutations
        check_lengths("cores", self.requirement, *columns)
        counts = (self.n_hall_sets, self.hall_sets), (self.n_refutations, self.refutations)
        if not all(add_up(n, len(proofs)) for n, proofs in counts):
            raise InputError("numbers of Hall sets or refutations of cores do not add up")
        if np.any(self.n_refutations > 1):
            raise InputError("a core has two refutations")

    @classmethod
    def of(cls, cores: Sequence[ZoneCore]) -> ZoneCores:
        """Convert cores to columns."""
        refuted = [one.refutation for one in cores if one.refutation is not None]
        return cls(
            column(cores, "requirement"),
            lists(cores, "off"),
            lists(cores, "left"),
            np.array([len(one.hall_sets) for one in cores], np.int32),
            np.array([one.refutation is not None for one in cores], np.int32),
            HallSets.of([hall_set for one in cores for hall_set in one.hall_sets]),
            ClauseProofs.of(refuted),
        )

    def __len__(self) -> int:
        return len(self.requirement)

    def __iter__(self) -> Iterator[ZoneCore]:
        hall_sets, refutations = iter(self.hall_sets), iter(self.refutations)
        for n, requirement in enumerate(self.requirement.tolist()):
            mine = tuple(next(hall_sets) for _ in range(int(self.n_hall_sets[n])))
            refutation = next(refutations) if self.n_refutations[n] else None
            yield ZoneCore(requirement, self.off[n], self.left[n], mine, refutation)


@dataclass(frozen=True, eq=False)
class ChosenZones:
    """The part of a certificate about a minimum set of zones.

    Parameters
    ----------
    zones
        (n,) int32: numbers of the chosen zones, ascending; claims assume exchanges in these only.
    weight
        Cost of a zone; of no concern where places are chosen.
    bound
        Lower bound on the cost of zones, or of places, that meet all satisfiable requirements.
    cores
        Cores that every such set must hit.
    count
        (n,) int32: proof that zones, or places, that hit all cores have at least this cost
        (:mod:`mixsafe.check.minima`).
    places
        Places that are chosen, each with all of its zones, and their costs; None: zones are.

    Raises
    ------
    InputError
        The weight is unknown.
    """

    zones: Whole
    weight: Weight
    bound: int
    cores: ZoneCores
    count: Whole
    places: ZonePlaces | None = None

    def __post_init__(self) -> None:
        if self.weight not in WEIGHTS:
            raise InputError(f"unknown weight of zones '{self.weight}'")

    def priced(self, zones: MixZones) -> tuple[Costs, Costs]:
        """What is chosen from, and its costs.

        Returns
        -------
        of
            (n_zones,) number of the zone, or of its place.
        cost
            (n,) cost of each zone, or of each place.

        Raises
        ------
        InputError
            The places are not those of the zones.
        """
        if self.places is None:
            return np.arange(len(zones)), cost_of(zones, self.weight)
        if len(self.places.of) != len(zones):
            raise InputError("not every zone has a place")
        return self.places.of, self.places.cost


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
