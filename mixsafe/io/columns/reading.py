"""How a source is read: what the user says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mixsafe.io.columns.row_rules import RowRules
from mixsafe.io.files.table_form import TableForm


@dataclass(frozen=True)
class Reading:
    """Options for reading a source.

    Parameters
    ----------
    format
        Name of its format; None: detected from the content.
    column
        User-defined names of columns for the meanings of
        :data:`mixsafe.io.columns.dialects.NAMES`, such as ``user_id`` and ``time``.
    tz
        Time zone in which days begin and end, and of times without a zone; None: that of the data
        (the offset of its times, or the zone of a Parquet column), else UTC.
    crs
        Reference system of coordinates, x in the column of ``lon`` and y in that of ``lat``: an
        EPSG number or a text such as ``EPSG:2443``; None: that of the data, else degrees.
    similar_names
        What alike names of users are, ``same`` or ``different``; None: they are refused.
    rules
        What becomes of rows that are no data.
    form
        What the user says of tables without a header, of many files, and of layers.
    """

    format: str | None = None
    column: Mapping[str, str] | None = None
    tz: str | None = None
    crs: object = None
    similar_names: str | None = None
    rules: RowRules = RowRules()  # noqa: RUF009 -- it is frozen
    form: TableForm = TableForm()  # noqa: RUF009 -- it is frozen
