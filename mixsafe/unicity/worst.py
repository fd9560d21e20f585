"""The worst case: the fewest places and times that single out a person, or a published track's.

Of a person, those that leave fewer than k tracks. Of a published track, from the release alone, as
an auditor has it: a track that shows a set of regions at a step may have been in any of them, one
that hides the cell on purpose anywhere, and one with a gap where the reading of gaps lets it be
(:class:`mixsafe.model.answer.gaps.Gaps`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.breaking.breaking import check_at_most
from mixsafe.errors import InputError
from mixsafe.machinery.compiled import side_by_side
from mixsafe.model.answer.gaps import Gaps
from mixsafe.model.course import Course, Deadline, SolveLimits
from mixsafe.model.csr import ranges
from mixsafe.model.mobility.traces import stable_order
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.requirement import check_k
from mixsafe.release.evidence import Published
from mixsafe.release.possible_tracks import GapReach
from mixsafe.solver.hitting import ImplicitHittingSet
from mixsafe.unicity.person_paths import (
    FAR,
    NOWHERE,
    Misfits,
    PersonPaths,
    Places,
    Whole,
    find_paths,
    missed_on,
)

if TYPE_CHECKING:
    import pandas as pd


_AT_ONCE = 64
"""People between two progress reports."""


def one_by_one(
    work: Callable[[npt.NDArray[np.int64]], None],
    order: npt.NDArray[np.int64],
    course: Course,
    stage: str,
) -> None:
    """Do ``work`` on some people after the other.

    Parameters
    ----------
    work
        Looks at some of them, on a thread.
    order
        All of them.
    course
        Threads, and whom to tell how many are done.
    stage
        What is told that is done.
    """
    for begin in range(0, len(order), _AT_ONCE):
        course.progress(stage, begin, len(order))
        some = order[begin : begin + _AT_ONCE]
        parts = [some[first :: course.workers] for first in range(course.workers)]
        side_by_side(work, parts, course.workers)


class Singled(NamedTuple):
    """How many sightings single a person out.

    Parameters
    ----------
    lower
        Proven lower bound; ``at_most`` + 1 where no set of at most that size does.
    upper
        Size of the known set, ``steps``; None: no set is known.
    steps
        When she is seen, from 1 on.
    """

    lower: int
    upper: int | None
    steps: tuple[int, ...] = ()


def check_asked(k: int, at_most: int, draws: int = 1) -> None:
    """Reject arguments that are out of range.

    Raises
    ------
    InputError
        A value out of range.
    """
    check_k(k)
    if at_most < 0 or draws < 1:
        raise InputError(f"at most {at_most} and {draws} draws: one of them is too small")
    check_at_most(at_most)


def fewest(
    group: Whole,
    off: Misfits,
    k: int,
    at_most: int,
    paths: PersonPaths,
    deadline: Deadline,
) -> Singled:
    """The fewest sightings that leave fewer than ``k`` tracks to a person, at every step.

    Parameters
    ----------
    group
        (n_steps, n_tracks) which tracks exchange with which.
    off
        (n_steps, n_tracks): where a track is not where she was, and might be seen.
    k
        Tracks that she might be on, at least, >= 1.
    at_most
        Largest set size to search for.
    paths
        Working memory.
    deadline
        Time limit.
    """
    search = ImplicitHittingSet(most=at_most)
    while (chosen := search.propose(deadline)) is not None:
        seen = np.zeros(len(off), bool)
        seen[chosen] = True
        find_paths(group, off, seen, paths)
        missed = _missed(group, off, k, paths)
        if missed is None:
            search.accept(chosen)
            continue
        if missed[chosen].any():
            raise AssertionError("a path misses what was seen")
        search.refute(np.flatnonzero(missed).tolist())
    return Singled(search.lower, search.upper, tuple(step + 1 for step in search.best))


def _missed(group: Whole, off: Misfits, k: int, paths: PersonPaths) -> Misfits | None:
    """(n_steps,) possible sightings missed by the best paths to ``k`` tracks at one step.

    None: there are too few paths.
    """
    total = paths.before + paths.after
    n = total.shape[1]
    if k > n:
        return None
    cheapest = np.partition(total, k - 1, axis=1)[:, :k]
    step = int(cheapest.sum(axis=1, dtype=np.int64).argmin())
    if cheapest[step].max() >= FAR:
        possible = np.flatnonzero(cheapest.max(axis=1) < FAR)
        if not len(possible):
            return None
        step = int(possible[0])
    missed, by_one = np.zeros(len(off), np.bool_), np.zeros(len(off), np.bool_)
    for row in np.argsort(total[step], kind="stable")[:k].tolist():
        missed_on(step, row, group, off, paths, by_one)
        missed |= by_one
    return missed


class ShownPlaces(NamedTuple):
    """What tracks show, by step.

    Parameters
    ----------
    hidden
        (n_steps, n_tracks) bool: a track shows nothing, and may have been anywhere.
    number
        (n_steps, n_tracks) int64: the place, by number, where a track shows one only; else NOWHERE.
    ptr, rows
        (n_places + 1,) and (n_entries,) int64: the tracks that may be at each place, CSR.
    place
        (n_places,) int64: its id in the release.
    gap
        (n_steps, n_tracks) bool: a track has a gap, and ``reach`` says where it may have been.
    reach
        None: there is no such gap.
    """

    hidden: npt.NDArray[np.bool_]
    number: Places
    ptr: Places
    rows: Places
    place: Places
    gap: npt.NDArray[np.bool_]
    reach: GapReach | None

    @classmethod
    def of(cls, published: Published, gaps: Gaps = Gaps.ABSENT) -> ShownPlaces:
        """Those of a release, by a reading of its gaps."""
        near, near_step = np.zeros(0, np.int64), np.zeros(0, np.int32)
        if not published.hides and published.zones.axis.timed:
            near, near_step = published.next_to(np.arange(len(published.row)))
        step = np.append(published.step, near_step).astype(np.int64) - 1
        row = np.append(published.row, published.row[near]).astype(np.int64)
        place = np.append(published.place, published.place[near])
        order = stable_order(step, place, row)
        step, row, place = step[order], row[order], place[order]
        own = order < len(published.row)
        new = np.append(True, (step[1:] != step[:-1]) | (place[1:] != place[:-1]))[: len(row)]
        shape = published.zones.axis.steps, published.n_tracks
        at = step[own] * shape[1] + row[own]
        shown = np.bincount(at, minlength=shape[0] * shape[1]).reshape(shape)
        number = np.full(shape, NOWHERE, np.int64)
        number[step[own], row[own]] = (np.cumsum(new) - 1)[own]
        number[shown != 1] = NOWHERE
        nothing, reach = shown == 0, published.reach
        free = published.hides or gaps is Gaps.ANYWHERE
        free |= gaps is Gaps.REACHABLE and reach is None
        first = np.flatnonzero(new)
        return cls(
            nothing if free else np.zeros_like(nothing),
            number,
            np.append(first, len(row)),
            row,
            place[first],
            nothing,
            reach if gaps is Gaps.REACHABLE and not free else None,
        )

    def misfits(self, track: int) -> Misfits:
        """(n_steps, n_tracks): tracks that cannot be where one shows that it is."""
        number = self.number[:, track]
        step = np.flatnonzero(number != NOWHERE)
        begin, end = self.ptr[number[step]], self.ptr[number[step] + 1]
        off = np.zeros_like(self.hidden)
        off[step] = ~self.hidden[step]
        off[np.repeat(step, end - begin), self.rows[ranges(begin, end - begin)]] = False
        if self.reach is not None:
            which, row = np.nonzero(self.gap[step])
            place, at = self.place[number[step[which]]], (step[which] + 1).astype(np.int32)
            may = self.reach.possible(at, place, row.astype(np.int32))
            off[step[which[may]], row[may]] = False
        return off


def fewest_sightings(
    published: Published,
    k: int = 2,
    *,
    exchanged: bool = True,
    at_most: int = 4,
    gaps: Gaps | None = None,
    limits: SolveLimits | None = None,
    progress: Progress = no_progress,
) -> list[Singled]:
    """For each track the fewest sightings that leave fewer than ``k`` tracks, at every step.

    The sightings agree with the track, at steps in which it shows a single place. There are no
    sightings of others. So a person who is on the track all the time, and known by these sightings
    alone, fails an audit with ``k`` by rule ``some``.

    Parameters
    ----------
    published
        The release.
    k
        Tracks that might be hers, at least, >= 1; 2: she can be followed.
    exchanged
        Whether pseudonyms may be exchanged at visible mix zones.
    at_most
        Largest set size to search for, >= 0.
    gaps
        How gaps of other tracks are read; None: as absent, which sightings of a track's own fixes
        never contradict.
    limits, progress
        Time and workers; called with stage, tracks done, and all.

    Raises
    ------
    InputError
        A value out of range, or mix zones that do not allow all exchanges.
    """
    check_asked(k, at_most)
    if exchanged and published.zones.relation is not None:
        raise InputError(
            "the fewest sightings are not known where not all exchanges are possible",
            hint="leave out the greatest speed, or the regions per step",
        )
    shown = ShownPlaces.of(published, gaps or Gaps.ABSENT)
    group = _groups(published, exchanged)
    return _each(shown, group, (k, at_most), Course.begin(limits, progress))


def _each(
    shown: ShownPlaces, group: Whole, asked: tuple[int, int], course: Course
) -> list[Singled]:
    """What singles each track out, if ``asked`` for k and so many sightings at most."""
    found = [Singled(0, None)] * shown.number.shape[1]

    def work(some: npt.NDArray[np.int64]) -> None:
        paths = PersonPaths.room(group)
        for one in some.tolist():
            if not course.passed:
                found[one] = fewest(group, shown.misfits(one), *asked, paths, course.deadline)

    one_by_one(work, np.arange(len(found)), course, "singling tracks out")
    return found


def with_sightings(
    tracks: pd.DataFrame, found: Sequence[Singled], published: Published
) -> pd.DataFrame:
    """A table of tracks with what singles them out.

    Three columns more: sightings_at_least, sightings_at_most (empty: no set is known), seen_at (the
    times, apart by spaces).

    Parameters
    ----------
    tracks
        A row per pseudonym, in the order of the release.
    found, published
        What :func:`fewest_sightings` found, and of which release.
    """
    import pandas as pd

    label = published.zones.axis.label
    return tracks.assign(
        sightings_at_least=[one.lower for one in found],
        sightings_at_most=pd.array([one.upper for one in found], "Int64"),
        seen_at=[" ".join(str(label(step)) for step in one.steps) for one in found],
    )


def _groups(published: Published, exchanged: bool) -> Whole:
    """(n_steps, n_tracks) the first of the tracks with which each may exchange at each step."""
    zones = published.zones
    group = np.tile(np.arange(zones.n_users, dtype=np.int32), (zones.axis.steps, 1))
    if exchanged:
        step = np.repeat(zones.time - 1, zones.sizes)
        group[step, zones.members] = np.repeat(zones.members[zones.ptr[:-1]], zones.sizes)
    return group
