"""FlatGeobuf and shapefiles, read by GDAL.

GDAL opens whatever a name leads to: other files, web addresses, archives. So the content is
recognized before, and GDAL gets a copy in a folder of its own, whose name has the ending of the
format. What it warns of is refused: it goes on with what it made of a damaged file.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePath

from mixsafe.errors import InputError, MixsafeError
from mixsafe.io.files.content import SHAPEFILE, head_of, reading, size_of, with_parts
from mixsafe.io.objects.frames import Frame, arrow_frame
from mixsafe.io.objects.trace_adapters import copy
from mixsafe.machinery.spill.memory import check_fits
from mixsafe.machinery.temporary_files import scratch_folder

_TIMES = 8
"""Memory that a file takes while it is read, times its size."""


def vector_frame(path: Path) -> Frame:
    """Read the features of a file as a table: their fields, and geometries as WKB.

    Raises
    ------
    InputError
        The file is damaged, or GDAL is not installed.
    """
    try:
        import pyogrio.raw
    except ModuleNotFoundError:
        message = "FlatGeobuf and shapefiles need pyogrio"
        raise InputError(message, file=path, hint="pip install pyogrio") from None
    with _copied(path) as whole, _by_gdal(path):
        stated = pyogrio.read_info(whole, force_feature_count=True)["features"]
        about, table = pyogrio.raw.read_arrow(whole, datetime_as_string=True)
        table.validate(full=True)
        if len(table) != stated:
            raise ValueError(f"{len(table):,} of {stated:,} features can be read")
    name = about["geometry_name"] or "wkb_geometry"
    said = {"geometry": name} if name in table.column_names else {}
    return replace(arrow_frame(table, os.fspath(path)), said=said, crs=about["crs"])


@contextmanager
def _copied(path: Path) -> Iterator[Path]:
    """A copy of the file, with the files beside a shapefile.

    Raises
    ------
    InputError
        It cannot be read, or does not fit into memory.
    """
    main, *beside = with_parts(path)
    ending = ".shp" if head_of(path).startswith(SHAPEFILE) else ".fgb"
    files = {ending: main} | {one.suffix.lower(): one for one in beside}
    check_fits(path, _TIMES * sum(map(size_of, files.values())))
    with scratch_folder("vector") as folder:
        for suffix, one in files.items():
            with reading(one) as file:
                copy(file, folder / f"layer{suffix}", os.fspath(one))
        yield folder / f"layer{ending}"


def _check_quiet(warned: Sequence[warnings.WarningMessage]) -> None:
    """Raise the first warning.

    Raises
    ------
    Warning
        There is one.
    """
    for one in warned:
        raise one.message if isinstance(one.message, Warning) else RuntimeWarning(one.message)


@contextmanager
def _by_gdal(path: Path) -> Iterator[None]:
    """Refuse what GDAL cannot read, or warns of, in one line.

    Raises
    ------
    InputError
        Names the file.
    """
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            warnings.filterwarnings("ignore", r"Measured \(M\)")  # of the type of the layer alone
            yield
        _check_quiet(warned)
    except (MixsafeError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 -- GDAL, Arrow and pyogrio raise what they like
        reason = str(error).partition("\n")[0].partition(";")[0].rstrip(".")
        if isinstance(error, IndexError):  # of pyogrio's list of layers
            reason = "no layer"
        words = (PurePath(one.strip("':,")).name if "/" in one else one for one in reason.split())
        message = f"GDAL cannot read the file: {' '.join(words)}"
        raise InputError(message, file=path) from None
