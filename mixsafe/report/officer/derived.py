"""What the officer's page computes from a result: each number that no result states itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mixsafe.extract.adversaries import ADVERSARIES
from mixsafe.report.base.scores import releases_of

NAMES = 50
"""Names of people that are listed, at most."""

RELEASES = 20
"""Releases of a contest that are listed, at most."""


def together(*numbers: int) -> int:
    """Sum of numbers of people."""
    return sum(numbers)


def remaining(part: float) -> float:
    """What a share leaves of the whole."""
    return 1 - part


def without(part: float, less: float) -> float:
    """A share without a part of it."""
    return max(part - less, 0.0)


def with_data(judged: int, users: int, absent: int) -> int:
    """Number of people with data; who is judged by name counts without."""
    return max(judged, users - absent)


def whole(number: float) -> int:
    """A number without its fraction."""
    return int(number)


def last(listed: Sequence[Any]) -> Any:  # noqa: ANN401 -- whatever the list holds
    """The last of a list."""
    return listed[-1]


def first(listed: Sequence[Any]) -> Any:  # noqa: ANN401 -- whatever the list holds
    """The first of a list."""
    return listed[0]


def who_fails(users: Mapping[str, Any]) -> list[str]:
    """Names of those who fail by the rule, the least protected first."""
    pairs = zip(users["user"], users["verdict"], strict=True)
    return [name for name, verdict in pairs if verdict == "unsafe"][:NAMES]


def who_worst(worst: Mapping[str, Any] | None) -> str | None:
    """Name of the person who can be followed for the largest part of the time."""
    return None if worst is None else str(worst["user"])


def at_worst(worst: Mapping[str, Any] | None) -> float:
    """Share of the time not known by assumption in which that person can be followed."""
    return 0.0 if worst is None else float(worst["share_of_remaining_time_followed"])


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
