"""``mixsafe contest tournament check``: what the judge committed to, and its replay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixsafe.errors import InputError
from mixsafe_cli.commands.contest.tournament import TournamentOptions, answer_of
from mixsafe_cli.options.contest_options import (
    Processes,
    QuietButResult,
    RegionFile,
    ReleaseRules,
    say,
)
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.targets import AnswerTargets
from mixsafe_cli.running.invocation import CommandLine
from mixsafe_cli.running.run import Run, running

if TYPE_CHECKING:
    from mixsafe.documents.document import Document
    from mixsafe.from_files.tournaments.commitment import JudgesSecret
    from mixsafe_cli.terminal import Part

_option = panel()


@dataclass(frozen=True)
class HeldTournament:
    """A tournament, and what it was made of."""

    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The tournament's folder, secret/ included.")
    ]
    teams: Annotated[
        Path | None,
        typer.Argument(
            metavar="TEAMS", help="TOML with the teams. Default: the example of mixsafe."
        ),
    ] = None
    data: Path | None = _option("The folder of data sets, if the tournament had one.")
    regions: RegionFile = None
    commitment: str | None = _option(
        "What the judge committed to, as you got it: a SHA-256, or a file that begins with one."
        " Default: public/judge.json.sha256 of the folder."
    )

    def committed(self) -> str:
        """The hash to compare with.

        Raises
        ------
        InputError
            There is none, or the folder has another one than is given.
        """
        from mixsafe.from_files.tournaments import commitment

        public = self.folder / commitment.COMMITMENT
        of_folder = commitment.read_commitment(public)
        if self.commitment is None:
            return of_folder
        file = Path(self.commitment)
        if file.is_file():
            given = commitment.read_commitment(file)
        else:
            given = commitment.as_commitment(self.commitment)
        if given != of_folder:
            raise InputError(f"it says {of_folder}, but --commitment {given}", file=public)
        return given

    def options(self, settings: dict[str, Any], workers: int) -> TournamentOptions:
        """The options that the tournament was held with.

        Raises
        ------
        InputError
            It had data sets, and they are not given.
        """
        if settings.get("data") is not None and self.data is None:
            hint = "give their folder with --data"
            raise InputError("the tournament had data sets", file=self.folder, hint=hint)
        towns = settings.get("towns") or {}
        return TournamentOptions(
            teams=self.teams,
            data=self.data,
            challenge=settings["challenge"],
            pseudonymization=settings["pseudonymization"],
            workers=workers,
            **towns if self.data is None else {},
        )

    def rules(self, settings: dict[str, Any]) -> ReleaseRules:
        """The rules that the tournament was held with."""
        return ReleaseRules(self.regions, settings["steps_per_day"], settings["required"])


@dataclass(frozen=True)
class CheckTargets(AnswerTargets):
    """Where the answer goes."""

    quiet: bool = False


@takes_records
def tournament_check(
    context: typer.Context,
    given: HeldTournament,
    workers: Processes = 0,
    quiet: QuietButResult = False,
) -> None:
    """Check that the judge of a tournament kept to the commitment, and replay the tournament.

    Before releases are handed in, the judge publishes a hash; at the end, what was hashed:
    secret/judge.json with seed, salt and settings. The check compares the two, the settings with
    teams and data, and then each file of the folder with what seed, data and submissions make.
    TEAMS names folders of submissions as in 'mixsafe contest tournament'.

    For example:

      mixsafe contest tournament check example

      mixsafe contest tournament check contest teams.toml --commitment judge.json.sha256

      mixsafe contest tournament check contest teams.toml --data traces

    Exit status: 0 the tournament is as the judge committed to, 2 it is not, or cannot be checked.
    """
    files = {"teams": given.teams, "data": given.data, "regions": given.regions}
    invocation = CommandLine(context.find_root().obj or (), files, {}, None)
    with running("contest tournament check", invocation, CheckTargets(quiet=quiet)) as run:
        document = _checked(given, workers, run)
    run.deliver([], _lines(document))


def _checked(given: HeldTournament, workers: int, run: Run[CommandLine]) -> Document:
    """Check everything, cheap things first.

    Raises
    ------
    InputError
        Names the first thing that is not as the judge committed to.
    """
    from mixsafe.contest.tournament.check_document import check_document
    from mixsafe.contest.tournament.tournament_document import tournament_document
    from mixsafe.from_files.tournaments import commitment, replay

    committed = given.committed()
    secret: JudgesSecret = commitment.check_commitment(given.folder, committed)
    settings = dict(secret.settings)
    options, rules = given.options(settings, workers), given.rules(settings)
    options.check()
    teams, _ = options.players()
    judge = given.folder / commitment.JUDGE
    replay.check_settings(judge, settings, options.settings(rules, teams))
    held, notes = options.hold(teams, secret.seed, rules.read(), run.report)
    for note in notes:
        say(note, run.target.quiet)
    standings = [one.standings.to_dict() for one in held]
    answer = answer_of(standings, tournament_document(standings))
    files = replay.check_files(given.folder, held, answer)
    names = [one.name for one in teams]
    return check_document(
        committed, own=given.commitment is not None, files=files, challenges=names
    )


def _lines(document: Document) -> Iterator[Part]:
    """The answer."""
    from mixsafe_cli.terminal import document_lines

    yield from document_lines([document])
