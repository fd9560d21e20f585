"""What is wanted of a feed, how strictly it is read, and what of it is not used.

Not used are records that cannot be read, and values that nobody needs.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from mixsafe.errors import InputError
from mixsafe.io.columns.reading import BAD, REASON, RowRules
from mixsafe.io.files.csv_records import SKIP_HINT, or_skip
from mixsafe.io.files.table_form import TableForm
from mixsafe.model.mobility.premises import MOST_EXAMPLES, Premises, Skipped
from mixsafe.model.tracklets import COMPARED


@dataclass(frozen=True)
class WantedFeed:
    """What is wanted of a feed.

    Parameters
    ----------
    truth
        Column, or key of each vehicle, that says which vehicle it is; None: not wanted.
    also
        Further columns or keys, whose values are compared as texts.
    fields
        Fields that are compared: their values must be right. A wrong value of any other field is
        taken for unknown.
    rules
        What becomes of records that cannot be read, and what is a position.
    tz
        Time zone of times without one; None: that of the feed.
    columns
        Column of each meaning in a table, where its name is not a usual one.
    form
        What the user says of a table without a header, and of tables in many files.
    similar
        What alike identifiers of a table are, as for
        :func:`mixsafe.io.columns.names.users_and_rows`.
    crs
        Reference system of the coordinates of a table; None: degrees.
    """

    truth: str | None = None
    also: tuple[str, ...] = ()
    fields: tuple[str, ...] = COMPARED
    rules: RowRules = field(default_factory=RowRules)
    tz: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    similar: str | None = None
    form: TableForm = field(default_factory=TableForm)
    crs: object = None


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
    _skipped: dict[str, Skipped] = field(default_factory=dict)
    _unread: dict[str, Skipped] = field(default_factory=dict)

    def count(self, reason: str, examples: list[str], number: int = 1) -> None:
        """Count records that are not used for a reason, and name the first of them."""
        _add(self._skipped, reason, examples, number)

    def bad(self, error: InputError) -> None:
        """Count a record that cannot be read.

        Raises
        ------
        InputError
            Such records are not to be skipped; says how they are.
        """
        if not self.rules.skip_bad:
            says_it = SKIP_HINT in (error.hint or "")
            raise error.advising(error.hint if says_it else or_skip(error.hint))
        where = error.file if error.line is None else f"line {error.line}"
        self.count(BAD, [f"{where}: {error.message}"])

    @property
    def n_bad(self) -> int:
        """Number of records that cannot be read."""
        return sum(one.count for one in self._of(BAD))

    def unread(self, column: str, example: str, number: int = 1) -> None:
        """Count values that are taken for unknown, and name the first."""
        _add(self._unread, column, [example], number)

    def check(self, n_records: int, path: str | os.PathLike[str]) -> None:
        """Refuse a feed of whose records too many cannot be read.

        Raises
        ------
        InputError
            Counts them, and names the first.
        """
        self.rules.check_most(Premises(self._of(BAD)), n_records, path)

    def _of(self, reason: str) -> tuple[Skipped, ...]:
        return tuple(one for one in self._skipped.values() if one.reason == reason)

    @property
    def premises(self) -> Premises:
        """Records that are not used, by reason."""
        return Premises(tuple(self._skipped.values()))

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each reason, and for each column of values that are taken for unknown."""
        said = [one.note for one in self._skipped.values() if one.reason != REASON]
        said += map(self._nowhere, self._of(REASON))
        unknown = (
            f"{one.count:,} values of {one.reason} are unknown, such as {one.examples[0]}"
            for one in self._unread.values()
        )
        return (*said, *unknown)

    def _nowhere(self, one: Skipped) -> str:
        """What is without a position: it is not skipped, but nowhere in particular."""
        number = 0 if one.count == 1 else 1
        what = ("row has no position", "rows have no position")[number]
        if self.of_snapshots:
            ends = ("identifier begins or ends", "identifiers begin or end")[number]
            what = f"{ends} without a position"
        more = ", …" if one.count > len(one.examples) else ""
        return f"{one.count:,} {what} ({', '.join(one.examples)}{more}): no speed excludes them"


def _add(found: dict[str, Skipped], reason: str, examples: list[str], number: int) -> None:
    """Count more of one reason."""
    before = found.get(reason, Skipped(reason, 0))
    named = (*before.examples, *examples)[:MOST_EXAMPLES]
    found[reason] = Skipped(reason, before.count + number, named)
