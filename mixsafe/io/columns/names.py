"""Names of users and of places in columns: numbers if every name of a source is one, else texts.

Which spellings are one user's name, and which names may be one person or two, says
:mod:`mixsafe.model.mobility.names`.

Two places are one only if their names are equal. In a batch whose column has names, they are coded
as -1, -2, …. What the names of a source are is known when all of it has been read: they are sorted,
so that the order of rows does not matter, and a batch of numbers may turn out to be one of names
such as ``150``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError
from mixsafe.io.files.arrays import arrow_of, flags, numbers
from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.io.files.spellings import alike_keys, plain_texts, region_numbers
from mixsafe.model.mobility.names import alike, check_similar
from mixsafe.model.mobility.places import PlaceMeanings, regions_among
from mixsafe.model.mobility.traces import Names

# Names such as 007 are not integers: the leading zeros would be lost.
_INTEGER = r"^(0|-?[1-9][0-9]{0,17})$"
_POINTED = r"^-?[0-9]+\.0*$"
_DECIMAL = r"^-?[0-9]+\.[0-9]+$"

_HINT = (
    "write each name in one way, or say what such names are: --similar-names same or"
    " --similar-names different (similar_names= in Python)"
)

Fault = Callable[[int, str, str], InputError]
"""Makes the error about an entry of a column, of a message and a hint."""


def users_and_rows(
    column: pa.ChunkedArray, fault: Fault, similar: str | None = None
) -> tuple[Names, npt.NDArray[np.int32]]:
    """Sorted users of a column of names, and the row of each entry's user.

    Parameters
    ----------
    column
        PyArrow chunked dictionary array of strings.
    fault
        Makes the error about an entry.
    similar
        What alike names are, ``same`` or ``different``; None: they are refused.

    Returns
    -------
    users, row
        (n_users,) ascending names, and (n_entries,) rows.

    Raises
    ------
    InputError
        Two names are alike; names both, and the entry of the second.
    """
    index = NameIndex(similar)
    number, codes = index.coded(column, fault)
    names, rank = index.ordered()
    return names, _of_codes(np.append(rank, np.int32(-1))[number], codes)


def users_of_table(
    table: CheckedTable, name: str, similar: str | None = None
) -> tuple[Names, npt.NDArray[np.int32]]:
    """As :func:`users_and_rows`, of a column of a table.

    Raises
    ------
    InputError
        As :func:`users_and_rows`, with the line.
    """

    def fault(row: int, message: str, hint: str) -> InputError:
        return table.error(message, row, name, hint)

    return users_and_rows(table.columns[name], fault, similar)


def names_as_written(tables: Iterable[CheckedTable], name: str) -> pa.Array:
    """Distinct names in a column of several tables, as they are written."""
    parts = [
        table.written[name]
        if name in table.written
        else table.columns[name].unify_dictionaries().combine_chunks().dictionary
        for table in tables
    ]
    return pa.concat_arrays(parts).unique()


def spelling_notes(written: pa.Array, what: str = "users") -> tuple[str, ...]:
    """Notes on names that are written in several ways, and on numbers with a decimal point.

    Parameters
    ----------
    written
        Distinct names as they are written.

    Raises
    ------
    InputError
        ``1.0`` is beside ``1`` and ``1.2``: it may be the one, or a name like the other.
    """
    texts = plain_texts(written)
    same = len(written) - len(texts.unique())
    pointed = written.filter(compute.match_substring_regex(written, _POINTED))
    notes = []
    if same:
        notes.append(f"{same} names of {what} merged with other spellings of the same names")
    if len(pointed):
        _refuse_decimals(written, pointed)
        name = pointed[0].as_py()
        notes.append(
            f"{len(pointed)} names of {what} are whole numbers with a decimal point: '{name}' is"
            f" read as '{name.partition('.')[0]}'"
        )
    return tuple(notes)


def alike_notes(merged: int) -> tuple[str, ...]:
    """Note on alike names that were said to be the same."""
    if not merged:
        return ()
    return (f"{merged} names of users merged with alike names, as was said (--similar-names)",)


def _refuse_decimals(written: pa.Array, pointed: pa.Array) -> None:
    """Refuse ``1.0`` beside ``1`` where other names have decimals, such as ``1.2``."""
    whole = compute.replace_substring_regex(pointed, r"\.0*$", "")
    both = compute.index_in(whole, value_set=written).is_valid()
    decimal = written.filter(
        compute.and_not(
            compute.match_substring_regex(written, _DECIMAL),
            compute.match_substring_regex(written, _POINTED),
        )
    )
    if len(decimal) and compute.any(both).as_py():
        name, other = pointed.filter(both)[0].as_py(), whole.filter(both)[0].as_py()
        message = f"'{name}' and '{other}' may be one name or two: '{decimal[0]}' is a name, too"
        raise InputError(message, hint="write whole numbers without a decimal point")


class NameIndex:
    """Numbers users 0, 1, … by first occurrence, for names that arrive in batches.

    Parameters
    ----------
    similar
        Whether names that are alike are the ``same`` user or ``different`` ones; None: they are
        refused.
    """

    def __init__(self, similar: str | None = None) -> None:
        check_similar(similar)
        self._similar = similar
        self._texts = pa.nulls(0, pa.string())
        self._number = np.zeros(0, np.int32)  # of the user of each text
        self._keys: pa.Array | None = None  # None: whole numbers, of which none are alike
        self._size = 0

    def numbers_of(self, column: pa.ChunkedArray, fault: Fault) -> npt.NDArray[np.int32]:
        """Return (n_entries,) numbers of the users of a column of names.

        Parameters
        ----------
        column, fault
            PyArrow chunked dictionary array of strings, and the maker of the error about an entry.

        Raises
        ------
        InputError
            As :func:`users_and_rows`.
        """
        return _of_codes(*self.coded(column, fault))

    def coded(
        self, column: pa.ChunkedArray, fault: Fault
    ) -> tuple[npt.NDArray[np.int32], list[npt.NDArray[np.integer]]]:
        """Return numbers of the users of distinct names, and the codes of a column's chunks.

        Parameters
        ----------
        column, fault
            As for :func:`users_and_rows`.

        Returns
        -------
        number, codes
            (n_names,) number of the user of each name, -1 where no entry has it; and for each
            chunk (n_entries,) places in ``number``.

        Raises
        ------
        InputError
            As :func:`users_and_rows`.
        """
        if not column.num_chunks:
            return np.zeros(0, np.int32), []
        codes, texts = _codes_and_texts(column)
        used = np.zeros(len(texts), bool)
        for code in codes:
            used[code] = True
        place = np.full(len(texts), -1, np.int32)
        # fill_null and pa.array would import pandas, which takes longer than a small source.
        if len(self._texts):
            known = compute.index_in(texts, value_set=self._texts)
            place = np.array(numbers(known.fill_null(-1)))
        fresh = np.flatnonzero((place < 0) & used)
        if len(fresh):
            place[fresh] = len(self._texts) + np.arange(len(fresh), dtype=place.dtype)
            pair = self._add(texts if len(fresh) == len(texts) else texts.take(arrow_of(fresh)))
            if pair is not None:
                raise self._alike(pair, _of_codes(place, codes), fault)
        return np.append(self._number, np.int32(-1))[place], codes

    def _alike(
        self, pair: tuple[int, int], places: npt.NDArray[np.integer], fault: Fault
    ) -> InputError:
        """The error about two names, of which the second is in this batch."""
        rows = [int((places == one).argmax()) if np.any(places == one) else -1 for one in pair]
        if rows[0] > rows[1]:
            pair, rows = pair[::-1], rows[::-1]
        one, other = (self._texts[place].as_py() for place in pair)
        return fault(rows[1], f"'{other}' and '{one}' may be one name or two", _HINT)

    def _add(self, new: pa.Array) -> tuple[int, int] | None:
        """Take in new names; the places of two that are alike, unless it is said what they are."""
        old, begin = self._texts, len(self._texts)
        self._texts = pa.concat_arrays([old, new])
        whole = (
            self._keys is None and compute.all(compute.match_substring_regex(new, _INTEGER)).as_py()
        )
        if whole or self._similar == "different":
            self._extend(np.full(len(new), -1), np.arange(len(new)))
            return None
        known, keys = alike_keys(old) if self._keys is None else self._keys, alike_keys(new)
        self._keys = pa.concat_arrays([known, keys])
        before = numbers(compute.index_in(keys, value_set=known).fill_null(-1))
        _, first, code = np.unique(
            numbers(keys.dictionary_encode().indices), return_index=True, return_inverse=True
        )
        again = np.flatnonzero((before >= 0) | (first[code] < np.arange(len(new))))
        if len(again) and self._similar is None:
            late = int(again[0])
            return int(
                before[late] if before[late] >= 0 else begin + first[code[late]]
            ), begin + late
        self._extend(before, first[code])
        return None

    def _extend(self, before: npt.NDArray[np.integer], first: npt.NDArray[np.integer]) -> None:
        """Number new names: as a text known before, as a new one that is alike, or anew.

        Parameters
        ----------
        before
            (n,) place of a known text; -1: there is none.
        first
            (n,) place among the new names of the first that is alike.
        """
        fresh = (before < 0) & (first == np.arange(len(first)))
        number = np.full(len(first), -1, np.int32)
        number[fresh] = self._size + np.arange(np.count_nonzero(fresh), dtype=np.int32)
        if len(self._number):
            number = np.where(before < 0, number, self._number[before]).astype(np.int32)
        self._number = np.append(self._number, number[first])
        self._size += int(np.count_nonzero(fresh))

    @property
    def merged(self) -> int:
        """Number of names that are another name's user."""
        return len(self._texts) - self._size

    @property
    def names(self) -> pa.Array:
        """Names so far."""
        return self._texts

    def ordered(self) -> tuple[Names, npt.NDArray[np.int32]]:
        """Sorted users, (n_users,), and the position of each number among them."""
        return _ordered(self._names_by_number())

    def _names_by_number(self) -> pa.Array:
        """The shortest name of each user."""
        if self._size == len(self._texts):
            return self._texts
        found: list[str] = [""] * self._size
        for number, name in zip(self._number.tolist(), self._texts.to_pylist(), strict=True):
            found[number] = min(found[number] or name, name, key=lambda one: (len(one), one))
        return pa.array(found, pa.string())


