"""What is wanted of a feed: which columns and keys are read, and how strictly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mixsafe.io.columns.reading import RowRules
from mixsafe.io.files.sniffing import TableForm
from mixsafe.model.tracklets.feed import COMPARED


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
    """

    truth: str | None = None
    also: tuple[str, ...] = ()
    fields: tuple[str, ...] = COMPARED
    rules: RowRules = field(default_factory=RowRules)
    tz: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    similar: str | None = None
    form: TableForm = field(default_factory=TableForm)
