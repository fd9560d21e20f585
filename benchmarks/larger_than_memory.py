"""DuckDB and Polars at what extraction asks of them, for docs/scale.md: sort far more than fits.

    python benchmarks/larger_than_memory.py FOLDER [duckdb] [polars] [--rows 10000000] [--limit MB]

``pip install duckdb polars`` first. Rows of user, step and place in no order, in one Parquet file
below FOLDER, are written again in order of step, place and user. Each library does that in a
process of its own, with two threads and a limit of memory (MB); wall time, the largest resident
size, and the most that lay on disk meanwhile are printed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

BLOCK = 1 << 20
KEYS = ("step", "place", "user")


def make(path: Path, rows: int) -> None:
    """Write the rows: a million users, 96 steps, places of which some are crowded."""
    random = np.random.default_rng(0)
    schema = pa.schema([("user", pa.int32()), ("step", pa.int32()), ("place", pa.int64())])
    with parquet.ParquetWriter(path, schema) as writer:
        for begin in range(0, rows, BLOCK):
            size = min(BLOCK, rows - begin)
            columns = [
                random.integers(0, 1_000_000, size, np.int32),
                random.integers(1, 97, size, np.int32),
                (random.random(size) ** 3 * 4_000_000).astype(np.int64),
            ]
            writer.write_table(pa.table(columns, schema=schema))


def with_duckdb(source: Path, target: Path, limit: int, folder: str) -> None:
    """Sort with DuckDB."""
    import duckdb

    config = {"memory_limit": f"{limit}MB", "threads": 2, "temp_directory": folder}
    with duckdb.connect(config=config) as base:
        base.execute(
            f"COPY (SELECT * FROM '{source}' ORDER BY {', '.join(KEYS)}) TO '{target}'"
            " (FORMAT parquet)"
        )


def with_polars(source: Path, target: Path, limit: int, folder: str) -> None:
    """Sort with Polars, which reads when it is loaded that it shall spill."""
    os.environ |= {
        "POLARS_MAX_THREADS": "2",
        "POLARS_OOC_MEMORY_BUDGET_MB": str(limit),
        "POLARS_OOC_SPILL_DIR": folder,
        "POLARS_TEMP_DIR": folder,
    }
    import polars

    polars.scan_parquet(source).sort(*KEYS).sink_parquet(target, engine="streaming")


def used(folder: str) -> int:
    """Bytes of the files below a folder, those that vanish meanwhile not counted."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(Path(place) / name).st_blocks * 512
            except FileNotFoundError:
                continue
    return total


def measured(name: str, source: Path, limit: int) -> None:
    """Let a library sort in a process of its own, and print what it took."""
    with tempfile.TemporaryDirectory(dir=source.parent) as folder:
        target, most, done = source.with_suffix(f".{name}.parquet"), [0], threading.Event()

        def watch() -> None:
            while not done.wait(0.2):
                most[0] = max(most[0], used(folder))

        watcher = threading.Thread(target=watch)
        watcher.start()
        began = time.monotonic()
        words = [sys.executable, __file__, str(source), "--run", name, str(target), folder]
        run = subprocess.run([*words, "--limit", str(limit)], check=False)
        seconds = time.monotonic() - began
        done.set()
        watcher.join()
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6
        print(
            f"{name}: exit {run.returncode}, {seconds:.1f} s, peak {peak:.0f} MB,"
            f" on disk {most[0] / 1e6:.0f} MB, result {digest(target)}",
            flush=True,
        )
        target.unlink(missing_ok=True)


def digest(path: Path) -> str:
    """What the rows of a table are, in short."""
    if not path.exists():
        return "none"
    made = hashlib.sha256()
    for batch in parquet.ParquetFile(path).iter_batches(BLOCK, columns=list(KEYS)):
        for column in batch.columns:
            made.update(np.ascontiguousarray(column.to_numpy(), np.int64).data)
    return made.hexdigest()[:12]


def main() -> None:
    """Compare those that are named; each is measured in a run of this program of its own."""
    words = argparse.ArgumentParser()
    words.add_argument("folder", type=Path)
    words.add_argument("names", nargs="*", default=["duckdb", "polars"])
    words.add_argument("--rows", type=int, default=100_000_000)
    words.add_argument("--limit", type=int, default=1000)
    words.add_argument("--run", nargs=3)
    said = words.parse_args()
    if said.run:
        name, target, folder = said.run
        sort = {"duckdb": with_duckdb, "polars": with_polars}[name]
        sort(said.folder, Path(target), said.limit, folder)
        return
    source = said.folder / f"rows_{said.rows}.parquet"
    if not source.exists():
        make(source, said.rows)
    for name in said.names:
        if len(said.names) > 1:  # the largest resident size is that of all children so far
            words_again = [sys.executable, __file__, str(said.folder), name]
            words_again += ["--rows", str(said.rows), "--limit", str(said.limit)]
            subprocess.run(words_again, check=True)
        else:
            measured(name, source, said.limit)


if __name__ == "__main__":
    main()
