"""The inner loops of LINK: best paths of some users over the pieces of a release."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int32]

NOWHERE = -1
"""The place before a piece that was taken."""

EVERY = 64
"""Paths after which pieces that were taken are dropped."""


@compiled
def best_paths(
    place: Numbers,
    content: Numbers,
    count: npt.NDArray[np.int64],
    ratio: Floats,
    step_of_day: npt.NDArray[np.int64],
    users: npt.NDArray[np.int64],
    paths: Numbers,
) -> Floats:
    """Likeliest path of each user from the first step to the last over all pieces.

    Users are side by side in the innermost dimension, so that a piece is looked at once for all.

    Parameters
    ----------
    place, content, count, ratio, step_of_day
        Places of tracks with their contents and numbers
        (:class:`mixsafe.contest.attack.link.MeetingPlaces`); evidence by user, step of the day and
        content (:class:`mixsafe.contest.attack.link.Search`).
    users
        (n,) whose paths are wanted.
    paths
        (n, n_steps), filled: the track that each user is on after each step.

    Returns
    -------
    (n,) float32
        Sum of the ratios along each path.
    """
    n_steps = len(place)
    value = np.zeros((content.shape[1], len(users)), np.float32)
    coming = np.empty_like(value)
    back = np.empty((n_steps, content.shape[1], len(users)), np.int32)
    for step in range(n_steps):
        if step > 0:
            coming[: count[step]] = -np.inf
            _advance(place[step - 1], place[step], value, coming, back[step])
            value, coming = coming, value
        for number in range(len(users)):
            gain = ratio[users[number], step_of_day[step]]
            for here in range(count[step]):
                value[here, number] += gain[content[step, here]]
    score = _choose_ends(place[n_steps - 1], value, paths)
    for number in range(len(users)):
        for step in range(n_steps - 1, 0, -1):
            paths[number, step - 1] = back[step, place[step, paths[number, step]], number]
    return np.asarray(score)


class FreePieces(NamedTuple):
    """Pieces that nobody's path uses yet, for each step those that lead to it.

    Parameters
    ----------
    track, source, target
        (n_steps, n_tracks) of each piece its track and its places before and after, in order of
        the tracks. Pieces that were taken come from ``NOWHERE`` until they are dropped.
    size
        (n_steps,) how many come first that were not dropped; nobody comes to the first step.
    entry
        (n_steps, n_tracks) where the piece of each track stands.
    ending
        (n_tracks,) whether what follows the last step is free.
    """

    track: Numbers
    source: Numbers
    target: Numbers
    size: npt.NDArray[np.int64]
    entry: Numbers
    ending: npt.NDArray[np.bool_]

    @classmethod
    def of_places(cls, place: Numbers) -> FreePieces:
        """All pieces of a release, from the place of each track in each step."""
        n_steps, n_tracks = place.shape
        track = np.tile(np.arange(n_tracks, dtype=np.int32), (n_steps, 1))
        size = np.full(n_steps, n_tracks)
        size[0] = 0
        source = np.roll(place, 1, axis=0)
        return cls(track, source, place.copy(), size, track.copy(), np.ones(n_tracks, np.bool_))


@compiled
def choose_disjoint(
    place: Numbers,
    content: Numbers,
    ratio: Floats,
    step_of_day: npt.NDArray[np.int64],
    order: npt.NDArray[np.int64],
    free: FreePieces,
    paths: Numbers,
) -> None:
    """Change paths of all users so that none share a piece.

    Whoever comes first in order has hers if all its pieces are free; then all others, in order,
    have the likeliest one over what is free, otherwise as :func:`best_paths`.

    Parameters
    ----------
    place, content, ratio, step_of_day
        Places of tracks with their contents; evidence by user, step of the day and content.
    order
        (n_users,) the users.
    free
        All pieces; used up.
    paths
        (n_users, n_steps) everybody's best; changed.
    """
    waiting = np.empty_like(order)
    count = 0
    for user in order:
        if _all_free(free, paths[user]):
            _take(free, paths[user])
        else:
            waiting[count] = user
            count += 1
    # The last place is nowhere: what comes from there is never better.
    value = np.full((2, content.shape[1] + 1), -np.inf, np.float32)
    back = np.empty(content.shape, np.int32)
    for number in range(count):
        user = waiting[number]
        if number % EVERY == 0:
            _drop_taken(free)
        for step in range(len(place)):
            gain, shown, after = ratio[user, step_of_day[step]], content[step], value[step % 2]
            after[: len(shown)] = -np.inf if step else 0
            _arrive_free(free, step, value[(step + 1) % 2], after, back[step])
            for here in range(len(shown)):
                after[here] += gain[shown[here]]
        _trace_back(free, place, value[(len(place) - 1) % 2], back, paths[user])
        _take(free, paths[user])


@inner
def _arrive_free(free: FreePieces, step: int, before: Floats, after: Floats, back: Numbers) -> None:
    """Best free way into each place of a step, and its track; places that none leads to stay."""
    track, source, target = free.track[step], free.source[step], free.target[step]
    for at in range(free.size[step]):
        # Written as choices, not as branches: which is better cannot be foreseen.
        come, here = before[source[at]], target[at]
        better = come > after[here]
        after[here] = come if better else after[here]
        back[here] = track[at] if better else back[here]


@inner
def _trace_back(
    free: FreePieces, place: Numbers, value: Floats, back: Numbers, path: Numbers
) -> None:
    """The path, (n_steps,) filled, that leads to the best free end, the first of equals."""
    last = len(place) - 1
    highest = np.float32(-np.inf)
    for one in range(place.shape[1]):
        if free.ending[one] and value[place[last, one]] > highest:
            highest = value[place[last, one]]
            path[last] = one
    for step in range(last, 0, -1):
        path[step - 1] = back[step, place[step, path[step]]]


@inner
def _all_free(free: FreePieces, path: Numbers) -> bool:
    """Whether nobody has taken a piece of a path, (n_steps,) tracks."""
    found = free.ending[path[len(path) - 1]]
    for step in range(1, len(path)):
        found = found and free.source[step, free.entry[step, path[step - 1]]] != NOWHERE
    return bool(found)


@inner
def _take(free: FreePieces, path: Numbers) -> None:
    """The pieces of a path are no longer free."""
    for step in range(1, len(path)):
        free.source[step, free.entry[step, path[step - 1]]] = NOWHERE
    free.ending[path[len(path) - 1]] = False


@inner
def _drop_taken(free: FreePieces) -> None:
    """What is free moves together, in order."""
    track, source, target, size, entry, _ = free
    for step in range(len(size)):
        count = 0
        for at in range(size[step]):
            if source[step, at] != NOWHERE:
                track[step, count], source[step, count] = track[step, at], source[step, at]
                target[step, count] = target[step, at]
                entry[step, track[step, count]] = count
                count += 1
        size[step] = count


@compiled
def _advance(
    source: Numbers, target: Numbers, value: Floats, coming: Floats, back: Numbers
) -> None:
    """Best way into each place, and the track that it uses."""
    for track in range(len(source)):
        before, best = value[source[track]], coming[target[track]]
        way = back[target[track]]
        # Written as choices, not as branches, so that it becomes vector instructions.
        for number in range(value.shape[1]):
            better = before[number] > best[number]
            best[number] = before[number] if better else best[number]
            way[number] = track if better else way[number]


@compiled
def _choose_ends(place: Numbers, value: Floats, paths: Numbers) -> Floats:
    """Last track of each path, the first of equals; returns the paths' values."""
    score = np.full(len(paths), -np.inf, np.float32)
    for track in range(len(place)):
        end = value[place[track]]
        for number in range(len(paths)):
            if end[number] > score[number]:
                score[number] = end[number]
                paths[number, -1] = track
    return np.asarray(score)
