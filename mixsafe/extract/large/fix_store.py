"""Fixes on disk: taken in as they come, given back by user and time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import parquet

from mixsafe.errors import InputError
from mixsafe.geometry.jumps import Dropped
from mixsafe.machinery.spill import SpillRoom, cannot_spill
from mixsafe.model.mobility.places import names_note, place_name
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.mobility.traces import (
    FixPiece,
    FixPieces,
    Traces,
    equal_to_next,
    in_sequence,
    same_moment_in_order,
)

if TYPE_CHECKING:
    import duckdb

Array = npt.NDArray[Any]

_PLACES = ("lat", "lon", "region")


class FixStore:
    """All fixes of a source, in a Parquet file of a scratch folder.

    Parameters
    ----------
    base
        A database, for sorting.
    pieces
        The source; it is read here.
    scratch
        Where the file lies.

    Raises
    ------
    InputError
        Names file, line and column at fault.
    """

    def __init__(
        self, base: duckdb.DuckDBPyConnection, pieces: FixPieces, scratch: SpillRoom
    ) -> None:
        self._base, self._pieces = base, pieces
        self._path = scratch.path / "fixes.parquet"
        self.places: tuple[str, ...] = ()
        self._first, self._last = 2**63 - 1, -(2**63)
        self._sorted = True
        self._before: tuple[int, ...] = (-1, -1, -1)
        self.split = False
        self.size = 0
        none = np.zeros(0, np.int64)
        self._jumps = Dropped(none, none, Premises(), ())
        with ExitStack() as stack:
            writer = None
            for piece in pieces:
                columns = self._columns(piece)
                if writer is None:
                    self.places = tuple(name for name in _PLACES if name in columns.schema.names)
                    writer = parquet.ParquetWriter(
                        self._path, columns.schema, use_dictionary=["code", "fraction"]
                    )
                    stack.enter_context(writer)
                try:
                    writer.write_table(columns)
                except OSError as error:
                    raise cannot_spill(scratch.path, error) from None
        self._names, self._rank = pieces.users()
        self._meanings = pieces.place_meanings(self._numbers)
        self._sorted = self._sorted and not np.any(np.diff(self._rank) < 0)

    def _columns(self, piece: FixPiece) -> pa.Table:
        """A piece as the file holds it; looks at its times, and at its order."""
        user, time, fraction = piece.user, piece.time, piece.fraction
        self._first, self._last = (
            min(self._first, int(time.min())),
            max(self._last, int(time.max())),
        )
        keys: list[Array] = [user, time, *([] if fraction is None else [fraction])]
        begin, end = (tuple(int(key[row]) for key in keys) for row in (0, -1))
        self._sorted = self._sorted and (*begin, 0)[:3] >= self._before and in_sequence(keys)
        self._before = (*end, 0)[:3]
        self.split |= fraction is not None
        more: dict[str, Array] = {}
        if self._pieces.clock == "unix":
            more["fraction"] = np.zeros(len(time), np.int32) if fraction is None else fraction
        self.size += len(time)
        values = {name: getattr(piece, name) for name in _PLACES}
        there = {name: value for name, value in values.items() if value is not None}
        return pa.table({"code": user, "time": time, **more, **there})

    def _numbers(self) -> Array:
        """Codes of regions that are numbers, ascending, none twice."""
        query = f"SELECT DISTINCT region FROM {self._rows} WHERE region >= 0 ORDER BY region"
        return np.asarray(self._base.sql(query).fetchnumpy()["region"], np.int64)

    @property
    def keys(self) -> tuple[str, ...]:
        """Columns of users and times; fractions of seconds only if there are any."""
        return ("user", "time", "fraction") if self.split else ("user", "time")

    @property
    def outline(self) -> Traces:
        """The source's names, clock and notes; its first and last time stand for all fixes."""
        names = None if self._meanings is None else self._meanings.names
        return Traces(
            users=self._names,
            user=np.zeros(2, np.int32),
            time=np.array([self._first, self._last]),
            clock=self._pieces.clock,
            tz=self._pieces.tz,
            order=self._pieces.order,
            place_names=names,
            notes=(*self._pieces.notes, *self._jumps.notes, *names_note(names)),
            premises=Premises.joined((self._pieces.premises, self._jumps.premises)),
        )

    def found(self, jumps: Dropped) -> None:
        """Take note of fixes that do not count."""
        self._jumps = jumps
        if len(jumps.begin) and jumps.ends is not None:
            self._first, self._last = jumps.ends

    def in_order(self, rows: int) -> Iterator[dict[str, Array]]:
        """All fixes by user and time, and by place where those are equal.

        Parameters
        ----------
        rows
            Of a batch, at most.

        Yields
        ------
        dict
            Each of ``keys`` (``user`` is the row of the user) and of ``places``: (n,) arrays.
            Fixes of one user and time are in one batch.
        """
        waiting: dict[str, Array] = {}
        for batch in self._as_read(rows) if self._sorted else self._by_key(rows):
            if self._meanings is not None:
                batch["region"] = self._meanings.regions(batch["region"])
            whole = batch
            if waiting:
                whole = {name: np.concatenate([waiting[name], batch[name]]) for name in batch}
            again = equal_to_next([whole[name] for name in self.keys])
            # More fixes like the last one may follow.
            others = np.flatnonzero(~again)
            end = int(others[-1]) + 1 if len(others) else 0
            waiting = {name: values[end:] for name, values in whole.items()}
            if end:
                ready = {name: values[:end] for name, values in whole.items()}
                yield self._by_place(ready, again[: end - 1])
        if waiting:
            yield self._by_place(waiting, np.ones(len(waiting["user"]) - 1, bool))

    def _by_place(self, batch: dict[str, Array], again: npt.NDArray[np.bool_]) -> dict[str, Array]:
        """Sort fixes of one user and time by place.

        Parameters
        ----------
        again
            (n - 1,) whether the next fix has the same user and time.
        """
        if not again.any():
            return batch
        places = [batch[name] for name in self.places]
        if np.array_equal(again, again & equal_to_next(places)):
            return batch
        keys = [batch[name] for name in self.keys]
        order = same_moment_in_order(keys, places, again, None)
        return batch | {name: batch[name][order] for name in self.places}

    def _by_key(self, rows: int) -> Iterator[dict[str, Array]]:
        """All fixes by user and time, as the database sorts them."""
        codes = np.arange(len(self._rank), dtype=np.int32)
        self._base.register("ranks", pa.table({"code": codes, "rank": self._rank}))
        keys = ", ".join(self.keys[1:])
        asked = (
            f"SELECT rank AS user, {keys}, {', '.join(self.places)} FROM {self._rows}"
            f" JOIN ranks USING (code) ORDER BY rank, {keys}"
        )
        yield from batches(self._base, asked, rows, self.size)
        self._base.unregister("ranks")

    @property
    def _rows(self) -> str:
        """The file, as the database reads it."""
        quoted = str(self._path).replace("'", "''")
        return f"read_parquet('{quoted}', file_row_number = true)"

    def _as_read(self, rows: int) -> Iterator[dict[str, Array]]:
        """All fixes as they stand in the file, which is their order."""
        columns = ["code", *self.keys[1:], *self.places]
        with parquet.ParquetFile(self._path, buffer_size=1 << 20) as file:
            for batch in file.iter_batches(rows, columns=columns):
                values = _arrays(batch)
                yield {"user": self._rank[values.pop("code")], **values}

    def second_place(self, row: int, time: int) -> InputError:
        """The error about the first user with two regions at one time."""
        aside = self._base.cursor()  # the sorted rows may not all have been taken
        found = aside.execute(
            f"SELECT file_row_number, region FROM {self._rows} WHERE code = ? AND time = ?"
            " ORDER BY file_row_number",
            [int(np.flatnonzero(self._rank == row)[0]), time],
        ).fetchall()
        numbers, codes = zip(*found, strict=True)
        regions = np.array(codes, np.int64)
        if self._meanings is not None:
            regions = self._meanings.regions(regions)
        second = int(np.flatnonzero(regions[1:] != regions[:-1])[0]) + 1
        names = self.outline.place_names
        other, one = (place_name(int(regions[at]), names) for at in (second, second - 1))
        fix = str(self._names[row]), time
        return self._pieces.second_place(numbers[second], fix, (other, one))

    def forget(self) -> None:
        """Remove the file."""
        self._path.unlink()


def _arrays(batch: pa.RecordBatch) -> dict[str, Array]:
    """Columns as NumPy arrays."""
    columns = zip(batch.schema.names, batch.columns, strict=True)
    return {name: column.to_numpy(zero_copy_only=False) for name, column in columns}


def batches(
    base: duckdb.DuckDBPyConnection, query: str, rows: int, expected: int
) -> Iterator[dict[str, Array]]:
    """The rows that a query gives, in batches of NumPy arrays.

    Parameters
    ----------
    base
        The database.
    query
        The query.
    rows
        Of a batch, at most.
    expected
        Of all batches.

    Raises
    ------
    RuntimeError
        There are more or fewer rows than expected: nothing may be decided on a part of the data.
    """
    seen = 0
    for batch in base.sql(query).to_arrow_reader(rows):
        seen += len(batch)
        yield _arrays(batch)
    if seen != expected:
        raise RuntimeError(f"the database gave {seen} rows back instead of {expected}")
