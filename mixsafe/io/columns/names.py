"""Users' names: integers if every name is one, strings otherwise."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.io.files.arrays import numbers
from mixsafe.io.files.checked_table import Table
from mixsafe.model.mobility.traces import Names

# Names such as 007 are not integers: the leading zeros would be lost.
_INTEGER = r"^(0|-?[1-9][0-9]{0,17})$"


def users_and_rows(column: pa.ChunkedArray) -> tuple[Names, npt.NDArray[np.int32]]:
    """Sorted users of a column of names, and the row of each entry's user.

    Parameters
    ----------
    column
        PyArrow chunked dictionary array of strings.

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
    """The used names, sorted, and the position of each name among them; -1 if unused."""
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
    """Distinct names in a column of several tables, including blanks around them."""
    parts = [
        table.written[name]
        if name in table.written
        else table.columns[name].unify_dictionaries().combine_chunks().dictionary
        for table in tables
    ]
    return pa.concat_arrays(parts).unique()


def blanks_note(written: pa.Array, what: str = "users") -> tuple[str, ...]:
    """Note on the number of names that differ only in surrounding blanks, if any do."""
    same = len(written) - len(compute.utf8_trim_whitespace(written).unique())
    if not same:
        return ()
    return (f"{same} names of {what} merged with names that differ in surrounding blanks",)


class NameIndex:
    """Numbers users 0, 1, … by first occurrence, for names that arrive in batches."""

    def __init__(self) -> None:
        self._texts = pa.array([], pa.string())
        self._used = np.zeros(0, bool)

    def numbers_of(self, column: pa.ChunkedArray) -> npt.NDArray[np.int32]:
        """Return (n_entries,) numbers of the users of a column of names.

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
        """Names so far, by number."""
        return self._texts

    def ordered(self) -> tuple[Names, npt.NDArray[np.int32]]:
        """Sorted users, (n_users,), and the position of each number among them."""
        return _ordered(self._texts, self._used)


def rows_of_users(table: Table, name: str, users: Names) -> npt.NDArray[np.int32]:
    """Look up the row of each user in a column.

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
