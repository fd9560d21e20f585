"""The model of one window: the tokens of a few rows, its board, while they are on these rows."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from ortools.sat.python import cp_model

from mixsafe.solver.state.tokens import TokenSets, holds
from mixsafe.solver.state.witness import complete, fault
from mixsafe.solver.windows.window_context import WindowContext, board_wires, carry

_MAX_CONSTRUCTIONS = 8  # ways off the board that are tried when carriers collide


@dataclass(frozen=True)
class WindowEffort:
    """How much one question is worth.

    Parameters
    ----------
    rounds
        Windows that are tried.
    literals
        Size of a model beyond which it is not solved.
    work
        CP-SAT's deterministic time for one model: the same on every machine.
    partners
        Rows that join the board with those pushed off it, because they meet it most often.
    """

    rounds: int
    literals: int
    work: float
    partners: int


@dataclass(frozen=True)
class Found:
    """Outcome of a question to windows.

    ``assignment`` is a witness; without one, ``refuted`` says whether it is proven that there is
    no further candidate; and if not, nothing is known.
    """

    refuted: bool = False
    assignment: npt.NDArray[np.int32] | None = None


class Window:
    """The relaxation of one window on a board of few rows.

    The tokens of the board's rows are followed until they leave it. They leave it for nothing
    where free carriers can take them home; where they push somebody else off who must be home
    again, that is a cost, and so is not being home when the window ends.
    """

    def __init__(
        self, around: WindowContext, begin: int, end: int, board: list[int], effort: WindowEffort
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
        wires = board_wires(
            token, np.array(self._board), self._begin, self._end,
            around.possible, network.wires,
        )  # fmt: skip
        coming: dict[int, list[cp_model.IntVar]] = defaultdict(list)
        leaving: dict[int, list[cp_model.IntVar]] = defaultdict(list)
        at_begin = []
        start, end, owner = network.start[wires], network.end[wires], network.row[wires]
        for i, wire in enumerate(wires.tolist()):
            literal = self._new_literal()
            self._on_wire[wire][token] = literal
            if end[i] < self._end:
                coming[int(network.leads_to[wire])].append(literal)
            elif owner[i] != token and not self._carried(wire, token, around.returns):
                self._open_ends.append(literal)
            if start[i] > self._begin:
                leaving[int(network.comes_from[wire])].append(literal)
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
        return bool(self._around.free[wire] and holds(sets[wire], token))

    def _ways_out(self, zone: int, token: int) -> list[cp_model.IntVar]:
        """Off the board at a zone: once for all carriers, and once for each row pushed off."""
        network, around = self._around.core.network, self._around
        out, by_carrier = [], False
        members = slice(network.zone_ptr[zone], network.zone_ptr[zone + 1])
        for row, wire in zip(
            network.member[members].tolist(), (network.before[members] + 1).tolist(), strict=True
        ):
            if row in self._board or not holds(around.possible[wire], token):
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
            off_at = off.get(token, -1)
            if not carry(token, self._begin, self._end, off_at, told, around.carriers):
                return None
        tracked = np.zeros(network.n_rows, bool)
        tracked[self._board] = True
        assignment = complete(around.core, told, tracked)
        return assignment if fault(around.core, assignment) is None else None
