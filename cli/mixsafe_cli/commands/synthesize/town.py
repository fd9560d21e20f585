"""``mixsafe synthesize town``: homes, work places, a station."""

from __future__ import annotations

from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.synthesize_options import AnySeed, check_csv, generator
from mixsafe_cli.options.targets import OutputFile, Quiet
from mixsafe_cli.standard_streams import say_notes

_option = panel()


@takes_records
def town(
    output: OutputFile,
    users: int = _option("Number of users.", default=200),
    days: int = _option("Number of days.", default=2),
    steps_per_day: int = _option("Steps of a day.", default=20),
    seed: AnySeed = 0,
    quiet: Quiet = False,
) -> None:
    """A small town: homes, work places, a station where people meet (CSV, format contest).

    For example:

      mixsafe synthesize town --users 2000 --days 2 --seed 1 -o orgtraces.csv
    """
    check_csv(output)
    random = generator(seed)

    from mixsafe.io.contest.writing import write_traces
    from mixsafe.synthesize.scenarios.town import town as make

    write_traces(output, make(users, days=days, steps_per_day=steps_per_day, random=random))
    say_notes([f"{users} users, {days * steps_per_day} steps: {output}"], quiet)
