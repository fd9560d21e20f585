"""Adapters of tables in memory: their columns as Arrow arrays, copied only if necessary.

No library is imported here: tables are recognized by their attributes.

=====================================  ============================================
input                                  columns used
=====================================  ============================================
PyArrow, Polars, DuckDB, other Arrow   columns as they are (``__arrow_c_stream__``)
pandas, scikit-mobility                columns, and levels of the index with a name
GeoPandas, trackintel                  the same, and the active geometry
movingpandas                           all trajectories; users are its objects
a mapping of columns                   each a list or an array
=====================================  ============================================

Columns may have the types of GeoArrow points.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import NAMES
from mixsafe.io.files.checked_table import CheckedTable, Faults, with_plain_names
from mixsafe.io.files.csv_records import Kind, or_skip
from mixsafe.io.files.json_values import half_error
from mixsafe.io.files.parquet_columns import table_of_kinds
from mixsafe.io.files.tables import checked
from mixsafe.model.mobility.premises import MOST_EXAMPLES

_METADATA = b"ARROW:extension:metadata"


def arrow_crs(schema: pa.Schema) -> object:
    """Reference system of the first column that has one, as PROJJSON or a text."""
    for one in schema:
        stated = (one.metadata or {}).get(_METADATA)
        if stated is None and isinstance(one.type, pa.BaseExtensionType):
            stated = getattr(one.type, "__arrow_ext_serialize__", lambda: b"")()
        found = _crs_in(stated)
        if found is not None:
            return found
    return None


def arrow_column(data: pa.Table, label: str, name: str) -> pa.ChunkedArray:
    """A column, with view and extension types converted to basic types.

    Parameters
    ----------
    label
        Name of the table in messages.

    Raises
    ------
    InputError
        The types cannot be converted.
    """
    column = data[name]
    if isinstance(column.type, pa.BaseExtensionType):
        column = pa.chunked_array([chunk.storage for chunk in column.chunks])
    kind = column.type
    try:
        if pa.types.is_fixed_size_list(kind) and kind.list_size in (2, 3, 4):
            return _pairs(column)
        if pa.types.is_dictionary(kind) and pa.types.is_string_view(kind.value_type):
            return column.cast(pa.dictionary(kind.index_type, pa.string()))
        if pa.types.is_string_view(kind):
            return column.cast(pa.string())
        if pa.types.is_binary_view(kind):
            return column.cast(pa.binary())
    except pa.ArrowException as error:
        reason = str(error).partition("\n")[0].lower()
        raise InputError(reason, file=label, column=name) from None
    return column


def _crs_in(stated: bytes | None) -> object:
    """Reference system in GeoArrow metadata."""
    try:
        found = json.loads(stated or b"{}")
    except ValueError:
        return None
    return found.get("crs") if isinstance(found, dict) else None


def _pairs(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert interleaved coordinates, with an elevation or without, to structs of x and y."""
    whole = column.combine_chunks()
    x, y = (compute.list_element(whole, place) for place in (0, 1))
    made = pa.StructArray.from_arrays([x, y], ["x", "y"], mask=whole.is_null())
    return pa.chunked_array([made])


_UNNAMED = "time"
"""Name of an unnamed index of timestamps."""


class SeveralTypesError(InputError):
    """A column has values of several types.

    Parameters
    ----------
    usual
        The column without those of other types than most.
    bad
        What is wrong with each of these, by row.
    """

    def __init__(self, usual: pa.ChunkedArray, bad: Mapping[int, InputError]) -> None:
        first = _with_row(bad)
        super().__init__(first.message, file=first.file, column=first.column, hint=first.hint)
        self.usual, self.bad = usual, bad


def column_of(values: Sequence[Any], label: str, name: str, what: str) -> pa.ChunkedArray:
    """Build a column from Python values.

    Parameters
    ----------
    label, name, what
        For error messages: names of the table and the column, and what the library calls a column.

    Raises
    ------
    InputError
        The values have several types (:class:`SeveralTypesError`), or do not fit into 64 bits.
    """
    try:
        return pa.chunked_array([pa.array(values)])
    except UnicodeEncodeError as error:
        raise half_error(error.object, label, None, name) from None
    except (pa.ArrowException, OverflowError, ValueError):
        kinds = [_kind(value) for value in values]
    counts = Counter(kind for kind in kinds if kind)
    most = counts.most_common(1)[0][0]
    if len(counts) > 1:
        usual = [value if kind == most else None for value, kind in zip(values, kinds, strict=True)]
        hint = f"write all of them as {most}s"
        bad = {
            row: InputError(
                f"there are several types: '{str(values[row])[:40]}' is a {kind}, most are {most}s",
                file=label, column=name, hint=hint,
            )
            for row, kind in enumerate(kinds)
            if kind not in ("", most)
        }  # fmt: skip
        raise SeveralTypesError(column_of(usual, label, name, what), bad)
    large = most == _LARGE
    said = "numbers of more than 64 bits" if large else "values of several types"
    way_out = "write them as texts" if large else None
    raise InputError(f"the {what} contains {said}", file=label, column=name, hint=way_out)


