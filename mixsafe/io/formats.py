"""Registry of source formats: how each is recognized and read, and what it contains.

To add a format, write a reader and a function that recognizes such files, and register both::

    from mixsafe.io.formats import FORMATS, Format

    def read(path, columns, tz):
        from mixsafe.model.mobility.traces import Traces
        ...
        return Traces(…)

    FORMATS.register(Format("mine", "tracks of my receiver", "traces",
                            lambda sniffed: sniffed.head.startswith(b"MINE"), read))

Every command that takes a SOURCE then reads such files, and ``--format mine`` selects the format.
The format registered last is tried first; ``table`` is tried last, and reports what is wrong with a
file of no known format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mixsafe.io.files.sniffing import Sniffed
from mixsafe.model.choices import Choices

if TYPE_CHECKING:
    from mixsafe.io.columns.fixes import Fixes
    from mixsafe.io.columns.row_rules import RowRules
    from mixsafe.io.files.table_form import TableForm
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
        (:class:`mixsafe.io.columns.row_rules.RowRules`) and ``form``
        (:class:`mixsafe.io.files.table_form.TableForm`).
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


def _is_cabspotting(sniffed: Sniffed) -> bool:
    return (sniffed.folder and not sniffed.tables) or sniffed.archive


def _read_cabspotting(
    path: Path, columns: Columns, tz: str | None, rules: RowRules | None = None
) -> Source:
    from mixsafe.io.traces.cabspotting import read_cabspotting

    return read_cabspotting(path, tz=tz, rules=rules)


def _is_geojson(sniffed: Sniffed) -> bool:
    head = sniffed.unpacked.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not head.startswith(b"{") or b'"FeatureCollection"' not in head:
        return False
    return bool(sniffed.text)  # refuses what only contains collections, such as trips of MDS


def _geojson_pieces(
    path: Path,
    columns: Columns,
    tz: str | None,
    rows: int | None,
    crs: object = None,
    rules: RowRules | None = None,
) -> Iterator[Fixes]:
    from mixsafe.io.objects.geojson import features_frame
    from mixsafe.io.objects.trace_adapters import fixes_of_frame

    yield fixes_of_frame(features_frame(path), columns, tz, crs, rules)


def _is_geopackage(sniffed: Sniffed) -> bool:
    return sniffed.head.startswith(b"SQLite format 3\0")


def _geopackage_pieces(
    path: Path,
    columns: Columns,
    tz: str | None,
    rows: int | None,
    crs: object = None,
    rules: RowRules | None = None,
) -> Iterator[Fixes]:
    from mixsafe.io.objects.geopackage import layer_frame
    from mixsafe.io.objects.trace_adapters import fixes_of_frame

    yield fixes_of_frame(layer_frame(path), columns, tz, crs, rules)


FORMATS: Choices[Format] = Choices(
    "format",
    _in_pieces(
        "table",
        "users, times and coordinates in CSV or Parquet",
        _is_table,
        _table_pieces,
        *("columns", "tz", "crs", "rules", "form"),
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
    _in_pieces(
        "geojson",
        "points in GeoJSON, users and times as properties",
        _is_geojson,
        _geojson_pieces,
        *("columns", "tz", "crs", "rules"),
    ),
    _in_pieces(
        "geopackage",
        "points in a GeoPackage",
        _is_geopackage,
        _geopackage_pieces,
        *("columns", "tz", "crs", "rules"),
    ),
)
"""All formats; the last one is tried first."""
