"""Whether a Dask scheduler is at an address, before anything is begun that could wait for ever."""

from __future__ import annotations

import socket
import struct
import time
from urllib.parse import urlsplit

from mixsafe.errors import InputError

TIMEOUT = 5.0
"""Seconds that a scheduler has to answer."""

_LENGTH = struct.Struct("<Q")  # what Dask sends first, at both ends: bytes of its greeting
_LONGEST = 1 << 16  # bytes of a greeting, by far


def check_reached(address: str, timeout: float = TIMEOUT) -> None:
    """Refuse an address at which no Dask scheduler answers.

    Parameters
    ----------
    address
        ``host:port``, with ``tcp://`` or another scheme before it; of other schemes than that one
        only the connection is tried.
    timeout
        Seconds that the scheduler has to answer.

    Raises
    ------
    InputError
        Says what came of it.
    """
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    try:
        port = parts.port
    except ValueError:
        port = None
    if parts.hostname is None or not port:
        raise InputError(f"'{address}' is not an address", hint="write it as tcp://10.0.0.1:8786")
    try:
        with socket.create_connection((parts.hostname, port), timeout) as connection:
            greeted = parts.scheme != "tcp" or _greets(connection, timeout)
    except OSError as error:
        why = "it does not answer" if isinstance(error, TimeoutError) else error.strerror or error
        raise _nobody(address, str(why).lower()) from None
    if not greeted:
        raise _nobody(address, "what answers is something else")


def _greets(connection: socket.socket, timeout: float) -> bool:
    """Whether the other end speaks first, as Dask does."""
    end, said = time.monotonic() + timeout, b""
    while len(said) < _LENGTH.size:
        connection.settimeout(max(end - time.monotonic(), 0.01))
        more = connection.recv(_LENGTH.size - len(said))
        if not more:
            return False
        said += more
    return 0 < int(_LENGTH.unpack(said)[0]) < _LONGEST


def _nobody(address: str, why: str) -> InputError:
    """The error for an address without a scheduler."""
    return InputError(
        f"no Dask scheduler at {address}: {why}",
        hint="check that it runs and that this machine can reach it",
    )
