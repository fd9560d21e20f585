"""Sentences about a follower who bets: how real mix zones are, and for how long she follows."""

from __future__ import annotations

from collections.abc import Mapping

from mixsafe.model.answer.wording import count, duration, plural, share
from mixsafe.model.question.followed_zones import FollowedZones

BELIEVABLE = "--believable 0.05"
"""The option that counts what a follower would believe, as advice has it."""

_CERTAINTY = (("1", "with certainty"), ("0.9", "with a belief of 0.9"), ("0.5", "of 0.5"))


def zones_sentences(followed: FollowedZones) -> str:
    """How real mix zones are: the members whom a follower names right, and what is counted."""
    total = followed.total
    said = []
    if followed.believable:
        zones = plural(len(followed.zones), "mix zone", "mix zones")
        allow = f"{count(followed.hiding)} of {zones} allow one"
        said.append(f"{only_believable(followed.believable).removesuffix('.')}: {allow}.")
    if total.members:
        said.append(f"{_named(followed)}.")
    if clearly_followed(followed):
        said.append(
            "The verdict takes the zones for real and counts every exchange;"
            f" {BELIEVABLE} counts what such a person would believe."
        )
    if not followed.learned:
        said.append("The data are too few to learn from: any pace is taken to be usual.")
    return " ".join(said)


def only_believable(share_of_best: float) -> str:
    """That only believable exchanges are counted; ``share_of_best``: from which likelihood on."""
    return (
        "Only exchanges that a follower who bets would believe are counted (--believable"
        f" {share_of_best:g})."
    )


def clearly_followed(followed: FollowedZones | None) -> bool:
    """Whether a follower beats chance clearly while every possible exchange is counted."""
    return followed is not None and not followed.believable and followed.total.beats_chance


def _named(followed: FollowedZones) -> str:
    """How many members a follower names right, by chance, and how many zones hide nobody."""
    total = followed.total
    named, chance = share(total.named / total.members), share(total.zones / total.members)
    drawn = ""
    if followed.sampled:
        drawn = f", of {plural(total.zones, 'mix zone', 'mix zones')} drawn at random"
    hides = ""
    if total.open and not followed.believable:
        verb = "hides" if total.open == 1 else "hide"
        hides = f"; {count(total.open)} of {plural(total.zones, 'zone', 'zones')} {verb} nobody"
    return (
        f"A follower who bets on how people move names {named} of the members of mix zones right"
        f" (by chance: {chance}{drawn}){hides}"
    )


def times_sentence(followed: Mapping[str, Mapping[str, float]], since: str, unit: str = "") -> str:
    """For how long somebody is followed, with certainty and with beliefs.

    Parameters
    ----------
    followed
        Longest and median time by belief: ``1``, ``0.9`` and ``0.5``.
    since
        From when on, as a phrase.
    unit
        Of the times; empty: seconds.
    """
    said = []
    for key, words in _CERTAINTY:
        longest, median = (_span(followed[key][name], unit) for name in ("longest", "median"))
        said.append(f"{words} for {median} in the median, {longest} at most")
    return f"from {since} on, {'; '.join(said)}"


def _span(time: float, unit: str) -> str:
    if unit:
        return f"{time:,g} {unit.removesuffix('s') if time == 1 else unit}"
    return duration(int(time), int(time), 1) if time >= 1 else "0 s"
