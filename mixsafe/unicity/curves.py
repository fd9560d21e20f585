"""Curves: the share of people whom m sightings single out, at worst and by chance.

Once for tracks under pseudonyms that never change, which is the *unicity* of the literature (de
Montjoye, Hidalgo, Verleysen and Blondel, *Unique in the Crowd*, Scientific Reports 3, 2013), and
once for pseudonyms that are exchanged wherever tracks meet.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from mixsafe.errors import InputError
from mixsafe.model.course import Course, SolveLimits
from mixsafe.model.mobility.places import regions_among
from mixsafe.model.mobility.traces import Positions
from mixsafe.model.progress import Progress, no_progress
from mixsafe.release.assume import Spread
from mixsafe.unicity.person_paths import (
    NOWHERE,
    Misfits,
    PersonPaths,
    Places,
    PublishedTracks,
    find_paths,
    most_tracks,
)
from mixsafe.unicity.worst import Singled, check_asked, fewest, one_by_one

if TYPE_CHECKING:
    import pandas as pd

KINDS = ("static", "exchanged")

_BROKEN, _CONTRADICTED = 1, 2


@dataclass(frozen=True, eq=False)
class Curve:
    """What sightings come to with one kind of release.

    Parameters
    ----------
    worst
        For each person the fewest sightings that single her out.
    drawn
        Of so many people, taken at random, sightings were drawn in the time; one or more.
    chance
        (n_draws, most + 1) float64: the share of these whom the first m of the sightings drawn
        single out; those whose sightings fit no track are none of them.
    contradicted
        (n_draws, most + 1) float64: the share of these whose sightings fit no track.
    """

    worst: tuple[Singled, ...]
    drawn: int
    chance: npt.NDArray[np.float64]
    contradicted: npt.NDArray[np.float64]

    def to_dict(self, at_most: int, seed: int) -> dict[str, Any]:
        """The curve as plain values, with intervals."""
        people, random = len(self.worst), np.random.default_rng(seed)
        found: dict[str, Any] = {"drawn": self.drawn}
        found |= {"worst": [], "perhaps": [], "chance": [], "wilson": []}
        for m in range(at_most + 1):
            done = sum(one.upper is not None and one.upper <= m for one in self.worst)
            found["worst"].append(done / people)
            found["perhaps"].append(sum(one.lower <= m for one in self.worst) / people)
            shares = self.chance[:, m]
            found["chance"].append(asdict(Spread.of(shares, random)))
            hit = round(float(shares.mean()) * self.drawn)
            interval = stats.binomtest(hit, self.drawn).proportion_ci(method="wilson")
            found["wilson"].append([float(interval.low), float(interval.high)])
        found["contradicted"] = self.contradicted.mean(axis=0).tolist()
        return found


@dataclass(frozen=True, eq=False)
class Curves:
    """Curves of releases without and with exchanges.

    Parameters
    ----------
    people, steps
        How many there are; each person has a track.
    k, at_most, draws, seed
        What was asked.
    habit
        Whether sightings are drawn from a reference, and not from the tracks themselves.
    static, exchanged
        The curves.
    seconds
        Wall time.
    """

    people: int
    steps: int
    k: int
    at_most: int
    draws: int
    seed: int
    habit: bool
    static: Curve
    exchanged: Curve
    seconds: float

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per kind of release and number of sightings.

        release, sightings, worst, perhaps, random, low, high, contradicted: shares of the people.
        """
        import pandas as pd

        rows = [
            {
                "release": kind,
                "sightings": m,
                "worst": curve["worst"][m],
                "perhaps": curve["perhaps"][m],
                "random": curve["chance"][m]["mean"],
                "low": curve["chance"][m]["low"],
                "high": curve["chance"][m]["high"],
                "contradicted": curve["contradicted"][m],
            }
            for kind, curve in self.to_dict()["curves"].items()
            for m in range(self.at_most + 1)
        ]
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """The curves as a JSON object."""
        names = ("people", "steps", "k", "at_most", "draws", "seed", "habit")
        asked = {name: getattr(self, name) for name in names}
        curves = {kind: getattr(self, kind).to_dict(self.at_most, self.seed) for kind in KINDS}
        return {**asked, "seconds": round(self.seconds, 3), "curves": curves}