_LARGE = "too large number"
"""One of more than 64 bits."""


def _kind(value: object) -> str:
    """What a value is, in words; empty: it is missing."""
    if value is None:
        return ""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return _LARGE
    known = ((bool, "truth value"), (int, "number"), (float, "number"), (str, "text"))
    return next((word for kind, word in known if isinstance(value, kind)), type(value).__name__)


@dataclass(frozen=True, eq=False)
class Frame:
    """A table in memory.

    Parameters
    ----------
    label
        Its name in messages.
    header
        Names of its columns.
    column
        Returns a column, which is converted then.
    said
        Columns known from the table's type, by meaning.
    crs
        Reference system of its points; None: unknown.
    notes
        Assumptions made, one sentence each.
    bad
        What is wrong with rows that could not be read, by their index.
    """

    label: str
    header: tuple[str, ...]
    column: Callable[[str], pa.ChunkedArray]
    said: Mapping[str, str] = field(default_factory=dict)
    crs: object = None
    notes: tuple[str, ...] = ()
    bad: Mapping[int, InputError] = field(default_factory=dict)

    def with_values(self, values: Mapping[str, str]) -> Frame:
        """The table with further columns that have one value each; its own stay as they are."""
        more = {name: value for name, value in values.items() if name not in self.header}
        if not more:
            return self

        def column(name: str) -> pa.ChunkedArray:
            if name not in more:
                return self.column(name)
            rows = len(self.column(self.header[0]))
            return pa.chunked_array([pa.repeat(pa.scalar(more[name], pa.string()), rows)])

        said = {meaning: name for meaning, name in self.said.items() if meaning not in more}
        return replace(self, header=(*self.header, *more), column=column, said=said)

    def table(self, kinds: Mapping[str, Kind], skip_bad: bool | None = None) -> CheckedTable:
        """Validated columns of the given kinds.

        Parameters
        ----------
        skip_bad
            Leave out rows at fault and count them; False: refuse them, and say that they can be
            left out; None: refuse them.

        Raises
        ------
        InputError
            A column has another type, or a value is missing; names its row.
        """
        bad = dict(self.bad)
        data = pa.table({name: self._usual(name, bad) for name in kinds})
        if not len(data):
            raise InputError("the table has no rows", file=self.label)
        if bad and not skip_bad:
            first = _with_row(bad)
            skippable = skip_bad is not None and len(bad) < len(data)
            raise first.advising(or_skip(first.hint) if skippable else first.hint)
        table = with_plain_names(table_of_kinds(self.label, self.header, kinds, (data, 0)), kinds)
        return checked(replace(table, faults=_faults(bad, len(data))), kinds, skip_bad)

    def _usual(self, name: str, bad: dict[int, InputError]) -> pa.ChunkedArray:
        """A column, and in ``bad`` what is wrong with some of its rows."""
        try:
            return self.column(name)
        except SeveralTypesError as error:
            bad.update(error.bad)
            return error.usual


def _with_row(bad: Mapping[int, InputError]) -> InputError:
    """What is wrong with the first row that could not be read, with its number, if not its line."""
    row = min(bad)
    found = bad[row]
    message = found.message if found.line is not None else f"row {row + 1}: {found.message}"
    return InputError(
        message, file=found.file, line=found.line, column=found.column, hint=found.hint
    )


def _faults(bad: Mapping[int, InputError], rows: int) -> Faults | None:
    """Rows at fault of a table of so many; None: there are none."""
    if not bad:
        return None
    faults, flags = Faults(), np.zeros(rows, bool)
    flags[list(bad)] = True
    first = np.array(sorted(bad)[:MOST_EXAMPLES])
    told = [bad[row] for row in first.tolist()]
    messages = [
        one.message if one.column is None else f"{one.column}: {one.message}" for one in told
    ]
    faults.mark(flags, first, messages)
    return faults


def frame_of(given: object) -> Frame | None:
    """Wrap a table in memory; None if the object is not a table.

    Raises
    ------
    InputError
        The table has no columns.
    """
    found = _recognized(given)
    if found is not None and not found.header:
        raise InputError("the table has no columns", file=found.label)
    return found


