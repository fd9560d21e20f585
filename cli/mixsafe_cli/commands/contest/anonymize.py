"""``mixsafe contest anonymize``: released cells of original traces."""

from __future__ import annotations

from typing import Annotated

import typer

from mixsafe_cli.options.contest_options import (
    ObfuscationOptions,
    OriginalFile,
    QuietButResult,
    ReleaseRules,
    say,
)
from mixsafe_cli.options.records import takes_records
from mixsafe_cli.options.targets import OutputFile, check_target


@takes_records
def anonymize(
    method: Annotated[str, typer.Argument(help="A1 to A5, AS or KM, or the long name.")],
    original: OriginalFile,
    output: OutputFile,
    how: ObfuscationOptions,
    rules: ReleaseRules,
    quiet: QuietButResult = False,
) -> None:
    """Obfuscate original traces: one released cell per row.

    Methods and their parameters: A1 (none), A2 MRLH (mu_x,mu_y,lambda), A3 k-RR (epsilon),
    A4 planar Laplace (l,r), A5 cheating (p), AS shift rare regions (n,d_1,d_2), KM clustering (k).

    For example:

      mixsafe contest anonymize A4 orgtraces.csv --param 4,1 -o anotraces.csv

      mixsafe contest anonymize A2 orgtraces.csv --param 1,1,0.5 --compatible -o anotraces.csv
    """
    from mixsafe.contest.base.parts import label
    from mixsafe.contest.registry import anonymiser, parse_parameters
    from mixsafe.io.contest.reading import read_traces
    from mixsafe.io.contest.writing import write_anonymized

    check_target("--output", output)
    chosen = anonymiser(method, parse_parameters(how.param))
    kept = rules.read()
    traces = read_traces(original, kept.regions.count)
    cells = chosen.anonymise(traces, kept, how.random())
    write_anonymized(output, cells)
    say(f"{label(chosen)}: {cells.code.size} cells in {output}", quiet)