def curves(
    positions: Positions,
    k: int = 2,
    *,
    at_most: int = 4,
    draws: int = 20,
    reference: Positions | None = None,
    limits: SolveLimits | None = None,
    progress: Progress = no_progress,
) -> Curves:
    """How many people few sightings single out, at worst and by chance.

    A person is singled out when fewer than ``k`` tracks can be hers, at every step. There are no
    sightings of others. A sighting is where she was at a step in which her track shows something; a
    track that shows nothing then was not there.

    Parameters
    ----------
    positions
        Where everybody truly was; what is published.
    k
        Tracks that each person might be on, at least, >= 1; 2 is unicity.
    at_most, draws
        Sightings, at most, >= 0; and times that they are drawn, >= 1.
    reference
        Habits: where the same people were at other times, step for step, from which sightings are
        taken instead; None: from ``positions``.
    limits, progress
        Time (half of it for each release), workers, seed; called with stage, people done, and all.

    Raises
    ------
    InputError
        A value out of range, or a reference of other users.
    """
    began = time.monotonic()
    check_asked(k, at_most, draws)
    places = _places_seen(positions, reference)
    asked, course = (places, k, at_most, draws), Course.begin(limits, progress)
    static, exchanged = (
        _CurveTask(
            PublishedTracks.of(positions, exchanged=kind == "exchanged"), *asked, until
        ).curve(kind)
        for kind, until in zip(KINDS, (course.share(1 / 2), course), strict=True)
    )
    habit, seconds = reference is not None, time.monotonic() - began
    people, steps = places.shape[1], places.shape[0]
    return Curves(people, steps, k, at_most, draws, course.seed, habit, static, exchanged, seconds)


def check_same_people(positions: Positions, reference: Positions) -> None:
    """Check that the reference is of people whose tracks are published.

    Raises
    ------
    InputError
        The reference has others.
    """
    names = set(positions.users.tolist())
    missing = [name for name in reference.users.tolist() if name not in names]
    if missing:
        raise InputError(f"user {missing[0]} of the reference is not in the data")


def _places_seen(positions: Positions, reference: Positions | None) -> Places:
    """(n_steps, n_people): place of each person at each step that may be seen."""
    source, steps = positions if reference is None else reference, positions.axis.steps
    places = np.full((steps, len(positions.users)), NOWHERE, np.int64)
    row = source.row
    if reference is not None:
        check_same_people(positions, reference)
        names = {name: place for place, name in enumerate(positions.users.tolist())}
        row = np.array([names[name] for name in reference.users.tolist()], np.int32)[source.row]
    inside = source.step <= steps
    place = regions_among(source.place, source.place_names, positions.place_names)
    places[source.step[inside] - 1, row[inside]] = place[inside]
    return places


@dataclass(frozen=True, eq=False)
class _CurveTask:
    """One curve that is to be found."""

    tracks: PublishedTracks
    places: Places
    k: int
    at_most: int
    draws: int
    course: Course

    def curve(self, kind: str) -> Curve:
        """Find it, some people at a time on each thread; ``kind``: what is told of it.

        People come in an order drawn at random, so that those who are done are a sample.
        """
        people = self.places.shape[1]
        worst = [Singled(0, None)] * people
        outcome = np.zeros((people, self.draws, self.at_most + 1), np.int8)
        drawn = np.zeros(people, bool)
        order = np.random.default_rng(self.course.seed).permutation(people)

        def work(some: npt.NDArray[np.int64]) -> None:
            paths = PersonPaths.room(self.tracks.group)
            for one in some.tolist():
                if self.course.passed and one != order[0]:
                    return
                worst[one], outcome[one] = self._one(one, paths)
                drawn[one] = True

        one_by_one(work, order, self.course, f"singling people out, {kind}")
        return Curve(
            tuple(worst),
            int(drawn.sum()),
            (outcome[drawn] == _BROKEN).mean(axis=0),
            (outcome[drawn] == _CONTRADICTED).mean(axis=0),
        )

    def _one(self, person: int, paths: PersonPaths) -> tuple[Singled, npt.NDArray[np.int8]]:
        """A person's fewest sightings, and what each draw of hers comes to."""
        places = np.ascontiguousarray(self.places[:, person])
        group, off = self.tracks.group, self.tracks.misfits(places)
        random = np.random.default_rng([self.course.seed, person])
        outcome = np.zeros((self.draws, self.at_most + 1), np.int8)
        for draw in range(self.draws):
            steps = random.permutation(np.flatnonzero(places != NOWHERE))
            outcome[draw] = self._by_chance(off, steps, paths)
        return fewest(group, off, self.k, self.at_most, paths, self.course.deadline), outcome

    def _by_chance(
        self, off: Misfits, steps: npt.NDArray[np.int64], paths: PersonPaths
    ) -> npt.NDArray[np.int8]:
        """(at_most + 1,) what the first 0, 1, … of some sightings come to.

        They single her out, or contradict (fit no track), or neither, 0. Who has fewer places is
        seen at all of them.
        """
        found, seen = np.zeros(self.at_most + 1, np.int8), np.zeros(len(off), np.bool_)
        for m in range(self.at_most + 1):
            seen[steps[:m]] = True
            find_paths(self.tracks.group, off, seen, paths)
            possible = int(most_tracks(paths))
            if possible < self.k:
                found[m] = _BROKEN if possible else _CONTRADICTED
        return found
