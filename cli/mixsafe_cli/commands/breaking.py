"""``mixsafe breaking``: how many more sightings break a user's protection, and which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError
from mixsafe_cli.data.outputs import (
    AnswerTargets,
    check_one_problem,
    say_notes,
    write_answers,
)
from mixsafe_cli.data.resuming import kept
from mixsafe_cli.options.breaking_options import BreakingOptions
from mixsafe_cli.options.checks import refuse_together
from mixsafe_cli.options.question_options import AdversaryOptions
from mixsafe_cli.options.records import takes_records
from mixsafe_cli.options.source_options import SourceOptions
from mixsafe_cli.options.targets import CertificateFolder, JsonTarget, Quiet
from mixsafe_cli.run_time import RunTime
from mixsafe_cli.standard_streams import on_stdout

if TYPE_CHECKING:
    from mixsafe.breaking.breaking_answer import BreakingNumbers
    from mixsafe.model.question.problem import Problem
    from mixsafe_cli.data.digests import Made
    from mixsafe_cli.render.progress import Report


@dataclass(frozen=True)
class BreakingTargets(AnswerTargets):
    """Where the answer goes."""

    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A row per target: .csv or .parquet."),
    ] = None
    json: JsonTarget = None
    certificates: CertificateFolder = None
    quiet: Quiet = False

    def check_fits(self, wanted: BreakingOptions) -> None:
        """Refuse certificates of what there are none of.

        Raises
        ------
        InputError
            Names the other option.
        """
        if self.certificates is not None:
            given: dict[str, object] = {
                "--draws": wanted.draws,
                "--resume": wanted.resume,
                "--sightings": wanted.file,
            }
            refuse_together(given, "--certificates needs what this run finds of each user")


@takes_records
def breaking(
    context: typer.Context,
    source: SourceOptions,
    wanted: BreakingOptions,
    adversary: AdversaryOptions,
    target: BreakingTargets,
) -> None:
    """Find the fewest further sightings that break each user's protection, with proofs.

    Beyond what the adversary knows already (--adversary): from above sets of sightings under which
    she is proven unsafe, from below witnesses that no smaller set contradicts.

    For example:

      mixsafe breaking orgtraces.csv --k 3 --at-most 4

      mixsafe breaking traces.csv --k 3 --adversary none --target share:0.5 -o numbers.csv

      mixsafe breaking traces.csv --k 3 --per-wire --sightings anybody --away 2 --draw 200

      mixsafe breaking traces.csv --k 3 --at-most 2 --suppress --certificates proofs

      mixsafe breaking traces.csv --k 2 --draws 20 --json curves.json

      mixsafe breaking problem.json --requirements asked.csv --json -

    'mixsafe report result.json' makes a page of --json, 'mixsafe check DIR' replays --certificates.

    Exit status: 0 whatever the numbers are; 2 bad usage or bad input.
    """
    time = RunTime(wanted.time_limit, target.certificates is not None)
    for options in (source, wanted, adversary):
        options.check()
    target.check((*source.inputs, adversary.file, wanted.requirements, *wanted.files.values()))
    target.check_fits(wanted)

    from mixsafe_cli.render.progress import progress

    if wanted.draws is not None:
        _curves(context.find_root().obj, source, wanted, adversary, target)
        return
    with progress(target.quiet) as report:
        asked, shown = (source, wanted, adversary), target.json is not None
        problems, made = _posed(asked, context.find_root().obj, report, shown=shown)
        check_one_problem(len(problems), {"--output": target.output})
        answers = _search(problems, wanted, source.seed, time, report)
        _certify(answers, target, adversary.called, time, report)
    _deliver(answers, made, target)


def _curves(
    words: Sequence[str],
    source: SourceOptions,
    wanted: BreakingOptions,
    adversary: AdversaryOptions,
    target: BreakingTargets,
) -> None:
    """Find curves, write them, and tell people."""
    from mixsafe_cli.commands.breaking_curves import tell_curves

    told = tell_curves(source, wanted, adversary, words, target.quiet)
    if target.output is not None:
        from mixsafe.io.problems.wires import write_wires

        write_wires(target.output, told.table)
    if target.json is not None:
        write_answers(target.json, "breaking", [told.result], lines=False, words=words)
    if not target.quiet and not on_stdout(target.json, target.output):
        from mixsafe_cli.render.render_breaking import show_curves

        show_curves(told.result)


def _posed(
    records: tuple[SourceOptions, BreakingOptions, AdversaryOptions],
    words: Sequence[str],
    report: Report,
    *,
    shown: bool,
) -> tuple[list[Problem], Made]:
    """The problems, and how they were posed; with ``shown`` where people were, too."""
    from mixsafe_cli.data.digests import Made, atlas_of
    from mixsafe_cli.data.sources import path_of, problems_of, read_source

    source, wanted, adversary = records
    data = read_source(source, report)
    problems = problems_of(data, source, adversary, wanted.question, report)
    for one in problems:
        if wanted.k is None and one.requirements is None and wanted.target != "followed":
            raise InputError("nothing is asked", hint="say --k 3, or --requirements FILE")
    atlas = atlas_of(data, source) if shown and not isinstance(data, list) else None
    return problems, Made(words, records, path_of(source), atlas, isinstance(data, list))


def _search(
    problems: list[Problem],
    wanted: BreakingOptions,
    seed: int,
    time: RunTime,
    report: Report,
) -> list[BreakingNumbers]:
    """Answer problem after problem, in what time is left, and is not for certificates."""
    from mixsafe.breaking.breaking import breaking as numbers_of
    from mixsafe.io.problems.sightings import read_sightings
    from mixsafe.model.limits import SolveLimits

    limits, answers = SolveLimits(wanted.time_limit, wanted.workers, seed), []
    with kept(wanted.resume) as journal:
        for problem in problems:
            limits = replace(limits, seconds=time.to_decide)
            asked = problem.requirements is not None and wanted.k is None
            usual = "each" if wanted.per_wire or asked else "lost"
            zones, file = problem.zones, wanted.file
            answers.append(
                numbers_of(
                    problem if asked else replace(problem, requirements=None),
                    k=wanted.k,
                    at_most=wanted.at_most,
                    target=wanted.target or usual,
                    sightings=wanted.sightings
                    if file is None
                    else read_sightings(file, zones.users, zones.axis, maybe_none=True),
                    away=wanted.away,
                    limits=limits,
                    progress=report,
                    journal=journal,
                    drawn=wanted.draw,
                    suppress=wanted.suppress,
                    keep_witnesses=time.certified,
                )
            )
    return answers


def _certify(
    answers: list[BreakingNumbers],
    target: BreakingTargets,
    adversary: str,
    time: RunTime,
    report: Report,
) -> None:
    """Write certificates, if they are wanted, in the time that is left."""
    if target.certificates is None:
        return
    from mixsafe_cli.data.certifying import certify_of_breaking

    certify_of_breaking(answers, target.certificates, adversary, time.left, report, target.quiet)


def _deliver(answers: list[BreakingNumbers], made: Made, target: BreakingTargets) -> None:
    """Write the answers to files, and tell people."""
    said = [note for answer in answers for note in answer.problem.zones.notes]
    say_notes(said, target.quiet)
    if target.output is not None:
        from mixsafe.io.problems.wires import write_wires

        write_wires(target.output, answers[0].table)
    if target.json is not None:
        found = [answer.to_dict() for answer in answers]
        lines = made.source.suffix.lower() == ".jsonl" or len(answers) != 1
        if not lines:
            from mixsafe.report.breaking_places import with_places

            found[0] = with_places(found[0], answers[0], made.atlas) | {
                "adversary": made.adversary_words(),
                "provenance": made.provenance(),
            }
        write_answers(target.json, "breaking", found, lines=lines, words=made.words)
    if not target.quiet and not on_stdout(target.json, target.output):
        from mixsafe_cli.render.render_breaking import show

        seen = sum(len(answer.problem.knowledge) for answer in answers)
        show(answers, made.source, made.adversary_said(seen), target.output)
