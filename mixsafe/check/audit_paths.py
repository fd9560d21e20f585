"""Assignments of an audit, relative to the paths of tokens in one of them, the base.

It is unknown which token begins on which track: tokens may be on any, and known users are seen on
tracks. So the base is a full assignment, with an exchange of all tokens at step 0. The *path* of
token c follows c through the base: at each step the paths are on different tracks. Other
assignments are recorded relative to the paths, as those of a publisher are relative to rows: token
c is on the path of c unless it was exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mixsafe.check.replay import Occurrences, Tracks, follow
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Audited, Certificate, Claims
from mixsafe.model.csr import Ints, Ragged, Whole
from mixsafe.model.question.adversary import Pins


def opened(places: Occurrences, n_zones: int) -> Occurrences:
    """The places, with one mix zone more: that of everybody at step 0."""
    everybody = places.at(np.arange(places.n_rows), 0)
    met = np.concatenate([everybody, places.met])
    zone = np.concatenate([np.full(places.n_rows, n_zones, np.int32), places.zone])
    order = np.argsort(met)
    return replace(places, met=met[order], zone=zone[order])


def check_pins(pins: Pins, n_known: int, places: Occurrences) -> None:
    """Refuse sightings with an unknown user or place.

    Raises
    ------
    InputError
        One is not of a known user, or not at a step and on tracks that exist.
    """
    exists = (pins.token >= 0) & (pins.token < n_known) & (pins.time >= 0)
    exists &= pins.time <= places.horizon
    on_tracks = (pins.rows >= 0) & (pins.rows < places.n_rows)
    if not (np.all(exists) and np.all(on_tracks) and 1 <= n_known <= places.n_rows):
        raise InputError("a sighting is of a user, at a step or on a track that does not exist")


@dataclass(frozen=True, eq=False)
class PathPlaces(Occurrences):
    """Places on paths: what zones allow is about the tracks on which paths come and leave.

    Parameters
    ----------
    track
        Of each path, in the base.
    """

    track: Tracks

    def allows(self, zone: Whole, one: Whole, other: Whole) -> npt.NDArray[np.bool_]:
        """As :meth:`Places.allows`, of paths."""
        allowed = np.ones(len(zone), bool)
        if self.zones.relation is None:
            return allowed
        mine = np.flatnonzero(np.isin(zone, self.zones.relation.zones))
        step = self.zones.time[zone[mine]]
        come = self._track(one[mine], step - np.int32(1))
        allowed[mine] = super().allows(zone[mine], come, self._track(other[mine], step))
        return allowed

    def _track(self, path: Whole, step: Whole) -> Whole:
        """Track of each path after a step."""
        return self.track.tokens(np.zeros(len(path), np.int64), path, step)


@dataclass(frozen=True, eq=False)
class BasePaths:
    """Zones and sightings of an audit, relative to paths.

    Parameters
    ----------
    places
        Rows are paths, by their tokens.
    base
        Tokens on tracks in the base.
    sighting
        (n_pins,) int64: token and step of each sighting as one number, ascending.
    allowed
        (n_entries,) int64, ascending: sighting, by its place here, and a path on which the token
        may be then, as one number.
    """

    places: Occurrences
    base: Tracks
    sighting: Ints
    allowed: Ints

    @classmethod
    def of(cls, certificate: Certificate, audited: Audited) -> BasePaths:
        """Paths in an audit's base.

        Raises
        ------
        InputError
            The problem is no auditor's, a sighting has an unknown user or place, or the base breaks
            a rule of the problem or contradicts a sighting.
        """
        problem, pins = certificate.problem, audited.seen.pins
        if len(problem.knowledge) or len(audited.base) != 1:
            raise InputError("an audit is about one base, and sightings of known users only")
        tracks = opened(Occurrences.of(problem), len(problem.zones))
        check_pins(pins, len(audited.seen.users), tracks)
        base = follow(audited.base, 0, tracks)
        track, step = np.divmod(tracks.met, tracks.width)
        met = tracks.at(_on(base, track, step), step)  # the paths that come are those that leave
        order = np.argsort(met)
        moved = replace(tracks, met=met[order], zone=tracks.zone[order])
        places = PathPlaces(**vars(moved), track=base.by_token())
        seen = pins.token * places.width + pins.time
        by_token = np.argsort(seen, kind="stable")
        place = np.empty(len(pins), np.int64)
        place[by_token] = np.arange(len(pins))
        pin = pins.pin_of_entry
        allowed = place[pin] * places.n_rows + _on(base, pins.rows, pins.time[pin])
        made = cls(places, base, seen[by_token], np.sort(allowed))
        if not np.all(made._allows(np.arange(len(pins)), pins.token[by_token])):
            raise InputError("the base contradicts a sighting")
        return made

    def along(self, claims: Claims) -> Claims:
        """The claims, with paths for the tracks that unsafe ones leave.

        Raises
        ------
        InputError
            A candidate is no track.
        """
        left = claims.candidates
        if np.any((left.values < 0) | (left.values >= self.places.n_rows)):
            raise InputError("a claim leaves a track that does not exist")
        path = _on(self.base, left.values, claims.start[left.owner])
        return replace(claims, candidates=Ragged(left.ptr, path.astype(np.int32)))

    def whereabouts(self, tracks: Tracks, number: int) -> Tracks:
        """The paths on which witnesses have tokens; ``number`` is that of the first witness.

        Raises
        ------
        InputError
            A witness contradicts a sighting.
        """
        width, n_rows = self.places.width, self.places.n_rows
        low, high = (
            np.searchsorted(self.sighting, tracks.token * width + step)
            for step in (tracks.begin, tracks.end)
        )
        sizes = high - low
        ends = np.cumsum(sizes)
        sighting = np.arange(sizes.sum()) + np.repeat(low - ends + sizes, sizes)
        entry = np.repeat(np.arange(len(sizes)), sizes)
        wrong = entry[~self._allows(sighting, tracks.row[entry])]
        if len(wrong):
            witness = number + int(tracks.key[wrong[0]] // width) // n_rows
            raise InputError(
                f"witness {witness} contradicts a sighting of {tracks.token[wrong[0]]}"
            )
        return tracks.by_token()

    def _allows(self, sighting: Ints, path: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """Whether the token of a sighting may be on a path then."""
        wanted = sighting * self.places.n_rows + path
        there = np.searchsorted(self.allowed, wanted)
        return np.asarray(np.append(self.allowed, -1)[there] == wanted)


def _on(base: Tracks, track: npt.NDArray[np.integer], step: npt.NDArray[np.integer]) -> Ints:
    """Token on each of some tracks after a step, in the base."""
    rows, steps = track.astype(np.int32), step.astype(np.int32)
    return base.tokens(np.zeros(len(rows), np.int64), rows, steps).astype(np.int64)
