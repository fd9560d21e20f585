"""Releases for people and programs: what was made, and how private it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mixsafe_cli.render.printing import Part, facts, handing_on

if TYPE_CHECKING:
    from mixsafe.model.release.cells import Cells
    from mixsafe.release.enforce import Privacy
    from mixsafe.release.pseudonymize import Release


def as_dict(method: str, release: Release, settings: dict[str, Any]) -> dict[str, Any]:
    """What was made, as a JSON object; ``settings`` are what exchange at mix zones was asked."""
    found: dict[str, Any] = {
        "method": method,
        "users": release.public.n_rows,
        "times": release.public.n_steps,
    }
    privacy = release.privacy
    if privacy is None:
        return found
    asked = privacy.asked
    return {
        "verdict": None if asked is None else asked.verdict.value,
        **found,
        "zones": release.n_zones,
        **settings,
        "suppressed": release.n_suppressed,
        "cells": {
            "shown": int(privacy.shown.sum()),
            "private": int((privacy.shown & privacy.safe).sum()),
            "undecided": int((privacy.shown & privacy.undecided).sum()),
        },
        "users_failing": (privacy.failing.nonzero()[0] + 1).tolist(),
        "not_private": _not_private(privacy, release.public),
    }


def _not_private(privacy: Privacy, public: Cells) -> list[dict[str, Any]]:
    """Users, and the times at which they are shown without being private."""
    import numpy as np

    exposed, times = privacy.exposed, public.time_ids
    return [
        {"user": row + 1, "times": times[exposed[row]].tolist()}
        for row, shows in enumerate(np.any(exposed, axis=1).tolist())
        if shows
    ]


def show(
    release: Release,
    public: Sequence[Path],
    secret: Sequence[Path],
    fewest: dict[str, Any] | None = None,
) -> Iterator[Part]:
    """What was made and how private it is.

    Parameters
    ----------
    public, secret
        What may be handed on, and what may not.
    fewest
        What is known of a minimum set of zones.
    """
    privacy = release.privacy
    if privacy is not None:
        shown, private = int(privacy.shown.sum()), int((privacy.shown & privacy.safe).sum())
        failing = int(privacy.failing.sum())
        rows = [
            ("mix zones", _zones(release.n_zones, fewest)),
            ("protected", f"{private:,} of {shown:,} published cells; --json lists the others"),
            ("users", f"{failing} of {len(privacy.failing)} fail: {privacy.rule.words}"),
            ("suppressed", f"{release.n_suppressed:,} cells"),
        ]
        if failing:
            rows.append(("next", "--enforce suppresses cells until nobody fails"))
        yield facts(rows)
    yield handing_on(public, secret)


def _zones(count: int, fewest: dict[str, Any] | None) -> str:
    """In how many zones pseudonyms are exchanged, and whether fewer would do."""
    text = f"{count}, pseudonyms exchanged at random in each"
    if fewest is None:
        return text
    proven = "fewer will not do"
    if fewest["status"] != "optimal":
        proven = f"fewer than {fewest['bound']} will not do"
    asked = f"{fewest['requirements']} stretches of time of users"
    return f"{text}, of {fewest['zones_there_are']}; for {asked}, {proven}"
