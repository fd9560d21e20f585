"""``mixsafe contest score``: utility, reid and trace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError
from mixsafe_cli.data.invocation import CommandLine
from mixsafe_cli.data.outputs import write_answers
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
from mixsafe_cli.options.targets import JsonTarget, check_target

if TYPE_CHECKING:
    from mixsafe.contest.base.score import Score
    from mixsafe.model.release.id_table import IdTable

_option = panel()

app = typer.Typer(
    no_args_is_help=True,
    help="Score a release or an attack: utility, reid or trace. Higher is better for privacy.",
)


@app.command()
@takes_records
def utility(
    context: typer.Context,
    original: OriginalFile,
    anonymized: Annotated[Path, typer.Argument(metavar="ANO", help="Released cells of users.")],
    regions: RegionFile = None,
    variant: VariantName = "program",
    required: Required = 0.7,
    quiet: QuietButResult = False,
    json: JsonTarget = None,
) -> None:
    """Utility s_U of released cells, and whether that makes a valid release.

    For example:

      mixsafe contest score utility orgtraces.csv anotraces.csv
    """
    from mixsafe.contest.base.score import utility as score_utility
    from mixsafe.io.contest.reading import read_anonymized, read_traces

    check_target("--json", json)
    rules = read_rules(regions, variant=variant, required=required)
    traces = read_traces(original, rules.regions.count)
    cells = read_anonymized(anonymized, traces, rules.regions.count)
    score = score_utility(traces, cells, rules)
    verdict = "valid" if score.valid else "not valid"
    words = f"utility s_U, {verdict}: required is {required:g}"
    files = {"original": original, "anonymized": anonymized, "regions": regions}
    _show(score, words, quiet, json, CommandLine(context.find_root().obj, files, {}, None))


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
    quiet: QuietButResult = False,
    json: JsonTarget = None,
) -> None:
    """Re-identification score s_R (the programs' s_I); of several attacks, the lowest.

    For example:

      mixsafe contest score reid ptable.csv etable.csv
    """
    from mixsafe.contest.base.score import minimum, reidentification
    from mixsafe.io.contest.reading import read_id_table, read_inferred_ids

    check_target("--json", json)
    truth = read_id_table(table)
    if release is not None:
        _check_release(release, truth)
    score = minimum(reidentification(truth, read_inferred_ids(path, truth)) for path in answers)
    # No hash of the secret table: whoever has nearly guessed it could complete it by trying.
    files = {"release": release, **_numbered("answers", answers)}
    line = CommandLine(context.find_root().obj, files, {}, None)
    _show(score, "re-identification privacy s_R", quiet, json, line)


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
    quiet: QuietButResult = False,
    json: JsonTarget = None,
) -> None:
    """Trace inference score s_T, hospitals weighing ten times; of several attacks, the lowest.

    For example:

      mixsafe contest score trace orgtraces.csv etraces.csv
    """
    from mixsafe.contest.base.score import minimum, trace_inference
    from mixsafe.io.contest.reading import read_inferred_traces, read_traces

    check_target("--json", json)
    rules = read_rules(regions)
    traces = read_traces(original, rules.regions.count)
    score = minimum(
        trace_inference(traces, read_inferred_traces(path, traces, rules.regions.count), rules)
        for path in answers
    )
    files = {"original": original, "regions": regions, **_numbered("answers", answers)}
    line = CommandLine(context.find_root().obj, files, {}, None)
    _show(score, "trace inference privacy s_T", quiet, json, line)


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


def _show(score: Score, words: str, quiet: bool, json: str | None, line: CommandLine) -> None:
    """Print a score: an object with its uncertainty, the number alone, or both with words."""
    if json is not None:
        found = {**score.to_dict(), "provenance": line.provenance()}
        write_answers(json, "contest score", [found], lines=True, words=line.words)
    if json == STDOUT:
        return
    if quiet:
        typer.echo(repr(score.value))
    else:
        low, high = score.interval
        typer.echo(
            f"{score.value!r}  {words} (95% interval {low:.4f} to {high:.4f},"
            f" {score.attempts:g} attempts, random guess {score.baseline:.4f})"
        )
