"""Witnesses that many claims share: a pool in which each wire shows k tokens.

They are written down, not searched for: swaps for all wires at once, exchanges through others and
what free users carry by the exchanges that the bounds rest on, and the rest from the ledger, where
engine ``auto`` and CP-SAT leave each witness as they find it. Only what an engine proves without
witnesses is asked again. What is not found in time is not certified, and never guessed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mixsafe.certify.witnesses.differences import exchanges_of, swap_exchanges
from mixsafe.certify.witnesses.lacking import Lacking
from mixsafe.certify.witnesses.swap_cover import cover
from mixsafe.certify.witnesses.wanted import WantedWitnesses, take
from mixsafe.model.answer.certificate import Witnesses
from mixsafe.model.answer.ragged import Ragged
from mixsafe.model.course import Course
from mixsafe.model.csr import pointers
from mixsafe.solver import auto
from mixsafe.solver.construct.free_user_witnesses import free_user_witnesses
from mixsafe.solver.construct.free_users import are_free
from mixsafe.solver.construct.swaps import swap_witnesses
from mixsafe.solver.propagate.reachability import narrow
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.differences import Differences, joined
from mixsafe.solver.state.exchanges import WitnessExchanges, differences_of
from mixsafe.solver.state.tokens import TokenSets

Ints = npt.NDArray[np.int64]

_STAGE = "writing witnesses down"
_EVERY = (8, 4, 2, 1)
"""Exchanges per batch: they show more than their own token, so later ones are often redundant."""


class Pool:
    """Witnesses, and for each asked wire those that show different tokens on it.

    Parameters
    ----------
    answers
        What is proven.
    need
        (n_wires,) int32: tokens besides its own that each wire must show; 0 where none are wanted.
    course
        When to ask no more, whom to tell, and what keeps long steps.
    pairs
        (n_wires, words): proven tokens that are to be shown, each on its wire, where it matters
        which ones; then nothing else is needed.
    """

    def __init__(
        self,
        answers: Answers,
        need: npt.NDArray[np.int32],
        course: Course,
        pairs: TokenSets | None = None,
    ) -> None:
        self._course = course
        self._answers, self._core = answers, answers.core
        self._swaps = cover(self._core, need)
        self._for_pairs = pairs is not None
        row = self._core.network.row
        if pairs is None:
            self._wanted = WantedWitnesses.besides_swaps(self._swaps, need, row, answers.proven)
        else:
            self._wanted = WantedWitnesses.of_pairs(pairs, row)
        self._differences: list[Differences] = []
        self._size = 1 + len(self._swaps.one)  # the identity is the first, then come swaps

    @property
    def differences(self) -> Differences:
        """Those that are no swaps, by where they differ from the identity."""
        return joined(self._differences)

    @property
    def witnesses(self) -> Witnesses:
        """All of them: the identity, swaps, and the others."""
        swaps = swap_exchanges(self._core, self._swaps)
        return Witnesses.joined(
            [Witnesses.home(1), swaps, exchanges_of(self._core, self.differences)]
        )

    def shown_by(self, wires: Ints, k: npt.NDArray[np.int32]) -> Ragged:
        """Witnesses that show ``k`` tokens on each of ``wires``; none where there are fewer.

        Parameters
        ----------
        wires, k
            (n,) each.
        """
        by = np.full((len(wires), 1 + self._swaps.shown_by.shape[1]), -1, np.int32)
        by[:, 0] = 0
        swapped = self._swaps.shown_by[wires]
        by[:, 1:] = np.where(swapped >= 0, swapped + 1, -1)
        place = self._wanted.place[wires]
        searched = np.flatnonzero(place >= 0)
        by[searched, : self._wanted.shown_by.shape[1]] = self._wanted.shown_by[place[searched]]
        enough = np.count_nonzero(by >= 0, axis=1) >= k
        kept = enough[:, None] & (np.arange(by.shape[1]) < k[:, None])
        return Ragged(pointers(kept.sum(axis=1)), by[kept])

    def fill(self) -> None:
        """Add witnesses until every wire shows enough tokens, or the time is up."""
        total = len(self._wanted.open)
        self._course.progress(_STAGE, 0, total)
        if self._for_pairs:
            self._take_swapped()
        if (ledger := self._answers.ledger) is not None:
            shown = ledger.through_others
            self._take_exchanges(shown.wire, shown.token, shown.exchanges.at)
        self._take_carried()
        if ledger is not None:
            self.take(ledger.recorded)
        self._course.progress(_STAGE, total - len(self._wanted.open), total)
        if len(self._wanted.open) and not self._course.passed:
            self._ask_again()

    def take(self, differences: Differences) -> None:
        """Take in those of some witnesses that show what is wanted."""
        kept = take(self._wanted, differences, self._size)
        self._differences.append(kept)
        self._size += kept.n

    def _take_exchanges(
        self, wires: Ints, token: npt.NDArray[np.int32], made: Callable[[Ints], WitnessExchanges]
    ) -> None:
        """Take in what exchanges show that are made for tokens on wires, where these lack them.

        ``made`` tells those of some of them, by their numbers.
        """
        done = np.zeros(len(wires), np.bool_)
        for every in _EVERY:
            left = np.flatnonzero(~done & self._wanted.lacks(wires, token))[::every]
            done[left] = True
            self.take(differences_of(self._core, made(left)))

    def _take_swapped(self) -> None:
        """Take in swaps."""
        wires, token = self._wanted.lacking()
        made = swap_witnesses(self._core, wires, token)
        self._take_exchanges(wires, token, made.at)

    def _take_carried(self) -> None:
        """Take in what free users carry."""
        wires, token = self._wanted.lacking()
        free_users = are_free(self._core) if len(wires) else None
        if free_users is None:
            return

        def made(some: Ints) -> WitnessExchanges:
            return free_user_witnesses(self._core, free_users, wires[some], token[some])

        self._take_exchanges(wires, token, made)

    def _ask_again(self) -> None:
        """Ask engine ``auto`` about what was proven without witnesses."""
        possible = self._answers.possible.copy()
        narrow(self._core, possible)  # engines may have bounded what they were asked only
        questions = Lacking(self._core, possible, self._wanted, self.take)
        auto.search(questions, self._course)
