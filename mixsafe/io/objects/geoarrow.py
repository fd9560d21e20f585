"""Columns of Arrow tables in the types that readers expect, including GeoArrow points."""

from __future__ import annotations

import json

import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError

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
