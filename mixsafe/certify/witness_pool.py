"""Witnesses that many claims share: a pool of assignments in which each wire shows k tokens.

Assignments are found again by the cheapest way that works: all wires at once by wandering through
solutions, single wires by seeking near the identity and over free rows, then by windows, then by
CP-SAT.
"""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cached_property

import numpy as np
import numpy.typing as npt
from ortools.sat.python import cp_model

from mixsafe.certify.carrying import CarriedWays
from mixsafe.certify.random_solution import Wanderer
from mixsafe.errors import MixsafeError, TimeUpError
from mixsafe.model.answer.certificate import Witnesses
from mixsafe.model.answer.ragged import Ragged
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.verify.bounds.reachability import narrow
from mixsafe.verify.core import tokens
from mixsafe.verify.core.answers import Answers
from mixsafe.verify.core.core import Core
from mixsafe.verify.core.findings import assignments
from mixsafe.verify.core.tokens import TokenSets
from mixsafe.verify.core.witness import Assignment
from mixsafe.verify.engines.cpsat import FlowModel, new_solver
from mixsafe.verify.search.window_context import WindowContext
from mixsafe.verify.search.windows import another_candidate

_STAGE = "finding witnesses"
_TIME_UP = "the time was up before there were witnesses of everything safe"
_ROUNDS = 40  # whole assignments that are drawn at most
_WORTH = 40  # moved wires that a whole assignment may spend on each new token
_FEW_TRIES = 60  # supports that are drawn around one wire at first,
_TRIES = 1000  # and when nothing cheap has helped
_CARRIES = 6  # ways of each wanted token over free rows that are drawn


def exchanges(core: Core, assignment: Assignment) -> Witnesses:
    """The exchanges in which tokens move, of a whole assignment, (n_wires,), of a question."""
    network = core.network
    moved = np.flatnonzero(assignment[network.before] != assignment[network.before + 1])
    zone = np.searchsorted(network.zone_ptr, moved, side="right") - 1
    heads = np.flatnonzero(np.diff(zone, prepend=-1))
    ptr = np.append(heads, len(moved))
    return Witnesses(
        np.array([0, len(heads)]),
        core.real_steps[network.zone_time[zone[heads]]],
        Ragged(ptr, network.member[moved]),
        Ragged(ptr, assignment[network.before[moved] + 1]),
    )


