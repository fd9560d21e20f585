"""Reader of the movement model that ``mixsafe links`` learned from another feed."""

from __future__ import annotations

import os
from typing import Any

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
        said = _follower(found.value)
        if said is not None:
            with about(path):
                return RideModel.from_dict(said, name)
    raise InputError(
        "there is no movement model of rides",
        file=os.fspath(path),
        hint="give what 'mixsafe links FEED --json FILE' has written",
    )


def _follower(value: object) -> dict[str, Any] | None:
    """The model in an answer about a feed, or as such; None: there is none."""
    if not isinstance(value, dict):
        return None
    answers = value.get("results")
    for one in (value, *(answers if isinstance(answers, list) else ())):
        follower = one.get("follower") if isinstance(one, dict) else None
        model = follower.get("model") if isinstance(follower, dict) else one
        if isinstance(model, dict) and "goes_on" in model:
            return model
    return None
