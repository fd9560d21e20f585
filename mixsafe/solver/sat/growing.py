"""One open wire: boards that grow by those who cannot get home on them.

A candidate is led over the wire and home again, on all rows. The rows that it needs, and those of
the proven tokens, are a board. Where that has no witness, it tells which tokens get stuck: these
are led on all rows, too. If they all cannot be, the candidate is impossible; if they can, the
board grows by the rows that they need.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import Deadline
from mixsafe.network.core import Core
from mixsafe.network.subproblem import Subproblem
from mixsafe.solver.sat.all_rows import Span, led
from mixsafe.solver.sat.choice import candidates, partners, ways_out
from mixsafe.solver.sat.playing import play
from mixsafe.solver.sat.stretch import stretch
from mixsafe.solver.state import tokens
from mixsafe.solver.state.refutation import Refutation
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Assignment

Numbers = npt.NDArray[np.int64]


class BoardEffort(NamedTuple):
    """How much one wire is worth."""

    candidates: int = 6  # that are led over it
    rounds: int = 14  # boards for each
    rows: int = 90  # of a board
    partners: int = 8  # that join at a time
    stuck: int = 5  # tokens beyond which it is not asked on all rows why they are stuck
    conflicts: int = 10_000  # of each question


class Growth(NamedTuple):
    """What is to be settled on a wire.

    Parameters
    ----------
    core, possible
        The question, and at most what reachability leaves on each wire.
    wire
        Which one.
    proven
        Its candidates so far.
    enough
        Number of candidates that settles it.
    effort
        How much it is worth.
    deadline
        When to give up.
    """

    core: Core
    possible: TokenSets
    wire: int
    proven: Numbers
    enough: int
    effort: BoardEffort
    deadline: Deadline


def settle(growth: Growth) -> Iterator[Assignment | Refutation]:
    """Witnesses of further candidates, until there are enough, and proofs that some are none."""
    core, wire = growth.core, growth.wire
    others = np.setdiff1d(tokens.members(growth.possible[wire]), growth.proven)
    span = stretch(core, wire, growth.proven)
    ordered = candidates(core.network, others, wire, *span)
    for token in ordered[: growth.effort.candidates].tolist():
        if growth.deadline.passed or len(growth.proven) >= growth.enough:
            return
        found = None if token in growth.proven else _grow(growth, token)
        if found is not None:
            yield found
            if not isinstance(found, Refutation):
                growth = growth._replace(proven=np.union1d(growth.proven, found[wire : wire + 1]))


def _grow(growth: Growth, token: int) -> Assignment | Refutation | None:
    """Boards around one candidate."""
    core, wire, effort = growth.core, growth.wire, growth.effort
    base = np.union1d(growth.proven, [token])
    tracked = rows = base
    asks = True  # of the tracked tokens, whether they can all get home
    for _ in range(effort.rounds):
        span = Span(tracked, *stretch(core, wire, tracked))
        if asks:
            way = led(core, growth.possible, span, wire, token, effort.conflicts, growth.deadline)
            if way.refuted:
                return Refutation(wire, *span, token)
            if way.rows is None:
                return None
            rows = np.union1d(rows, way.rows)
        if len(rows) > effort.rows:
            return None
        board = Subproblem.of(core, rows, span.begin, span.end, compress=True)
        played = play(board, wire, growth.proven, effort.conflicts, growth.deadline)
        if played.witness is not None or played.stuck is None:
            return played.witness
        before, tracked = tracked, np.union1d(base, played.stuck[: effort.stuck])
        small = len(played.stuck) <= effort.stuck
        asks = small and not np.array_equal(before, tracked)
        rows = _joined(growth, rows, played.stuck[: effort.stuck], span)
    return None


def _joined(growth: Growth, rows: Numbers, stuck: Numbers, span: Span) -> Numbers:
    """The rows, and others on which stuck tokens can be, or whom the board meets often."""
    network, number = growth.core.network, growth.effort.partners
    time = (span.begin, span.end)
    more = [partners(network, rows, *time, number if not len(stuck) else 1)]
    share = -(-number // max(1, len(stuck)))
    more += [
        ways_out(network, growth.possible, token, rows, time, share) for token in stuck.tolist()
    ]
    return np.union1d(rows, np.concatenate(more))
