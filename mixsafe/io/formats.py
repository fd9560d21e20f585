"""Registry of source formats: how each is recognized and read, and what it contains.

To add a format, write a reader and a function that recognizes such files, and register both::

    from mixsafe.io.formats import FORMATS, Format

    def read(path, columns, tz):
        from mixsafe.model.mobility.traces import Traces
        ...
        return Traces(…)

    mine = Format("mine", "tracks of my receiver", "traces",
                  lambda sniffed: sniffed.head.startswith(b"MINE"), read)
    with FORMATS.registered(mine):
        ...

In the block every command that takes a SOURCE reads such files, and ``--format mine`` selects the
format. The format registered last is tried first; ``table`` is tried last, and reports what is
wrong with a file of no known format.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mixsafe.errors import InputError
from mixsafe.io.exports.kinds import is_google, is_gtfs_realtime, is_mds, is_owntracks, is_records
from mixsafe.io.files.sniffing import Sniffed
from mixsafe.model.choices import Choices

if TYPE_CHECKING:
    from mixsafe.io.columns.fixes import Fixes
    from mixsafe.io.columns.row_rules import RowRules
    from mixsafe.io.files.table_form import TableForm
    from mixsafe.io.objects.frames import Frame
    from mixsafe.model.mobility.traces import Traces
    from mixsafe.model.question.mix_zones import MixZones
    from mixsafe.model.question.problem import Problem

    Source = Traces | MixZones | list[Problem]
    Columns = Mapping[str, str] | None

Yields = Literal["traces", "zones", "problems"]


@dataclass(frozen=True)
class Format:
    """A source format.

    Parameters
    ----------
    name
        Its name for ``--format``.
    about
        Short description.
    yields
        Content: ``traces``, mix ``zones``, or ``problems``, which include the adversary's knowledge
        and the requirements.
    recognizes
        Returns True if a source has this format.
    read
        Reads a source, given its path, column names by meaning, and the time zone of days. It
        imports its dependencies when called.
    takes
        Further options that the format accepts: ``columns``, ``tz``; as keyword arguments of
        ``read`` and ``pieces``, ``crs``, ``rules``
        (:class:`mixsafe.io.columns.row_rules.RowRules`) and, if it takes a ``header``, ``files`` or
        a ``layer``, ``form`` (:class:`mixsafe.io.files.table_form.TableForm`).
    pieces
        Reads traces in batches, for files larger than memory and for several files: as ``read``,
        with the number of rows per batch (None: whole files). None: the format supports only one
        file, read at once.
    """

    name: str
    about: str
    yields: Yields
    recognizes: Callable[[Sniffed], bool]
    read: Callable[..., Source]
    takes: frozenset[str] = frozenset()
    pieces: Callable[..., Iterator[Fixes]] | None = None


def _is_table(sniffed: Sniffed) -> bool:
    """True if the columns are those of traces; otherwise raises the reason."""
    from mixsafe.io.traces.table import layout_of_file

    layout_of_file(sniffed.path, plane=True, form=sniffed.form)
    return True


def _in_pieces(
    name: str,
    about: str,
    recognizes: Callable[[Sniffed], bool],
    pieces: Callable[..., Iterator[Fixes]],
    *takes: str,
) -> Format:
    """A format of traces that is read in batches, or as one batch."""

    def read(path: Path, columns: Columns, tz: str | None, **more: Any) -> Traces:
        from mixsafe.io.columns.fixes import traces_of
        from mixsafe.io.columns.row_rules import within_limits

        parts = pieces(path, columns, tz, None, **more)
        return traces_of(within_limits(parts, more.get("rules"), path))

    return Format(name, about, "traces", recognizes, read, frozenset(takes), pieces)


def _of_frames(
    name: str,
    about: str,
    recognizes: Callable[[Sniffed], bool],
    frame: Callable[..., Frame],
    *takes: str,
    personal: bool = False,
) -> Format:
    """A format whose files are read as tables in memory: one file, or those of a folder.

    Parameters
    ----------
    recognizes
        Returns True if a file has this format; it is not asked about folders.
    frame
        Reads a file, given its path, and ``layer`` as a keyword argument if the format takes it.
    takes
        Further options than ``columns``, ``tz``, ``crs``, ``rules`` and ``files``.
    personal
        True if a file is one person's own export: her name is that of the file, if no column names
        users (:func:`mixsafe.io.objects.frame_files.owned`).
    """

    def holds(sniffed: Sniffed) -> bool:
        return any(_is_one(recognizes, one, sniffed) for one in sniffed.files)

    def pieces(
        path: Path, columns: Columns, tz: str | None, rows: int | None, **more: Any
    ) -> Iterator[Fixes]:
        from mixsafe.io.objects.frame_files import FrameFiles

        files = FrameFiles(name, recognizes, frame, "layer" in takes, personal)
        return files.fixes(path, columns, tz, **more)

    every = ("columns", "tz", "crs", "rules", "files", *takes)
    return _in_pieces(name, about, holds, pieces, *every)


def _is_one(recognizes: Callable[[Sniffed], bool], file: Sniffed, whole: Sniffed) -> bool:
    """Whether a file has a format; what is no text or empty in a folder has none."""
    if file is whole:
        return recognizes(file)
    with suppress(InputError):
        return recognizes(file)
    return False


def _table_pieces(
    path: Path,
    columns: Columns,
    tz: str | None,
    rows: int | None,
    crs: object = None,
    rules: RowRules | None = None,
    form: TableForm | None = None,
) -> Iterator[Fixes]:
    from mixsafe.io.files.table_form import TableForm
    from mixsafe.io.traces.table import table_fixes

    return table_fixes(path, columns, tz, rows, crs, rules, form or TableForm())


def _is_contest(sniffed: Sniffed) -> bool:
    from mixsafe.io.traces.table import CONTEST

    return set(sniffed.header) == set(CONTEST)


def _contest_pieces(
    path: Path,
    columns: Columns,
    tz: str | None,
    rows: int | None,
    rules: RowRules | None = None,
) -> Iterator[Fixes]:
    from mixsafe.io.traces.table import table_fixes

    fixed = {"time_id": "time_id", "reg_id": "reg_id"}
    return table_fixes(path, fixed, None, rows, rules=rules)


def _is_humob(sniffed: Sniffed) -> bool:
    from mixsafe.io.traces.humob import COLUMNS

    return sniffed.header == COLUMNS


def _humob_pieces(
    path: Path, columns: Columns, tz: str | None, rows: int | None
) -> Iterator[Fixes]:
    from mixsafe.io.traces.humob import humob_fixes

    return humob_fixes(path, rows)


def _is_zones(sniffed: Sniffed) -> bool:
    from mixsafe.io.problems.zone_table import COLUMNS

    return not sniffed.folder and set(COLUMNS) <= set(sniffed.header)


def _read_zones(path: Path, columns: Columns, tz: str | None) -> Source:
    from mixsafe.io.problems.zone_table import read_zones

    return read_zones(path)


def _is_problem(sniffed: Sniffed) -> bool:
    return sniffed.text.lstrip()[:1] in (b"{", b"[")


def _read_problem(path: Path, columns: Columns, tz: str | None) -> Source:
    from mixsafe.io.problems.problem import read_problems

    return read_problems(path)


def _records_frame(path: Path) -> Frame:
    from mixsafe.io.exports.records import records_frame

    return records_frame(path)


def _mds_frame(path: Path) -> Frame:
    from mixsafe.io.exports.mds import mds_frame

    return mds_frame(path)


def _gtfs_realtime_frame(path: Path) -> Frame:
    from mixsafe.io.exports.gtfs_realtime import gtfs_realtime_frame

    return gtfs_realtime_frame(path)


def _owntracks_frame(path: Path) -> Frame:
    from mixsafe.io.exports.owntracks import owntracks_frame

    return owntracks_frame(path)


def _google_frame(path: Path) -> Frame:
    from mixsafe.io.exports.google import google_frame

    return google_frame(path)


def _is_cabspotting(sniffed: Sniffed) -> bool:
    return (sniffed.folder and not sniffed.tables) or sniffed.archive


def _read_cabspotting(
    path: Path, columns: Columns, tz: str | None, rules: RowRules | None = None
) -> Source:
    from mixsafe.io.traces.cabspotting import read_cabspotting

    return read_cabspotting(path, tz=tz, rules=rules)


def _is_geojson(sniffed: Sniffed) -> bool:
    head = sniffed.unpacked.removeprefix(b"\xef\xbb\xbf").lstrip(b"\x1e \t\r\n")
    if not head.startswith(b"{") or not re.search(b'"Feature(Collection)?"', head):
        return False
    return bool(sniffed.text)  # refuses what only contains collections, such as trips of MDS


def _geojson_frame(path: Path) -> Frame:
    from mixsafe.io.objects.geojson import features_frame

    return features_frame(path)


def _is_of_root(name: str) -> Callable[[Sniffed], bool]:
    """Recognizes XML by its first element."""

    def recognizes(sniffed: Sniffed) -> bool:
        head = sniffed.unpacked
        if b"<" not in head[:64]:
            return False
        from mixsafe.io.objects.xml_tracks import root_of

        return root_of(head) == name

    return recognizes


def _tracks_frame(path: Path) -> Frame:
    from mixsafe.io.objects.xml_tracks import tracks_frame

    return tracks_frame(path)


def _is_geopackage(sniffed: Sniffed) -> bool:
    return sniffed.head.startswith(b"SQLite format 3\0")


def _geopackage_frame(path: Path, layer: str | None = None) -> Frame:
    from mixsafe.io.objects.geopackage import layer_frame

    return layer_frame(path, layer)


def _is_vector(sniffed: Sniffed) -> bool:
    from mixsafe.io.files.content import FLATGEOBUF, SHAPEFILE

    return sniffed.head.startswith((FLATGEOBUF, SHAPEFILE))


def _vector_frame(path: Path) -> Frame:
    from mixsafe.io.objects.vector_files import vector_frame

    return vector_frame(path)


FORMATS: Choices[Format] = Choices(
    "format",
    _in_pieces(
        "table",
        "users, times and coordinates in CSV or Parquet",
        _is_table,
        _table_pieces,
        *("columns", "tz", "crs", "rules", "header", "files"),
    ),
    _in_pieces("contest", "user_id,time_id,reg_id", _is_contest, _contest_pieces, "rules"),
    _in_pieces("humob", "uid,d,t,x,y of HuMob", _is_humob, _humob_pieces),
    Format("zones", "mix zones in CSV or Parquet", "zones", _is_zones, _read_zones),
    Format("problem", "problems in JSON", "problems", _is_problem, _read_problem),
    Format(
        "cabspotting",
        "the archive of cabs, or its folder",
        "traces",
        _is_cabspotting,
        _read_cabspotting,
        frozenset({"tz", "rules"}),
    ),
    _of_frames("records", "records in JSON, a list or one per line", is_records, _records_frame),
    _of_frames(
        "geojson", "points in GeoJSON, users and times as properties", _is_geojson, _geojson_frame
    ),
    _of_frames("geopackage", "points in a GeoPackage", _is_geopackage, _geopackage_frame, "layer"),
    _of_frames("vector", "points in FlatGeobuf or a shapefile", _is_vector, _vector_frame),
    _of_frames(
        "gpx", "tracks of a phone or a watch", _is_of_root("gpx"), _tracks_frame, personal=True
    ),
    _of_frames(
        "kml", "tracks and points with times", _is_of_root("kml"), _tracks_frame, personal=True
    ),
    _of_frames(
        "tcx",
        "activities of Garmin",
        _is_of_root("TrainingCenterDatabase"),
        _tracks_frame,
        personal=True,
    ),
    _of_frames("mds", "trips and telemetry of MDS in JSON", is_mds, _mds_frame),
    _of_frames(
        "gtfs-realtime",
        "vehicle positions of GTFS Realtime in JSON",
        is_gtfs_realtime,
        _gtfs_realtime_frame,
    ),
    _of_frames(
        "owntracks",
        "recordings of OwnTracks, .rec or JSON",
        is_owntracks,
        _owntracks_frame,
        personal=True,
    ),
    _of_frames(
        "google",
        "location history of Google: Records.json, Timeline.json",
        is_google,
        _google_frame,
        personal=True,
    ),
)
"""All formats; the last one is tried first."""
