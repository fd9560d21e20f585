"""How the cost of one city grows with people, time, sightings and k, for docs/scale.md.

    python benchmarks/growth.py measure growth.jsonl --users 1000 10000 30000 100000 300000 1000000
    python benchmarks/growth.py measure growth.jsonl --users 30000 --steps 24 48 192
    python benchmarks/growth.py measure growth.jsonl --users 30000 --k 2 5 10 20
    python benchmarks/growth.py measure growth.jsonl --users 30000 --sightings 2 4 8 16
    python benchmarks/growth.py table growth.jsonl
    python benchmarks/growth.py picture growth.jsonl docs/figures/growth.svg

``measure`` makes each city (``mixsafe synthesize metro``), runs ``mixsafe verify`` on its Parquet
file, and adds a line to the results: what that cost, from the file to the written table, and what
was decided. Sightings of each person are at the ends of days (``--adversary daily``) of so many
steps that these are as many as asked; engine ``bounds`` decides these, because ``auto`` would
search as long as it may. ``table`` prints the medians of all runs and the exponents, ``picture``
draws them. An exponent is the slope of a line through the logarithms, by least squares (SciPy).
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import measure
import numpy as np
from page import read
from verify import mixsafe

SEED, ENDS = 1, 2
"""Seed of the cities; sightings of a person who is seen at both ends alone."""

COSTS = {"processor": "processor, s", "peak_gb": "peak, GB"}
"""What is drawn: wall time depends on what else the machine does."""


class Size(NamedTuple):
    """What a run was about; the defaults are those of the curves' other sizes.

    Parameters
    ----------
    users, steps
        People and steps of the city.
    sightings
        Of each person.
    k
        Candidates that are asked for.
    engine
        Of the command.
    """

    users: int
    steps: int = 96
    sightings: int = ENDS
    k: int = 3
    engine: str = "auto"


AXES = {
    "users": "people, {steps} steps",
    "steps": "steps, {users:,} people",
    "sightings": "sightings of each person, {users:,} people, engine bounds",
    "k": "k, {users:,} people",
}
"""What each panel is about."""

Runs = dict[Size, list[dict[str, Any]]]


def run(size: Size) -> dict[str, Any]:
    """Make a city and decide it; what deciding cost, from its file to the table."""
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as folder:
        source, table = Path(folder) / "metro.parquet", Path(folder) / "wires.parquet"
        city = ["--users", str(size.users), "--steps", str(size.steps), "--seed", str(SEED)]
        made = measure.measure([mixsafe(), "synthesize", "metro", *city, "-o", str(source), "-q"])
        asked = ["--k", str(size.k), "--engine", size.engine, "-q", "-o", str(table)]
        if size.engine != "auto":
            day = size.steps * ENDS // size.sightings
            asked += ["--adversary", "daily", "--steps-per-day", str(day)]
        cost = measure.measure([mixsafe(), "verify", str(source), *asked])
        if made.status or cost.status not in (0, 1, 3, 4):
            raise SystemExit(f"{size}: status {made.status}, {cost.status}")
        counts = pq.read_table(table, columns=["verdict"])["verdict"].value_counts().to_pylist()
    verdicts = {entry["values"]: entry["counts"] for entry in counts}
    return {
        **size._asdict(),
        "wires": sum(verdicts.values()),
        "undecided": verdicts.get("undecided", 0),
        "seconds": round(cost.seconds, 1),
        "processor": round(cost.processor, 1),
        "stolen": round(cost.stolen, 1),
        "peak_gb": round(cost.peak * 2**20 / 1e9, 2),
        "machine": measure.machine(),
    }


def add(results: Path, line: dict[str, Any]) -> None:
    """Write a line at the end of the results."""
    with results.open("a") as file:
        file.write(json.dumps(line) + "\n")


def known(results: Path) -> Runs:
    """The runs of each size."""
    found: Runs = defaultdict(list)
    for line in read(results):
        found[Size(*(line[field] for field in Size._fields))].append(line)
    return found


def curves(runs: Runs) -> dict[str, list[Size]]:
    """By each field, the runs that differ from the usual size in this one alone.

    Usual are the number of people that was tried most, and the defaults.
    """
    tried = [size.users for size in runs]
    usual = Size(max(sorted(set(tried)), key=tried.count))
    found = {}
    for field in ("users", "steps", "sightings", "k"):
        engine = "bounds" if field == "sightings" else usual.engine
        alike = usual._replace(engine=engine)
        found[field] = sorted(
            size for size in runs if size._replace(**{field: getattr(alike, field)}) == alike
        )
    return found


def middle(runs: Sequence[dict[str, Any]], what: str) -> float:
    """Median of a figure."""
    return median(line[what] for line in runs)


def exponent(x: Sequence[float], y: Sequence[float]) -> float:
    """The power of ``x`` with which ``y`` grows."""
    from scipy.stats import linregress

    return float(linregress(np.log(x), np.log(y)).slope)


def exponents(runs: Runs) -> dict[tuple[str, str], float]:
    """By what, and of which cost."""
    found = {}
    for by, sizes in curves(runs).items():
        if len(sizes) > 2:
            for what in COSTS:
                costs = [middle(runs[size], what) for size in sizes]
                found[by, what] = exponent([getattr(size, by) for size in sizes], costs)
    return found


def table(runs: Runs) -> None:
    """Print the medians and the exponents."""
    head = ("people", "steps", "sightings", "k", "engine", "wires", "undecided")
    print(f"| {' | '.join((*head, *COSTS.values(), 'wall, s', 'runs'))} |")
    print("|" + " ---: |" * (len(head) + len(COSTS) + 2))
    for size, lines in sorted(runs.items()):
        costs = [f"{middle(lines, what):,.{2 if what == 'peak_gb' else 1}f}" for what in COSTS]
        counts = [f"{lines[-1][what]:,}" for what in ("wires", "undecided")]
        wall = f"{middle(lines, 'seconds'):.1f}"
        cells = [f"{size.users:,}", *map(str, size[1:]), *counts, *costs, wall, str(len(lines))]
        print(f"| {' | '.join(cells)} |")
    print()
    for (by, what), power in exponents(runs).items():
        print(f"{COSTS[what]} by {by}: exponent {power:.2f}")


def picture(runs: Runs, target: Path) -> None:
    """Costs by people and by steps, both on logarithmic scales."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "mixsafe"  # the same picture from the same results
    from matplotlib import pyplot as plt

    power = exponents(runs)
    figure, panels = plt.subplots(2, 2, figsize=(8, 6.4), layout="constrained")
    shown = {"processor": ("o", "processor time, s"), "peak_gb": ("s", "peak memory, GB")}
    for panel, (by, sizes) in zip(panels.flat, curves(runs).items(), strict=True):
        for what, (marker, words) in shown.items():
            costs = [middle(runs[size], what) for size in sizes]
            label = f"{words}: exponent {power[by, what]:.2f}" if (by, what) in power else words
            panel.loglog([getattr(size, by) for size in sizes], costs, marker=marker, label=label)
        others = sizes[0]._replace(**{by: 0})
        panel.set_xlabel(AXES[by].format(**others._asdict()))
        panel.grid(alpha=0.3, which="both")
        panel.legend(fontsize=8)
        if by != "users":
            numbers = [getattr(size, by) for size in sizes]
            panel.set_xticks(numbers, [str(number) for number in numbers])
            panel.minorticks_off()
    figure.savefig(target, metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    """Do what is asked."""
    parser = argparse.ArgumentParser(description="How the cost of one city grows.")
    paths = parser.add_subparsers(dest="what", required=True)
    for name in ("measure", "table", "picture"):
        way = paths.add_parser(name)
        way.add_argument("results", type=Path)
        if name == "measure":
            usual = Size(0)
            way.add_argument("--users", type=int, nargs="+", required=True)
            way.add_argument("--steps", type=int, nargs="+", default=[usual.steps])
            way.add_argument("--k", type=int, nargs="+", default=[usual.k])
            way.add_argument("--sightings", type=int, nargs="+")
        if name == "picture":
            way.add_argument("target", type=Path)
    asked = parser.parse_args()
    if asked.what == "measure":
        engine = "auto" if asked.sightings is None else "bounds"
        for size in product(asked.users, asked.steps, asked.sightings or [ENDS], asked.k):
            add(asked.results, run(Size(*size, engine)))
    elif asked.what == "table":
        table(known(asked.results))
    else:
        picture(known(asked.results), asked.target)


if __name__ == "__main__":
    main()
