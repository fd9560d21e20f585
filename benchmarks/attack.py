"""Whether attacks find more than the pages say: each claim of safety against several attacks.

    python benchmarks/attack.py [--cabs cabspottingdata.tar.gz] [--only WORD]

Claims are read from the pages, so that pages and attacks cannot drift apart: rows of the tables of
docs/rotating_ids.md that say how many rides are named right, and numbers anywhere behind a marker,
as ``<!-- claim: guide drop=range,battery -->12%``. Each is attacked by the strongest in the house
(:mod:`benchmarks.follower`, :mod:`benchmarks.zones_followed`) and by plain ones that nobody tuned
(:mod:`benchmarks.plain_attacks`), on the data that the claim is about. Where an attack finds more
than the page says, and more than chance explains, the page and the line are named, and the exit
status is 1. So it is if a claim cannot be attacked, or no claim is found.
"""

from __future__ import annotations

import argparse
import functools
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import mixsafe
from benchmarks.fleet_study import TOWN, tracklets_of
from benchmarks.follower import PUBLISHED, follower_of
from benchmarks.plain_attacks import PLAIN
from benchmarks.zones_followed import followed_zones
from mixsafe.io.gbfs.feed_writer import TRUTH, write_feed
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.model.tracklets import Tracklets
from mixsafe.synthesize.sharing.shared_fleet import FleetSettings, shared_fleet
from mixsafe.tracklets.remedies import coarser

DOCS = Path(__file__).resolve().parent.parent / "docs"

_MARKER = re.compile(r"<!-- claim: ([a-z]+)((?: [^ >]+)*) -->\**([0-9.]+) ?%")
_TABLES = {"published": "published", "vehicles per km²": "density", "seed": "seed"}
"""First words of the heads of tables whose rows are claims, and their kinds."""
_COLUMN = "named right"
_DEVIATIONS = 2.0  # above the claim, by which chance alone does not explain an attack


@dataclass(frozen=True)
class Claim:
    """What a page says that an attacker finds at most.

    Parameters
    ----------
    page, line
        Where it says so.
    kind
        ``published``, ``density``, ``seed`` (fleets), ``guide`` (the feed of the guide), ``zones``.
    about
        What tells it from others of the kind.
    share
        Of rides, or of members of zones, that are named right.
    """

    page: Path
    line: int
    kind: str
    about: str
    share: float

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line} ({self.kind} {self.about})".replace(" )", ")")


def claims_of(page: Path) -> Iterator[Claim]:
    """The claims of a page, in its order."""
    kind, column = None, 0
    for line, text in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        for marker in _MARKER.finditer(text):
            yield Claim(page, line, marker[1], marker[2].strip(), float(marker[3]) / 100)
        cells = [cell.strip() for cell in text.split("|")[1:-1]]
        if not cells:
            kind = None
        elif _COLUMN in cells:
            kind, column = _TABLES.get(cells[0]), cells.index(_COLUMN)
        elif kind is not None and not cells[0].startswith("---"):
            yield Claim(page, line, kind, cells[0], float(cells[column].strip("*%")) / 100)


def data_of(claim: Claim) -> Tracklets:
    """The feed that a claim is about.

    Raises
    ------
    KeyError
        It is about none that is known.
    """
    if claim.kind == "published":
        return coarser(tracklets_of(TOWN), **PUBLISHED[claim.about])
    if claim.kind == "density":
        return tracklets_of(replace(TOWN, vehicles=int(int(claim.about) * (TOWN.area or 1))))
    if claim.kind == "seed":
        return tracklets_of(TOWN, int(claim.about))
    if claim.kind == "guide":
        drop = claim.about.removeprefix("drop=").split(",") if claim.about else ()
        return coarser(guide_feed(), drop=drop)
    raise KeyError(claim.kind)


@functools.cache
def guide_feed() -> Tracklets:
    """The feed that docs/guide_feed.md makes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "feed.jsonl"
        settings = FleetSettings(vehicles=200, days=1, poll=600)
        write_feed(path, shared_fleet(settings, seed=1), truth=True)
        return read_feed(path, truth=TRUTH).tracklets


def attacked(tracklets: Tracklets) -> tuple[int, dict[str, float]]:
    """Number of rides, and the share that each attack names right."""
    follower, _ = follower_of(tracklets)
    found = {"follower": follower.counted or 0.0}
    if follower.assigned is not None:
        found["likeliest history"] = follower.assigned[1] or 0.0
    for name, attack in PLAIN.items():
        found[name] = attack(tracklets, follower.problem)
    return follower.n_rides, found


def attacked_zones(cabs: Path, cell: float, step: int) -> tuple[int, dict[str, float]]:
    """Number of members of zones, and the share that is named right."""
    traces = mixsafe.select(mixsafe.load(cabs), days=1)
    total = followed_zones(traces, cell, step)[0]
    return total.members, {"follower": total.named / total.members}


def holds(claim: Claim, n: int, found: dict[str, float]) -> bool:
    """Whether no attack finds more than a claim says, or than chance explains; prints a row."""
    best = max(found, key=found.__getitem__)
    chance = (claim.share * (1 - claim.share) / n) ** 0.5
    kept = found[best] <= claim.share + _DEVIATIONS * chance + 0.0005
    shares = ", ".join(f"{name} {share:.1%}" for name, share in found.items())
    print(f"{'holds' if kept else 'BROKEN'}  {claim}: {claim.share:.1%}; {shares}", flush=True)
    return kept


def main() -> int:
    """Attack all claims."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cabs", type=Path, help="Cabspotting; else claims about zones wait")
    parser.add_argument("--only", default="", help="claims whose kind or words have this")
    wanted = parser.parse_args()
    claims = [one for page in sorted(DOCS.glob("*.md")) for one in claims_of(page)]
    claims = [one for one in claims if wanted.only in str(one)]
    kept = [bool(claims)]
    for claim in claims:
        if claim.kind == "zones":
            if wanted.cabs is None:
                print(f"waits   {claim}: needs --cabs")
                continue
            cell, step = claim.about.split()
            kept.append(holds(claim, *attacked_zones(wanted.cabs, float(cell), int(step))))
        else:
            kept.append(holds(claim, *attacked(data_of(claim))))
    print(f"{sum(kept) - 1} of {len(kept) - 1} claims hold" if claims else "no claim was found")
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
