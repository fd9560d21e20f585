"""Synthesizers side by side on the traces of a city (contest paper, figures 16 and 17)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace

import numpy as np

from mixsafe.contest.measure.quality import Diversity, Occupancy, Quality, diversity, quality
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.synthesize.baselines import sgd, uniform
from mixsafe.synthesize.ppmtf.train import Trained, TrainingSettings, train
from mixsafe.synthesize.ppmtf.virtual_users import SamplingPlan, sample
from mixsafe.synthesize.training import TrainingTraces

REAL = "Real"
"""Name of the testing users' traces, among synthesizers."""

TRAINED = 0.8
"""Share of the users who are trained on (appendix B.1)."""


@dataclass(frozen=True)
class Synthesized:
    """How good the traces of one synthesizer are.

    Parameters
    ----------
    synthesizer
        Its name, or ``REAL``: the traces of testing users.
    quality
        Mean over the days of the first team's traces.
    diversity
        Of two teams; None of testing users, who are one team.
    """

    synthesizer: str
    quality: Quality
    diversity: Diversity | None


def compare_synthesizers(
    traces: TraceMatrix,
    regions: Regions,
    steps_per_day: int,
    *,
    days: int = 20,
    users: int | None = None,
    settings: TrainingSettings | None = None,
    seed: int = 1,
    workers: int = 1,
) -> list[Synthesized]:
    """Train on four fifths of the users, and measure what each synthesizer makes.

    Parameters
    ----------
    traces
        Of a city; time_id 1 is the first step of a day.
    steps_per_day
        Times per day, >= 1, each a time slot.
    days
        Of each virtual user, >= 1.
    users
        Random users who are taken of the city, >= 5; None: all.
    settings
        Of the training; default: those of the contest's experiments.
    seed
        Of everything.
    workers
        Threads that draw traces, >= 1.

    Raises
    ------
    InputError
        Fewer than five users, or a region that there is not.
    """
    taken = traces.n_users if users is None else min(users, traces.n_users)
    if taken < 5:
        raise InputError(f"{taken} users are too few to train on some and test others")
    random = np.random.default_rng(seed)
    chosen = random.permutation(traces.n_users)[:taken]
    cut = int(TRAINED * taken)
    training, testing = (
        replace(traces, region=traces.region[np.sort(some)])
        for some in (chosen[:cut], chosen[cut:])
    )
    known = TrainingTraces.of_matrix(training, regions.count, steps_per_day)
    trained = train(known, settings, seed=seed)
    seen = Occupancy.of(training, regions.count, steps_per_day)
    found = []
    for name, teams in synthesized(known, trained, days, seed=seed, workers=workers):
        pair = [Occupancy.of(team, regions.count, steps_per_day) for team in teams]
        found.append(Synthesized(name, daily_quality(seen, teams[0], regions), diversity(*pair)))
    return [*found, Synthesized(REAL, daily_quality(seen, testing, regions), None)]


def synthesized(
    known: TrainingTraces, trained: Trained, days: int, *, seed: int = 1, workers: int = 1
) -> Iterator[tuple[str, list[TraceMatrix]]]:
    """Traces of two teams of each synthesizer, with as many users as were trained on.

    PPMTF+ comes in three ways: anything is possible, as in the paper's experiments; only what some
    training user did, as in the contest's traces; and the same with six moves to the next location.
    """
    random, n_users = np.random.default_rng(seed), known.n_users
    n_steps = days * known.n_slots
    yield "Uniform", [uniform(n_users, n_steps, known.n_regions, random) for _ in range(2)]
    yield "SGD", [sgd(known, n_users, days, random) for _ in range(2)]
    free = SamplingPlan(n_users, days, seed=seed, seen_only=False)
    seen = SamplingPlan(n_users, days, seed=seed)
    for name, plan, features in (
        ("PPMTF", free, trained.features),
        ("PPMTF+, anything", free, None),
        ("PPMTF+, seen only", seen, None),
        ("PPMTF+, seen only, 6 moves", replace(seen, moves=6), None),
    ):
        plans = [replace(plan, team=team) for team in (0, 1)]
        yield (
            name,
            [sample(trained.model, it, features=features, workers=workers) for it in plans],
        )


def daily_quality(known: Occupancy, traces: TraceMatrix, regions: Regions) -> Quality:
    """TP-TV-Top50, TM-EMD and VF-TV of each day of some traces, and their means (appendix B.2)."""
    steps = known.steps_per_day
    days = np.split(traces.region, traces.n_steps // steps, axis=1)
    found = [
        quality(known, Occupancy.of(TraceMatrix(day), regions.count, steps), regions)
        for day in days
    ]
    return Quality(*np.mean([astuple(one) for one in found], axis=0).tolist())
