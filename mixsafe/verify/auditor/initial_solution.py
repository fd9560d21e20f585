"""An initial solution where the identity need not be one, or a proof that there is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from mixsafe.errors import InputError, MixsafeError
from mixsafe.model.course import Course
from mixsafe.model.csr import pointers
from mixsafe.network.core import Core
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.sat.cpsat import MAX_VARIABLES, FlowModel, Solver
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Assignment, complete, fault
from mixsafe.verify.auditor.negotiated_routes import route

_SMALL = 5_000  # literals of a model that is solved sooner than routes are negotiated
_TOGETHER = "the tokens cannot all be where they are pinned"


class NoSolutionError(InputError):
    """What is known contradicts what is published.

    Parameters
    ----------
    message
        Error message.
    pin
        The first pin that a token cannot satisfy after its earlier ones, whatever the others do;
        None: each token alone can satisfy its pins, but not all together.
    hint
        Suggested fix.
    """

    def __init__(self, message: str, *, pin: int | None = None, hint: str | None = None) -> None:
        self.pin = pin
        super().__init__(message, hint=hint)


def initial_solution(
    core: Core, n_known: int, course: Course
) -> tuple[Assignment | None, TokenSets]:
    """A solution of a question in which the identity need not be one, and what single tokens reach.

    Parameters
    ----------
    core
        The question of an auditor, of :func:`mixsafe.verify.auditor.paths.unnamed_start`.
    n_known
        Tokens 0 to n_known - 1 have pins; the others are anybody.

    Returns
    -------
    solution, possible
        (n_wires,) token on each wire, or None where a limit was reached first; and (n_wires, words)
        the wires that each token can reach.

    Raises
    ------
    NoSolutionError
        There is none.
    """
    possible = reachable(core)
    known = np.arange(core.network.n_rows) < n_known
    lost = known & ~_can_end(core, possible)
    if lost.any():
        raise NoSolutionError(_TOGETHER, pin=_first_in_vain(core, np.flatnonzero(lost)))
    row = _standing(core, possible, n_known)
    solution: Assignment | None = None
    if np.all(row >= 0):
        solution = _at_rest(core, row)
    elif core.network.n_zones <= 1 or not _fit_step_by_step(core):
        raise NoSolutionError(_TOGETHER)
    else:
        solution = _searched(core, possible, known, course)
    wrong = None if solution is None else fault(core, solution)
    if wrong is not None:
        raise MixsafeError(f"internal error, an initial solution is wrong: {wrong}")
    return solution, possible


def placeable(core: Core, n_known: int) -> npt.NDArray[np.bool_]:
    """(n_known,) bool: tokens that can be where they are pinned, as far as one sweep can tell.

    Two that are pinned to one and the same row exclude each other, and neither counts. Where rows
    meet at the start only, as many as can be there together.
    """
    possible = reachable(core)
    able = _can_end(core, possible)[:n_known]
    if core.network.n_zones <= 1:
        able &= _standing(core, possible, n_known) >= 0
    return able


def _fit_step_by_step(core: Core) -> bool:
    """Whether those who are pinned at one step fit on rows together, for each step."""
    pins = core.pins
    if not len(pins):
        return True
    pin = pins.pin_of_entry
    _, row = np.unique(
        pins.time[pin].astype(np.int64) * core.network.n_rows + pins.rows, return_inverse=True
    )
    fits = csr_array((np.ones(len(pin), np.int8), (pin, row)), (len(pins), int(row.max()) + 1))
    return bool(np.all(largest_matching(fits) >= 0))


def _standing(core: Core, possible: TokenSets, n_known: int) -> npt.NDArray[np.int32]:
    """(n_known,) row on which each token can be all the time, in a largest matching; or -1."""
    network = core.network
    after = possible.copy()
    if network.n_zones:
        after[network.first[:-1]] = ~np.uint64(0)  # where all rows meet, no token has to stay
    whole = np.bitwise_and.reduceat(after, network.first[:-1])
    bits = np.unpackbits(whole.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    return largest_matching(csr_array(bits[:, :n_known].T))


def _at_rest(core: Core, row: npt.NDArray[np.int32]) -> Assignment:
    """The solution in which the first tokens leave the start for a ``row`` each, and stay there."""
    network, token = core.network, np.full(core.network.n_rows, -1, np.int32)
    token[row] = np.arange(len(row))
    known = token[network.row]
    known[network.first[:-1]] = -1
    return complete(core, known, np.arange(network.n_rows) < len(row))


def largest_matching(fits: csr_array) -> npt.NDArray[np.int32]:
    """(n,) a column for each of the n rows of ``fits``, none twice; -1 for those left over.

    By Dinic's algorithm, which takes as many passes as Hopcroft's and Karp's: SciPy's own function
    for it may take exponential time (its issue 26147).
    """
    n, m = fits.shape
    # Node 0 is the source, then come rows and columns, and the sink is the last one.
    to = np.concatenate([1 + np.arange(n), 1 + n + fits.indices, np.full(m, n + m + 1)])
    degree = np.concatenate([[n], np.diff(fits.indptr), np.ones(m, np.int32), [0]])
    ptr = pointers(degree)
    unit = np.ones(len(to), np.int32)
    graph = csr_array((unit, to.astype(np.int32), ptr.astype(np.int32)), (n + m + 2, n + m + 2))
    flow = maximum_flow(graph, 0, n + m + 1).flow[1 : n + 1].tocoo()
    column = np.full(n, -1, np.int32)
    column[flow.row[flow.data > 0]] = flow.col[flow.data > 0] - n - 1
    return column


def _first_in_vain(core: Core, lost: npt.NDArray[np.int64]) -> int | None:
    """A pin that its token cannot satisfy after its earlier ones; None: others are in its way."""
    pins = core.pins
    for token in lost.tolist():
        mine = np.flatnonzero(pins.token == token)
        low, high = 0, len(mine)  # it can satisfy the first `low` pins
        while low < high:
            middle = (low + high) // 2
            first = replace(core, pins=pins.those(mine[: middle + 1]))
            if _can_end(first, reachable(first))[token]:
                low = middle + 1
            else:
                high = middle
        if low < len(mine):
            return int(mine[low])
    return None


def _can_end(core: Core, possible: TokenSets) -> npt.NDArray[np.bool_]:
    """(n_rows,) bool: tokens that can be on some wire at the end."""
    last = np.bitwise_or.reduce(possible[core.network.first[1:] - 1], axis=0)
    can_end = np.zeros(core.network.n_rows, bool)
    can_end[tokens.members(last)] = True
    return can_end


def _searched(
    core: Core, possible: TokenSets, known: npt.NDArray[np.bool_], course: Course
) -> Assignment | None:
    """Any solution, by negotiated routes or by CP-SAT; None: a limit was reached.

    Raises
    ------
    NoSolutionError
        There is none.
    """
    literals = literals_of(possible, known)
    if literals > _SMALL:
        routed = route(core, possible, known, course)
        if routed is not None:
            return routed
    if literals > MAX_VARIABLES or course.passed:
        return None
    model, solver = FlowModel(core, possible, known), Solver(course)
    holds = model.ask(0, tokens.members(possible[0]), solver)
    if holds is False:
        raise NoSolutionError(_TOGETHER)
    return model.assignment(solver) if holds else None


def literals_of(possible: TokenSets, known: npt.NDArray[np.bool_]) -> int:
    """Literals of a flow model."""
    mask = tokens.set_of(np.flatnonzero(known), possible.shape[1])
    return int(tokens.count(possible & mask).sum(dtype=np.int64))
