"""The table of docs/scale.md about a cluster: what does not fit into one of its workers.

    python benchmarks/cluster.py metro.parquet --workers 4 --worker-memory 2GiB

Verifies the file in one process that is ended when it takes more than a worker may, in one process
that may take what it needs, and on a local cluster of such workers. Says how long each took, how
much memory each process had resident at most, and whether the tables are the same, byte for byte.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from mixsafe.machinery.memory import parse_memory

TOOL = str(Path(sys.executable).with_name("mixsafe"))

ENDED = 0.95
"""Of a worker's memory, at which Dask ends it."""

_GLANCE = 0.1  # seconds between looks at the processes


class Sizes(NamedTuple):
    """Most memory that a process had resident, bytes: all of it, and without mapped files."""

    all: int
    own: int


class Course(NamedTuple):
    """How a run went: its exit status (None: ended for its memory), seconds, and its processes."""

    status: int | None
    seconds: float
    program: Sizes
    workers: list[Sizes]


def run(command: list[str], limit: int | None = None) -> Course:
    """Run a command and look at its processes; end it when it takes more than a limit."""
    began, sizes = time.monotonic(), dict[int, Sizes]()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    status: int | None
    while (status := process.poll()) is None:
        for pid in below(process.pid):
            found, before = resident(pid), sizes.get(pid, Sizes(0, 0))
            sizes[pid] = Sizes(max(found.all, before.all), max(found.own, before.own))
        if limit is not None and sizes.get(process.pid, Sizes(0, 0)).all > limit:
            process.kill()
            process.wait()
            break
        time.sleep(_GLANCE)
    program = sizes.pop(process.pid, Sizes(0, 0))
    return Course(status, time.monotonic() - began, program, sorted(sizes.values(), reverse=True))


def below(pid: int) -> list[int]:
    """A process and all that it started."""
    try:  # any of its threads may have started some
        text = " ".join(one.read_text() for one in Path(f"/proc/{pid}/task").glob("*/children"))
    except OSError:
        return []
    return [pid, *(other for child in text.split() for other in below(int(child)))]


def resident(pid: int) -> Sizes:
    """Memory of a process."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return Sizes(0, 0)
    told = dict(line.split(":", 1) for line in status.splitlines() if line.startswith("Rss"))
    parts = {name: int(value.split()[0]) * 1024 for name, value in told.items()}
    return Sizes(sum(parts.values()), parts.get("RssAnon", 0))


def line(name: str, course: Course, largest: list[Sizes]) -> str:
    """A line of the table."""
    memory = ", ".join(f"{one.all / 2**30:.2f} ({one.own / 2**30:.2f})" for one in largest)
    end = "ended for its memory" if course.status is None else f"status {course.status}"
    return f"| {name} | {end} | {course.seconds:.0f} s | {memory} |"


def main() -> None:
    """Run all three."""
    given = argparse.ArgumentParser()
    given.add_argument("source", type=Path)
    given.add_argument("--workers", type=int, default=4)
    given.add_argument("--worker-memory", default="2GiB")
    given.add_argument("--memory-limit", default="600MB", help="for reading, of all runs")
    asked = given.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tables = [Path(folder) / name for name in ("capped.parquet", "one.parquet", "many.parquet")]
        base = [TOOL, "verify", str(asked.source), "--k", "3", "--quiet"]
        base += ["--memory-limit", asked.memory_limit, "--output"]
        limit = int(ENDED * parse_memory(asked.worker_memory))
        print("| run | end | wall | resident at most, GiB (without mapped files) |")
        capped = run([*base, str(tables[0])], limit)
        print(line("one process, capped", capped, [capped.program]), flush=True)
        one = run([*base, str(tables[1])])
        print(line("one process", one, [one.program]), flush=True)
        where = ["--cluster", f"local:{asked.workers}", "--worker-memory", asked.worker_memory]
        many = run([*base, str(tables[2]), *where])
        print(line("cluster: the program", many, [many.program]))
        print(line("cluster: its workers", many, many.workers[: asked.workers]))
        same = tables[1].read_bytes() == tables[2].read_bytes()
    print("the tables are the same" if same else "THE TABLES DIFFER")


if __name__ == "__main__":
    main()
