"""Reader of the movement model that ``mixsafe links`` learned from another feed."""

from __future__ import annotations

import os

from mixsafe.errors import InputError, about
from mixsafe.io.files.json_values import objects_of
from mixsafe.tracklets.ride_movement import RideModel


def read_ride_model(path: str | os.PathLike[str]) -> RideModel:
    """Read the model from the JSON of ``mixsafe links``.

    Raises
    ------
    InputError
        There is none in the file.
    """
    name = os.path.basename(os.fspath(path))
    for found in objects_of(path):
        follower = found.value.get("follower") if isinstance(found.value, dict) else None
        if isinstance(follower, dict) and isinstance(follower.get("model"), dict):
            with about(path):
                return RideModel.from_dict(follower["model"], name)
    raise InputError(
        "there is no movement model of rides",
        file=os.fspath(path),
        hint="give what 'mixsafe links FEED --json FILE' has written",
    )
