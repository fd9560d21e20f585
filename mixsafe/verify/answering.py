"""How what is known is kept: sets of tokens at once, part after part, or numbers of tokens.

Sets of tokens are wires times users, of which each component of the meeting graph has its own.
Where a single component is too large for them, its wires have numbers instead (``sparse``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.course import Course
from mixsafe.network.compression import components
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.large.sparse_answers import SparseAnswers
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.ledger import Ledger
from mixsafe.verify.parts import PartedAnswers, decide_in_parts, set_bytes

if TYPE_CHECKING:
    from mixsafe.solver.registry import Decide, DecideLarge


@dataclass(frozen=True)
class Decider:
    """An engine, and what is wanted of it.

    Parameters
    ----------
    decide
        Decides with sets of tokens.
    load_large
        Loads what decides without sets of tokens; None: the engine cannot.
    needs_sets
        Whether sets of tokens are needed after the decision, as by certificates.
    """

    decide: Decide
    load_large: Callable[[], DecideLarge] | None
    needs_sets: bool


def answered(
    core: Core,
    wire: npt.NDArray[np.int64] | None,
    k: npt.NDArray[np.int32],
    decider: Decider,
    course: Course,
    exhaustive: bool,
    counts_places: bool = False,
) -> Answers | PartedAnswers | SparseAnswers:
    """What an engine says about all wires: at once, in parts, or by numbers alone.

    Parameters
    ----------
    core, k, exhaustive
        The tokens and wires; candidates asked for; whether all candidates are wanted.
    wire
        (n_questions,): wires that are asked about; None: each once, in order.
    decider
        Engine.
    course
        Of the run; progress is that of all parts together.
    counts_places
        Whether the places of candidates are counted, for which all sets are held at once.

    Raises
    ------
    InputError
        All candidates, their places, or what a certificate rests on, of a problem that is too large
        for sets to be held at once; or one component is too large for an engine that needs sets.
    """
    network, memory = core.network, course.memory
    whole = set_bytes(network.n_wires, network.n_rows)
    wanted = exhaustive or decider.needs_sets or counts_places
    if whole > memory.whole_bytes and wanted:
        raise _too_much(network, exhaustive, counts_places)
    load_large = None if wanted else decider.load_large
    if load_large is not None and _beyond(core, memory.sparse_bytes):
        large = SparseAnswers(core, wire, k)
        load_large()(large, course)
        return large
    asked, k = np.arange(network.n_wires) if wire is None else wire, np.ascontiguousarray(k)
    if whole > memory.whole_bytes:
        return decide_in_parts(core, asked, k, decider.decide, course)
    ledger = Ledger(core) if decider.needs_sets else None
    answers = Answers(core, asked, k, exhaustive, ledger)
    decider.decide(answers, course)
    return answers


def _too_much(network: WireNetwork, exhaustive: bool, counts_places: bool) -> InputError:
    """Sets that are wanted, all at once, are too large for that."""
    what, without = "proof data of certificates", "certificates"
    if exhaustive or counts_places:
        what, without = "candidates", "--exhaustive" if exhaustive else "--distinct-places"
    return InputError(
        f"the {what} of {network.n_rows} users on {network.n_wires} wires are too many to be kept",
        hint=f"take fewer users or a shorter time, or ask without {without}",
    )


def _beyond(core: Core, n_bytes: int) -> bool:
    """Whether the sets of tokens of some component are larger."""
    network = core.network
    if set_bytes(network.n_wires, network.n_rows) <= n_bytes:  # so is each of its components
        return False
    label = components(network, core.pins)
    rows = np.bincount(label)
    wires = np.bincount(label, np.diff(network.first)).astype(np.int64)
    return max(map(set_bytes, wires.tolist(), rows.tolist())) > n_bytes
