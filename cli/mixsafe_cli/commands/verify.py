"""``mixsafe verify``: the main job."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from mixsafe.errors import InputError, about
from mixsafe_cli.failures import status_of
from mixsafe_cli.options.cluster_options import ClusterOptions
from mixsafe_cli.options.declaring import excludes
from mixsafe_cli.options.question_options import (
    AdversaryOptions,
    EngineOptions,
    PlacedQuestionOptions,
)
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.source_options import SourceOptions
from mixsafe_cli.options.targets import (
    AnswerTargets,
    CertificateFolder,
    JsonTarget,
    PlotTarget,
    Quiet,
    ResumeFolder,
    table_option,
)
from mixsafe_cli.progress import advising
from mixsafe_cli.running.invocation import Invocation
from mixsafe_cli.running.resources import kept
from mixsafe_cli.running.run import Run, prepare_problems, running
from mixsafe_cli.running.sources import check_asked, steps_of

if TYPE_CHECKING:
    from mixsafe.documents.document import Document
    from mixsafe.model.course import Journal
    from mixsafe.model.question.problem import Problem
    from mixsafe.verify.verification import Verification

_option = panel()


@dataclass(frozen=True)
class VerifyTargets(AnswerTargets):
    """Output targets of the answer."""

    output: Path | None = table_option("Table of wires: .csv or .parquet.")
    json: JsonTarget = None
    plot: PlotTarget = None
    map: Path | None = _option(
        "Map of exposed places for GIS: .geojson or .parquet.",
        constraints=(excludes("at", "requirements", why="--map is about every user and time"),),
    )
    per_user: bool = _option("Add a row per user to the JSON.", default=False)
    certificates: CertificateFolder = None
    resume: ResumeFolder = None
    quiet: Quiet = False


@takes_records
def verify(
    context: typer.Context,
    source: SourceOptions,
    question: PlacedQuestionOptions,
    adversary: AdversaryOptions,
    engine: EngineOptions,
    cluster: ClusterOptions,
    target: VerifyTargets,
    together: bool = _option(
        "Each SOURCE is a release of its own, with its own pseudonyms: decide each alone, and all"
        " together.",
        default=False,
        constraints=(
            excludes(
                *("at", "requirements", "exhaustive", "distinct_places", "map", "plot"),
                *("per_user", "certificates", "resume", "cluster"),
                why="--together gives one answer to several releases",
            ),
        ),
    ),
) -> None:
    """Decide whether every user has at least k candidates.

    The property is (k, t)-pseudonym location privacy. SOURCE defaults to the bundled sample: two
    days of a small town. 'mixsafe report result.json' turns the result of --json into a page.

    For example:

      mixsafe verify --k 3

      mixsafe verify traces.csv --k 3 --adversary home --output wires.parquet

      mixsafe verify trips.csv --k 3 --column user_id=driver --cell-size 200

      mixsafe verify may.csv june.csv --together --k 3 --max-speed 120

    Exit status: 0 all users pass, 1 a user fails, 3 no user fails but one is undecided, 4 weak pass
    (by the default rule only), 2 bad usage or input.
    """
    invocation = Invocation(context.find_root().obj, (source, question, adversary, engine))
    if together:
        raise typer.Exit(_together(invocation, question, engine, target))
    with running("verify", invocation, target, engine.time_limit, cluster) as run:
        with about(invocation.path):
            problems, run = _posed(run, question)
        with kept(target.resume) as journal:
            with about(invocation.path):
                answers = _decide(problems, question, engine, run, journal)
            if target.certificates is not None:
                from mixsafe.from_files.certifying import write_verification_certificates

                adversary_name, rest = run.invocation.adversary_name, run.rest(journal)
                run.say(
                    write_verification_certificates(
                        target.certificates, answers, rest, adversary_name
                    )
                )
    _deliver(answers, target, run)
    raise typer.Exit(status_of(answer.verdict for answer in answers))


def _together(
    invocation: Invocation,
    question: PlacedQuestionOptions,
    engine: EngineOptions,
    target: VerifyTargets,
) -> int:
    """Decide several releases, alone and together; the exit status."""
    from mixsafe.model.course import Course
    from mixsafe.model.question.requirement import Rule
    from mixsafe.verify.query import Query, Settings
    from mixsafe.verify.together import verify_together
    from mixsafe_cli.running.sources import read_releases

    if question.k is None:
        raise InputError("nothing is asked", hint="say --k 3")
    with running("verify", invocation, target, engine.time_limit) as run:
        releases = read_releases(invocation.source, invocation.adversary, run.report)
        limits = run.limits(engine.workers, invocation.source.seed)
        settings = Settings(engine.engine, engine.encoding)
        query = Query(question.k, None, Rule.of(question.rule), False)
        begin = partial(Course.begin, limits, run.report)
        answer = verify_together(releases, query, settings, begin)
    run.say(note for release in releases for note in release.problem.zones.notes)
    run.write_table(lambda: answer.losers)
    k = question.k
    run.tell(
        [answer.to_dict()],
        lambda _: [answer.document(k)],
        ("All who lose", "losing.csv"),
        whole=True,
    )
    return status_of(one.verdict for one in answer.together if one is not None)


def _posed(
    run: Run[Invocation], question: PlacedQuestionOptions
) -> tuple[list[Problem], Run[Invocation]]:
    """The problems, of which something is asked and can be shown."""
    check_asked(run.invocation.source, question)
    placed = question.distinct_places is not None or run.invocation.source.places is not None
    if run.target.map is None:
        return prepare_problems(run, question, placed=placed, followed=True)
    from mixsafe.report.exposure_map import check_map

    problems, run = prepare_problems(run, question, placed=placed, followed=True)
    check_map(run.invocation.atlas)
    return problems, run


def _decide(
    problems: list[Problem],
    question: PlacedQuestionOptions,
    engine: EngineOptions,
    run: Run[Invocation],
    journal: Journal | None,
) -> list[Verification]:
    """Answer problem after problem, in what time is left."""
    from mixsafe.model.question.requirement import Rule
    from mixsafe.verify.query import Query, Settings
    from mixsafe.verify.verification import answer

    advised, rule = engine.time_limit is None and not run.target.quiet, Rule.of(question.rule)
    answers = []
    settings = Settings(
        engine.engine,
        engine.encoding,
        keep_proof_data=run.target.certificates is not None,
        keep_candidates=run.target.shown and len(problems) == 1,
    )
    for problem in problems:
        course = run.course(engine.workers, run.invocation.source.seed, journal)
        if advised:
            course = replace(course, progress=advising(run.report, problem))
        at, places = steps_of(problem, question.at), question.distinct_places
        query = Query(question.k, at, rule, question.exhaustive, places)
        answers.append(answer(problem, query, settings, course))
    return answers


def _deliver(answers: list[Verification], target: VerifyTargets, run: Run[Invocation]) -> None:
    """Write the answers to files, and tell people."""
    from mixsafe.verify.verification_document import verification_document

    invocation = run.invocation
    run.say(note for answer in answers for note in answer.notes)
    if target.output is not None:
        _write(answers[0], target.output)
    if target.map is not None:
        from mixsafe.report.exposure_map import write_exposure_map

        write_exposure_map(target.map, answers[0], invocation.atlas)
    context, lasting = invocation.context(), [invocation.lasting(one.problem) for one in answers]

    def documents(pages: bool) -> list[Document]:
        asked = zip(answers, lasting, strict=True)
        return [verification_document(*one, context, pages=pages) for one in asked]

    run.draw(lambda: documents(True)[0].charts)
    run.tell(
        (
            _as_dict(answer, final, target.per_user)
            for answer, final in zip(answers, lasting, strict=True)
        ),
        documents,
        ("Safe times of each user", "wires.csv"),
    )


def _write(answer: Verification, path: Path) -> None:
    """Write the table of verdicts, part by part: whole, it need not fit into memory."""
    from mixsafe.io.files.writing import write_tables
    from mixsafe.verify.tables import table_parts

    zones, found, every_wire = answer.problem.zones, answer.rows, answer.every_wire
    places = answer.places
    write_tables(path, lambda rows: table_parts(zones, found, every_wire, rows, places))


def _as_dict(
    answer: Verification, lasting: dict[str, Any] | None, per_user: bool
) -> dict[str, Any]:
    """The answer as a JSON object, with a row per user where that is wanted."""
    found = answer.to_dict()
    if lasting is not None:
        found["lasting"] = lasting
    if per_user:
        found["per_user"] = answer.users.to_dict(orient="records")
    return found
