"""``mixsafe weigh``: how likely each candidate is, not only how many there are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError, about
from mixsafe_cli.options import shared
from mixsafe_cli.options.audit_options import OutsideOptions
from mixsafe_cli.options.checks import check_file, moment
from mixsafe_cli.options.declaring import CheckedOptions, a_share
from mixsafe_cli.options.question_options import AdversaryOptions, QuestionOptions
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.source_options import SourceOptions
from mixsafe_cli.options.targets import (
    AnswerTargets,
    JsonTarget,
    Quiet,
    ResumeFolder,
    table_option,
)
from mixsafe_cli.running.invocation import CommandLine, Invocation
from mixsafe_cli.running.resources import kept
from mixsafe_cli.running.run import Run, prepare_problems, running
from mixsafe_cli.running.verified_result import as_verified

if TYPE_CHECKING:
    from mixsafe.model.course import Journal
    from mixsafe.model.question.problem import Problem
    from mixsafe.weigh.exchange_models import ExchangeModel, TakingPart
    from mixsafe.weigh.weighing import Weighing
    from mixsafe.weigh.whose_tracks import SamePerson, TrackWeighing

_weight = panel("Weighing")


@dataclass(frozen=True)
class BetOptions(CheckedOptions):
    """Options of the exchange model, the adversary's bets and the time."""

    bet: float = _weight(
        "Probability of a bet, at least. Default: 0.5.", default=0.5, constraints=(a_share,)
    )
    exchange: str | None = _weight(
        "Probability of a zone's exchange; or CSV zone_id,chance or user_id,chance. Default: 1.",
        metavar="Q|FILE",
    )
    movement: bool = _weight(
        "Exchanges are as likely as people's movement before and after makes them. Default: all"
        " that happen are equally likely.",
        default=False,
    )
    time_limit: Annotated[float | None, shared.TIME_LIMIT.said(panel="Weighing")] = None
    workers: Annotated[int, shared.WORKERS.said("Threads; 0: one per core.", panel="Weighing")] = 0
    exhaustive: Annotated[
        bool,
        shared.EXHAUSTIVE.said(
            "Add the probability of every candidate to the JSON.",
            panel="Weighing",
        ),
    ] = False

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            A chance outside 0..1, no such file, a limit out of range.
        """
        super().check()
        if self.chance is not None:
            a_share("--exchange", self.chance, self)
        check_file("--exchange", self.file)

    @property
    def chance(self) -> float | None:
        """The chance of every zone's exchange; None: a file says it, or it is 1."""
        try:
            return None if self.exchange is None else float(self.exchange)
        except ValueError:
            return None

    @property
    def file(self) -> Path | None:
        """The file of chances; None: there is none."""
        return None if self.exchange is None or self.chance is not None else Path(self.exchange)

    @property
    def files(self) -> dict[str, Path | None]:
        """Files that are read in addition to the source, by role."""
        return {"chances of exchanges": self.file}

    def model(self, problem: Problem) -> ExchangeModel | None:
        """How likely exchanges are; None: all happen, and are equally likely."""
        law = self._law(problem)
        if not self.movement:
            return law
        from mixsafe.weigh.exchange_models import ByMovement

        return ByMovement() if law is None else ByMovement(law)

    def _law(self, problem: Problem) -> TakingPart | None:
        """Which exchanges happen; None: all."""
        if self.exchange is None:
            return None
        from mixsafe.weigh.exchange_models import TakingPart

        if self.chance is not None:
            return TakingPart(self.chance)
        from mixsafe.io.problems.side_tables import read_chances

        return TakingPart(*read_chances(Path(self.exchange), problem.zones))


@dataclass(frozen=True)
class WeighTargets(AnswerTargets):
    """Output targets of the answer."""

    output: Path | None = table_option("Table of wires: .csv or .parquet.")
    json: JsonTarget = None
    resume: ResumeFolder = None
    quiet: Quiet = False


@takes_records
def weigh(
    context: typer.Context,
    source: SourceOptions,
    adversary: AdversaryOptions,
    bets: BetOptions,
    outside: OutsideOptions,
    target: WeighTargets,
) -> None:
    """Compute or estimate how likely each candidate is.

    k candidates need not be equally likely. For each wire, this gives the probability of the
    likeliest candidate: counted where few tokens are tracked, elsewhere estimated with an interval,
    or not settled. Estimates are never called safe.

    For example:

      mixsafe weigh --time-limit 60

      mixsafe weigh traces.csv --adversary home --time-limit 900 -o weights.parquet

      mixsafe weigh traces.csv --exchange 0.8 --bet 0.9 --json weights.json

      mixsafe weigh traces.csv --movement --time-limit 900

      mixsafe weigh pubtraces.csv --audit seen.csv --same 4@41 5@43

    SOURCE may be a result of 'mixsafe verify --json': its data and its adversary are used. 'mixsafe
    report weights.json' turns the result of --json into a page.

    Exit status: 0 done, 2 bad usage or input.
    """
    root = context.find_root()
    source, adversary, result = as_verified(source, adversary, root.command)
    invocation = Invocation(root.obj, (source, adversary, bets, outside), result=result)
    if outside.audit is not None:
        _weigh_release(invocation, outside, bets, target)
        return
    with running("weigh", invocation, target, bets.time_limit) as run:
        problems, run = prepare_problems(
            run, QuestionOptions(), placed=True, movement=bets.movement
        )
        with kept(target.resume) as journal:
            answers = [_weighed(problem, bets, run, journal) for problem in problems]
    _deliver(answers, run)


