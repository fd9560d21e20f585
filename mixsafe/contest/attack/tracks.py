"""What attackers believe who weigh whole tracks, and how they read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.model.release import Cells


def likeliest_free(scores: Iterator[npt.NDArray[np.float64]]) -> npt.NDArray[np.int32]:
    """Likeliest user of each track among those whom no earlier track has, (n_tracks,).

    Tracks choose in order of their pseudonyms, the first user of equals: a permutation.
    """
    taken: npt.NDArray[np.bool_] | None = None
    chosen = []
    for block in scores:
        taken = np.zeros(block.shape[1], bool) if taken is None else taken
        for track in block:
            # Each choice narrows the next, so there is no array form.
            user = int(np.where(taken, -np.inf, track).argmax())
            taken[user] = True
            chosen.append(user)
    return np.array(chosen, np.int32)


def guess_regions(cells: Cells, random: np.random.Generator) -> npt.NDArray[np.int32]:
    """A region for each cell: the one shown, one of the set shown, or any region at all."""
    code = cells.code
    guess = code.copy()
    deleted = code == cells.deleted
    guess[deleted] = random.integers(cells.n_regions, size=deleted.sum())
    is_set = code > cells.deleted
    chosen = code[is_set].astype(np.int64) - cells.n_regions - 1
    guess[is_set] = cells.member[cells.ptr[chosen] + random.integers(cells.set_sizes[chosen])]
    return guess


@dataclass(frozen=True, eq=False)
class TrackScores:
    """How well each track fits each user.

    Parameters
    ----------
    blocks
        Scores, (n_tracks, n_users), in blocks of consecutive tracks; an answer uses them up.
    release
        Its tracks.
    random
        Guesses what cells do not show.
    """

    blocks: Iterator[npt.NDArray[np.float64]]
    release: Cells
    random: np.random.Generator

    def users(self) -> npt.NDArray[np.int32]:
        """User with the highest score of each track, the first of equals, (n_tracks,)."""
        return np.concatenate([block.argmax(axis=1) for block in self.blocks]).astype(np.int32)

    def regions(self) -> npt.NDArray[np.int32]:
        """What the tracks show that are taken for the users' own, none twice, (n, n_steps)."""
        user = likeliest_free(self.blocks)
        traces = np.empty_like(self.release.code)
        traces[user] = guess_regions(self.release, self.random)
        return traces
