"""What several releases of the same people say: each alone, and all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.documents.document import (
    WORDS,
    Column,
    CriterionEvidence,
    Document,
    Fact,
    Table,
    Text,
    Value,
)
from mixsafe.model.answer.verdict import UNDECIDED, UNSAFE, Verdict
from mixsafe.model.answer.wording import count, plural
from mixsafe.verify.rows import UserRows


@dataclass(frozen=True, eq=False)
class OneRelease:
    """A release of several, alone and with the others.

    Parameters
    ----------
    name
        Of the release.
    people
        Number of people, or of known ones.
    alone, together
        What was found about its people; None: unknown.
    verdict_alone, verdict
        On all of them; None: unknown.
    losing
        Number of people who are certainly protected for less time together.
    """

    name: str
    people: int
    alone: UserRows | None
    together: UserRows | None
    verdict_alone: Verdict | None
    verdict: Verdict | None
    losing: int

    @property
    def row(self) -> tuple[Value, ...]:
        """Its row of the table."""
        after = self.together
        counts = [
            None if after is None else int(np.count_nonzero(after.verdict == code))
            for code in (UNSAFE, UNDECIDED)
        ]
        return (
            self.name,
            self.people,
            *(None if one is None else one.value for one in (self.verdict_alone, self.verdict)),
            *(None if one is None else one.share_safe for one in (self.alone, after)),
            *counts,
            None if after is None else self.losing,
        )


def certainly_less(
    together: UserRows, safe_alone: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """(n_users,) who is certainly protected for less time than alone, whatever is undecided.

    Parameters
    ----------
    safe_alone
        (n_users,) share of the time that is safe by the release alone, 0 to 1.
    """
    return np.asarray(together.safe_share + together.undecided_share < safe_alone - 1e-9)


def releases_document(
    verdict: Verdict,
    k: int,
    releases: Sequence[OneRelease],
    losing: int,
    people: str,
    losers: Table,
    between: Sequence[str],
) -> Document:
    """The document of several releases.

    Parameters
    ----------
    verdict
        On all people, given all releases.
    losing, people
        How many people lose, and of how many, in words.
    losers
        Who loses.
    between
        What else is said, a sentence each.
    """
    sentence = (
        f"{count(losing)} of {people} {'is' if losing == 1 else 'are'} protected for less time by a"
        " release once the others are published, too."
    )
    heads: list[Any] = [
        Column("release"),
        Column("people", "count"),
        Column("alone", "verdict"),
        Column("together", "verdict"),
        Column("protected alone", "share"),
        Column("protected together", "share"),
        Column("people failing", "count"),
        Column("people undecided", "count"),
        Column("people losing", "count"),
    ]
    parts: list[Table | Text] = [
        Table("The releases", "Each release alone, and together with the others", heads,
              [one.row for one in releases])
    ]  # fmt: skip
    if between:
        parts.append(Text("Between the releases", tuple(between)))
    if losers.rows:
        parts.append(losers)
    return Document(
        title=f"Location privacy of {plural(len(releases), 'release', 'releases')} together",
        word=WORDS[verdict.value],
        tone=verdict.value,
        sentence=sentence,
        meaning=(
            "Pseudonyms of the releases have nothing in common, but people go from the end of one"
            " to the beginning of the next: what is known in one release can take candidates away"
            " in another. Each release is decided alone, and with what all of them say together."
        ),
        facts=(Fact("Asked", f"k = {k}"), Fact("Releases", len(releases), "count")),
        parts=tuple(parts),
        evidence=(CriterionEvidence("residual", (sentence,)),),
    )
