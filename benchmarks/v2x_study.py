"""Cars that change their pseudonyms: how often a change leaves one candidate (needs SUMO).

    pip install -e '.[v2x]'
    python benchmarks/v2x_study.py [--keep DIR]

SUMO simulates cars in a town of 20 x 20 streets, each of which sends its place once a second. They
change pseudonyms by rules of ETSI TR 103 415 and SAE J2945/1: every five minutes or 2 km, with or
without a silence of 3 to 13 s, each on its own or all together. Prints the table of
docs/rotating_ids.md. --keep DIR leaves the tables of records there, for 'mixsafe links'.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.tracklets.linking import link
from mixsafe.tracklets.rules import LinkRules, check_rules, true_links

Ints = npt.NDArray[np.int64]

SECONDS, PERIOD, LONGEST_SILENCE = 1800, 300, 13
EVERY = (1.0, 2.5)
"""Seconds from a departure to the next one: much traffic, and little."""

COLUMNS = {"timestep_time": "time", "vehicle_id": "car", "vehicle_x": "x", "vehicle_y": "y",
           "vehicle_angle": "heading", "vehicle_speed": "speed"}  # fmt: skip
"""Columns of SUMO's output, and what they are called here."""

FIRST_SECOND = 1_767_571_200
ORIGIN = 50.0, 10.0


TOWNS = {
    "grid": "--grid --grid.number 20 --grid.length 250 --default.speed 13.9 --default.lanenumber 2",
    "rings": "--spider --spider.arm-number 9 --spider.circle-number 9 --spider.space-radius 220"
    " --spider.omit-center --default.speed 16.7 --default.lanenumber 1",
}
"""What SUMO makes a town of: streets at right angles, or rings and radial streets, where cars are
faster, overtake nobody and turn by any angle. Metres and m/s."""

FARTHER = {"grid": 3000, "rings": 2000}
"""Metres that a trip leads at least, on the straight line."""


class Scheme(NamedTuple):
    """When pseudonyms change.

    Parameters
    ----------
    name
        What the table calls it.
    by
        ``time`` since departure, ``way`` since departure, or ``clock``: all at once.
    silent
        Whether cars are silent for 3 to 13 s before they use the new one.
    """

    name: str
    by: str
    silent: bool


SCHEMES = (
    Scheme("every 5 min", "time", False),
    Scheme("every 2 km", "way", False),
    Scheme("every 5 min, silence", "time", True),
    Scheme("every 2 km, silence", "way", True),
    Scheme("all together every 5 min", "clock", False),
    Scheme("all together every 5 min, silence", "clock", True),
)


def records(every: float, folder: Path, town: str = "grid", seed: int = 1) -> pd.DataFrame:
    """What each car says in each second, sorted.

    Parameters
    ----------
    every
        Seconds from a departure to the next one.
    folder
        For what SUMO reads and writes.
    town
        Of :data:`TOWNS`.
    seed
        Of the trips and of how cars drive.

    Returns
    -------
    Columns car, time (seconds), x, y (metres), heading (degrees), speed (m/s).
    """
    home = Path(os.environ.get("SUMO_HOME") or import_module("sumo").SUMO_HOME)
    environment = {**os.environ, "SUMO_HOME": str(home)}

    def run(*words: object) -> None:
        subprocess.run([str(word) for word in words], check=True, cwd=folder, env=environment,
                       stdout=subprocess.DEVNULL)  # fmt: skip

    streets = TOWNS[town].split()
    run(home / "bin/netgenerate", *streets, "--tls.guess", "--seed", 1, "-o", "net.xml")
    trips = f"-n net.xml -e {SECONDS} -p {every} --seed {seed}"
    script = home / "tools/randomTrips.py"
    trips += f" --min-distance {FARTHER[town]} -o trips.xml --route-file routes.xml"
    run(sys.executable, script, *trips.split())
    drive = f"-n net.xml -r routes.xml --end {SECONDS} --seed {seed} --no-step-log --no-warnings"
    sent = "--fcd-output fcd.csv --fcd-output.attributes id,x,y,angle,speed"
    run(home / "bin/sumo", *drive.split(), *sent.split())
    found = pd.read_csv(folder / "fcd.csv", sep=";")
    found = found.rename(columns=COLUMNS)[list(COLUMNS.values())]
    found = found.dropna().astype({"time": int, "car": int})
    return found.sort_values(["car", "time"], ignore_index=True)


