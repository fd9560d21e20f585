"""Tables in memory, of whatever library: their columns as Arrow arrays, copied only if need be.

Nothing is imported for them: a table is known by what it can do. Who has it, has its library.

=====================================  ============================================
given                                  taken
=====================================  ============================================
PyArrow, Polars, DuckDB, other Arrow   columns as they are (``__arrow_c_stream__``)
pandas, scikit-mobility                columns, and levels of the index with a name
GeoPandas, trackintel                  the same, and the active geometry
movingpandas                           all trajectories; users are its objects
a mapping of columns                   each a list or an array
=====================================  ============================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import NAMES
from mixsafe.io.files.checked_table import Table, check_filled
from mixsafe.io.files.csv_records import Kind
from mixsafe.io.files.parquet_columns import table_of_kinds

_UNNAMED = "time"
"""What an index of moments without a name is called."""


class _Columns(Protocol):
    """Columns by name."""

    def __getitem__(self, name: str) -> pa.ChunkedArray: ...


def column_of(values: Sequence[Any], label: str, name: str, what: str) -> pa.ChunkedArray:
    """A column of values as Python has them.

    Parameters
    ----------
    label, name, what
        For messages: of the table and the column, and what that is called there.

    Raises
    ------
    InputError
        They are of several types.
    """
    try:
        return pa.chunked_array([pa.array(values)])
    except (pa.ArrowException, OverflowError):
        message = f"the {what} holds values of several types"
        raise InputError(message, file=label, column=name) from None


@dataclass(frozen=True, eq=False)
class Frame:
    """A table in memory.

    Parameters
    ----------
    label
        What messages call it.
    header
        Names of its columns.
    columns
        Each of them, when it is asked for.
    said
        What the table itself says of its columns, by meaning.
    crs
        Reference system of its points; None: it says none.
    notes
        What was assumed, a sentence each.
    """

    label: str
    header: tuple[str, ...]
    columns: _Columns
    said: Mapping[str, str] = field(default_factory=dict)
    crs: object = None
    notes: tuple[str, ...] = ()

    def table(self, kinds: Mapping[str, Kind]) -> Table:
        """Columns of the kinds that are wanted, checked.

        Raises
        ------
        InputError
            A column holds something else, or a value is missing; names its row.
        """
        data = pa.table({name: self.columns[name] for name in kinds})
        if not len(data):
            raise InputError("there is no row", file=self.label)
        table = table_of_kinds(self.label, self.header, kinds, (data, 0))
        for name, kind in kinds.items():
            check_filled(table, name, kind)
        return table


def frame_of(given: object) -> Frame | None:
    """A table in memory; None: it is no table.

    Raises
    ------
    InputError
        It is one that has no columns.
    """
    found = _recognized(given)
    if found is not None and not found.header:
        raise InputError("it has no columns", file=found.label)
    return found


def _recognized(given: Any) -> Frame | None:  # noqa: ANN401 -- known by what it can do
    """What a thing can do says what it is."""
    label = f"the {type(given).__name__}"
    if isinstance(given, pa.Table):
        return _of_arrow(given, label)
    if hasattr(given, "trajectories") or (hasattr(given, "df") and hasattr(given, "id")):
        return _of_trajectories(given, label)
    if all(hasattr(given, part) for part in ("index", "columns", "dtypes", "iloc")):
        return _of_pandas(given, label)
    if hasattr(given, "__arrow_c_stream__"):
        return _of_arrow(pa.table(given), label)
    if hasattr(given, "__arrow_c_array__"):
        return _of_arrow(pa.Table.from_batches([pa.record_batch(given)]), label)
    if isinstance(given, Mapping):
        return _of_mapping(given, label)
    return None


def _of_arrow(data: pa.Table, label: str) -> Frame:
    """A table of Arrow's own; points of GeoArrow may state their reference system."""
    from mixsafe.io.objects.geoarrow import ArrowColumns

    columns = ArrowColumns(data, label)
    twice = [name for name in data.column_names if data.column_names.count(name) > 1]
    if twice:
        raise InputError("two columns have this name", file=label, column=twice[0])
    return Frame(label, tuple(data.column_names), columns, crs=columns.crs)


