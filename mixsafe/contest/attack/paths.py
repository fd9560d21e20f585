"""The inner loops of LINK: best paths of some users over the pieces of a release."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int32]


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
        As in :class:`mixsafe.contest.attack.link.Places` and
        :class:`mixsafe.contest.attack.link.Search`.
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


@compiled
def best_path(
    place: Numbers,
    content: Numbers,
    count: npt.NDArray[np.int64],
    gain: Floats,
    step_of_day: npt.NDArray[np.int64],
    free: npt.NDArray[np.bool_],
) -> Numbers:
    """Likeliest path of one user over free pieces, (n_steps,), otherwise as :func:`best_paths`.

    Parameters
    ----------
    gain
        (steps_per_day, n_contents) evidence of the user.
    free
        (n_steps, n_tracks): whether the piece of a track after a step may be used.
    """
    n_steps, n_tracks = place.shape
    value = np.zeros(content.shape[1], np.float32)
    coming = np.empty_like(value)
    back = np.empty((n_steps, content.shape[1]), np.int32)
    for step in range(n_steps):
        if step > 0:
            coming[: count[step]] = -np.inf
            for track in range(n_tracks):
                if free[step - 1, track]:
                    before, target = value[place[step - 1, track]], place[step, track]
                    if before > coming[target]:
                        coming[target] = before
                        back[step, target] = track
            value, coming = coming, value
        for here in range(count[step]):
            value[here] += gain[step_of_day[step], content[step, here]]
    path = np.empty(n_steps, np.int32)
    best = np.float32(-np.inf)
    for track in range(n_tracks):
        if free[n_steps - 1, track] and value[place[n_steps - 1, track]] > best:
            best = value[place[n_steps - 1, track]]
            path[-1] = track
    for step in range(n_steps - 1, 0, -1):
        path[step - 1] = back[step, place[step, path[step]]]
    return path


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


@compiled
def sums_along_tracks(ratio: Floats, step_of_day: npt.NDArray[np.int64], code: Numbers) -> Floats:
    """Sum of the ratios along each track for each user, (n_users, n_tracks) float32.

    Parameters
    ----------
    ratio, step_of_day
        As in :func:`best_paths`.
    code
        (n_tracks, n_steps) content of each cell.
    """
    total = np.empty((len(ratio), len(code)), np.float32)
    for user in range(len(ratio)):
        gain = ratio[user]
        for track in range(len(code)):
            value = np.float32(0)
            for step in range(len(step_of_day)):
                value += gain[step_of_day[step], code[track, step]]
            total[user, track] = value
    return total
