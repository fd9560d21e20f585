"""The organizers' obfuscations A1 to A5 (contest paper, section 4.1; sample programs, 2.1).

Each draws its random numbers in the programs' order, so that with ``RandomState(1)`` the cells
are theirs, line by line.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.parts import Random, RegionAnonymiser
from mixsafe.contest.base.rules import Rules
from mixsafe.errors import InputError
from mixsafe.model.csr import pointers
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.model.release import Cells


@dataclass(frozen=True)
class NoObfuscation(RegionAnonymiser):
    """A1: the original regions."""

    short, long = "A1", "A1-none"

    def shown(self, original: TraceMatrix, rules: Rules, random: Random) -> npt.NDArray[np.int32]:
        """The same regions."""
        return original.region


@dataclass(frozen=True)
class MergeAndHide:
    """A2, MRLH (Shokri et al., S&P 2011): merge regions into blocks, hide some altogether.

    Parameters
    ----------
    mu_x, mu_y
        Bits dropped from the column and from the row of a region, >= 0: blocks of
        2^mu_x by 2^mu_y regions.
    share
        lambda: probability with which a cell is deleted, 0 to 1.

    Raises
    ------
    InputError
        A parameter out of its range.
    """

    mu_x: int = 2
    mu_y: int = 2
    share: float = 0.5

    short: ClassVar[str] = "A2"
    long: ClassVar[str] = "A2-MRLH"

    def __post_init__(self) -> None:
        if self.mu_x < 0 or self.mu_y < 0:
            raise InputError(f"A2 cannot drop {min(self.mu_x, self.mu_y)} bits")
        if not 0 <= self.share <= 1:
            raise InputError(f"A2 cannot hide with probability {self.share}")

    def anonymise(self, original: TraceMatrix, rules: Rules, random: Random) -> Cells:
        """Blocks and deletions.

        Raises
        ------
        InputError
            Blocks larger than the grid.
        """
        regions, n_regions = rules.regions, rules.regions.count
        content, ptr, member = self._blocks(regions)
        code = content[original.region]
        hidden = random.random(original.region.size).reshape(code.shape) < self.share
        code[hidden] = n_regions
        return Cells(code, n_regions, ptr, member, original.first_time)

    def _blocks(
        self, regions: Regions
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Content of each region, and the blocks as CSR with ascending members."""
        if 2**self.mu_x > regions.columns or 2**self.mu_y > regions.rows:
            raise InputError(
                f"A2 blocks of 2^{self.mu_x} by 2^{self.mu_y} regions are larger than the"
                f" {regions.columns} x {regions.rows} grid"
            )
        region = np.arange(regions.count, dtype=np.int32)
        if self.mu_x == self.mu_y == 0:
            return region, np.zeros(1, np.int64), region[:0]
        row, column = np.divmod(region, regions.columns)
        corner = (row >> self.mu_y << self.mu_y) * regions.columns + (
            column >> self.mu_x << self.mu_x
        )
        _, block, size = np.unique(corner, return_inverse=True, return_counts=True)
        member = np.argsort(block, kind="stable").astype(np.int32)
        # A grid that is no multiple of the block leaves blocks of one region: a plain region.
        single = size == 1
        content = np.cumsum(~single)[block] + regions.count
        content = np.where(single[block], region, content).astype(np.int32)
        kept = np.repeat(~single, size)
        return content, pointers(size[~single]), member[kept]


@dataclass(frozen=True)
class RandomizedResponse(RegionAnonymiser):
    """A3, k-RR (Kairouz et al., ICML 2016): k-ary randomized response over all regions.

    Parameters
    ----------
    epsilon
        Privacy budget of each cell, >= 0. The truth is kept with probability
        e^epsilon / (k - 1 + e^epsilon); otherwise each other region is equally likely.

    Raises
    ------
    InputError
        A budget that is negative or not finite.
    """

    epsilon: float = 0.1

    short, long = "A3", "A3-kRR"

    def __post_init__(self) -> None:
        if not (self.epsilon >= 0 and math.isfinite(self.epsilon)):
            raise InputError(f"A3 cannot have a privacy budget of {self.epsilon}")

    def shown(self, original: TraceMatrix, rules: Rules, random: Random) -> npt.NDArray[np.int32]:
        """The true region of each cell, or another one."""
        truth, n_regions = original.region, rules.regions.count
        # Beyond 700 the exponential overflows, and the truth is kept surely long before.
        weight = math.exp(min(self.epsilon, 700.0))
        keep, other = weight / (n_regions - 1 + weight), 1 / (n_regions - 1 + weight)
        draw = random.random(truth.size).reshape(truth.shape)
        # The last other region takes the rounding of a draw next to 1.
        rank = np.clip((draw - keep) / other, 0, n_regions - 2).astype(np.int32)
        noise = rank + (rank >= truth)
        return np.where(draw < keep, truth, noise)


@dataclass(frozen=True)
class PlanarLaplace(RegionAnonymiser):
    """A4, planar Laplace noise (Andres et al., CCS 2013): l-privacy within r km.

    Parameters
    ----------
    privacy
        l, > 0.
    radius_km
        r, kilometres, > 0. Noise has density proportional to exp(-(l / r) distance).

    Raises
    ------
    InputError
        A parameter that is not positive and finite.
    """

    privacy: float = 0.1
    radius_km: float = 1.0

    short, long = "A4", "A4-PL"

    def __post_init__(self) -> None:
        for value in (self.privacy, self.radius_km):
            if not (value > 0 and math.isfinite(value)):
                raise InputError(f"A4 needs positive parameters, not {value}")

    def shown(self, original: TraceMatrix, rules: Rules, random: Random) -> npt.NDArray[np.int32]:
        """Noisy regions; noise that leaves the grid stops at its border."""
        regions = rules.regions
        north, east = self.displacement_km(original.region.size, random)
        lat, lon = regions.centres(original.region.reshape(-1))
        km_north, km_east = regions.km_per_degree
        noisy = regions.nearest(lat + north / km_north, lon + east / km_east)
        return noisy.reshape(original.region.shape)

    def displacement_km(
        self, count: int, random: Random
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Noise to the north and to the east, kilometres, (count,) each."""
        from scipy.special import lambertw

        draw = random.random(2 * count).reshape(-1, 2)
        angle = 2 * math.pi * draw[:, 0]
        # Inverse of the radius law 1 - (1 + e R) exp(-e R); at a draw of 0, W is undefined, R is 0.
        branch = lambertw((draw[:, 1] - 1) / math.e, k=-1).real
        radius = np.nan_to_num(-(branch + 1) * self.radius_km / self.privacy, nan=0.0)
        return radius * np.sin(angle), radius * np.cos(angle)


@dataclass(frozen=True)
class Cheat(RegionAnonymiser):
    """A5, cheating or Yamaoka anonymization: whole traces change users before pseudonyms do.

    Parameters
    ----------
    share
        p, 0 to 1: the first ``int(n p)`` users have their traces shuffled.

    Raises
    ------
    InputError
        A share outside 0 to 1.
    """

    share: float = 1.0

    short, long = "A5", "A5-YA"

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise InputError(f"A5 cannot shuffle a share of {self.share} of the users")

    def shown(self, original: TraceMatrix, rules: Rules, random: Random) -> npt.NDArray[np.int32]:
        """The same traces at other users' places."""
        place = np.arange(int(original.n_users * self.share))
        random.shuffle(place)
        region = original.region.copy()
        region[place] = original.region[: len(place)]
        return region
