"""How what is known is kept: sets of tokens at once, part after part, or numbers of tokens.

Sets of tokens are wires times users, of which each component of the meeting graph has its own.
Where a single component is too large for them, its wires have numbers instead (``sparse``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.journal.steps import Journal, NoJournal
from mixsafe.model.executor import Executor
from mixsafe.model.limits import DEFAULT_MEMORY, Deadline, MemoryLimits, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.network.components import components
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.large.sparse_answers import SparseAnswers
from mixsafe.solver.registry import Engine
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.ledger import Ledger
from mixsafe.verify.parts import PartedAnswers, Settle, decide_in_parts, set_bytes

if TYPE_CHECKING:
    from mixsafe.solver.registry import Decide

SettleLarge = Callable[[SparseAnswers, Progress], None]
"""An engine with its limits, for problems too large for sets of tokens."""


class Apart(NamedTuple):
    """Who decides parts that never meet, and how each worker does it."""

    executor: Executor
    decide: Settle


@dataclass(frozen=True)
class Deciders:
    """How an engine decides.

    Parameters
    ----------
    decide
        With sets of tokens.
    decide_large
        The same without sets of tokens; None: the engine cannot.
    needs_sets
        Whether sets of tokens are needed after the decision, as by certificates.
    apart
        Who decides parts; None: this process, one after the other.
    memory
        Sizes by which sets, parts or numbers are chosen.
    """

    decide: Settle
    decide_large: SettleLarge | None = None
    needs_sets: bool = False
    apart: Apart | None = None
    memory: MemoryLimits = DEFAULT_MEMORY

    @classmethod
    def of(
        cls,
        engine: Engine,
        encoding: str | None,
        needs_sets: bool,
        limits: SolveLimits,
        deadline: Deadline,
    ) -> Deciders:
        """Bind the functions of an engine to the limits of a run.

        Raises
        ------
        InputError
            The engine does not know the encoding.
        """
        decide, large, apart = engine.decider(encoding), None, None
        if engine.load_large is not None:
            large = partial(_settle_large, engine, limits, deadline)
        if limits.executor is not None:
            apart = Apart(limits.executor, partial(_settle, decide, limits.alone, deadline))
        settle = partial(_settle, decide, limits, deadline)
        return cls(settle, large, needs_sets, apart, limits.memory)


def _settle(
    decide: Decide, limits: SolveLimits, deadline: Deadline, answers: Answers, progress: Progress
) -> None:
    """Call a deciding function with the limits of the run."""
    decide(answers, limits, deadline, progress)


def _settle_large(
    engine: Engine,
    limits: SolveLimits,
    deadline: Deadline,
    answers: SparseAnswers,
    progress: Progress,
) -> None:
    """Load and call the deciding function that needs no sets of tokens."""
    engine.large_decider()(answers, limits, deadline, progress)


def answered(
    core: Core,
    wire: npt.NDArray[np.int64] | None,
    k: npt.NDArray[np.int32],
    deciders: Deciders,
    exhaustive: bool,
    journal: Journal | None,
    progress: Progress = no_progress,
    counts_places: bool = False,
) -> Answers | PartedAnswers | SparseAnswers:
    """What an engine says about all wires: at once, in parts, or by numbers alone.

    Parameters
    ----------
    core, k, exhaustive, journal
        As for :class:`Answers`.
    wire
        (n_questions,): wires that are asked about; None: each once, in order.
    deciders
        Engine, with its limits.
    progress
        Called with stage, questions settled and questions asked, of all parts together.
    counts_places
        Whether the places of candidates are counted, for which all sets are held at once.

    Raises
    ------
    InputError
        All candidates, their places, or what a certificate rests on, of a problem that is too large
        for sets to be held at once; or one component is too large for an engine that needs sets.
    """
    network, journal, memory = core.network, journal or NoJournal(), deciders.memory
    whole = set_bytes(network.n_wires, network.n_rows)
    wanted = exhaustive or deciders.needs_sets or counts_places
    if whole > memory.whole_bytes and wanted:
        raise _too_much(network, exhaustive, counts_places)
    decide_large = deciders.decide_large
    if wanted:
        decide_large = None
    if decide_large is not None and _beyond(core, memory.sparse_bytes):
        large = SparseAnswers(core, wire, k, journal)
        decide_large(large, progress)
        return large
    asked, k = np.arange(network.n_wires) if wire is None else wire, np.ascontiguousarray(k)
    if whole > memory.whole_bytes:
        executor, decide = deciders.apart or (None, deciders.decide)
        return decide_in_parts(
            core, asked, k, decide, memory, progress, journal=journal, executor=executor
        )
    ledger = Ledger(core) if deciders.needs_sets else None
    answers = Answers(core, asked, k, exhaustive, journal, ledger)
    deciders.decide(answers, progress)
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
