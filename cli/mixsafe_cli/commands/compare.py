"""``mixsafe compare``: the same questions to several engines, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from mixsafe.errors import InputError
from mixsafe_cli.data.outputs import STDOUT, check_target, say_notes, write_answers
from mixsafe_cli.options.checks import moments, refuse_together
from mixsafe_cli.options.compare_options import CompareOptions
from mixsafe_cli.options.question_options import AdversaryOptions, QuestionOptions
from mixsafe_cli.options.records import takes_records
from mixsafe_cli.options.source_options import SourceOptions
from mixsafe_cli.options.targets import JsonTarget, Quiet

if TYPE_CHECKING:
    from mixsafe.compare.comparison import Comparison
    from mixsafe.compare.experiment import Known, Question
    from mixsafe.model.mobility.traces import Traces
    from mixsafe.model.question.problem import Problem
    from mixsafe_cli.data.digests import Made
    from mixsafe_cli.render.progress import Report


@takes_records
def compare(
    context: typer.Context,
    source: SourceOptions,
    question: QuestionOptions,
    adversary: AdversaryOptions,
    options: CompareOptions,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A row per run: .csv.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Seconds by number of users: .png or .svg.")
    ] = None,
    json: JsonTarget = None,
    quiet: Quiet = False,
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

    Engines that contradict each other are an error, with exit status 2.
    """
    for record in (source, question, adversary):
        record.check()
    options.check(source, question)
    inputs = (source.source, source.user_list, question.requirements)
    _check_targets(output, plot, json, inputs)

    from mixsafe.compare.comparison import check_engines
    from mixsafe.compare.comparison import compare as put_to
    from mixsafe.model.limits import SolveLimits
    from mixsafe_cli.render.progress import progress

    task = cast("Literal['verify', 'optimize']", options.task)
    check_engines(task, options.names)
    with progress(quiet) as report:
        questions = _questions(source, question, adversary, options, report, quiet)
        at = question.at and [questions[0].problem.zones.axis.step(t) for t in moments(question.at)]
        comparison = put_to(
            questions,
            task=task,
            engines=options.names,
            k=question.k,
            at=at or None,
            limits=SolveLimits(options.time_limit, options.workers, source.seed),
            progress=report,
        )
    notes = dict.fromkeys(note for one in questions for note in one.problem.zones.notes)
    if len(questions) > 1 and notes:
        # Every sample has its own fixes that do not count; a list of them all is read by nobody.
        notes = {
            f"{len(notes)} notes on the samples: 'mixsafe zones --users --seed' has them": None
        }
    say_notes(notes, quiet)
    from mixsafe_cli.data.digests import Made
    from mixsafe_cli.data.sources import holds_problems, path_of

    records = (source, question, adversary, options)
    made = Made(context.find_root().obj, records, path_of(source), None, holds_problems(source))
    _deliver(comparison, made, output, plot, json, quiet)


def _check_targets(
    output: Path | None, plot: Path | None, json: str | None, inputs: Sequence[Path | None]
) -> None:
    """Refuse files that could not be written in the end, and one file for two things.

    Raises
    ------
    InputError
        Says which, and why.
    """
    check_target("--output", output, inputs)
    check_target("--plot", plot, inputs)
    check_target("--json", json, inputs)
    if output is not None and output.suffix.lower() != ".csv":
        raise InputError(f"--output '{output}' is no CSV table", hint="end its name in .csv")
    if plot is not None:
        if plot.suffix.lower() not in (".png", ".svg"):
            raise InputError(f"--plot '{plot}' is no picture", hint="end its name in .png or .svg")
        import importlib.util

        if importlib.util.find_spec("matplotlib") is None:
            raise InputError("--plot needs matplotlib", hint="pip install 'mixsafe[plot]'")
    files = [Path(p).absolute() for p in (output, plot, json) if p is not None and str(p) != STDOUT]
    if len(set(files)) != len(files):
        raise InputError("two of --output, --plot and --json are the same file")


def _questions(
    source: SourceOptions,
    question: QuestionOptions,
    adversary: AdversaryOptions,
    options: CompareOptions,
    report: Report,
    quiet: bool,
) -> list[Question]:
    """What is asked: as the source says it, or drawn from samples of its users."""
    from mixsafe.compare.experiment import Question
    from mixsafe_cli.data.sources import check_asked, holds_problems, path_of, read_problems

    path, posed_already = path_of(source), holds_problems(source)
    said = question.requirements is not None or posed_already
    if options.task == "verify":
        check_asked(source, question)
    if posed_already:
        drawing: dict[str, object] = {"--sizes": options.sizes, "--known": options.known}
        refuse_together(drawing, f"{path} says itself what is asked")
    if said or (options.task == "verify" and not options.numbers):
        problems = read_problems(source, adversary, question, report)
        _check_requirements(problems, options.task, path)
        return [Question(problem) for problem in problems]
    return _samples(source, question, adversary, options, report, quiet)


def _check_requirements(problems: list[Problem], task: str, path: Path) -> None:
    """Refuse problems that ask nothing which could be optimized.

    Raises
    ------
    InputError
        Names the problem.
    """
    for problem in problems if task == "optimize" else ():
        if problem.requirements is None or not len(problem.requirements):
            raise InputError(f"problem '{problem.name}' has no requirements", file=path)


def _samples(
    source: SourceOptions,
    question: QuestionOptions,
    adversary: AdversaryOptions,
    options: CompareOptions,
    report: Report,
    quiet: bool,
) -> list[Question]:
    """A question for each size and seed: the same users, times and order whoever is asked."""
    from mixsafe.compare.experiment import Question, draw_questions
    from mixsafe.extract.select import select
    from mixsafe.model.mobility.traces import Traces
    from mixsafe_cli.data.sources import path_of, posed, read_source

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

    seeds = range(source.seed, source.seed + options.seeds)
    if options.task == "verify":
        return [Question(sample(size, seed), seed) for size in sizes for seed in seeds]
    drawn = draw_questions(
        sample,
        sizes,
        seeds,
        count=options.per_run or 5,
        k=question.k or 3,
        known=cast("Known", options.known or "asked"),
    )
    if not drawn:
        raise InputError(
            f"nobody can have {question.k or 3} candidates", file=path_of(source), hint="a lower k"
        )
    left_out = len(sizes) * options.seeds - len(drawn)
    if left_out:
        note = f"{left_out} samples left out: nobody in them can have {question.k or 3} candidates"
        say_notes([note], quiet)
    return drawn


def _deliver(
    comparison: Comparison,
    made: Made,
    output: Path | None,
    plot: Path | None,
    json: str | None,
    quiet: bool,
) -> None:
    """Write table, picture and JSON, and tell people."""
    from mixsafe.io.files.atomic import atomic_path, write_text

    if output is not None:
        write_text(output, comparison.table.to_csv(index=False, lineterminator="\n"))
    if plot is not None:
        from mixsafe.report.figures.comparison_figure import comparison_figure

        kind: Literal["png", "svg"] = "svg" if plot.suffix.lower() == ".svg" else "png"
        with atomic_path(plot) as path:
            path.write_bytes(comparison_figure(comparison, kind))
    if json is not None:
        found = {**comparison.to_dict(), "provenance": made.provenance()}
        write_answers(json, [found], lines=False)
    if not quiet and json != STDOUT:
        from mixsafe_cli.render.render_compare import show

        show(comparison)
