"""What exchange at mix zones does to the contest's scores, against every attack there is.

    MIXSAFE_DATA=… python benchmarks/contest_mix_zones.py [--grid]

Means over seeds, as the table of docs/contest_results.md; with --grid one seed of all the
organizers' settings. Needs the PWS Cup 2019 data.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.grid import (
    linking_attackers,
    organizers_anonymisers,
    organizers_attackers,
    posterior_attackers,
    team_attackers,
)
from mixsafe.contest.obfuscate.cluster import ClusterVisits
from mixsafe.contest.obfuscate.organizers import Cheat, NoObfuscation, PlanarLaplace
from mixsafe.contest.obfuscate.shift import ShiftRareRegions
from mixsafe.contest.pseudonymizers import MIXZONE, SHUFFLE
from mixsafe.contest.run import Plan, run
from mixsafe.io.contest.reading import read_regions, read_traces

SEEDS = range(1, 6)
IDS = ("I1", "I2", "I3", "IF", "LINK", "CELL", "POST")
TRACES = ("T1", "T2", "T3", "TS", "LINK-T", "GUESS", "POST-T")
METHODS = [
    NoObfuscation(),
    PlanarLaplace(4, 1),
    Cheat(0.3),
    Cheat(1),
    ShiftRareRegions(12, 4, 3),
    ClusterVisits(100),
]


def main() -> None:
    """Print the table."""
    data = Path(os.environ["MIXSAFE_DATA"]) / "pwscup2019"
    rules = Rules(regions=read_regions(data / "info_region.csv"))
    original = read_traces(data / "orgtraces_team001_data01_IDP.csv", rules.regions.count)
    earlier = read_traces(data / "reftraces_team001_data01_IDP.csv", rules.regions.count)
    reference = Reference(earlier, rules)
    attackers = [*organizers_attackers(), *team_attackers(earlier, rules)]
    both = {
        name: [*attackers, *linking_attackers(name), *posterior_attackers(name)]
        for name in (SHUFFLE, MIXZONE)
    }
    every = "--grid" in sys.argv
    scores: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    methods = organizers_anonymisers() if every else METHODS
    for seed in SEEDS[:1] if every else SEEDS:
        for outcome in run(original, reference, Plan(methods, both, seed)):
            row = scores[outcome.anonymiser, outcome.pseudonymization]
            row["s_U"].append(outcome.utility.value)
            for name, score in outcome.privacy.items():
                row[name].append(score.value)
    print("| obfuscation | pseudonyms | s_U | " + " | ".join([*IDS, *TRACES, "best"]) + " |")
    print("| --- " * (len(IDS) + len(TRACES) + 4) + "|")
    for (method, pseudonyms), row in scores.items():
        mean = {name: float(np.mean(values)) for name, values in row.items()}
        cells = [f"{mean[name]:.4f}" for name in ("s_U", *IDS, *TRACES)]
        best = ", ".join(min(names, key=lambda name: mean[name]) for names in (IDS, TRACES))
        print(f"| {method} | {pseudonyms} | " + " | ".join([*cells, best]) + " |")


if __name__ == "__main__":
    main()
