"""Files that are files, and can be read."""

from __future__ import annotations

import os
import stat

from mixsafe.errors import InputError, reason_of


def status_of(path: str | os.PathLike[str], handle: int | None = None) -> os.stat_result:
    """Status of a regular file, or of what was opened at its path.

    Raises
    ------
    InputError
        It does not exist, or is a folder, a pipe or a device.
    """
    try:
        found = os.stat(path if handle is None else handle)
    except OSError as error:
        raise cannot_read(path, error) from None
    if stat.S_ISREG(found.st_mode):
        return found
    what = "a folder" if stat.S_ISDIR(found.st_mode) else "a pipe or a device"
    raise InputError(f"this is {what}, not a file", file=path, hint="give a file")


def cannot_read(path: str | os.PathLike[str], error: OSError) -> InputError:
    """The error for a file that the system refuses to open."""
    reason = reason_of(error)
    hint = "check the path" if isinstance(error, FileNotFoundError) else None
    return InputError(f"cannot read: {reason}", file=path, hint=hint)
