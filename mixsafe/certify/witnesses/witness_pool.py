"""Witnesses that many claims share: a pool in which each wire shows k tokens.

They are found by the cheapest way that works: swaps for all wires at once, exchanges through others
as the engine's own sweep tells them, what the engine kept because it would be hard to find again,
short walks, annealing around the last wires, then, wire by wire, CP-SAT. All but swaps
end with the deadline, and each has an end of its own: what is not found then is not certified, and
never guessed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt
from ortools.sat.python import cp_model

from mixsafe.certify.witnesses import efforts
from mixsafe.certify.witnesses.differences import Differences, exchanges_of, joined, swap_exchanges
from mixsafe.certify.witnesses.found_so_far import state_of, taken_up
from mixsafe.certify.witnesses.short_walks import Pace, walk
from mixsafe.certify.witnesses.swap_cover import cover
from mixsafe.certify.witnesses.told_witnesses import told_witnesses
from mixsafe.certify.witnesses.untangling import needed_parts
from mixsafe.certify.witnesses.wanted import Wanted
from mixsafe.journal.steps import Journal, NoJournal
from mixsafe.model.answer.certificate import Witnesses
from mixsafe.model.answer.ragged import Ragged
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.solver.auto import Publisher
from mixsafe.solver.local.annealing import is_small
from mixsafe.solver.local.histories import landscape, near
from mixsafe.solver.local.luck import no_luck
from mixsafe.solver.local.rounds import Round, anneal_once
from mixsafe.solver.local.workspaces import Workspaces
from mixsafe.solver.propagate.reachability import narrow
from mixsafe.solver.sat.cpsat import FlowModel, new_solver
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.findings import assignments
from mixsafe.solver.state.questions import Targets, Tries
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Assignment
from mixsafe.solver.strategy import DEFAULT

Ints = npt.NDArray[np.int64]

_STAGE = "finding witnesses"
_SOLVED = 1_000_000  # tokens on wires that a model may tell apart
_SOLVING = 5.0  # of CP-SAT's own seconds, the same on every machine, for one witness


class Pool:
    """Witnesses, and for each asked wire those that show different tokens on it.

    Parameters
    ----------
    answers
        What is proven.
    need
        (n_wires,) int32: tokens beside its own that each wire is to show; 0 where none are wanted.
    deadline
        When to search no more.
    pairs
        (n_wires, words): proven tokens that are to be shown, each on its wire, where it matters
        which ones; then nothing else is needed.
    journal
        What keeps long steps for a run that goes on from there.
    """

    def __init__(
        self,
        answers: Answers,
        need: npt.NDArray[np.int32],
        deadline: Deadline,
        pairs: TokenSets | None = None,
        journal: Journal | None = None,
    ) -> None:
        self._journal, self._luck = journal or NoJournal(), no_luck()
        self._answers, self._deadline = answers, deadline
        self._questions = Publisher(answers)
        self._progress: Progress = no_progress
        self._walks = 0
        self._core = answers.core
        self._swaps = cover(self._core, need)
        self._told_apart = pairs is not None
        row = self._core.network.row
        if pairs is None:
            self._wanted = Wanted.beside(self._swaps, need, row, answers.proven)
            self._total = int(np.count_nonzero(need))
        else:
            self._wanted = Wanted.of_pairs(pairs, row)
            self._total = len(self._wanted.open)
        self._told: list[Differences] = []
        self._size = 1 + len(self._swaps.one)  # the identity is the first, then come swaps

    @property
    def differences(self) -> Differences:
        """Those that are no swaps, by where they differ from the identity."""
        return joined(self._told)

    @property
    def witnesses(self) -> Witnesses:
        """All of them: the identity, swaps, and the others."""
        swaps = swap_exchanges(self._core, self._swaps)
        return Witnesses.joined(
            [Witnesses.home(1), swaps, exchanges_of(self._core, self.differences)]
        )

    def shown_by(self, wires: Ints, k: npt.NDArray[np.int32]) -> Ragged:
        """Witnesses that show ``k`` tokens on each of ``wires``; none where there are fewer.

        Parameters
        ----------
        wires, k
            (n,) each.
        """
        by = np.full((len(wires), 1 + self._swaps.shown_by.shape[1]), -1, np.int32)
        by[:, 0] = 0
        swapped = self._swaps.shown_by[wires]
        by[:, 1:] = np.where(swapped >= 0, swapped + 1, -1)
        place = self._wanted.place[wires]
        searched = np.flatnonzero(place >= 0)
        by[searched, : self._wanted.shown_by.shape[1]] = self._wanted.shown_by[place[searched]]
        enough = np.count_nonzero(by >= 0, axis=1) >= k
        kept = enough[:, None] & (np.arange(by.shape[1]) < k[:, None])
        return Ragged(np.concatenate([[0], np.cumsum(kept.sum(axis=1))]), by[kept])

    def fill(self, progress: Progress = no_progress) -> None:
        """Add witnesses until every wire shows enough tokens, or the time is up."""
        self._progress = progress
        if self._goes_on():
            self._step("told witnesses", self._take_told)
        self._walk(efforts.FIRST_WALKS)
        self._recall()
        few = len(self._wanted.open) <= efforts.MANY and not is_small(self._questions)
        self._walk(efforts.next_walks(efforts.LONG if few else 0), anneals=True)
        self._anneal()
        self._walk(efforts.next_walks(efforts.LONG))
        self._ask_solver()

    def _goes_on(self) -> bool:
        """Whether something is left, and time for it; tells how far it is."""
        left = len(self._wanted.open)
        self._progress(_STAGE, self._total - left, self._total)
        return left > 0 and not self._deadline.passed

    def _step(self, name: str, work: Callable[[], None]) -> None:
        """Take a step of the search, or recall what it brought to an earlier run."""
        kept = self._journal.recall(name)
        if kept is not None:
            told, self._luck = taken_up(kept, self._wanted)
            self._keep(told)
            return
        first = len(self._told)
        work()
        if self._deadline.passed:
            self._journal.cut()
        self._journal.keep(name, state_of(self._wanted, joined(self._told[first:]), self._luck))

    def _keep(self, told: Differences) -> None:
        self._told.append(told)
        self._size += len(told.ptr) - 1

    def _add(self, assignment: Assignment) -> bool:
        """Take in what an assignment shows that is wanted; whether that is anything."""
        wanted = self._wanted
        left = np.flatnonzero(wanted.missing > 0)
        shown = assignment[wanted.wires[left]]
        new = ~tokens.are_in(wanted.have, left, shown)
        left, shown = left[new], shown[new]
        if not len(left):
            return False
        wanted.note(left, shown, self._size)
        self._keep(needed_parts(self._core, assignment, wanted.wires[left]))
        return True

    def _take_told(self) -> None:
        """Few rows that exchange through others, as the engine proves tokens by them."""
        self._keep(told_witnesses(self._core, self._wanted, self._size, self._deadline))

    def _walk(self, paces: Iterable[Pace], *, anneals: bool = False) -> None:
        """Short walks around all that is left, as long as they find something.

        With ``anneals``, until annealing finds it sooner.
        """
        fruitless, share = 0, 1.0
        anneals &= not is_small(self._questions)
        for pace in paces:
            if not self._goes_on() or fruitless == efforts.PATIENCE:
                return
            left, n_wires = len(self._wanted.open), self._core.network.n_wires
            if anneals and efforts.is_annealed(left, share, pace, n_wires):
                return
            before = int(self._wanted.missing.sum())
            self._step("witness walk", partial(self._walk_once, pace))
            self._walks += 1
            share = 1 - int(self._wanted.missing.sum()) / before
            fruitless = 0 if share else fruitless + 1

    def _walk_once(self, effort: Pace) -> None:
        deadline, seed = self._deadline, self._walks
        self._keep(walk(self._core, self._wanted, effort, self._size, seed=seed, deadline=deadline))

    def _anneal(self) -> None:
        """Move many tokens where walks, which move few, take long."""
        if not self._goes_on() or is_small(self._questions):
            return
        wanted, network = self._wanted, self._core.network
        sought = tokens.identity(network.row, self._core.words)
        sought[wanted.wires] = wanted.sought
        workspaces = Workspaces(self._core, landscape(self._core, self._possible))
        for number, effort in enumerate(efforts.ROUNDS):
            if not self._goes_on():
                return
            work = partial(self._anneal_once, workspaces, sought, number, effort)
            self._step("witness annealing", work)

    def _anneal_once(
        self, workspaces: Workspaces, sought: TokenSets, number: int, effort: tuple[int, int]
    ) -> None:
        """A round of annealing around the wires that are left."""
        wanted, network = self._wanted, self._core.network
        moves, fewest = effort
        left = np.flatnonzero(wanted.missing > 0)
        wires, have = wanted.wires[left], wanted.have[left]
        enough = tokens.count(have) + wanted.missing[left]
        tries = np.repeat(wires, -(-fewest // len(wires)))
        asked = Round(
            Targets(wires, enough.astype(np.int32), sought),
            Tries(tries, np.full(len(tries), -1)),
            have,
            moves,
            self._luck,
            near(wires, network, workspaces.around) if moves > DEFAULT.annealing[0] else None,
        )
        found = anneal_once(workspaces, asked, seed=number, deadline=self._deadline)
        self._luck = self._luck.with_those_of(*found.luck)
        for assignment in assignments(found.witnesses, network.row):
            self._add(assignment)

    def _recall(self) -> None:
        """What the engine kept, because it would be hard to find again."""
        if self._answers.witnesses and self._goes_on():
            for assignment in assignments(self._answers.witnesses, self._core.network.row):
                self._add(assignment)

    @cached_property
    def _possible(self) -> TokenSets:
        """Tokens that may be on each wire: from home, and home again where they are seen.

        Models need that, and not every engine leaves it: ``dp`` bounds what it was asked only.
        """
        possible = self._answers.possible.copy()
        narrow(self._core, possible)
        return possible

    def _ask_solver(self) -> None:
        """Ask about all of it, wire by wire, unless that is too much for a solver."""
        if not self._goes_on() or int(tokens.count(self._possible).sum(dtype=np.int64)) > _SOLVED:
            return
        model = FlowModel(self._core, self._possible)
        solver = new_solver(SolveLimits(workers=1))
        solver.parameters.max_deterministic_time = _SOLVING
        for place in np.flatnonzero(self._wanted.missing > 0).tolist():
            if self._wanted.missing[place] > 0 and self._goes_on():
                self._step("witness model", partial(self._ask_of, model, solver, place))

    def _ask_of(self, model: FlowModel, solver: cp_model.CpSolver, place: int) -> None:
        wire = int(self._wanted.wires[place])
        while self._wanted.missing[place] > 0 and self._goes_on():
            if not math.isinf(self._deadline.left):
                solver.parameters.max_time_in_seconds = max(self._deadline.left, 0.01)
            wanted = self._wanted.sought[place] & ~self._wanted.have[place]
            status = model.ask(wire, tokens.members(wanted), solver)
            if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
                break
            if not self._add(model.assignment(solver)):
                break