def _of_mapping(given: Mapping[Any, Any], label: str) -> Frame:
    """Columns by name."""
    try:
        data = pa.table({str(name): pa.array(column) for name, column in given.items()})
    except (pa.ArrowException, TypeError, ValueError) as error:
        reason = str(error).partition("\n")[0].rstrip(".").lower()
        raise InputError(f"its columns make no table: {reason}", file=label) from None
    return _of_arrow(data, label)


@dataclass(frozen=True, eq=False)
class _PandasColumns:
    """Columns of a table of pandas, and the levels of its index.

    Parameters
    ----------
    frame
        The table.
    label
        For messages.
    levels
        Number of the index's level by its name.
    """

    frame: Any
    label: str
    levels: Mapping[str, int]

    def __getitem__(self, name: str) -> pa.ChunkedArray:
        if name in self.levels:
            values = self.frame.index.get_level_values(self.levels[name])
        else:
            place = [str(column) for column in self.frame.columns].index(name)
            values = self.frame.iloc[:, place]
        if str(values.dtype) == "geometry":
            return pa.chunked_array([self._points(values, name)])
        try:
            found = pa.Array.from_pandas(values)
        except (pa.ArrowException, TypeError, ValueError):
            message = "the column holds values of several types"
            hint = "make all of them numbers, or all of them texts"
            raise InputError(message, file=self.label, column=name, hint=hint) from None
        return found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([found])

    def _points(self, values: Any, name: str) -> pa.StructArray:  # noqa: ANN401 -- a GeoSeries
        """Points of GeoPandas; missing where there is none."""
        try:
            x, y = np.asarray(values.x, np.float64), np.asarray(values.y, np.float64)
        except ValueError:
            kinds = ", ".join(sorted(set(values.geom_type.dropna()) - {"Point"}))
            message = f"there are geometries that are not points: {kinds}"
            raise InputError(message, file=self.label, column=name) from None
        return pa.StructArray.from_arrays([x, y], ["x", "y"], mask=pa.array(np.isnan(x)))


def _of_pandas(given: Any, label: str) -> Frame:  # noqa: ANN401 -- known by what it can do
    """A table of pandas, of GeoPandas, or of those who build on them."""
    names = [str(name) for name in given.columns]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError("two columns have this name", file=label, column=twice[0])
    levels = {
        str(name): place
        for place, name in enumerate(given.index.names)
        if name is not None and str(name) not in names
    }
    moments = str(getattr(given.index, "dtype", "")).startswith("datetime64")
    if moments and not levels and not set(NAMES["time"]) & set(names):
        levels = {_UNNAMED: 0}
    columns = _PandasColumns(given, label, levels)
    geometry = getattr(given, "active_geometry_name", None)
    if geometry is None:
        geometry = getattr(given, "_geometry_column_name", None)
    said = {"geometry": str(geometry)} if str(geometry) in names else {}
    crs = getattr(given, "crs", None)
    if isinstance(crs, Mapping) and "init" in crs:  # as scikit-mobility has it
        crs = crs["init"]
    return Frame(label, (*names, *levels), columns, said, crs)


def _of_trajectories(given: Any, label: str) -> Frame:  # noqa: ANN401 -- of movingpandas
    """Trajectories of movingpandas; one, or a collection of them.

    Users are the objects that they are of; trajectories that do not name theirs are users of their
    own, and a note says so.
    """
    import pandas as pd

    trajectories = list(getattr(given, "trajectories", [given]))
    if not trajectories:
        raise InputError("there is no trajectory in it", file=label)
    parts = [trajectory.df for trajectory in trajectories]
    objects = [getattr(trajectory, "obj_id", None) for trajectory in trajectories]
    named = all(one is not None for one in objects)
    users = objects if named else [trajectory.id for trajectory in trajectories]
    user = "obj_id" if named else "traj_id"
    whole = pd.concat(parts) if len(parts) > 1 else parts[0]
    whole = whole.assign(**{user: np.repeat(np.array(users), [len(part) for part in parts])})
    made = _of_pandas(whole, label)
    time = str(whole.index.name or _UNNAMED)
    said = {**made.said, "user_id": user, **({"time": time} if time in made.header else {})}
    note = f"each trajectory of {label} is taken as a user of its own: it names no object"
    return replace(made, said=said, notes=() if named else (note,))


def listed(given: object) -> list[Any] | None:
    """Several files, as a list; None: it is no list."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        return None
    return list(given)
