"""``mixsafe contest score``: utility, reid and trace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe_cli.data.outputs import write_answers
from mixsafe_cli.options.contest_options import (
    OriginalFile,
    QuietButResult,
    RegionFile,
    Required,
    VariantName,
    read_rules,
)
from mixsafe_cli.options.targets import STDOUT, JsonTarget, check_target

if TYPE_CHECKING:
    from mixsafe.contest.base.score import Score

app = typer.Typer(
    no_args_is_help=True,
    help="Score a release or an attack: utility, reid or trace. Higher is better for privacy.",
)


@app.command()
def utility(
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

    check_target("--json", json, (original, anonymized))
    rules = read_rules(regions, variant=variant, required=required)
    traces = read_traces(original, rules.regions.count)
    cells = read_anonymized(anonymized, traces, rules.regions.count)
    score = score_utility(traces, cells, rules)
    verdict = "valid" if score.valid else "not valid"
    _show(score, f"utility s_U, {verdict}: required is {required:g}", quiet, json)


@app.command()
def reid(
    table: Annotated[Path, typer.Argument(metavar="PTABLE", help="Pseudonyms and users.")],
    answers: Annotated[
        list[Path], typer.Argument(metavar="ETABLE...", help="Inferred users; the lowest counts.")
    ],
    quiet: QuietButResult = False,
    json: JsonTarget = None,
) -> None:
    """Re-identification score s_R (the programs' s_I); of several attacks, the lowest.

    For example:

      mixsafe contest score reid ptable.csv etable.csv
    """
    from mixsafe.contest.base.score import minimum, reidentification
    from mixsafe.io.contest.reading import read_id_table, read_inferred_ids

    check_target("--json", json, (table, *answers))
    truth = read_id_table(table)
    score = minimum(reidentification(truth, read_inferred_ids(path, truth)) for path in answers)
    _show(score, "re-identification privacy s_R", quiet, json)


@app.command()
def trace(
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

    check_target("--json", json, (original, *answers))
    rules = read_rules(regions)
    traces = read_traces(original, rules.regions.count)
    score = minimum(
        trace_inference(traces, read_inferred_traces(path, traces, rules.regions.count), rules)
        for path in answers
    )
    _show(score, "trace inference privacy s_T", quiet, json)


def _show(score: Score, words: str, quiet: bool, json: str | None) -> None:
    """Print a score: an object with its uncertainty, the number alone, or both with words."""
    if json is not None:
        write_answers(json, "contest score", [score.to_dict()], lines=True)
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