def _weigh_release(
    invocation: Invocation,
    outside: OutsideOptions,
    bets: BetOptions,
    target: WeighTargets,
) -> None:
    """Weigh a release, write the result and print it."""
    from mixsafe.documents.atlas import Context
    from mixsafe.weigh.tracks_document import tracks_document

    source, seen = invocation.source, outside.audit
    if seen is None:
        raise ValueError("there are no sightings of a release")
    with running("weigh", invocation, target, bets.time_limit) as run:
        answer = _track_weighing(source, seen, outside.gaps, bets, run)
    zones, same = answer.evidence.zones, outside.same
    run.say(zones.notes)
    run.write_table(lambda: answer.tracks)
    chance = None if same is None else _same_person(answer, same)
    found = {"name": invocation.path.name, **answer.summary, **zones.premises.to_dict()}
    if same is not None:
        found["same_person"] = {
            "of": list(same),
            "found": None if chance is None else chance._asdict(),
        }
    files = {"release": invocation.path, "knowledge": seen, "places": source.places}
    settings = {**vars(source), **vars(bets), **dict.fromkeys(("source", "places"))}
    line = CommandLine(invocation.words, files, settings, source.seed)
    asked = None if same is None else (same, chance)
    context = Context(invocation.path.name)
    run.tell(
        [found],
        lambda pages: [tracks_document(answer, context, asked, pages=pages)],
        ("Likely tracks of each user", "tracks.csv"),
        line,
    )


def _track_weighing(
    source: SourceOptions,
    knowledge: Path,
    gaps: str | None,
    bets: BetOptions,
    run: Run[Invocation],
) -> TrackWeighing:
    """Read a release and what is known about it, and weigh whose tracks are whose."""
    from mixsafe.from_files.released import read_evidence
    from mixsafe.weigh.whose_tracks import weigh_tracks
    from mixsafe_cli.running.releases import release_of, released

    limits = run.limits(bets.workers, source.seed)
    if source.source is None or source.further:
        raise InputError("--audit needs one release", hint="give its file")
    run.report(f"reading {source.source.name}", 0, 0)
    with about(source.source):
        found = released(release_of(source, source.source), meetings=not source.no_meetings)
    with about(knowledge):
        evidence = read_evidence(knowledge, found, users=source.users, seed=source.seed, gaps=gaps)
        return weigh_tracks(evidence, limits=limits, progress=run.report)


def _same_person(answer: TrackWeighing, same: tuple[str, str]) -> SamePerson | None:
    """Chance that two pseudonyms, each as ``PSE@TIME``, are of one person; None: not settled.

    Raises
    ------
    InputError
        There is no such pseudonym or time.
    """
    return answer.same_person(*(_place(answer, word) for word in same))


def _place(answer: TrackWeighing, word: str) -> tuple[int, int]:
    """Row and step of ``PSE@TIME``."""
    zones = answer.evidence.zones
    name, _, at = word.rpartition("@")
    rows = {str(one): row for row, one in enumerate(zones.users.tolist())}
    hint = "give two as PSE@TIME, with times as --output writes them"
    try:
        step = zones.axis.step(moment(at, zones.axis, ""))
    except InputError as error:
        raise InputError(f"--same {word}: {error.message}", hint=hint) from None
    if name not in rows or step < 1:
        message = f"--same {word}: there is no such pseudonym and time in the release"
        raise InputError(message, hint=hint)
    return rows[name], step


def _weighed(
    problem: Problem, bets: BetOptions, run: Run[Invocation], journal: Journal | None
) -> Weighing:
    """Weigh a problem, in what time is left."""
    from mixsafe.weigh.weighing import weigh as weighed

    return weighed(
        problem,
        model=bets.model(problem),
        bet=bets.bet,
        limits=run.limits(bets.workers, run.invocation.source.seed),
        progress=run.report,
        journal=journal,
        exhaustive=bets.exhaustive,
    )


def _deliver(answers: list[Weighing], run: Run[Invocation]) -> None:
    """Write the answers to files, and tell people."""
    from mixsafe.weigh.weighing_document import weighing_document

    invocation = run.invocation
    run.say(note for answer in answers for note in answer.problem.zones.notes)
    run.write_table(lambda: answers[0].wires)
    context = invocation.context()
    run.tell(
        # Of problems there is no table: their rows are in the JSON.
        (answer.to_dict(wires=invocation.said_by_source) for answer in answers),
        lambda pages: [weighing_document(answer, context, pages=pages) for answer in answers],
        ("Best guess of each wire with its interval", "weights.csv"),
    )
