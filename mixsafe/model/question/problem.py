"""Problems: mix zones, knowledge and requirements; and their hash.

Equal hashes mean, for practical purposes, equal questions.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple, dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.adversary import Knowledge, Seen
from mixsafe.model.question.followed_zones import FollowedZones
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.places import TrackPlaces, ZonePlaces
from mixsafe.model.question.requirement import Requirements


@dataclass(frozen=True, eq=False)
class Problem:
    """A k-pseudonym decision problem (CSP paper, definition 9) with any number of requirements.

    Parameters
    ----------
    name
        Display name, repeated in the answer.
    zones
        The mix zones, in order of time.
    knowledge
        The adversary's sightings.
    requirements
        The question; None: none (the caller asks about all wires, or for candidates only).
    zone_index
        Position of each zone in the problem's file; None: the same order.
    places
        Places at which zones are chosen together, and their costs; None: not named.
    track_places
        Where the track of each user is at each step; None: only the zones are known.
    followed
        What a follower who bets makes of the zones; None: it is not known how people move.
    """

    name: str
    zones: MixZones
    knowledge: Knowledge
    requirements: Requirements | None = None
    zone_index: tuple[int, ...] | None = None
    places: ZonePlaces | None = None
    track_places: TrackPlaces | None = None
    followed: FollowedZones | None = None

    def __repr__(self) -> str:
        zones, seen = self.zones, len(self.knowledge)
        asked = "" if self.requirements is None else f", {len(self.requirements):,} requirements"
        return (
            f"<Problem {self.name}: {zones.n_users:,} users, {zones.axis.steps:,} steps,"
            f" {len(zones):,} mix zones, {seen:,} sightings{asked}>"
        )

    @property
    def zones_followed(self) -> FollowedZones | None:
        """What a follower makes of the zones; None: unknown, or known of other zones only."""
        followed = self.followed
        return None if followed is None or followed.zones is not self.zones else followed

    @property
    def asked(self) -> Requirements:
        """The requirements, which must exist.

        Raises
        ------
        ValueError
            The problem has no requirements.
        """
        if self.requirements is None:
            raise ValueError(f"problem '{self.name}' has no requirements")
        return self.requirements


_BLOCK = 1 << 20
"""Numbers that are widened together."""


def fingerprint(problem: Problem, audited: Seen | None = None) -> str:
    """SHA-256 of everything in a problem except its name and notes.

    Parameters
    ----------
    problem
        Mix zones, users and steps without data, knowledge, and requirements if there are any.
    audited
        Knowledge of an auditor, if rows are published tracks; None: it is a publisher's question.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    zones, asked = problem.zones, problem.requirements
    digest = hashlib.sha256()
    # Absent users neither pass nor fail: unless hashed, any user in no zone could be added to them.
    whole = [np.asarray(zones.users).tolist(), astuple(zones.axis), zones.absent.tolist()]
    digest.update(json.dumps(whole, default=str).encode())
    seen = problem.knowledge
    if seen.distinct:
        digest.update(b"distinct")
    arrays: list[npt.NDArray[np.generic]] = [zones.time, zones.ptr, zones.members]
    if zones.published is not None:  # unless hashed, any step could be said not to count
        digest.update(b"published")
        arrays += [zones.published.ptr, zones.published.step]
    if zones.relation is not None:
        arrays += [zones.relation.ptr, zones.relation.words]
    arrays += [seen.row, seen.time]
    if asked is not None:
        arrays += [asked.row, asked.time, asked.k]
    if audited is not None:
        known, pins = np.asarray(audited.users).tolist(), audited.pins
        digest.update(json.dumps(known, default=str).encode())
        arrays += [pins.token, pins.time, pins.ptr, pins.rows]
    for array in arrays:
        _add(digest, array)
    return digest.hexdigest()


def _add(digest: hashlib._Hash, array: npt.NDArray[np.generic]) -> None:
    """Add an array with its length, so that different lists of arrays give different input."""
    digest.update(len(array).to_bytes(8, "little"))
    for begin in range(0, len(array), _BLOCK):
        digest.update(np.ascontiguousarray(array[begin : begin + _BLOCK], dtype="<i8").data)
