"""Bounds on the tracks of every known user, from a first solution on, as arrays.

Where places count, they also say at how many distinct places her tracks are, step by step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course
from mixsafe.model.question.adversary import Pins
from mixsafe.model.question.places import TrackPlaces
from mixsafe.model.question.requirement import Rule
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.release.evidence import Evidence
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.verify.auditor.auditing import decide
from mixsafe.verify.auditor.initial_solution import NoSolutionError, initial_solution
from mixsafe.verify.auditor.paths import FIRST, PathQuestion, unnamed_start
from mixsafe.verify.auditor.whereabouts import Presence, Whereabouts, presence, rows_of_tokens
from mixsafe.verify.place_counts import PlaceCounter, PlaceCounts, PlaceStretches

_BLOCK = 1 << 14
"""Positions whose sets of users are looked at at once."""

Small = npt.NDArray[np.int32]
_AT_ONCE = 1 << 23  # words of sets of tracks


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


@dataclass(frozen=True, eq=False)
class PlacedTracks:
    """Where tracks are, and the steps of the data that each step of the question stands for.

    Parameters
    ----------
    places
        Where tracks are.
    n_tracks, n_known
        Numbers of tracks and of known users.
    begins, ends
        (steps,) each: first and last step of the data of each step of the question.
    workers
        Threads; 0 means one per core.
    """

    places: TrackPlaces
    n_tracks: int
    n_known: int
    begins: npt.NDArray[np.integer]
    ends: npt.NDArray[np.integer]
    workers: int = 0

    def count(
        self,
        proven: TokenSets,
        possible: TokenSets,
        spans: tuple[Small, Small, Small],
        which: npt.NDArray[np.bool_] | None = None,
    ) -> PlaceCounts:
        """Places of each known user's tracks at each step, (n_known * steps,) each.

        Parameters
        ----------
        proven, possible
            (n_wires, words) each: tokens on pieces of tracks.
        spans
            (n_wires,) each: first step, last step and track of each piece.
        which
            (n_known, steps): the others are left at 0; None: all.
        """
        steps, words = len(self.begins), (self.n_tracks + 63) // 64
        nothing = np.zeros(self.n_known * steps, np.int32)
        found = PlaceCounts.before(nothing, nothing)
        at_once = max(1, _AT_ONCE // max(1, self.n_known * words))
        counter = PlaceCounter(self.places, self.n_tracks, self.workers)
        for first in range(FIRST, steps, at_once):
            some = min(at_once, steps - first)
            shape = (self.n_known, first, some, words)
            sets = (rows_of_tokens(one, *spans, *shape) for one in (proven, possible))
            user, step = np.divmod(np.arange(self.n_known * some), some)
            asked = np.ones(len(user), bool) if which is None else which[user, first + step]
            index = np.flatnonzero(asked)
            user, step = user[index], first + step[index]
            of = PlaceStretches(
                self._int32(self.begins[step]),
                self._int32(self.ends[step]),
                index,
                np.full(len(index), -1, np.int32),
            )
            found.put(user * steps + step, counter.count(of, *sets))
        return found

    @staticmethod
    def _int32(steps: npt.NDArray[np.integer]) -> Small:
        return steps.astype(np.int32)


def settle_placed(
    asked: Whereabouts, tracks: PlacedTracks, least: int, settle: Callable[[], None]
) -> PlaceCounts:
    """Count places of tracks whose number is decided, and ask for more tracks where they matter.

    As :func:`mixsafe.verify.distinct_places.settle_places`: twice as many tracks each time, until
    they are at ``least`` places or are all of them.

    Parameters
    ----------
    settle
        Settles the questions of ``asked``, as far as it can.
    """
    k, spans = asked.k, (asked.paths.begin, asked.paths.end, asked.paths.track)
    shape = asked.decided_by.shape

    def count(which: npt.NDArray[np.bool_] | None = None) -> PlaceCounts:
        return tracks.count(asked.answers.proven, asked.answers.possible, spans, which)

    counts = count()
    while True:
        few = (counts.lower < least) & (counts.upper >= least)
        known = asked.lower.count.copy(), asked.upper.count.copy()
        is_open = few.reshape(shape) & (known[0] >= k) & (known[0] < known[1])
        is_open[:, :FIRST] = False
        if not is_open.any():
            asked.k = k
            return counts
        asked.ask(is_open, np.minimum(np.maximum(2 * known[0], least), known[1]))
        settle()
        rows = np.flatnonzero(is_open)
        counts.put(rows, PlaceCounts._make(column[rows] for column in count(is_open)))
        change = (asked.lower.count > known[0]) | (asked.upper.count < known[1])
        if not change[is_open].any():
            asked.k = k
            return counts


@dataclass(frozen=True)
class AuditQuestion:
    """The question, as for :func:`mixsafe.release.audit.audit`; whether to keep proof data."""

    k: int
    rule: Rule
    engine: str
    exhaustive: bool
    keep_proof_data: bool = False
    distinct_places: int | None = None


def find(evidence: Evidence, question: AuditQuestion, course: Course) -> Findings:
    """Bounds on the tracks of every known user."""
    k, n_known = question.k, len(evidence.users)
    tracks = unnamed_start(evidence.zones, evidence.pins)
    course.progress("looking for an initial solution", 0, 0)
    try:
        solution, possible = initial_solution(tracks, n_known, course)
    except NoSolutionError as error:
        raise _contradiction(error, evidence) from None
    if solution is None:
        found = Findings.of_possible(tracks, possible, n_known, k)
        placed = _placed(evidence, question, found, course.workers)
        if placed is None:
            return found
        net = found.network
        spans = (net.start, net.end, net.row)
        return replace(found, places=placed.count(found.proven, found.possible, spans))
    paths, kept = PathQuestion.of(tracks, solution), question.keep_proof_data
    asked = Whereabouts(paths, n_known, k, question.exhaustive, records=kept)

    def settle() -> None:
        decide(asked, question.engine, course)

    settle()
    found = Findings.of(asked, kept=kept)
    placed = _placed(evidence, question, found, course.workers)
    if placed is None:
        return found
    counts = settle_placed(asked, placed, question.distinct_places or 1, settle)
    return replace(Findings.of(asked, kept=kept), places=counts)


def _placed(
    evidence: Evidence, question: AuditQuestion, found: Findings, workers: int
) -> PlacedTracks | None:
    """Where tracks are, if their places are to be counted."""
    if question.distinct_places is None and not evidence.has_names:
        return None
    where = evidence.track_places
    if where is None:
        return None
    n_tracks = evidence.zones.n_users
    return PlacedTracks(where, n_tracks, found.n_known, found.begins, found.ends, workers)


def _contradiction(error: NoSolutionError, evidence: Evidence) -> NoSolutionError:
    """Say in the words of the data what contradicts what."""
    hint = "is this knowledge about this release, and are its cells the true ones?"
    if error.pin is None:
        message = "the known users cannot all have been where they were seen: tracks are too few"
        return NoSolutionError(message, hint=hint)
    user = evidence.users[evidence.pins.token[error.pin]]
    when = evidence.zones.axis.label(int(evidence.pins.time[error.pin]))
    message = (
        f"user {user} cannot have been where she was seen at time {when}:"
        " no track, however exchanged, was there and at her earlier sightings"
    )
    return NoSolutionError(message, pin=error.pin, hint=hint)
