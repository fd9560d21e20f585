"""Proofs of all unsafe claims: where single tokens do not show them Hall sets, then clauses.

Hall sets are values removed by matching (fact 6), as proof steps. At a step there is an arc from
token to row wherever the token may be on the row; a row and the token that some assignment has
there (in the identity, its own) are one node. A strongly connected component without outgoing arcs
is a Hall set: its tokens are on its rows only, so no other token is there. After its removal
another component has no outgoing arcs, and so on. Components without incoming arcs exclude nothing
and are omitted.

Clauses refute a claim with a proof that the checker replays. First, only the tokens left to a claim
are tracked, while they are away from their rows; the negated claim says that some token is on the
wire and it is none of these. If that is satisfiable, the solution shows which of them are
misplaced; these tokens are tracked, too, until there is a contradiction or no token is misplaced.
This is tried in the same interval first, then in the interval in which any tracked token is away
from its row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.certify.propagation import derive
from mixsafe.check.claim_clauses import OFF
from mixsafe.check.reached import MOST_BYTES, Reached
from mixsafe.model.answer.certificate import Claims, ClauseProof, ClauseProofs, HallSet, HallSets
from mixsafe.model.answer.verdict import UNSAFE, Argument
from mixsafe.model.course import Course, Deadline, Entry
from mixsafe.model.csr import begins_of
from mixsafe.model.question.adversary import Links
from mixsafe.model.question.problem import Problem
from mixsafe.network.compression import useful
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.propagate.reachability import narrow
from mixsafe.solver.sat.encoding import Encoding, Formula
from mixsafe.solver.sat.session import Session
from mixsafe.solver.state.tokens import TokenSets, are_in, members
from mixsafe.solver.state.witness import Assignment
from mixsafe.solver.workers import on_processes

Home = Callable[[int], npt.NDArray[np.int64]]
"""(n_rows,) tokens on all rows at a step."""

Numbers = npt.NDArray[np.int64]
_CONFLICTS = 40_000  # of each question
_JOIN = 8  # tokens that are tracked in addition, at least
_LARGEST = 40_000_000  # wires times tokens of one question
_MOST_LITERALS = 4_000_000  # of a formula; of larger ones nothing is asked
_NONE = np.zeros(0, np.int64)
_OF_ONE = 20_000  # claims times wires that are worth another process
_BATCH = 64  # claims between two looks at the progress


def closed(
    reached: Reached,
    who: npt.NDArray[np.integer],
    step: npt.NDArray[np.integer],
    enough: npt.NDArray[np.integer],
    deadline: Deadline,
    home: Home | None = None,
) -> list[HallSet]:
    """Hall sets that leave claims as few candidates as possible; they narrow ``reached``.

    Parameters
    ----------
    reached
        Where single tokens can be.
    who, step, enough
        (n,) each: what unsafe claims are about, and what would be too much to be left to them.
    deadline
        When to give up.
    home
        Tokens on all rows at a step in some assignment; None: each is on her own row.
    """
    found: list[HallSet] = []
    while not deadline.passed:
        left = np.flatnonzero(reached.n_left(who, step) >= enough)
        more: list[HallSet] = []
        for one in _steps(reached, who[left], step[left]).tolist():
            if not deadline.passed:
                more += _at(reached, one, np.arange(reached.n_rows) if home is None else home(one))
        if not more:
            break
        reached.close(more)
        reached.follow()
        found += more
    return found


def _steps(
    reached: Reached, who: npt.NDArray[np.integer], step: npt.NDArray[np.integer]
) -> npt.NDArray[np.integer]:
    """Steps at which Hall sets may help claims: both ends of the wires that they are about."""
    if reached.pins is not None:
        return np.unique(step)
    wires = reached.wire_at(who, step)
    return np.unique(np.concatenate([reached.start[wires], reached.end[wires]]))


def _at(reached: Reached, step: int, home: npt.NDArray[np.int64]) -> list[HallSet]:
    """Hall sets of a step, each with the domains left by those before it."""
    # Loaded here: most certificates need no Hall sets, and loading it takes a tenth of a second.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    sets = reached.sets[reached.wires_at(step)]
    bits = np.unpackbits(sets.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    # NumPy finds what is true several times as fast as what is not zero.
    row, token = np.nonzero(bits[:, : reached.n_rows].view(np.bool_))
    comes = np.argsort(home)[token]
    # Arcs turned round have the same components, and are in the order of rows already.
    arcs_of = np.ones(len(row)), comes, begins_of(row, reached.n_rows)
    graph = csr_array(arcs_of, (reached.n_rows, reached.n_rows))
    n, part = connected_components(graph, directed=True, connection="strong")
    leaves = part[comes] != part[row]
    if not leaves.any():
        return []
    leads = np.zeros((n, n), np.bool_)  # no larger than the bits, and faster than sorting them
    leads[part[comes[leaves]], part[row[leaves]]] = True
    arcs = np.argwhere(leads)
    order = _sinks_first(n, arcs)
    excluded = np.isin(np.arange(n), arcs[:, 1])
    names = np.argsort(part, kind="stable")
    begins = begins_of(part[names], n)
    members = [names[begins[one] : begins[one + 1]] for one in order.tolist() if excluded[one]]
    return [HallSet(step, some, np.sort(home[some])) for some in members]


def _sinks_first(n: int, arcs: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """Components in an order in which every arc leads to an earlier one."""
    depth = np.zeros(n, np.int64)
    while True:  # longest path from each
        longer = depth.copy()
        np.maximum.at(longer, arcs[:, 0], depth[arcs[:, 1]] + 1)
        if np.array_equal(longer, depth):
            return np.argsort(depth, kind="stable")
        depth = longer


class Doubt(NamedTuple):
    """An unsafe claim that single tokens and Hall sets do not show.

    Parameters
    ----------
    row, time
        Row and step of the claim.
    left
        (n,) int64: the tokens that it leaves, ascending; in an audit, the rows.
    """

    row: int
    time: int
    left: Numbers


class _Context(NamedTuple):
    """What all tasks need."""

    core: Core
    possible: TokenSets  # as the checker has them
    is_audit: bool
    deadline: Deadline


def refutations(
    reached: Reached, doubts: Sequence[Doubt], course: Course
) -> Iterator[ClauseProof | None]:
    """Refute that other tokens than those that claims leave are where they say.

    Parameters
    ----------
    reached
        Where single tokens can be, as narrow as the checker will have it.
    doubts
        What is to be shown.
    course
        Processes, and when to give up.

    Yields
    ------
    ClauseProof | None
        For each doubt; None: no proof was found.
    """
    if not len(doubts):
        return
    network = useful(WireNetwork.of(reached.problem.zones))
    core = Core.of(network, reached.problem.knowledge)
    if reached.pins is not None:
        core = Core(network, reached.pins, Links.none())
    context = _Context(core, reached.sets, reached.pins is not None, course.deadline)
    worth = 1 + len(doubts) * len(reached.row) // _OF_ONE
    with on_processes(_refute, context, course.workers, worth) as run:
        for first in range(0, len(doubts), _BATCH):
            course.progress("proving unsafe claims", first, len(doubts))
            batch = doubts[first : first + _BATCH]
            for doubt, found in zip(batch, run(batch), strict=True):
                yield _proof(doubt, found) if found else None


def _proof(doubt: Doubt, found: Entry) -> ClauseProof:
    begin, end = found["span"].tolist()
    tracked = found["tracked"].astype(np.int64, copy=False)
    needed, lemmas = (found[name].astype(np.int32, copy=False) for name in ("needed", "lemmas"))
    return ClauseProof(doubt.row, doubt.time, doubt.left, tracked, begin, end, needed, lemmas)


def _refute(context: _Context, doubt: Doubt) -> Entry:
    """The proof of one claim; empty: there is none."""
    for wider in (False, True):
        found = _grow(context, doubt, wider)
        if found:
            return found
    return {}


def _grow(context: _Context, doubt: Doubt, wider: bool) -> Entry:
    """Track more and more tokens, in the interval of the first ones, or of all of them."""
    core, possible, is_audit, deadline = context
    wire = int(core.network.wire_at(doubt.row, doubt.time))
    whole = 0, core.network.horizon
    tracked = np.array([doubt.row], np.int64) if is_audit else doubt.left
    span = whole if is_audit else _stretch(core, wire, tracked)
    while len(tracked) * core.network.n_wires <= _LARGEST and not deadline.passed:
        encoding = Encoding.of(core, possible, tracked, *span)
        formula = encoding.named_formula(possible, _MOST_LITERALS)
        if formula is None:
            break
        formula = _turned_round(formula, encoding, doubt, is_audit)
        with closing(Session("glucose4", logged=True)) as session:
            session.take_in(formula)
            answer = session.solve([], deadline, _CONFLICTS)
            if answer is None:
                break
            if not answer:
                return _derived(encoding, formula, session.learned())
            assignment = encoding.assignment(session.true())
        joining = (
            _rivals(context, doubt, assignment)
            if is_audit
            else _misplaced(context, wire, doubt.time, assignment)
        )
        joining = joining[~np.isin(joining, tracked)]
        grown = np.union1d(tracked, joining[: max(_JOIN, len(tracked))])
        if len(grown) == len(tracked) and (span == whole or not wider):
            break
        if wider:
            span = _stretch(core, wire, grown) if len(grown) > len(tracked) else whole
        tracked = grown
    return {}


def _stretch(core: Core, wire: int, tokens: npt.NDArray[np.integer]) -> tuple[int, int]:
    """Last step up to a wire, and first one from its end on, outside which tokens are at home.

    Parameters
    ----------
    core
        The question.
    wire
        Where they are.
    tokens
        One or more.

    Returns
    -------
    begin, end
        The widest stretch of them: step 0 and the horizon where one is not seen before or after.
    """
    network, pins = core.network, core.pins
    home = (np.diff(pins.ptr) == 1) & np.isin(pins.token, tokens)
    token, time = pins.token[home], pins.time[home]
    before, after = time <= network.start[wire], time >= network.end[wire]
    last = np.zeros(network.n_rows, np.int64)
    first = np.full(network.n_rows, network.horizon, np.int64)
    np.maximum.at(last, token[before], time[before])
    np.minimum.at(first, token[after], time[after])
    return int(last[tokens].min()), int(first[tokens].max())


def _turned_round(formula: Formula, encoding: Encoding, doubt: Doubt, is_audit: bool) -> Formula:
    """Clauses, and that the claim is wrong: none of the tokens that it leaves is where it says."""
    network = encoding.core.network
    if is_audit:
        wires = network.wire_at(doubt.left, doubt.time).tolist()
        off = [encoding.on(wire, doubt.row) for wire in wires]
    else:
        wire = int(network.wire_at(doubt.row, doubt.time))
        off = [encoding.on(wire, token) for token in doubt.left.tolist()]
    off = [variable for variable in off if variable]
    literals = np.array([(-variable, 0) for variable in off], np.int32).ravel()
    names = np.array([(OFF, variable, 0) for variable in off], np.int32).reshape(-1, 3)
    return Formula(
        np.concatenate([formula.literals, literals]),
        formula.n_variables,
        np.concatenate([formula.names, names]),
    )


def _derived(encoding: Encoding, formula: Formula, learned: npt.NDArray[np.int32]) -> Entry:
    """The part of a contradiction that is needed."""
    found = derive(formula.literals, learned, formula.n_variables)
    if found is None:
        return {}
    return {
        "tracked": encoding.tracked,
        "span": np.array([encoding.begin, encoding.end], np.int64),
        "needed": formula.names[found.needed].ravel(),
        "lemmas": found.lemmas,
    }


def _misplaced(context: _Context, wire: int, step: int, assignment: Assignment) -> Numbers:
    """Tokens on whose wires others are, nearest ones first.

    If no tracked token is on the wire of the claim, they include all that may be there.
    """
    network, on = context.core.network, np.flatnonzero(assignment >= 0)
    on = on[assignment[on] != network.row[on]]
    far = np.maximum(network.start[on] - step, step - network.end[on])
    misplaced = network.row[on][np.argsort(far, kind="stable")]
    others = members(context.possible[wire]) if assignment[wire] < 0 else _NONE
    return np.array(list(dict.fromkeys([*others.tolist(), *misplaced.tolist()])), np.int64)


def _rivals(context: _Context, doubt: Doubt, assignment: Assignment) -> Numbers:
    """Known users of an audit who may be where others are, those with few rows first."""
    core, possible = context.core, context.possible
    known = np.unique(core.pins.token).astype(np.int64)
    there = np.bitwise_or.reduce(possible[assignment >= 0], axis=0, initial=np.uint64(0))
    known = known[are_in(there[None], np.zeros(len(known), np.int64), known)]
    wires = core.network.wire_at(np.arange(core.network.n_rows), doubt.time)
    n_rows = np.count_nonzero(are_in(possible, wires[:, None], known), axis=0)
    return known[np.argsort(n_rows, kind="stable")]


@dataclass(frozen=True, eq=False)
class Proofs:
    """Proofs of unsafe claims, besides reachability of single tokens.

    Parameters
    ----------
    hall_sets, clause_proofs
        Hall sets, and refutations of clauses, in the form of certificates.
    proof
        (n_claims,) int32: number of the refutation of each claim, or -1.
    """

    hall_sets: HallSets
    clause_proofs: ClauseProofs
    proof: npt.NDArray[np.int32]


class FollowedTokens(Reached):
    """Where single tokens can be, as the checker finds it, by the engines' compiled sweeps.

    Parameters
    ----------
    problem
        A publisher's question.
    """

    def __init__(self, problem: Problem) -> None:
        network = useful(WireNetwork.of(problem.zones))
        self._core = Core.of(network, problem.knowledge)
        super().__init__(problem)

    def follow(self) -> None:
        """Follow tokens there and back."""
        narrow(self._core, self.sets)


def prove(problem: Problem, claims: Claims, course: Course, most_bytes: int = MOST_BYTES) -> Proofs:
    """Prove unsafe claims so that the checker can replay it.

    Parameters
    ----------
    problem
        The question.
    claims
        All claims; those that are not unsafe are left alone.
    course
        Claims without a proof at its deadline are only claimed.
    most_bytes
        Of the sets of all wires, which proofs need.
    """
    by = claims.decided_by[claims.verdict == UNSAFE]
    if np.all(by == Argument.REACHABILITY) or not Reached.fits(problem, most_bytes):
        return nothing_proven(claims)  # reachability shows what it can, and is no part of a proof
    return proofs(FollowedTokens(problem), claims, course)


def nothing_proven(claims: Claims) -> Proofs:
    """No proofs: reachability shows what it can."""
    return Proofs(HallSets.none(), ClauseProofs.none(), np.full(len(claims), -1, np.int32))


def proofs(reached: Reached, claims: Claims, course: Course, home: Home | None = None) -> Proofs:
    """Hall sets and refutations of unsafe claims that single tokens do not show.

    Parameters
    ----------
    reached
        Where single tokens can be.
    claims, course
        All claims; when the run ends, and whom it tells how far it is.
    home
        In an audit: tokens on all rows at a step in some assignment that agrees.
    """
    result = nothing_proven(claims)
    doubtful = _not_shown(reached, claims, np.flatnonzero(claims.verdict == UNSAFE))
    if not len(doubtful):
        return result
    hall_sets = _hall_sets(reached, claims, doubtful, course.deadline, home)
    doubtful = _not_shown(reached, claims, doubtful)
    proof = result.proof
    doubts = [_doubt(claims, claim) for claim in doubtful.tolist()]
    found: list[ClauseProof] = []
    refuted = refutations(reached, doubts, course)
    for claim, one in zip(doubtful.tolist(), refuted, strict=True):
        if one is not None:
            proof[claim] = len(found)
            found.append(one)
    return Proofs(HallSets.of(hall_sets), ClauseProofs.of(found), proof)


def _doubt(claims: Claims, claim: int) -> Doubt:
    left = claims.candidates[claim].astype(np.int64)
    return Doubt(int(claims.row[claim]), int(claims.start[claim]), left)


def _not_shown(reached: Reached, claims: Claims, some: Numbers) -> Numbers:
    """Those claims of some that leave k tokens or more."""
    return some[reached.n_left(claims.row[some], claims.start[some]) >= claims.k[some]]


def _hall_sets(
    reached: Reached, claims: Claims, doubtful: Numbers, deadline: Deadline, home: Home | None
) -> list[HallSet]:
    """Hall sets, if they show anything; they narrow ``reached``."""
    before = reached.sets.copy()
    about = claims.row[doubtful], claims.start[doubtful], claims.k[doubtful]
    found = closed(reached, *about, deadline, home)
    if len(_not_shown(reached, claims, doubtful)) == len(doubtful):
        reached.sets = before
        return []
    return found
