"""``mixsafe contest tournament``: a contest among teams, with the judge's part."""

from __future__ import annotations

import json as json_text
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixsafe.contest.pseudonymizers import PSEUDONYMIZERS
from mixsafe.errors import InputError
from mixsafe.io.files.together import make_folder
from mixsafe_cli.data.contest_teams import example, read_teams
from mixsafe_cli.data.outputs import (
    STDOUT,
    check_different,
    check_picture_target,
    check_target,
    write_answers,
)
from mixsafe_cli.options.checks import check_positive, refuse_together
from mixsafe_cli.options.contest_options import (
    ContestFolder,
    Processes,
    QuietButResult,
    ReleaseRules,
    say,
)
from mixsafe_cli.options.records import takes_records
from mixsafe_cli.options.targets import JsonTarget, PlotTarget
from mixsafe_cli.render.progress import progress

if TYPE_CHECKING:
    from mixsafe.contest.base.rules import Rules
    from mixsafe.contest.tournament.hold import DataSet
    from mixsafe.contest.tournament.standings import Standings


@dataclass(frozen=True)
class TournamentOptions:
    """Who takes part, and what the teams get."""

    teams: Annotated[
        Path | None,
        typer.Argument(
            metavar="TEAMS", help="TOML with the teams. Default: the example of mixsafe."
        ),
    ] = None
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder of orgtraces_team001….csv and reftraces_team001….csv for each team, and"
            " one more for the benchmark. Default: a synthetic town for each."
        ),
    ] = None
    users: Annotated[int | None, typer.Option(help="Users of each town. Default: 200.")] = None
    days: Annotated[
        int | None, typer.Option(help="Days of reference traces, and of original ones. Default: 2.")
    ] = None
    pseudonymization: Annotated[
        str, typer.Option(help=f"What the judge does. {PSEUDONYMIZERS.told()}.")
    ] = "shuffle"
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="The judge's secret: whoever knows it undoes the releases. By default one that"
            " nobody can guess; it is kept in secret/judge.json, and used when the command is"
            " given again.",
        ),
    ] = None
    workers: Processes = 0

    def check(self) -> None:
        """Refuse values that cannot be right."""
        check_positive("--users", self.users)
        check_positive("--days", self.days)
        if self.data is not None:
            refuse_together(
                {"--users": self.users, "--days": self.days}, "--data says who the users are"
            )
            if not self.data.is_dir():
                raise InputError("--data is no folder", file=self.data)

    def settings(self, steps_per_day: int) -> dict[str, Any]:
        """What must not change between two calls for one folder."""
        town = None if self.data is not None else [self.users or 200, self.days or 2]
        return {
            "data": None if self.data is None else str(self.data),
            "town": town,
            "steps_per_day": steps_per_day,
            "pseudonymization": self.pseudonymization,
        }

    def provenance(self, words: Sequence[str], rules: ReleaseRules) -> dict[str, Any]:
        """What repeats the tournament, for whoever has the judge's seed; it is not told here."""
        from mixsafe_cli.data.digests import CommandLine

        hidden = ["--seed=SECRET" if word.startswith("--seed=") else word for word in words]
        hidden = ["SECRET" if before == "--seed" else word
                  for before, word in zip(["", *hidden], hidden, strict=False)]  # fmt: skip
        files = {"teams": self.teams, "data": self.data, "regions": rules.regions}
        settings = {
            "data": self.data,
            "users": self.users,
            "days": self.days,
            "pseudonymization": self.pseudonymization,
            "steps-per-day": rules.steps_per_day,
            "required": rules.required,
            "judge's seed": "kept in secret/judge.json",
        }
        return CommandLine(hidden, files, settings).provenance(None)


@dataclass(frozen=True)
class TournamentTargets:
    """Where the standings go, but for the folder."""

    json: JsonTarget = None
    plot: PlotTarget = None
    quiet: QuietButResult = False

    def check(self, teams: Path | None) -> None:
        """Refuse targets that could not be written, or that are one file."""
        check_target("--json", self.json, (teams,))
        check_picture_target("--plot", self.plot, (teams,))
        check_different({"--json": self.json, "--plot": self.plot})


