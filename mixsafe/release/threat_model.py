"""What an audit assumes, in plain language: who the adversary is, what she saw, what she knows."""

from __future__ import annotations

from mixsafe.release.audit import Audit


def threat_model(answer: Audit) -> list[str]:
    """The assumptions of an audit, a sentence each."""
    evidence = answer.evidence
    n_sightings, n_known = len(evidence.pins), len(evidence.users)
    n_tracks = evidence.zones.n_users
    others = n_tracks - n_known
    said = [
        "The adversary has the whole release, and nothing that is secret.",
        f"The adversary saw {n_known:,} known users {n_sightings:,} times in all, each time at a place that"
        " the release tells apart, and is sure of each.",
        f"The adversary knows that the {n_tracks:,} tracks are those of {n_tracks:,} people, one each at any"
        f" time: the known users and {others:,} others, of whom she knows nothing.",
    ]
    if answer.exchanged:
        said.append(
            "The adversary knows the rule of exchange: wherever tracks visibly meet, showing one region in"
            f" one step ({len(evidence.zones):,} mix zones), any permutation of their pseudonyms"
            " may have happened, and nowhere else any. Whether exchanges happened at all, a"
            " release does not show."
        )
    else:
        said.append(
            "Pseudonyms are never exchanged: whoever is found on a track at one time is found on it"
            " at all times, so a few sightings give a whole track away."
        )
    said += [
        "A track that shows nothing, or a set of regions, may be a user's who was seen there.",
        "Tracks are counted, not weighed: how likely each is, from habits or speeds, is not asked.",
    ]
    return said
