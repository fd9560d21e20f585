"""Time zones by name: IANA names, and fixed offsets such as ``+09:00``."""

from __future__ import annotations

import datetime as dt
import re
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mixsafe.errors import InputError

_OFFSET = re.compile(r"([+-])(\d\d):(\d\d)", re.ASCII)
_UTC = frozenset(
    {"UTC", "Z", "GMT", "Etc/UTC", "Etc/GMT", "Zulu", "+00:00", "-00:00", "+00", "utc"}
)


def zone_of(name: str) -> dt.tzinfo:
    """The time zone with a name.

    Parameters
    ----------
    name
        IANA name such as ``Europe/Berlin``, or a fixed offset such as ``+09:00``.

    Raises
    ------
    InputError
        The time zone is unknown.
    """
    offset = _OFFSET.fullmatch(name)
    if offset is not None and int(offset[2]) < 24 and int(offset[3]) < 60:
        minutes = int(offset[2]) * 60 + int(offset[3])
        return dt.timezone(dt.timedelta(minutes=-minutes if offset[1] == "-" else minutes), name)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        hint = "use an IANA name such as Europe/Berlin, or an offset such as +09:00"
        raise InputError(f"unknown time zone '{name}'", hint=hint) from None


def check_tz(name: str) -> str:
    """Return the name of a time zone if it exists.

    Raises
    ------
    InputError
        The time zone is unknown.
    """
    zone_of(name)
    return name


def usual_name(name: str) -> str:
    """The same zone by the name that mixsafe writes: ``UTC`` for all names of it."""
    offset = re.fullmatch(r"([+-]\d\d):?(\d\d)?", name, re.ASCII)
    if offset is not None:
        name = f"{offset[1]}:{offset[2] or '00'}"
    return "UTC" if name in _UTC else name


def offset_name(seconds: int) -> str:
    """Name of the zone with a fixed offset, in seconds east of Greenwich.

    Examples
    --------
    >>> offset_name(32400), offset_name(-12600), offset_name(0)
    ('+09:00', '-03:30', 'UTC')
    """
    if not seconds:
        return "UTC"
    hours, minutes = divmod(abs(seconds) // 60, 60)
    return f"{'-' if seconds < 0 else '+'}{hours:02}:{minutes:02}"
