"""What noise does to cells: estimated from a release alone, and what a cell tells in spite of it.

Obfuscation is not announced. But everybody together is where everybody usually is, and the release
shows how many are where: where it shows them elsewhere, that is noise. A cell is taken to be the
true region, one near to it, or any region, and how often each happens is what makes the counts of
the release likeliest (expectation and maximization). Seen through such noise a region tells less of
who is there, and the more so, the fewer are usually there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.habits import VisitHabits
from mixsafe.contest.base.held_out import nearness
from mixsafe.contest.base.mixture import mixture_ratios
from mixsafe.contest.posterior.whereabouts import Floats
from mixsafe.model.mobility.regions import Regions
from mixsafe.model.release.cells import Cells

SCALES_KM = (0.25, 0.5, 1.0)
"""Near to a region counts by exp(-distance / these), each a part of its own: a cell is 0.35 km."""

ROUNDS = 100
"""Of expectation and maximization."""

ALONE = 0.35
"""How much the evidence of a step counts at least where all cells are noise: exchanged releases.

Cells of a day depend on each other, and so count little; noise makes them less so. It was chosen on
the truth of the preliminary data: with 0.25, 0.35 and 0.5, A4(4,1) exchanged leaves s_R = 0.976,
and A3(8) 0.9653, 0.9646 and 0.9631. Where steps count more than that in the mean, as in small
towns, they count so much under noise, too.
"""

SOME, ALL = 0.2, 0.8
"""The same of later cells in shuffled releases, at the least: under some noise, and all noise.

They were chosen on the truth of the preliminary data: of A4(4,1), A3(8) and A3(6), shuffled, 0.15
leaves s_R = 0.8745, 0.7785, 0.8875; 0.2 leaves 0.8710, 0.7750, 0.8830; 0.3 leaves 0.8685, 0.7925,
0.8800; and 0.6 leaves 0.8785 of A3(6), two thirds of whose cells are noise.
"""

LEAST_SHARE = 0.01
"""A part that fewer cells have is none, which spares its cost."""

LEAST_NEAR = 0.03
"""The same of a part that shows regions near the true one.

Crowds are not quite where they were on the reference days. On the preliminary data that looks as if
2.4% of the cells were near to the true ones, where all cells are uniform.
"""


@dataclass(frozen=True)
class Noise:
    """How cells of single regions come from true ones.

    Parameters
    ----------
    same, anywhere
        Parts of cells that show the true region, and any region alike.
    near
        Parts of cells that show a region near the true one, by ``SCALES_KM``.
    """

    same: float
    anywhere: float
    near: tuple[float, ...] = (0.0,) * len(SCALES_KM)

    @classmethod
    def of_release(cls, habits: VisitHabits, release: Cells) -> Noise:
        """The likeliest parts, from how many show each region at each step of the day."""
        usual, count = habits.background, release.n_regions
        shown = np.zeros((len(usual), release.n_contents))
        for at, column in zip(
            habits.rules.step_of_day(release.time_ids), release.code.T, strict=True
        ):
            shown[at] += np.bincount(column, minlength=release.n_contents)
        shown = shown[:, :count]
        if not shown.any():  # sets alone, which are taken as they are
            return cls(1.0, 0.0)
        near = [usual @ one for one in _near(habits.rules.regions)]
        likely = np.stack([usual, *near, np.full_like(usual, 1 / count)])
        least = np.array([LEAST_SHARE, *(LEAST_NEAR for _ in near), LEAST_SHARE])
        share = _shares(likely.reshape(len(likely), -1), shown.reshape(-1), least)
        return cls(float(share[0]), float(share[-1]), tuple(share[1:-1].tolist()))

    @property
    def none(self) -> bool:
        """Whether cells are what they were."""
        return not any(self.near) and self.anywhere == 0

    @property
    def everything(self) -> bool:
        """Whether cells of single regions say nothing of what they were."""
        return self.anywhere == 1

    @property
    def least_weight(self) -> float:
        """How much the evidence of each later cell of a shuffled track counts, at the least."""
        return SOME + (ALL - SOME) * self.anywhere**2

    def weights(self, weight: Floats) -> Floats:
        """How much the evidence of each step counts, from how much it does without noise."""
        alone = max(ALONE, float(weight.mean()))
        return np.asarray(weight + (alone - weight) * (1 - self.same), dtype=np.float32)

    def kernel(self, regions: Regions) -> Floats:
        """Probability of showing each region (column) for being in one (row)."""
        shown = np.full((regions.count, regions.count), self.anywhere / regions.count, np.float32)
        shown += np.float32(self.same) * np.eye(regions.count, dtype=np.float32)
        for part, near in zip(self.near, _near(regions), strict=True):
            if part:
                shown += np.float32(part) * near
        return shown

    def ratios(self, habits: VisitHabits) -> Floats:
        """Log-ratios of shown regions, as ``habits.ratio`` has those of true ones."""
        if self.none:
            return habits.ratio
        return mixture_ratios(habits.mixture, self.kernel(habits.rules.regions))[0]


@lru_cache(maxsize=1)
def _near(regions: Regions) -> tuple[Floats, ...]:
    """What is near, by ``SCALES_KM``."""
    return tuple(nearness(regions, scale) for scale in SCALES_KM)


def _shares(
    likely: npt.NDArray[np.float64],
    shown: npt.NDArray[np.float64],
    least: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Shares of parts under which what is shown is likeliest.

    Parameters
    ----------
    likely
        (n_parts, n) probability of each place under each part.
    shown
        (n,) how often it is shown.
    least
        (n_parts,) a part with a smaller share is none.
    """
    share = np.full(len(likely), 1 / len(likely))
    seen = shown > 0
    likely, shown = likely[:, seen], shown[seen] / shown.sum()
    for _ in range(ROUNDS):
        share = share * (likely @ (shown / (share @ likely)))
    share[share < least] = 0
    return np.asarray(share / share.sum())
