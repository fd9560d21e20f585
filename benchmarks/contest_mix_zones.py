"""What exchange at mix zones does to the contest's scores, against every attack there is.

    MIXSAFE_DATA=… python benchmarks/contest_mix_zones.py

Means over seeds, as the table of docs/contest_results.md. Needs the PWS Cup 2019 data.
"""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

import numpy as np

from mixsafe.contest.attack.fuzzy import SwapFrequentRegions
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import trace_inference
from mixsafe.contest.grid import linking_attackers, organizers_attackers, team_attackers
from mixsafe.contest.obfuscate.cluster import ClusterVisits
from mixsafe.contest.obfuscate.organizers import Cheat, NoObfuscation, PlanarLaplace
from mixsafe.contest.obfuscate.shift import ShiftRareRegions
from mixsafe.contest.pseudonymizers import MIXZONE, SHUFFLE
from mixsafe.contest.run import Plan, run
from mixsafe.io.contest.reading import read_regions, read_traces
from mixsafe.model.release.cells import Cells

SEEDS = range(1, 6)
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
    both = {name: [*attackers, *linking_attackers(name)] for name in (SHUFFLE, MIXZONE)}
    scores: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for seed in SEEDS:
        for outcome in run(original, reference, Plan(METHODS, both, seed), workers=2):
            row = scores[outcome.anonymiser, outcome.pseudonymization]
            row["s_U"].append(outcome.utility.value)
            for name, score in outcome.privacy.items():
                row[name].append(score.value)
    columns = ["s_U", "I1", "I2", "I3", "IF", "LINK", "T1", "T2", "T3", "TS", "LINK-T"]
    print("| obfuscation | pseudonyms | " + " | ".join(columns) + " |")
    print("| --- " * (len(columns) + 2) + "|")
    for (method, pseudonyms), row in scores.items():
        cells = [f"{np.mean(row[name]):.4f}" if name in row else "" for name in columns]
        print(f"| {method} | {pseudonyms} | " + " | ".join(cells) + " |")
    hidden = Cells.of_regions(
        np.full(original.region.shape, rules.regions.count), rules.regions.count, 41
    )
    guess = SwapFrequentRegions(0).attack(reference, hidden, np.random.default_rng(0))
    blind = trace_inference(original, guess, rules).value
    print(f"\nWithout a release, from the reference traces alone: s_T = {blind:.4f}")


if __name__ == "__main__":
    main()
