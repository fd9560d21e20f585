"""The memory limit of a run."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

from mixsafe.errors import InputError

SMALLEST = 600_000_000
"""Bytes; the least that was kept where it was measured (docs/scale.md): Python, its libraries and
one piece of the data take most of it."""

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY_UNITS = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_AMOUNT = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)

_UNKNOWN = 8 * 2**30
"""Bytes that a machine is taken to have that does not say it."""

_GROUPS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""Files with the memory limit of a container on Linux."""


def parse_memory(text: str) -> int:
    """Bytes of an amount of memory.

    Parameters
    ----------
    text
        A number and a unit: ``2GB`` (2 * 10**9 bytes), ``1.5 GiB`` (1.5 * 2**30), ``800M``.

    Raises
    ------
    InputError
        It is no amount, or less than a run needs in any case.
    """
    found = _AMOUNT.fullmatch(text)
    if found is None or (found[3] and not found[2]):
        raise InputError(f"'{text}' is not an amount of memory", hint="write it as 2GB or 800MiB")
    unit = found[2].lower()
    amount = int(float(found[1]) * (_BINARY_UNITS if found[3] else _UNITS)[unit])
    if amount < SMALLEST:
        raise InputError(
            f"a memory limit of {text.strip()} is too small",
            hint=f"give {SMALLEST // 10**6}MB or more",
        )
    return amount


def default_memory() -> int:
    """Half of the memory of the machine or the container, in bytes."""
    return max(_machine_memory() // 2, SMALLEST)


@cache
def _machine_memory() -> int:
    """Memory that is there, bytes; the system is asked once, not for each file of a folder."""
    try:
        installed = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows has no such question
        installed = _UNKNOWN
    return min([installed, *_allowed()])


def _allowed() -> list[int]:
    """The memory limit of the container, if there is one."""
    found = []
    for path in _GROUPS:
        try:
            found.append(int(path.read_text()))
        except (OSError, ValueError):  # not there, or "max"
            continue
    return found


def check_fits(path: str | os.PathLike[str], needed: int) -> None:
    """Refuse input that needs more memory than a run may use, before reading it.

    Parameters
    ----------
    needed
        Bytes.

    Raises
    ------
    InputError
        States the memory needed.
    """
    most = default_memory()
    if needed > most:
        raise InputError(
            f"reading it takes {needed / 1e9:,.1f} GB of memory, more than half of the machine's"
            f" ({most / 1e9:,.1f} GB)",
            file=path,
            hint="use a machine with more memory",
        )
