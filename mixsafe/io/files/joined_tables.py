"""Tables of several files as one, whose rows keep their files and lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.files.checked_table import CheckedTable, Faults
from mixsafe.model.mobility.premises import MOST_EXAMPLES

_FILE = 1 << 40
"""More rows than a file has: row r of file f has the number f times this, and r."""


def joined(tables: Sequence[CheckedTable]) -> CheckedTable:
    """The rows of one or more tables with the same columns, in order.

    Columns whose types differ become texts.
    """
    first = tables[0]
    if len(tables) == 1:
        return first
    faults = None
    if first.faults is not None:
        found = [(number, one.faults) for number, one in enumerate(tables) if one.faults]
        examples = [
            (number * _FILE + row, what) for number, one in found for row, what in one.examples
        ]
        faults = Faults(sum(one.count for _, one in found), examples[:MOST_EXAMPLES])
    return _Joined(
        first.file,
        first.header,
        {name: _joined_column([one.columns[name] for one in tables]) for name in first.columns},
        first.form,
        faults=faults,
        skippable=first.skippable,
        parts=tuple(tables),
    )


def _joined_column(columns: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    if len({one.type for one in columns}) > 1:
        columns = [one.cast(pa.string()) for one in columns]
    found = pa.chunked_array([chunk for one in columns for chunk in one.chunks])
    return found.unify_dictionaries() if pa.types.is_dictionary(found.type) else found


@dataclass(frozen=True, eq=False)
class _Joined(CheckedTable):
    """Rows of several tables."""

    parts: tuple[CheckedTable, ...] = ()

    def error(
        self, message: str, row: int, column: str | None = None, hint: str | None = None
    ) -> InputError:
        """The error for a row, with its file and line."""
        for part in self.parts:
            if row < len(part):
                return part.error(message, row, column, hint)
            row -= len(part)
        raise IndexError(row)

    def _numbers(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Numbers of rows, for :meth:`places_of`."""
        begins = np.cumsum([0, *map(len, self.parts)])
        part = np.searchsorted(begins, rows, "right") - 1
        numbers = [
            number * _FILE + self.parts[number]._numbers(rows[part == number] - begins[number])
            for number in np.unique(part).tolist()
        ]
        return np.concatenate(numbers) if numbers else rows

    def places_of(self, numbers: list[int]) -> list[str]:
        """Files and lines of rows."""
        found = (divmod(number, _FILE) for number in numbers)
        return [place for part, row in found for place in self.parts[part].places_of([row])]
