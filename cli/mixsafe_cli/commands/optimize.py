"""``mixsafe optimize``: the fewest zones in which an exchange must really happen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from mixsafe.errors import InputError, about
from mixsafe.solver.registry import ENGINES
from mixsafe_cli.data.outputs import (
    AnswerTargets,
    check_one_problem,
    say_notes,
    write_answers,
)
from mixsafe_cli.failures import status_of
from mixsafe_cli.options.checks import check_choice, check_file, check_positive
from mixsafe_cli.options.question_options import AdversaryOptions, QuestionOptions
from mixsafe_cli.options.records import one_of, takes_records
from mixsafe_cli.options.source_options import SourceOptions
from mixsafe_cli.options.targets import CertificateFolder, JsonTarget, PlotTarget, Quiet
from mixsafe_cli.run_time import RunTime
from mixsafe_cli.standard_streams import DASH, on_stdout

if TYPE_CHECKING:
    from mixsafe.model.answer.minimum_proof import Weight
    from mixsafe.model.question.problem import Problem
    from mixsafe.optimize.answer import MinimumZones
    from mixsafe.report.digests.places import Atlas
    from mixsafe_cli.data.digests import Made
    from mixsafe_cli.render.progress import Report

WEIGHTS = ("count", "members")


@dataclass(frozen=True)
class SearchOptions:
    """What is to be met, what a zone costs, and how long the search may take."""

    k: Annotated[
        int | None, typer.Option("--k", help="Candidates that each user needs at the times --at.")
    ] = None
    at: Annotated[
        str | None, typer.Option("--at", metavar="T1,T2", help="Times at which --k is needed.")
    ] = None
    requirements: Annotated[
        Path | None, typer.Option("--requirements", help="Instead of --k: CSV user_id,time_id,k.")
    ] = None
    weight: Annotated[
        str, typer.Option("--weight", **one_of(WEIGHTS), help="What a zone costs. Default: count.")
    ] = "count"
    method: Annotated[
        str,
        typer.Option(
            "--method",
            **one_of(ENGINES.names("optimize")),
            help="auto, or a search over sets of zones that asks another engine. Default: auto.",
        ),
    ] = "auto"
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", help="Seconds for the whole run, then the best so far."),
    ] = None
    workers: Annotated[
        int, typer.Option("--workers", help="Threads; 0: one per core. Default: 0.")
    ] = 0

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            A value out of range, or options that contradict each other.
        """
        self.question.check()
        if self.k is not None and self.at is None:
            raise InputError(
                "--k needs --at: next to a sighting nobody has a second candidate",
                hint="name times with --at, or requirements with --requirements",
            )
        check_choice("--weight", self.weight, WEIGHTS)
        check_choice("--method", self.method, ENGINES.names("optimize"))
        check_positive("--time-limit", self.time_limit)
        if self.workers < 0:
            raise InputError(f"--workers {self.workers} is negative")

    @property
    def question(self) -> QuestionOptions:
        """What is asked, as for verify."""
        return QuestionOptions(k=self.k, at=self.at, requirements=self.requirements)


@dataclass(frozen=True)
class OptimizeTargets(AnswerTargets):
    """Where the answer goes."""

    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The zones that are needed: .csv or .parquet."),
    ] = None
    json: JsonTarget = None
    plot: PlotTarget = None
    certificates: CertificateFolder = None
    quiet: Quiet = False


@takes_records
def optimize(
    context: typer.Context,
    source: SourceOptions,
    wanted: SearchOptions,
    adversary: AdversaryOptions,
    target: OptimizeTargets,
) -> None:
    """Find a minimum set of mix zones that meets all requirements, and prove that it is one.

    Without SOURCE, on the sample that ships with the package: two days of a small town.

    For example:

      mixsafe optimize --k 2 --at 20

      mixsafe optimize problem.json --json -

      mixsafe optimize cabspottingdata.tar.gz --days 1 --users 50 --requirements asked.csv -o z.csv

      mixsafe optimize zones.csv --k 2 --at 10 --adversary none --weight members --plot zones.svg

      mixsafe optimize problems.jsonl --time-limit 60 --json answers.jsonl

    'mixsafe report answer.json' makes a page of what --json wrote. --certificates DIR keeps what
    'mixsafe check' replays: that the zones are enough, and what any that are enough cost at least.
    Where some requirements cannot be met, the answer is also about all the others.

    Exit status: 0 a set of zones that meets all requirements, minimum or as good as there was time
    for; 1 not even all zones meet them; 3 there was no time to find out; 2 bad usage or bad input.
    """
    time = RunTime(wanted.time_limit, target.certificates is not None)
    for options in (source, wanted, adversary):
        options.check()
    if source.source is not None and not source.source.is_dir() and str(source.source) != DASH:
        check_file("SOURCE", source.source)
    target.check((*source.inputs, wanted.requirements, adversary.file))

    from mixsafe_cli.data.digests import Made
    from mixsafe_cli.data.sources import path_of
    from mixsafe_cli.render.progress import progress

    with progress(target.quiet) as report, about(path_of(source)):
        problems, atlas, said_by_source = _posed(source, wanted, adversary, report)
        check_one_problem(len(problems), {"--output": target.output, "--plot": target.plot})
        answers = _search(problems, wanted, source.seed, time, report)
        _certify(answers, target, adversary.called, time, report)
    records, words = (source, wanted, adversary), context.find_root().obj
    made = Made(words, records, path_of(source), atlas, said_by_source)
    _deliver(answers, made, target)
    raise typer.Exit(status_of(answer.verdict for answer in answers))


