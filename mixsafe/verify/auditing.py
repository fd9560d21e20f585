"""The auditor's engine: a first solution, then the publisher's arguments, cheapest first."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from ortools.sat.python import cp_model
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from mixsafe.errors import InputError, MixsafeError
from mixsafe.model.adversary import Pins
from mixsafe.model.limits import SolveLimits
from mixsafe.model.verdict import Argument
from mixsafe.verify import bounds, dynamic_programming, tokens
from mixsafe.verify.answers import Deadline, Progress
from mixsafe.verify.core import Core
from mixsafe.verify.cpsat import MAX_VARIABLES, FlowModel, new_solver
from mixsafe.verify.matching import match
from mixsafe.verify.reachability import reachable
from mixsafe.verify.routes import route
from mixsafe.verify.tokens import TokenSets
from mixsafe.verify.walks import walk
from mixsafe.verify.whereabouts import Whereabouts
from mixsafe.verify.witness import Assignment, complete, fault

_WALKS = ((3, 10, 40), (4, 5, 40), (4, 50, 100), (3, 50, 200), (5, 30, 100))
"""Tokens in a support, rounds through the wires, and how far supports reach."""

_TOGETHER = "the tokens cannot all be where they are pinned"
_TRIES = 10  # supports drawn each time that a wire is taken up
_MAX_SUPPORTS = 600_000  # in one walk: seconds, since a limit of time is looked at between walks
_LONGEST = 4  # times that the walks are repeated at most


class NoSolutionError(InputError):
    """What is known contradicts what is published.

    Parameters
    ----------
    message
        For people.
    pin
        The first pin that a token cannot satisfy after its earlier ones, whatever the others do;
        None: each token has a way, but not all together.
    hint
        The way out.
    """

    def __init__(self, message: str, *, pin: int | None = None, hint: str | None = None) -> None:
        self.pin = pin
        super().__init__(message, hint=hint)


def first_solution(
    core: Core, n_known: int, limits: SolveLimits, deadline: Deadline, progress: Progress
) -> tuple[Assignment | None, TokenSets]:
    """A solution of a question in which the identity need not be one, and what single tokens reach.

    Parameters
    ----------
    core
        As :func:`mixsafe.verify.whereabouts.unnamed_start` makes it.
    n_known
        Tokens 0 to n_known - 1 have pins; the others are anybody.

    Returns
    -------
    solution, possible
        (n_wires,) token on each wire, or None where a limit was reached first; and (n_wires, words)
        the wires that each token can reach.

    Raises
    ------
    NoSolutionError
        There is none.
    """
    possible = reachable(core)
    known = np.arange(core.network.n_rows) < n_known
    lost = known & ~_can_end(core, possible)
    if lost.any():
        pin = _first_in_vain(core, int(lost.argmax()))
        raise NoSolutionError("a token cannot get where it is pinned", pin=pin)
    if core.network.n_zones <= 1:
        return _matched(core, possible, n_known), possible
    solution = route(core, possible, known, deadline, progress)
    if solution is None:
        solution = _solve(core, possible, known, limits, deadline)
    wrong = None if solution is None else fault(core, solution)
    if wrong is not None:
        raise MixsafeError(f"internal error, a first solution is wrong: {wrong}")
    return solution, possible


def placeable(core: Core, n_known: int) -> npt.NDArray[np.bool_]:
    """(n_known,) bool: tokens that can be where they are pinned, whatever the others do.

    Where rows meet at the start only, as many as can be there together.
    """
    possible = reachable(core)
    able = _can_end(core, possible)[:n_known]
    if core.network.n_zones <= 1:
        able &= _match(core, possible, n_known) >= 0
    return able


def decide(
    asked: Whereabouts,
    engine: str,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress,
) -> None:
    """Settle what can be settled in time, by proofs only.

    Parameters
    ----------
    engine
        ``auto``: bounds, walks and CP-SAT; ``bounds``: bounds only; ``cpsat``: reachability and
        CP-SAT; ``dp``: the dynamic program.

    Raises
    ------
    InputError
        An unknown engine.
    """
    if engine not in ("auto", "bounds", "cpsat", "dp"):
        raise InputError(f"unknown engine '{engine}'", hint="use auto, bounds, cpsat or dp")
    answers = asked.answers
    if engine == "dp":
        dynamic_programming.decide(answers, limits, deadline, progress)
        asked.settle(Argument.DYNAMIC_PROGRAMMING)
        return
    answers.possible &= reachable(asked.core)
    answers.settle(Argument.REACHABILITY)
    asked.settle(Argument.REACHABILITY)
    if asked.core.network.n_zones <= 1:
        _match_once(asked)
        return
    if engine != "cpsat":
        bounds.decide(answers, limits, deadline, progress)
        asked.settle(Argument.MATCHING)
    if engine == "auto":
        _walk(asked, limits, deadline, progress)
    if engine != "bounds":
        _ask(asked, limits, deadline, progress)


def _first_in_vain(core: Core, token: int) -> int:
    """The pin of a token that it cannot satisfy after those before it."""
    pins = core.pins
    mine = np.flatnonzero(pins.token == token)
    low, high = 0, len(mine) - 1  # with the first `low` pins it has a way, with `high` + 1 none
    while low < high:
        middle = (low + high) // 2
        first = replace(core, pins=_only(pins, mine[: middle + 1]))
        if _can_end(first, reachable(first))[token]:
            low = middle + 1
        else:
            high = middle
    return int(mine[low])


def _only(pins: Pins, chosen: npt.NDArray[np.int64]) -> Pins:
    """Some of the pins."""
    sizes = np.diff(pins.ptr)
    kept = np.repeat(np.isin(np.arange(len(pins)), chosen), sizes)
    ptr = np.concatenate([[0], np.cumsum(sizes[chosen])]).astype(np.int64)
    return Pins(pins.token[chosen], pins.time[chosen], ptr, pins.rows[kept])


def _matched(core: Core, possible: TokenSets, n_known: int) -> Assignment:
    """A solution where rows meet at the start only: a perfect matching of tokens and rows.

    Raises
    ------
    NoSolutionError
        There is none.
    """
    network = core.network
    last = network.first[1:] - 1
    found = _match(core, possible, n_known)
    if np.any(found < 0):
        raise NoSolutionError(_TOGETHER)
    told = np.full(network.n_wires, -1, np.int32)
    told[last[found]] = np.arange(n_known)
    if network.n_zones:
        told[network.first[:-1]] = -1
    known = np.arange(network.n_rows) < n_known
    return complete(core, told, known)


def _match(core: Core, possible: TokenSets, n_known: int) -> npt.NDArray[np.int32]:
    """(n_known,) last row of each token in a largest matching, -1 for those left over."""
    last = np.ascontiguousarray(possible[core.network.first[1:] - 1])
    bits = np.unpackbits(last.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    found = maximum_bipartite_matching(csr_array(bits[:, :n_known].T), perm_type="column")
    return np.asarray(found, np.int32)


def _match_once(asked: Whereabouts) -> None:
    """Where rows meet at the start only, a solution is a perfect matching, and nothing else.

    So what the matching bound leaves (DESIGN, fact 6) is exact.
    """
    answers = asked.answers
    match(asked.core, answers.possible, np.arange(asked.core.network.n_wires))
    answers.proven[:] = answers.possible
    answers.settle(Argument.MATCHING)
    asked.settle(Argument.MATCHING)


def _can_end(core: Core, possible: TokenSets) -> npt.NDArray[np.bool_]:
    """(n_rows,) bool: tokens that can be on some wire at the end."""
    last = np.bitwise_or.reduce(possible[core.network.first[1:] - 1], axis=0)
    found = np.zeros(core.network.n_rows, bool)
    found[tokens.members(last)] = True
    return found


def _solve(
    core: Core,
    possible: TokenSets,
    known: npt.NDArray[np.bool_],
    limits: SolveLimits,
    deadline: Deadline,
) -> Assignment | None:
    """Any solution, by CP-SAT; None: a limit was reached.

    Raises
    ------
    NoSolutionError
        There is none.
    """
    if _literals(possible, known) > MAX_VARIABLES or deadline.passed:
        return None
    model, solver = FlowModel(core, possible, known), new_solver(limits)
    if not math.isinf(deadline.left):
        solver.parameters.max_time_in_seconds = deadline.left
    status = model.ask(0, tokens.members(possible[0]), solver)
    if status == cp_model.INFEASIBLE:
        raise NoSolutionError(_TOGETHER)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    return model.assignment(solver)


def _literals(possible: TokenSets, known: npt.NDArray[np.bool_]) -> int:
    """Literals of a flow model."""
    mask = np.zeros(possible.shape[1], np.uint64)
    token = np.flatnonzero(known)
    np.bitwise_or.at(mask, token // 64, np.uint64(1) << (token % 64).astype(np.uint64))
    return int(np.bitwise_count(possible & mask).sum(dtype=np.int64))


def _walk(asked: Whereabouts, limits: SolveLimits, deadline: Deadline, progress: Progress) -> None:
    """Walk through solutions around the wires that matter, as long as that finds something."""
    answers = asked.answers
    total = asked.decided_by.size
    for again in range(_LONGEST):
        before = int(asked.unsettled().sum())
        for size, rounds, reach in _WALKS:
            missing = asked.wanted()
            wires = np.flatnonzero(missing.any(axis=1))
            if not len(wires) or deadline.passed:
                return
            progress("walking through solutions", total - int(asked.unsettled().sum()), total)
            walk(
                answers.core,
                wires,
                tokens.count(answers.proven[wires] | missing[wires]),
                answers.proven | missing,
                answers.proven,
                size=size,
                rounds=min(rounds << again, max(1, _MAX_SUPPORTS // (_TRIES * len(wires)))),
                tries=_TRIES,
                reach=reach,
                seed=limits.seed * _LONGEST + again,
            )
            answers.settle(Argument.SUPPORT, wires)
            asked.settle(Argument.SUPPORT)
        if int(asked.unsettled().sum()) == before:
            return


def _ask(asked: Whereabouts, limits: SolveLimits, deadline: Deadline, progress: Progress) -> None:
    """Ask a CP-SAT model for token after token and wire after wire."""
    answers, known = asked.answers, asked.known()
    missing = asked.wanted()
    wires = np.flatnonzero(missing.any(axis=1))
    if not len(wires) or _literals(answers.possible, known) > MAX_VARIABLES or deadline.passed:
        return
    model, solver = FlowModel(asked.core, answers.possible, known), new_solver(limits)
    for place, wire in enumerate(wires.tolist()):
        progress("asking CP-SAT", place, len(wires))
        for token in tokens.members(missing[wire]).tolist():
            if deadline.passed:
                return
            if not asked.is_wanted(wire, token):
                continue
            if not math.isinf(deadline.left):
                solver.parameters.max_time_in_seconds = deadline.left
            status = model.ask_for(wire, token, solver)
            if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
                answers.add_witness(model.assignment(solver), Argument.CPSAT)
                asked.settle(Argument.CPSAT)
            elif status == cp_model.INFEASIBLE:
                asked.rule_out(wire, token, Argument.CPSAT)
