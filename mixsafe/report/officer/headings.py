"""The headings of the officer's page: criteria, where they are from, assumptions, what is missing.

What was not computed is named with the commands that compute it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

WP216 = "Art. 29 WP Opinion 05/2014 (WP216)"
EDPB = "EDPB Guidelines 01/2025 on Pseudonymisation"
ICO = "ICO guidance on anonymisation (2025)"
ISO = "ISO/IEC 27559:2022"
NIST = "NIST SP 800-188"
COURT = "CJEU C-413/23 P (2025)"
GDPR = "GDPR Art. 4(5)"

ASSUMPTIONS = {
    "A1": (
        "The adversary saw people at the times that the evidence below states, and at no others."
        " Whoever saw less finds no more."
    ),
    "A2": (
        "Wherever the evidence counts on an exchange of pseudonyms, it is made: at random, unseen,"
        " and its record is deleted or kept apart."
    ),
    "A3": (
        "Nobody can be followed through a mix zone by other means: by a look, a number plate, or a"
        " speed that is not excluded."
    ),
    "A4": "Candidates are counted, not weighed: each possible one counts, however likely it is.",
    "A5": (
        "Nothing else is published about the same people: no further attributes, and no other"
        " release."
    ),
    "A6": "All exchanges that are possible are equally likely, or as likely as the model says.",
    "A7": "Attacks are those that were run. A better attack may find more.",
}
"""Assumptions that evidence rests on, by their mark."""


@dataclass(frozen=True)
class Heading:
    """A heading of the page.

    Parameters
    ----------
    key
        Its name in macros and links.
    title
        Title on the page.
    asks
        The question that is answered below it.
    sources
        Where the criterion is from.
    met
        When the criterion counts as met; empty: it is no criterion.
    """

    key: str
    title: str
    asks: str
    sources: tuple[str, ...] = ()
    met: str = ""

    @property
    def criterion(self) -> bool:
        """Whether evidence below it supports a criterion or speaks against it."""
        return bool(self.met)


HEADINGS = (
    Heading(
        "data",
        "Data, purpose and recipient",
        "Which data are they, who gets them, and what for?",
        (COURT, f"{NIST}, governance"),
    ),
    Heading(
        "adversary",
        "The adversary",
        "Against whom are people to be protected?",
        (f"{ISO}, 6.2 (threat modelling)", f"{ICO}: motivated intruder", COURT),
    ),
    Heading(
        "singling_out",
        "Singling out",
        "Can one person's records be isolated? At worst, and on average.",
        (f"{WP216}, section 3", f"{ISO}, 7.3.2 (maximum and average)"),
        met="everybody passes by the rule",
    ),
    Heading(
        "linkability",
        "Linkability",
        "Can records of one person be linked to each other?",
        (f"{WP216}, section 3", f"{EDPB}: linking within the pseudonymisation domain"),
        met=(
            "nobody can be followed through a mix zone, and no published track can be tied to a"
            " person"
        ),
    ),
    Heading(
        "inference",
        "Inference",
        "Can a place be deduced, even if it is not known which record is the person's?",
        (f"{WP216}, section 3",),
        met=(
            "the candidates of a protected person are never all at one place, or all at"
            " sensitive places"
        ),
    ),
    Heading(
        "testing",
        "Adversarial testing",
        "What did those find who tried?",
        (f"{ISO}, 8.2.3 (adversarial testing)", f"{ICO}: motivated intruder test"),
        met=(
            "no attack finds more than a random guess does, and everybody passes an audit of the"
            " release"
        ),
    ),
    Heading(
        "residual",
        "Residual risk, and what would break the protection",
        "Which risk remains, and how much more would have to become known?",
        (f"{ICO}: sufficiently remote", f"{NIST}, re-identification risk"),
        met="everybody passes by the rule, and the further sightings that were tried break nobody",
    ),
    Heading(
        "measures",
        "Measures and their cost",
        "What was done or could be done, and what is lost by it?",
        (f"{WP216}, section 5 (recommendations)", f"{NIST}, data quality"),
    ),
    Heading(
        "secrets",
        "Secrets and keys",
        "What must be kept apart or deleted?",
        (GDPR, f"{EDPB}: additional information"),
    ),
    Heading(
        "validity",
        "Validity",
        "Which results are these, can they be repeated, and how long do they hold?",
        (f"{ISO}, documentation and review", NIST),
    ),
)


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
