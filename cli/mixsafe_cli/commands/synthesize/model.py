"""``mixsafe synthesize``: train a model (PPMTF+), and the baselines sgd and uniform."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError
from mixsafe_cli.data.outputs import check_target, say_notes
from mixsafe_cli.options.options import Quiet
from mixsafe_cli.render.progress import progress

if TYPE_CHECKING:
    from mixsafe.synthesize.training import TrainingTraces

Training = Annotated[Path, typer.Argument(metavar="TRACES", help="user_id,time_id,reg_id.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="File to write.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")]
RegionCount = Annotated[
    int, typer.Option("--region-count", min=1, help="Number of regions: reg_id is 1 to this.")
]
StepsPerDay = Annotated[int, typer.Option("--steps-per-day", min=1, help="Times per day.")]
Slots = Annotated[
    int | None,
    typer.Option("--slots", min=1, help="Time slots per day; default: one per step."),
]
Users = Annotated[int, typer.Option("--users", min=1, help="Number of virtual users.")]
Days = Annotated[int, typer.Option("--days", min=1, help="Days of each user.")]

TRACES_ARE_CSV = "traces in regions are written as CSV"


def check_ending(path: Path, ending: str, why: str) -> None:
    """Refuse a file whose name says that it is of another kind.

    Raises
    ------
    InputError
        Its name ends otherwise.
    """
    if path.suffix.lower() != ending:
        hint = f"end its name in {ending}"
        raise InputError(f"--output '{path.name}' is of another kind: {why}", hint=hint)


def train(
    traces: Training,
    output: Annotated[Path, typer.Option("--output", "-o", help="Model to write (.npz).")],
    region_count: RegionCount = 1024,
    steps_per_day: StepsPerDay = 20,
    slots: Slots = None,
    features: Annotated[int, typer.Option(min=1, help="Length of a feature vector.")] = 16,
    alpha: Annotated[float, typer.Option(help="Precision of counts: how closely to fit.")] = 200.0,
    iterations: Annotated[int, typer.Option(min=1, help="Sweeps of the Gibbs sampler.")] = 100,
    largest: Annotated[int, typer.Option(min=1, help="Larger counts are cut down to it.")] = 10,
    cells: Annotated[int, typer.Option(min=1, help="Positive counts taken of each user.")] = 100,
    zeros: Annotated[int, typer.Option(min=0, help="Zero counts drawn for each user.")] = 1000,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Train PPMTF+ on traces: how people move, without any of the people.

    time_id 1 is the first step of a day; users may be nowhere at some times. The same seed gives
    the same model, byte for byte.

    For example:

      mixsafe synthesize train traintraces.csv --steps-per-day 35 -o model.npz
    """
    check_target("--output", output, (traces,))
    check_ending(output, ".npz", "a model is a NumPy archive")

    from mixsafe.io.traces.trace_model import write_model
    from mixsafe.synthesize.ppmtf.counts import CountLimits
    from mixsafe.synthesize.ppmtf.train import TrainingSettings
    from mixsafe.synthesize.ppmtf.train import train as train_model

    settings = TrainingSettings(features, alpha, iterations, CountLimits(largest, cells, zeros))
    known = _read(traces, region_count, steps_per_day, slots)
    with progress(quiet) as report:
        trained = train_model(known, settings, seed=seed, progress=report)
    write_model(output, trained.model)
    note = f"{known.n_users} users, {known.n_regions} regions, {known.n_slots} time slots: {output}"
    say_notes([note], quiet)


def sgd(
    traces: Training,
    output: Output,
    users: Users = 2000,
    days: Days = 4,
    region_count: RegionCount = 1024,
    steps_per_day: StepsPerDay = 20,
    slots: Slots = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Baseline: everybody moves by one transition matrix per time slot, learned from traces.

    For example:

      mixsafe synthesize sgd traintraces.csv --steps-per-day 35 --days 1 -o sgd.csv
    """
    check_target("--output", output, (traces,))
    check_ending(output, ".csv", TRACES_ARE_CSV)

    import numpy as np

    from mixsafe.io.contest.writing import write_traces
    from mixsafe.synthesize.baselines import sgd as make

    known = _read(traces, region_count, steps_per_day, slots)
    write_traces(output, make(known, users, days, np.random.default_rng(seed)))
    say_notes([f"{users} users, {days * known.n_slots} steps: {output}"], quiet)


def uniform(
    output: Output,
    users: Users = 2000,
    days: Days = 4,
    region_count: RegionCount = 1024,
    steps_per_day: StepsPerDay = 20,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Baseline: every location drawn from all regions alike.

    For example:

      mixsafe synthesize uniform --users 1000 --days 2 -o uniform.csv
    """
    check_target("--output", output)
    check_ending(output, ".csv", TRACES_ARE_CSV)

    import numpy as np

    from mixsafe.io.contest.writing import write_traces
    from mixsafe.synthesize.baselines import uniform as make

    random = np.random.default_rng(seed)
    write_traces(output, make(users, days * steps_per_day, region_count, random))
    say_notes([f"{users} users, {days * steps_per_day} steps: {output}"], quiet)


def _read(path: Path, region_count: int, steps_per_day: int, slots: int | None) -> TrainingTraces:
    """Training traces of a file."""
    from mixsafe.io.sources import load
    from mixsafe.model.mobility.traces import Traces
    from mixsafe.synthesize.training import TrainingTraces

    source = load(path)
    if not isinstance(source, Traces):
        raise InputError("these are no traces", file=path, hint="give user_id,time_id,reg_id")
    try:
        return TrainingTraces.of_traces(source, region_count, steps_per_day, slots)
    except InputError as error:
        hint = error.hint or "see --region-count and --slots"
        raise InputError(error.message, file=path, hint=hint) from None
