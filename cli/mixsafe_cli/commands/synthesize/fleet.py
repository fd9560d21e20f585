"""``mixsafe synthesize fleet``: shared vehicles with known truth, and their feed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mixsafe.errors import InputError
from mixsafe_cli.options.checks import seconds
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.synthesize_options import Seed
from mixsafe_cli.options.targets import Quiet, check_folder_target, check_target
from mixsafe_cli.progress import progress
from mixsafe_cli.standard_streams import say_notes

if TYPE_CHECKING:
    from mixsafe.synthesize.sharing.shared_fleet import FleetSettings

_option = panel()


@dataclass(frozen=True)
class FleetOptions:
    """Options of the fleet and of its feed."""

    vehicles: int = _option("Vehicles in the fleet.", default=500, min=1)
    days: int = _option("Number of days.", default=7, min=1)
    area: float | None = _option("Town, km². Default: 40 vehicles per km².")
    rides: float = _option("Rides wanted per vehicle and day.", default=4.0)
    poll: str = _option("Time between snapshots.", default="5min")
    rotate: str = _option(
        "New ids: after each trip, never, each poll, every:30min, daily@04:00.", default="trip"
    )
    keep: str = _option("Fields that survive a rotation: uri,last_reported.", default="")
    charging: Literal["swap", "depot"] = _option(
        "Batteries: on the street, or overnight.", default="swap"
    )
    turnover: float = _option("Share of the fleet replaced per day.", default=0.005)

    @property
    def settings(self) -> FleetSettings:
        """What is made.

        Raises
        ------
        InputError
            A number out of its range, or an unknown word.
        """
        from mixsafe.synthesize.sharing.shared_fleet import FleetSettings

        return FleetSettings(
            vehicles=self.vehicles,
            days=self.days,
            area=self.area,
            rides=self.rides,
            poll=seconds("--poll", self.poll),
            rotate=self.rotate,
            keep=tuple(self.keep.split(",")) if self.keep else (),
            depot=self.charging == "depot",
            turnover=self.turnover,
        )


@takes_records
def fleet(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder, .tar.gz or .jsonl.")],
    fleet: FleetOptions,
    version: Literal["2.3", "3.0"] = _option("Version of GBFS.", default="2.3"),
    truth: bool = _option("Add the true vehicle to each record: _vehicle.", default=False),
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Shared scooters and bicycles, and their feed as GBFS snapshots.

    For example:

      mixsafe synthesize fleet --vehicles 200 --days 1 --seed 1 --truth -o feed

      mixsafe synthesize fleet --vehicles 2000 --version 3.0 -o feed.tar.gz
    """
    settings = fleet.settings
    if output.name.lower().endswith((".jsonl", ".tar.gz", ".tgz")):
        check_target("--output", output)
    elif output.suffix:
        hint = "name a folder, or end its name in .tar.gz or .jsonl"
        raise InputError(f"--output '{output.name}' is no feed", hint=hint)
    else:
        check_folder_target("--output", output)

    from mixsafe.io.gbfs.feed_writer import write_feed
    from mixsafe.synthesize.sharing.shared_fleet import shared_fleet

    with progress(quiet) as report:
        feed = shared_fleet(settings, seed=seed)
        write_feed(output, feed, version=version, truth=truth, progress=report)
    note = f"{settings.vehicles} vehicles, {settings.days} days, {feed.n_polls} snapshots: {output}"
    say_notes([note], quiet)
