"""What a command costs: wall time, processor time, peak memory, by the system's own accounts."""

from __future__ import annotations

import contextlib
import os
import platform
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

PACKAGES = ("mixsafe", "numpy", "numba", "ortools", "pyarrow")


class Cost(NamedTuple):
    """What one run cost.

    Parameters
    ----------
    status
        Exit status.
    seconds
        Wall time, from the start of the process to its end.
    processor
        Seconds of processor time, workers included.
    peak
        Most memory that one of its processes had resident, MiB.
    stolen
        Seconds in which a core was wanted here, but the host of this virtual machine gave it to
        others: wall time is longer by up to that. 0 where the system does not say.
    """

    status: int
    seconds: float
    processor: float
    peak: float
    stolen: float


def measure(
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    *,
    with_children: bool = False,
) -> Cost:
    """Run a command, its output thrown away, and say what it cost.

    ``with_children``: whatever it started and left running is ended with it.
    """
    start, stolen = time.perf_counter(), _stolen()
    process = subprocess.Popen(
        list(command), stdout=subprocess.DEVNULL, env=environment, start_new_session=with_children
    )
    try:
        _, status, used = os.wait4(process.pid, 0)
    finally:
        if with_children:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 2**20 if sys.platform == "darwin" else 2**10
    stolen = _stolen() - stolen
    processor, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / unit
    return Cost(process.returncode, seconds, processor, peak, stolen)


_SORT = """
import sys, time
import numpy as np
numbers = np.random.default_rng(1).integers(0, 2**62, int(sys.argv[1]))
begin = time.perf_counter()
np.sort(numbers)
print(time.perf_counter() - begin)
"""


def least(source: Path, written: Sequence[Path]) -> dict[str, float]:
    """Seconds that the bytes of a command take alone, by the plainest programs of this machine.

    Reading the source is ``wc``, after ``gzip -dc`` if it is packed; sorting is NumPy's, of one
    64-bit number for each of its rows; writing is as many bytes as were written.
    """
    begin, file = time.perf_counter(), shlex.quote(str(source))
    packed = source.suffix in (".gz", ".tgz")
    command = f"gzip -dc {file} | wc" if packed else f"wc {file}"
    counted = subprocess.run(command, shell=True, stdout=subprocess.PIPE, text=True, check=True)
    read, rows = time.perf_counter() - begin, int(counted.stdout.split()[0])
    if source.suffix == ".parquet":  # which has no lines
        from pyarrow.parquet import ParquetFile

        rows = ParquetFile(source).metadata.num_rows
    # In a process of its own: what this one takes once counts as the peak of all that it starts.
    sort = [sys.executable, "-c", _SORT, str(rows)]
    ordered = float(subprocess.run(sort, stdout=subprocess.PIPE, text=True, check=True).stdout)
    begin = time.perf_counter()
    with tempfile.TemporaryFile() as copy:
        for result in written:
            copy.write(b"0" * result.stat().st_size)
    return {
        "read": read,
        "sort": ordered,
        "write": time.perf_counter() - begin,
    }


def machine() -> dict[str, Any]:
    """The machine without its name: processor, cores, memory, and versions of what is used."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    found: dict[str, Any] = {
        "processor": _processor(),
        "cores": cores,
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
    }
    if hasattr(os, "sysconf"):
        pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        found["memory_gib"] = round(pages / 2**30, 1)
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _stolen() -> float:
    """Seconds of all cores that the host has given to others since the system began."""
    accounts = Path("/proc/stat")
    if not accounts.exists():
        return 0.0
    times = accounts.read_text().split("\n", 1)[0].split()
    return int(times[8]) / os.sysconf("SC_CLK_TCK") if len(times) > 8 else 0.0


def _processor() -> str:
    """Model of the processor."""
    accounts = Path("/proc/cpuinfo")
    if accounts.exists():
        for line in accounts.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
