"""Curves for ``mixsafe breaking --draws``: from traces to shares."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mixsafe.errors import InputError, about
from mixsafe_cli.options.breaking_options import BreakingOptions
from mixsafe_cli.options.source_options import SourceOptions
from mixsafe_cli.running.invocation import Invocation
from mixsafe_cli.running.run import Run
from mixsafe_cli.running.sources import path_of, read_source

if TYPE_CHECKING:
    from mixsafe.model.mobility.traces import Positions
    from mixsafe.unicity.curves import Curves
    from mixsafe_cli.progress import Report


def find_curves(run: Run[Invocation], wanted: BreakingOptions) -> Curves:
    """Read traces, and find out what singles people out.

    Raises
    ------
    InputError
        The source has no traces, or cannot be used.
    """
    from mixsafe.unicity.curves import check_same_people, curves

    source = run.invocation.source
    positions = _positions(source, run.report)
    reference = None
    if wanted.reference is not None:  # habits, in the cells and steps of the source
        of_habits = replace(source, source=wanted.reference, further=None)
        reference = _positions(of_habits, run.report)
        with about(wanted.reference):
            check_same_people(positions, reference)
    return curves(
        positions,
        wanted.k or 1,
        at_most=wanted.at_most,
        draws=wanted.draws or 1,
        reference=reference,
        limits=run.limits(wanted.workers, source.seed),
        progress=run.report,
    )


def _positions(source: SourceOptions, report: Report) -> Positions:
    """Positions of all users by step."""
    from mixsafe.extract.positions import positions
    from mixsafe.model.mobility.traces import Traces

    data = read_source(source, report)
    if not isinstance(data, Traces):
        raise InputError("curves need traces that fit into memory", file=path_of(source))
    return positions(data, cell_size=source.grid_cells, time_step=source.step_seconds)
