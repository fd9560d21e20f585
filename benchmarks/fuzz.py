"""Does any command stumble over a file that is not what it should be? Changed files, by command.

    python benchmarks/fuzz.py --inputs 20000

Good files of all kinds and formats are changed: bytes, lines, cells, columns, values of JSON,
columns of Parquet, members of archives. A command reads each, in this process. It must answer or
refuse, in a line that names the file; no traceback, no "this is a bug", no part of an output left
behind, nothing that a terminal obeys, in bounded time and memory. A row of the table is a command
with the file that is changed. Exit status 1 if anything was found; the same seed finds the same.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.fuzz_cases import Case, derived_cases, simple_cases
from tests.fuzzed import emptied, fuzz_once


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
        (folder / "made").mkdir()
        cases = [*simple_cases(), *derived_cases(folder / "made")]
        cases = [one for one in cases if given.only in " ".join(one.words)]
        numbers = range(given.first, given.first + given.inputs)
        found = campaign(cases, folder / "run", numbers, given.seed, given.keep)
    return 1 if found else 0


def campaign(cases: list[Case], folder: Path, numbers: range, seed: int, keep: Path | None) -> int:
    """Run the cases in turns, print what became of them, and return how many flaws there are."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    flaws: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number in numbers:
        case = cases[number % len(cases)]
        random = np.random.default_rng((seed, number))
        name, content, outcome = fuzz_once(case, emptied(folder), random)
        label = " ".join([*case.words[: 1 + (case.words[0] in ("contest", "synthesize"))], name])
        counts[label]["refused" if outcome.status == 2 else "answered"] += 1
        for flaw in outcome.flaws:
            key = (label, f"{flaw}: {outcome.said.strip()[-160:]}")
            flaws[key].append(number)
            counts[label]["found"] += 1
            if keep is not None and len(flaws[key]) == 1:
                keep.mkdir(exist_ok=True)
                (keep / f"{number}-{Path(name).name}").write_bytes(content)
                print(f"{number}: {label}: {key[1]}", flush=True)
    print("| command and file | inputs | refused | answered | found |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for label, one in sorted(counts.items()):
        total = one["refused"] + one["answered"]
        print(f"| `{label}` | {total} | {one['refused']} | {one['answered']} | {one['found']} |")
    for (label, flaw), where in sorted(flaws.items()):
        print(f"{label}: {flaw} ({len(where)} times, first at input {where[0]})")
    return len(flaws)


if __name__ == "__main__":
    sys.exit(main())
