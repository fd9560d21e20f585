"""Users' names: integers where every name is one, strings otherwise."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.io.files.arrays import numbers
from mixsafe.io.files.checked_table import Table
from mixsafe.model.mobility.traces import Names

# Names such as 007 are no integers: they would not come back as they were written.
_INTEGER = r"^(0|-?[1-9][0-9]{0,17})$"


def users_and_rows(column: pa.ChunkedArray) -> tuple[Names, npt.NDArray[np.int32]]:
    """The users of a column of names, in order, and the number of each entry's user.

    Parameters
    ----------
    column
        PyArrow chunked array, a dictionary of strings.

    Returns
    -------
    users, row
        (n_users,) ascending names, and (n_entries,) rows.
    """
    coded = column.unify_dictionaries().combine_chunks()
    code, texts = numbers(coded.indices), coded.dictionary
    used = np.bincount(code, minlength=len(texts)) > 0
    names, rank = _ordered(texts, used)
    return names, rank[code]


def _ordered(texts: pa.Array, used: npt.NDArray[np.bool_]) -> tuple[Names, npt.NDArray[np.int32]]:
    """Those of some names that are used, in order, and the place of each; -1 if it is not used."""
    names: Names
    if compute.all(compute.match_substring_regex(texts, _INTEGER)).as_py():
        names = numbers(texts.cast(pa.int64()))
    else:
        names = np.array(texts.to_pylist(), object)
    order = np.argsort(names)
    order = order[used[order]]
    rank = np.full(len(texts), -1, np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return names[order], rank


def names_as_written(tables: Iterable[Table], name: str) -> pa.Array:
    """The different names in a column of some tables, with the blanks around them."""
    parts = [
        table.written[name]
        if name in table.written
        else table.columns[name].unify_dictionaries().combine_chunks().dictionary
        for table in tables
    ]
    return pa.concat_arrays(parts).unique()


def blanks_note(written: pa.Array, what: str = "users") -> tuple[str, ...]:
    """How many of some names are others' when the blanks around them are left out, if any are."""
    same = len(written) - len(compute.utf8_trim_whitespace(written).unique())
    if not same:
        return ()
    return (f"{same} names of {what} differ from others in blanks around them only, and are those",)


class NameIndex:
    """Numbers of users whose names come piece after piece: 0, 1, … as they first occur."""

    def __init__(self) -> None:
        self._texts = pa.array([], pa.string())
        self._used = np.zeros(0, bool)

    def numbers_of(self, column: pa.ChunkedArray) -> npt.NDArray[np.int32]:
        """(n_entries,) numbers of the users of a column of names.

        Parameters
        ----------
        column
            As for :func:`users_and_rows`.
        """
        coded = column.unify_dictionaries().combine_chunks()
        code, texts = numbers(coded.indices), coded.dictionary
        found = compute.index_in(texts, value_set=self._texts)
        new = found.is_null()
        fresh = np.flatnonzero(new.to_numpy(zero_copy_only=False))
        number = np.array(numbers(found.fill_null(0)), np.int32)
        number[fresh] = len(self._texts) + np.arange(len(fresh), dtype=np.int32)
        if len(fresh):
            self._texts = pa.concat_arrays([self._texts, texts.filter(new)])
            self._used = np.append(self._used, np.zeros(len(fresh), bool))
        self._used[number[np.bincount(code, minlength=len(texts)) > 0]] = True
        of_entry: npt.NDArray[np.int32] = number[code]
        return of_entry

    @property
    def names(self) -> pa.Array:
        """The names so far, in the order of their numbers."""
        return self._texts

    def ordered(self) -> tuple[Names, npt.NDArray[np.int32]]:
        """The users in order, (n_users,), and the place of each number among them."""
        return _ordered(self._texts, self._used)


def rows_of_users(table: Table, name: str, users: Names) -> npt.NDArray[np.int32]:
    """The row of each user that a column names.

    Raises
    ------
    InputError
        Names the line of the first unknown user.
    """
    known = pa.array(users, pa.int64() if users.dtype == np.int64 else pa.string())
    coded = table.columns[name].unify_dictionaries().combine_chunks()
    found = compute.index_in(coded.dictionary, value_set=known.cast(pa.string()))
    row: npt.NDArray[np.int32] = numbers(found.fill_null(-1))[numbers(coded.indices)]
    table.check(row < 0, name, "user {} is not in the data")
    return row