def _recognized(given: Any) -> Frame | None:  # noqa: ANN401 -- known by what it can do
    """Recognize a table by its attributes."""
    label = f"the {type(given).__name__}"
    if isinstance(given, pa.Table):
        return arrow_frame(given, label)
    if hasattr(given, "trajectories") or (hasattr(given, "df") and hasattr(given, "id")):
        return _of_trajectories(given, label)
    if all(hasattr(given, part) for part in ("index", "columns", "dtypes", "iloc")):
        return _of_pandas(given, label)
    if hasattr(given, "__arrow_c_stream__"):
        return arrow_frame(pa.table(given), label)
    if hasattr(given, "__arrow_c_array__"):
        return arrow_frame(pa.Table.from_batches([pa.record_batch(given)]), label)
    if isinstance(given, Mapping):
        return _of_mapping(given, label)
    return None


def arrow_frame(data: pa.Table, label: str) -> Frame:
    """Wrap an Arrow table; GeoArrow points may have a reference system.

    Raises
    ------
    InputError
        Two columns have one name.
    """
    _check_names(data.column_names, label)
    column = partial(arrow_column, data, label)
    return Frame(label, tuple(data.column_names), column, crs=arrow_crs(data.schema))


def _check_names(names: Sequence[str], label: str) -> None:
    """Refuse two columns of one name."""
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError("two columns have this name", file=label, column=twice[0])


def _of_mapping(given: Mapping[Any, Any], label: str) -> Frame:
    """Wrap a mapping of columns."""
    try:
        data = pa.table({str(name): pa.array(column) for name, column in given.items()})
    except UnicodeEncodeError as error:
        raise half_error(error.object, label) from None
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        reason = str(error).partition("\n")[0].rstrip(".").lower()
        raise InputError(f"its columns do not form a table: {reason}", file=label) from None
    return arrow_frame(data, label)


def _pandas_column(label: str, name: str, values: Any) -> pa.ChunkedArray:  # noqa: ANN401 -- of pandas
    """A column of a pandas table, or a level of its index."""
    if str(values.dtype) == "geometry":
        return pa.chunked_array([_shapes(label, name, values)])
    try:
        found = pa.Array.from_pandas(values)
    except UnicodeEncodeError as error:
        raise half_error(error.object, label, None, name) from None
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        message = "the column contains values of several types"
        hint = "convert all of them to numbers or to texts"
        raise InputError(message, file=label, column=name, hint=hint) from None
    return found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([found])


def _shapes(label: str, name: str, values: Any) -> pa.Array:  # noqa: ANN401 -- a GeoSeries
    """Points of GeoPandas, or lines as WKB; null for missing ones."""
    kinds = set(values.geom_type.dropna())
    if kinds and kinds <= {"LineString", "MultiLineString"}:
        return pa.array(list(values.to_wkb(flavor="iso")), pa.binary())
    try:
        x, y = np.asarray(values.x, np.float64), np.asarray(values.y, np.float64)
    except ValueError:
        others = ", ".join(sorted(kinds - {"Point"}))
        message = f"some geometries are not points: {others}"
        raise InputError(message, file=label, column=name) from None
    return pa.StructArray.from_arrays([x, y], ["x", "y"], mask=pa.array(np.isnan(x)))


def _of_pandas(given: Any, label: str) -> Frame:  # noqa: ANN401 -- known by what it can do
    """Wrap a table of pandas, GeoPandas, or a library built on them."""
    names = [str(name) for name in given.columns]
    _check_names(names, label)
    levels = {
        str(name): place
        for place, name in enumerate(given.index.names)
        if name is not None and str(name) not in names
    }
    moments = str(getattr(given.index, "dtype", "")).startswith("datetime64")
    if moments and not levels and not set(NAMES["time"]) & set(names):
        levels = {_UNNAMED: 0}

    def column(name: str) -> pa.ChunkedArray:
        if name in levels:
            return _pandas_column(label, name, given.index.get_level_values(levels[name]))
        return _pandas_column(label, name, given.iloc[:, names.index(name)])

    geometry = getattr(given, "active_geometry_name", None)
    if geometry is None:
        geometry = getattr(given, "_geometry_column_name", None)
    said = {"geometry": str(geometry)} if str(geometry) in names else {}
    crs = getattr(given, "crs", None)
    if isinstance(crs, Mapping) and "init" in crs:  # attribute of scikit-mobility
        crs = crs["init"]
    return Frame(label, (*names, *levels), column, said, crs)


def _of_trajectories(given: Any, label: str) -> Frame:  # noqa: ANN401 -- of movingpandas
    """Wrap a trajectory of movingpandas, or a collection of them.

    Users are the moving objects; a trajectory without an object becomes a separate user, with a
    note.
    """
    import pandas as pd

    trajectories = list(getattr(given, "trajectories", [given]))
    if not trajectories:
        raise InputError("the collection contains no trajectory", file=label)
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
    note = f"{label} names no moving objects: each trajectory is read as a separate user"
    return replace(made, said=said, notes=() if named else (note,))


def listed(given: object) -> list[Any] | None:
    """A list of files; None if the object is not a list."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        return None
    return list(given)
