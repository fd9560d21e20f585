"""Files of other programs that hold positions, but no table: what they are, and what to do.

To name a further kind, add how its first bytes look to ``_KINDS``; every reader of text asks here.
"""

from __future__ import annotations

import re
from typing import NamedTuple

TABLE = "write it as a table user_id,time,lat,lon with a row per fix"
"""What every reader takes."""


class Stranger(NamedTuple):
    """What a file is, and what to do with it."""

    message: str
    hint: str


_KINDS: tuple[tuple[bytes, Stranger], ...] = (
    (rb"PK\x03\x04", Stranger("this is a zip archive", "unpack it first")),
    (rb"BZh", Stranger("this is a bzip2 archive", "unpack it first")),
    (rb"\xfd7zXZ", Stranger("this is an xz archive", "unpack it first")),
    (
        rb"\s*<(?:\?xml|gpx|kml|TrainingCenterDatabase)\b",
        Stranger("this is XML, such as GPX, KML or TCX", TABLE),
    ),
)
_STRANGERS = tuple((re.compile(start, re.DOTALL), one) for start, one in _KINDS)


def stranger_of(head: bytes) -> Stranger | None:
    """What a file is, by its first bytes, if it is of another program; None: it may be ours.

    Parameters
    ----------
    head
        The first bytes, decompressed, without a byte order mark.
    """
    return next((one for pattern, one in _STRANGERS if pattern.match(head)), None)
