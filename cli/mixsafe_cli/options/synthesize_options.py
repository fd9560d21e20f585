"""Common options of commands that synthesize traces: users, training traces, files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError
from mixsafe.model.numerals import MOST_SEED
from mixsafe_cli.options.records import panel
from mixsafe_cli.options.targets import check_target

if TYPE_CHECKING:
    from numpy.random import Generator

    from mixsafe.synthesize.training import TrainingTraces

_option = panel()

TracesFile = Annotated[Path, typer.Argument(metavar="TRACES", help="user_id,time_id,reg_id.")]
RegionCount = Annotated[
    int, typer.Option("--region-count", min=1, help="Number of regions: reg_id is 1 to this.")
]
DayLength = Annotated[int, typer.Option("--steps-per-day", min=1, help="Times per day.")]
Seed = Annotated[
    int, typer.Option("--seed", min=0, max=MOST_SEED, help="Seed of everything random.")
]
AnySeed = Annotated[int, typer.Option("--seed", max=MOST_SEED, help="Seed of everything random.")]


@dataclass(frozen=True)
class Crowd:
    """Options of the synthetic users and days."""

    users: int = _option("Number of virtual users.", default=2000, min=1)
    days: int = _option("Days of each user.", default=4, min=1)


@dataclass(frozen=True)
class LearningOptions:
    """Options for reading training traces."""

    region_count: RegionCount = 1024
    steps_per_day: DayLength = 20
    slots: int | None = _option("Time slots per day. Default: one per step.", min=1)

    def read(self, path: Path) -> TrainingTraces:
        """Training traces of a file.

        Raises
        ------
        InputError
            The file holds no traces, or others than the options say.
        """
        from mixsafe.io.sources import load
        from mixsafe.model.mobility.traces import Traces
        from mixsafe.synthesize.training import TrainingTraces

        source = load(path)
        if not isinstance(source, Traces):
            raise InputError("these are no traces", file=path, hint="give user_id,time_id,reg_id")
        try:
            return TrainingTraces.of_traces(
                source, self.region_count, self.steps_per_day, self.slots
            )
        except InputError as error:
            hint = error.hint or "see --region-count and --slots"
            raise InputError(error.message, file=path, hint=hint) from None


def generator(seed: int) -> Generator:
    """The source of all chance.

    Raises
    ------
    InputError
        The seed is negative.
    """
    if seed < 0:
        raise InputError(f"--seed {seed} is negative")
    from numpy.random import default_rng

    return default_rng(seed)


def check_csv(path: Path) -> None:
    """Refuse a file of traces in regions that cannot be written, or is of another kind by its name.

    Raises
    ------
    InputError
        As :func:`mixsafe_cli.options.targets.check_target`, or its name does not end in .csv.
    """
    check_target("--output", path)
    check_ending(path, ".csv", "traces in regions are written as CSV")


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
