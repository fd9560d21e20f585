"""Mobility model of training traces: the distribution of users, and parameters shared by all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TraceModel:
    """A trained PPMTF+ model (contest paper, appendix A); it contains no training user.

    A user is a feature vector of ``z`` numbers. ``sum_k user[k] location[i, k] destination[j, k]``
    is her transition count from region i to j, and ``sum_k user[k] location[i, k] slot[l, k]`` her
    visit count of region i in time slot l.

    Parameters
    ----------
    mean, covariance
        (z,) and (z, z): parameters of the normal distribution of feature vectors.
    location, destination
        (n_regions, z) each: factors of regions visited or left, and of destinations.
    slot
        (n_slots, z): factors of the time slots of a day.
    edge_ptr, edge_to
        (n_regions + 1,) and (n_edges,): CSR of the transitions of at least one training user,
        ascending within a region.
    visited
        (n_slots, n_regions) bool: regions visited by at least one training user in each slot.
    n_users
        Number of training users.

    Raises
    ------
    InputError
        The arrays have inconsistent shapes, or contain numbers that are not finite.
    """

    mean: Floats
    covariance: Floats
    location: Floats
    destination: Floats
    slot: Floats
    edge_ptr: npt.NDArray[np.int64]
    edge_to: npt.NDArray[np.int32]
    visited: npt.NDArray[np.bool_]
    n_users: int

    def __post_init__(self) -> None:
        z, n_regions, n_slots = len(self.mean), len(self.location), len(self.slot)
        fits = (
            z > 0
            and n_regions > 0
            and n_slots > 0
            and self.covariance.shape == (z, z)
            and self.location.shape == self.destination.shape == (n_regions, z)
            and self.slot.shape == (n_slots, z)
            and self.visited.shape == (n_slots, n_regions)
            and self.edge_ptr.shape == (n_regions + 1,)
            and self._edges_fit()
        )
        if not fits:
            raise InputError("the arrays of the model have inconsistent shapes")
        parts = (self.mean, self.covariance, self.location, self.destination, self.slot)
        if not all(np.isfinite(part).all() for part in parts):
            raise InputError("the model contains numbers that are not finite")

    def _edges_fit(self) -> bool:
        """True if the edges are a valid CSR of regions, ascending."""
        ptr, to = self.edge_ptr, self.edge_to
        if ptr[0] != 0 or ptr[-1] != len(to) or np.any(np.diff(ptr) < 0):
            return False
        if len(to) and not 0 <= to.min() <= to.max() < self.n_regions:
            return False
        source = np.repeat(np.arange(self.n_regions), np.diff(ptr))
        return bool(np.all(np.diff(source * self.n_regions + to) > 0))

    @property
    def n_regions(self) -> int:
        """Number of regions."""
        return len(self.location)

    @property
    def n_slots(self) -> int:
        """Number of time slots of a day."""
        return len(self.slot)

    @property
    def z(self) -> int:
        """Length of a feature vector."""
        return len(self.mean)
