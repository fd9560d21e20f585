"""``mixsafe vary``: the same question under other rules of exchange."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mixsafe.errors import InputError, about
from mixsafe_cli.data.invocation import Invocation
from mixsafe_cli.data.running import Run, running
from mixsafe_cli.data.sources import path_of, read_source
from mixsafe_cli.options.checks import refuse
from mixsafe_cli.options.records import takes_records
from mixsafe_cli.options.source_options import SourceOptions
from mixsafe_cli.options.targets import AnswerTargets, JsonTarget, PlotTarget, Quiet, table_option
from mixsafe_cli.options.vary_options import VaryOptions

if TYPE_CHECKING:
    import pandas as pd

    from mixsafe.model.mobility.premises import Premises
    from mixsafe.model.mobility.traces import Traces
    from mixsafe_cli.render.printing import Part


@dataclass(frozen=True)
class VaryTargets(AnswerTargets):
    """Output targets of the table."""

    output: Path | None = table_option("Table of variants: .csv or .parquet.")
    json: JsonTarget = None
    plot: PlotTarget = None
    quiet: Quiet = False


@takes_records
def vary(
    context: typer.Context, source: SourceOptions, rules: VaryOptions, target: VaryTargets
) -> None:
    """Compare rules of exchange: how often pseudonyms must change, and what speed gives away.

    Decides every combination of the rules, as 'mixsafe verify' does, and gives the share of time at
    which people are protected.

    For example:

      mixsafe vary cabs.tar.gz --rotations never,daily@04:00,every:6h --meetings both --plot r.png

      mixsafe vary cabs.tar.gz --limits any,120,60 --error 20 -o speeds.csv

    Exit status: 0 done, 2 bad usage or input.
    """
    words = context.find_root().obj
    for name in ("max_speed", "max_step", "rotate"):
        refuse(source, "mixsafe vary has --limits and --rotations", name)
    invocation = Invocation(words, (source, rules))
    with running("vary", invocation, target) as run, about(invocation.path):
        traces = _traces(source, run)
        found = _vary(traces, source, rules, run)
    run.say(traces.premises.notes)
    _deliver(found, rules, run, traces.premises)


def _traces(source: SourceOptions, run: Run[Invocation]) -> Traces:
    """Read the source.

    Raises
    ------
    InputError
        The source has no traces.
    """
    from mixsafe.model.mobility.traces import Traces

    traces = read_source(source, run.report, run.executor)
    if not isinstance(traces, Traces):
        raise InputError("rules are compared on traces that fit into memory", file=path_of(source))
    return traces


def _vary(
    traces: Traces, source: SourceOptions, rules: VaryOptions, run: Run[Invocation]
) -> pd.DataFrame:
    """Decide all variants.

    Raises
    ------
    InputError
        A rule does not fit the traces.
    """
    from mixsafe.model.limits import SolveLimits
    from mixsafe.tasks.varying import vary as decide

    return decide(
        traces,
        replace(rules.variants, error=source.error or 0.0),
        rules.k,
        cell_size=source.grid_cells,
        time_step=source.step_seconds,
        min_users=source.fewest,
        steps_per_day=source.day_steps,
        limits=SolveLimits(rules.time_limit, rules.workers, source.seed),
        progress=run.report,
    )


def _deliver(
    found: pd.DataFrame, rules: VaryOptions, run: Run[Invocation], premises: Premises
) -> None:
    """Write the table and the picture, and tell people."""
    target = run.target
    run.write_table(lambda: found)
    if target.plot is not None:
        from mixsafe.report.base.drawing import save
        from mixsafe.report.figures.variation_figure import draw_variants

        save(draw_variants(found), target.plot)
    rows = found.astype(object).where(found.notna(), None).to_dict(orient="records")
    answer = {"k": rules.k, "variants": rows, **premises.to_dict()}
    answer["provenance"] = run.invocation.provenance()
    run.deliver([answer], _show(found, rules.k))


def _show(found: pd.DataFrame, k: int) -> Iterator[Part]:
    """The variants for people."""
    from mixsafe_cli.render.printing import table

    yield f"Share of time at which people have {k} candidates, by how pseudonyms are exchanged:"
    headings = ("adversary", "at mix zones", "all change", "limit", ">protected", ">known",
                ">undecided", ">users failing", ">users losing", ">zones apart", ">s")  # fmt: skip
    rows = []
    for one in found.to_dict(orient="records"):
        limit = one["limit"]
        shares = (one["safe_share"], one["known_share"], one["undecided_share"])
        rows.append((
            one["adversary"],
            "yes" if one["meetings"] else "no",
            one["rotation"],
            "any" if limit is None or limit != limit else f"{limit:g}",
            *(f"{share:.1%}" for share in shares),
            *(f"{one[name]:,}" for name in ("failing", "losing", "apart")),
            f"{one['seconds']:.1f}",
        ))  # fmt: skip
    yield table(headings, rows)
    yield "Known: few candidates, and no exchange between that time and a sighting of the user."
    yield "Losing: less protected time than in the first row with this adversary and these zones."
