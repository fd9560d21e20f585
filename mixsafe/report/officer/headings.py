"""The headings of the officer's page: criteria, where they are from, and assumptions."""

from __future__ import annotations

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
