"""Sentences about a follower who bets: how real mix zones are."""

from __future__ import annotations

from mixsafe.model.answer.wording import count, plural, share
from mixsafe.model.question.followed_zones import FollowedMembers, FollowedZones

BELIEVABLE = "--believable 0.05"
"""The option that counts what a follower would believe, as advice has it."""


def zones_sentences(followed: FollowedZones, *, named: bool = True) -> str:
    """How real mix zones are, and what is counted; ``named``: with :func:`named_sentence`."""
    total = followed.total
    said = []
    if followed.believable:
        zones = plural(len(followed.zones), "mix zone", "mix zones")
        allow = f"{count(followed.hiding)} of {zones} allow one"
        said.append(f"{only_believable(followed.believable).removesuffix('.')}: {allow}.")
    if total.members and named:
        said.append(named_sentence(total, drawn=followed.sampled))
    if total.open and not followed.believable:
        said.append(open_sentence(total))
    if clearly_followed(followed):
        said.append(
            "The verdict takes the zones for real and counts every exchange;"
            f" {BELIEVABLE} counts what such a person would believe."
        )
    if not followed.learned:
        said.append("The data are too few to learn from: any pace is taken to be usual.")
    return " ".join(said)


def named_sentence(members: FollowedMembers, *, drawn: bool = False) -> str:
    """How many members of mix zones a follower names right; ``drawn``: of a sample of zones."""
    named, chance = share(members.named / members.members), share(members.zones / members.members)
    of = f", of {_zones(members)} drawn at random" if drawn else ""
    return (
        f"A follower who bets on how people move names {named} of the members of mix zones right"
        f" (by chance: {chance}{of})."
    )


def open_sentence(members: FollowedMembers) -> str:
    """How many zones hide nobody from her."""
    verb = "hides" if members.open == 1 else "hide"
    return f"{count(members.open)} of {_zones(members)} {verb} nobody."


def _zones(members: FollowedMembers) -> str:
    return plural(members.zones, "mix zone", "mix zones")


def zones_beside_verdict(followed: FollowedZones) -> str:
    """The same beside a verdict, whose sentence names a follower who clearly beats chance."""
    return zones_sentences(followed, named=not followed.total.beats_chance)


def only_believable(share_of_best: float) -> str:
    """That only believable exchanges are counted; ``share_of_best``: from which likelihood on."""
    return (
        "Only exchanges that a follower who bets would believe are counted (--believable"
        f" {share_of_best:g})."
    )


def clearly_followed(followed: FollowedZones | None) -> bool:
    """Whether a follower beats chance clearly while every possible exchange is counted."""
    return followed is not None and not followed.believable and followed.total.beats_chance
