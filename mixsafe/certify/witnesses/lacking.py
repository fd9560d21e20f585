"""What is proven, but has no witness yet, as questions to engine ``auto``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mixsafe.certify.witnesses.wanted import WantedWitnesses
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course
from mixsafe.network.core import Core
from mixsafe.solver.local import annealing
from mixsafe.solver.sat.cpsat import FlowModel, Solver
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.ledger import Ledger
from mixsafe.solver.state.searches import Questions, Targets, run_steps
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Differences
from mixsafe.solver.strategy import Strategy

_NONE = np.zeros(0, np.int64)
_SOLVED = 1_000_000  # tokens on wires that a model may tell apart
_SOLVING = 5.0  # of CP-SAT's own seconds, the same on every machine, for one witness

FOR_WITNESSES = Strategy(fewest_walks=2, fruitless_walks=2, annealing=(12_000, 192_000))
"""The strategy of engine ``auto`` for witnesses of what is proven."""


class Lacking(Questions):
    """Wires that lack witnesses.

    Parameters
    ----------
    core
        The question.
    possible
        (n_wires, words): who may be where, at most what reachability leaves.
    wanted
        What they lack; changed by ``take``.
    take
        Takes witnesses in.
    """

    def __init__(
        self,
        core: Core,
        possible: TokenSets,
        wanted: WantedWitnesses,
        take: Callable[[Differences], None],
    ) -> None:
        nothing = Answers(core, _NONE, _NONE.astype(np.int32), False, Ledger(core))
        super().__init__(nothing, FOR_WITNESSES)
        self.answers.possible, self.answers.upper = possible, tokens.count(possible)
        self._wanted, self._take, self._taken = wanted, take, 0
        self._total = self.n_open
        self.answers.proven = wanted.shown()

    @property
    def n_asked(self) -> int:
        """Number of wires that lacked witnesses to begin with."""
        return self._total

    @property
    def n_open(self) -> int:
        """Number of wires that lack witnesses."""
        return len(self._wanted.open)

    def targets(self) -> Targets:
        """Those wires, and what is proven on them."""
        return self._wanted.targets()

    def settle(self, argument: Argument, wires: npt.NDArray[np.int64] | None = None) -> None:
        """Take in what was written down; whatever else was found has no witness."""
        if self.answers.ledger is not None:
            found = self.answers.ledger.recorded
            new = np.arange(found.n) >= self._taken
            self._taken = found.n
            self._take(found.among(new))
        self.answers.proven = self._wanted.shown()

    def finish(self, course: Course) -> None:
        """Annealing, then CP-SAT wire by wire, unless that is too much for a solver."""
        run_steps(annealing.steps(self, course), self, course)
        answers, wanted = self.answers, self._wanted
        too_much = int(answers.upper.sum(dtype=np.int64)) > _SOLVED
        if too_much or not self.n_open or course.passed:
            return
        model = FlowModel(answers.core, answers.possible)
        solver = Solver(course)
        solver.parameters.max_deterministic_time = _SOLVING
        for place in np.flatnonzero(wanted.missing > 0).tolist():
            while wanted.missing[place] > 0 and not course.passed:
                if not self._ask(place, model, solver):
                    break

    def _ask(self, place: int, model: FlowModel, solver: Solver) -> bool:
        """Ask for one more witness of a wire; whether there is one."""
        wanted, ledger = self._wanted, self.answers.ledger
        wire, lacks = int(wanted.wires[place]), wanted.sought[place] & ~wanted.have[place]
        if ledger is None or not model.ask(wire, tokens.members(lacks), solver):
            return False
        ledger.add_parts(model.assignment(solver), np.array([wire]))
        self.settle(Argument.CPSAT)
        return True
