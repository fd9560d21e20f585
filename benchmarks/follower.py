"""How often a follower who bets is right, on fleets whose truth is known.

    python benchmarks/follower.py [--seeds N] [--quick]

Prints the tables of docs/rotating_ids.md: rides that a follower without truth names correctly,
beside those that ruling out alone follows, by rides per hour, by what is published, and by seed. A
follower must not be right more often than the interval that `mixsafe links` says: where she is, the
program ends with status 1.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.fleet_study import TOWN, tracklets_of
from mixsafe.model.tracklets import Tracklets
from mixsafe.synthesize.sharing.shared_fleet import FleetSettings
from mixsafe.tracklets.follower import Betting, Follower
from mixsafe.tracklets.linking import link
from mixsafe.tracklets.remedies import coarser
from mixsafe.tracklets.rules import FIELDS, LinkRules

PUBLISHED: dict[str, dict[str, Any]] = {
    "all fields": {},
    "range to 5 km, battery to 25 points": {"range": 5_000, "battery": 0.25},
    "no range, battery to 10 points": {"drop": ("range",), "battery": 0.1},
    "no range, battery to 25 points": {"drop": ("range",), "battery": 0.25},
    "neither range nor battery": {"drop": ("range", "battery")},
    "neither range nor battery, no type": {"drop": ("range", "battery", "type")},
    "the same, places to 250 m": {"drop": ("range", "battery", "type"), "places": 250},
    "the same, times to 15 min": {"drop": ("range", "battery", "type"), "places": 250,
                                  "times": 900},
    "all fields, none below 10% battery": {"low": 0.1},
    "all fields, hidden for up to 30 min": {"hide": 1_800},
    "neither range nor battery, hidden for up to 30 min": {"drop": ("range", "battery"),
                                                           "hide": 1_800},
}  # fmt: skip
"""What is published, as coarsening of tracklets takes it."""

DEMAND = (2, 4, 8, 20, 40, 80)
"""Vehicles per km², in the same town."""


def follower_of(tracklets: Tracklets) -> tuple[Follower, float]:
    """A follower without truth, and the share of rides with one candidate."""
    fields = tuple(name for name in FIELDS if name in tracklets.ends.fields)
    rules = LinkRules(fields=fields)
    problem = link(tracklets, rules)
    counts = np.diff(problem.ptr)
    follower = Betting().on(tracklets, problem, rules)
    assert follower is not None  # noqa: S101 - there is no deadline
    return follower, float((counts[counts > 0] == 1).mean())


def row(name: str, tracklets: Tracklets) -> bool:
    """Print a row; returns whether the follower is right at most as often as is said."""
    found, alone = follower_of(tracklets)
    low, high = found.interval
    right, (sure, sure_right) = found.counted or 0.0, found.certain
    said = f"{found.expected:.1%} ({low:.1%} to {high:.1%})"
    cells = (name, f"{found.n_rides:,}", f"{alone:.1%}", f"**{right:.1%}**", said, f"{sure:.1%}")
    print(
        "|", " | ".join((*cells, f"{sure_right or 0:.1%}", f"{found.brier:.3f}")), "|", flush=True
    )
    return right <= high


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--quick", action="store_true", help="one seed, one table")
    wanted = parser.parse_args()
    head = (
        "| rides | one candidate | named right | expected | belief of 0.9 or more | of these"
        " right | Brier |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    )
    kept = []
    print(f"| seed {head}")
    for seed in range(1, 2 if wanted.quick else wanted.seeds + 1):
        kept.append(row(str(seed), tracklets_of(TOWN, seed)))
    if not wanted.quick:
        print(f"\n| vehicles per km² {head}")
        for density in DEMAND:
            settings: FleetSettings = replace(TOWN, vehicles=int(density * TOWN.area))
            kept.append(row(str(density), tracklets_of(settings)))
        print(f"\n| published {head}")
        for name, changes in PUBLISHED.items():
            kept.append(row(name, coarser(tracklets_of(TOWN), **changes)))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
