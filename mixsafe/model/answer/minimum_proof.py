"""Minimum sets of zones and proofs of their optimality, as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from mixsafe.errors import InputError
from mixsafe.model.answer.proof import ClauseProof, ClauseProofs, HallSet, HallSets
from mixsafe.model.answer.ragged import Ragged, Whole, add_up, check_lengths, column, lists
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.places import ZonePlaces

Weight = Literal["count", "members"]
"""Cost of a zone: 1, or its number of members."""

WEIGHTS = ("count", "members")

PLACES = "places"
"""What stands for a weight where places are chosen, which have costs of their own."""

Ints = np.ndarray[tuple[int], np.dtype[np.int64]]


def cost_of(zones: MixZones, weight: Weight) -> Ints:
    """(n_zones,) cost of an exchange in each zone."""
    return zones.sizes.astype(np.int64) if weight == "members" else np.ones(len(zones), np.int64)


class ZoneCore(NamedTuple):
    """Zones of which every sufficient set needs at least one: without them a requirement fails.

    Parameters
    ----------
    requirement
        Number of the requirement.
    off
        Numbers of the zones; empty: not even all zones meet the requirement.
    left
        Tokens possible without the zones, fewer than required.
    Hall sets, refutation
        Proofs, in the problem without the zones.
    """

    requirement: int
    off: Whole
    left: Whole
    hall_sets: tuple[HallSet, ...] = ()
    refutation: ClauseProof | None = None


@dataclass(frozen=True, eq=False)
class ZoneCores:
    """Cores in columns.

    Parameters
    ----------
    requirement
        (n,) int32.
    off, left
        n lists, ascending.
    n_hall_sets, n_refutations
        (n,) int32: how many of ``hall_sets`` and of ``refutations`` belong to each, in order.
    Hall sets, refutations
        Those of all cores.

    Raises
    ------
    InputError
        The columns have inconsistent lengths.
    """

    requirement: Whole
    off: Ragged
    left: Ragged
    n_hall_sets: Whole
    n_refutations: Whole
    hall_sets: HallSets
    refutations: ClauseProofs

    def __post_init__(self) -> None:
        columns = self.off, self.left, self.n_hall_sets, self.n_refutations
        check_lengths("cores", self.requirement, *columns)
        counts = (self.n_hall_sets, self.hall_sets), (self.n_refutations, self.refutations)
        if not all(add_up(n, len(proofs)) for n, proofs in counts):
            raise InputError("numbers of Hall sets or refutations of cores do not add up")
        if np.any(self.n_refutations > 1):
            raise InputError("a core has two refutations")

    @classmethod
    def of(cls, cores: Sequence[ZoneCore]) -> ZoneCores:
        """Convert cores to columns."""
        refuted = [one.refutation for one in cores if one.refutation is not None]
        return cls(
            column(cores, "requirement"),
            lists(cores, "off"),
            lists(cores, "left"),
            np.array([len(one.hall_sets) for one in cores], np.int32),
            np.array([one.refutation is not None for one in cores], np.int32),
            HallSets.of([hall_set for one in cores for hall_set in one.hall_sets]),
            ClauseProofs.of(refuted),
        )

    def __len__(self) -> int:
        return len(self.requirement)

    def __iter__(self) -> Iterator[ZoneCore]:
        hall_sets, refutations = iter(self.hall_sets), iter(self.refutations)
        for n, requirement in enumerate(self.requirement.tolist()):
            mine = tuple(next(hall_sets) for _ in range(int(self.n_hall_sets[n])))
            refutation = next(refutations) if self.n_refutations[n] else None
            yield ZoneCore(requirement, self.off[n], self.left[n], mine, refutation)


@dataclass(frozen=True, eq=False)
class ChosenZones:
    """The part of a certificate about a minimum set of zones.

    Parameters
    ----------
    zones
        (n,) int32: numbers of the chosen zones, ascending; claims assume exchanges in these only.
    weight
        Cost of a zone; of no concern where places are chosen.
    bound
        Lower bound on the cost of zones, or of places, that meet all satisfiable requirements.
    cores
        Cores that every such set must hit.
    count
        (n,) int32: proof that zones, or places, that hit all cores have at least this cost
        (:mod:`mixsafe.check.minima`).
    places
        Places that are chosen, each with all of its zones, and their costs; None: zones are.

    Raises
    ------
    InputError
        The weight is unknown.
    """

    zones: Whole
    weight: Weight
    bound: int
    cores: ZoneCores
    count: Whole
    places: ZonePlaces | None = None

    def __post_init__(self) -> None:
        if self.weight not in WEIGHTS:
            raise InputError(f"unknown weight of zones '{self.weight}'")

    def priced(self, zones: MixZones) -> tuple[Ints, Ints]:
        """What is chosen from, and its costs.

        Returns
        -------
        of
            (n_zones,) number of the zone, or of its place.
        cost
            (n,) cost of each zone, or of each place.

        Raises
        ------
        InputError
            The places are not those of the zones.
        """
        if self.places is None:
            return np.arange(len(zones)), cost_of(zones, self.weight)
        if len(self.places.of) != len(zones):
            raise InputError("not every zone has a place")
        return self.places.of, self.places.cost
