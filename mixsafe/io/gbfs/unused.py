"""What of a feed is not used: records that cannot be read, and values that nobody needs."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field

from mixsafe.errors import InputError
from mixsafe.io.columns.no_position import REASON
from mixsafe.io.columns.row_rules import BAD, RowRules
from mixsafe.io.files.csv_records import SKIP_HINT, or_skip
from mixsafe.model.mobility.premises import MOST_EXAMPLES, Premises, Skipped


@dataclass
class Unused:
    """Records and values of a feed that are not used, counted and named.

    Parameters
    ----------
    rules
        What becomes of records that cannot be read.
    of_snapshots
        Whether the records are vehicles of snapshots, not rows of a table.
    """

    rules: RowRules = field(default_factory=RowRules)
    of_snapshots: bool = False
    _counts: Counter[str] = field(default_factory=Counter)
    _examples: dict[str, list[str]] = field(default_factory=dict)
    _unread: dict[str, list[str]] = field(default_factory=dict)
    _n_unread: Counter[str] = field(default_factory=Counter)

    def count(self, reason: str, examples: list[str], number: int = 1) -> None:
        """Count records that are not used for a reason, and name the first of them."""
        self._counts[reason] += number
        named = self._examples.setdefault(reason, [])
        named += examples[: MOST_EXAMPLES - len(named)]

    def bad(self, error: InputError) -> None:
        """Count a record that cannot be read.

        Raises
        ------
        InputError
            Such records are not to be skipped; says how they are.
        """
        if not self.rules.skip_bad:
            raise InputError(
                error.message,
                file=error.file,
                line=error.line,
                column=error.column,
                hint=error.hint if SKIP_HINT in (error.hint or "") else or_skip(error.hint),
            )
        where = error.file if error.line is None else f"line {error.line}"
        self.count(BAD, [f"{where}: {error.message}"])

    @property
    def n_bad(self) -> int:
        """Number of records that cannot be read."""
        return self._counts[BAD]

    def unread(self, column: str, example: str, number: int = 1) -> None:
        """Count values that are taken for unknown, and name the first."""
        self._n_unread[column] += number
        self._unread.setdefault(column, [example])

    def check(self, n_records: int, path: str | os.PathLike[str]) -> None:
        """Refuse a feed of whose records too many cannot be read.

        Raises
        ------
        InputError
            Counts them, and names the first.
        """
        self.rules.check_most(Premises(self._skipped(BAD)), n_records, path)

    def _skipped(self, *reasons: str) -> tuple[Skipped, ...]:
        return tuple(
            Skipped(one, self._counts[one], tuple(self._examples[one]))
            for one in reasons
            if self._counts[one]
        )

    @property
    def premises(self) -> Premises:
        """Records that are not used, by reason."""
        return Premises(self._skipped(*self._counts))

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each reason, and for each column of values that are taken for unknown."""
        said = [one.note for one in self.premises.skipped if one.reason != REASON]
        said += map(self._nowhere, self._skipped(REASON))
        return (*said, *self._unknown)

    def _nowhere(self, one: Skipped) -> str:
        """What is without a position: it is not skipped, but nowhere in particular."""
        number = 0 if one.count == 1 else 1
        what = ("row has no position", "rows have no position")[number]
        if self.of_snapshots:
            ends = ("identifier begins or ends", "identifiers begin or end")[number]
            what = f"{ends} without a position"
        more = ", …" if one.count > len(one.examples) else ""
        return f"{one.count:,} {what} ({', '.join(one.examples)}{more}): no speed excludes them"

    @property
    def _unknown(self) -> tuple[str, ...]:
        """A sentence for each column of values that are taken for unknown."""
        return tuple(
            f"{number:,} values of {column} are unknown, such as {self._unread[column][0]}"
            for column, number in self._n_unread.items()
        )
