"""What identifiers that rotate after each trip protect from: fleets whose truth is known.

    python benchmarks/fleet_study.py [--quick] [-o DIR]

Prints the tables of docs/rotating_ids.md and, with -o, draws its pictures there (fleet_demand.svg,
fleet_fields.svg). For each ride the truth must be among the candidates unless a rule was named
unsound; it stops where it is not.
"""

from __future__ import annotations

import argparse
import functools
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.fleet_figures import draw_by_demand, draw_by_fields
from mixsafe.io.gbfs.feed_writer import TRUTH, write_feed
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.model.tracklets import LinkProblem, Tracklets
from mixsafe.report.drawing import save
from mixsafe.synthesize.sharing.shared_fleet import FleetSettings, shared_fleet
from mixsafe.tracklets.histories import decide
from mixsafe.tracklets.linking import in_fleet, link
from mixsafe.tracklets.rules import LinkRules, check_rules, true_links

Ints = npt.NDArray[np.int64]

TOWN = FleetSettings(vehicles=500, days=3, area=12.5, turnover=0.0)
"""40 vehicles per km². Nobody leaves, so that the closed fleet's adversary is right."""

FIELDS = {
    "place and time": (),
    "and type": ("type",),
    "and battery": ("type", "battery", "range"),
}


Point = tuple[float, float, float]
"""Rides per hour, median of the candidates, share of the rides that have one."""


@dataclass(frozen=True, eq=False)
class Study:
    """Candidates of rides, as one adversary finds them in one feed.

    Parameters
    ----------
    counts
        (n,) of the rides that have candidates.
    hours
        Of the feed.
    unsound
        Names of rules that exclude true links.
    lost
        Share of true links that are excluded.
    right
        Share of the rides with one candidate for which it is the true one.
    """

    counts: Ints
    hours: float
    unsound: tuple[str, ...]
    lost: float
    right: float

    @property
    def one(self) -> float:
        """Share of rides with one candidate."""
        return float((self.counts == 1).mean())

    @property
    def three(self) -> float:
        """Share of rides with three candidates or more."""
        return float((self.counts >= 3).mean())

    @property
    def cells(self) -> str:
        """Cells of a table."""
        low, middle, high = np.percentile(self.counts, [10, 50, 90])
        return (
            f"{len(self.counts) / self.hours:.0f} | {middle:,.0f} ({low:,.0f} to {high:,.0f}) |"
            f" {self.one:.2%} | {self.three:.1%} |"
        )


