"""``mixsafe synthesize ppmtf``: traces that resemble those of the training users, one by one."""

from __future__ import annotations

from mixsafe.errors import about
from mixsafe_cli.commands.synthesize.train import ModelOptions
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.synthesize_options import (
    LearningOptions,
    Seed,
    TracesFile,
    check_csv,
)
from mixsafe_cli.options.targets import OutputFile, Quiet
from mixsafe_cli.progress import progress
from mixsafe_cli.standard_streams import say_notes

_option = panel()


@takes_records
def ppmtf(
    traces: TracesFile,
    output: OutputFile,
    learning: LearningOptions,
    model: ModelOptions,
    days: int = _option("Days of each user.", default=1, min=1),
    moves: int = _option("Metropolis-Hastings moves between two locations.", default=1, min=1),
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Baseline: PPMTF, a user for each training user, from that user's own feature vector.

    PPMTF+ (train and sample) draws users from their distribution instead. Every user here tells of
    one training user: these traces are for comparisons.

    For example:

      mixsafe synthesize ppmtf traintraces.csv --steps-per-day 35 -o ppmtf.csv
    """
    check_csv(output)

    from mixsafe.io.contest.writing import write_traces
    from mixsafe.synthesize.ppmtf.train import train
    from mixsafe.synthesize.ppmtf.virtual_users import SamplingPlan, sample

    settings, known = model.settings, learning.read(traces)
    plan = SamplingPlan(known.n_users, days, moves=moves, home=0.0, seen_only=False, seed=seed)
    with progress(quiet) as report, about(traces):
        trained = train(known, settings, seed=seed, progress=report)
        sampled = sample(trained.model, plan, features=trained.features, progress=report)
    write_traces(output, sampled)
    say_notes([f"{known.n_users} users, {sampled.n_steps} steps: {output}"], quiet)
