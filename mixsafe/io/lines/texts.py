"""Lines of fixes in texts: lists of JSON, WKT with a measure, temporal points of MobilityDB.

===========================================================  ======================================
text                                                         written by
===========================================================  ======================================
``[[x,y],[x,y]]``                                            the taxis of Porto (``POLYLINE``)
``[[x,y,z,t],[x,y,z,t]]``, ``[[x,y,t],[x,y,t]]``             kepler.gl, programs; t may be a text
``LINESTRING M (x y t, …)``, ``LINESTRING ZM (x y z t, …)``  PostGIS (trajectories)
``[POINT(x y)@t, POINT(x y)@t)``, ``{…}``, ``{[…],[…]}``     MobilityDB, also with points as WKB
===========================================================  ======================================

Texts are split all at once, without a loop over positions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.io.columns.points import points_of_texts
from mixsafe.io.files.arrays import flags, numbers
from mixsafe.io.lines.arrays import Lines, lines_of_numbers
from mixsafe.model.mobility.clock_numbers import are_unix_times
from mixsafe.model.numerals import DECIMAL

Ints = npt.NDArray[np.int64]

_SRID = r"(?:(?i:SRID)\s*=\s*[0-9]{1,9}\s*;\s*)?"
_INTERP = r"(?:(?i:INTERP)\s*=\s*[A-Za-z]+\s*;\s*)?"
_GEOJSON = r"(?:\{\s*\"type\"\s*:\s*\"LineString\"\s*,\s*\"coordinates\"\s*:\s*)?"
_NONE = r"(?i:NA|NAN|NULL|NONE)"
_POINT = r"(?:(?i:POINT)[^@|;,{}\[\]]*|0[01](?:[0-9A-Fa-f]{2}){20,40})"
_TIME = r"[^@|,;(){}\[\]]+"

_FIRST = {
    "json": rf"\s*{_GEOJSON}\[\s*\[\s*(?P<numbers>{DECIMAL}(?:\s*,\s*{DECIMAL})*)\s*\]",
    "wkt": rf"\s*{_SRID}(?i:(?:MULTI)?LINESTRING)\s*(?P<kind>(?i:ZM|Z|M))?\s*\(\s*\(?"
    rf"\s*(?P<numbers>{DECIMAL}(?:\s+{DECIMAL})*)\s*[,)]",
    "dated": rf"\s*{_GEOJSON}\[\s*\[(?:\s*{DECIMAL}\s*,){{2,3}}\s*\"",
    "mobility": rf"\s*{_SRID}{_INTERP}[\[({{\s]*{_POINT}\s*@",
}
"""How a text begins, up to its first position."""


@dataclass(frozen=True)
class LineForm:
    """A spelling of lines.

    Parameters
    ----------
    syntax
        ``json``, ``wkt``, ``dated`` (JSON with texts of times) or ``mobility``.
    shapes
        What lines may be, all positions of one alike: what WKT says of their numbers (a pattern),
        and how many further numbers follow the first (a number of repetitions of a pattern).
    timed
        True if the last number of a position is its time.
    """

    syntax: str
    shapes: tuple[tuple[str, str], ...]
    timed: bool

    @property
    def pattern(self) -> str:
        """Pattern of a whole text, which may also be empty."""
        between = r"\s+" if self.syntax == "wkt" else r"\s*,\s*"
        pattern = _WHOLE[self.syntax]
        lines = [
            pattern(rf"\s*(?i:{said})\s*", rf"{DECIMAL}(?:{between}{DECIMAL}){{{more}}}")
            for said, more in self.shapes
        ]
        return rf"^\s*(?:{'|'.join(lines)}|{_NONE})?\s*$"

    def lines(self, texts: pa.Array) -> Lines:
        """The lines of (n_rows,) texts; those that have another form are marked as wrong."""
        good = compute.match_substring_regex(texts, self.pattern).fill_null(True)
        wrong = ~flags(good)
        if wrong.any():
            texts = compute.if_else(good, texts, None)
        texts = texts.cast(pa.large_string()).fill_null("")
        split = {"mobility": _of_mobility, "dated": _of_dated}.get(self.syntax, self._of_numbers)
        found = split(texts)
        wrong = wrong if found.wrong is None else wrong | found.wrong
        return found._replace(wrong=wrong, srid=(*_srids(texts), *found.srid))

    def _of_numbers(self, texts: pa.Array) -> Lines:
        """Lines of JSON or WKT: from the first bracket on, there are only numbers."""
        bracket, mark = ("[", "[") if self.syntax == "json" else ("(", ",")
        if _any(texts, rf"^[^{bracket}]"):
            texts = compute.replace_substring_regex(texts, rf"^[^{bracket}]*", "")
        found, sizes = _pieces(texts, b"[](){}, \t\r\n")
        marks = numbers(compute.count_substring(texts, mark)).astype(np.int64)
        counts = np.where(sizes == 0, 0, marks - 1 if mark == "[" else marks + 1)
        axes = np.repeat(sizes // np.maximum(counts, 1), counts)
        return lines_of_numbers(counts, axes, numbers(found.cast(pa.float64())), timed=self.timed)


def form_of_text(text: str) -> LineForm | None:
    """The form of a text, by its first position; None: it is no line."""
    for syntax, first in _FIRST.items():
        found = re.match(first, text)
        if found is not None and syntax in ("dated", "mobility"):
            return LineForm(syntax, (("", "1,2"),), True)
        if found is not None:
            values = [float(one) for one in re.findall(DECIMAL, found["numbers"])]
            kind = (found.groupdict().get("kind") or "").upper()
            if not 2 <= len(values) <= 4 or (kind and len(kind) != len(values) - 2):
                return None
            return _form(syntax, kind, values)
    return None


def _form(syntax: str, kind: str, values: list[float]) -> LineForm:
    """The form of lines whose first position has these numbers."""
    if len(values) == 4 or kind == "M":
        shapes = [("(?:ZM)?", "3")] + ([("M", "2")] if syntax == "wkt" else [])
        return LineForm(syntax, tuple(shapes), True)
    # A third number is an elevation, unless it can only be a time.
    if len(values) == 3 and are_unix_times(np.array(values[2:])):
        return LineForm(syntax, (("Z?", "2"),), True)
    return LineForm(syntax, (("", "1"), ("Z?", "2")), False)


def times_in_texts(texts: pa.Array) -> tuple[pa.Array, Ints] | None:
    """Times of (n_rows,) lists of JSON or PostgreSQL, and how many each has; None: no lists."""
    if not _any(texts, r"^\s*[\[{]"):
        return None
    lists = compute.replace_substring_regex(texts.fill_null(""), r'[\s"]*[\[\]{},][\s"]*', ",")
    return _pieces(lists.cast(pa.large_string()), b",")


def _some(one: str) -> str:
    return rf"{one}(?:\s*,\s*{one})*"


def _json(_: str, position: str) -> str:
    one = rf"\[\s*{position}\s*\]"
    return rf"{_GEOJSON}\[\s*(?:{_some(one)}\s*)?\]\s*\}}?"


def _wkt(said: str, position: str) -> str:
    line = rf"\(\s*{_some(position)}\s*\)"
    empty = r"(?i:\s*(?:ZM|Z|M)?\s*EMPTY)"
    one = rf"(?i:LINESTRING)(?:{said}{line}|{empty})"
    several = rf"(?i:MULTILINESTRING)(?:{said}\(\s*{_some(line)}\s*\)|{empty})"
    return rf"{_SRID}(?:{one}|{several})"


def _dated(_: str, position: str) -> str:
    return _json(_, rf'{position}\s*,\s*"[^"@|]+"')


def _mobility(_: str, position: str) -> str:
    one = rf"{_POINT}\s*@{_TIME}"
    part = rf"[\[(]\s*{_some(one)}\s*[\])]"
    several = rf"\{{\s*(?:{_some(one)}|{_some(part)})\s*\}}"
    return rf"{_SRID}{_INTERP}(?:{one}|{part}|{several})"


_WHOLE = {"json": _json, "wkt": _wkt, "dated": _dated, "mobility": _mobility}
"""Patterns of lines, by what is said of positions and what these look like."""


def _of_mobility(texts: pa.Array) -> Lines:
    """Lines of MobilityDB: points, as WKT or hexadecimal WKB, and texts of times alternate."""
    counts, point, time = _alternating(
        texts,
        (rf"[\s,(){{}}\[\]]*({_POINT})\s*@", r"|\1@"),
        (r"^[^|]*", ""),
        (r"[\s\])}]+$", ""),
    )
    (y, x, srid), bad = points_of_texts(point)
    wrong = np.zeros(len(texts), bool)
    wrong[np.repeat(np.arange(len(texts)), counts)[bad]] = True
    return Lines(counts, x, y, time, wrong, tuple(np.unique(srid[srid > 0]).tolist()))


def _of_dated(texts: pa.Array) -> Lines:
    """Lines of JSON with texts of times: these and numbers alternate."""
    counts, position, time = _alternating(
        texts,
        (r'\s*,\s*"([^"]*)"\s*\]', r"@\1|"),
        (r"^[^@]*$|[^|]*$", ""),
        (r"^[^\[]*", ""),
    )
    found, axes = _pieces(position, b"[], \t\r\n")
    values = numbers(found.cast(pa.float64()))
    return lines_of_numbers(counts, axes, values, timed=False)._replace(time=time)


def _alternating(texts: pa.Array, *steps: tuple[str, str]) -> tuple[Ints, pa.Array, pa.Array]:
    """How many pairs each text has, and both pieces of each pair.

    Parameters
    ----------
    steps
        Patterns, and what replaces them, after which pieces stand between ``@`` and ``|``.
    """
    for pattern, then in steps:
        texts = compute.replace_substring_regex(texts, pattern, then)
    found, sizes = _pieces(texts, b"|@")
    first, second = (found.take(pa.array(np.arange(at, len(found), 2))) for at in (0, 1))
    return sizes // 2, first, compute.utf8_trim_whitespace(second)


def _pieces(texts: pa.Array, marks: bytes) -> tuple[pa.Array, Ints]:
    """What is between marks, in order, and how many pieces each text has.

    Parameters
    ----------
    texts
        (n_rows,) large strings without nulls, each of which begins or ends with a mark.
    marks
        Bytes that separate pieces.
    """
    if not len(texts):
        return texts, np.zeros(0, np.int64)
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    content = np.frombuffer(data or b"", np.uint8)[ends[0] : ends[-1]]
    of_piece = np.ones(256, bool)
    of_piece[np.frombuffer(marks, np.uint8)] = False
    part = np.zeros(len(content) + 2, bool)
    part[1:-1] = of_piece[content]
    edge = np.flatnonzero(part[1:] != part[:-1])
    first, last = edge[::2], edge[1::2]
    where = np.concatenate([[0], np.cumsum(last - first)])
    kept = content[part[1:-1]]
    buffers = [None, pa.py_buffer(where), pa.py_buffer(kept)]
    found = pa.Array.from_buffers(pa.large_string(), len(first), buffers)
    return found, np.diff(np.searchsorted(first, ends - ends[0]))


def _any(texts: pa.Array, pattern: str) -> bool:
    """True if one of the texts matches a pattern."""
    found = compute.any(compute.match_substring_regex(texts, pattern), min_count=0)
    return bool(found.as_py())


def _srids(texts: pa.Array) -> tuple[int, ...]:
    """SRIDs that texts state."""
    if not _any(texts, r"^\s*(?i:SRID)"):
        return ()
    found = compute.extract_regex(texts, r"^\s*(?i:SRID)\s*=\s*(?P<srid>[0-9]+)")
    stated = compute.struct_field(found, "srid").drop_null().unique()
    return tuple(int(one) for one in stated.to_pylist())
