"""What was taken for granted when data were read: rows that are no data, people who are one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MOST_EXAMPLES = 3
"""Rows that are named for each reason."""


@dataclass(frozen=True)
class Skipped:
    """Rows that were not used, for one reason.

    Parameters
    ----------
    reason
        Such as ``no position``; a key of the JSON.
    count
        Number of rows, >= 1.
    examples
        The first of them, at most ``MOST_EXAMPLES``, such as ``line 7 (van 3)``.
    """

    reason: str
    count: int
    examples: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """One sentence: the number of rows, the reason, the first rows."""
        rows = "1 row" if self.count == 1 else f"{self.count:,} rows"
        if not self.examples:
            return f"{rows} skipped: {self.reason}"
        more = ", …" if self.count > len(self.examples) else ""
        return f"{rows} skipped: {self.reason} ({', '.join(self.examples)}{more})"


@dataclass(frozen=True)
class AlwaysTogether:
    """Users who are always at the same places, and may be one person twice.

    Parameters
    ----------
    pairs
        Names of both, and the share of their common time at which they are together; empty: it was
        looked for, and there are none.
    threshold
        Share from which on two users are taken for one person.
    merged
        True if each group was merged into one user; False if it was only named.
    """

    pairs: tuple[tuple[str, str, float], ...]
    threshold: float
    merged: bool

    @property
    def aliases(self) -> dict[str, str]:
        """The name under which a person is, of each other name that was merged with it."""
        if not self.merged:
            return {}
        person: dict[str, str] = {}
        for pair in self.pairs:
            one, other = (_first_name(person, name) for name in pair[:2])
            if one != other:
                order = list(person)
                first, last = sorted((one, other), key=order.index)
                person[last] = first
        return {name: first for name in person if (first := _first_name(person, name)) != name}

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence, if there are pairs: how many, the first, and what became of them."""
        if not self.pairs:
            return ()
        count = len(self.pairs)
        pairs = "1 pair of users is" if count == 1 else f"{count:,} pairs of users are"
        shown = ", ".join(
            f"{one} and {other}: {share:.1%}" for one, other, share in self.pairs[:MOST_EXAMPLES]
        )
        more = ", …" if count > MOST_EXAMPLES else ""
        then = "merged into one user each; --keep-together keeps them apart"
        if not self.merged:
            then = "not merged: they count as different people"
        sentence = (
            f"{pairs} together in {self.threshold:.0%} or more of their common time, and may be one"
            f" person twice ({shown}{more}): {then}"
        )
        return (sentence,)


def _first_name(person: dict[str, str], name: str) -> str:
    """The name under which a person is; a new name is its own."""
    while person.setdefault(name, name) != name:
        name = person[name]
    return name


@dataclass(frozen=True)
class Premises:
    """What a source was taken for.

    Parameters
    ----------
    skipped
        Rows that were not used, by reason, no reason twice.
    together
        Users who may be one person twice; None: it was not looked for.
    kept
        Rows that may be no data and were used nevertheless, by reason.
    """

    skipped: tuple[Skipped, ...] = ()
    together: AlwaysTogether | None = None
    kept: tuple[Skipped, ...] = ()

    @classmethod
    def joined(cls, parts: Iterable[Premises]) -> Premises:
        """Those of several files of one source: rows are counted together."""
        every = tuple(parts)
        together = next((part.together for part in every if part.together is not None), None)
        skipped = _by_reason(one for part in every for one in part.skipped)
        return cls(skipped, together, _by_reason(one for part in every for one in part.kept))

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each reason for which rows were skipped."""
        return tuple(one.note for one in self.skipped)

    @property
    def aliases(self) -> dict[str, str]:
        """The name under which a person is, of each other name."""
        return {} if self.together is None else self.together.aliases

    def to_dict(self) -> dict[str, Any]:
        """Keys of an answer's JSON; only what there is."""
        found: dict[str, Any] = {}
        if self.skipped:
            found["skipped"] = {one.reason: one.count for one in self.skipped}
        if self.kept:
            found["kept"] = {one.reason: one.count for one in self.kept}
        if self.together is not None and self.together.pairs:
            found["together"] = {
                "pairs": [list(pair) for pair in self.together.pairs],
                "threshold": self.together.threshold,
                "merged": self.together.merged,
            }
        return found


def _by_reason(parts: Iterable[Skipped]) -> tuple[Skipped, ...]:
    """Rows counted together for each reason."""
    reasons: dict[str, Skipped] = {}
    for one in parts:
        before = reasons.get(one.reason, Skipped(one.reason, 0))
        examples = (*before.examples, *one.examples)[:MOST_EXAMPLES]
        reasons[one.reason] = Skipped(one.reason, before.count + one.count, examples)
    return tuple(reasons.values())