def _posed(
    source: SourceOptions, wanted: SearchOptions, adversary: AdversaryOptions, report: Report
) -> tuple[list[Problem], Atlas | None, bool]:
    """Problems with requirements, where their places are, and whether the source poses them."""
    from mixsafe.optimize.minimum import everybody_at
    from mixsafe_cli.data.digests import atlas_of
    from mixsafe_cli.data.sources import (
        check_asked,
        path_of,
        problems_of,
        read_source,
        steps_of,
    )

    check_asked(source, wanted.question)
    data = read_source(source, report)
    problems = problems_of(data, source, adversary, wanted.question, report)
    if wanted.k is not None and wanted.at is not None:
        problems = [everybody_at(one, wanted.k, steps_of(one, wanted.at) or []) for one in problems]
    for one in problems:
        if one.requirements is None or not len(one.requirements):
            raise InputError(
                f"problem '{one.name}' has no requirements",
                file=path_of(source),
                hint="say --requirements FILE, or --k with --at",
            )
    return problems, atlas_of(data, source), isinstance(data, list)


def _search(
    problems: list[Problem],
    wanted: SearchOptions,
    seed: int,
    time: RunTime,
    report: Report,
) -> list[MinimumZones]:
    """Answer problem after problem, in what time is left, and is not for certificates."""
    from mixsafe.model.limits import SolveLimits
    from mixsafe.optimize.minimum import minimum_zones

    limits = SolveLimits(wanted.time_limit, wanted.workers, seed)
    answers = []
    for problem in problems:
        limits = replace(limits, seconds=time.to_decide)
        weight = cast("Weight", wanted.weight)
        answers.append(
            minimum_zones(
                problem,
                weight=weight,
                method=wanted.method,
                limits=limits,
                progress=report,
                rest=True,
            )
        )
    return answers


def _certify(
    answers: list[MinimumZones],
    target: OptimizeTargets,
    adversary: str,
    time: RunTime,
    report: Report,
) -> None:
    """Write certificates of the zones and their bound, if wanted, in the time that is left."""
    if target.certificates is None:
        return
    from mixsafe.model.limits import SolveLimits
    from mixsafe.optimize.minimum import verified
    from mixsafe_cli.data.certifying import certify_of_minima

    left = time.left
    found = [(one, verified(one, SolveLimits(left and left / 4), report)) for one in answers]
    certify_of_minima(found, target.certificates, adversary, time.left, report, target.quiet)


def _deliver(answers: list[MinimumZones], made: Made, target: OptimizeTargets) -> None:
    """Write the answers to files, and tell people."""
    output, json, plot, path = target.output, target.json, target.plot, made.source
    said = [note for answer in answers for note in (*answer.problem.zones.notes, *answer.notes)]
    say_notes(said, target.quiet)
    if output is not None:
        from mixsafe.io.problems.zone_table import write_zones

        write_zones(output, answers[0].chosen)
    lines = path.suffix.lower() == ".jsonl" or len(answers) != 1
    shown = None
    if plot is not None or (json is not None and not lines):
        from mixsafe.report.digests.minimum_digest import minimum_digest

        shown = minimum_digest(
            answers[0], made.provenance(), adversary=made.adversary_words(), atlas=made.atlas
        )
    if plot is not None and shown is not None:
        from mixsafe.report.base.drawing import save
        from mixsafe.report.figures.minimum_figure import draw_minimum

        save(draw_minimum(shown), plot)
    if json is not None:
        found = [answer.to_dict() for answer in answers]
        if not lines:
            found[0]["report"] = shown
        write_answers(json, "optimize", found, lines=lines, words=made.words)
    if not target.quiet and not on_stdout(json, output):
        from mixsafe_cli.render.render_optimize import show

        show(answers, path, target)
