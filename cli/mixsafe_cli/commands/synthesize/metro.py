"""``mixsafe synthesize metro``: the people of one large city."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.synthesize_options import AnySeed, generator
from mixsafe_cli.options.targets import TABLE, Quiet, check_folder_target, check_target
from mixsafe_cli.progress import write_pieces
from mixsafe_cli.standard_streams import say_notes

_option = panel()


@takes_records
def metro(
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Table to write (.csv, .parquet), or a folder: a part per day."
        ),
    ],
    users: int = _option("Number of people.", default=10_000),
    steps: int = _option("Times at which everybody is somewhere.", default=96),
    step_minutes: int = _option("Minutes between them; days are 7:00 to 19:00.", default=30),
    seed: AnySeed = 0,
    quiet: Quiet = False,
) -> None:
    """People of one city, who commute on its streets and rails; its area grows with them.

    Steps of 30 minutes are 24 a day: 96 are four days. Regions are blocks of 100 m, ten people
    to each. Into a folder go day=1/part-0.parquet, day=2/part-0.parquet and so on.

    For example:

      mixsafe synthesize metro --users 10000 --steps 96 --seed 1 -o metro.parquet

      mixsafe synthesize metro --users 1000000 --steps 96 -o metro

      mixsafe synthesize metro --users 2000 --steps 144 --step-minutes 5 -o day.csv
    """
    to_folder = not output.suffix
    if to_folder:
        check_folder_target("--output", output)
    else:
        check_target("--output", output, kind=TABLE)
    generator(seed)

    from mixsafe.io.contest.writing import day_folder, region_stream
    from mixsafe.synthesize.scenarios.metro import Metropolis, steps_per_day
    from mixsafe.synthesize.scenarios.metro import metro as make

    daily = steps_per_day(step_minutes)
    pieces = make(users, steps=steps, step_minutes=step_minutes, seed=seed)
    stream = day_folder(output, steps, daily) if to_folder else region_stream(output)
    write_pieces(stream, ((some, some.n_users) for some in pieces), "commuting", users, quiet)
    side = Metropolis(users).side
    note = f"{users} people, {steps} steps, {daily} a day, in {side} x {side} regions: {output}"
    say_notes([note], quiet)
