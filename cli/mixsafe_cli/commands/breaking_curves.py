"""Curves for ``mixsafe breaking --draws``: from traces to shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mixsafe.errors import InputError, about
from mixsafe_cli.options.breaking_options import BreakingOptions
from mixsafe_cli.options.checks import refuse_together
from mixsafe_cli.options.question_options import AdversaryOptions
from mixsafe_cli.options.source_options import SourceOptions

if TYPE_CHECKING:
    import pandas as pd

    from mixsafe.model.mobility.traces import Positions
    from mixsafe_cli.render.progress import Report


class ToldCurves(NamedTuple):
    """Curves as JSON, and as a table."""

    result: dict[str, Any]
    table: pd.DataFrame


def tell_curves(
    source: SourceOptions,
    wanted: BreakingOptions,
    adversary: AdversaryOptions,
    words: Sequence[str],
    quiet: bool,
) -> ToldCurves:
    """Read traces, and find out what singles people out.

    Raises
    ------
    InputError
        The source has no traces, or cannot be used.
    """
    from mixsafe.model.limits import SolveLimits
    from mixsafe.unicity.curves import check_same_people, curves
    from mixsafe_cli.data.digests import Made
    from mixsafe_cli.data.sources import path_of
    from mixsafe_cli.render.progress import progress

    refuse_together({"--adversary": adversary.adversary}, "--draws draws what she knows")
    with progress(quiet) as report:
        positions, reference = _positions(source, report), _reference(source, wanted, report)
        if wanted.reference is not None and reference is not None:
            with about(wanted.reference):
                check_same_people(positions, reference)
        found = curves(
            positions,
            wanted.k or 1,
            at_most=wanted.at_most,
            draws=wanted.draws or 1,
            reference=reference,
            limits=SolveLimits(wanted.time_limit, wanted.workers, source.seed),
            progress=report,
        )
    made = Made(words, (source, wanted, adversary), path_of(source))
    name = path_of(source).name.split(".")[0]
    result = {"name": name, **found.to_dict(), "provenance": made.provenance()}
    return ToldCurves(result, found.table)


def _positions(source: SourceOptions, report: Report) -> Positions:
    """Where everybody is, step by step."""
    from mixsafe.extract.positions import positions
    from mixsafe.model.mobility.traces import Traces
    from mixsafe_cli.data.sources import path_of, read_source

    data = read_source(source, report)
    if not isinstance(data, Traces):
        raise InputError("curves need traces that fit into memory", file=path_of(source))
    return positions(data, cell_size=source.grid_cells, time_step=source.step_seconds)


def _reference(source: SourceOptions, wanted: BreakingOptions, report: Report) -> Positions | None:
    """Habits, in the cells and steps of the source."""
    from dataclasses import replace

    if wanted.reference is None:
        return None
    return _positions(replace(source, source=wanted.reference, further=None), report)
