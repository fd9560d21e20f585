"""How what is known is kept: sets of tokens at once, part after part, or numbers of tokens.

Sets of tokens are wires times users, of which each component of the meeting graph has its own.
Where a single component is too large for them, its wires have numbers instead (``sparse``).
Candidates of wires, for pages about people, are read off the sets, or computed again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.course import Course
from mixsafe.network.compression import components
from mixsafe.network.core import Core
from mixsafe.network.timeline import Timeline, timeline
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.construct.meeting_again import NEAR, list_partners
from mixsafe.solver.construct.open_wires import OpenLists
from mixsafe.solver.large.sparse_answers import SparseAnswers
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.ledger import Ledger
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.verify.parts import PartedAnswers, decide_in_parts, set_bytes

if TYPE_CHECKING:
    from mixsafe.solver.registry import Decide, DecideLarge

Ints = npt.NDArray[np.int64]


class Candidates(NamedTuple):
    """The candidates of a wire.

    Parameters
    ----------
    tokens
        (n,) ascending: proven ones, all of them or as many as were asked for.
    proven, possible
        How many there are, at least and at most.
    """

    tokens: Ints
    proven: int
    possible: int


@dataclass(frozen=True, eq=False)
class KnownCandidates:
    """What is known of the candidates of what was asked about.

    Parameters
    ----------
    core
        The question.
    wire
        (n_asked,) wire of it that each row of the result is about.
    lower, upper
        (n_wires,) each: bounds on the number of candidates.
    proven
        Sets of tokens, where they were kept; else they are looked for again, as far as swaps show
        them.
    listed
        Tokens that are known of some wires in any case.
    near
        Members to either side with whom rows are paired in swaps.
    """

    core: Core
    wire: Ints
    lower: npt.NDArray[np.int32]
    upper: npt.NDArray[np.int32]
    proven: TokenSets | None
    listed: OpenLists
    near: int = NEAR

    @classmethod
    def of(
        cls, answers: Answers | PartedAnswers | SparseAnswers, core: Core, wire: Ints
    ) -> KnownCandidates:
        """What answers to the question ``core`` leave of them, about each ``wire`` asked about."""
        proven = answers.proven if isinstance(answers, Answers) else None
        if isinstance(answers, SparseAnswers):
            listed, near = answers.listed, answers.near
        else:
            listed, near = OpenLists.of(np.zeros(0, np.int64), np.zeros(0, np.int32)), NEAR
        return cls(core, wire, answers.lower, answers.upper, proven, listed, near)

    def of_row(self, row: int, most: int) -> Candidates:
        """Candidates of a row of the result, ``most``, >= 1, of them listed."""
        wire = int(self.wire[row])
        lower, upper = int(self.lower[wire]), int(self.upper[wire])
        if self.proven is not None:
            proven = tokens.members(self.proven[wire])
            return Candidates(proven[:most], len(proven), upper)
        return Candidates(self._found_again(wire, min(most, lower)), lower, upper)

    def _found_again(self, wire: int, most: int) -> Ints:
        """A wire's own token, those that are listed, and those of swaps."""
        wires, own = np.array([wire]), self.core.network.row[[wire]].astype(np.int64)
        known, listed = OpenLists.of(wires, np.array([most], np.int32)), self.listed
        place = np.searchsorted(listed.wires, wire)
        if place < len(listed.wires) and listed.wires[place] == wire:
            proven = listed.tokens[place, : listed.size[place]]
            known.add(np.repeat(wires, len(proven)), proven)
        list_partners(self._whole, self.near, known, workers=1)
        return np.sort(np.concatenate([own, known.tokens[0, : known.size[0]]]))

    @cached_property
    def _whole(self) -> Timeline:
        """The problem as swaps are looked for in it."""
        return timeline(self.core)


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
    wires, k = np.arange(network.n_wires) if wire is None else wire, np.ascontiguousarray(k)
    if whole > memory.whole_bytes:
        return decide_in_parts(core, wires, k, decider.decide, course)
    ledger = Ledger(core) if decider.needs_sets else None
    answers = Answers(core, wires, k, exhaustive, ledger)
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
