"""Studies of traces: what releases keep of them, where people are, and synthetic ones."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from benchmarks.contest_data import (
    ANONYMISERS,
    SEED,
    SUBMISSIONS,
    TEAMS,
    WORKERS,
    Team,
    anonymisers,
    labelled,
    read_teams,
)
from benchmarks.contest_exchange import cells_lost, share_lost
from benchmarks.contest_figures import draw_boxes, draw_homes, draw_rotations
from benchmarks.study import Study, Table, argument, table_of
from benchmarks.synthesis_figures import draw_populations, draw_synthesizers
from benchmarks.synthesizers import Synthesized, compare_synthesizers
from mixsafe.contest.base.parts import label
from mixsafe.contest.base.score import utility
from mixsafe.contest.measure.measures import Compared, Near, measured
from mixsafe.contest.measure.quality import Floats, Occupancy
from mixsafe.errors import InputError
from mixsafe.io.contest.reading import read_traces
from mixsafe.io.problems.side_tables import read_places
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells
from mixsafe.synthesize.ppmtf.train import TrainingSettings

NOISE = labelled("A4-4-1,A4-1-1,A4-0.1-1")
"""Obfuscations of the paper's figure 13 that everybody can repeat."""

OPENS, CLOSES = 8, 18
"""Hours at which a day of the contest begins and ends."""


def utility_of_team(options: Namespace, number: int, team: Team) -> Iterator[dict[str, object]]:
    """Measures of a team's submission and other releases, random regions and reference traces."""
    (_, original), rules, near = team, options.rules, places(options)
    for name, cells in releases_of_team(options, number, team):
        compared = Compared(original, cells, rules, options.seed, near)
        yield {
            "release": name,
            "team": number + 1,
            "s_U": utility(original, cells, rules).value,
            **measured(compared, "any"),
            **({} if near is None else measured(compared, "places")),
        }


def places(options: Namespace) -> Near | None:
    """Places that people ask for; None: POI accuracy is not measured."""
    if options.poi is None:
        return None
    return Near(read_places(options.poi, options.category), options.r1, options.r2)


def releases_of_team(options: Namespace, number: int, team: Team) -> Iterator[tuple[str, Cells]]:
    """Releases of a team by name; reference traces are repeated where they are too short."""
    (reference, original), rules = team, options.rules
    random = np.random.default_rng([options.seed, number])
    made = [
        (label(method), method.anonymise(original, rules, random))
        for method in anonymisers(options, NOISE)
    ]
    anywhere = random.integers(rules.regions.count, size=original.region.shape).astype(np.int32)
    if options.anonymisers is None:
        submission = SUBMISSIONS[number % len(SUBMISSIONS)]
        yield "Submission", submission.anonymise(original, rules, random)
    yield from made
    column = np.arange(original.n_steps) % reference.n_steps
    for name, region in (("Uniform", anywhere), ("Reference", reference.region[:, column])):
        yield name, Cells.of_regions(region.copy(), rules.regions.count, original.first_time)


def draw_utility(options: Namespace, found: list[dict[str, object]]) -> Figure:
    """Boxes over teams of each measure; the mean s_U of a release is in brackets."""
    scores: dict[str, list[float]] = {}
    for row in found:
        scores.setdefault(row["release"], []).append(row["s_U"])
    panels: dict[str, dict[str, list[float]]] = {}
    for row in found:
        release = f"{row['release']} [{np.mean(scores[row['release']]):.2f}]"
        for measure in list(row)[3:]:
            panels.setdefault(measure, {}).setdefault(release, []).append(row[measure])
    return draw_boxes(panels, "teams")


UTILITY = Study(
    "utility",
    "Utility of releases, of regions at random and of reference traces, boxes over teams: the "
    "paper's figure 13. A submission is another valid obfuscation for each team.",
    arguments=[
        *TEAMS,
        ANONYMISERS,
        SEED,
        argument("--poi", type=Path, help="places: lat,lon, category; for POI accuracy"),
        argument("--category", help="only places of it, such as food"),
        argument("--r1", type=float, default=1.0, help="places so near count, km"),
        argument("--r2", type=float, default=2.0, help="places so near are asked for, km"),
    ],
    cases=read_teams,
    findings=utility_of_team,
    table=lambda options, found: table_of(found),
    draw=draw_utility,
)


class Crowd(NamedTuple):
    """Traces that are counted.

    Parameters
    ----------
    synthetic
        Whether they are a team's, and not training traces.
    steps_per_day
        Times per day.
    """

    synthetic: bool
    traces: TraceMatrix
    steps_per_day: int


