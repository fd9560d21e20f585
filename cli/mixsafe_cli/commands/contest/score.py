"""``mixsafe contest score``: utility, reid and trace."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixsafe.errors import InputError
from mixsafe_cli.options.apart import STDOUT
from mixsafe_cli.options.contest_options import (
    OriginalFile,
    QuietButResult,
    RegionFile,
    Required,
    VariantName,
    read_rules,
)
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.targets import AnswerTargets, JsonTarget
from mixsafe_cli.running.invocation import CommandLine
from mixsafe_cli.running.run import Run, running

if TYPE_CHECKING:
    from mixsafe.contest.base.score import Score
    from mixsafe.model.release import IdTable

_option = panel()

app = typer.Typer(
    no_args_is_help=True,
    help="Score a release or an attack: utility, reid or trace. Higher is better for privacy.",
)


@dataclass(frozen=True)
class ScoreTargets(AnswerTargets):
    """Where a score goes."""

    json: JsonTarget = None
    quiet: QuietButResult = False


@app.command()
@takes_records
def utility(
    context: typer.Context,
    original: OriginalFile,
    anonymized: Annotated[Path, typer.Argument(metavar="ANO", help="Released cells of users.")],
    regions: RegionFile = None,
    variant: VariantName = "program",
    required: Required = 0.7,
    *,
    target: ScoreTargets,
) -> None:
    """Utility s_U of released cells, and whether that makes a valid release.

    For example:

      mixsafe contest score utility orgtraces.csv anotraces.csv
    """
    from mixsafe.contest.base.score import utility as score_utility
    from mixsafe.io.contest.reading import read_anonymized, read_traces

    files = {"original": original, "anonymized": anonymized, "regions": regions}
    line = CommandLine(context.find_root().obj, files, {}, None)
    with running("contest score", line, target) as run:
        rules = read_rules(regions, variant=variant, required=required)
        traces = read_traces(original, rules.regions.count)
        cells = read_anonymized(anonymized, traces, rules.regions.count)
        score = score_utility(traces, cells, rules)
    _tell(run, score, required=required)


@app.command()
@takes_records
def reid(
    context: typer.Context,
    table: Annotated[Path, typer.Argument(metavar="PTABLE", help="Pseudonyms and users.")],
    answers: Annotated[
        list[Path], typer.Argument(metavar="ETABLE...", help="Inferred users; the lowest counts.")
    ],
    release: Path | None = _option(
        "The release of PTABLE, which --json then names.", metavar="PUB"
    ),
    *,
    target: ScoreTargets,
) -> None:
    """Re-identification score s_R (the programs' s_I); of several attacks, the lowest.

    For example:

      mixsafe contest score reid ptable.csv etable.csv
    """
    from mixsafe.contest.base.score import minimum, reidentification
    from mixsafe.io.contest.reading import read_id_table, read_inferred_ids

    # No hash of the secret table: whoever has nearly guessed it could complete it by trying.
    files = {"release": release, **_numbered("answers", answers)}
    line = CommandLine(context.find_root().obj, files, {}, None)
    with running("contest score", line, target) as run:
        truth = read_id_table(table)
        if release is not None:
            _check_release(release, truth)
        score = minimum(reidentification(truth, read_inferred_ids(path, truth)) for path in answers)
    _tell(run, score, answers=len(answers))


@app.command()
@takes_records
def trace(
    context: typer.Context,
    original: OriginalFile,
    answers: Annotated[
        list[Path],
        typer.Argument(metavar="ETRACES...", help="Inferred regions; the lowest counts."),
    ],
    regions: RegionFile = None,
    *,
    target: ScoreTargets,
) -> None:
    """Trace inference score s_T, hospitals weighing ten times; of several attacks, the lowest.

    For example:

      mixsafe contest score trace orgtraces.csv etraces.csv
    """
    from mixsafe.contest.base.score import minimum, trace_inference
    from mixsafe.io.contest.reading import read_inferred_traces, read_traces

    files = {"original": original, "regions": regions, **_numbered("answers", answers)}
    line = CommandLine(context.find_root().obj, files, {}, None)
    with running("contest score", line, target) as run:
        rules = read_rules(regions)
        traces = read_traces(original, rules.regions.count)
        score = minimum(
            trace_inference(traces, read_inferred_traces(path, traces, rules.regions.count), rules)
            for path in answers
        )
    _tell(run, score, answers=len(answers))


def _numbered(what: str, paths: list[Path]) -> dict[str, Path]:
    """Files of one role, by the role and a number."""
    return {f"{what} {number}": path for number, path in enumerate(paths, 1)}


def _check_release(release: Path, truth: IdTable) -> None:
    """Refuse a release that has other numbers of pseudonyms or times than its table.

    Raises
    ------
    InputError
        It has, or cannot be read.
    """
    from mixsafe.io.contest.reading import read_public

    shown = read_public(release, read_rules(None).regions.count)
    rows, steps = truth.user.shape
    if shown.n_rows != rows or steps not in (1, shown.n_steps):
        raise InputError(
            f"it has {shown.n_rows} pseudonyms at {shown.n_steps} times, and the table"
            f" {rows} at {steps}",
            file=release,
            hint="give the release of this table",
        )


def _tell(run: Run[CommandLine], score: Score, **known: Any) -> None:
    """Tell a score; with ``--quiet``, the number alone.

    Parameters
    ----------
    known
        What the document shows beside the score.
    """
    from mixsafe.contest.score_document import score_document

    found = score.to_dict()
    run.tell([found], lambda pages: [score_document(found, **known)], whole=True)
    if run.target.quiet and run.target.json != STDOUT:
        typer.echo(repr(score.value))
