"""Windows of time around an open wire: few tokens on few rows, decided by CP-SAT.

The model of a window follows the tokens of a few rows, its board, while they are on these rows,
and forgets everything else. That is a relaxation: if it has no solution, there is none (DESIGN,
fact 9). If it has one in which the followed tokens come from home and get home again, and nobody
else who must be home is pushed off, it is a witness. Otherwise those who were pushed off join the
board, or the window grows, and the question is asked again.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit
from ortools.sat.python import cp_model

from mixsafe.verify.answers import Deadline
from mixsafe.verify.carriers import carrier_wires, free_wires
from mixsafe.verify.core import Core
from mixsafe.verify.reachability import can_come, can_return
from mixsafe.verify.tokens import TokenSets
from mixsafe.verify.witness import complete, fault

_MAX_CONSTRUCTIONS = 8  # ways off the board that are tried when carriers collide


@dataclass(frozen=True)
class Effort:
    """How much one question is worth.

    Parameters
    ----------
    rounds
        Windows that are tried.
    literals
        Size of a model beyond which it is not solved.
    work
        CP-SAT's deterministic time for one model: the same on every machine.
    companions
        Rows that join the board with those pushed off it, because they meet it most often.
    """

    rounds: int
    literals: int
    work: float
    companions: int


EFFORT = Effort(rounds=16, literals=20_000, work=2.0, companions=1)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What windows need to know of the whole problem.

    Parameters
    ----------
    core, possible
        The question, and an upper bound on the tokens of each wire.
    free
        (n_wires,) bool: wires of rows of whose tokens nothing more is known.
    comes, returns
        (n_wires, words): tokens that free carriers can bring from home to a wire, and from a wire
        to home before they are seen there again.
    comes_from, leads_to
        (n_wires,) zone at the start and at the end of each wire, -1 for none.
    """

    core: Core
    possible: TokenSets
    free: npt.NDArray[np.bool_]
    comes: TokenSets
    returns: TokenSets
    comes_from: npt.NDArray[np.int64]
    leads_to: npt.NDArray[np.int64]

    @classmethod
    def of(cls, core: Core, possible: TokenSets) -> Surroundings:
        """Surroundings of any window of ``core``."""
        network = core.network
        own, _, free = free_wires(core)
        allowed = carrier_wires(core, free)
        zone = np.repeat(np.arange(network.n_zones), np.diff(network.zone_ptr))
        comes_from = np.full(network.n_wires, -1)
        comes_from[network.before + 1] = zone
        leads_to = np.full(network.n_wires, -1)
        leads_to[network.before] = zone
        return cls(
            core,
            possible,
            free,
            can_come(own, allowed),
            can_return(own, allowed),
            comes_from,
            leads_to,
        )


@dataclass(frozen=True)
class Found:
    """Outcome of a question to windows.

    ``assignment`` is a witness; without one, ``refuted`` says whether it is proven that there is
    no further candidate; and if not, nothing is known.
    """

    refuted: bool = False
    assignment: npt.NDArray[np.int32] | None = None


def another_candidate(
    around: Surroundings,
    wire: int,
    known: npt.NDArray[np.int64],
    deadline: Deadline,
    effort: Effort = EFFORT,
    reach: int = 6,
) -> Found:
    """Look for a token on ``wire`` that is not among the ``known`` candidates.

    Parameters
    ----------
    around
        The problem.
    wire
        The wire asked about.
    known
        Its candidates so far, its own token among them.
    deadline
        When to give up.
    effort
        How much to try.
    reach
        Wires of the row to either side that the first window spans, >= 1.
    """
    network = around.core.network
    row = int(network.row[wire])
    board = dict.fromkeys([row, *known.tolist()])
    for _ in range(effort.rounds):
        begin = int(network.start[max(network.first[row], wire - reach)])
        end = int(network.end[min(network.first[row + 1] - 1, wire + reach)])
        window = _Window(around, begin, end, list(board), effort)
        if window.n_literals > effort.literals or deadline.passed:
            return Found()
        outcome = window.solve(wire, known.tolist())
        if outcome is not None:
            return outcome
        if window.displaced:
            board.update(dict.fromkeys(window.displaced))
            friends = _companions(around, list(board), begin, end, effort.companions)
            board.update(dict.fromkeys(friends))
        elif (begin, end) == (0, network.horizon):
            return Found()
        else:
            reach *= 3
    return Found()