class Visits(NamedTuple):
    """(n_regions,) visits at one time of the day."""

    synthetic: bool
    visits: Floats


def crowds(options: Namespace) -> list[Crowd]:
    """The training traces, and all traces of teams."""
    training = read_traces(options.training, options.rules.regions.count)
    made = [traces for team in read_teams(options) for traces in team]
    return [
        Crowd(False, training, options.training_steps_per_day),
        *(Crowd(True, traces, options.rules.steps_per_day) for traces in made),
    ]


def visits_of(options: Namespace, number: int, crowd: Crowd) -> list[Visits]:
    """Visits of traces at the hour, however many steps their day has."""
    count, steps = options.rules.regions.count, crowd.steps_per_day
    passed = (options.hour - OPENS) / (CLOSES - OPENS)
    seen = Occupancy.of(crowd.traces, count, steps)
    shown = np.flatnonzero(seen.step_of_day == int(passed * steps + 1e-9))
    visits = np.bincount(crowd.traces.region[:, shown].reshape(-1), minlength=count).astype(float)
    return [Visits(crowd.synthetic, visits)]


def populations(found: list[Visits]) -> npt.NDArray[np.float64]:
    """(2, n_regions) shares of the training users, and of all virtual users; rows sum to 1.

    Raises
    ------
    InputError
        Nobody is anywhere.
    """
    total = np.stack(
        [
            sum(each.visits for each in found if each.synthetic == synthetic)
            for synthetic in (False, True)
        ]
    )
    if total.sum(axis=1).min() == 0:
        raise InputError("some traces have nobody at that time of the day")
    return np.asarray(total / total.sum(axis=1, keepdims=True))


def population_table(options: Namespace, found: list[Visits]) -> Table:
    """A row for each region, the most crowded first."""
    shares = populations(found)
    order = np.argsort(-shares.sum(axis=0), kind="stable").astype(np.int32)
    centres = options.rules.regions.centres(order)
    rows = [
        [int(region) + 1, *map(float, (*centre, *both))]
        for region, centre, both in zip(
            order, zip(*centres, strict=True), shares[:, order].T, strict=True
        )
    ]
    return Table(["reg_id", "lat", "lon", "training", "synthetic"], rows)


POPULATION = Study(
    "population",
    "Where people are at noon in the training traces and in those of all teams: the paper's "
    "figure 4.",
    arguments=[
        argument("training", metavar="TRAIN", type=Path, help="what a synthesizer trained on"),
        *TEAMS,
        argument("--training-steps-per-day", type=int, default=20, help="times per day of TRAIN"),
        argument("--hour", type=int, default=12, choices=range(OPENS, CLOSES), help="of the day"),
    ],
    cases=crowds,
    findings=visits_of,
    table=population_table,
    draw=lambda options, found: draw_populations(
        *populations(found), options.rules.regions, f"{options.hour}:00"
    ),
    conclude=lambda options, found: [
        f"correlation over regions: R = {np.corrcoef(populations(found))[0, 1]:.3f}"
    ],
    first=10,
)


def synthesizers_of_city(
    options: Namespace, number: int, city: tuple[str, TraceMatrix]
) -> list[tuple[str, Synthesized]]:
    """All synthesizers on one city."""
    name, traces = city
    compared = compare_synthesizers(
        traces,
        options.rules.regions,
        options.rules.steps_per_day,
        days=options.days,
        users=options.users,
        settings=TrainingSettings(iterations=options.iterations),
        seed=options.seed,
        workers=options.workers,
    )
    return [(name, each) for each in compared]


def city_traces(options: Namespace) -> list[tuple[str, TraceMatrix]]:
    """Cities by the names of their files."""
    count = options.rules.regions.count
    return [(path.stem, read_traces(path, count)) for path in options.cities]


def synthesizer_table(options: Namespace, found: list[tuple[str, Synthesized]]) -> Table:
    """A row for each city and synthesizer: quality, and diversity of its two teams."""
    rows = []
    for city, each in found:
        pairs = each.diversity
        of_two = ("", "", "") if pairs is None else (
            pairs.same, pairs.different, pairs.different_deviation
        )  # fmt: skip
        rows.append([city, each.synthesizer, *each.quality.to_dict().values(), *of_two])
    columns = ["city", "traces", "TP-TV-Top50", "TM-EMD", "VF-TV", "Same-TV", "Diff-TV", "SD"]
    return Table(columns, rows)