@functools.cache
def tracklets_of(settings: FleetSettings, seed: int = 1) -> Tracklets:
    """What is published of a fleet, read from its snapshots."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "feed.jsonl"
        write_feed(path, shared_fleet(settings, seed=seed), truth=True)
        return read_feed(path, truth=TRUTH).tracklets


def study(
    settings: FleetSettings,
    fields: Sequence[str],
    *,
    closed: bool = False,
    rules: LinkRules | None = None,
) -> Study:
    """Follow the rides of a feed; the truth must be possible unless a rule is unsound."""
    tracklets = tracklets_of(settings)
    rules = replace(rules or LinkRules(), fields=tuple(fields))
    problem = link(tracklets, rules)
    unsound = tuple(one.name for one in check_rules(tracklets, rules) if one.excluded)
    possible = np.ones(problem.n_links, bool)
    if closed:
        decided = decide(in_fleet(problem, tracklets, rules, fleet="closed"))
        assert decided.decided  # noqa: S101
        assert decided.contradiction is None or unsound  # noqa: S101
        possible = decided.possible
    source = np.repeat(np.arange(len(problem)), np.diff(problem.ptr))
    counts = np.bincount(source[possible], minlength=len(problem))
    true = possible & true_among(problem, source, tracklets)
    n_true = len(true_links(tracklets))
    assert true.sum() == n_true or unsound  # noqa: S101
    alone = true[possible & (counts[source] == 1)]
    asked = (counts > 0) & ~tracklets.ends.cut
    hours = (tracklets.horizon[1] - tracklets.horizon[0]) / 3600
    right = float(alone.mean()) if len(alone) else np.nan
    return Study(counts[asked], hours, unsound, 1 - true.sum() / n_true, right)


def true_among(problem: LinkProblem, source: Ints, tracklets: Tracklets) -> npt.NDArray[np.bool_]:
    """(n_links,) those that happened."""
    following = np.full(len(problem), -1)
    one, other = true_links(tracklets).T
    following[one] = other
    among: npt.NDArray[np.bool_] = following[source] == problem.to
    return among


HEAD = "rides per hour | candidates: median (10% to 90%) | one candidate | three or more |"


def table(title: str, rows: dict[str, Study]) -> None:
    """Print a table in Markdown."""
    print(f"\n| {title} | {HEAD}\n| --- | ---: | ---: | ---: | ---: |")
    for name, found in rows.items():
        lost = f" ({', '.join(found.unsound)} excludes {found.lost:.1%} of the true links;"
        lost += f" {found.right:.1%} of single candidates are right)"
        print(f"| {name}{lost if found.unsound else ''} | {found.cells}", flush=True)


def by_demand(town: FleetSettings, sizes: Sequence[int]) -> dict[str, list[Point]]:
    """Table by size of the fleet; returns the points of the picture."""
    least, most = FIELDS["place and time"], FIELDS["and battery"]
    asked = {
        "place and time": (least, False),
        "place and time, closed fleet": (least, True),
        "all fields": (most, False),
        "all fields, closed fleet": (most, True),
    }
    series: dict[str, list[Point]] = {name: [] for name in asked}
    print(f"\n| vehicles per km² | rides per hour | {' | '.join(asked)} |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for size in sizes:
        cells = []
        for name, (fields, closed) in asked.items():
            found = study(replace(town, vehicles=size), fields, closed=closed)
            middle, hourly = float(np.median(found.counts)), len(found.counts) / found.hours
            series[name].append((hourly, middle, found.one))
            cells.append(f"{middle:,.0f} ({found.one:.1%})")
        density = size / (town.area or 1)
        print(f"| {density:.3g} | {hourly:.0f} | {' | '.join(cells)} |", flush=True)
    return series


def by_area(town: FleetSettings, areas: Sequence[float]) -> None:
    """Table by area: as many rides, farther apart."""
    rows = {
        f"{area:g} km², {town.vehicles / area:.3g} per km²": study(
            replace(town, area=area), FIELDS["and battery"]
        )
        for area in areas
    }
    table("area (open, all three fields)", rows)


def by_poll(town: FleetSettings) -> None:
    """Table by time between snapshots."""
    rows = {
        f"every {minutes} min, {'closed' if closed else 'open'}": study(
            replace(town, poll=60 * minutes), FIELDS["and battery"], closed=closed
        )
        for minutes in (1, 3, 5)
        for closed in (False, True)
    }
    table("snapshots (all three fields)", rows)


def by_fields(town: FleetSettings) -> dict[str, tuple[float, float]]:
    """Table by what is published; returns the bars of the picture."""
    every = FIELDS["and battery"]
    kept = {name: replace(town, keep=(name,)) for name in ("last_reported", "uri")}
    sharp = LinkRules(max_gap=1800)
    found = {
        "place and time": study(town, ()),
        "+ type": study(town, ("type",)),
        "+ battery and range": study(town, every),
        "the same, closed fleet": study(town, every, closed=True),
        "+ a time stamp that survives": study(kept["last_reported"], (*every, "last_reported")),
        "+ a deep link that survives": study(kept["uri"], (*every, "uri")),
    }
    table("what is compared", found)
    table(
        "rules that are not sound",
        {
            "rides take at most 30 min": study(town, every, rules=sharp),
            "no ride is faster than 10 km/h": study(town, every, rules=LinkRules(max_speed=10)),
        },
    )
    return {name: (one.one, one.three) for name, one in found.items()}


def main() -> None:
    """Make the tables, and the pictures."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--quick", action="store_true", help="one day, few vehicles")
    asked.add_argument("-o", "--output", type=Path, help="folder of the pictures")
    given = asked.parse_args()
    town = replace(TOWN, vehicles=60, days=1) if given.quick else TOWN
    sizes = (20, 60) if given.quick else (25, 50, 100, 250, 500, 1000)
    shares = by_fields(town)
    series = by_demand(town, sizes)
    by_area(town, (3.0, 12.5) if given.quick else (3.0, 12.5, 50.0, 200.0))
    by_poll(town)
    if given.output is not None:
        save(draw_by_demand(series), given.output / "fleet_demand.svg")
        save(draw_by_fields(shares), given.output / "fleet_fields.svg")


if __name__ == "__main__":
    main()
