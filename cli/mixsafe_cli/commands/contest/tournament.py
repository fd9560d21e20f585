"""``mixsafe contest tournament``: a contest among teams, with the judge's part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixsafe.contest.pseudonymizers import PSEUDONYMIZERS
from mixsafe.errors import InputError, about
from mixsafe.model.numerals import MOST_SEED
from mixsafe_cli.options.apart import Output, check_apart, named
from mixsafe_cli.options.contest_options import (
    ContestFolder,
    Processes,
    QuietButResult,
    ReleaseRules,
    say,
)
from mixsafe_cli.options.declaring import CheckedOptions, above_zero, excludes
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.targets import AnswerTargets, JsonTarget, PlotTarget
from mixsafe_cli.running.invocation import CommandLine, without_seed
from mixsafe_cli.running.json_answers import with_schema
from mixsafe_cli.running.run import running

if TYPE_CHECKING:
    from mixsafe.contest.base.rules import Rules
    from mixsafe.contest.tournament.challenges import Challenge
    from mixsafe.contest.tournament.teams import Contestant
    from mixsafe.documents.document import Document
    from mixsafe.from_files.tournaments.data_sets import SetSource
    from mixsafe.from_files.tournaments.holding import HeldChallenge
    from mixsafe_cli.progress import Report
    from mixsafe_cli.terminal import Part

_option = panel()


@dataclass(frozen=True)
class TournamentOptions(CheckedOptions):
    """Who takes part, and what the teams get."""

    teams: Annotated[
        Path | None,
        typer.Argument(
            metavar="TEAMS", help="TOML with the teams. Default: the example of mixsafe."
        ),
    ] = None
    data: Path | None = _option(
        "Folder of orgtraces_team001_data01_IDP.csv (TRP: data02_TRP) and reftraces… for each team,"
        " one more for the benchmark, and two with sample traces. Default: synthetic towns.",
        constraints=(excludes("users", "days", why="--data says who the users are"),),
    )
    users: int | None = _option("Users of each town. Default: 200.", constraints=(above_zero,))
    days: int | None = _option(
        "Days of reference traces, and of original ones. Default: 2.", constraints=(above_zero,)
    )
    challenge: str = _option(
        "both, or one: IDP (ID disclosure, ranked by s_R), TRP (trace inference, by s_T). Of both,"
        " those that --data has sets for.",
        default="both",
    )
    pseudonymization: str = _option(
        lambda: f"What the judge does. {PSEUDONYMIZERS.help()}.", default="shuffle"
    )
    seed: int | None = _option(
        "The judge's secret: whoever knows it undoes the releases. By default one that nobody can"
        " guess; it is kept in secret/judge.json, and used when the command is given again.",
        min=0,
        max=MOST_SEED,
    )
    workers: Processes = 0

    def check(self) -> None:
        """Refuse values that cannot be right."""
        super().check()
        if self.data is not None and not self.data.is_dir():
            raise InputError("--data is no folder", file=self.data)

    @property
    def source(self) -> SetSource:
        """Where the data sets come from."""
        from mixsafe.from_files.tournaments.data_sets import SetSource

        return SetSource(self.data, self.users or 200, self.days or 2)

    def settings(
        self, rules: ReleaseRules, teams: Mapping[Challenge, Sequence[Contestant]]
    ) -> dict[str, Any]:
        """What must not change between two calls for one folder."""
        from mixsafe.from_files.tournaments.commitment import settings_of

        told = {
            "challenge": self.challenge,
            "pseudonymization": self.pseudonymization,
            "steps_per_day": rules.steps_per_day,
            "required": rules.required,
        }
        return settings_of(told, self.source, rules.regions, teams)

    def players(self) -> tuple[dict[Challenge, list[Contestant]], list[str]]:
        """Teams of the challenges that are held, and notes on those that are not.

        Raises
        ------
        InputError
            There are no such challenges, or the file of teams cannot be used.
        """
        from mixsafe.from_files.tournaments.holding import challenges_with_data
        from mixsafe.from_files.tournaments.teams import read_teams

        challenges, not_held = challenges_with_data(self.challenge, self.data)
        return {one: read_teams(self.file, one) for one in challenges}, not_held

    @property
    def file(self) -> Path:
        """The file of teams."""
        from mixsafe.from_files.tournaments.teams import example

        return example() if self.teams is None else self.teams

    def hold(
        self,
        teams: Mapping[Challenge, Sequence[Contestant]],
        seed: int,
        rules: Rules,
        report: Report,
    ) -> tuple[list[HeldChallenge], list[str]]:
        """Hold the challenges, and return notes on data sets that nobody got.

        Raises
        ------
        InputError
            Data sets or submissions that cannot be used.
        """
        from mixsafe.from_files.tournaments.holding import hold_challenges

        with about(self.file):
            return hold_challenges(
                teams,
                self.source,
                seed,
                rules,
                pseudonymization=self.pseudonymization,
                workers=self.workers,
                progress=report,
            )

    def invocation(self, words: Sequence[str], rules: ReleaseRules) -> CommandLine:
        """What repeats the tournament, for whoever has the judge's seed; it is not told here."""
        files = {"teams": self.teams, "data": self.data, "regions": rules.regions}
        told = ("challenge", "data", "users", "days", "pseudonymization")
        settings = {
            **{name: getattr(self, name) for name in told},
            "steps-per-day": rules.steps_per_day,
            "required": rules.required,
            "judge's seed": "kept in secret/judge.json",
        }
        return CommandLine(without_seed(words), files, settings, None, (self,))


