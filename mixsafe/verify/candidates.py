"""Candidates of wires, for pages about people: from sets of tokens, or recomputed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.network.core import Core
from mixsafe.network.timeline import Timeline, timeline
from mixsafe.solver.construct.meeting_again import NEAR, list_partners
from mixsafe.solver.construct.open_wires import OpenLists
from mixsafe.solver.large.sparse_answers import SparseAnswers
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.verify.parts import PartedAnswers

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
            found = tokens.members(self.proven[wire])
            return Candidates(found[:most], len(found), upper)
        return Candidates(self._found_again(wire, min(most, lower)), lower, upper)

    def _found_again(self, wire: int, most: int) -> Ints:
        """A wire's own token, those that are listed, and those of swaps."""
        one, own = np.array([wire]), self.core.network.row[[wire]].astype(np.int64)
        known, listed = OpenLists.of(one, np.array([most], np.int32)), self.listed
        place = np.searchsorted(listed.wires, wire)
        if place < len(listed.wires) and listed.wires[place] == wire:
            some = listed.tokens[place, : listed.size[place]]
            known.add(np.repeat(one, len(some)), some)
        list_partners(self._whole, self.near, known, workers=1)
        return np.sort(np.concatenate([own, known.tokens[0, : known.size[0]]]))

    @cached_property
    def _whole(self) -> Timeline:
        """The problem as swaps are looked for in it."""
        return timeline(self.core)
