"""Does any command stumble over a file that is not what it should be? Changed files, by command.

    python benchmarks/fuzz.py --inputs 20000

Good files of all kinds and formats are changed: bytes, lines, cells, columns, values of JSON,
columns of Parquet, members of archives. A command reads each, in a process that does many of them,
one after the other. It must answer or refuse, in a line that names the file; no traceback, no "this
is a bug", no part of an output left behind, nothing that a terminal obeys, in bounded time and
memory. A process that does not answer in time is ended, and one that dies is replaced: both are
flaws of the input at which it happened. A row of the table is a command with the file that is
changed. Exit status 1 if anything was found; the same seed finds the same.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mixsafe.compare import putting
from mixsafe.compare.isolated import Ended
from tests.fuzz_cases import Case, derived_cases, simple_cases
from tests.fuzz_further_cases import asking_cases, geographic_cases, result_cases
from tests.fuzzed import Outcome, emptied, fuzz_once, run_once, written

PATIENCE = 60.0
"""Seconds of a processor after which a process that is silent is ended; first inputs compile."""

WAITING = 1800.0
"""Seconds on a clock after which it is, for it may wait for something that never comes."""

OF_A_PROCESS = 1000
"""Inputs, after which another one goes on."""

GONE = -9
"""Status of an input whose process had to be given up."""

Made = TypeVar("Made")

Told = tuple[int, str, bytes, Outcome]
"""Number of an input, its file, what was in it, and what became of it."""


def main() -> int:
    """Run the campaign and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="cases whose words contain this")
    parser.add_argument("--keep", type=Path, help="folder for inputs at which something was found")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--gigabytes", type=int, default=8, help="of address space, at most")
    given = parser.parse_args()
    # An input that asks for all memory there is must fail, and not the machine.
    resource.setrlimit(resource.RLIMIT_AS, (given.gigabytes << 30,) * 2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = [one for one in all_cases(folder) if given.only in " ".join(one.words)]
        apart(check_good, cases, folder / "good")
        numbers = range(given.first, given.first + given.inputs)
        found = Found(cases, given.keep)
        began = time.monotonic()
        for told in outcomes(cases, folder / "run", numbers, given.seed):
            found.add(*told)
            if sum(found.counts.values()) % 1000 == 0:
                done = sum(found.counts.values())
                print(f"{done} inputs, {time.monotonic() - began:.0f} s", flush=True)
        found.show()
    return 1 if found.flaws else 0


def all_cases(folder: Path) -> list[Case]:
    """All commands with their files; some are written by other commands first, in a process."""
    for name in ("of results", "of commands", "of places"):
        (folder / name).mkdir()
    return [
        *simple_cases(),
        *asking_cases(),
        *geographic_cases(folder / "of places"),
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
    putting.run_alone = _run_here
    for case in cases:
        written(case, emptied(folder))
        outcome = run_once(case, case.changed[0], folder)
        if outcome.status not in (0, 1, 3) or outcome.flaws:
            raise ValueError(f"{' '.join(case.words)}: {outcome}")


def outcomes(cases: list[Case], folder: Path, numbers: range, seed: int) -> Iterator[Told]:
    """What becomes of each input, in order."""
    context = multiprocessing.get_context("fork")
    while numbers:
        here, there = context.Pipe(duplex=False)
        part = numbers[:OF_A_PROCESS]
        process = context.Process(target=_run, args=(there, cases, folder, part, seed))
        process.start()
        there.close()
        done = 0
        while done < len(part):
            told, done = _told(here, process.pid, part[done]), done + 1
            yield told
            if told[3].status == GONE:
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
    return number, "", b"", Outcome(GONE, (why,), "")


def _used(pid: int | None) -> float:
    """Seconds of processors that a process has used."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _run(tell: Connection, cases: list[Case], folder: Path, numbers: range, seed: int) -> None:
    """Do some inputs, and tell what became of each."""
    putting.run_alone = _run_here
    for number in numbers:
        random = np.random.default_rng((seed, number))
        tell.send((number, *fuzz_once(cases[number % len(cases)], emptied(folder), random)))


def _run_here(call: Callable[[], Any], seconds: float, **how: object) -> Ended:
    """A run of ``compare`` without a process of its own, which takes seconds to start."""
    return Ended("returned", call(), 0.1, 0.1, 1.0)


@dataclass
class Found:
    """What became of all inputs so far.

    Parameters
    ----------
    cases
        In turns: input i is one of case i modulo their number.
    keep
        Folder for inputs at which something was found; None: they are not kept.
    """

    cases: list[Case]
    keep: Path | None = None
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    flaws: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, number: int, name: str, content: bytes, outcome: Outcome) -> None:
        """One more; flaws are told at once."""
        words = self.cases[number % len(self.cases)].words
        command = " ".join(words[: 1 + (words[0] in ("contest", "synthesize"))])
        label = f"{command} {Path(name).name if '/' in name else name}"
        self.counts[label, "refused" if outcome.status == 2 else "answered"] += 1
        for flaw in outcome.flaws:
            key = (label, f"{flaw}: {outcome.said.strip()[-160:]}")
            self.flaws[key].append(number)
            if len(self.flaws[key]) == 1:
                print(f"{number}: {label}: {key[1]}", flush=True)
                self._keep(number, name, content)

    def _keep(self, number: int, name: str, content: bytes) -> None:
        if self.keep is not None:
            self.keep.mkdir(exist_ok=True)
            (self.keep / f"{number}-{Path(name).name}").write_bytes(content)

    def show(self) -> None:
        """The table, and all flaws."""
        print("| command and file | inputs | refused | answered |")
        print("| --- | ---: | ---: | ---: |")
        for label in sorted({label for label, _ in self.counts}):
            refused, answered = (self.counts[label, one] for one in ("refused", "answered"))
            print(f"| `{label}` | {refused + answered} | {refused} | {answered} |")
        for (label, flaw), where in sorted(self.flaws.items()):
            print(f"{label}: {flaw} ({len(where)} times, first at input {where[0]})")


if __name__ == "__main__":
    sys.exit(main())
