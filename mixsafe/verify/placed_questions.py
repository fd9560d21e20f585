"""Questions of engine ``auto`` about the places of candidates.

Where the proven candidates of a row are at too few places, only tokens at further places matter:
the searches of ``auto`` look for them, and for proofs that they are no candidates.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course
from mixsafe.model.csr import distinct
from mixsafe.solver.local import annealing
from mixsafe.solver.sat.cpsat import MAX_VARIABLES, FlowModel, Solver, ask_once, asked_tokens
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers, Finding
from mixsafe.solver.state.searches import Questions, Restarts, Targets, run_steps
from mixsafe.solver.strategy import DEFAULT, Strategy
from mixsafe.verify.place_counts import PlaceCounter, PlaceStretches

Ints = npt.NDArray[np.int64]


class PlacedQuestions(Questions):
    """Whether candidates of rows are at so many places.

    Parameters
    ----------
    answers
        What is known of the candidates.
    of
        The rows.
    least
        Places that each of them needs.
    counter
        Where tracks are.
    """

    def __init__(
        self,
        answers: Answers,
        of: PlaceStretches,
        least: int,
        counter: PlaceCounter,
        strategy: Strategy = DEFAULT,
    ) -> None:
        super().__init__(answers, strategy)
        self._of, self._least, self._counter = of, least, counter
        self._settled_by = np.full(len(of.sets), Argument.NONE, np.uint8)
        self._recount(Argument.NONE)

    def _recount(self, argument: Argument) -> None:
        """Look which rows are open, and which tokens matter for them."""
        left = np.flatnonzero(self._settled_by == Argument.NONE)
        of = PlaceStretches._make(column[left] for column in self._of)
        known = self.answers.proven, self.answers.possible
        counts = self._counter.count(of, *known)
        further = self._counter.further(of, *known, self._least)
        is_open = (counts.lower < self._least) & (counts.upper >= self._least)
        is_open &= further.any(axis=1)
        self._settled_by[left[~is_open]] = argument
        self._wires = distinct(of.sets[is_open])
        self._missing = np.zeros((len(self._wires), further.shape[1]), np.uint64)
        at = np.searchsorted(self._wires, of.sets[is_open])
        np.bitwise_or.at(self._missing, at, further[is_open])
        self._n_open = int(np.count_nonzero(is_open))
        needed = np.zeros(len(self._wires), np.int32)
        np.maximum.at(needed, at, (self._least - counts.lower)[is_open])
        self._enough = self.answers.lower[self._wires] + needed

    @property
    def settled_by(self) -> npt.NDArray[np.uint8]:
        """(n_rows,) argument that settled each row; NONE: it is open."""
        return self._settled_by

    @property
    def n_asked(self) -> int:
        """Number of rows."""
        return len(self._settled_by)

    @property
    def n_open(self) -> int:
        """Number of rows whose places are not settled, and may be."""
        return self._n_open

    def targets(self) -> Targets:
        """Wires of open rows, and the tokens at further places."""
        sought = self.answers.proven.copy()
        sought[self._wires] |= self._missing
        return Targets(self._wires, self._enough, sought)

    def restarts(self, targets: Targets, seed: int) -> Restarts:
        """For some of the wires a token each that matters, drawn; if there are few, several."""
        random = np.random.default_rng(seed)
        on, token = tokens.pairs(self._missing)
        fewest, most = self.strategy.restarts
        drawn = random.permutation(len(on))
        _, first = np.unique(on[drawn], return_index=True)
        once_each = random.permutation(drawn[first])[:most]
        others = np.setdiff1d(drawn, once_each, assume_unique=True)
        chosen = np.concatenate([once_each, random.permutation(others)])
        chosen = chosen[: max(len(once_each), fewest)]
        return Restarts(targets.wires[on[chosen]], token[chosen])

    def settle(self, argument: Argument, wires: Ints | None = None) -> None:
        """Count candidates and places again."""
        super().settle(argument, wires)
        self._recount(argument)

    def finish(self, course: Course) -> None:
        """Annealing, then CP-SAT for what it leaves open."""
        run_steps(annealing.steps(self, course), self, course)
        size = int(self.answers.upper.sum(dtype=np.int64))
        if not self.n_open or course.passed or size > MAX_VARIABLES:
            return
        answers, n_asked = self.answers, len(self._wires)
        answers.ask(self._wires, np.full(n_asked, np.iinfo(np.int32).max, np.int32))
        model = FlowModel(answers.core, answers.possible, asked_tokens(answers))
        solver = Solver(course)
        while self.n_open:
            course.progress("asking CP-SAT", self.n_asked - self.n_open, self.n_asked)
            wire, missing = int(self._wires[0]), tokens.members(self._missing[0])
            finding = ask_once(answers, model, solver, f"places {wire}", (wire, missing))
            if finding is None:
                return
            self._take_in(wire, missing, finding)
            self._recount(Argument.CPSAT)

    def _take_in(self, wire: int, missing: Ints, finding: Finding) -> None:
        """Add a witness, or that none of the tokens can be on the wire."""
        answers = self.answers
        if finding.tokens is None:
            answers.possible[wire] &= ~tokens.set_of(missing, answers.core.words)
            answers.settle(Argument.CPSAT, np.array([wire]))
        else:
            answers.take_in(finding, Argument.CPSAT)
