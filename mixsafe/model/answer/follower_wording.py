"""Sentences about a follower who bets: how real mix zones are."""

from __future__ import annotations

from mixsafe.model.answer.wording import count, plural, share
from mixsafe.model.question.followed_zones import FollowedZones

BELIEVABLE = "--believable 0.05"
"""The option that counts what a follower would believe, as advice has it."""


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