def _companions(
    around: Surroundings, board: list[int], begin: int, end: int, number: int
) -> list[int]:
    """Rows that meet the board most often in a window: with them, exchanges can be undone."""
    network = around.core.network
    zones = []
    for row in board:
        wires = slice(network.first[row] + 1, network.first[row + 1])
        zone = around.comes_from[wires]
        zones.append(zone[(network.start[wires] > begin) & (network.start[wires] <= end)])
    unique = np.unique(np.concatenate(zones))
    low, high = network.zone_ptr[unique], network.zone_ptr[unique + 1]
    entry = np.repeat(low - np.concatenate([[0], np.cumsum(high - low)[:-1]]), high - low)
    met = np.bincount(network.member[entry + np.arange(len(entry))], minlength=network.n_rows)
    met[board] = 0
    best = np.argsort(-met, kind="stable")[:number]
    return [int(row) for row in best if met[row] > 1]


class _Window:
    """The relaxation of one window on a board of few rows.

    The tokens of the board's rows are followed until they leave it. They leave it for nothing
    where free carriers can take them home; where they push somebody else off who must be home
    again, that is a cost, and so is not being home when the window ends.
    """

    def __init__(
        self, around: Surroundings, begin: int, end: int, board: list[int], effort: Effort
    ) -> None:
        self._around = around
        self._begin, self._end = begin, end
        self._board = board
        self._model = cp_model.CpModel()
        self._solver = cp_model.CpSolver()
        self._solver.parameters.num_workers = 1
        self._solver.parameters.catch_sigint_signal = False  # no interruption becomes an UNKNOWN
        # Small models, asked by the thousand: CP-SAT's preparations cost more than they bring.
        self._solver.parameters.max_presolve_iterations = 1
        self._solver.parameters.cp_model_probing_level = 0
        self._solver.parameters.symmetry_level = 0
        self._solver.parameters.linearization_level = 0
        self._solver.parameters.max_deterministic_time = effort.work
        self._on_wire: dict[int, dict[int, cp_model.IntVar]] = defaultdict(dict)
        self._exits: dict[tuple[int, int], cp_model.IntVar] = {}
        self._pushed: dict[int, cp_model.IntVar] = {}
        self._open_ends: list[cp_model.IntVar] = []
        self.n_literals = 0
        self.displaced: list[int] = []
        for token in board:
            self._add_token(token)

    def _add_token(self, token: int) -> None:
        """A token is on one wire of the board at a time, until it leaves the board."""
        network, around = self._around.core.network, self._around
        wires = _board_wires(
            token, np.array(self._board), self._begin, self._end,
            around.possible, network.first, network.start,
        )  # fmt: skip
        coming: dict[int, list[cp_model.IntVar]] = defaultdict(list)
        leaving: dict[int, list[cp_model.IntVar]] = defaultdict(list)
        at_begin = []
        start, end, owner = network.start[wires], network.end[wires], network.row[wires]
        for i, wire in enumerate(wires.tolist()):
            literal = self._new_literal()
            self._on_wire[wire][token] = literal
            if end[i] < self._end:
                coming[int(around.leads_to[wire])].append(literal)
            elif owner[i] != token and not self._carried(wire, token, around.returns):
                self._open_ends.append(literal)
            if start[i] > self._begin:
                leaving[int(around.comes_from[wire])].append(literal)
            else:
                at_begin.append(literal)
                if owner[i] != token and not self._carried(wire, token, around.comes):
                    self._open_ends.append(literal)
        if self._begin > 0:  # it may have left the board before
            at_begin.append(self._new_literal())
            self._open_ends.append(at_begin[-1])
        self._model.add_exactly_one(at_begin)
        for zone in coming.keys() | leaving.keys():
            left = leaving[zone] + (self._ways_out(zone, token) if coming[zone] else [])
            self._model.add(sum(coming[zone]) == sum(left))

    def _new_literal(self) -> cp_model.IntVar:
        self.n_literals += 1
        return self._model.new_bool_var("")

    def _carried(self, wire: int, token: int, sets: TokenSets) -> bool:
        """Whether free carriers do the rest."""
        return bool(self._around.free[wire] and _has(sets, wire, token))

    def _ways_out(self, zone: int, token: int) -> list[cp_model.IntVar]:
        """Off the board at a zone: once for all carriers, and once for each row pushed off."""
        network, around = self._around.core.network, self._around
        out, by_carrier = [], False
        members = slice(network.zone_ptr[zone], network.zone_ptr[zone + 1])
        for row, wire in zip(
            network.member[members].tolist(), (network.before[members] + 1).tolist(), strict=True
        ):
            if row in self._board or not _has(around.possible, wire, token):
                continue
            if self._carried(wire, token, around.returns):
                by_carrier = True
                continue
            if row not in self._pushed:
                self._pushed[row] = self._new_literal()
            out.append(self._new_literal())
            self._model.add_implication(out[-1], self._pushed[row])
        if by_carrier:
            self._exits[token, zone] = self._new_literal()
            out.append(self._exits[token, zone])
        return out

    def solve(self, wire: int, known: list[int]) -> Found | None:
        """Ask for a token on ``wire`` that is not ``known``.

        None: the window is too small to tell, and ``displaced`` says who should be on the board.
        """
        for literals in self._on_wire.values():
            if len(literals) > 1:
                self._model.add_at_most_one(literals.values())
        on_it = self._on_wire.get(wire, {})
        self._model.add_bool_and(on_it[token].negated() for token in known if token in on_it)
        for _ in range(_MAX_CONSTRUCTIONS):
            self._model.minimize(sum(self._pushed.values()) + sum(self._open_ends))
            status = self._solver.solve(self._model)
            if status != cp_model.OPTIMAL:
                return Found(refuted=status == cp_model.INFEASIBLE)
            if self._solver.objective_value > 0:
                chosen = self._solver.boolean_value
                self.displaced = [row for row, pushed in self._pushed.items() if chosen(pushed)]
                return None
            assignment = self._witness()
            if assignment is not None and assignment[wire] not in known:
                return Found(assignment=assignment)
            if not self._exits:
                return Found()
            self._forbid_exits()
        return Found()

    def _forbid_exits(self) -> None:
        """Cut the present way of leaving the board off: the carriers got in each other's way."""
        used = [lit for lit in self._exits.values() if self._solver.boolean_value(lit)]
        spare = self._new_literal()  # a cost, so that running out of ways is no refutation
        self._open_ends.append(spare)
        self._model.add_bool_or([lit.negated() for lit in used] + [spare])

    def _witness(self) -> npt.NDArray[np.int32] | None:
        """Whole assignment: the paths on the board, carried from home and back home.

        None when the carried parts get in each other's way.
        """
        network, around = self._around.core.network, self._around
        told = np.full(network.n_wires, -1, np.int32)
        for wire, literals in self._on_wire.items():
            for token, literal in literals.items():
                if self._solver.boolean_value(literal):
                    told[wire] = token
        off = {
            token: zone
            for (token, zone), lit in self._exits.items()
            if self._solver.boolean_value(lit)
        }
        for token in self._board:
            if not _carry(
                token, self._begin, self._end, off.get(token, -1), told, around.free,
                around.comes, around.returns, network.first, network.start,
                around.comes_from, around.leads_to, network.zone_ptr, network.before, network.row,
            ):  # fmt: skip
                return None
        tracked = np.zeros(network.n_rows, bool)
        tracked[self._board] = True
        assignment = complete(around.core, told, tracked)
        return assignment if fault(around.core, assignment) is None else None