def draw_cities(options: Namespace, found: list[tuple[str, Synthesized]]) -> Figure:
    """Bars of each city."""
    cities: dict[str, list[Synthesized]] = {}
    for city, each in found:
        cities.setdefault(city, []).append(each)
    return draw_synthesizers(cities)


SYNTHESIZERS = Study(
    "synthesizers",
    "Diversity and utility of synthesizers by city, trained on four fifths of its users: the "
    "paper's figures 16 and 17.",
    arguments=[
        argument("cities", metavar="CITY", type=Path, nargs="+", help="traces of its people"),
        argument("--users", type=int, help="random users of each city; default: all"),
        argument("--days", type=int, default=20, help="of each virtual user"),
        argument("--iterations", type=int, default=100, help="sweeps of the Gibbs sampler"),
        SEED,
        WORKERS,
    ],
    cases=city_traces,
    findings=synthesizers_of_city,
    table=synthesizer_table,
    draw=draw_cities,
)


def share_at_home(options: Namespace, number: int, team: Team) -> list[Floats]:
    """Share of a team's users at home in the original traces, (steps_per_day,).

    Homes are not in the traces, and no single morning shows them for sure: a user who was out on
    that morning would never count as at home. So two days are compared. If a user is at home at
    the first step of a day with probability a, two mornings agree with probability a * a, and a
    later cell agrees with the morning of another day with probability a times the share at home.
    Cells that agree elsewhere than at home are taken to be none. A time of the day that the
    original traces do not have is NaN.

    Raises
    ------
    InputError
        Traces that have the first step of fewer than two days: there is no home hour to compare.
    """
    (reference, original), rules = team, options.rules
    region = np.hstack([reference.region, original.region])
    times = np.concatenate([reference.time_ids, original.time_ids])
    step, day = rules.step_of_day(times), (times - 1) // rules.steps_per_day
    first = np.flatnonzero(step == 0)
    if len(np.unique(day[first])) < 2:
        raise InputError("the traces have a home hour on fewer than two days")
    others = [first[day[first] != day[column]] for column in range(len(times))]
    agree = np.array(
        [
            np.mean(region[:, column, None] == region[:, other])
            for column, other in enumerate(others)
        ]
    )
    at_first = np.sqrt(agree[first].mean())
    shown = np.arange(reference.n_steps, len(times))
    count = np.bincount(step[shown], minlength=rules.steps_per_day)
    total = np.bincount(step[shown], agree[shown], rules.steps_per_day)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = total / count / at_first if at_first else np.where(count, 0.0, np.nan)
    return [np.minimum(share, 1.0)]


def home_table(options: Namespace, found: list[Floats]) -> Table:
    """A row for each step of the day: mean and range over teams."""
    rows = [
        [step, float(shares.mean()), float(shares.min()), float(shares.max())]
        for step, shares in enumerate(np.stack(found).T, 1)
    ]
    return Table(["step_of_day", "at_home", "lowest_team", "highest_team"], rows)


HOME = Study(
    "home",
    "Share of users at home by the time of the day, estimated from how often a cell agrees with "
    "the mornings of other days: the paper's figure 19.",
    arguments=TEAMS,
    cases=read_teams,
    findings=share_at_home,
    table=home_table,
    draw=lambda options, found: draw_homes(np.stack(found)),
)


def nearest_tracks(options: Namespace, number: int, team: Team) -> Iterator[Floats]:
    """(n_users,) what each user's cells lose if they are those of the nearest other, ascending."""
    _, original = team
    lost = cells_lost(original.region, share_lost(options.rules))
    np.fill_diagonal(lost, np.inf)
    yield np.sort(lost.min(axis=1)) / original.n_steps


def rotation_table(options: Namespace, found: list[Floats]) -> Table:
    """A row for each team: s_U if all, and users of whom it is the required one, at the most."""
    rows = []
    for number, lost in enumerate(found, 1):
        most = np.searchsorted(np.cumsum(lost) / len(lost), 1 - options.rules.required_utility)
        rows.append([number, float(1 - lost.mean()), float(most / len(lost))])
    return Table(["team", "s_U_all", "share_at_required"], rows)


ROTATION = Study(
    "rotation",
    "How many users can have another one's whole track at the required utility, at the most: each "
    "has that of the nearest other.",
    arguments=TEAMS,
    cases=read_teams,
    findings=nearest_tracks,
    table=rotation_table,
    draw=lambda options, found: draw_rotations(found, options.rules.required_utility),
)

TRACE_STUDIES = [UTILITY, POPULATION, SYNTHESIZERS, HOME, ROTATION]
