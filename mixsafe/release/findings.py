"""Proven results of an audit as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.question.adversary import Pins
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.verify.auditor.presence import Presence, presence
from mixsafe.verify.auditor.whereabouts import Whereabouts
from mixsafe.verify.place_counts import PlaceCounts

_BLOCK = 1 << 14
"""Positions whose sets of users are looked at at once."""


@dataclass(frozen=True, eq=False)
class Findings:
    """Bounds on the tracks of each known user, and on the users of each piece of a track.

    Steps here are events, those at which something can change; at step 1 all tracks meet, which
    identifies no user, and step 2 is the first one of the data.

    Parameters
    ----------
    network
        Wires of the published tracks; zone 0 is the start (if there are two tracks or more).
    begins
        (steps,) step of the data at which each step here begins; it lasts until the next one, and
        the last one is the last one of the data.
    n_known
        Known users are the tokens 0 to n_known - 1.
    lower, upper
        Tracks that are proven, and that are possible, of each known user at each step.
    decided_by
        (n_known, steps) codes of arguments.
    proven, possible
        (n_wires, words): tokens of each wire.
    base
        (n_known, steps) track of each known user in one solution; None: none was found.
    proof_data
        Data for certificates, in terms of paths, if it was to be kept and a solution was found.
    places
        (n_known * steps,) each: places of each known user's tracks at each step; None: they were
        not counted.
    """

    network: WireNetwork
    begins: npt.NDArray[np.int32]
    n_known: int
    lower: Presence
    upper: Presence
    decided_by: npt.NDArray[np.uint8]
    proven: TokenSets
    possible: TokenSets
    base: npt.NDArray[np.int32] | None
    proof_data: Whereabouts | None = None
    places: PlaceCounts | None = None

    @classmethod
    def of(cls, asked: Whereabouts, *, kept: bool) -> Findings:
        """Findings on tracks from answers on paths; ``kept``: with the proof data."""
        paths, answers = asked.paths, asked.answers
        along, wire = paths.along.network, paths.wire_of_track
        user, step = np.divmod(np.arange(asked.decided_by.size), along.horizon + 1)
        base = paths.tracks.network.row[paths.track_wire[along.wire_at(user, step)]]
        return cls(
            paths.tracks.network,
            paths.tracks.real_steps,
            asked.n_known,
            asked.lower,
            asked.upper,
            asked.decided_by,
            answers.proven[wire],
            answers.possible[wire],
            base.reshape(asked.decided_by.shape),
            asked if kept else None,
        )

    @classmethod
    def of_possible(cls, tracks: Core, possible: TokenSets, n_known: int, k: int) -> Findings:
        """The result if no solution was found in time: upper bounds alone."""
        network, steps = tracks.network, tracks.real_steps
        sizes = (network.start, network.end, network.row, n_known, network.horizon)
        nothing = np.zeros_like(possible)
        lower, upper = presence(nothing, *sizes), presence(possible, *sizes)
        codes = np.where(upper.count < k, Argument.REACHABILITY, Argument.NONE).astype(np.uint8)
        return cls(network, steps, n_known, lower, upper, codes, nothing, possible, None)

    @property
    def ends(self) -> npt.NDArray[np.int64]:
        """(steps,) last step of the data that each step here stands for."""
        begins = self.begins.astype(np.int64)
        return np.append(begins[1:] - 1, begins[-1])

    @property
    def lasts(self) -> npt.NDArray[np.int64]:
        """(steps,) number of steps of the data that each step here stands for."""
        return self.ends - self.begins + 1

    def known(self, pins: Pins, k: int) -> npt.NDArray[np.int64]:
        """(n_known,) steps of the data at which a user was seen, and has fewer than k tracks.

        That is known by assumption. A publisher's adversary is assumed to know the pseudonyms of
        those whom she sees; an auditor's has to find them: what she follows from there on counts.
        """
        seen = pins.time > 0
        user, step = np.unique(np.stack([pins.token[seen], pins.time[seen]]), axis=1)
        event = np.searchsorted(self.begins, step, side="right") - 1
        few = self.upper.count[user, event] < k
        return np.bincount(user[few], minlength=self.n_known).astype(np.int64)

    def can_be_followed(
        self, row: npt.NDArray[np.int32], step: npt.NDArray[np.int32], k: int, least: int = 1
    ) -> npt.NDArray[np.bool_]:
        """Whether a track at a step can belong to a user with too few candidates, or places.

        Parameters
        ----------
        row, step
            (n,) each: a track, and a step from 1.
        k, least
            Candidates that a user needs, and distinct places of these.

        Returns
        -------
        (n,) whether a known user can be on the track then, and on fewer than ``k`` in all, or on
        tracks at fewer than ``least`` places.
        """
        few = self.upper.count < k
        if self.places is not None:
            few = few | (self.places.upper < least).reshape(few.shape)
        words = (self.n_known + 63) // 64
        whose = np.zeros((len(self.begins), words), np.uint64)
        for user, steps in enumerate(few):
            tokens.put(whose, np.flatnonzero(steps), user)
        found = np.empty(len(row), bool)
        for begin in range(0, len(row), _BLOCK):
            block = slice(begin, begin + _BLOCK)
            here = np.searchsorted(self.begins, step[block], side="right") - 1
            wire = self.network.wire_at(row[block], here.astype(np.int32))
            found[block] = np.any(self.possible[wire, :words] & whose[here], axis=1)
        return found

    def tracks(self, user: int, step: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Tracks that are proven to be, and that can be, a known user's at a step of the data.

        Parameters
        ----------
        user
            From 0, in the order of the known users.
        step
            From 1.
        """
        row = np.arange(self.network.n_rows)
        here = np.searchsorted(self.begins, step, side="right") - 1
        wire = self.network.wire_at(row, np.full_like(row, here))
        proven, possible = (
            row[tokens.are_in(sets, wire, user)] for sets in (self.proven, self.possible)
        )
        return proven, possible
