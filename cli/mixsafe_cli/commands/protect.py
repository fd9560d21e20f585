"""``mixsafe protect``: what to do about data that fail."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from mixsafe.errors import InputError, about
from mixsafe.machinery.files import secret
from mixsafe_cli.failures import status_of
from mixsafe_cli.options.checks import refuse
from mixsafe_cli.options.declaring import excludes
from mixsafe_cli.options.question_options import (
    AdversaryOptions,
    EngineOptions,
    PlacedQuestionOptions,
    PlacedRuleOptions,
)
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.remedy_options import RemedyOptions
from mixsafe_cli.options.source_options import SourceOptions
from mixsafe_cli.options.targets import (
    AnswerTargets,
    JsonTarget,
    PlotTarget,
    Quiet,
    ResumeFolder,
    check_folder_target,
    table_option,
)
from mixsafe_cli.running.invocation import Invocation
from mixsafe_cli.running.resources import kept
from mixsafe_cli.running.run import Run, check_one_problem, running
from mixsafe_cli.running.sources import check_asked, problems_of, read_source, rules_of, steps_of

if TYPE_CHECKING:
    from mixsafe.extract.zones import Extraction
    from mixsafe.model.course import Course
    from mixsafe.model.mobility.traces import Traces
    from mixsafe.model.question.mix_zones import MixZones
    from mixsafe.model.question.problem import Problem
    from mixsafe.remedies.applying import Applied
    from mixsafe.remedies.publication import Asking, Form, Publication
    from mixsafe.remedies.remedy import Option, Protection
    from mixsafe.verify.query import Query, Settings
    from mixsafe_cli.running.sources import Source

    _Data = Traces | Extraction | MixZones | Problem

_option = panel()


@dataclasses.dataclass(frozen=True)
class ProtectTargets(AnswerTargets):
    """Output targets of the answer."""

    output: Path | None = table_option(
        "Secret table of who is kept: .csv or .parquet. With --apply: a new folder."
    )
    apply: int | None = _option(
        "Only write the data of remedy N, and verify them again.",
        metavar="N",
        constraints=(
            excludes("plot", why="one remedy is no frontier to draw"),
            excludes("requirements", why="--apply is for questions about everybody"),
        ),
    )
    plot: PlotTarget = None
    json: JsonTarget = None
    resume: ResumeFolder = None
    quiet: Quiet = False

    def check(self) -> None:
        """Refuse targets that cannot be written; with ``--apply``, ``--output`` is a folder.

        Raises
        ------
        InputError
            Says which, and why.
        """
        if self.apply is None:
            super().check()
            return
        if self.output is None:
            raise InputError("--apply writes a folder", hint="name it: --output DIR")
        check_folder_target("--output", self.output)
        dataclasses.replace(self, apply=None, output=None).check()


@takes_records
def protect(
    context: typer.Context,
    source: SourceOptions,
    remedy: RemedyOptions,
    question: PlacedRuleOptions,
    adversary: AdversaryOptions,
    engine: EngineOptions,
    target: ProtectTargets,
) -> None:
    """Find what makes data pass that fail, and what it costs.

    Tries remedies and verifies each: leaving people out (the largest group that passes, proven),
    hiding stretches, larger cells, longer steps, rotations, and combinations of these. SOURCE
    defaults to the bundled sample: two days of a small town.

    For example:

      mixsafe protect --k 3 -o kept.csv

      mixsafe protect cabs.tar.gz --days 1 --k 3 --cell-sizes 200,400

      mixsafe protect cabs.tar.gz --days 1 --k 3 --apply 3 -o protected

    Exit status: 0 a remedy passes, 1 none does, 3 none is proven to pass but one may, 2 bad usage
    or input.
    """
    from mixsafe.verify.query import Settings

    records = (source, remedy, question, adversary, engine)
    invocation = Invocation(context.find_root().obj, records)
    with running("protect", invocation, target, engine.time_limit) as run, about(invocation.path):
        placed = PlacedQuestionOptions(**vars(question))
        check_asked(source, placed)
        data = read_source(source, run.report)
        with kept(target.resume) as journal:
            begin = partial(run.course, engine.workers, source.seed, journal)
            settings = Settings(engine.engine, engine.encoding)
            if target.apply is not None:
                status = _applied(data, placed, remedy, settings, begin, run, target.apply)
                raise typer.Exit(status)
            protections = _protect(data, placed, remedy, settings, begin, run)
        _deliver(protections, run, all_rungs=remedy.all_rungs)
    raise typer.Exit(status_of(protection.verdict for protection in protections))


def _protect(
    data: Source,
    question: PlacedQuestionOptions,
    remedy: RemedyOptions,
    settings: Settings,
    begin: Callable[[], Course],
    run: Run[Invocation],
) -> list[Protection]:
    """Remedies for the source, or for each problem in it."""
    from mixsafe.remedies.protecting import protected

    source, adversary = run.invocation.source, run.invocation.adversary
    posed: Sequence[_Data] = [data] if not isinstance(data, list) else []
    if isinstance(data, list):
        posed = problems_of(data, source, adversary, question, run.report)
        targets = {"--output": run.target.output, "--plot": run.target.plot}
        check_one_problem(len(posed), targets)
    protections = []
    for one in posed:
        asking = _asking(one, question, run)
        choices = _choices(asking, remedy, source)
        protections.append(
            protected(asking, choices, settings, begin(), all_rungs=remedy.all_rungs)
        )
    return protections


_NEED_TRACES = "larger cells and longer steps need traces that fit into memory"


def _asking(data: _Data, question: PlacedQuestionOptions, run: Run[Invocation]) -> Asking:
    """The question about data in any form."""
    from mixsafe.model.mobility.traces import Traces
    from mixsafe.model.question.problem import Problem
    from mixsafe.remedies.publication import Asking, Publication

    source, adversary = run.invocation.source, run.invocation.adversary
    rules, steps_per_day = rules_of(source), source.day_steps
    as_it_is = _as_it_is(data, source)

    def posed(data: _Data, form: Form) -> Publication:
        if isinstance(data, Problem):
            return Publication(data, _query(data, question))
        published = _published(source, form)
        (problem,) = problems_of(
            data,
            published,
            adversary,
            question,
            run.report,
            placed=question.distinct_places is not None,
            followed=form == as_it_is,
        )
        changed = dataclasses.replace(rules, rotate=form.rotate)
        traces = data if isinstance(data, Traces) else None
        query = _query(problem, question)
        return Publication(problem, query, changed, traces, steps_per_day, source.fewest)

    option = f"--adversary {adversary.name}{' --sealed' if adversary.sealed else ''}"
    return Asking(data, posed, option)


def _as_it_is(data: _Data, source: SourceOptions) -> Form:
    """How data are published that no remedy changes."""
    from mixsafe.model.mobility.traces import Traces
    from mixsafe.remedies.publication import Form, form_of

    if isinstance(data, Traces):
        return form_of(data, source.grid_cells, source.step_seconds, source.rotate)
    return Form(rotate=source.rotate)


def _choices(asking: Asking, remedy: RemedyOptions, source: SourceOptions) -> tuple[Option, ...]:
    """Remedies that may be tried, numbered."""
    from mixsafe.model.mobility.traces import Traces
    from mixsafe.model.question.problem import Problem
    from mixsafe.remedies.protecting import options, usual_options

    form = _as_it_is(asking.data, source)
    if not isinstance(asking.data, Traces):
        refuse(remedy, _NEED_TRACES, "cell_sizes", "time_steps")
    if isinstance(asking.data, Problem):
        refuse(remedy, "a problem says itself what is possible", "rotations")
    if remedy.leave_out:
        return options(asking(form), form, {}, only_leave_out=True)
    return usual_options(asking, form, remedy.larger, remedy.longer, remedy.schedules)


def _applied(
    data: Source,
    question: PlacedQuestionOptions,
    remedy: RemedyOptions,
    settings: Settings,
    begin: Callable[[], Course],
    run: Run[Invocation],
    number: int,
) -> int:
    """Write the data of a remedy, verify them, and tell people; return the exit status."""
    from mixsafe.model.mobility.traces import Traces
    from mixsafe.remedies.applying import applied
    from mixsafe.remedies.protecting import Trial
    from mixsafe.remedies.protection_document import applied_document, handing_on

    source, folder = run.invocation.source, run.target.output
    if not isinstance(data, Traces) or folder is None:
        raise InputError("--apply needs traces that fit into memory", file=run.invocation.path)
    asking = _asking(data, question, run)
    choices = _choices(asking, remedy, source)
    if not 1 <= number <= len(choices):
        raise InputError(f"--apply {number}: remedies have the numbers 1 to {len(choices)}")
    option = choices[number - 1]
    posed = asking(option.form)
    tried = Trial(settings, begin()).of(option, posed)
    done = applied(tried, asking, folder, settings, begin) if tried.passes else None
    verdict = tried.verdict if done is None else done.verdict
    answer = {
        "verdict": verdict.value,
        "name": posed.problem.name,
        "rule": str(posed.rule),
        "remedies": [tried.to_dict()],
        **posed.problem.zones.premises.to_dict(),
        "applied": number,
        "files": [] if done is None else list(done.files),
    }
    run.tell(
        [answer],
        lambda _: [applied_document(tried, posed.rule, done)],
        outputs=_made(done),
        last="" if done is None or done.folder is None else handing_on(done.folder),
    )
    return status_of([verdict])


def _made(done: Applied | None) -> dict[str, Any]:
    """The files that are to be published, with their hashes.

    None of the secret ones, as of ``pseudonymize``: whoever has nearly guessed such a file could
    complete it by trying.
    """
    from mixsafe.remedies.applying import PUBLIC
    from mixsafe.report.provenance import told_output

    if done is None or done.folder is None:
        return {}
    return {"outputs": [told_output(PUBLIC[one], done.folder / one) for one in done.public]}


def _published(source: SourceOptions, form: Form) -> SourceOptions:
    """The options of data that are published in some form; exchanges have no rules yet."""
    size = form.cell_size
    if size is not None:
        cells = size if isinstance(size, str) else None
        source = dataclasses.replace(
            source, cells=cells, cell_size=None if isinstance(size, str) else size
        )
    if form.time_step is not None:
        source = dataclasses.replace(source, time_step=form.time_step)
    return dataclasses.replace(
        source,
        max_speed=None,
        error=None,
        max_step=None,
        rotate=None,
        no_meetings=False,
        believable=None,
    )


def _query(problem: Problem, question: PlacedQuestionOptions) -> Query:
    from mixsafe.model.question.requirement import Rule
    from mixsafe.verify.query import Query

    at, places = steps_of(problem, question.at), question.distinct_places
    return Query(question.k, at, Rule.of(question.rule), distinct_places=places)


def _deliver(protections: Sequence[Protection], run: Run[Invocation], *, all_rungs: bool) -> None:
    """Write the remedies to files, and tell people."""
    from mixsafe.remedies.protection_document import protection_document, remedies_chart

    run.say(note for protection in protections for note in protection.notes)
    with secret():
        run.write_table(lambda: protections[0].group.table)
    run.draw(lambda: [remedies_chart([remedy.to_dict() for remedy in protections[0].remedies])])
    context, source = run.invocation.context(), run.invocation.path.name
    names = [source] if len(protections) == 1 else [protection.name for protection in protections]
    partly = (
        len(protections) == 1
        and protections[0].group.left_out.any()
        and protections[0].group.kept.any()
    )
    run.tell(
        (protection.to_dict() for protection in protections),
        lambda pages: [
            protection_document(protection, name, context, pages=pages, all_rungs=all_rungs)
            for protection, name in zip(protections, names, strict=True)
        ],
        ("Who is kept", "kept.csv") if partly else None,
    )
