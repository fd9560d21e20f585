"""``mixsafe synthesize cabs``: cabs on a street grid, of one city or many."""

from __future__ import annotations

from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.synthesize_options import AnySeed, generator
from mixsafe_cli.options.targets import TABLE, OutputFile, Quiet, check_target
from mixsafe_cli.progress import write_pieces
from mixsafe_cli.standard_streams import say_notes

_option = panel()


@takes_records
def cabs(
    output: OutputFile,
    users: int = _option("Number of cabs.", default=36),
    steps: int = _option("Fixes per cab.", default=360),
    time_step: int = _option("Seconds between fixes.", default=60),
    cities: int | None = _option(
        "Spread the cabs over so many cities. Default: one, of more than 1,000 cabs one per 250.",
        min=1,
    ),
    seed: AnySeed = 0,
    quiet: Quiet = False,
) -> None:
    """Cabs on a street grid, with stands and an airport (CSV or Parquet, format table).

    For example:

      mixsafe synthesize cabs --users 500 --steps 1440 --seed 1 -o cabs.parquet

      mixsafe synthesize cabs --users 1000000 --steps 96 -o million.parquet
    """
    check_target("--output", output, kind=TABLE)
    generator(seed)

    from mixsafe.io.traces.table import table_stream
    from mixsafe.synthesize.scenarios.cabs import cities_for, fleets

    towns = cities_for(users) if cities is None else cities
    made = fleets(users, steps=steps, step_seconds=time_step, cities=towns, seed=seed)
    pieces = ((fleet, len(fleet.users)) for fleet in made)
    write_pieces(table_stream(output), pieces, "driving", users, quiet)
    where = "one city" if towns == 1 else f"{towns} cities"
    say_notes([f"{users} cabs in {where}, {steps} fixes each: {output}"], quiet)
