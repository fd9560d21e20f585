"""A cluster of its own, as on other machines: a scheduler and workers that can be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PROGRAM = """
import logging, os, sys
from distributed import LocalCluster
if __name__ == "__main__":
    workers, threads, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.chdir(folder)
    logging.disable(logging.CRITICAL)
    cluster = LocalCluster(
        n_workers=workers, threads_per_worker=threads, dashboard_address="127.0.0.1:0",
        host="127.0.0.1", silence_logs=logging.CRITICAL,
    )
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
"""


@contextmanager
def elsewhere(
    folder: Path, workers: int = 1, threads: int = 1
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Address of a scheduler, and its process; its workers run in ``folder``."""
    program = folder / "cluster_elsewhere.py"
    program.write_text(PROGRAM)
    process = subprocess.Popen(
        [sys.executable, str(program), str(workers), str(threads), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    try:
        yield process.stdout.readline().strip(), process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdin.close()
        process.stdout.close()


@contextmanager
def when_there_are(blocks: int, folder: Path, strike: Callable[[], object]) -> Iterator[list[int]]:
    """Strike as soon as there are so many blocks in a folder; how many there were is noted."""
    struck: list[int] = []
    over = threading.Event()

    def watch() -> None:
        while not over.is_set():
            found = len(list(folder.glob("block-*")))
            if found >= blocks:
                struck.append(found)
                strike()
                return
            time.sleep(0.01)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield struck
    finally:
        over.set()
        thread.join()
