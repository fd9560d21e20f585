"""``mixsafe zones``: extract mix zones, and a summary of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from mixsafe.errors import InputError, about
from mixsafe_cli.data.crews import crew_of
from mixsafe_cli.data.outputs import (
    AnswerTargets,
    say_notes,
    write_answers,
)
from mixsafe_cli.options.checks import check_choice
from mixsafe_cli.options.cluster_options import ClusterOptions
from mixsafe_cli.options.records import offering, takes_records
from mixsafe_cli.options.source_options import SourceOptions
from mixsafe_cli.options.targets import JsonTarget, Quiet
from mixsafe_cli.standard_streams import on_stdout

if TYPE_CHECKING:
    from mixsafe.extract.zones import ZonesSummary
    from mixsafe.geometry.outlines import Outlines
    from mixsafe.model.crew import Crew
    from mixsafe.model.mobility.traces import Positions
    from mixsafe.model.question.mix_zones import MixZones
    from mixsafe_cli.render.progress import Report

# As in the library; written again here, because looking them up there would load NetworkX.
GRAPHS = ("wires", "meetings")
GRAPH_ENDINGS = (".graphml", ".gexf")


@dataclass(frozen=True)
class ZonesTargets(AnswerTargets):
    """Where zones go, and in which form."""

    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A row per membership: time_id,zone_id,user_id."),
    ] = None
    map: Annotated[
        Path | None,
        typer.Option(
            "--map", help="Places of mix zones for QGIS and the like: .geojson or .parquet."
        ),
    ] = None
    graph: Annotated[
        Path | None,
        typer.Option("--graph", help="A graph for Gephi and the like: .graphml or .gexf."),
    ] = None
    graph_of: Annotated[
        str | None,
        typer.Option(
            "--graph-of",
            autocompletion=offering(GRAPHS),
            help="wires: from mix zone to mix zone; meetings: who meets whom. Default: wires.",
            show_default=False,
        ),
    ] = None
    json: JsonTarget = None
    quiet: Quiet = False

    @property
    def kind(self) -> str:
        """Which graph is wanted."""
        return GRAPHS[0] if self.graph_of is None else self.graph_of

    def check(self, inputs: Iterable[Path | None]) -> None:
        """Refuse targets that could not be written, or that are one file.

        Raises
        ------
        InputError
            One of them, or there is no such graph, or none is wanted.
        """
        if self.graph is not None and self.graph.suffix.lower() not in GRAPH_ENDINGS:
            hint = f"end its name in {' or '.join(GRAPH_ENDINGS)}"
            raise InputError(f"--graph '{self.graph}' is no graph", hint=hint)
        if self.graph_of is not None and self.graph is None:
            raise InputError("--graph-of says which graph, but none is written", hint="say --graph")
        check_choice("--graph-of", self.graph_of, GRAPHS)
        super().check(inputs)


@takes_records
def zones(source: SourceOptions, cluster: ClusterOptions, target: ZonesTargets) -> None:
    """Find the mix zones: users who are at one place in one time step.

    For example:

      mixsafe zones orgtraces.csv -o zones.csv

      mixsafe zones cabspottingdata.tar.gz --cell-size 200 --time-step 30 --days 1

      mixsafe zones table.parquet --min-users 3 --json -

      mixsafe zones orgtraces.csv --graph meetings.graphml --graph-of meetings

      mixsafe zones cabspottingdata.tar.gz --days 1 --map zones.geojson
    """
    source.check()
    cluster.check()
    target.check(source.inputs)

    from mixsafe.extract.zones import ZonesSummary
    from mixsafe.io.problems.zone_table import write_zones
    from mixsafe_cli.data.sources import path_of
    from mixsafe_cli.render.progress import progress

    quiet = target.quiet
    with progress(quiet) as report, crew_of(cluster, quiet) as crew, about(path_of(source)):
        found, where = _found(source, crew, report, target.map)
    say_notes(found.notes, target.quiet)
    summary = ZonesSummary.of(found, where)
    if target.output is not None:
        write_zones(target.output, found)
    if target.graph is not None:
        _write_graph(target.graph, found, target.kind)
    if target.json is not None:
        write_answers(target.json, "zones", [summary.to_dict()], lines=False)
    if not target.quiet and not on_stdout(target.json, target.output):
        files = (target.output, target.map, target.graph)
        written = [path for path in files if path is not None]
        _show(summary, path_of(source), written)


def _found(
    source: SourceOptions, crew: Crew | None, report: Report, drawn: Path | None
) -> tuple[MixZones, Positions | None]:
    """The mix zones, and where users were; None: the source has its zones already.

    The map of the places is written as long as it is known where they are.
    """
    from mixsafe.extract.extracted import Extraction
    from mixsafe.extract.positions import grid_of, positions
    from mixsafe.extract.zones import mix_zones
    from mixsafe.geometry.outlines import Outlines
    from mixsafe.model.question.mix_zones import MixZones
    from mixsafe_cli.data.sources import read_source

    traces = read_source(source, report, crew)
    if isinstance(traces, list):
        raise InputError("problems say themselves what their mix zones are", file=source.source)
    report("finding mix zones", 0, 0)
    if isinstance(traces, MixZones):
        _write_map(drawn, traces)
        return traces, None
    if isinstance(traces, Extraction):
        _write_map(drawn, traces.zones, None if traces.grid is None else Outlines(traces.grid))
        return traces.zones, traces.positions
    where = positions(traces, cell_size=source.grid_cells, time_step=source.step_seconds)
    found = mix_zones(where, min_users=source.fewest, crew=crew)
    grid = None if traces.region is not None else grid_of(traces, source.grid_cells)
    _write_map(drawn, found, None if grid is None else Outlines(grid, traces.shapes))
    return found, where


def _write_map(path: Path | None, zones: MixZones, outlines: Outlines | None = None) -> None:
    """Write the map of the places, if it is wanted."""
    if path is not None:
        from mixsafe.io.problems.zone_map import write_zone_map

        write_zone_map(path, zones, outlines)


def _write_graph(path: Path, zones: MixZones, kind: str) -> None:
    """Write the graph of a kind."""
    from mixsafe.io.problems.graphs import write_graph
    from mixsafe.network.graphs import GraphKind, graph

    write_graph(path, graph(zones, cast("GraphKind", kind)))


def _show(summary: ZonesSummary, path: Path, written: list[Path]) -> None:
    """Print the summary."""
    from mixsafe_cli.render.printing import console, facts

    rows = [
        ("Source", str(path)),
        (
            "Users",
            f"{summary.users:,}, of whom {summary.never_meet:,} never meet anyone"
            + (f" ({summary.absent:,} of them without data)" if summary.absent else ""),
        ),
        ("Steps", f"{summary.steps:,}"),
        ("Mix zones", f"{summary.zones:,} with {summary.memberships:,} memberships"),
        ("Sizes", _sizes(summary)),
    ]
    if summary.positions is not None:
        rows.insert(3, ("Positions", f"{summary.positions:,}"))
    rows += [("Written to", str(target)) for target in written]
    console().print(facts(rows))


def _sizes(summary: ZonesSummary) -> str:
    """How many zones have how many members, the large ones together."""
    if not len(summary.size):
        return "-"
    pairs = list(zip(summary.size.tolist(), summary.zones_of_size.tolist(), strict=True))
    said = [f"{zones:,} of {size:,}" for size, zones in pairs[:5]]
    if len(pairs) > 5:
        rest = sum(zones for _, zones in pairs[5:])
        said.append(f"{rest:,} of {pairs[5][0]:,} to {pairs[-1][0]:,}")
    return ", ".join(said) + " users"
