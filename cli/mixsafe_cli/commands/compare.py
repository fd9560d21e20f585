"""``mixsafe compare``: the same questions to several engines, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, cast

import typer

from mixsafe.errors import InputError, about
from mixsafe_cli.data.crews import crew_of
from mixsafe_cli.data.outputs import (
    STDOUT,
    AnswerTargets,
    say_notes,
    write_answers,
)
from mixsafe_cli.options.checks import refuse_together
from mixsafe_cli.options.cluster_options import ClusterOptions
from mixsafe_cli.options.compare_options import CompareOptions
from mixsafe_cli.options.question_options import AdversaryOptions, QuestionOptions
from mixsafe_cli.options.records import takes_records
from mixsafe_cli.options.source_options import SourceOptions
from mixsafe_cli.options.targets import JsonTarget, Quiet

if TYPE_CHECKING:
    from mixsafe.compare.comparison import Comparison
    from mixsafe.compare.experiment import Known, Question
    from mixsafe.model.crew import Crew
    from mixsafe.model.mobility.traces import Traces
    from mixsafe.model.question.problem import Problem
    from mixsafe_cli.data.digests import Made
    from mixsafe_cli.render.progress import Report


@dataclass(frozen=True)
class CompareTargets(AnswerTargets):
    """Where table, picture and JSON go."""

    output: Annotated[Path | None, typer.Option("--output", "-o", help="A row per run: .csv.")] = (
        None
    )
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Seconds by number of users: .png or .svg.")
    ] = None
    json: JsonTarget = None
    quiet: Quiet = False

    def check(self, inputs: Iterable[Path | None]) -> None:
        """Refuse files that could not be written in the end, and one file for two things.

        Raises
        ------
        InputError
            Says which, and why.
        """
        if self.output is not None and self.output.suffix.lower() != ".csv":
            raise InputError(
                f"--output '{self.output}' is no CSV table", hint="end its name in .csv"
            )
        super().check(inputs)


class ComparedInput(NamedTuple):
    """Who is compared, on which questions about which data."""

    source: SourceOptions
    question: QuestionOptions
    adversary: AdversaryOptions
    options: CompareOptions

    @property
    def task(self) -> Literal["verify", "optimize"]:
        """What engines are asked to do."""
        return cast("Literal['verify', 'optimize']", self.options.task)


@takes_records
def compare(
    context: typer.Context,
    source: SourceOptions,
    question: QuestionOptions,
    adversary: AdversaryOptions,
    options: CompareOptions,
    cluster: ClusterOptions,
    target: CompareTargets,
) -> None:
    """Put the same questions to several engines: times and agreement, side by side.

    Each run has a process of its own, which is ended at the limit. With --task optimize engines
    find a minimum set of mix zones for requirements that are drawn at random, with k from --k (3):
    auto by the default method, cpsat and dp by search over zone sets with that engine as oracle.

    For example:

      mixsafe compare orgtraces.csv --k 3 --adversary home --engines auto,cpsat

      mixsafe compare problems.jsonl --engines auto,cpsat,dp --output runs.csv

      mixsafe compare cabspottingdata.tar.gz --task optimize --days 1 --sizes 10,25,50,100,200
      --seeds 5 --time-limit 30 --output runs.csv --plot runs.svg

    With --cluster runs are those of its workers, several at once: times are of their machines.
    Engines that contradict each other are an error, with exit status 2.
    """
    for record in (source, question, adversary, cluster):
        record.check()
    options.check(source, question)
    target.check((*source.inputs, question.requirements, adversary.file))
    compared = ComparedInput(source, question, adversary, options)

    from mixsafe.compare.comparison import check_engines
    from mixsafe_cli.data.digests import Made
    from mixsafe_cli.data.sources import holds_problems, path_of
    from mixsafe_cli.render.progress import progress

    check_engines(compared.task, options.names)
    with progress(target.quiet) as report, crew_of(cluster, target.quiet) as crew:
        with about(path_of(source)):
            questions = _questions(compared, report, target.quiet)
        comparison = _put(questions, compared, crew, report)
    say_notes(_notes(questions), target.quiet)
    words = context.find_root().obj
    made = Made(words, compared, path_of(source), None, holds_problems(source))
    _deliver(comparison, made, target)


def _put(
    questions: list[Question], compared: ComparedInput, crew: Crew | None, report: Report
) -> Comparison:
    """Put the questions to all engines."""
    from mixsafe.compare.comparison import compare as put_to
    from mixsafe.model.limits import SolveLimits
    from mixsafe_cli.data.sources import steps_of

    source, question, _, options = compared
    return put_to(
        questions,
        task=compared.task,
        engines=options.names,
        k=question.k,
        at=steps_of(questions[0].problem, question.at),
        limits=SolveLimits(options.time_limit, options.workers, source.seed, crew),
        progress=report,
    )


def _notes(questions: list[Question]) -> Iterable[str]:
    """What is to be said about the data, each once."""
    notes = dict.fromkeys(note for one in questions for note in one.problem.zones.notes)
    if len(questions) > 1 and notes:
        # Every sample has its own fixes that do not count; a list of them all is read by nobody.
        return [f"{len(notes)} notes on the samples: 'mixsafe zones --users --seed' has them"]
    return notes


def _questions(compared: ComparedInput, report: Report, quiet: bool) -> list[Question]:
    """What is asked: as the source says it, or drawn from samples of its users."""
    from mixsafe.compare.experiment import Question
    from mixsafe_cli.data.sources import check_asked, holds_problems, path_of, read_problems

    source, question, adversary, options = compared
    path, posed_already = path_of(source), holds_problems(source)
    said = question.requirements is not None or posed_already
    if options.task == "verify":
        check_asked(source, question)
    if posed_already:
        drawing: dict[str, object] = {"--sizes": options.sizes, "--known": options.known}
        refuse_together(drawing, f"{path} says itself what is asked")
    if said or (options.task == "verify" and not options.numbers):
        problems = read_problems(source, adversary, question, report)
        if options.task == "optimize" or question.k is None:
            _check_requirements(problems, options.task, path)
        return [Question(problem) for problem in problems]
    return _samples(compared, report, quiet)


def _check_requirements(problems: list[Problem], task: str, path: Path) -> None:
    """Refuse problems that ask nothing, and ask for nothing that could be optimized.

    Raises
    ------
    InputError
        Names the problem.
    """
    for problem in problems:
        asked = problem.requirements
        if asked is None or (task == "optimize" and not len(asked)):
            raise InputError(f"problem '{problem.name}' has no requirements", file=path)


def _samples(compared: ComparedInput, report: Report, quiet: bool) -> list[Question]:
    """A question for each size and seed: the same users, times and order whoever is asked."""
    from mixsafe.compare.experiment import Question
    from mixsafe.extract.select import select
    from mixsafe.model.mobility.traces import Traces
    from mixsafe_cli.data.sources import posed, read_source

    source, _, adversary, options = compared
    whole = read_source(replace(source, users=None), report)
    if isinstance(whole, list):
        raise InputError("problems say themselves what is asked", file=source.source)
    sizes = options.numbers or ([source.users] if source.users else [])
    if sizes and not isinstance(whole, Traces):
        raise InputError("there are no traces to take samples of", file=source.source)
    sizes = sizes or [len(whole.users)]

    def sample(size: int, seed: int) -> Problem:
        report(f"drawing {size} users", 0, 0)
        part: Traces | object = whole
        if isinstance(whole, Traces):
            part = select(whole, users=size, seed=seed)
        return posed(cast("Traces", part), source, adversary)

    if options.task == "verify":
        seeds = range(source.seed, source.seed + options.seeds)
        return [Question(sample(size, seed), seed) for size in sizes for seed in seeds]
    return _drawn(sample, sizes, compared, quiet)


def _drawn(
    sample: Callable[[int, int], Problem], sizes: list[int], compared: ComparedInput, quiet: bool
) -> list[Question]:
    """A question for each size and seed, about requirements that are drawn."""
    from mixsafe.compare.experiment import draw_questions
    from mixsafe_cli.data.sources import path_of

    source, question, _, options = compared
    k = question.k or 3
    drawn = draw_questions(
        sample,
        sizes,
        range(source.seed, source.seed + options.seeds),
        count=options.per_run or 5,
        k=k,
        known=cast("Known", options.known or "asked"),
    )
    if not drawn:
        raise InputError(f"nobody can have {k} candidates", file=path_of(source), hint="a lower k")
    left_out = len(sizes) * options.seeds - len(drawn)
    if left_out:
        note = f"{left_out} samples left out: nobody in them can have {k} candidates"
        say_notes([note], quiet)
    return drawn


def _deliver(comparison: Comparison, made: Made, target: CompareTargets) -> None:
    """Write table, picture and JSON, and tell people."""
    from mixsafe.io.files.atomic import atomic_path, write_text

    if target.output is not None:
        write_text(target.output, comparison.table.to_csv(index=False, lineterminator="\n"))
    if target.plot is not None:
        from mixsafe.report.figures.comparison_figure import comparison_figure

        kind: Literal["png", "svg"] = "svg" if target.plot.suffix.lower() == ".svg" else "png"
        with atomic_path(target.plot) as path:
            path.write_bytes(comparison_figure(comparison, kind))
    if target.json is not None:
        found = {**comparison.to_dict(), "provenance": made.provenance()}
        write_answers(target.json, "compare", [found], lines=False, words=made.words)
    if not target.quiet and target.json != STDOUT:
        from mixsafe_cli.render.render_compare import show

        show(comparison, target)
