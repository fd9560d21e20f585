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
from mixsafe.model.answer.certificate import Witnesses
from mixsafe.model.course import Course
from mixsafe.model.csr import Ints, Ragged, Whole, distinct, pointers
from mixsafe.network.core import Core
from mixsafe.solver import auto
from mixsafe.solver.construct.free_user_witnesses import free_user_witnesses
from mixsafe.solver.construct.free_users import are_free
from mixsafe.solver.construct.swaps import swap_witnesses
from mixsafe.solver.propagate.reachability import narrow
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Differences, WitnessExchanges, differences_of, joined

_STAGE = "writing witnesses down"

_EVERY = (8, 4, 2, 1)
"""Exchanges per batch: they show more than their own token, so later ones are often redundant."""


def exchanges_of(core: Core, differences: Differences) -> Witnesses:
    """The exchanges in which tokens move."""
    network = core.network
    witness = np.repeat(np.arange(len(differences.ptr) - 1), np.diff(differences.ptr))
    here = witness * network.n_wires + differences.wire
    order = np.argsort(here)
    here, token = here[order], differences.token[order]
    started = network.comes_from[differences.wire] >= 0
    ends = network.leads_to[differences.wire] >= 0
    own = witness * network.n_wires
    before = distinct(
        np.concatenate([(own + differences.wire - 1)[started], (own + differences.wire)[ends]])
    )  # witness, and wire on which a row comes to a zone
    row = network.row[before % network.n_wires]
    came, left = _token_at(before, row, here, token), _token_at(before + 1, row, here, token)
    moved = came != left
    before, row, left = before[moved], row[moved], left[moved]
    witness, wire = np.divmod(before, network.n_wires)
    zone = network.leads_to[wire].astype(np.int64)
    order = np.lexsort((row, zone, witness))
    return _grouped(
        core, len(differences.ptr) - 1, witness[order], zone[order], (row[order], left[order])
    )


def _token_at(wanted: Ints, row: Whole, here: Ints, token: Whole) -> Whole:
    """Token on a wire in a witness: that of its row, unless it differs."""
    there = np.searchsorted(here, wanted)
    found: Whole = row.copy()
    hit = np.flatnonzero(there < len(here))
    hit = hit[here[there[hit]] == wanted[hit]]
    found[hit] = token[there[hit]]
    return found


def _grouped(
    core: Core, n: int, witness: Ints, zone: Ints, moved: tuple[Whole, Whole]
) -> Witnesses:
    """Witnesses from rows that move, by witness and zone."""
    new = np.ones(len(zone), bool)
    new[1:] = (np.diff(witness) != 0) | (np.diff(zone) != 0)
    heads = np.flatnonzero(new)
    ptr = np.append(heads, len(zone))
    rows, tokens = moved
    return Witnesses(
        np.searchsorted(witness[heads], np.arange(n + 1)),
        core.real_steps[core.network.zone_time[zone[heads]]],
        Ragged(ptr, rows),
        Ragged(ptr, tokens),
    )


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