def _has(sets: TokenSets, wire: int, token: int) -> bool:
    return bool(sets[wire, token // 64] >> np.uint64(token % 64) & np.uint64(1))


@njit(cache=True)
def _board_wires(  # pragma: no cover - compiled
    token: int,
    board: npt.NDArray[np.int64],
    begin: int,
    end: int,
    possible: TokenSets,
    first: npt.NDArray[np.int64],
    start: npt.NDArray[np.int32],
) -> npt.NDArray[np.int64]:
    """Wires of the board's rows between two steps (inclusive) on which ``token`` may be."""
    word, bit = token // 64, np.uint64(1) << np.uint64(token % 64)
    found = []
    for v in board:
        wire = _wire_at(v, begin, first, start)
        while wire < first[v + 1] and start[wire] <= end:
            if possible[wire, word] & bit:
                found.append(wire)
            wire += 1
    return np.array(found, dtype=np.int64)


@njit(cache=True)
def _wire_at(  # pragma: no cover - compiled
    row: int, step: int, first: npt.NDArray[np.int64], start: npt.NDArray[np.int32]
) -> int:
    low, high = first[row], first[row + 1]
    while high - low > 1:
        middle = (low + high) // 2
        if start[middle] <= step:
            low = middle
        else:
            high = middle
    return low


@njit(cache=True)
def _carry(  # pragma: no cover - compiled
    token: int,
    begin: int,
    end: int,
    exit_zone: int,
    told: npt.NDArray[np.int32],
    free: npt.NDArray[np.bool_],
    comes: TokenSets,
    returns: TokenSets,
    first: npt.NDArray[np.int64],
    start: npt.NDArray[np.int32],
    comes_from: npt.NDArray[np.int64],
    leads_to: npt.NDArray[np.int64],
    zone_ptr: npt.NDArray[np.int64],
    before: npt.NDArray[np.int64],
    row: npt.NDArray[np.int32],
) -> bool:
    """Write to ``told`` how carriers bring ``token`` to its window, and home from it.

    ``exit_zone`` is where it leaves the board; -1: it is on the board to the end.
    """
    head = _wire_with(token, begin, told, first, start)
    tail = _wire_with(token, end, told, first, start)
    if exit_zone >= 0:
        for m in range(zone_ptr[exit_zone], zone_ptr[exit_zone + 1]):
            if told[before[m]] == token:
                tail = before[m]
    if head < 0 or tail < 0:
        return False
    while comes_from[head] >= 0:  # back in time, home as soon as possible
        head = _next_carrier(
            token, head, comes_from[head], 0, told, free, comes, zone_ptr, before, row
        )
        if head < 0:
            return False
        told[head] = token
    while leads_to[tail] >= 0:  # on in time, home as soon as possible
        tail = _next_carrier(
            token, tail, leads_to[tail], 1, told, free, returns, zone_ptr, before, row
        )
        if tail < 0:
            return False
        told[tail] = token
    return head == first[token]


@njit(cache=True)
def _wire_with(  # pragma: no cover - compiled
    token: int,
    step: int,
    told: npt.NDArray[np.int32],
    first: npt.NDArray[np.int64],
    start: npt.NDArray[np.int32],
) -> int:
    """Wire that holds ``token`` at ``step``; -1: none is told to."""
    for v in range(len(first) - 1):
        wire = _wire_at(v, step, first, start)
        if told[wire] == token:
            return wire
    return -1


@njit(cache=True)
def _next_carrier(  # pragma: no cover - compiled
    token: int,
    here: int,
    zone: int,
    side: int,
    told: npt.NDArray[np.int32],
    free: npt.NDArray[np.bool_],
    carried: TokenSets,
    zone_ptr: npt.NDArray[np.int64],
    before: npt.NDArray[np.int64],
    row: npt.NDArray[np.int32],
) -> int:
    """Wire before (``side`` 0) or after (1) a zone to go on with: home, or stay, or any."""
    word, bit = token // 64, np.uint64(1) << np.uint64(token % 64)
    best, rank = -1, 0
    for m in range(zone_ptr[zone], zone_ptr[zone + 1]):
        wire = before[m] + side
        home = row[wire] == token
        if told[wire] < 0 and (home or (free[wire] and carried[wire, word] & bit)):
            worth = 3 if home else 2 if row[wire] == row[here] else 1
            if worth > rank:
                best, rank = wire, worth
    return best
