"""Assumptions of an audit about the adversary and her sightings, in plain language."""

from __future__ import annotations

import numpy as np

from mixsafe.model.answer.gaps import READINGS, Gaps
from mixsafe.model.answer.wording import plural
from mixsafe.model.question.mix_zones import EVERYWHERE, MixZones
from mixsafe.release.evidence import Evidence


def threat_model(evidence: Evidence, *, exchanged: bool) -> list[str]:
    """The assumptions of an audit, a sentence each.

    Parameters
    ----------
    exchanged
        Whether pseudonyms may be exchanged at visible mix zones.
    """
    n_sightings, n_known = len(evidence.pins), len(evidence.users)
    n_tracks = evidence.zones.n_users
    others = n_tracks - n_known
    said = [
        "The adversary has the whole release, but no secret table.",
        f"The adversary saw {plural(n_known, 'known user', 'known users')}"
        f" {plural(n_sightings, 'time', 'times')} in all, each time at a"
        " place that the release distinguishes, and is sure of each sighting.",
        f"The adversary knows that the {n_tracks:,} tracks are those of {n_tracks:,} people, one"
        f" each at any time: the known users and {others:,} others who were not seen.",
    ]
    if exchanged:
        said += _exchanges(evidence.zones)
    else:
        said.append(
            "Pseudonyms are never exchanged: a user identified on a track at one time is identified"
            " at all times, so a few sightings give a whole track away."
        )
    said += [
        *_gaps(evidence),
        "Tracks are counted, not weighed: habits and speeds do not make one likelier here.",
    ]
    return said


def _gaps(evidence: Evidence) -> list[str]:
    """Which tracks that show no place may belong to a user who was seen, a sentence each."""
    said = []
    if evidence.published is None or evidence.published.hides:
        said.append(
            "A track that hides a cell or shows a set of regions can belong to a user who was seen"
            " there."
        )
    if not evidence.has_gaps or evidence.possible is None:
        return said
    counts = np.bincount(evidence.level, minlength=len(READINGS)).tolist()
    for reading, number in zip(READINGS, counts, strict=True):
        speed = f" at {evidence.speed:g} km/h" if evidence.speed is not None else ""
        how = speed if reading is Gaps.REACHABLE else ""
        if number:
            said.append(
                f"For {number:,} of {len(evidence.pins):,} sightings, gaps are read as"
                f" '{reading.value}': {reading.about}{how}."
            )
    if any(counts[1:]) and evidence.asked is None:
        said.append("By stricter readings these sightings contradict the release.")
    return said


def _exchanges(zones: MixZones) -> list[str]:
    """How pseudonyms are exchanged, a sentence each."""
    where = np.zeros(len(zones), np.int64) if zones.place is None else zones.place
    n_rotations = int(np.count_nonzero(where == EVERYWHERE))
    n_meetings = len(zones) - n_rotations
    said = []
    if n_meetings or not n_rotations:
        said.append(
            "The adversary knows the rule of exchange: wherever tracks visibly meet, showing one"
            f" region in one step ({n_meetings:,} mix zones), any permutation of their"
            " pseudonyms is possible, and elsewhere none. A release does not show whether"
            " pseudonyms were exchanged at all."
        )
    if n_rotations:
        also = "too" if n_meetings else "and at no other time"
        times = "one scheduled time" if n_rotations == 1 else f"{n_rotations:,} scheduled times"
        said.append(f"All pseudonyms change at {times}, {also}, and the adversary knows when.")
    if zones.relation is not None:
        said.append(
            "The adversary knows how far people get: an exchange is possible only where one person"
            " can have gone from the last place before it to the first one after it. That a"
            " pseudonym stays on its track is always possible."
        )
    return said
