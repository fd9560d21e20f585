"""What the officer's page computes from a result: each number that no result states itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mixsafe.extract.adversaries import ADVERSARIES
from mixsafe.model.question.requirement import Rule
from mixsafe.report.base.scores import releases_of

RELEASES = 20
"""Releases of a contest that are listed, at most."""


def remaining(part: float) -> float:
    """What a share leaves of the whole."""
    return 1 - part


def share_of(number: int, total: int) -> float:
    """A number as a share of a total."""
    return number / max(total, 1)


def how_many(listed: Sequence[object]) -> int:
    """Length of a list."""
    return len(listed)


def whole(number: float) -> int:
    """A number without its fraction."""
    return int(number)


def last(listed: Sequence[Any]) -> Any:  # noqa: ANN401 -- whatever the list holds
    """The last of a list."""
    return listed[-1]


def first(listed: Sequence[Any]) -> Any:  # noqa: ANN401 -- whatever the list holds
    """The first of a list."""
    return listed[0]


def strongest(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each valid release of a contest with the strongest attack of each kind, the worst first."""
    named = [
        {
            "release": f"{one['name']} ({one['kind']})",
            "utility": one["utility"],
            **{kind: one[kind] and _attack(one[kind]) for kind in ("reid", "trace")},
        }
        for one in releases_of(rows)
        if one["valid"]
    ]
    ordered = sorted(named, key=lambda one: min(_private(one, "reid"), _private(one, "trace")))
    return ordered[:RELEASES]


def _attack(row: Mapping[str, Any]) -> dict[str, Any]:
    """What an attack finds, and what a random guess does."""
    found, guess = 1 - row["value"], 1 - row["baseline"]
    return {"value": row["value"], "found": found, "guess": guess, "by": row["attack"]}


def _private(release: Mapping[str, Any], kind: str) -> float:
    """Privacy of a release against the strongest attack of a kind."""
    attack = release[kind]
    return 1.0 if attack is None else float(attack["value"])


def attacks(rows: Sequence[Mapping[str, Any]]) -> int:
    """Number of different attacks of a contest."""
    return len({row["attack"] for row in rows if row["score"] in ("reid", "trace")})


def seen_of(name: str) -> str | None:
    """The adversary's sightings in words, of an adversary that has a name."""
    return f"{ADVERSARIES[name].sentence}." if name in ADVERSARIES else None


def rule_words(rule: str) -> str:
    """A rule in words."""
    return Rule.parse(rule).words
