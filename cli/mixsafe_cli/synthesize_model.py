"""``mixsafe synthesize``: train and sample (PPMTF+), and the baselines sgd and uniform."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError
from mixsafe_cli.contest_options import make_folder
from mixsafe_cli.options import Quiet
from mixsafe_cli.outputs import check_target, say_notes
from mixsafe_cli.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from mixsafe.io.contest_stream import Regions
    from mixsafe.model.trace_model import TraceModel
    from mixsafe.synthesize.ppmtf_gibbs import Progress
    from mixsafe.synthesize.ppmtf_sample import SamplingPlan
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

    from mixsafe.io.trace_model import write_model
    from mixsafe.synthesize.ppmtf import TrainingSettings
    from mixsafe.synthesize.ppmtf import train as train_model
    from mixsafe.synthesize.ppmtf_counts import CountLimits

    settings = TrainingSettings(features, alpha, iterations, CountLimits(largest, cells, zeros))
    known = _read(traces, region_count, steps_per_day, slots)
    with progress(quiet) as report:
        trained = train_model(known, settings, seed=seed, progress=report)
    write_model(output, trained.model)
    note = f"{known.n_users} users, {known.n_regions} regions, {known.n_slots} time slots: {output}"
    say_notes([note], quiet)


def sample(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="What train has written.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="One file (.csv), or a folder for all teams.")
    ],
    users: Users = 2000,
    days: Days = 4,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Locations per day; default: one per time slot.")
    ] = None,
    reference_days: Annotated[
        int | None,
        typer.Option(min=1, help="First days, which attackers get to know; default: half."),
    ] = None,
    teams: Annotated[int, typer.Option(min=1, help="Teams: each gets other users.")] = 1,
    moves: Annotated[
        int, typer.Option(min=1, help="Metropolis-Hastings moves between two locations.")
    ] = 1,
    home: Annotated[
        float, typer.Option(min=0.0, help="Weight of a home region, morning and evening.")
    ] = 20.0,
    home_slots: Annotated[
        int | None, typer.Option(min=1, help="Time slots at home; default: a sixth at either end.")
    ] = None,
    skip_slots: Annotated[
        int, typer.Option(min=0, help="First time slots of each day to leave out of the files.")
    ] = 0,
    seen_only: Annotated[
        bool,
        typer.Option("--seen-only/--anything", help="Whether to do only what somebody did."),
    ] = True,
    seed: Seed = 0,
    workers: Annotated[int, typer.Option(min=0, help="Threads; 0: one per core.")] = 0,
    quiet: Quiet = False,
) -> None:
    """Sample virtual users, and their traces, from a trained model (PPMTF+).

    Into a folder go, per team, reftraces_teamNNN_data01_IDP.csv with the reference days and
    orgtraces_teamNNN_data01_IDP.csv with the others. The result depends on the seed, not on
    --workers; of more users, the first ones are the same.

    For example:

      mixsafe synthesize sample model.npz --users 2000 --days 40 --teams 17 -o contest

      mixsafe synthesize sample model.npz --users 500 --days 1 --home 0 -o traces.csv
    """
    from mixsafe.io.trace_model import read_model
    from mixsafe.model.limits import SolveLimits
    from mixsafe.synthesize.ppmtf_sample import SamplingPlan

    one_file = output.suffix.lower() == ".csv"
    if one_file:
        _check_one_file(output, model, teams, reference_days)
    elif days == 1 or (reference_days or 1) >= days:
        raise InputError(
            f"{days} days leave none to publish after the reference days",
            hint="give more --days, or one file (-o traces.csv)",
        )
    trained = read_model(model)
    SamplingPlan(users, days, steps, skip_slots=skip_slots).slot_of_step(trained.n_slots)
    cores = SolveLimits(workers=workers).workers
    first = days // 2 if reference_days is None else reference_days
    if not one_file:
        make_folder(output)
    for team in range(teams):
        plan = SamplingPlan(
            users, days, steps, moves, skip_slots, home, home_slots, seen_only, seed, team
        )
        name = f"team{team + 1:03d}_data01_IDP.csv"
        with progress(quiet) as report:
            if one_file:
                _write(trained, plan, [(output, days)], cores, report)
            else:
                parts = [(output / f"reftraces_{name}", first)]
                parts.append((output / f"orgtraces_{name}", days - first))
                _write(trained, plan, parts, cores, report)
    say_notes([f"{teams} x {users} users, {days} days: {output}"], quiet)


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

    import numpy as np

    from mixsafe.io.contest_writers import write_traces
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

    import numpy as np

    from mixsafe.io.contest_writers import write_traces
    from mixsafe.synthesize.baselines import uniform as make

    random = np.random.default_rng(seed)
    write_traces(output, make(users, days * steps_per_day, region_count, random))
    say_notes([f"{users} users, {days * steps_per_day} steps: {output}"], quiet)


def _read(path: Path, region_count: int, steps_per_day: int, slots: int | None) -> TrainingTraces:
    """Training traces of a file."""
    from mixsafe.io.sources import load
    from mixsafe.model.traces import Traces
    from mixsafe.synthesize.training import TrainingTraces

    source = load(path)
    if not isinstance(source, Traces):
        raise InputError("these are no traces", file=path, hint="give user_id,time_id,reg_id")
    try:
        return TrainingTraces.of_traces(source, region_count, steps_per_day, slots)
    except InputError as error:
        hint = error.hint or "see --region-count and --slots"
        raise InputError(error.message, file=path, hint=hint) from None


def _check_one_file(output: Path, model: Path, teams: int, reference_days: int | None) -> None:
    """Refuse what does not go into one file."""
    check_target("--output", output, (model,))
    if teams > 1 or reference_days is not None:
        raise InputError(
            "teams and reference days need a folder, not one file", file=output, hint="-o FOLDER"
        )


def _write(
    model: TraceModel,
    plan: SamplingPlan,
    parts: list[tuple[Path, int]],
    workers: int,
    report: Progress,
) -> None:
    """Write a team's days to one file after the other, as they are made.

    Parameters
    ----------
    parts
        Files, and how many days go into each.
    """
    from mixsafe.io.contest_stream import trace_stream
    from mixsafe.synthesize.ppmtf_sample import sample_blocks

    with ExitStack() as stack:
        begin, ends = 0, []
        streams: list[Callable[[Regions], None]] = []
        for block in sample_blocks(model, plan, workers=workers, progress=report):
            steps = block.shape[1] // plan.days
            if not streams:
                for path, days in parts:
                    ends.append((begin, begin + days * steps))
                    streams.append(stack.enter_context(trace_stream(path, begin + 1)))
                    begin += days * steps
            for (first, last), add in zip(ends, streams, strict=True):
                add(block[:, first:last])
