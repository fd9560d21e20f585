"""Zip archives: what their members take is known before they are read."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable

from mixsafe.errors import InputError
from mixsafe.machinery.spill.memory import check_fits

_BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Methods whose members zipfile unpacks as far as is asked for; of others a block at once, of
which a kilobyte holds gigabytes."""


def check_members(path: str | os.PathLike[str], members: Iterable[zipfile.ZipInfo]) -> int:
    """Bytes that members of an archive unpack to; each of them is read as a whole.

    Raises
    ------
    InputError
        A member is encrypted, packed with another method than deflate, or larger than memory.
    """
    size = 0
    for one in members:
        if one.flag_bits & 1 or one.compress_type not in _BOUNDED:
            message = f"{one.filename} is encrypted, or not packed with deflate"
            raise InputError(message, file=path, hint="unpack it")
        check_fits(path, 2 * one.file_size)  # packed and unpacked, or as text
        size += one.file_size
    return size