class Pool:
    """Witnesses, and for each asked wire those that show different tokens on it.

    Parameters
    ----------
    answers
        What is proven.
    wires, enough
        (n,) each: wires of safe claims, ascending, and how many tokens each is to show.
    deadline
        When to give up.

    Raises
    ------
    TimeUpError
        The deadline passed.
    """

    def __init__(
        self,
        answers: Answers,
        wires: npt.NDArray[np.int64],
        enough: npt.NDArray[np.int32],
        deadline: Deadline,
    ) -> None:
        self._answers, self._deadline = answers, deadline
        self._core = answers.core
        self._wires, self._missing = wires, enough.copy()
        self._shown = np.zeros((len(wires), self._core.words), np.uint64)
        self._shown_by: dict[int, list[int]] = defaultdict(list)
        self.witnesses: list[Witnesses] = []
        self._add(self._core.network.row.copy())

    def shown_by(self, wire: int, k: int) -> tuple[int, ...]:
        """Numbers of ``k`` witnesses that show different tokens on a wire that was asked for."""
        return tuple(self._shown_by[wire][:k])

    def _open(self) -> npt.NDArray[np.int64]:
        """Places in ``wires`` of those that do not show enough tokens yet."""
        self._go_on()
        return np.flatnonzero(self._missing > 0)

    def _go_on(self) -> None:
        if self._deadline.passed:
            raise TimeUpError(_TIME_UP)

    def _new(self, assignment: Assignment) -> npt.NDArray[np.int64]:
        """Places of wires for which an assignment shows a token that is still wanted."""
        left = self._open()
        return left[~tokens.are_in(self._shown, left, assignment[self._wires[left]])]

    def _add(self, assignment: Assignment) -> None:
        """Take an assignment in; the checker looks at all of them in the end."""
        new = self._new(assignment)
        tokens.put(self._shown, new, assignment[self._wires[new]])
        self._missing[new] -= 1
        for wire in self._wires[new].tolist():
            self._shown_by[wire].append(len(self.witnesses))
        self.witnesses.append(exchanges(self._core, assignment))

    def fill(self, progress: Progress = no_progress) -> None:
        """Add witnesses until every wire shows enough tokens.

        Raises
        ------
        TimeUpError
            The deadline passed.
        MixsafeError
            No witnesses were found for something that is proven: an engine or this is wrong.
        """
        wanderer = Wanderer(self._core)
        self._recall(progress)
        self._draw_whole(wanderer, progress)
        self._seek(wanderer, _FEW_TRIES, progress)
        self._seek(CarriedWays(self._core), _CARRIES, progress)
        self._seek(wanderer, _TRIES, progress)
        self._search_windows(progress)
        self._ask_solver()
        left = self._open()
        if len(left):
            wire = int(self._wires[left[0]])
            raise MixsafeError(
                f"internal error, no witnesses for {len(left)} safe wires were found, the first"
                f" of user number {self._core.network.row[wire]}; please report this problem"
            )

    def _recall(self, progress: Progress) -> None:
        """What the engine kept, because it would be hard to find again."""
        kept = self._answers.witnesses
        for number, assignment in enumerate(assignments(kept, self._core.network.row)):
            self._go_on()
            progress(_STAGE, number, len(kept))
            if len(self._new(assignment)):
                self._add(assignment)

    def _draw_whole(self, wanderer: Wanderer, progress: Progress) -> None:
        """Whole assignments, as long as each shows much that is new."""
        assignment = self._core.network.row.copy()
        for _ in range(_ROUNDS):
            left = self._open()
            if not len(left):
                return
            progress(_STAGE, len(self._wires) - len(left), len(self._wires))
            wanderer.wander(assignment, self._wires[left])
            moved = np.count_nonzero(assignment != self._core.network.row)
            new = len(self._new(assignment))
            if new == 0 or moved > _WORTH * new:
                return
            self._add(assignment)

    def _seek(self, seeker: Wanderer | CarriedWays, tries: int, progress: Progress) -> None:
        """Small assignments for one wire after the other."""
        for place in self._open().tolist():
            wire = int(self._wires[place])
            while self._missing[place] > 0:
                self._go_on()
                wanted = tokens.members(self._answers.proven[wire] & ~self._shown[place])
                found = seeker.seek(wire, wanted, tries)
                if found is None:
                    break
                self._add(found)
                progress(_STAGE, place, len(self._wires))

    @cached_property
    def _possible(self) -> TokenSets:
        """Tokens that may be on each wire: from home, and home again where they are seen.

        Models need that, and not every engine leaves it: ``dp`` bounds what it was asked only.
        """
        possible = self._answers.possible.copy()
        narrow(self._core, possible)
        return possible

    def _search_windows(self, progress: Progress) -> None:
        left = self._open()
        if not len(left):
            return
        around = WindowContext.of(self._core, self._possible)
        for place in left.tolist():
            wire = int(self._wires[place])
            while self._missing[place] > 0:
                self._go_on()
                progress(_STAGE, place, len(self._wires))
                shown = tokens.members(self._shown[place])
                found = another_candidate(around, wire, shown, self._deadline)
                if found.assignment is None:
                    break
                self._add(found.assignment)

    def _ask_solver(self) -> None:
        left = self._open()
        if not len(left):
            return
        model = FlowModel(self._core, self._possible)
        solver = new_solver(SolveLimits(workers=1))
        if not math.isinf(self._deadline.left):
            solver.parameters.max_time_in_seconds = max(self._deadline.left, 0.01)
        for place in left.tolist():
            wire = int(self._wires[place])
            while self._missing[place] > 0:
                self._go_on()
                wanted = tokens.members(self._answers.proven[wire] & ~self._shown[place])
                status = model.ask(wire, wanted, solver)
                if status == cp_model.UNKNOWN and not math.isinf(self._deadline.left):
                    raise TimeUpError(_TIME_UP)
                if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
                    break
                self._add(model.assignment(solver))
