"""One call in a separate process with a hard time limit, and its use of time and memory."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Literal

from mixsafe.errors import MixsafeError
from mixsafe.machinery.background import spawn_context

STARTING = 300.0
"""Seconds that a process may take to load and warm up."""


@dataclass(frozen=True)
class Ended:
    """The outcome of a call.

    Parameters
    ----------
    how
        ``returned``; ``killed``: the limit passed and it was still running; ``died``: the process
        went away by itself, out of memory for one.
    value
        What it returned; None otherwise.
    seconds, cpu_seconds
        Wall time, and time of processors that it used, from the call on (loading and compiling are
        not counted). The limit and None where it did not return.
    memory_mb
        Peak resident memory of the process, MiB; None where it did not return.
    note
        Why it did not return; empty where it did.
    """

    how: Literal["returned", "killed", "died"]
    value: Any
    seconds: float
    cpu_seconds: float | None = None
    memory_mb: float | None = None
    note: str = ""


def run_alone(
    call: Callable[[], Any],
    seconds: float,
    *,
    grace: float,
    warm_up: Callable[[], object] | None = None,
) -> Ended:
    """Run a call in a new process, and end that process at the limit, whatever it is doing.

    Parameters
    ----------
    call
        What to run; it and what it returns can be pickled.
    seconds
        Limit of time, > 0. The call should know it, and end by itself.
    grace
        Seconds after the limit at which it is ended from outside, >= 0.
    warm_up
        Run before the clock starts, so that compiled code is there.

    Raises
    ------
    MixsafeError
        The call raised an error, or the process did not get so far as to call.
    """
    context = spawn_context(call, warm_up)
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(there, call, warm_up))
    process.start()
    there.close()
    try:
        if not here.poll(STARTING):
            raise MixsafeError(f"a process did not start within {STARTING:.0f} s")
        here.recv()
        if not here.poll(seconds + grace):
            return Ended("killed", None, seconds, note="ended from outside at the limit")
        return _read(here.recv())
    except (EOFError, ConnectionError):
        process.join()
        why = f"its process ended by itself, with exit status {process.exitcode}"
        return Ended("died", None, seconds, note=why)
    finally:
        end_process(process.pid)
        process.join()
        here.close()


def _read(message: tuple[str, Any]) -> Ended:
    """The last message of a process."""
    kind, content = message
    if kind == "error":
        raise MixsafeError(f"an engine failed: {content}")
    return Ended("returned", *content)


def end_process(pid: int | None) -> None:
    """End a process, and those that it started: they are one group."""
    if pid is None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg") and os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGTERM)


def _work(
    answer: Connection, call: Callable[[], Any], warm_up: Callable[[], object] | None
) -> None:
    """Run in the new process: warm up, say so, call, and send what came of it."""
    if hasattr(os, "setsid"):
        os.setsid()
    try:
        if warm_up is not None:
            warm_up()
        answer.send("ready")
        began, used = time.monotonic(), _cpu_seconds()
        value = call()
        taken = time.monotonic() - began
        answer.send(("value", (value, taken, _cpu_seconds() - used, _peak_memory())))
    except Exception as error:  # noqa: BLE001 -- the parent raises it again
        answer.send(("error", f"{type(error).__name__}: {error}"))


def _cpu_seconds() -> float:
    """Processor time of this process and of its ended children, seconds."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def _peak_memory() -> float | None:
    """Peak resident memory of this process, MiB; None where that cannot be found out.

    On Linux, what ``getrusage`` says goes on from the parent process, so it is not asked there.
    """
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError), open("/proc/self/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / 1024.0
        return None
    if sys.platform == "win32":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024.0**2 if sys.platform == "darwin" else 1024.0)