@dataclass(frozen=True)
class TournamentTargets(AnswerTargets):
    """Where the standings go, but for the folder."""

    json: JsonTarget = None
    plot: PlotTarget = None
    quiet: QuietButResult = False


@takes_records
def tournament(
    context: typer.Context,
    output: ContestFolder,
    options: TournamentOptions,
    rules: ReleaseRules,
    target: TournamentTargets,
) -> None:
    """Hold a contest: distribute traces, collect attacks, give awards.

    TEAMS, a TOML file, names the teams: built-in algorithms, Python code (module:name), or folders
    of files. There are two challenges with their own data and awards, IDP and TRP. The output
    folder gets distributed/ (each team's traces, and samples), public/ (reference traces, valid
    releases, and the hash of the judge's secret), secret/ (owners of pseudonyms, seed and salt),
    teams.csv, attacks.csv, tournament.json and tournament.png. With folders, run the command three
    times: at the start, after teams have submitted anotraces, and after they have attacked.
    'mixsafe contest tournament check' replays it. 'mixsafe report contest' makes a page of the
    folder.

    For example:

      mixsafe contest tournament -o example --seed 1

      mixsafe contest tournament teams.toml --data traces -o contest

      mixsafe contest tournament teams.toml --challenge TRP -o contest
    """
    from mixsafe.contest.tournament.tournament_document import tournament_document
    from mixsafe.from_files.tournaments import commitment, folder

    invocation = options.invocation(context.find_root().obj, rules)
    untold = replace(invocation, words=())  # whoever repeats it with its seed undoes the releases
    own = [Output(f"{name} of --output", output / name) for name in folder.FILES]
    check_apart([*own, *named(vars(target))], [options.teams, rules.regions])
    with running("contest tournament", untold, target) as run:
        kept = rules.read()
        teams, not_held = options.players()
        _say(not_held, target)
        secret = commitment.judges_secret(output, options.seed, options.settings(rules, teams))
        held, notes = options.hold(teams, secret.seed, kept, run.report)
    commitment.keep_secret(output, secret)
    commitment.publish_commitment(output, secret)
    standings = [one.standings.to_dict() for one in held]
    document = tournament_document(standings)
    found = {**answer_of(standings, document), "provenance": invocation.provenance()}
    folder.write_all(output, held, found)
    challenges = list(teams)
    notes += _draw(document, challenges, output / folder.PICTURE)
    if target.plot is not None:
        notes += _draw(document, challenges, target.plot)
    _say(notes, target)
    run.deliver([found], _lines(document, output))


def answer_of(standings: Sequence[dict[str, Any]], document: Document) -> dict[str, Any]:
    """The answer as a JSON object, without its provenance."""
    answer = {"challenges": standings, "document": document.to_dict()}
    return with_schema("contest tournament", answer)


def _say(notes: Iterable[str], target: TournamentTargets) -> None:
    """Print notes on standard error."""
    for note in notes:
        say(note, target.quiet)


def _draw(document: Document, challenges: Sequence[Challenge], picture: Path) -> list[str]:
    """Draw all challenges, and return notes on the picture."""
    from mixsafe.report.chart_figure import save_releases

    charts = document.charts
    if not charts:  # an earlier call may have had some
        picture.unlink(missing_ok=True)
    drawn = {chart.name for chart in charts}
    missing = [one.name for one in challenges if f"privacy-{one.name}" not in drawn]
    return save_releases(charts, picture, missing)


def _lines(document: Document, folder: Path) -> Iterator[Part]:
    """The answer, where its files are, and how it becomes a page."""
    from mixsafe_cli.terminal import command, document_lines

    yield from document_lines([document])
    yield f"Tables and files are in {folder}; secret/ is for the judge alone."
    yield "Commitment of the judge: public/judge.json.sha256, for all teams before they hand in."
    yield f"HTML page: {command('report', folder)}"
