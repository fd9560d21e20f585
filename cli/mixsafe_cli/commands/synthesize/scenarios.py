"""``mixsafe synthesize``: synthetic traces for a contest or a test."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError
from mixsafe_cli.commands.synthesize import model as synthesize_model
from mixsafe_cli.commands.synthesize import sample as synthesize_sample
from mixsafe_cli.commands.synthesize.model import TRACES_ARE_CSV, check_ending
from mixsafe_cli.data.outputs import check_table_target, check_target, say_notes
from mixsafe_cli.options.options import Quiet

if TYPE_CHECKING:
    from numpy.random import Generator

app = typer.Typer(
    no_args_is_help=True,
    help="Make synthetic traces: nobody's data, the same ones for the same seed.",
)

app.command()(synthesize_model.train)
app.command()(synthesize_sample.sample)
app.command()(synthesize_model.sgd)
app.command()(synthesize_model.uniform)

Output = Annotated[Path, typer.Option("--output", "-o", help="File to write.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of everything random.")]


@app.command()
def town(
    output: Output,
    users: Annotated[int, typer.Option("--users", help="Number of users.")] = 200,
    days: Annotated[int, typer.Option("--days", help="Number of days.")] = 2,
    steps_per_day: Annotated[int, typer.Option("--steps-per-day", help="Steps of a day.")] = 20,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """A small town: homes, work places, a station where people meet (CSV, format contest).

    For example:

      mixsafe synthesize town --users 2000 --days 2 --seed 1 -o orgtraces.csv
    """
    check_target("--output", output)
    check_ending(output, ".csv", TRACES_ARE_CSV)
    generator = _generator(seed)

    from mixsafe.io.contest.writing import write_traces
    from mixsafe.synthesize.scenarios.town import town as make

    write_traces(output, make(users, days=days, steps_per_day=steps_per_day, random=generator))
    say_notes([f"{users} users, {days * steps_per_day} steps: {output}"], quiet)


@app.command()
def cabs(
    output: Output,
    users: Annotated[int, typer.Option("--users", help="Number of cabs.")] = 36,
    steps: Annotated[int, typer.Option("--steps", help="Fixes per cab.")] = 360,
    time_step: Annotated[int, typer.Option("--time-step", help="Seconds between fixes.")] = 60,
    cities: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Spread the cabs over so many cities; default: one, of more than 1,000 cabs one"
            " per 250.",
        ),
    ] = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Cabs on a street grid, with stands and an airport (CSV or Parquet, format table).

    For example:

      mixsafe synthesize cabs --users 500 --steps 1440 --seed 1 -o cabs.parquet

      mixsafe synthesize cabs --users 1000000 --steps 96 -o million.parquet
    """
    check_table_target("--output", output)
    _generator(seed)

    from mixsafe.io.traces.table_writer import table_stream
    from mixsafe.synthesize.scenarios.fleet import cities_for, fleets
    from mixsafe_cli.render.progress import progress

    towns = cities_for(users) if cities is None else cities
    made = fleets(users, steps=steps, step_seconds=time_step, cities=towns, seed=seed)
    with progress(quiet) as report, table_stream(output) as add:
        done = 0
        for fleet in made:
            add(fleet)
            done += len(fleet.users)
            report("driving", done, users)
    where = "one city" if towns == 1 else f"{towns} cities"
    say_notes([f"{users} cabs in {where}, {steps} fixes each: {output}"], quiet)


def _generator(seed: int) -> Generator:
    """The source of all chance."""
    if seed < 0:
        raise InputError(f"--seed {seed} is negative")
    from numpy.random import default_rng

    return default_rng(seed)
