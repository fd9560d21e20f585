"""Do the tests hold what must hold? Each small wrong change of the code must make one fail.

    python benchmarks/mutants.py                      # all of them: hours
    python benchmarks/mutants.py --only check/reached # those of some files
    python benchmarks/mutants.py --sample 100         # some of all, the same ones each time

`benchmarks/mutants.toml` says which tests should notice changes of which file, and
`benchmarks/harmless_mutants.toml` which changes nobody need notice, and why. Prints a table,
all survivors that are not in that list, and what is in it and no mutant any more; exit status 1 if
there are any.

Nothing is written to the code. Each mutant lives in a forked process of its own, in which imports
give it in place of the module, and Numba does not compile. What is known is kept in `--state`: a
run that was stopped goes on, and what was killed is asked again only when its file has changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import sys
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "cli"), str(ROOT / "benchmarks")]
os.environ.update(NUMBA_DISABLE_JIT="1", OPENBLAS_NUM_THREADS="1")

from mutant_process import BASELINE, Killer  # noqa: E402 - after what its imports must know
from mutation import Mutant, mutants  # noqa: E402

_LEAST, _FACTOR = 5, 3
"""Seconds of the processor for tests in any case, and how many times those without a mutant."""


def main() -> int:
    """Kill mutants, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=[""], help="files with these in their paths")
    parser.add_argument("--sample", type=int, help="so many mutants of all")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--state", type=Path, default=ROOT / "build" / "mutants.jsonl")
    parser.add_argument("--again", action="store_true", help="ask survivors again")
    asked = parser.parse_args()
    os.chdir(ROOT)
    memory = Memory(asked.state)
    files = [one for one in _files() if any(part in one.path for part in asked.only)]
    hunted = [Prey(one, mutant) for one in files for mutant in mutants(ROOT / one.path)]
    if asked.sample is not None:
        drawn = random.Random(asked.seed).sample(range(len(hunted)), min(asked.sample, len(hunted)))
        hunted = [hunted[number] for number in sorted(drawn)]
    left = [one for one in hunted if memory.fate(one, again=asked.again) is None]
    print(f"{len(hunted)} mutants, {len(hunted) - len(left)} known", file=sys.stderr, flush=True)
    _hunt(left, memory, asked.jobs)
    gone = _gone(files, hunted) if asked.sample is None else []
    return _report(files, hunted, memory, gone)


@dataclass(frozen=True)
class File:
    """A file, the tests that should notice its mutants, and which of these are harmless."""

    path: str
    tests: tuple[str, ...]
    harmless: dict[str, str]

    @property
    def module(self) -> str:
        """Dotted name."""
        return self.path.removesuffix(".py").replace("/", ".")


@dataclass(frozen=True)
class Prey:
    """A mutant of a file."""

    file: File
    mutant: Mutant


def _files() -> list[File]:
    """What ``mutants.toml`` and ``harmless_mutants.toml`` say."""
    folder = ROOT / "benchmarks"
    tests = tomllib.loads((folder / "mutants.toml").read_text(encoding="utf-8"))["tests"]
    harmless = tomllib.loads((folder / "harmless_mutants.toml").read_text(encoding="utf-8"))
    return [File(path, tuple(those), dict(harmless.get(path, {}))) for path, those in tests.items()]


@dataclass
class Memory:
    """What became of mutants, a line of JSON for each."""

    path: Path
    _known: dict[str, str] = field(default_factory=dict)
    _digests: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.path.exists():
            lines = self.path.read_text(encoding="utf-8").splitlines()
            self._known = dict(json.loads(line) for line in lines)

    def _key(self, prey: Prey) -> str:
        return f"{self._digest(prey.file.path)} {prey.file.path} {prey.mutant.name}"

    def _digest(self, path: str) -> str:
        if path not in self._digests:
            content = (ROOT / path).read_bytes()
            self._digests[path] = hashlib.sha256(content).hexdigest()[:12]
        return self._digests[path]

    def fate(self, prey: Prey, *, again: bool = False) -> str | None:
        """Killed, timeout, survived or harmless; None: not known."""
        if prey.mutant.name in prey.file.harmless:
            return "harmless"
        found = self._known.get(self._key(prey))
        return None if again and found == "survived" else found

    def note(self, prey: Prey, fate: str) -> None:
        """Keep what became of one."""
        self._known[self._key(prey)] = fate
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as out:
            out.write(json.dumps([self._key(prey), fate]) + "\n")


def _hunt(left: list[Prey], memory: Memory, jobs: int) -> None:
    """Ask the tests about each mutant, file after file."""
    killer = Killer()
    limits: dict[tuple[str, ...], int] = {}
    for tests in dict.fromkeys(one.file.tests for one in left):
        fate, seconds = killer.seconds(BASELINE, tests, 600)
        if fate != "survived":
            raise SystemExit(f"without any mutant, tests fail: {' '.join(tests)}")
        limits[tests] = max(_LEAST, round(_FACTOR * seconds))

    def ask(one: Prey) -> None:
        code = (one.file.module, compile(one.mutant.tree, one.file.path, "exec"))
        fate = killer.fate(code, one.file.tests, limits[one.file.tests])
        memory.note(one, fate)
        if fate == "survived":
            print(f"{one.file.path}:{one.mutant.line} {one.mutant.name}", flush=True)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(ask, left))


def _gone(files: list[File], hunted: list[Prey]) -> list[str]:
    """Harmless mutants that there are no more: the code has changed, and so may their numbers."""
    there = {(one.file.path, one.mutant.name) for one in hunted}
    named = ((file.path, name) for file in files for name in file.harmless)
    return [f"{path}: there is no more {name}" for path, name in named if (path, name) not in there]


def _report(files: list[File], hunted: list[Prey], memory: Memory, gone: list[str]) -> int:
    """Print what became of all, and which harmless ones are gone."""
    print("\n| file | mutants | killed | timeout | harmless | survived |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    total, survivors = Counter[str](), []
    fates = ("killed", "timeout", "harmless", "survived")
    for file in files:
        found = Counter(memory.fate(one) for one in hunted if one.file is file)
        if found:
            row = [found.total(), *(found[fate] for fate in fates)]
            print(f"| {file.path} | {' | '.join(map(str, row))} |")
            total.update({str(fate): n for fate, n in found.items()})
    print(f"| all | {total.total()} | {' | '.join(str(total[fate]) for fate in fates)} |")
    for one in hunted:
        if memory.fate(one) == "survived":
            survivors.append(f"{one.file.path}:{one.mutant.line} {one.mutant.name}")
    print("\n".join(["", *survivors, *gone]))
    return 1 if survivors or gone else 0


if __name__ == "__main__":
    sys.exit(main())
