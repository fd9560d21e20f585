"""Refutations of unsafe claims by clauses, each with a proof that the checker replays.

First, only the tokens left to a claim are tracked, while they are away from their rows; the negated
claim says that some token is on the wire and it is none of these. If that is satisfiable, the
solution shows which of them are misplaced; these tokens are tracked, too, until there is a
contradiction or no token is misplaced. This is tried in the same interval first, then in the
interval in which any tracked token is away from its row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.certify.propagation import derive
from mixsafe.check.claim_clauses import OFF
from mixsafe.check.reached import Reached
from mixsafe.model.answer.certificate import ClauseProof
from mixsafe.model.course import Course, Deadline, Entry
from mixsafe.model.question.adversary import Links
from mixsafe.network.compression import useful
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.sat.encoding import Encoding, Formula
from mixsafe.solver.sat.session import Session
from mixsafe.solver.state.tokens import TokenSets, are_in, members
from mixsafe.solver.state.witness import Assignment
from mixsafe.solver.workers import on_processes

Numbers = npt.NDArray[np.int64]

_CONFLICTS = 40_000  # of each question
_JOIN = 8  # tokens that are tracked in addition, at least
_LARGEST = 40_000_000  # wires times tokens of one question
_MOST_LITERALS = 4_000_000  # of a formula; of larger ones nothing is asked
_NONE = np.zeros(0, np.int64)
_OF_ONE = 20_000  # claims times wires that are worth another process
_BATCH = 64  # claims between two looks at the progress


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
