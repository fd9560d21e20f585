"""``mixsafe compare``: the same questions to several engines, side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

import typer

from mixsafe.errors import InputError, about
from mixsafe_cli.options.checks import refuse
from mixsafe_cli.options.cluster_options import ClusterOptions
from mixsafe_cli.options.compare_options import CompareOptions
from mixsafe_cli.options.question_options import AdversaryOptions, QuestionOptions
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.source_options import SourceOptions
from mixsafe_cli.options.targets import (
    CSV_TABLE,
    AnswerTargets,
    JsonTarget,
    Quiet,
    table_option,
)
from mixsafe_cli.running.invocation import Invocation
from mixsafe_cli.running.run import Run, running
from mixsafe_cli.running.sources import (
    check_asked,
    holds_problems,
    posed_problem,
    read_problems,
    read_source,
    steps_of,
)

if TYPE_CHECKING:
    from mixsafe.compare.comparison import Comparison
    from mixsafe.compare.experiment import Known, Question
    from mixsafe.model.mobility.premises import Premises
    from mixsafe.model.mobility.traces import Traces
    from mixsafe.model.question.problem import Problem

_option = panel()


@dataclass(frozen=True)
class CompareTargets(AnswerTargets):
    """Targets of table, picture and JSON."""

    output: Path | None = table_option("Table of runs: .csv.")
    plot: Path | None = _option("Draw seconds by users: .png or .svg.")
    json: JsonTarget = None
    quiet: Quiet = False

    kinds: ClassVar = {**AnswerTargets.kinds, "output": CSV_TABLE}


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
    """Compare engines on the same questions: times, agreement.

    Each run has a separate process, ended at its time limit. With --task optimize, engines find a
    minimum set of mix zones for randomly drawn requirements, with --k (default 3) candidates each:
    auto with the default method, cpsat and dp as oracles of a search over zone sets. With
    --cluster, workers run several at once, and times are those of their machines. Engines that
    contradict each other are an error (exit status 2).

    For example:

      mixsafe compare traces.csv --k 3 --adversary home --engines auto,cpsat

      mixsafe compare problems.jsonl --engines auto,cpsat,dp --output runs.csv

      mixsafe compare traces.csv --task optimize --sizes 10,25,50 --plot runs.svg
    """
    from mixsafe.compare.comparison import check_engines

    options.check_with(question)
    check_engines(options.what, options.names)
    invocation = Invocation(context.find_root().obj, (source, question, adversary, options))
    with running("compare", invocation, target, None, cluster) as run:
        with about(invocation.path):
            questions = _questions(question, options, run)
        comparison = _put(questions, question, options, run)
    run.say(_notes(questions))
    _deliver(comparison, run, questions[0].problem.zones.premises)


def _put(
    questions: list[Question],
    question: QuestionOptions,
    options: CompareOptions,
    run: Run[Invocation],
) -> Comparison:
    """Put the questions to all engines."""
    from mixsafe.compare.comparison import compare as put_to
    from mixsafe.model.course import SolveLimits

    seed, seconds = run.invocation.source.seed, options.time_limit
    return put_to(
        questions,
        task=options.what,
        engines=options.names,
        k=question.k,
        at=steps_of(questions[0].problem, question.at),
        limits=SolveLimits(seconds, options.workers, seed, run.executor),
        progress=run.report,
    )


def _notes(questions: list[Question]) -> Iterable[str]:
    """Notes about the data, each once."""
    notes = dict.fromkeys(note for one in questions for note in one.problem.zones.notes)
    if len(questions) > 1 and notes:
        # Each sample drops other fixes: report only the number of notes.
        return [f"{len(notes)} notes on the samples: 'mixsafe zones --users --seed' has them"]
    return notes


def _questions(
    question: QuestionOptions, options: CompareOptions, run: Run[Invocation]
) -> list[Question]:
    """The questions: those of the source, or drawn from samples of its users."""
    from mixsafe.compare.experiment import Question

    source, path = run.invocation.source, run.invocation.path
    posed_already = holds_problems(source)
    said = question.requirements is not None or posed_already
    if options.task == "verify":
        check_asked(source, question)
    if posed_already:
        refuse(options, f"{path} says itself what is asked", "sizes", "known")
    if said or (options.task == "verify" and not options.numbers):
        problems = read_problems(source, run.invocation.adversary, question, run.report)
        if options.task == "optimize" or question.k is None:
            _check_requirements(problems, options.task, path)
        return [Question(problem) for problem in problems]
    return _samples(question, options, run)


def _check_requirements(problems: list[Problem], task: str, path: Path) -> None:
    """Refuse problems without requirements; to optimize, also those with an empty list.

    Raises
    ------
    InputError
        Names the problem.
    """
    for problem in problems:
        asked = problem.requirements
        if asked is None or (task == "optimize" and not len(asked)):
            raise InputError(f"problem '{problem.name}' has no requirements", file=path)


def _samples(
    question: QuestionOptions, options: CompareOptions, run: Run[Invocation]
) -> list[Question]:
    """A question for each size and seed: users, times and order do not depend on ``known``."""
    from mixsafe.compare.experiment import Question, draw_questions
    from mixsafe.extract.select import select
    from mixsafe.model.mobility.traces import Traces

    source, k = run.invocation.source, question.k or 3
    whole = read_source(replace(source, users=None), run.report)
    if isinstance(whole, list):
        raise InputError("problems say themselves what is asked", file=source.source)
    sizes = options.numbers or ([source.users] if source.users else [])
    if sizes and not isinstance(whole, Traces):
        raise InputError("there are no traces to take samples of", file=source.source)
    sizes = sizes or [len(whole.users)]

    def sample(size: int, seed: int) -> Problem:
        run.report(f"drawing {size} users", 0, 0)
        part: Traces | object = whole
        if isinstance(whole, Traces):
            part = select(whole, users=size, seed=seed)
        return posed_problem(cast("Traces", part), source, run.invocation.adversary)

    seeds = range(source.seed, source.seed + options.seeds)
    if options.task == "verify":
        return [Question(sample(size, seed), seed) for size in sizes for seed in seeds]
    known = cast("Known", options.known or "asked")
    drawn = draw_questions(sample, sizes, seeds, count=options.per_run or 5, k=k, known=known)
    if not drawn:
        raise InputError(
            f"no user can have {k} candidates", file=run.invocation.path, hint="a lower k"
        )
    left_out = len(sizes) * options.seeds - len(drawn)
    if left_out:
        note = f"{left_out} samples left out: none of their users can have {k} candidates"
        run.say([note])
    return drawn


def _deliver(comparison: Comparison, run: Run[Invocation], premises: Premises) -> None:
    """Write table, picture and JSON, and tell people."""
    from mixsafe.compare.comparison_document import comparison_document
    from mixsafe.machinery.files import write_text

    target = run.target
    if target.output is not None:
        write_text(target.output, comparison.table.to_csv(index=False, lineterminator="\n"))
    run.draw(lambda: comparison_document(comparison).charts)
    invocation = replace(run.invocation, said_by_source=holds_problems(run.invocation.source))
    replace(run, invocation=invocation).tell(
        [{**comparison.to_dict(), **premises.to_dict()}],
        lambda pages: [comparison_document(comparison, pages=pages)],
        whole=True,
    )
