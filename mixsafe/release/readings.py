"""Readings of gaps: the strictest one that contradicts nothing, and what the others say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from mixsafe.model.answer.gaps import READINGS, Gaps, GapVerdicts
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.course import Course
from mixsafe.release.evidence import Evidence
from mixsafe.release.possible_tracks import Levels, PossibleTracks, no_gap
from mixsafe.verify.auditor.initial_solution import NoSolutionError, initial_solution, placeable
from mixsafe.verify.auditor.paths import unnamed_start

Found = TypeVar("Found")


def by_strictest(evidence: Evidence, solve: Callable[[Evidence], Found]) -> tuple[Evidence, Found]:
    """Solve by the strictest reading of gaps that contradicts nothing.

    Each sighting is read by the strictest reading that leaves a track. Where a person then has no
    track all the same, her sightings are read by the next one; where all fit alone, but not
    together, those of everybody. Nobody's sightings are read by a reading before those of all are
    read by the one before it, unless it alone leaves a track. So the answer is never better than
    by the strictest reading that contradicts nothing for all sightings.

    Parameters
    ----------
    evidence
        With possible tracks, if gaps are to be read; a reading that was asked for stays.
    solve
        Raises ``NoSolutionError`` if evidence contradicts itself.

    Raises
    ------
    NoSolutionError
        By every reading.
    """
    while True:
        try:
            return evidence, solve(evidence)
        except NoSolutionError:
            wider = None if evidence.asked is not None else _wider(evidence)
            if wider is None:
                raise
            evidence = evidence.read(wider)


def is_consistent(evidence: Evidence, course: Course) -> bool | None:
    """Whether evidence agrees with itself; None: not found in time."""
    tracks = unnamed_start(evidence.zones, evidence.pins)
    try:
        found, _ = initial_solution(tracks, len(evidence.users), course)
    except NoSolutionError:
        return False
    return None if found is None else True


def _wider(evidence: Evidence) -> Levels | None:
    """Readings of contradictory evidence, one wider for some pins; None: all are the widest."""
    if not evidence.has_gaps:
        return None
    level = evidence.level
    floor = int(level.min())
    if floor == Gaps.ANYWHERE.level:
        return None
    lost = ~placeable(unnamed_start(evidence.zones, evidence.pins), len(evidence.users))
    mine = (level == floor) & lost[evidence.pins.token]
    if not mine.any():
        mine = level == floor
    return np.where(mine, np.int8(floor + 1), level)


class Reader:
    """Verdicts by each reading of gaps, each decided only if it does not follow from others.

    A reading that allows more tracks never takes a candidate away. So what is safe by a reading
    that contradicts nothing is safe by all wider ones, and what is unsafe by a reading is unsafe by
    all stricter ones that contradict nothing.

    Parameters
    ----------
    evidence
        Of the answer, by whatever reading.
    own
        Its verdict.
    decide
        The verdict by other evidence; raises ``NoSolutionError`` if it contradicts itself.
    is_consistent
        False if evidence is proven to contradict itself; None: not found in time.
    speed
        Greatest speed of people in gaps, kilometres per hour; None: unknown.
    """

    def __init__(
        self,
        evidence: Evidence,
        own: Verdict,
        decide: Callable[[Evidence], Verdict],
        is_consistent: Callable[[Evidence], bool | None],
        speed: float | None = None,
    ) -> None:
        self._speed = speed
        self._evidence, self._decide, self._is_consistent = evidence, decide, is_consistent
        self._own = own
        self._known: list[tuple[Levels, Verdict]] = [(evidence.level, own)]

    def verdicts(self) -> GapVerdicts:
        """The verdict by each reading, the widest one first."""
        evidence, level = self._evidence, self._evidence.level
        found = {one: self._verdict(one) for one in reversed(READINGS)}
        used = READINGS[int(level.min(initial=0 if not len(level) else 2))]
        return GapVerdicts(
            found,
            evidence.asked,
            used,
            int(np.count_nonzero(level > used.level)),
            len(evidence.pins),
            self._speed,
            self._own,
            self._strictest(found[Gaps.ABSENT]),
            self._hides,
            self._without_suppressed(),
        )

    @property
    def _hides(self) -> bool:
        """Whether some track hides a cell on purpose when somebody was seen."""
        published, possible = self._evidence.published, self._evidence.possible
        if published is None or possible is None or not published.hides:
            return False
        return published.hides_at(self._evidence.pins.time)

    def _without_suppressed(self) -> Verdict | None:
        """The verdict if tracks that show nothing at all were not those of known people."""
        published, possible = self._evidence.published, self._evidence.possible
        if published is None or possible is None or not (published.hides and self._own.passes):
            return None
        suppressed = published.suppressed[possible.rows]
        if not suppressed.any():
            return None
        counted = PossibleTracks(possible.ptr, possible.rows, ~suppressed, no_gap)
        evidence = replace(self._evidence, possible=counted, asked=None)
        return by_strictest(evidence.read(counted.strictest), self._decide)[1]

    def _strictest(self, absent: Verdict | None) -> Verdict:
        """The verdict by the strictest reading that contradicts nothing, sighting by sighting."""
        evidence = self._evidence
        if evidence.asked is None or self._own is Verdict.UNSAFE or evidence.possible is None:
            return self._own
        if absent is not None:
            return absent
        unasked = replace(evidence, asked=None).read(evidence.possible.strictest)
        return by_strictest(unasked, self._decide)[1]

    def _verdict(self, reading: Gaps) -> Verdict | None:
        evidence = self._evidence
        if evidence.possible is None or not evidence.has_gaps:
            return self._own
        if np.any(evidence.possible.strictest > reading.level):
            return None
        level = np.full(len(evidence.pins), reading.level, np.int8)
        read = evidence.read(level)
        follows = self._following(level, read)
        if follows is None:
            try:
                follows = self._decide(read)
            except NoSolutionError:
                return None
        elif follows is Verdict.UNSAFE and not self._is_wider(level):
            consistent = self._is_consistent(read)
            if consistent is None:
                return Verdict.UNDECIDED
            if not consistent:
                return None
        self._known.append((level, follows))
        return follows

    def _following(self, level: Levels, read: Evidence) -> Verdict | None:
        """The verdict that follows from known ones; None: none does."""
        for known, verdict in self._known:
            if verdict is Verdict.SAFE and np.all(known <= level):
                return verdict
            if verdict is Verdict.UNSAFE and np.all(known >= level):
                return verdict
            other = self._evidence.read(known).pins
            if np.array_equal(other.ptr, read.pins.ptr) and np.array_equal(
                other.rows, read.pins.rows
            ):
                return verdict
        return None

    def _is_wider(self, level: Levels) -> bool:
        """Whether a reading allows all that some consistent one allows: then it is consistent."""
        return any(bool(np.all(known <= level)) for known, _ in self._known)
