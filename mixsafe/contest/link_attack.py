"""LINK: the attacker who knows that pseudonyms are exchanged, and links their pieces.

Users who show the same cell in one step may have exchanged pseudonyms there, and every exchange is
equally likely, so a track says nothing across such a step: all that is left are pieces of tracks
between places where somebody is met. A user's way through the release is a path: in each step she
is at one of the places shown, and goes on with any piece that leaves it.

The likelihood of a path is that of its cells under the user's habits against anybody's
(:class:`mixsafe.contest.base.reference.VisitEvidence`), since what is not hers has been left by
somebody else. The best path of each user comes from one sweep over the steps (Viterbi 1967). The
chance of each exchange, one over the size of the zone, is left out: with it paths shun crowded
places, and fewer guesses are right.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.contest.attacks import guess_regions
from mixsafe.contest.base.parts import AnswerKind, ToldOfExchanges
from mixsafe.contest.base.reference import Reference
from mixsafe.machinery.compiled import compiled, inner
from mixsafe.model.release import Cells

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int32]

NOWHERE = -1
"""The place before a piece that was taken."""

EVERY = 64
"""Paths after which pieces that were taken are dropped."""

BATCH = 64
"""Users whose paths are searched together, side by side in memory."""


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
        (:class:`mixsafe.contest.link_attack.MeetingPlaces`); evidence by user, step of the day and
        content (:class:`mixsafe.contest.link_attack.Search`).
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


@dataclass(frozen=True, eq=False)
class MeetingPlaces:
    """Where pieces of tracks meet: in each step, one place per cell shown, one per track alone.

    Parameters
    ----------
    of_track
        (n_steps, n_tracks) int32 place of each track in each step.
    content
        (n_steps, most places of a step) int32 content of each place; what follows the last is 0.
    count
        (n_steps,) places of each step.
    """

    of_track: npt.NDArray[np.int32]
    content: npt.NDArray[np.int32]
    count: npt.NDArray[np.int64]

    @classmethod
    def of_release(cls, release: Cells, exchanged: int = 1) -> MeetingPlaces:
        """The places of a release; without exchanges nobody meets, and each track has its own."""
        code, tracks = release.code, np.arange(release.n_rows)
        # Deleted cells show nothing to meet at, either.
        alone = code == release.deleted if exchanged else np.ones(code.shape, bool)
        key = np.where(alone, release.n_contents + tracks[:, None], code)
        found = [np.unique(column, return_index=True, return_inverse=True) for column in key.T]
        count = np.array([len(shown) for shown, _, _ in found])
        content = np.zeros((release.n_steps, count.max()), np.int32)
        for at, (shown, track, _) in enumerate(found):
            content[at, : len(shown)] = code[track, at]
        return cls(np.stack([place for _, _, place in found]).astype(np.int32), content, count)


@dataclass(frozen=True, eq=False)
class Search:
    """A search for paths in a release, with what reference traces tell.

    Parameters
    ----------
    places
        The places of the release.
    ratio
        (n_users, steps_per_day, n_contents) evidence.
    step_of_day
        (n_steps,).
    """

    places: MeetingPlaces
    ratio: npt.NDArray[np.float32]
    step_of_day: npt.NDArray[np.int64]

    @cached_property
    def all_paths(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Best path of every user, whatever the others' are, (n, n_steps) tracks; and its value."""
        # Numba takes half a second to import, which the other attacks need not wait for.
        places, users = self.places, np.arange(len(self.ratio))
        found = np.empty((len(users), len(places.count)), np.int32)
        score = np.empty(len(users), np.float32)
        for start in range(0, len(users), BATCH):
            batch = slice(start, start + BATCH)
            score[batch] = best_paths(
                places.of_track,
                places.content,
                places.count,
                self.ratio,
                self.step_of_day,
                users[batch],
                found[batch],
            )
        return found, score

    def disjoint_paths(self) -> npt.NDArray[np.int32]:
        """Paths that share no piece, (n_users, n_steps): together they cover the release.

        The likeliest paths go first. Whoever finds a piece of her path taken waits, and in her turn
        searches anew among the free ones; as many pieces leave a place as enter it, so there
        always is a path.
        """
        found, score = self.all_paths
        places, chosen = self.places, found.copy()
        choose_disjoint(
            places.of_track,
            places.content,
            self.ratio,
            self.step_of_day,
            np.argsort(-score, kind="stable"),
            FreePieces.of_places(places.of_track),
            chosen,
        )
        return chosen


@lru_cache(maxsize=1)
def search(reference: Reference, release: Cells, exchanged: int) -> Search:
    """The search in a release; kept, since both attacks on a release need it.

    Raises
    ------
    InputError
        A release of too many different sets.
    """
    return Search(
        MeetingPlaces.of_release(release, exchanged),
        reference.evidence.of_contents(release),
        reference.rules.step_of_day(release.time_ids),
    )


@dataclass(frozen=True, eq=False)
class LinkedTracks:
    """What LINK believes: which tracks a user goes along."""

    search: Search
    release: Cells
    exchanged: int
    random: np.random.Generator

    def users(self) -> npt.NDArray[np.int32]:
        """A user for each pseudonym and time, (n, n_steps), none twice at one time.

        For each pseudonym alone, (n,), where none are exchanged.
        """
        track = self.search.disjoint_paths()
        user = np.empty_like(track)
        np.put_along_axis(user, track, np.arange(len(track), dtype=np.int32)[:, None], axis=0)
        return user if self.exchanged else user[:, 0]

    def regions(self) -> npt.NDArray[np.int32]:
        """What each user's own likeliest path shows, (n, n_steps)."""
        track, _ = self.search.all_paths
        return guess_regions(self.release, self.random)[track, np.arange(self.release.n_steps)]


class Link(ToldOfExchanges):
    """The LINK attacks."""

    def believe(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> LinkedTracks:
        """Likeliest paths; where pseudonyms are never exchanged a track is one from end to end."""
        found = search(reference, release, self.exchanged)
        return LinkedTracks(found, release, self.exchanged, random)


class LinkIds(Link):
    """LINK, re-identification: the users of a mix-zone release by disjoint likeliest paths."""

    short, long = "LINK", "LINK-Ids"
    answers: ClassVar[AnswerKind] = "ids"


class LinkTraces(Link):
    """LINK-T, trace inference: what each user's own likeliest path shows."""

    short, long = "LINK-T", "LINK-Traces"
    answers: ClassVar[AnswerKind] = "traces"
