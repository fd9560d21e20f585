"""``mixsafe synthesize uniform``: the baseline of places drawn from all regions alike."""

from __future__ import annotations

from mixsafe_cli.options.records import takes_records
from mixsafe_cli.options.synthesize_options import Crowd, DayLength, RegionCount, Seed, check_csv
from mixsafe_cli.options.targets import OutputFile, Quiet
from mixsafe_cli.standard_streams import say_notes


@takes_records
def uniform(
    output: OutputFile,
    crowd: Crowd,
    region_count: RegionCount = 1024,
    steps_per_day: DayLength = 20,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Baseline: every location drawn from all regions alike.

    For example:

      mixsafe synthesize uniform --users 1000 --days 2 -o uniform.csv
    """
    check_csv(output)

    import numpy as np

    from mixsafe.errors import InputError
    from mixsafe.extract.positions import MOST_STEPS
    from mixsafe.io.contest.writing import write_traces
    from mixsafe.synthesize.baselines import uniform as make

    random, steps = np.random.default_rng(seed), crowd.days * steps_per_day
    if steps > MOST_STEPS:
        raise InputError(f"--steps-per-day {steps_per_day} makes more steps than are counted")
    write_traces(output, make(crowd.users, steps, region_count, random))
    say_notes([f"{crowd.users} users, {steps} steps: {output}"], quiet)
