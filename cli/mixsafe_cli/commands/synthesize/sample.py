"""``mixsafe synthesize sample``: virtual users and their traces, from a trained model."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError
from mixsafe.machinery.files import make_folder
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.synthesize_options import Crowd, Seed
from mixsafe_cli.options.targets import Quiet, check_target
from mixsafe_cli.progress import progress
from mixsafe_cli.standard_streams import say_notes

if TYPE_CHECKING:
    from mixsafe.io.contest.writing import Adder
    from mixsafe.model.mobility.complete_traces import TraceModel
    from mixsafe.model.progress import Progress
    from mixsafe.synthesize.ppmtf.virtual_users import SamplingPlan

_option = panel()


@dataclass(frozen=True)
class WalkOptions(Crowd):
    """Options of the walkers and their walks."""

    steps: int | None = _option("Locations per day. Default: one per time slot.", min=1)
    moves: int = _option("Metropolis-Hastings moves between two locations.", default=1, min=1)
    home: float = _option("Weight of a home region, morning and evening.", default=20.0, min=0.0)
    home_slots: int | None = _option("Time slots at home. Default: a sixth, either end.", min=1)
    skip_slots: int = _option("First time slots of each day to leave out.", default=0, min=0)
    seen_only: bool = _option(
        "Whether to draw only what the data show.", "--seen-only/--anything", default=True
    )
    seed: Seed = 0

    def plan(self, team: int) -> SamplingPlan:
        """The walks of a team, from 0."""
        from mixsafe.synthesize.ppmtf.virtual_users import SamplingPlan

        return SamplingPlan(**asdict(self), team=team)


@takes_records
def sample(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="What train has written.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="One file (.csv), or a folder for all teams.")
    ],
    walks: WalkOptions,
    reference_days: int | None = _option(
        "First days, which attackers get to know. Default: half.", min=1
    ),
    teams: int = _option("Teams: each gets other users.", default=1, min=1),
    challenge: str = _option(
        "What teams' files are for: IDP, TRP, or both, with other users.", default="IDP"
    ),
    workers: int = _option("Threads; 0: one per core.", default=0, min=0),
    quiet: Quiet = False,
) -> None:
    """Sample virtual users, and their traces, from a trained model (PPMTF+).

    Into a folder go, per team, reftraces_teamNNN_data01_IDP.csv with the reference days and
    orgtraces_teamNNN_data01_IDP.csv with the others; of the challenge TRP, data02_TRP. The result
    depends on the seed, not on --workers; of more users, the first ones are the same.

    For example:

      mixsafe synthesize sample model.npz --users 2000 --days 40 --teams 17 -o contest

      mixsafe synthesize sample model.npz --users 500 --days 1 --home 0 -o traces.csv
    """
    from mixsafe.io.traces.trace_model import read_model

    one_file, sets = output.suffix.lower() == ".csv", _data_sets(challenge)
    if one_file:
        _check_one_file(output, len(sets) * teams, reference_days)
    else:
        _check_folder(output, walks.days, reference_days)
    trained = read_model(model)
    walks.plan(0).slot_of_step(trained.n_slots)
    if not one_file:
        make_folder(output)
    for place, data_set in enumerate(sets):
        for team in range(teams):
            name = f"team{team + 1:03d}_{data_set}.csv"
            whole = [(output, walks.days)]
            parts = whole if one_file else _of_team(output, name, walks.days, reference_days)
            with progress(quiet) as report:
                _write(trained, walks.plan(place * teams + team), parts, workers, report)
    say_notes([f"{len(sets) * teams} x {walks.users} users, {walks.days} days: {output}"], quiet)


def _data_sets(challenge: str) -> list[str]:
    """The data sets of a challenge, or of both, as they are called in names of files."""
    from mixsafe.contest.tournament.challenges import CHALLENGES

    wanted = CHALLENGES if challenge == "both" else [CHALLENGES[challenge]]
    return [one.data_set for one in wanted]


def _check_one_file(output: Path, teams: int, reference_days: int | None) -> None:
    """Refuse what does not go into one file."""
    check_target("--output", output)
    if teams > 1 or reference_days is not None:
        raise InputError(
            "teams and reference days need a folder, not one file", file=output, hint="-o FOLDER"
        )


def _check_folder(folder: Path, days: int, reference_days: int | None) -> None:
    """Refuse days that cannot be divided, and a folder with other teams' files."""
    if days == 1 or (reference_days or 1) >= days:
        raise InputError(
            f"{days} days leave none to publish after the reference days",
            hint="give more --days, or one file (-o traces.csv)",
        )
    if folder.is_dir() and any(folder.glob("*traces_team*.csv")):
        raise InputError(
            "traces of teams are there already, which would be mixed with these",
            file=folder,
            hint="name another folder, or remove them",
        )


def _of_team(
    folder: Path, name: str, days: int, reference_days: int | None
) -> list[tuple[Path, int]]:
    """Files of a team, and how many days go into each."""
    first = days // 2 if reference_days is None else reference_days
    return [(folder / f"reftraces_{name}", first), (folder / f"orgtraces_{name}", days - first)]


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
    workers
        Threads; 0: one per core.
    """
    from mixsafe.io.contest.writing import region_stream
    from mixsafe.model.course import SolveLimits
    from mixsafe.model.mobility.complete_traces import TraceMatrix
    from mixsafe.synthesize.ppmtf.virtual_users import sample_blocks

    cores = SolveLimits(workers=workers).workers
    with ExitStack() as stack:
        begin, ends = 0, []
        streams: list[Adder] = []
        for block in sample_blocks(model, plan, workers=cores, progress=report):
            steps = block.shape[1] // plan.days
            if not streams:
                for path, days in parts:
                    ends.append((begin, begin + days * steps))
                    streams.append(stack.enter_context(region_stream(path)))
                    begin += days * steps
            for (first, last), add in zip(ends, streams, strict=True):
                add(TraceMatrix(block[:, first:last], first + 1))
