"""The auditor's view straight from its definition, for tiny releases: slow, and obviously right.

A story is who is behind each published track at each time. It begins with any one-to-one match of
people and tracks; where tracks visibly meet, the people behind them may have changed over, and at
scheduled times those behind all tracks. Stories that contradict a sighting are dropped. Nothing
here is shared with the engines.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Collection, Iterator, Sequence

Cell = frozenset[int] | None
"""What a track shows at a time: regions (from 0), or nothing."""

Track = Sequence[Cell]

Sighting = tuple[int, int, int]
"""User, time from 1, region."""

Story = list[tuple[int, ...]]
"""For each time from 0 the person behind each track."""

May = Callable[[int, int, int], bool]
"""Whether somebody can come to a time on one track and be on another one from then on."""


def anything(_t: int, _come: int, _leave: int) -> bool:
    """All exchanges are possible."""
    return True


def meetings(tracks: Sequence[Track], t: int, rotations: Collection[int] = ()) -> list[list[int]]:
    """Tracks that show the same single region at a time, in groups; all at times of rotation."""
    if t in rotations:
        return [list(range(len(tracks)))]
    groups: dict[Cell, list[int]] = {}
    for number, track in enumerate(tracks):
        cell = track[t - 1]
        if cell is not None and len(cell) == 1:
            groups.setdefault(cell, []).append(number)
    return list(groups.values())


def number_of_stories(tracks: Sequence[Track], rotations: Collection[int] = ()) -> int:
    """How many stories a release with exchanges allows."""
    times = range(1, len(tracks[0]) + 1)
    groups = [group for t in times for group in meetings(tracks, t, rotations)]
    return math.factorial(len(tracks)) * math.prod(math.factorial(len(group)) for group in groups)


def next_times(
    people: tuple[int, ...], groups: list[list[int]], may: Callable[[int, int], bool]
) -> Iterator[tuple[int, ...]]:
    """Who may be behind each track after people changed over within the groups."""
    ways = [
        [
            order
            for order in itertools.permutations(group)
            if all(a == b or may(a, b) for b, a in zip(group, order, strict=True))
        ]
        for group in groups
    ]
    for orders in itertools.product(*ways):
        now = list(people)
        for group, order in zip(groups, orders, strict=True):
            for to, came in zip(group, order, strict=True):
                now[to] = people[came]
        yield tuple(now)


def stories(
    tracks: Sequence[Track],
    *,
    exchanged: bool,
    may: May = anything,
    rotations: Collection[int] = (),
) -> Iterator[Story]:
    """All stories that the release allows."""
    n_steps = len(tracks[0])

    def continued(story: Story) -> Iterator[Story]:
        t = len(story)
        if t > n_steps:
            yield story
            return
        groups = meetings(tracks, t, rotations) if exchanged or t in rotations else []
        for people in next_times(story[-1], groups, functools.partial(may, t)):
            yield from continued([*story, people])

    for start in itertools.permutations(range(len(tracks))):
        yield from continued([start])


def agrees(story: Story, tracks: Sequence[Track], sightings: Sequence[Sighting]) -> bool:
    """Whether every user can have been seen where she was."""
    for user, t, region in sightings:
        cell = tracks[story[t].index(user)][t - 1]
        if cell is not None and region not in cell:
            return False
    return True


def tracks_of(
    tracks: Sequence[Track],
    sightings: Sequence[Sighting],
    n_known: int,
    *,
    exchanged: bool,
    may: May = anything,
    rotations: Collection[int] = (),
) -> dict[tuple[int, int], set[int]]:
    """Tracks that can be each known user's at each time; empty sets: the knowledge contradicts."""
    n_steps = len(tracks[0])
    found: dict[tuple[int, int], set[int]] = {
        (user, t): set() for user in range(n_known) for t in range(1, n_steps + 1)
    }
    for story in stories(tracks, exchanged=exchanged, may=may, rotations=rotations):
        if agrees(story, tracks, sightings):
            for user, t in found:
                found[user, t].add(story[t].index(user))
    return found
