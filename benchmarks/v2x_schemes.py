"""Five rules by which cars change pseudonyms: how often three trackers name the next one right.

    pip install -e '.[v2x]'
    python benchmarks/v2x_schemes.py [--town rings] [--seed N] [--keep DIR] [--cars FILE]

SUMO simulates cars that send place, heading and speed once a second (as benchmarks/v2x_study.py).
They change pseudonyms by the rules that F2MD simulates, with its numbers: every 240 s, every 10
messages, every 80 m, with a chance of 0.1 after each message, and as the Car2Car consortium asks
(first after 800 to 1,500 m, then each 800 m and 2 to 6 min later). Antennas hear the whole town or
a part of it, and cars are silent for 3 to 13 s after a change or not at all. Compared are

- mixsafe's follower, who learns from the messages, without truth;
- a plain tracker after Zoccoli et al. (VTC-Fall 2023): of the pseudonyms that begin within 20 m
  (for each second) and 45 degrees, the nearest whose distance is speed times time to 2 m, else the
  nearest;
- joint probabilistic data association (JPDA) of Stone Soup, where it is installed
  (pip install stonesoup), for the changes of one minute.

Prints the table of docs/rotating_ids.md. --keep DIR leaves the tables of messages there, for
'mixsafe links DIR/0 --crs metres'; --cars FILE keeps what SUMO makes, or reads it again (Parquet).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.v2x_study import EVERY, TOWNS, records
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.model.tracklets import LinkProblem, Tracklets
from mixsafe.tracklets.dead_reckoning import dead_reckoning
from mixsafe.tracklets.follower import Betting
from mixsafe.tracklets.linking import link
from mixsafe.tracklets.rules import (
    ComparedTracklets,
    LinkRules,
    TrackletPairs,
    check_rules,
    true_links,
)

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

SCHEMES = {
    "periodical": 0.958,
    "disposable": 0.992,
    "distance": 0.903,
    "random": 0.980,
    "Car2Car": 0.814,
}
"""The rules, and the F1 of the plain tracker in its publication (another town, no silence)."""

PERIOD, MESSAGES, DISTANCE, CHANCE = 240, 10, 80.0, 0.1
FIRST_WAY, NEXT_WAY, WAITING = (800.0, 1500.0), 800.0, (120.0, 360.0)
SILENCE = 3, 13
"""Seconds from the last message of a pseudonym to the first of the next, at least and at most."""

HEARD = 600, 1200
"""Seconds of the simulation in which antennas listen."""

RADIUS, SPACING, ROWS = 600.0, 1583.0, 3
"""Of antennas that hear a part of the town: metres, and rows of them."""

ACROSS = 20
"""Seconds for which a car may be unheard, where antennas hear a part."""

MINUTE = 300
"""Second after antennas begin to listen from which JPDA is tried for a minute."""


class Cars(NamedTuple):
    """What each car knows when it decides about its pseudonym: (n_cars,) each.

    Parameters
    ----------
    number
        Of its pseudonym; changes are counted.
    messages, since, way
        Messages under it; second and way at which it began.
    ready
        For Car2Car: way from which the next change is allowed; then the second from which it is.
    silent_until
        Second of the next message at the earliest.
    """

    number: Ints
    messages: Ints
    since: Floats
    way: Floats
    ready: Floats
    silent_until: Floats


def pseudonyms(cars: pd.DataFrame, scheme: str, silent: bool, seed: int = 1) -> pd.DataFrame:
    """What cars send under a rule of changes: a row per message.

    Parameters
    ----------
    cars
        Of :func:`benchmarks.v2x_study.records`: a row per car and second.

    Returns
    -------
    The rows of messages, with a column pseudonym.
    """
    random = np.random.default_rng(seed)
    cars = cars.assign(way=_way(cars), car=pd.factorize(cars.car)[0])
    n = int(cars.car.max()) + 1
    state = Cars(
        number=np.zeros(n, np.int64),
        messages=np.zeros(n, np.int64),
        since=np.full(n, -1.0),
        way=np.zeros(n),
        ready=random.uniform(*FIRST_WAY, n),
        silent_until=np.zeros(n),
    )
    waiting_until = np.full(n, -1.0)
    sent = []
    for second, rows in cars.groupby("time"):
        car, way, now = rows.car.to_numpy(), rows.way.to_numpy(), float(second)
        new = state.since[car] < 0
        state.since[car[new]] = now
        talks = now >= state.silent_until[car]
        changes = talks & ~new & _changes(scheme, state, waiting_until, car, way, now, random)
        changed = car[changes]
        state.number[changed] += 1
        state.messages[changed], state.since[changed] = 0, now
        state.way[changed] = way[changes]
        waiting_until[changed], state.ready[changed] = -1.0, way[changes] + NEXT_WAY
        if silent:
            gap = random.integers(SILENCE[0], SILENCE[1] + 1, len(changed))
            state.silent_until[changed] = now - 1 + gap
            talks &= now >= state.silent_until[car]
        state.messages[car[talks]] += 1
        sent.append(rows[talks].assign(number=state.number[car[talks]]))
    messages = pd.concat(sent, ignore_index=True)
    codes = messages.groupby(["car", "number"]).ngroup()
    names = random.permutation(int(codes.max()) + 1)
    return messages.assign(pseudonym=names[codes])


def _way(cars: pd.DataFrame) -> pd.Series:
    """Metres that each car has gone since it departed."""
    steps = pd.Series(np.hypot(cars.x.diff(), cars.y.diff()) * (cars.car.diff() == 0))
    return steps.fillna(0.0).groupby(cars.car).cumsum()


def _changes(
    scheme: str,
    state: Cars,
    waiting_until: Floats,
    car: Ints,
    way: Floats,
    now: float,
    random: np.random.Generator,
) -> Bools:
    """Which of the cars change their pseudonym before they send what they know now."""
    found: Bools
    if scheme == "periodical":
        found = now - state.since[car] >= PERIOD
    elif scheme == "disposable":
        found = state.messages[car] >= MESSAGES
    elif scheme == "distance":
        found = way - state.way[car] >= DISTANCE
    elif scheme == "random":
        found = random.random(len(car)) < CHANCE
    else:
        far = way >= state.ready[car]
        starts = far & (waiting_until[car] < 0)
        wait = np.where(state.number[car] == 0, 0.0, random.uniform(*WAITING, len(car)))
        waiting_until[car[starts]] = (now + wait)[starts]
        found = far & (now >= waiting_until[car])
    return found


def write_messages(messages: pd.DataFrame, folder: Path, part: bool) -> float:
    """Write what antennas hear, a table for each antenna; which share of the messages that is."""
    messages = messages[(messages.time >= HEARD[0]) & (messages.time < HEARD[1])]
    table = pd.DataFrame(
        {
            "t": messages.time,
            "realID": messages.car,
            "pseudonym": messages.pseudonym,
            "pos.x": messages.x.round(2),
            "pos.y": messages.y.round(2),
            "speed": messages.speed.round(2),
            "heading": messages.heading.round(1) % 360,
        }
    )
    if not part:
        table.to_csv(folder / "antenna_0.csv", index=False)
        return 1.0
    middle = (np.arange(ROWS) + 0.5) * SPACING
    heard = np.zeros(len(table), bool)
    for number, (x, y) in enumerate(product(middle, middle)):
        near = np.hypot(table["pos.x"] - x, table["pos.y"] - y).to_numpy() <= RADIUS
        heard |= near
        table[near].to_csv(folder / f"antenna_{number}.csv", index=False)
    return float(heard.mean())


class Changes(NamedTuple):
    """Changes of pseudonym that trackers look for.

    Parameters
    ----------
    tracklets, problem, rules
        What was heard, and which pseudonym may go on as which.
    true
        (n,) next pseudonym of the car; -1: none within the longest silence.
    """

    tracklets: Tracklets
    problem: LinkProblem
    rules: LinkRules
    true: Ints

    def f1(self, named: Ints, some: Bools | None = None) -> float:
        """F1 of what is named for each pseudonym that ends, of all or some; -1: nothing."""
        chosen = np.ones(len(named), bool) if some is None else some
        right = int(np.count_nonzero(chosen & (named >= 0) & (named == self.true)))
        said = int(np.count_nonzero(chosen & (named >= 0)))
        there = int(np.count_nonzero(chosen & (self.true >= 0)))
        return 2 * right / max(said + there, 1)


def read_changes(folder: Path, longest: int) -> Changes:
    """What is heard, read as 'mixsafe links' reads it, and its true changes."""
    tracklets = read_feed(folder, truth="realID", crs="metres").tracklets
    rules = LinkRules(max_speed=80, max_gap=longest, error=1.0, fields=("heading", "speed"))
    problem, links = link(tracklets, rules), true_links(tracklets)
    pair = problem.owner.astype(np.int64) * len(tracklets) + problem.to
    links = links[np.isin(links[:, 0] * len(tracklets) + links[:, 1], pair)]
    speed = next(one for one in check_rules(tracklets, rules) if one.name == "speed")
    assert speed.sound, speed  # noqa: S101 -- the truth is a candidate
    true = np.full(len(tracklets), -1)
    true[links[:, 0]] = links[:, 1]
    return Changes(tracklets, problem, rules, true)


def plain_tracker(changes: Changes) -> Ints:
    """(n,) the pseudonym that a plain tracker names for each one that ends; -1: none."""
    tracklets, problem = changes.tracklets, changes.problem
    end, begin = problem.owner.astype(np.int64), problem.to.astype(np.int64)
    pairs = TrackletPairs(ComparedTracklets(tracklets), end, begin)
    features = dead_reckoning(tracklets, pairs, ("heading", "speed"))
    seconds, distance = features["seconds"], np.sqrt(pairs.squared_distance)
    speed, _ = pairs.of("speed")
    able = (distance <= 20 * np.sqrt(2) * seconds) & (features["turn"] <= 45)
    as_fast = np.abs(speed * seconds - distance) <= 2
    able &= as_fast | (distance <= 25 * seconds)
    some = np.flatnonzero(able)
    order = some[np.lexsort((distance[some], ~as_fast[some], end[some]))]
    first = np.unique(end[order], return_index=True)[1]
    named = np.full(len(tracklets), -1)
    named[end[order[first]]] = begin[order[first]]
    return named


def jpda(changes: Changes, some: Bools) -> Ints:
    """(n,) what JPDA of Stone Soup names for some of the pseudonyms that end; -1: none.

    A pseudonym that has ended is a track, one that begins is a detection of place and velocity.
    """
    from stonesoup.dataassociator.probability import JPDA
    from stonesoup.hypothesiser.probability import PDAHypothesiser
    from stonesoup.models.measurement.linear import LinearGaussian
    from stonesoup.models.transition.linear import (
        CombinedLinearGaussianTransitionModel,
        ConstantVelocity,
    )
    from stonesoup.predictor.kalman import KalmanPredictor
    from stonesoup.types.detection import Detection
    from stonesoup.types.state import GaussianState
    from stonesoup.types.track import Track
    from stonesoup.updater.kalman import KalmanUpdater

    tracklets, problem = changes.tracklets, changes.problem
    begun = datetime(2026, 1, 1, tzinfo=UTC)
    at = [begun + timedelta(seconds=int(second)) for second in range(HEARD[1] + 1)]
    model = CombinedLinearGaussianTransitionModel([ConstantVelocity(1.0), ConstantVelocity(1.0)])
    noise = np.diag([1.0, 0.5, 1.0, 0.5])
    measures = LinearGaussian(ndim_state=4, mapping=(0, 1, 2, 3), noise_covar=noise)
    hypothesiser = PDAHypothesiser(
        KalmanPredictor(model),
        KalmanUpdater(measures),
        clutter_spatial_density=1e-8,  # pseudonyms that begin anyhow, by place and velocity
        prob_detect=0.9 if changes.rules.max_gap == 1 else 0.2,
        prob_gate=0.999,
    )
    associator = JPDA(hypothesiser=hypothesiser)
    ends, begins = (_states(side) for side in (tracklets.ends, tracklets.begins))
    named = np.full(len(tracklets), -1)
    tracks = {
        int(one): Track([GaussianState(ends[one], noise, timestamp=at[tracklets.last[one]])])
        for one in np.flatnonzero(some)
    }
    first, owner, to = tracklets.first, problem.owner, problem.to
    order = np.flatnonzero(some[owner])
    for second in np.unique(first[to[order]]).tolist():
        links = order[(first[to[order]] == second) & (named[owner[order]] < 0)]
        links = links[_near(ends[owner[links]], begins[to[links]],
                            second - tracklets.last[owner[links]])]  # fmt: skip
        for group in _groups(owner[links], to[links]):
            detections = {
                int(one): Detection(begins[one], timestamp=at[second], measurement_model=measures)
                for one in np.unique(to[links][group])
            }
            number = {id(detection): one for one, detection in detections.items()}
            chosen = [tracks[int(one)] for one in np.unique(owner[links][group])]
            found = associator.associate(chosen, set(detections.values()), at[second])
            for one in np.unique(owner[links][group]).tolist():
                best = max(found[tracks[one]], key=lambda each: each.probability)
                if best and float(best.probability) > 0.5:
                    named[one] = number[id(best.measurement)]
    return named


def _states(side: Any) -> Floats:  # noqa: ANN401 -- Moments
    """(n, 4, 1) east, its speed, north, its speed, of messages."""
    metres = np.radians(1) * 6_371_000
    angle, speed = np.radians(90 - side.fields["heading"]), side.fields["speed"]
    return np.stack(
        [side.lon * metres, speed * np.cos(angle), side.lat * metres, speed * np.sin(angle)], 1
    )[:, :, None]


def _near(ends: Floats, begins: Floats, seconds: Ints) -> Bools:
    """(n,) pairs that are within four standard deviations of where the end leads."""
    spread = np.sqrt(2 + seconds**2 + seconds**3 / 3)
    off = begins[:, [0, 2], 0] - ends[:, [0, 2], 0] - ends[:, [1, 3], 0] * seconds[:, None]
    found: Bools = np.hypot(*off.T) <= 4 * spread
    return found


def _groups(owner: npt.NDArray[np.int32], to: npt.NDArray[np.int32]) -> list[Ints]:
    """Links by the groups that share no end and no beginning."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends, end = np.unique(owner, return_inverse=True)
    begins, begin = np.unique(to, return_inverse=True)
    size = len(ends) + len(begins)
    graph = coo_array((np.ones(len(end)), (end, len(ends) + begin)), shape=(size, size))
    label = connected_components(graph, directed=False)[1][end]
    return [np.flatnonzero(label == one) for one in np.unique(label)]


