"""Witnesses that stay on disk and are read one row group at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from mixsafe.errors import InputError
from mixsafe.io.certificates.stored_columns import StoredTable
from mixsafe.model.answer.certificate import Witnesses
from mixsafe.model.answer.ragged import Ragged
from mixsafe.model.csr import pointers


@dataclass(frozen=True, eq=False)
class StoredWitnesses:
    """Witnesses in a file: rows ``begin`` to ``end - 1`` of a table."""

    table: StoredTable
    begin: int
    end: int

    def __len__(self) -> int:
        return self.end - self.begin

    def pieces(self) -> Iterator[Witnesses]:
        """Yield witnesses, one row group of the file at a time.

        Raises
        ------
        InputError
            The numbers of rows and tokens do not fit the exchanges of a witness.
        """
        for times, sizes, rows, tokens in self.table.parts(self.begin, self.end):
            ptr = pointers(sizes.values)
            fits = np.array_equal(times.ptr, sizes.ptr) and not np.any(sizes.values < 0)
            if not fits or not np.array_equal(ptr[sizes.ptr], rows.ptr):
                self._refuse("the rows do not fit the exchanges")
            if not np.array_equal(rows.ptr, tokens.ptr):
                self._refuse("the exchanges do not have one token per row")
            made = Ragged(ptr, rows.values), Ragged(ptr, tokens.values)
            yield Witnesses(times.ptr, times.values, *made)

    def _refuse(self, message: str) -> NoReturn:
        raise InputError(message, file=self.table.path)
