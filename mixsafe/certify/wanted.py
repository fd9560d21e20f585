"""What witnesses are still to show: on which wires, and how many tokens more.

What is proven, but has no witness yet, is asked of engine ``auto`` again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.certify.swap_cover import Swaps
from mixsafe.machinery.compiled import inner, tiered
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

Ints = npt.NDArray[np.int64]
Whole = npt.NDArray[np.int32]

_NONE = np.zeros(0, np.int64)
_SOLVED = 1_000_000  # tokens on wires that a model may tell apart
_SOLVING = 5.0  # of CP-SAT's own seconds, the same on every machine, for one witness


class WantedWitnesses(NamedTuple):
    """Wires whose witnesses are wanted, and what they show so far.

    Parameters
    ----------
    place
        (n_wires,) int32: number of each such wire; -1: none are wanted.
    wires
        (n,) int64, ascending.
    missing
        (n,) int32: tokens that are still to be shown.
    have
        (n, words): tokens that are shown, the own one among them.
    sought
        (n, words): tokens that are proven, those among them.
    shown_by
        (n, most) int32: numbers of the witnesses that show them, the own one first; -1: none yet.
    n_shown
        (n,) int32: how many there are.
    """

    place: Whole
    wires: Ints
    missing: Whole
    have: TokenSets
    sought: TokenSets
    shown_by: Whole
    n_shown: Whole

    @classmethod
    def of(cls, need: Whole, row: Whole, proven: TokenSets) -> WantedWitnesses:
        """Wanted wires, where ``need``, (n_wires,), tokens besides the own one are to be shown.

        Parameters
        ----------
        need, row
            (n_wires,) int32 each: how many, and the rows of the wires.
        proven
            (n_wires, words): tokens of which witnesses exist.
        """
        wires = np.flatnonzero(need > 0)
        place = np.full(len(need), -1, np.int32)
        place[wires] = np.arange(len(wires))
        shown_by = np.full((len(wires), 1 + int(need.max(initial=0))), -1, np.int32)
        shown_by[:, 0] = 0
        have = tokens.identity(row[wires], proven.shape[1])
        missing, own = need[wires].copy(), np.ones(len(wires), np.int32)
        return cls(place, wires, missing, have, proven[wires], shown_by, own)

    @classmethod
    def besides_swaps(
        cls, swaps: Swaps, need: Whole, row: Whole, proven: TokenSets
    ) -> WantedWitnesses:
        """Wanted wires that some swaps leave open.

        Parameters
        ----------
        swaps
            The first ones of all witnesses, after the identity.
        need, row, proven
            Number of tokens to show on each wire, its row, and its tokens that have witnesses.
        """
        shown = np.count_nonzero(swaps.shown_by >= 0, axis=1)
        wanted = cls.of(np.where(shown < need, need, 0), row, proven)
        for turn in range(swaps.shown_by.shape[1]):
            by = swaps.shown_by[wanted.wires, turn]
            those = np.flatnonzero(by >= 0)
            by, own = by[those], row[wanted.wires[those]]
            other = np.where(swaps.one[by] == own, swaps.other[by], swaps.one[by])
            wanted.note(those, other, 1 + by)
        return wanted

    @classmethod
    def of_pairs(cls, pairs: TokenSets, row: Whole) -> WantedWitnesses:
        """What is wanted where these tokens, and no others, are to be shown on each wire.

        All others count as shown.

        Parameters
        ----------
        pairs
            (n_wires, words): tokens that are proven.
        row
            (n_wires,) int32: rows of the wires.
        """
        need = tokens.count(pairs & ~tokens.identity(row, pairs.shape[1]))
        made = cls.of(need, row, pairs)
        everybody = tokens.everything(1, int(row.max()) + 1)
        return made._replace(have=(everybody & ~made.sought) | made.have)

    @property
    def open(self) -> Ints:
        """Wires that lack witnesses, ascending."""
        return self.wires[self.missing > 0]

    def targets(self) -> Targets:
        """What is to be found on the wires that lack witnesses."""
        left = self.missing > 0
        enough = tokens.count(self.have[left]) + self.missing[left]
        return Targets(self.open, enough, self._spread(self.sought))

    def shown(self) -> TokenSets:
        """(n_wires, words): the tokens that are shown on wanted wires."""
        return self._spread(self.have)

    def _spread(self, sets: TokenSets) -> TokenSets:
        """Sets of the wanted wires among those of all wires."""
        whole = np.zeros((len(self.place), sets.shape[1]), np.uint64)
        whole[self.wires] = sets
        return whole

    def lacks(self, wires: Ints, token: Whole) -> npt.NDArray[np.bool_]:
        """(n,) whether each of some wires lacks the token at the same place."""
        place = self.place[wires].astype(np.int64)
        lacking = (place >= 0) & (self.missing[place] > 0) if len(self.wires) else place >= 0
        lacking[lacking] = ~tokens.are_in(self.have, place[lacking], token[lacking])
        return lacking

    def lacking(self) -> tuple[Ints, Whole]:
        """(n,) each: wires that lack witnesses, and tokens that are sought on them."""
        left = np.flatnonzero(self.missing > 0)
        on, token = tokens.pairs(self.sought[left] & ~self.have[left])
        return self.wires[left[on]], token.astype(np.int32)

    def note(self, places: Ints, shown: Whole, by: Whole | int) -> None:
        """Note that witnesses show new tokens, one on each of some wires, by their numbers."""
        tokens.put(self.have, places, shown)
        self.shown_by[places, self.n_shown[places]] = by
        self.n_shown[places] += 1
        self.missing[places] -= 1


def take(wanted: WantedWitnesses, differences: Differences, number: int) -> Differences:
    """Record wanted tokens that witnesses show; returns the witnesses that show some.

    Parameters
    ----------
    wanted
        Is changed.
    differences
        The witnesses.
    number
        Of the first witness that shows something.
    """
    used = np.zeros(differences.n, np.bool_)
    _take(wanted, differences, used, number)
    return differences.among(used)


@tiered
def _take(  # pragma: no cover - compiled
    wanted: WantedWitnesses, differences: Differences, used: npt.NDArray[np.bool_], number: int
) -> None:
    """Note what is new, in the order of the witnesses, which get numbers as they are used."""
    for witness in range(len(used)):
        for i in range(differences.ptr[witness], differences.ptr[witness + 1]):
            place = wanted.place[differences.wire[i]]
            if place >= 0 and lacks(place, differences.token[i], wanted):
                note_new(place, differences.token[i], number, wanted)
                used[witness] = True
        number += used[witness]


@inner
def lacks(place: int, token: int, wanted: WantedWitnesses) -> bool:  # pragma: no cover - compiled
    """Whether a token is still to be shown on a wire, by the number of this."""
    return bool(wanted.missing[place] > 0 and not tokens.holds(wanted.have[place], token))


@inner
def note_new(  # pragma: no cover - compiled
    place: int, token: int, number: int, wanted: WantedWitnesses
) -> None:
    """Note that a witness shows a token that a wire lacks."""
    tokens.add(wanted.have[place], token)
    wanted.shown_by[place, wanted.n_shown[place]] = number
    wanted.n_shown[place] += 1
    wanted.missing[place] -= 1


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