def _codes_and_texts(
    column: pa.ChunkedArray,
) -> tuple[list[npt.NDArray[np.integer]], pa.Array]:
    """Codes of the chunks of a column of names, at least one, and the distinct texts."""
    if all(len(chunk.dictionary) == 1 and not chunk.null_count for chunk in column.chunks):
        # Each chunk is of one user, as of files called by users: nothing is looked up by row.
        coded = pa.concat_arrays([chunk.dictionary for chunk in column.chunks]).dictionary_encode()
        pairs = zip(numbers(coded.indices), column.chunks, strict=True)
        return [np.broadcast_to(code, len(chunk)) for code, chunk in pairs], coded.dictionary
    chunks = column.unify_dictionaries().chunks
    return [numbers(chunk.indices) for chunk in chunks], chunks[0].dictionary


def _of_codes(
    values: npt.NDArray[np.int32], codes: list[npt.NDArray[np.integer]]
) -> npt.NDArray[np.int32]:
    """(n_entries,) value of each entry of a column, chunk by chunk to copy nothing."""
    found = np.empty(sum(map(len, codes)), np.int32)
    begin = 0
    for code in codes:
        np.take(values, code, out=found[begin : begin + len(code)], mode="clip")
        begin += len(code)
    return found


def _ordered(texts: pa.Array) -> tuple[Names, npt.NDArray[np.int32]]:
    """The names, sorted, and the position of each name among them."""
    names: Names
    if compute.all(compute.match_substring_regex(texts, _INTEGER)).as_py():
        names = numbers(texts.cast(pa.int64()))
    else:
        names = np.array(texts.to_pylist(), object)
    order = np.argsort(names)
    rank = np.empty(len(texts), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return names[order], rank


def numbers_of(
    table: CheckedTable, name: str, names: Names, aliases: Mapping[str, str] | None = None
) -> npt.NDArray[np.int32]:
    """(n_rows,) number of the name of each row of a column; -1: it is none of them.

    Parameters
    ----------
    aliases
        Further names of them.
    """
    coded = table.columns[name].unify_dictionaries().combine_chunks()
    texts = coded.dictionary
    if aliases:
        texts = pa.array([aliases.get(one, one) for one in texts.to_pylist()], pa.string())
    of_text = numbers(compute.index_in(texts, value_set=_texts(names)).fill_null(-1))
    found: npt.NDArray[np.int32] = of_text[numbers(coded.indices)]
    return found


def _texts(names: Names) -> pa.Array:
    """The names as text."""
    kind = pa.int64() if names.dtype == np.int64 else pa.string()
    return pa.array(names, kind).cast(pa.string())


def rows_of_users(
    table: CheckedTable, name: str, users: Names, aliases: Mapping[str, str] | None = None
) -> npt.NDArray[np.int32]:
    """Look up the row of each user in a column.

    Parameters
    ----------
    aliases
        Further names of users.

    Raises
    ------
    InputError
        Names the line of the first unknown user.
    """
    row = numbers_of(table, name, users, aliases)
    if (row < 0).any():
        unknown = table.columns[name][int((row < 0).argmax())].as_py()
        known = _texts(users)
        near = known.filter(compute.equal(alike_keys(known), alike(unknown)))
        hint = None if not len(near) else f"the data have '{near[0]}': write it alike"
        table.check(row < 0, name, "user {} is not in the data", hint)
    return row


Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_SEVERAL = r"^(\*|[0-9]+( [0-9]+)+)$"
"""What is no one region: a hidden cell, or several regions, as releases of the contest have them.

Read as a name, it would put everybody who is hidden at one place.
"""

_SEVERAL_HINT = (
    "use mixsafe audit for traces that are already obfuscated, as pse_id,time_id,reg_id; write a"
    " name without blanks between its numbers"
)


class Places(NamedTuple):
    """Places of some rows.

    Parameters
    ----------
    region
        (n,) numbers of regions; or -1, -2, … for the first, second, … of the names.
    names
        Names, none twice; None: all regions are numbers.
    """

    region: Ints
    names: pa.Array | None = None

    @classmethod
    def joined(cls, parts: Sequence[Places]) -> Places:
        """Places of several batches."""
        index = PlaceIndex()
        region = np.concatenate([index.codes_of(part) for part in parts])
        return cls(region, index.names if index.has_names else None)

    def settled(self) -> tuple[Ints, tuple[str, ...] | None]:
        """Numbers, if all names in use are numbers; else positions among the sorted names, from 1.

        Returns
        -------
        region, names
            (n,) numbers or positions, and the names in use; None: there are numbers only.
        """
        index = PlaceIndex()
        code = index.codes_of(self)
        if not index.has_names:
            return code, None
        found = index.meanings(np.unique(code[code >= 0]))
        return found.regions(code), found.names

    def among(self, names: tuple[str, ...] | None) -> Ints:
        """As :func:`mixsafe.model.mobility.places.regions_among`, of other data's names."""
        return regions_among(*self.settled(), names)


def settled_names(names: pa.Array) -> tuple[Ints, tuple[str, ...] | None]:
    """What places are called where there are some names, none twice.

    Returns
    -------
    region, names
        (n_names,) its number if all are numbers, and None; else its position among the sorted
        names, from 1, and these.
    """
    value = region_numbers(names)
    if not value.null_count:
        return numbers(value), None
    order = numbers(compute.sort_indices(names)).astype(np.int64)
    region = np.empty(len(names), np.int64)
    region[order] = np.arange(1, len(names) + 1)
    return region, tuple(names.take(pa.array(order)).to_pylist())


def places_of(table: CheckedTable, name: str, least: int = 0) -> tuple[Places, Flags | None]:
    """Places of a column, any where there is none, and the rows without one; None: no row.

    Parameters
    ----------
    least
        Smallest number of a region.

    Raises
    ------
    InputError
        Names the line of the first cell that is several regions, or a smaller number.
    """
    column = table.columns[name]
    nowhere = column.is_null().to_numpy() if column.null_count else None
    if not pa.types.is_dictionary(column.type):
        value = table.values(name) if nowhere is None else numbers(column.fill_null(least))
        _check_least(table, name, value < least, least)
        return Places(value), nowhere
    coded = column.unify_dictionaries().combine_chunks()
    indices = coded.indices if nowhere is None else coded.indices.fill_null(0)
    code, names = numbers(indices).astype(np.int64), coded.dictionary
    there = np.ones(len(code), bool) if nowhere is None else ~nowhere
    several = flags(compute.match_substring_regex(names, _SEVERAL))
    if several.any():
        table.check(several[code] & there, name, "'{}' is not one place", _SEVERAL_HINT)
    small = flags(compute.less(region_numbers(names), least).fill_null(False))
    if small.any():
        _check_least(table, name, small[code] & there, least)
    return Places(-1 - code, names), nowhere


def _check_least(table: CheckedTable, name: str, wrong: Flags, least: int) -> None:
    """Refuse numbers below the least one.

    Raises
    ------
    InputError
        Names the line of the first.
    """
    if least:
        message, hint = f"region {{}} is below {least}", f"regions are numbered from {least}"
    else:
        message, hint = "region {} is negative", "leave the cell empty where there is no place"
    table.check(wrong, name, message, hint)


def _positions(texts: pa.Array, names: pa.Array) -> Ints:
    """(n_texts,) position of each text among names that have it."""
    found: Ints = numbers(compute.index_in(texts, value_set=names)).astype(np.int64)
    return found


class PlaceIndex:
    """Codes of places for batches: numbers where a batch has them, else -1, -2, … for new names.

    What a code stands for is known when all batches have been seen. ``names`` are those so far.
    """

    def __init__(self) -> None:
        self.names = pa.nulls(0, pa.string())

    @property
    def has_names(self) -> bool:
        """Whether some batch had names."""
        return len(self.names) > 0

    def codes_of(self, places: Places) -> Ints:
        """(n,) codes of a batch."""
        if places.names is None:
            return places.region
        is_name = places.region < 0
        number = -1 - places.region[is_name]
        used = np.flatnonzero(np.bincount(number, minlength=len(places.names)))
        names = places.names.take(pa.array(used))
        self.names = pa.concat_arrays([self.names, names]).unique()
        code = np.zeros(len(places.names), np.int64)
        code[used] = -1 - _positions(names, self.names)
        found = places.region.copy()
        found[is_name] = code[number]
        return found

    def meanings(self, known: Ints) -> PlaceMeanings:
        """What codes stand for, given the numbers among them, ascending, none twice."""
        texts = pa.array(known).cast(pa.string())
        names = pa.concat_arrays([self.names, texts]).unique()
        region, sorted_names = settled_names(names)
        of_name, of_number = (region[_positions(some, names)] for some in (self.names, texts))
        return PlaceMeanings(of_name, known, of_number, sorted_names)
