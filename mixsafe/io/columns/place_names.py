"""Places in columns of regions: by number where every name of a source is one, else by name.

Two places are one only if their names are equal. In a batch whose column has names, they are coded
as -1, -2, …. What the names of a source are is known when all of it has been read: they are sorted,
so that the order of rows does not matter, and a batch of numbers may turn out to be one of names
such as ``150``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.io.files.arrays import flags, numbers
from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.io.files.region_texts import region_numbers
from mixsafe.model.mobility.place_names import PlaceMeanings, regions_among

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
        """As :func:`mixsafe.model.mobility.place_names.regions_among`, of other data's names."""
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
