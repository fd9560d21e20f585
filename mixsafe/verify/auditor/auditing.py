"""The auditor's engine: the publisher's arguments about an auditor's questions, cheapest first."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course
from mixsafe.solver import auto, bounds
from mixsafe.solver.local import annealing
from mixsafe.solver.propagate.matching import match
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.registry import Engine, engine_of
from mixsafe.solver.sat.cpsat import MAX_VARIABLES, FlowModel, Solver
from mixsafe.solver.state import tokens
from mixsafe.solver.state.searches import Questions, Restarts, Targets, run_steps
from mixsafe.solver.strategy import Strategy
from mixsafe.verify.auditor.initial_solution import literals_of
from mixsafe.verify.auditor.whereabouts import Whereabouts

AUDITING = Strategy(
    annealing=(30_000, 320_000, 1 << 22),
    restarts=(1, 512),
    assumed=(0,),
    assumed_later=(0,),
    perturbation=(),
)
"""An auditor's restarts begin with the last witness, far from the paths: nothing needs to perturb
it. What is missing is a way for one token, and assumed places of others only take time.
"""


def decide(whereabouts: Whereabouts, engine: str | Engine, course: Course) -> None:
    """Settle what can be settled in time, by proofs only.

    Parameters
    ----------
    engine
        One of :data:`mixsafe.solver.registry.ENGINES` that is for audits. Those in
        ``_METHODS`` have a separate method for an auditor's questions; any other decides which
        tokens can be on which wires, and where users are follows from that.

    Raises
    ------
    InputError
        An unknown engine, or one that is not for audits.
    """
    chosen = engine_of(engine, "audit")
    method, answers = _METHODS.get(chosen.name), whereabouts.answers
    if method is None:
        chosen.decider()(answers, course)
        whereabouts.settle(chosen.argument)
        return
    answers.possible &= reachable(whereabouts.paths.core)
    answers.settle(Argument.REACHABILITY)
    whereabouts.settle(Argument.REACHABILITY)
    if whereabouts.paths.core.network.n_zones <= 1:
        _match_once(whereabouts)
    else:
        method(whereabouts, course)


class Auditor(Questions):
    """An auditor's questions: on how many rows a token may be.

    Parameters
    ----------
    whereabouts
        The questions, and what is known.
    strategy
        How they are decided.
    """

    def __init__(self, whereabouts: Whereabouts, strategy: Strategy = AUDITING) -> None:
        super().__init__(whereabouts.answers, strategy)
        self._whereabouts = whereabouts
        self._total = self.n_open

    @property
    def n_asked(self) -> int:
        """Number of tokens and steps that were open to begin with."""
        return self._total

    @property
    def most_walks(self) -> int:
        """Walks that are worth their time: annealing settles the rest sooner."""
        return 2 if self.is_small else 0

    @property
    def n_open(self) -> int:
        """Number of tokens and steps without an answer."""
        return int(self._whereabouts.unsettled().sum())

    def targets(self) -> Targets:
        """Wires on which it matters whether a token can be there."""
        missing, proven = self._whereabouts.wanted(), self.answers.proven
        wires = np.flatnonzero(missing.any(axis=1))
        return Targets(wires, tokens.count(proven[wires] | missing[wires]), proven | missing)

    def restarts(self, targets: Targets, seed: int) -> Restarts:
        """For some of the open questions a wire, drawn, on which its token is missing."""
        random = np.random.default_rng(seed)
        wires, tokens_there = self._whereabouts.missing_pairs(random, near=bool(random.integers(2)))
        most = self.strategy.restarts[1]
        return Restarts(wires[:most], tokens_there[:most], anew=False)

    def settle(self, argument: Argument, wires: npt.NDArray[np.int64] | None = None) -> None:
        """Count rows anew, and say what decided the questions."""
        super().settle(argument, wires)
        self._whereabouts.settle(argument)

    def finish(self, course: Course) -> None:
        """Annealing, then CP-SAT for what it leaves open."""
        run_steps(annealing.steps(self, course), self, course)
        _ask(self._whereabouts, course)


def _match_once(whereabouts: Whereabouts) -> None:
    """Where rows meet at the start only, a solution is a perfect matching, and nothing else.

    So what the matching bound leaves (fact 6) is exact.
    """
    answers = whereabouts.answers
    match(
        whereabouts.paths.core, answers.possible, np.arange(whereabouts.paths.core.network.n_wires)
    )
    answers.proven[:] = answers.possible
    answers.settle(Argument.MATCHING)
    whereabouts.settle(Argument.MATCHING)


def _ask(whereabouts: Whereabouts, course: Course) -> None:
    """Ask a CP-SAT model whether a token can be elsewhere than where it is proven to be.

    Each answer is another row, or the proof that there is none.
    """
    answers = whereabouts.answers
    unsettled = whereabouts.unsettled()
    too_large = literals_of(answers.possible, whereabouts.known()) > MAX_VARIABLES
    if too_large or not unsettled.any() or course.passed:
        return
    model = FlowModel(whereabouts.paths.core, answers.possible, whereabouts.known())
    solver = Solver(course)
    total = int(unsettled.sum())
    while unsettled.any():
        course.progress("asking CP-SAT", total - int(unsettled.sum()), total)
        token, step = (int(one) for one in np.argwhere(unsettled)[0])
        proven, rest = whereabouts.unproven(token, step)
        if course.passed:
            return
        holds = model.ask_elsewhere(token, proven, solver)
        if holds is None:
            return
        if holds:
            answers.add_witness(model.assignment(solver), Argument.CPSAT)
            whereabouts.settle(Argument.CPSAT)
        else:
            whereabouts.rule_out(token, rest, Argument.CPSAT)
        unsettled = whereabouts.unsettled()


def _look(whereabouts: Whereabouts, course: Course) -> None:
    """Bounds, walks, annealing and CP-SAT."""
    auto.run(Auditor(whereabouts), course)


def _bound(whereabouts: Whereabouts, course: Course) -> None:
    """Bounds alone."""
    bounds.decide(whereabouts.answers, course)
    whereabouts.settle(Argument.MATCHING)


_METHODS = {"auto": _look, "bounds": _bound, "cpsat": _ask}
"""Engines with a separate method for an auditor's questions, after reachability."""
