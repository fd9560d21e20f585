"""The installed command: a process that does one thing, and ends as soon as that is done."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from contextlib import suppress
from typing import NoReturn

from mixsafe.own_process import claim
from mixsafe_cli.app import app


def run() -> NoReturn:
    """Run the command line, and end the process with its status.

    It ends without Python's clearing up. To take modules, tables and machine code apart, which the
    system takes back at once, needs 0.3 to 0.5 s, more than a small audit itself.
    """
    claim()
    try:
        app()
    except SystemExit as ended:
        status = ended.code
    if isinstance(status, int) and not _others_at_work():
        atexit._run_exitfuncs()  # folders that are for a while only, processes of pools
        with suppress(OSError, ValueError):  # told as ever, when Python ends
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    sys.exit(status)


def _others_at_work() -> bool:
    """Whether threads are at work that Python waits for when it ends."""
    here = threading.current_thread()
    return any(not (one is here or one.daemon) for one in threading.enumerate())
