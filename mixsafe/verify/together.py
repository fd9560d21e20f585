"""Several releases of the same people: each alone, and what all of them together give away.

Candidates are counted from the first step of the first release on. In a later one they are
comparable with those of the release alone if the adversary knows everybody's pseudonym at the
beginning of both, as all built-in adversaries do that see anything. Where she also sees everybody
at the end of the release before, no release can take anything from another: both are tied to the
truth between them. The document tells of publishers' and of auditors' releases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

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
from mixsafe.extract.exchange.together import Joined, PosedRelease, all_seen_at, joined
from mixsafe.model.answer.verdict import UNDECIDED, UNSAFE, Verdict
from mixsafe.model.answer.wording import count, plural
from mixsafe.model.course import Course
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.question.problem import Problem
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.rows import Rows, UserRows, user_rows
from mixsafe.verify.verification import Verification, answer

LOSERS = 5000
"""People who lose that are listed, at most."""

_WORST_FIRST = (Verdict.UNSAFE, Verdict.UNDECIDED, Verdict.WEAK_PASS, Verdict.SAFE)


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


@dataclass(frozen=True, eq=False)
class Together:
    """What several releases say.

    Parameters
    ----------
    joined
        The releases as one problem.
    alone
        The answer to each release without the others.
    together
        For each release, what an adversary knows of its steps who has all releases; None for a
        later one unless she knows everybody's pseudonym at its beginning and at that of the first.
    seconds
        Wall time of the joint decision.
    """

    joined: Joined
    alone: tuple[Verification, ...]
    together: tuple[Verification | None, ...]
    seconds: float

    @property
    def verdict(self) -> Verdict:
        """The worst verdict on a release, given all of them."""
        verdicts = [part.verdict for part in self.together if part is not None]
        return min(verdicts, key=_WORST_FIRST.index)

    @property
    def losers(self) -> pd.DataFrame:
        """A row per release and user who is certainly protected for less time than alone.

        release (from 1), user_id, alone, together (shares of time), passes_alone, passes,
        alike_before, alike_after: the people with whom she may have changed pseudonyms since the
        release before, and until the next (None at the ends).
        """
        tables = [
            self._losers_of(number, both)
            for number, both in enumerate(self.together)
            if both is not None
        ]
        table = pd.concat(tables, ignore_index=True)
        order = (table["together"] - table["alone"]).argsort(kind="stable")
        return table.iloc[order].reset_index(drop=True)

    def _losers_of(self, number: int, with_others: Verification) -> pd.DataFrame:
        alone, both = self.alone[number].user_rows, with_others.user_rows
        less = np.flatnonzero(certainly_less(both, alone.safe_share))
        user = alone.user[less]
        row = self.joined.rows[number][user]
        alike = self.joined.alike
        before = alike[number - 1][row].tolist() if number else [None] * len(row)
        last = number == len(alike)
        after = [None] * len(row) if last else alike[number][row].tolist()
        return pd.DataFrame(
            {
                "release": number + 1,
                "user_id": self.alone[number].problem.zones.users[user],
                "alone": alone.safe_share[less].round(6),
                "together": both.safe_share[less].round(6),
                "passes_alone": alone.verdict[less] == 0,
                "passes": both.verdict[less] == 0,
                "alike_before": pd.array(before, "Int64"),
                "alike_after": pd.array(after, "Int64"),
            }
        )

    def document(self, k: int) -> Document:
        """What the answer says; ``k``: what was asked."""
        losers, n_users = self.losers, self.joined.problem.zones.n_users
        releases = [
            OneRelease(
                alone.problem.name,
                alone.problem.zones.n_users,
                alone.user_rows,
                None if both is None else both.user_rows,
                alone.verdict,
                None if both is None else both.verdict,
                int((losers["release"] == number).sum()),
            )
            for number, (alone, both) in enumerate(zip(self.alone, self.together, strict=True), 1)
        ]
        names = ("user_id", "release", "alone", "together", "alike_before", "alike_after")
        rows = losers.astype({"user_id": str}).astype(object)
        table = Table(
            "Who loses",
            "Who loses most",
            (
                Column("person", "name"),
                Column("release", "count"),
                Column("protected alone", "share"),
                Column("protected together", "share"),
                Column("alike before", "count"),
                Column("alike after", "count"),
            ),
            rows.where(losers.notna(), None)[list(names)].to_numpy().tolist()[:LOSERS],
        )
        between = [
            _between(number, alike.tolist()) for number, alike in enumerate(self.joined.alike, 1)
        ]
        losing, people = losers["user_id"].nunique(), plural(n_users, "person", "people")
        return releases_document(self.verdict, k, releases, losing, people, table, between)

    def to_dict(self) -> dict[str, Any]:
        """The answer as a JSON object."""
        losers = self.losers
        releases = [
            {
                "name": alone.problem.name,
                "alone": alone.to_dict(),
                "together": None if both is None else both.to_dict(),
                "users_losing": int((losers["release"] == number).sum()),
            }
            for number, (alone, both) in enumerate(zip(self.alone, self.together, strict=True), 1)
        ]
        alike = self.joined.alike
        between = [
            {
                "alone": int((numbers == 1).sum()),
                "median_alike": int(np.median(numbers)),
                "fewest_alike": int(numbers.min()),
            }
            for numbers in alike
        ]
        rows = losers.astype(object).where(losers.notna(), None).to_dict(orient="records")
        return {
            "verdict": self.verdict.value,
            "users": self.joined.problem.zones.n_users,
            "releases": releases,
            "between": between,
            "losing": rows,
            **Premises.joined(alone.problem.zones.premises for alone in self.alone).to_dict(),
            "seconds": round(self.seconds, 3),
        }


def verify_together(
    releases: Sequence[PosedRelease], query: Query, settings: Settings, begin: Callable[[], Course]
) -> Together:
    """Verify each release alone, and all together.

    Parameters
    ----------
    releases
        Of the same people, in any order of time.
    query
        The question, about every time.
    settings
        Who decides.
    begin
        Begins the course of each decision: time limits are for each.

    Raises
    ------
    InputError
        As :func:`mixsafe.extract.exchange.together.joined` and
        :func:`mixsafe.verify.verification.verify`.
    """
    whole = joined(releases)
    alone = tuple(answer(release.problem, query, settings, begin()) for release in releases)
    if _are_separate([release.problem for release in releases]):
        return Together(whole, alone, alone, 0.0)
    together = answer(whole.problem, query, settings, begin())
    parts = tuple(
        _part(together, whole, number, replace(one, seconds=together.seconds))
        if not number or all(all_seen_at(x.problem, 0) for x in (alone[0], one))
        else None
        for number, one in enumerate(alone)
    )
    return Together(whole, alone, parts, together.seconds)


def _are_separate(problems: Sequence[Problem]) -> bool:
    """Whether everybody is seen at both ends of all steps between two releases.

    Then no release takes a candidate from another (docs/develop/facts.md, several releases).
    """
    ends = all(all_seen_at(problem, problem.zones.axis.steps) for problem in problems[:-1])
    return ends and all(all_seen_at(problem, 0) for problem in problems)


def _between(number: int, alike: list[int]) -> str:
    """How many people can be followed from a release to the next by how far people get."""
    others = [candidates for candidates in alike if candidates > 1]
    may_be = f"; each other one may be any of {min(others):,} or more." if others else "."
    return (
        f"Between releases {number} and {number + 1}, {len(alike) - len(others):,} people can be"
        f" followed by how far people get{may_be}"
    )


def _part(whole: Verification, all_: Joined, number: int, alone: Verification) -> Verification:
    """The rows of one release, in its own steps and users."""
    begin, steps = int(all_.begin[number]), alone.problem.zones.axis.steps
    mine = all_.rows[number]
    n_users = len(mine)
    own = np.full(whole.problem.zones.n_users, -1)
    own[mine] = np.arange(n_users)
    rows = whole.rows
    user = own[rows.user]
    start, end = rows.start - begin, rows.end - begin
    kept = np.flatnonzero((user >= 0) & (end >= 0) & (start <= steps))
    kept = kept[np.lexsort((start[kept], user[kept]))]
    start, end = np.maximum(start[kept], 0), np.minimum(end[kept], steps)
    zones = alone.problem.zones
    weight = zones.time_of(user[kept], start, end).astype(np.int32)
    about = (user[kept].astype(np.int32), start.astype(np.int32), end.astype(np.int32), weight)
    found = Rows._make([*about, *(column[kept] for column in rows[len(about) :])])
    seen = np.flatnonzero(np.isin(kept, whole.seen))
    known = found.known(seen, n_users)
    users = user_rows(
        found.user, found.weight, found.verdict, found.lower, known, whole.rule,
        zones.time_without_data,
    ).without(zones.absent)  # fmt: skip
    return replace(
        alone, rows=found, seen=seen, user_rows=users, domains=None, proof_data=None,
        candidates=None, spent=whole.spent,
    )  # fmt: skip
