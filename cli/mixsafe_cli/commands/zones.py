"""``mixsafe zones``: extract mix zones, and a summary of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from mixsafe.errors import InputError, about
from mixsafe_cli.options.checks import check_choice, refuse
from mixsafe_cli.options.cluster_options import ClusterOptions
from mixsafe_cli.options.records import offering, panel, takes_records
from mixsafe_cli.options.source_options import SourceOptions
from mixsafe_cli.options.targets import AnswerTargets, JsonTarget, Quiet, table_option
from mixsafe_cli.running.invocation import Invocation
from mixsafe_cli.running.run import Run, running
from mixsafe_cli.running.sources import read_source, rules_of

if TYPE_CHECKING:
    from mixsafe.describing.followed_zones import FollowedReport
    from mixsafe.model.course import Executor
    from mixsafe.model.mobility.traces import Positions, Traces
    from mixsafe.model.question.mix_zones import MixZones
    from mixsafe_cli.progress import Report

_option = panel()

# As in the library; written again here, because looking them up there would load NetworkX.
GRAPHS = ("wires", "meetings")


@dataclass(frozen=True)
class ZonesTargets(AnswerTargets):
    """Target of the zones, and its format."""

    output: Path | None = table_option("Table time_id,zone_id,user_id: .csv, .parquet.")
    map: Path | None = _option("Map of the mix zones for GIS: .geojson or .parquet.")
    follow: bool = _option(
        "Follow people through the zones by how they move: how many zones are real.", default=False
    )
    graph: Path | None = _option("Graph of the zones: .graphml or .gexf.")
    graph_of: str | None = _option(
        "wires: edges between zones; meetings: edges between users. Default: wires.",
        autocompletion=offering(GRAPHS),
        show_default=False,
    )
    json: JsonTarget = None
    quiet: Quiet = False

    def check(self) -> None:
        """Refuse targets that could not be written.

        Raises
        ------
        InputError
            One of them, or there is no such graph, or none is wanted.
        """
        if self.graph_of is not None and self.graph is None:
            raise InputError("--graph-of says which graph, but none is written", hint="say --graph")
        check_choice("--graph-of", self.graph_of, GRAPHS)
        super().check()


@takes_records
def zones(
    context: typer.Context,
    source: SourceOptions,
    cluster: ClusterOptions,
    target: ZonesTargets,
) -> None:
    """Find the mix zones: users at one place in one time step.

    For example:

      mixsafe zones orgtraces.csv -o zones.csv

      mixsafe zones cabspottingdata.tar.gz --cell-size 200 --time-step 30 --days 1

      mixsafe zones table.parquet --min-users 3 --json -

      mixsafe zones orgtraces.csv --graph meetings.graphml --graph-of meetings

      mixsafe zones cabspottingdata.tar.gz --days 1 --map zones.geojson

      mixsafe zones cabspottingdata.tar.gz --days 1 --max-speed 100 --error 20

      mixsafe zones cabspottingdata.tar.gz --days 1 --follow
    """
    invocation = Invocation(context.find_root().obj, (source,))
    if target.output is not None:
        why = "a table of zones does not hold what they allow"
        refuse(source, why, "max_speed", "max_step", "believable")
    with running("zones", invocation, target, None, cluster) as run, about(invocation.path):
        zones, where, fixes = _found(source, run.executor, run.report, target.map)
        followed = _followed(zones, fixes, source) if target.follow else None
    _deliver(zones, where, followed, target, run)


def _followed(zones: MixZones, fixes: Traces | None, source: SourceOptions) -> FollowedReport:
    """Whom somebody would follow through the zones.

    Raises
    ------
    InputError
        The source does not say where people are before and after.
    """
    from mixsafe.describing.followed_zones import FollowedReport, other_forms
    from mixsafe.extract.exchange.followed import Followed
    from mixsafe_cli.running.invocation import atlas_of

    if fixes is None:
        raise InputError(
            "how people move is known from traces in memory only",
            hint="leave out --follow; of large traces give more --memory-limit, or choose a period",
        )
    followed, days = Followed.of(zones, fixes, source.day_steps), source.day_steps
    others = other_forms(fixes, source.grid_cells, source.step_seconds, source.fewest, days)
    return FollowedReport(zones, followed, others, atlas_of(fixes, source))


def _deliver(
    zones: MixZones,
    where: Positions | None,
    followed: FollowedReport | None,
    target: ZonesTargets,
    run: Run[Invocation],
) -> None:
    """Write zones, their graph and their summary, and tell people."""
    from mixsafe.describing.zones_summary import ZonesSummary, zones_document
    from mixsafe.io.problems.zone_table import write_zones

    run.say(zones.notes)
    summary = ZonesSummary.of(zones, where)
    if target.output is not None:
        write_zones(target.output, zones)
    if target.graph is not None:
        from mixsafe.io.problems.graphs import write_graph
        from mixsafe.network.graphs import GraphKind, graph

        write_graph(target.graph, graph(zones, cast("GraphKind", target.graph_of or GRAPHS[0])))
    written = {"Map": target.map, "Graph": target.graph}
    files = {what: path for what, path in written.items() if path is not None}
    run.tell(
        [summary.to_dict() | ({} if followed is None else {"followed": followed.to_dict()})],
        lambda pages: [zones_document(summary, run.invocation.path, files, followed, pages=pages)],
        ("Members of each zone", "zones.csv"),
    )


def _found(
    source: SourceOptions, executor: Executor | None, report: Report, drawn: Path | None
) -> tuple[MixZones, Positions | None, Traces | None]:
    """The mix zones, where users were, and their fixes; None: the source has its zones already.

    The map of the places is written as long as it is known where they are.
    """
    from mixsafe.extract.exchange.rules import with_rules
    from mixsafe.extract.positions import grid_of, positions
    from mixsafe.extract.zones import Extraction, mix_zones
    from mixsafe.geometry.grid import Outlines
    from mixsafe.model.mobility.traces import Traces
    from mixsafe.model.question.mix_zones import MixZones

    traces = read_source(source, report, executor)
    if isinstance(traces, list):
        raise InputError("problems say themselves what their mix zones are", file=source.source)
    report("finding mix zones", 0, 0)
    where: Positions | None = None
    outlines: Outlines | None = None
    if isinstance(traces, MixZones):
        zones = traces
    elif isinstance(traces, Extraction):
        zones, where = traces.zones, traces.positions
        outlines = None if traces.grid is None else Outlines(traces.grid)
    else:
        where = positions(traces, cell_size=source.grid_cells, time_step=source.step_seconds)
        zones = mix_zones(where, min_users=source.fewest, executor=executor)
        if traces.region is None:
            outlines = Outlines(grid_of(traces, source.grid_cells), traces.shapes)
    if drawn is not None:
        from mixsafe.io.problems.maps import write_zone_map

        write_zone_map(drawn, zones, outlines)
    fixes = traces if isinstance(traces, Traces) else None
    return with_rules(zones, rules_of(source), fixes, source.day_steps).zones, where, fixes
