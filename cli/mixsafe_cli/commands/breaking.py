"""``mixsafe breaking``: how many more sightings break a user's protection, and which."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mixsafe.errors import InputError
from mixsafe_cli.options.breaking_options import BreakingOptions
from mixsafe_cli.options.question_options import AdversaryOptions
from mixsafe_cli.options.records import takes_records
from mixsafe_cli.options.source_options import SourceOptions
from mixsafe_cli.options.targets import (
    AnswerTargets,
    JsonTarget,
    Quiet,
    table_option,
)
from mixsafe_cli.running.invocation import Invocation
from mixsafe_cli.running.resources import kept
from mixsafe_cli.running.run import Run, prepare_problems, running

if TYPE_CHECKING:
    from mixsafe.breaking.breaking_answer import BreakingNumbers
    from mixsafe.model.course import Journal
    from mixsafe.model.question.problem import Problem


@dataclass(frozen=True)
class BreakingTargets(AnswerTargets):
    """Output targets of the answer."""

    output: Path | None = table_option("Table of targets: .csv or .parquet.")
    json: JsonTarget = None
    quiet: Quiet = False


@takes_records
def breaking(
    context: typer.Context,
    source: SourceOptions,
    wanted: BreakingOptions,
    adversary: AdversaryOptions,
    target: BreakingTargets,
) -> None:
    """Find the fewest further sightings that break protection.

    The sightings come on top of --adversary. Upper bounds are sets of sightings with which a user
    is proven unsafe; lower bounds are witnesses that no smaller set contradicts. 'mixsafe report'
    turns the result of --json into a page.

    For example:

      mixsafe breaking traces.csv --k 3 --at-most 4

      mixsafe breaking traces.csv --k 3 --target share:0.5 -o numbers.csv

      mixsafe breaking traces.csv --k 3 --per-wire --sightings anybody --away 2

      mixsafe breaking traces.csv --k 2 --draws 20 --json curves.json

    Exit status: 0 for any numbers, 2 bad usage or input.
    """
    invocation = Invocation(context.find_root().obj, (source, wanted, adversary))
    if wanted.draws is not None:
        _curves(invocation, wanted, target)
        return
    with running("breaking", invocation, target, wanted.time_limit) as run:
        problems, run = prepare_problems(run, wanted.question)
        for one in problems:
            if wanted.k is None and one.requirements is None and wanted.target != "followed":
                raise InputError("nothing is asked", hint="say --k 3, or --requirements FILE")
        with kept(wanted.resume) as journal:
            answers = [_search(problem, wanted, run, journal) for problem in problems]
    _deliver(answers, run)


def _curves(invocation: Invocation, wanted: BreakingOptions, target: BreakingTargets) -> None:
    """Find curves, write them, and tell people."""
    from mixsafe.unicity.curves_document import curves_document
    from mixsafe_cli.commands.breaking_curves import find_curves

    with running("breaking", invocation, target, wanted.time_limit) as run:
        found = find_curves(run, wanted)
    run.write_table(lambda: found.table)
    name = invocation.path.name.split(".")[0]
    run.tell(
        [{"name": name, **found.to_dict()}],
        lambda _: [curves_document(found, name)],
        ("All shares", "curves.csv"),
        whole=True,
    )


def _search(
    problem: Problem, wanted: BreakingOptions, run: Run[Invocation], journal: Journal | None
) -> BreakingNumbers:
    """Answer a problem in the time that is left."""
    from mixsafe.breaking.breaking import breaking as numbers_of
    from mixsafe.io.problems.side_tables import read_sightings

    zones, file = problem.zones, wanted.file
    return numbers_of(
        problem,
        k=wanted.k,
        at_most=wanted.at_most,
        target=wanted.target or ("each" if wanted.per_wire else None),
        sightings=wanted.sightings
        if file is None
        else read_sightings(
            file, zones.users, zones.axis, maybe_none=True, aliases=zones.premises.aliases
        ),
        away=wanted.away,
        limits=run.limits(wanted.workers, run.invocation.source.seed),
        progress=run.report,
        journal=journal,
        drawn=wanted.draw,
    )


def _deliver(answers: list[BreakingNumbers], run: Run[Invocation]) -> None:
    """Write the answers to files, and tell people."""
    from mixsafe.breaking.breaking_document import breaking_document, with_places

    context = run.invocation.context()
    run.say(note for answer in answers for note in answer.problem.zones.notes)
    run.write_table(lambda: answers[0].table)
    run.tell(
        (with_places(answer.to_dict(), answer, context.atlas) for answer in answers),
        lambda pages: [breaking_document(answer, context, pages=pages) for answer in answers],
        ("All numbers with their sightings", "numbers.csv"),
    )
