"""What was not computed, with the commands that compute it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Missing:
    """Something that the page says is missing, unless a result has it.

    Parameters
    ----------
    heading
        Where.
    what
        In words.
    commands
        That compute it; words in capitals stand for files and values.
    kinds
        Kinds of results of which any has it, if it speaks to the heading.
    """

    heading: str
    what: str
    commands: tuple[str, ...]
    kinds: tuple[str, ...]


MISSING = (
    Missing(
        "data",
        "which release is to be published, and that it was made from these data",
        ("mixsafe pseudonymize SOURCE --method mixzone --k K -o release --json made.json",),
        ("pseudonymize", "protect", "audit", "assumed"),
    ),
    Missing(
        "singling_out",
        "the maximum: whether each person is hidden among enough others",
        ("mixsafe verify SOURCE --k K --json verify.json",),
        ("verify", "audit"),
    ),
    Missing(
        "singling_out",
        "the average: how often a bet on the likeliest candidate is right",
        ("mixsafe weigh verify.json --json weigh.json",),
        ("weigh",),
    ),
    Missing(
        "linkability",
        "what an outsider can link in the finished release",
        ("mixsafe audit RELEASE --knowledge SEEN --k K --json audit.json",),
        ("audit",),
    ),
    Missing(
        "inference",
        "whether several candidates are at one place, or all at a sensitive one, so that the place"
        " is known although the pseudonym is not",
        ("mixsafe verify SOURCE --k K --distinct-places 1 --json verify.json",),
        ("verify", "audit"),
    ),
    Missing(
        "testing",
        "an attack by a program that guesses from habits and homes",
        (
            "mixsafe contest attack POST REFERENCE RELEASE -o guessed.csv",
            "mixsafe contest score reid TABLE guessed.csv --release RELEASE --json attack.json",
        ),
        ("reid", "trace", "contest"),
    ),
    Missing(
        "testing",
        "an audit of the finished release by somebody without its secrets",
        ("mixsafe audit RELEASE --knowledge SEEN --k K --json audit.json",),
        ("audit", "assumed"),
    ),
    Missing(
        "residual",
        "how many further sightings undo the protection",
        ("mixsafe breaking SOURCE --k K --at-most M --json breaking.json",),
        ("breaking",),
    ),
    Missing(
        "measures",
        "remedies for those who are not protected, and their cost",
        ("mixsafe protect SOURCE --k K --json protect.json",),
        ("protect",),
    ),
    Missing(
        "secrets",
        "how the release was made, and whether a seed undoes it",
        ("mixsafe pseudonymize SOURCE --method mixzone --k K -o release --json made.json",),
        ("pseudonymize", "protect"),
    ),
    Missing(
        "validity",
        "a certificate that a separate program has checked",
        (
            "mixsafe verify SOURCE --k K --certificates proofs --json verify.json",
            "mixsafe check proofs --json check.json",
        ),
        ("check",),
    ),
)


def missing_under(heading: str, kinds: Iterable[str]) -> Iterator[Missing]:
    """What no result has.

    Parameters
    ----------
    kinds
        Kinds of the results that speak to the heading.
    """
    there = set(kinds)
    yield from (one for one in MISSING if one.heading == heading and not there & set(one.kinds))
