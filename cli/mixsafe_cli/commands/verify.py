"""``mixsafe verify``: the main job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from mixsafe.errors import about
from mixsafe_cli.data.crews import crew_of
from mixsafe_cli.data.outputs import (
    AnswerTargets,
    check_one_problem,
    say_notes,
    write_answers,
)
from mixsafe_cli.data.resuming import kept
from mixsafe_cli.failures import status_of
from mixsafe_cli.options.checks import refuse_together
from mixsafe_cli.options.cluster_options import ClusterOptions
from mixsafe_cli.options.question_options import AdversaryOptions, EngineOptions, QuestionOptions
from mixsafe_cli.options.records import takes_records
from mixsafe_cli.options.source_options import SourceOptions
from mixsafe_cli.options.targets import (
    CertificateFolder,
    JsonTarget,
    MapTarget,
    PlotTarget,
    Quiet,
    ResumeFolder,
)
from mixsafe_cli.run_time import RunTime
from mixsafe_cli.standard_streams import on_stdout

if TYPE_CHECKING:
    from mixsafe.journal.steps import Journal
    from mixsafe.model.crew import Crew
    from mixsafe.model.question.problem import Problem
    from mixsafe.verify.verification import Verification
    from mixsafe_cli.data.digests import Made
    from mixsafe_cli.render.progress import Report


@dataclass(frozen=True)
class VerifyTargets(AnswerTargets):
    """Where the answer goes."""

    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A row per wire (or requirement): .csv or .parquet."),
    ] = None
    json: JsonTarget = None
    plot: PlotTarget = None
    map: MapTarget = None
    per_user: Annotated[
        bool, typer.Option("--per-user", help="Put a row per user into the JSON, too.")
    ] = False
    certificates: CertificateFolder = None
    resume: ResumeFolder = None
    quiet: Quiet = False

    @property
    def shown(self) -> bool:
        """Whether there is something to show of one answer: in JSON, a picture or a map."""
        return not (self.json is None and self.plot is None and self.map is None)


class Asked(NamedTuple):
    """What is asked of which data, and how it is decided."""

    source: SourceOptions
    question: QuestionOptions
    adversary: AdversaryOptions
    engine: EngineOptions


class Means(NamedTuple):
    """Whom to tell how far it is, what time there is, and who works for it."""

    report: Report
    time: RunTime
    crew: Crew | None


@takes_records
def verify(
    context: typer.Context,
    source: SourceOptions,
    question: QuestionOptions,
    adversary: AdversaryOptions,
    engine: EngineOptions,
    cluster: ClusterOptions,
    target: VerifyTargets,
) -> None:
    """Decide whether every user has k candidates or more: (k, t)-pseudonym location privacy.

    Without SOURCE, on the sample that ships with the package: two days of a small town.

    For example:

      mixsafe verify --k 3

      mixsafe verify orgtraces.csv --k 3 --adversary home --output wires.parquet

      mixsafe verify cabspottingdata.tar.gz --k 3 --users 100 --days 1 --json result.json

      mixsafe verify problems.jsonl --exhaustive --engine cpsat --json -

      mixsafe verify cabspottingdata.tar.gz --k 3 --adversary daily --resume run -o wires.parquet

      mixsafe verify metropolis/ --k 3 --cluster local:4 --resume run -o wires.parquet

    'mixsafe report result.json' makes a page of what --json wrote.

    Exit status: 0 every user passes by the rule, 1 some user does not, 3 nobody fails but somebody
    is undecided, 4 a weak pass (everybody passes, but only by the default rule, which asks for one
    safe moment), 2 bad usage or bad input.
    """
    time = RunTime(engine.time_limit, target.certificates is not None)
    asked = Asked(source, question, adversary, engine)
    for options in (*asked, cluster):
        options.check()
    target.check((*source.inputs, question.requirements, adversary.file))

    from mixsafe_cli.data.sources import path_of
    from mixsafe_cli.render.progress import progress

    crew = crew_of(cluster, target.quiet, target.resume)
    with progress(target.quiet) as report, crew as workers:
        means = Means(report, time, workers)
        with about(path_of(source)):
            problems, made = _posed(asked, context.find_root().obj, target, means)
        answers = _answered(problems, asked, target, (made, means))
    _deliver(answers, target, made)
    raise typer.Exit(status_of(answer.verdict for answer in answers))


def _answered(
    problems: list[Problem], asked: Asked, target: VerifyTargets, how: tuple[Made, Means]
) -> list[Verification]:
    """The answers, and their certificates, both of which go on from where a run was stopped."""
    made, means = how
    with kept(target.resume) as journal:
        with about(made.source):
            answers = _decide(problems, asked, target, means, journal)
        _certify(answers, target, how, journal)
    return answers


def _posed(
    asked: Asked, words: Sequence[str], target: VerifyTargets, means: Means
) -> tuple[list[Problem], Made]:
    """The problems, and how they were posed."""
    from mixsafe_cli.data.digests import Made, atlas_of
    from mixsafe_cli.data.sources import check_asked, path_of, problems_of, read_source

    check_asked(asked.source, asked.question)
    if target.map is not None:
        given = {"--at": asked.question.at, "--requirements": asked.question.requirements}
        refuse_together(given, "--map is about every user and time")
    data = read_source(asked.source, means.report, means.crew)
    atlas = atlas_of(data, asked.source) if target.shown else None
    problems = problems_of(data, asked.source, asked.adversary, asked.question, means.report)
    check_one_problem(len(problems), {"--output": target.output, "--plot": target.plot})
    made = Made(words, asked, path_of(asked.source), atlas, isinstance(data, list))
    made.check_map(target.map)
    return problems, made


def _deliver(answers: list[Verification], target: VerifyTargets, made: Made) -> None:
    """Write the answers to files, and tell people."""
    path = made.source
    say_notes([note for answer in answers for note in answer.notes], target.quiet)
    if target.output is not None:
        _write(answers[0], target.output)
    shown = made.digest(answers[0]) if target.shown and len(answers) == 1 else None
    if target.plot is not None and shown is not None:
        from mixsafe.report.base.drawing import save
        from mixsafe.report.figures.protection_figure import overview

        save(overview(shown), target.plot)
    if target.map is not None:
        made.write_map(target.map, answers[0])
    if target.json is not None:
        found = [_as_dict(answer, target.per_user) for answer in answers]
        lines = path.suffix.lower() == ".jsonl" or len(found) != 1
        if not lines:
            found[0] |= {"provenance": made.provenance()} if shown is None else {"report": shown}
        write_answers(target.json, "verify", found, lines=lines, words=made.words)
    if not target.quiet and not on_stdout(target.json, target.output):
        from mixsafe_cli.render.render_verify import show

        seen = sum(len(answer.problem.knowledge) for answer in answers)
        show(answers, path, made.adversary_said(seen), target)


def _write(answer: Verification, path: Path) -> None:
    """Write the table of verdicts, part by part: whole, it need not fit into memory."""
    from mixsafe.io.problems.wires import write_tables
    from mixsafe.verify.tables import table_parts

    zones, found, every_wire = answer.problem.zones, answer.rows, answer.every_wire
    write_tables(path, lambda rows: table_parts(zones, found, every_wire, rows))


def _decide(
    problems: list[Problem],
    asked: Asked,
    target: VerifyTargets,
    means: Means,
    journal: Journal | None,
) -> list[Verification]:
    """Answer problem after problem, in what time is left."""
    from mixsafe.model.limits import SolveLimits
    from mixsafe.model.question.requirement import Rule
    from mixsafe.verify.query import Query, Settings
    from mixsafe.verify.verification import answer
    from mixsafe_cli.data.sources import steps_of
    from mixsafe_cli.render.advice import advising

    question, engine = asked.question, asked.engine
    rule = None if question.rule is None else Rule.parse(question.rule)
    witnesses, shown = target.certificates is not None, target.shown and len(problems) == 1
    limits = SolveLimits(engine.time_limit, engine.workers, asked.source.seed, means.crew)
    answers = []
    for problem in problems:
        report = means.report
        if engine.time_limit is None and not target.quiet:
            report = advising(report, problem)
        limits = replace(limits, seconds=means.time.to_decide)
        settings = Settings(
            engine.engine, limits, report, journal, engine.encoding, witnesses, shown
        )
        query = Query(question.k, steps_of(problem, question.at), rule, question.exhaustive)
        answers.append(answer(problem, query, settings))
    return answers


def _certify(
    answers: list[Verification],
    target: VerifyTargets,
    how: tuple[Made, Means],
    journal: Journal | None,
) -> None:
    """Write certificates of all answers, in what time is left, if they are wanted."""
    if target.certificates is None:
        return
    from mixsafe_cli.data.certifying import certify

    made, means = how
    folder, left, quiet = target.certificates, means.time.left, target.quiet
    certify(answers, folder, made.adversary_name, left, means.report, quiet, journal)


def _as_dict(answer: Verification, per_user: bool) -> dict[str, Any]:
    """The answer as a JSON object, with a row per user where that is wanted."""
    made = answer.to_dict()
    if per_user:
        made["per_user"] = answer.users.to_dict(orient="records")
    return made
