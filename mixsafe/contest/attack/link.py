"""LINK: the attacker who knows that pseudonyms are exchanged, and links their pieces.

Users who show the same cell in one step may have exchanged pseudonyms there, and every exchange is
equally likely, so a track says nothing across such a step: all that is left are pieces of tracks
between places where somebody is met. A user's way through the release is a path: in each step she
is at one of the places shown, and goes on with any piece that leaves it.

The likelihood of a path is that of its cells under the user's habits against anybody's
(:mod:`mixsafe.contest.base.evidence`), since what is not hers has been left by somebody else. The
best path of each user comes from one sweep over the steps (Viterbi 1967). The chance of each
exchange, one over the size of the zone, is left out: with it paths shun crowded places, and fewer
guesses are right.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mixsafe.contest.attack.tracks import guess_regions
from mixsafe.contest.base.parts import AnswerKind, ToldOfExchanges
from mixsafe.contest.base.reference import Reference
from mixsafe.model.release.cells import Cells

BATCH = 64
"""Users whose paths are searched together, side by side in memory."""


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
        from mixsafe.contest.attack.paths import best_paths

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
        from mixsafe.contest.attack.paths import FreePieces, choose_disjoint

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
