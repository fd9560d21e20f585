"""Does any command stumble over a file that is not what it should be? Changed files, by command.

    python benchmarks/fuzz.py --inputs 20000 --counts counts.jsonl

Good files of all kinds and formats are changed: bytes, lines, cells, columns, values of JSON,
columns of Parquet, members of archives. A command reads each, in a process that does many of them,
one after the other. It must answer or refuse, in a line that names the file; no traceback, no "this
is a bug", no part of an output left behind, nothing that a terminal obeys, in bounded time and
memory. A process that does not answer in time is ended, and one that dies is replaced: both are
flaws of the input at which it happened. A row of the first table is a command with the file that is
changed, one of the second a kind of change. A run that was ended goes on where ``--counts`` says
what was done. Exit status 1 if anything was found; the same seed finds the same.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.fuzz_counts import Counts, keep, kept
from mixsafe.compare import engine_runs
from mixsafe.compare.isolated import Ended
from tests.support.fuzz_cases import Case, derived_cases, simple_cases
from tests.support.fuzz_further_cases import (
    asking_cases,
    feed_cases,
    geographic_cases,
    result_cases,
)
from tests.support.fuzz_people_cases import people_cases
from tests.support.fuzzed import Fuzzed, Outcome, emptied, fuzz_once, run_once, written

PATIENCE = 60.0
"""Seconds of a processor after which a process that is silent is ended; first inputs compile."""

WAITING = 1800.0
"""Seconds on a clock after which it is, for it may wait for something that never comes."""

STRETCH = 100
"""Inputs whose counts are told, and kept, together."""

OF_A_PROCESS = 10
"""Stretches, after which another process goes on."""

GONE = -9
"""Status of an input whose process had to be given up."""

Made = TypeVar("Made")

Told = tuple[int, float, Fuzzed]
"""Number of an input, seconds of a processor that it took, and what became of it."""


def main() -> int:
    """Run the campaign and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="cases whose words contain this")
    parser.add_argument("--keep", type=Path, help="folder for inputs at which something was found")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--gigabytes", type=int, default=8, help="of address space, at most")
    parser.add_argument("--workers", type=int, default=1, help="processes side by side")
    parser.add_argument(
        "--counts", type=Path, help="file for counts; what is in it is not done again"
    )
    given = parser.parse_args()
    # An input that asks for all memory there is must fail, and not the machine.
    resource.setrlimit(resource.RLIMIT_AS, (given.gigabytes << 30,) * 2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = [one for one in all_cases(folder) if given.only in " ".join(one.words)]
        apart(check_good, cases, folder / "good")
        found = campaign(Campaign(cases, folder, given.seed, given.keep, given.counts), given)
    print("\n".join(found.table()))
    return 1 if found.flaws else 0


@dataclass(frozen=True)
class Campaign:
    """What all inputs share.

    Parameters
    ----------
    cases
        In turns: input i is one of case i modulo their number.
    folder
        Where the commands run.
    seed
        Of the changes.
    keep
        Folder for inputs at which something was found; None: they are not kept.
    counts
        File for the counts of each stretch; None: there is none.
    """

    cases: list[Case]
    folder: Path
    seed: int
    keep: Path | None
    counts: Path | None


def campaign(shared: Campaign, given: argparse.Namespace) -> Counts:
    """Do all inputs that were not done before; what became of them, and of those."""
    end, found = given.first + given.inputs, Counts()
    before = {} if shared.counts is None else kept(shared.counts)
    left = []
    for first in range(given.first, end, STRETCH):
        stretch = range(first, min(first + STRETCH, end))
        done = before.get((shared.seed, first, len(stretch)))
        if done is None:
            left.append(stretch)
        else:
            found.take(done)
    rounds = [left[at : at + OF_A_PROCESS] for at in range(0, len(left), OF_A_PROCESS)]
    with ProcessPoolExecutor(given.workers, multiprocessing.get_context("fork")) as pool:
        for one in pool.map(partial(_stretches, shared), rounds):
            found.take(one)
    return found


def _stretches(shared: Campaign, stretches: list[range]) -> Counts:
    """Some stretches, one after the other; each is told, and kept, when it is done."""
    folder = shared.folder / f"run-{stretches[0].start}"
    told = outcomes(
        shared.cases, folder, [number for one in stretches for number in one], shared.seed
    )
    found = Counts()
    for stretch in stretches:
        here, began = Counts(), time.monotonic()
        for number, used, done in islice(told, len(stretch)):
            here.seconds += used
            flaws = here.add(number, shared.cases[number % len(shared.cases)].words, done)
            print("".join(f"{flaw}\n" for flaw in flaws), end="", flush=True)
            if flaws and shared.keep is not None:
                shared.keep.mkdir(exist_ok=True)
                (shared.keep / f"{number}-{Path(done.name).name}").write_bytes(done.content)
        if shared.counts is not None:
            keep(shared.counts, (shared.seed, stretch.start, len(stretch)), here)
        wall = time.monotonic() - began
        print(
            f"{stretch.start} to {stretch.stop - 1}: {here.seconds:.1f} s of a processor, "
            f"{wall:.0f} s",
            flush=True,
        )
        found.take(here)
    return found


def all_cases(folder: Path) -> list[Case]:
    """All commands with their files; some are written by other commands first, in a process."""
    for name in ("of results", "of commands", "of places"):
        (folder / name).mkdir()
    return [
        *simple_cases(),
        *asking_cases(),
        *feed_cases(),
        *geographic_cases(folder / "of places"),
        *people_cases(folder / "of places"),
        *apart(derived_cases, folder / "of commands"),
        *apart(result_cases, folder / "of results"),
    ]


def apart(call: Callable[..., Made], *given: object) -> Made:
    """What another process makes: this one forks others, and keeps to one thread."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        return pool.submit(call, *given).result()


def check_good(cases: list[Case], folder: Path) -> None:
    """See that each command answers before its files are changed.

    Raises
    ------
    ValueError
        One does not.
    """
    engine_runs.run_alone = _run_here
    for case in cases:
        written(case, emptied(folder))
        outcome = run_once(case, case.changed[0], folder)
        if outcome.flaws:  # the first one compiles what it needs
            written(case, emptied(folder))
            outcome = run_once(case, case.changed[0], folder)
        if outcome.status not in (0, 1, 3, 4) or outcome.flaws:
            raise ValueError(f"{' '.join(case.words)}: {outcome}")


def outcomes(cases: list[Case], folder: Path, numbers: list[int], seed: int) -> Iterator[Told]:
    """What becomes of each input, in order."""
    context = multiprocessing.get_context("fork")
    while numbers:
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=_run, args=(there, cases, folder, numbers, seed))
        process.start()
        there.close()
        done = 0
        while done < len(numbers):
            told, done = _told(here, process.pid, numbers[done]), done + 1
            yield told
            if told[2].outcome.status == GONE:
                break
        process.kill()
        process.join()
        numbers = numbers[done:]


def _told(here: Connection, pid: int | None, number: int) -> Told:
    """What became of an input; also where the process is silent, or dead."""
    began, used = time.monotonic(), _used(pid)
    why = "does not end"
    while time.monotonic() - began < WAITING and _used(pid) - used < PATIENCE:
        if not here.poll(5.0):
            continue
        try:
            told: Told = here.recv()
        except EOFError:
            why = "ends the process"
            break
        return told
    return number, _used(pid) - used, Fuzzed("", "", b"", Outcome(GONE, (why,), ""))


def _used(pid: int | None) -> float:
    """Seconds of processors that a process has used."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _run(tell: Connection, cases: list[Case], folder: Path, numbers: list[int], seed: int) -> None:
    """Do some inputs, and tell what became of each."""
    engine_runs.run_alone = _run_here
    for number in numbers:
        random = np.random.default_rng((seed, number))
        began = time.process_time()
        done = fuzz_once(cases[number % len(cases)], emptied(folder), random)
        tell.send((number, time.process_time() - began, done))


def _run_here(call: Callable[[], Any], seconds: float, **how: object) -> Ended:
    """A run of ``compare`` without a process of its own, which takes seconds to start."""
    return Ended("returned", call(), 0.1, 0.1, 1.0)


if __name__ == "__main__":
    sys.exit(main())
