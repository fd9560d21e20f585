"""The auditor's engine: the publisher's arguments about an auditor's questions, cheapest first."""

from __future__ import annotations

import math

import numpy as np
from ortools.sat.python import cp_model

from mixsafe.errors import InputError
from mixsafe.model.limits import SolveLimits
from mixsafe.model.verdict import Argument
from mixsafe.verify import bounds, dynamic_programming, tokens
from mixsafe.verify.answers import Deadline, Progress
from mixsafe.verify.cpsat import MAX_VARIABLES, FlowModel, new_solver
from mixsafe.verify.first_solution import literals_of
from mixsafe.verify.matching import match
from mixsafe.verify.reachability import reachable
from mixsafe.verify.walks import walk
from mixsafe.verify.whereabouts import Whereabouts

_SHORT_WALKS = ((3, 10, 40), (4, 5, 40))
_LONG_WALKS = ((4, 50, 100), (3, 50, 200), (5, 30, 100))
"""Tokens in a support, rounds through the wires, and how far supports reach."""

_TRIES = 10  # supports drawn each time that a wire is taken up
_MAX_SUPPORTS = 100_000  # in one walk: seconds, since a limit of time is looked at between walks


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
        _walk(asked, _SHORT_WALKS, limits, deadline, progress)
    if engine == "bounds":
        return
    if literals_of(answers.possible, asked.known()) <= MAX_VARIABLES:
        _ask(asked, limits, deadline, progress)
    elif engine == "auto":  # too large for one model
        _walk(asked, _LONG_WALKS, limits, deadline, progress)


def _match_once(asked: Whereabouts) -> None:
    """Where rows meet at the start only, a solution is a perfect matching, and nothing else.

    So what the matching bound leaves (DESIGN, fact 6) is exact.
    """
    answers = asked.answers
    match(asked.core, answers.possible, np.arange(asked.core.network.n_wires))
    answers.proven[:] = answers.possible
    answers.settle(Argument.MATCHING)
    asked.settle(Argument.MATCHING)


def _walk(
    asked: Whereabouts,
    walks: tuple[tuple[int, int, int], ...],
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress,
) -> None:
    """Walk through solutions around the wires that matter."""
    answers, total = asked.answers, int(asked.unsettled().sum())
    for size, rounds, reach in walks:
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
            rounds=min(rounds, max(1, _MAX_SUPPORTS // (_TRIES * len(wires)))),
            tries=_TRIES,
            reach=reach,
            seed=limits.seed,
        )
        answers.settle(Argument.SUPPORT, wires)
        asked.settle(Argument.SUPPORT)


def _ask(asked: Whereabouts, limits: SolveLimits, deadline: Deadline, progress: Progress) -> None:
    """Ask a CP-SAT model whether a token can be elsewhere than where it is proven to be.

    Each answer is another row, or the proof that there is none.
    """
    answers = asked.answers
    unsettled = asked.unsettled()
    if not unsettled.any() or deadline.passed:
        return
    model, solver = FlowModel(asked.core, answers.possible, asked.known()), new_solver(limits)
    total = int(unsettled.sum())
    while unsettled.any():
        progress("asking CP-SAT", total - int(unsettled.sum()), total)
        token, step = (int(one) for one in np.argwhere(unsettled)[0])
        proven, rest = asked.unproven(token, step)
        if deadline.passed:
            return
        if not math.isinf(deadline.left):
            solver.parameters.max_time_in_seconds = deadline.left
        status = model.ask_elsewhere(token, proven, solver)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            answers.add_witness(model.assignment(solver), Argument.CPSAT)
            asked.settle(Argument.CPSAT)
        elif status == cp_model.INFEASIBLE:
            asked.rule_out(token, rest, Argument.CPSAT)
        else:  # UNKNOWN is no answer: what is open stays open
            return
        unsettled = asked.unsettled()
