"""Initial state of an audit: tokens may be on any track, and known users are seen on tracks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mixsafe.check.lookup import Occurrences
from mixsafe.errors import InputError
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