@takes_records
def tournament(
    context: typer.Context,
    output: ContestFolder,
    options: TournamentOptions,
    rules: ReleaseRules,
    target: TournamentTargets,
) -> None:
    """Hold a contest: distribute traces, check and pseudonymize, collect attacks, give awards.

    Teams are built-in algorithms, Python code (module:name) or folders of files, which the TOML
    file says. The output folder gets distributed/ (each team's own traces), public/ (reference
    traces and valid releases), secret/ (who is who), teams.csv, attacks.csv, tournament.json, and
    tournament.png. With folders, give the command three times: before the teams
    have anything, when they have handed in anotraces, and when they have attacked.

    For example:

      mixsafe contest tournament -o example --seed 1

      mixsafe contest tournament teams.toml --data traces -o contest

    'mixsafe report contest' makes a page of the folder.
    """
    from mixsafe.contest.tournament.hold import Tournament, hold
    from mixsafe.model.limits import SolveLimits

    options.check()
    target.check(options.teams)
    kept = rules.read()
    teams = read_teams(example() if options.teams is None else options.teams)
    fixed = options.settings(rules.steps_per_day)
    seed = _seed(output, options.seed, fixed)
    with progress(target.quiet) as report:
        report("making data sets", 0, 0)
        sets = _sets(options, seed, len(teams), kept)
        held = Tournament(teams, sets, kept, seed, options.pseudonymization)
        cores = SolveLimits(workers=options.workers).workers
        standings, published = hold(held, workers=cores, progress=report)
    from mixsafe_cli.data.tournament_files import write_all

    _keep_seed(output, seed, fixed)
    made = options.provenance(context.find_root().obj, rules)
    found = {**standings.to_dict(), "provenance": made}
    notes = write_all(output, held, standings, published, found)
    _deliver(standings, found, notes, output, target)


def _deliver(
    standings: Standings,
    found: dict[str, Any],
    notes: list[str],
    folder: Path,
    target: TournamentTargets,
) -> None:
    """Write the standings where else they are wanted, and tell people."""
    if target.json is not None:
        write_answers(target.json, [found], lines=False)
    if target.plot is not None:
        from mixsafe.report.pages.contest_page import tournament_corner, tournament_points
        from mixsafe_cli.data.contest_pictures import draw_releases

        notes += draw_releases(tournament_points(found), target.plot, tournament_corner(found))
    for note in notes:
        say(note, target.quiet)
    if not target.quiet and target.json != STDOUT:
        from mixsafe_cli.render.render_tournament import show

        show(standings, folder)


def _sets(options: TournamentOptions, seed: int, n_teams: int, rules: Rules) -> list[DataSet]:
    """Data sets of the teams, and of the benchmark."""
    from mixsafe.contest.tournament.hold import DataSet
    from mixsafe.io.contest.reading import read_traces
    from mixsafe.io.contest.submissions import find_sets

    count = rules.regions.count
    if options.data is not None:
        return [
            DataSet(read_traces(original, count), read_traces(reference, count))
            for original, reference in find_sets(options.data)
        ]
    import numpy as np

    from mixsafe.model.mobility.trace_matrix import TraceMatrix
    from mixsafe.synthesize.scenarios.town import GRID, town

    if count != GRID**2:
        raise InputError(f"towns have {GRID**2} regions", hint="give --data for other regions")
    users, days = options.users or 200, options.days or 2
    half, steps = days * rules.steps_per_day, rules.steps_per_day
    sets = []
    for number in range(n_teams + 1):
        # The judge's streams have three numbers or four, the towns' have two.
        random = np.random.default_rng([seed, number])
        region = town(users, days=2 * days, steps_per_day=steps, random=random).region
        reference = TraceMatrix(region[:, :half].copy())
        sets.append(DataSet(TraceMatrix(region[:, half:].copy(), half + 1), reference))
    return sets


def _seed(folder: Path, given: int | None, settings: dict[str, Any]) -> int:
    """The seed that was given, or that of the tournament in the folder, or a new one.

    Raises
    ------
    InputError
        The folder holds another tournament.
    """
    kept = folder / "secret" / "judge.json"
    if not kept.exists():
        return secrets.randbits(128) if given is None else given
    try:
        found = json_text.loads(kept.read_text(encoding="utf-8"))
        seed = int(found.pop("seed"))
    except (ValueError, KeyError, AttributeError):
        raise InputError("this is not what the judge keeps", file=kept) from None
    if found != settings or given not in (None, seed):
        raise InputError(
            "the folder holds a tournament of another seed or other settings",
            file=folder,
            hint="use another folder",
        )
    return seed


def _keep_seed(folder: Path, seed: int, settings: dict[str, Any]) -> None:
    """Keep the seed for the next call, where nobody but the judge can read it."""
    from mixsafe.io.files.atomic import write_text

    make_folder(folder / "secret")
    (folder / "secret").chmod(0o700)
    text = json_text.dumps({"seed": seed, **settings}, indent=2)
    write_text(folder / "secret" / "judge.json", f"{text}\n")