def row(changes: Changes) -> list[str]:
    """Cells of the table."""
    follower = Betting().on(changes.tracklets, changes.problem, changes.rules)
    named = follower.named("end")
    sure = np.where((named.link >= 0) & (named.belief >= 0.5), changes.problem.to[named.link], -1)
    low, high = follower.interval
    counts = np.diff(changes.problem.ptr)[changes.true >= 0]
    cells = [
        f"{len(counts):,}",
        f"{(counts == 1).mean():.1%}",
        f"{follower.counted or 0:.1%}",
        f"{follower.expected:.1%} ({low:.1%} to {high:.1%})",
        f"**{changes.f1(sure):.3f}**",
        f"{changes.f1(plain_tracker(changes)):.3f}",
    ]
    if find_spec("stonesoup") is None:
        return [*cells, ""]
    minute = changes.tracklets.last - HEARD[0] - MINUTE
    some = (minute >= 0) & (minute < 60) & (np.diff(changes.problem.ptr) > 0)
    theirs, ours = (changes.f1(one, some) for one in (jpda(changes, some), sure))
    return [*cells, f"{theirs:.3f} (follower {ours:.3f})"]


def main() -> None:
    """Make the table."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--keep", type=Path, help="folder for the tables of messages")
    asked.add_argument("--town", choices=TOWNS, default="grid", help="what SUMO makes a town of")
    asked.add_argument("--seed", type=int, default=1, help="of trips and of changes")
    asked.add_argument("--every", type=float, default=EVERY[-1], help="seconds between departures")
    asked.add_argument("--cars", type=Path, help="Parquet file with what SUMO makes")
    asked.add_argument("--scheme", choices=SCHEMES, action="append", help="of one rule alone")
    given = asked.parse_args()
    if find_spec("stonesoup") is None:
        print("JPDA is left out: pip install stonesoup", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        if given.cars is not None and given.cars.exists():
            cars = pd.read_parquet(given.cars)
        else:
            cars = records(given.every, Path(folder), given.town, given.seed)
            if given.cars is not None:
                cars.to_parquet(given.cars)
        print(
            "| antennas hear, silence, rule | changes | one candidate | named right | expected |"
            " F1 follower | F1 plain tracker | F1 JPDA, in one minute |"
        )
        print("| --- |" + " ---: |" * 7)
        for number, (part, silent, scheme) in enumerate(
            product((False, True), (False, True), given.scheme or SCHEMES)
        ):
            where = (given.keep or Path(folder)) / str(number)
            where.mkdir(parents=True)
            heard = write_messages(pseudonyms(cars, scheme, silent, given.seed), where, part)
            longest = (SILENCE[1] if silent else 1) if not part else ACROSS
            name = f"{'all' if not part else f'{heard:.0%}'}, {'3 to 13 s' if silent else 'none'}"
            cells = row(read_changes(where, longest))
            print(f"| {name}, {scheme} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
