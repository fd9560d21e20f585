"""Witnesses that many claims share: a pool in which each wire shows k tokens.

They are written down, not searched for: swaps for all wires at once, exchanges through others and
what free users carry by the exchanges that the bounds rest on, and the rest from the ledger, where
engine ``auto`` and CP-SAT leave each witness as they find it. Only what an engine proves without
witnesses is asked again. What is not found in time is not certified, and never guessed.
Certificates have witnesses as the exchanges in which tokens move.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mixsafe.certify.swap_cover import Swaps, cover
from mixsafe.certify.wanted import Lacking, WantedWitnesses, take
from mixsafe.machinery.compiled import tiered
from mixsafe.model.answer.certificate import Witnesses
from mixsafe.model.course import Course
from mixsafe.model.csr import Ints, Ragged, Whole, pointers
from mixsafe.network.core import Core
from mixsafe.network.wires import Wires
from mixsafe.solver import auto
from mixsafe.solver.construct.free_user_witnesses import free_user_witnesses
from mixsafe.solver.construct.free_users import are_free
from mixsafe.solver.construct.swaps import swap_witnesses
from mixsafe.solver.propagate.reachability import narrow
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Differences, WitnessExchanges, differences_of, joined

_STAGE = "writing witnesses down"

_EVERY = (512, 64, 8, 4, 2, 1)
"""One of so many pairs gets exchanges, pass by pass.

They show more than their own token, so most of the others are redundant, and are never made.
"""


def exchanges_of(core: Core, differences: Differences) -> Witnesses:
    """The exchanges in which tokens move."""
    network = core.network
    most = 2 * len(differences.wire)  # each moved wire begins in a zone, and ends in one
    zone, row, token = (np.empty(most, np.int32) for _ in range(3))
    ptr = np.zeros(len(differences.ptr), np.int64)
    on, seen_by = network.row.copy(), np.full(network.n_wires, -1, np.int32)
    _find_moves(differences, network.wires, on, seen_by, ptr, zone, row, token)
    n = int(ptr[-1])
    witness = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    order = np.lexsort((row[:n], zone[:n], witness))
    zone, row, token = zone[order], row[order], token[order]
    new = np.ones(n, np.bool_)  # of a group: a witness, and a zone
    new[1:] = (np.diff(witness) != 0) | (np.diff(zone) != 0)
    heads = np.flatnonzero(new)
    groups = np.append(heads, n)
    return Witnesses(
        np.searchsorted(heads, ptr),
        core.real_steps[network.zone_time[zone[heads]]],
        Ragged(groups, row),
        Ragged(groups, token),
    )


@tiered
def _find_moves(  # pragma: no cover - compiled
    differences: Differences,
    net: Wires,
    on: Whole,
    seen_by: Whole,
    ptr: Ints,
    zone: Whole,
    row: Whole,
    token: Whole,
) -> None:
    """Write zone, row and new token of each row that moves, witness by witness.

    ``on``: (n_wires,) own tokens, before and after; ``seen_by``: (n_wires,) witness in which a wire
    that comes to a zone was last looked at.
    """
    n = 0
    for witness in range(len(ptr) - 1):
        begin, end = differences.ptr[witness], differences.ptr[witness + 1]
        for i in range(begin, end):
            on[differences.wire[i]] = differences.token[i]
        for i in range(begin, end):
            wire = differences.wire[i]
            for came in range(max(wire - 1, net.first[net.row[wire]]), wire + 1):
                if net.leads_to[came] < 0 or seen_by[came] == witness:
                    continue
                seen_by[came] = witness
                if on[came] != on[came + 1]:
                    zone[n], row[n], token[n] = net.leads_to[came], net.row[came], on[came + 1]
                    n += 1
        for i in range(begin, end):
            on[differences.wire[i]] = net.row[differences.wire[i]]
        ptr[witness + 1] = n


def swap_exchanges(core: Core, swaps: Swaps) -> Witnesses:
    """The exchanges of swaps: out, and, unless they last for ever, back again."""
    network = core.network
    back = swaps.end < network.n_zones
    exchanges = 1 + back
    ptr = pointers(exchanges)
    zone = np.empty(ptr[-1], np.int64)
    zone[ptr[:-1]] = swaps.begin
    zone[ptr[1:][back] - 1] = swaps.end[back]
    swap = np.repeat(np.arange(len(back)), exchanges)
    pair = np.stack([swaps.one, swaps.other], axis=1)[swap]
    is_back = np.arange(ptr[-1]) > ptr[:-1][swap]
    tokens = np.where(is_back[:, None], pair, pair[:, ::-1])
    places = 2 * np.arange(ptr[-1] + 1)
    return Witnesses(
        ptr,
        core.real_steps[network.zone_time[zone]],
        Ragged(places, np.ascontiguousarray(pair.ravel())),
        Ragged(places, np.ascontiguousarray(tokens.ravel())),
    )


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
        left = np.arange(len(wires))
        for every in _EVERY:
            left = left[self._wanted.lacks(wires[left], token[left])]
            self.take(differences_of(self._core, made(left[::every])))
            left = np.delete(left, np.s_[::every])

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
