"""How the cost of one city grows with its people and with time, for docs/scale.md.

    python benchmarks/growth.py measure growth.jsonl --users 10000 30000 100000 300000 1000000
    python benchmarks/growth.py measure growth.jsonl --users 100000 --steps 24 48 192
    python benchmarks/growth.py table growth.jsonl
    python benchmarks/growth.py picture growth.jsonl docs/figures/growth.svg

``measure`` makes each city (``mixsafe synthesize metro``), runs ``mixsafe verify --k 3`` on its
Parquet file, and adds a line to the results: what that cost, from the file to the written table,
and what was decided. ``table`` prints the medians of all runs and the exponents, ``picture`` draws
them. An exponent is the slope of a line through the logarithms, by least squares (SciPy).
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import measure
import numpy as np
from page import read
from verify import mixsafe

STEPS, SEED, K = 96, 1, 3

COSTS = {"processor": "processor, s", "peak_gb": "peak, GB"}
"""What is drawn: wall time depends on what else the machine does."""

Runs = dict[tuple[int, int], list[dict[str, Any]]]


def run(users: int, steps: int, adversary: str) -> dict[str, Any]:
    """Make a city and decide it; what deciding cost, from its file to the table."""
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as folder:
        source, table = Path(folder) / "metro.parquet", Path(folder) / "wires.parquet"
        size = ["--users", str(users), "--steps", str(steps), "--seed", str(SEED)]
        made = measure.measure([mixsafe(), "synthesize", "metro", *size, "-o", str(source), "-q"])
        asked = ["--k", str(K), "--adversary", adversary, "-q", "-o", str(table)]
        cost = measure.measure([mixsafe(), "verify", str(source), *asked])
        if made.status or cost.status not in (0, 1, 3):
            raise SystemExit(f"{users} people, {steps} steps: status {made.status}, {cost.status}")
        counts = pq.read_table(table, columns=["verdict"])["verdict"].value_counts().to_pylist()
    verdicts = {entry["values"]: entry["counts"] for entry in counts}
    return {
        "users": users,
        "steps": steps,
        "adversary": adversary,
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
    """The runs of each number of people and of steps."""
    found: Runs = defaultdict(list)
    for line in read(results):
        if line["adversary"] == "endpoints":
            found[line["users"], line["steps"]].append(line)
    return found


def curves(runs: Runs) -> dict[str, list[tuple[int, int]]]:
    """By people at the usual number of steps, and by steps at the number of people tried most."""
    tried = [users for users, _ in runs]
    usual = max(sorted(set(tried)), key=tried.count)
    return {
        "people": sorted(size for size in runs if size[1] == STEPS),
        "steps": sorted(size for size in runs if size[0] == usual),
    }


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
    for place, (by, sizes) in enumerate(curves(runs).items()):
        if len(sizes) > 2:
            for what in COSTS:
                costs = [middle(runs[size], what) for size in sizes]
                found[by, what] = exponent([size[place] for size in sizes], costs)
    return found


def table(runs: Runs) -> None:
    """Print the medians and the exponents."""
    print(f"| people | steps | wires | undecided | {' | '.join(COSTS.values())} | runs |")
    print("|" + " ---: |" * 7)
    for (users, steps), lines in sorted(runs.items()):
        costs = [f"{middle(lines, what):,.{2 if what == 'peak_gb' else 1}f}" for what in COSTS]
        counts = [f"{lines[-1][what]:,}" for what in ("wires", "undecided")]
        cells = [f"{users:,}", str(steps), *counts, *costs, str(len(lines))]
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
    figure, panels = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    shown = {"processor": ("o", "processor time, s"), "peak_gb": ("s", "peak memory, GB")}
    for place, (panel, (by, sizes)) in enumerate(zip(panels, curves(runs).items(), strict=True)):
        for what, (marker, words) in shown.items():
            costs = [middle(runs[size], what) for size in sizes]
            label = f"{words}: exponent {power[by, what]:.2f}" if (by, what) in power else words
            panel.loglog([size[place] for size in sizes], costs, marker=marker, label=label)
        panel.set_xlabel({"people": f"people, {STEPS} steps", "steps": "steps"}[by])
        panel.grid(alpha=0.3, which="both")
        panel.legend(fontsize=8)
    sizes = curves(runs)["steps"]
    panels[1].set_xlabel(f"steps, {sizes[0][0]:,} people")
    panels[1].set_xticks([steps for _, steps in sizes], [str(steps) for _, steps in sizes])
    panels[1].minorticks_off()
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
            way.add_argument("--users", type=int, nargs="+", required=True)
            way.add_argument("--steps", type=int, nargs="+", default=[STEPS])
            way.add_argument("--adversary", default="endpoints")
        if name == "picture":
            way.add_argument("target", type=Path)
    asked = parser.parse_args()
    if asked.what == "measure":
        for users in asked.users:
            for steps in asked.steps:
                add(asked.results, run(users, steps, asked.adversary))
    elif asked.what == "table":
        table(known(asked.results))
    else:
        picture(known(asked.results), asked.target)


if __name__ == "__main__":
    main()