def published(cars: pd.DataFrame, scheme: Scheme) -> pd.DataFrame:
    """What cars send: a row per message."""
    cars = cars.copy()
    steps = pd.Series(np.hypot(cars.x.diff(), cars.y.diff()) * (cars.car.diff() == 0))
    way = steps.fillna(0.0).groupby(cars.car).cumsum()
    since = cars.time - cars.groupby("car").time.transform("first")
    cars["epoch"] = {
        "time": since // PERIOD, "way": way // 2000, "clock": cars.time // PERIOD
    }[scheme.by].astype(int)  # fmt: skip
    if scheme.silent:
        groups = cars.groupby(["car", "epoch"])
        random = np.random.default_rng(1)
        silence = pd.Series(random.integers(3, LONGEST_SILENCE + 1, groups.ngroups))
        began = cars.time - groups.time.transform("first")
        first = cars.groupby("car").epoch.transform("first") == cars.epoch
        cars = cars[first | (began + 1 >= groups.ngroup().map(silence))]
    degree = np.pi / 180 * EARTH_RADIUS
    names = np.random.default_rng(2).permutation(cars.groupby(["car", "epoch"]).ngroups)
    return pd.DataFrame(
        {
            "id": names[cars.groupby(["car", "epoch"]).ngroup()],
            "time": pd.to_datetime(FIRST_SECOND + cars.time, unit="s", utc=True),
            "lat": (ORIGIN[0] + cars.y / degree).round(7),
            "lon": (ORIGIN[1] + cars.x / degree / np.cos(np.radians(ORIGIN[0]))).round(7),
            "car": cars.car,
        }
    ).sort_values(["time", "id"], ignore_index=True)


def row(scheme: Scheme, path: Path) -> str:
    """Cells of the table."""
    tracklets = read_feed(path, truth="car").tracklets
    longest = LONGEST_SILENCE if scheme.silent else 1
    rules = LinkRules(max_speed=80, max_gap=longest, error=1.0, fields=())
    assert all(one.sound for one in check_rules(tracklets, rules))  # noqa: S101
    counts = np.diff(link(tracklets, rules).ptr)
    ends = true_links(tracklets)[:, 0]
    changes = counts[ends]
    assert changes.min() >= 1  # noqa: S101 -- the truth is a candidate
    assert tracklets.truth is not None  # noqa: S101
    most = np.zeros(int(tracklets.truth.max()) + 1, np.int64)
    np.maximum.at(most, tracklets.truth[ends], changes)
    return (
        f"{len(changes):,} | {np.median(changes):.0f} | {(changes == 1).mean():.1%} |"
        f" {(changes >= 3).mean():.1%} | {(most[most > 0] == 1).mean():.1%} |"
    )


def main() -> None:
    """Make the table."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--keep", type=Path, help="folder for the tables of records")
    given = asked.parse_args()
    print("| cars at a time, change | changes | candidates (median) | one candidate |"
          " three or more | cars followed through all changes |")  # fmt: skip
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for every in EVERY:
        with tempfile.TemporaryDirectory() as folder:
            cars = records(every, Path(folder))
            usual = (cars.time >= SECONDS // 2).sum() / (SECONDS - SECONDS // 2)
            for number, scheme in enumerate(SCHEMES):
                path = (given.keep or Path(folder)) / f"v2x_{every:g}_{number}.parquet"
                published(cars, scheme).to_parquet(path)
                print(f"| {usual:.0f}, {scheme.name} | {row(scheme, path)}", flush=True)


if __name__ == "__main__":
    main()
