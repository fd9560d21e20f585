"""A cluster of its own, as on other machines: a scheduler and workers that can be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from distributed import Future

from mixsafe.machinery.cluster.dask_executor import ClusterBlock, DaskExecutor

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
def once_done(blocks: int, strike: Callable[[], object]) -> Iterator[list[str]]:
    """Strike when so many blocks have been waited for, before the next one; these are noted."""
    done: list[str] = []
    waited = DaskExecutor._waited

    def noted(executor: DaskExecutor, future: Future[Any], block: ClusterBlock) -> bytes | None:
        found = waited(executor, future, block)
        done.append(block.name)
        if len(done) == blocks:
            strike()
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DaskExecutor, "_waited", noted)
        yield done
