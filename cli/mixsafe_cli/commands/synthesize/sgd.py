"""``mixsafe synthesize sgd``: the baseline of one transition matrix for everybody."""

from __future__ import annotations

from mixsafe_cli.options.records import takes_records
from mixsafe_cli.options.synthesize_options import (
    Crowd,
    LearningOptions,
    Seed,
    TracesFile,
    check_csv,
)
from mixsafe_cli.options.targets import OutputFile, Quiet
from mixsafe_cli.standard_streams import say_notes


@takes_records
def sgd(
    traces: TracesFile,
    output: OutputFile,
    crowd: Crowd,
    learning: LearningOptions,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Baseline: everybody moves by one transition matrix per time slot, learned from traces.

    For example:

      mixsafe synthesize sgd traintraces.csv --steps-per-day 35 --days 1 -o sgd.csv
    """
    check_csv(output)

    import numpy as np

    from mixsafe.io.contest.writing import write_traces
    from mixsafe.synthesize.baselines import sgd as make

    known = learning.read(traces)
    write_traces(output, make(known, crowd.users, crowd.days, np.random.default_rng(seed)))
    say_notes([f"{crowd.users} users, {crowd.days * known.n_slots} steps: {output}"], quiet)
