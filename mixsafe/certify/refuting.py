"""Refutations of unsafe claims by clauses, each with a proof that the checker replays.

To begin with the tokens that are left to a claim are tracked, while they are away from home: some
token is on the wire, and it is to be none of these. Where that contradicts nothing, an answer says
on whose rows they stray; these are tracked, too, until there is a contradiction or nobody strays.
At first in the same stretch of time, then while any of those who are tracked is away from home.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.certify.claim_formula import ClaimFormula, claim_formula
from mixsafe.certify.logged import Logged, ask
from mixsafe.certify.propagation import derive
from mixsafe.check.claim_clauses import ClaimClauses
from mixsafe.check.reached import Reached
from mixsafe.journal.steps import Entry
from mixsafe.model.answer.proof import ClauseProof
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.solver.workers import on_processes

Numbers = npt.NDArray[np.int64]

_CONFLICTS = 40_000  # of each question
_JOIN = 8  # tokens that are tracked in addition, at least
_LARGEST = 40_000_000  # wires times tokens of one question
_NONE = np.zeros(0, np.int64)
_NOTHING = np.zeros(0, np.int32)
_OF_ONE = 20_000  # claims times wires that are worth another process
_BATCH = 64  # claims between two looks at the progress


class Doubt(NamedTuple):
    """An unsafe claim that single tokens and closures do not show.

    Parameters
    ----------
    row, time
        What it is about.
    left
        (n,) int64: the tokens that it leaves, ascending; in an audit, the rows.
    tracked
        (n,) int64: tokens that an engine told apart to refute the others; empty: not known.
    """

    row: int
    time: int
    left: Numbers
    tracked: Numbers = _NONE


class _Context(NamedTuple):
    """What all tasks need."""

    reached: Reached
    deadline: Deadline


def refutations(
    reached: Reached,
    doubts: Sequence[Doubt],
    workers: int,
    deadline: Deadline,
    progress: Progress = no_progress,
) -> Iterator[ClauseProof | None]:
    """Refute that other tokens than those that claims leave are where they say.

    Parameters
    ----------
    reached
        Where single tokens can be, as narrow as the checker will have it.
    doubts
        What is to be shown.
    workers
        Processes at most; 0 means one per core.
    deadline
        When to give up.
    progress
        Called with stage, claims that were looked at, and claims.

    Yields
    ------
    ClauseProof | None
        For each doubt; None: no proof was found.
    """
    if not len(doubts):
        return
    context = _Context(reached, deadline)
    worth = 1 + len(doubts) * len(reached.row) // _OF_ONE
    with on_processes(_refute, context, SolveLimits(workers=workers), worth) as run:
        for first in range(0, len(doubts), _BATCH):
            progress("proving unsafe claims", first, len(doubts))
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
    """Track more and more tokens, in the stretch of the first ones, or in that of all of them."""
    reached, deadline = context
    wire = int(reached.wire_at(np.array([doubt.row]), np.array([doubt.time]))[0])
    is_audit, whole = reached.pins is not None, (0, reached.horizon)
    tracked = np.union1d([doubt.row] if is_audit else doubt.left, doubt.tracked)
    span = whole if is_audit else stretch(reached, wire, tracked)
    while len(tracked) * len(reached.row) <= _LARGEST and not deadline.passed:
        asked = ClauseProof(doubt.row, doubt.time, doubt.left, tracked, *span, _NOTHING, _NOTHING)
        formula = claim_formula(reached, asked)
        if formula is None:
            break
        logged = ask(formula, _CONFLICTS, deadline)
        if logged.true is None:
            return _derived(asked, formula, logged)
        joining = (
            _rivals(reached, asked, logged.true)
            if is_audit
            else _strays(reached, asked, wire, logged.true)
        )
        grown = np.union1d(tracked, joining)
        if len(grown) == len(tracked) and (span == whole or not wider):
            break
        if wider:
            span = stretch(reached, wire, grown) if len(grown) > len(tracked) else whole
        tracked = grown
    return {}


def _derived(asked: ClauseProof, formula: ClaimFormula, logged: Logged) -> Entry:
    """What is needed of a contradiction, if there is one."""
    if logged.learned is None:
        return {}
    found = derive(formula.literals, logged.learned, formula.n_variables)
    if found is None:
        return {}
    return {
        "tracked": asked.tracked,
        "span": np.array([asked.begin, asked.end], np.int64),
        "needed": formula.names[found.needed].ravel(),
        "lemmas": found.lemmas,
    }


def _strays(reached: Reached, proof: ClauseProof, wire: int, true: Numbers) -> Numbers:
    """Tokens that are not tracked, and on whose wires others are, nearest ones first.

    Nobody tracked may be on the wire of the claim: then all are who may be there.
    """
    told = ClaimClauses(reached, proof)
    at = np.array([told.about(int(v)) for v in true if v <= told.n_variables]).reshape(-1, 2)
    token, on = at.T
    row = reached.row[on]
    away = (row != token) & ~np.isin(row, proof.tracked)
    far = np.maximum(reached.start[on] - proof.step, proof.step - reached.end[on])[away]
    strays = row[away][np.argsort(far, kind="stable")]
    nearest = list(dict.fromkeys(strays.tolist()))
    if wire not in on.tolist():
        others = np.setdiff1d(reached.tokens(wire), proof.tracked).tolist()
        nearest = [*others, *nearest]
    return np.array(nearest[: max(_JOIN, len(proof.tracked))], np.int64)


def _rivals(reached: Reached, proof: ClauseProof, true: Numbers) -> Numbers:
    """Known users of an audit who are not tracked, and may be where others are, few rows first."""
    told = ClaimClauses(reached, proof)
    at = np.array([told.about(int(v))[1] for v in true if v <= told.n_variables], np.int64)
    known = _NONE if reached.pins is None else np.unique(reached.pins.token).astype(np.int64)
    other = np.setdiff1d(known, proof.tracked)
    there = np.bitwise_or.reduce(reached.sets[at], axis=0, initial=np.uint64(0))
    other = other[(there[other >> 6] >> (other & 63).astype(np.uint64)) & np.uint64(1) == 1]
    few = np.argsort(reached.n_left(other, np.full(len(other), proof.step)), kind="stable")
    return other[few][: max(_JOIN, len(proof.tracked))]


def stretch(reached: Reached, wire: int, tokens: Numbers) -> tuple[int, int]:
    """Last step up to a wire, and first one from its end on, outside which tokens are at home.

    Parameters
    ----------
    reached
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
    known = reached.problem.knowledge
    named = np.isin(known.row, known.row[known.time == 0]) & np.isin(known.row, tokens)
    row, time = known.row[named], known.time[named]
    last = np.zeros(reached.n_rows, np.int64)
    first = np.full(reached.n_rows, reached.horizon, np.int64)
    before, after = time <= reached.start[wire], time >= reached.end[wire]
    np.maximum.at(last, row[before], time[before])
    np.minimum.at(first, row[after], time[after])
    return int(last[tokens].min()), int(first[tokens].max())
