"""What a newcomer waits for: the README's first command, and the same once more.

    python benchmarks/first_run.py --runs 5
    python benchmarks/first_run.py --runs 5 --checkout ../older-checkout

Each run has a fresh environment and a fresh copy of the checkout's files under version control, so
that nothing is compiled before it: no bytecode, and none of Numba's. What is measured is the
command itself, not its installation. One line of a table comes out, and the runs below it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import measure

COMMAND = ("verify", "--k", "3")
LATER = 3
"""Runs after the first one, of which the median counts."""


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--checkout", type=Path, default=Path(__file__).resolve().parent.parent)
    given = parser.parse_args()
    runs = []
    for number in range(given.runs):
        runs.append(one_run(given.checkout.resolve()))
        print(f"run {number + 1}: first {told(runs[-1][:1])}, later {told(runs[-1][1:])}")
    first = [costs[0] for costs in runs]
    later = [cost for costs in runs for cost in costs[1:]]
    print("\n| run | wall, s | from, to | processor, s |\n| --- | ---: | --- | ---: |")
    for name, costs in (("first", first), ("later", later)):
        seconds = [cost.seconds for cost in costs]
        processor = median(cost.processor for cost in costs)
        print(
            f"| {name} | {median(seconds):.2f} | {min(seconds):.2f} to {max(seconds):.2f} |"
            f" {processor:.2f} |"
        )


def one_run(checkout: Path) -> list[measure.Cost]:
    """What the first command and later ones cost in an environment of their own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "source"
        source.mkdir()
        packed = subprocess.run(
            ["git", "archive", "HEAD"], cwd=checkout, capture_output=True, check=True
        )
        subprocess.run(["tar", "-x"], cwd=source, input=packed.stdout, check=True)
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        subprocess.run([programs / "pip", "install", "--quiet", source], check=True)
        # Where a user's caches would be: nothing that was compiled elsewhere may help.
        environment = {**os.environ, "HOME": name, "XDG_CACHE_HOME": str(folder / "cache")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [str(programs / "mixsafe"), *COMMAND]
        return [measure.measure(command, environment) for _ in range(1 + LATER)]


def told(costs: list[measure.Cost]) -> str:
    """Seconds of some runs."""
    return ", ".join(f"{cost.seconds:.2f} s" for cost in costs)


if __name__ == "__main__":
    main()
