"""``mixsafe audit``: how safe a published, pseudonymized data set is, without its secret tables."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixsafe.errors import InputError
from mixsafe_cli.audit_options import AuditOptions, KnowledgeOptions
from mixsafe_cli.checks import check_positive, refuse_together
from mixsafe_cli.contest_options import RegionFile, StepsPerDay
from mixsafe_cli.options import JsonTarget, PlotTarget, Quiet, takes_records
from mixsafe_cli.outputs import (
    STDOUT,
    check_different,
    check_picture_target,
    check_table_target,
    check_target,
    say_notes,
    write_answers,
)

if TYPE_CHECKING:
    from mixsafe.release.assume import Assumption
    from mixsafe.release.audit import Audit
    from mixsafe_cli.progress import Report
    from mixsafe_cli.released import Released

STATUS = {"safe": 0, "unsafe": 1, "undecided": 3}
"""Exit status by verdict; 2 is bad usage or bad input."""


@takes_records
def audit(
    context: typer.Context,
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="Published tracks by pseudonym.")
    ],
    known: KnowledgeOptions,
    asked: AuditOptions,
    regions: RegionFile = None,
    steps_per_day: StepsPerDay = 20,
    cell_size: Annotated[
        float | None, typer.Option("--cell-size", help="Of coordinates: grid cells, metres. [100]")
    ] = None,
    time_step: Annotated[
        int | None, typer.Option("--time-step", help="Of clock times: a step, seconds. [60]")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A row per user and stretch of time: .csv, .parquet."),
    ] = None,
    candidates: Annotated[
        Path | None,
        typer.Option("--candidates", help="All tracks that can be each user's: .csv, .parquet."),
    ] = None,
    json: JsonTarget = None,
    plot: PlotTarget = None,
    quiet: Quiet = False,
) -> None:
    """Decide how safe a published data set is, from nothing secret: which tracks can be whose.

    RELEASE is the contest's pse_id,time_id,reg_id, or a table of pseudonym, time and coordinates.
    Mix zones are where tracks visibly meet; whether pseudonyms were exchanged there, a release does
    not show: say --exchange none for a static one.

    For example:

      mixsafe audit pubtraces.csv --knowledge seen.csv --k 3

      mixsafe audit pubtraces.csv --knowledge seen.csv --exchange none --candidates tracks.csv

      mixsafe audit pubtraces.csv --assume 2 --reference reftraces.csv --draws 20 --json -

    Exit status: 0 every known user passes by the rule, 1 some user does not, 3 nobody fails but
    somebody is undecided, 2 bad usage or bad input. With --assume there is no verdict: 0 or 2.
    """
    known.check()
    asked.check()
    check_positive("--cell-size", cell_size)
    check_positive("--time-step", time_step)
    inputs = (release, known.knowledge, known.reference, regions)
    check_table_target("--output", output, inputs)
    check_table_target("--candidates", candidates, inputs)
    check_target("--json", json, inputs)
    check_picture_target("--plot", plot, inputs)
    tables: dict[str, Path | None] = {"--output": output, "--candidates": candidates}
    check_different({**tables, "--json": json, "--plot": plot})
    if known.assume is not None:
        refuse_together({**tables}, "--assume draws often")

    from mixsafe_cli.progress import progress
    from mixsafe_cli.released import read_release

    with progress(quiet) as report:
        report(f"reading {release.name}", 0, 0)
        found = read_release(release, regions, asked.sets_meet, cell_size, time_step)
        if known.assume is None:
            answer = _audit(found, known, asked, candidates is not None, report)
        else:
            assumption = _assume(found, known, asked, steps_per_day, report)
    say_notes(found.published.zones.notes, quiet)
    if known.assume is not None:
        files = {"release": release, "reference": known.reference, "regions": regions}
        settings = {**vars(asked), "assume": known.assume, "draws": len(assumption.draws)}
        settings |= {"cell_size": cell_size, "time_step": time_step}
        made = (context.find_root().obj, files, settings)
        _deliver_assumption(assumption, asked, made, json, plot, quiet)
        raise typer.Exit
    shown = None
    if json is not None or plot is not None:
        from mixsafe_cli.digests import audit_shown

        files = {"release": release, "knowledge": known.knowledge, "regions": regions}
        settings = {**vars(asked), "cell_size": cell_size, "time_step": time_step}
        shown = audit_shown(answer, found, context.find_root().obj, files, settings)
    if plot is not None and shown is not None:
        from mixsafe.report.drawing import save
        from mixsafe.report.figures import overview

        save(overview(shown), plot)
    _deliver(answer, release, (output, candidates), json, quiet, shown)
    raise typer.Exit(STATUS[answer.verdict.value])


def _audit(
    released: Released,
    known: KnowledgeOptions,
    asked: AuditOptions,
    exhaustive: bool,
    report: Report,
) -> Audit:
    """Audit what a file says."""
    from mixsafe.release.audit import audit as decide
    from mixsafe.release.evidence import Evidence
    from mixsafe_cli.released import read_knowledge

    if known.knowledge is None:
        raise InputError("--knowledge is missing")
    evidence = Evidence.of(released.published, read_knowledge(known.knowledge, released))
    return decide(evidence, asked.k, exhaustive=exhaustive, progress=report, **asked.settings())


def _assume(
    released: Released,
    known: KnowledgeOptions,
    asked: AuditOptions,
    steps_per_day: int,
    report: Report,
) -> Assumption:
    """Audit draw after draw."""
    import numpy as np

    from mixsafe.release.assume import Assumption, audit_draw, draw_sightings
    from mixsafe_cli.released import read_reference

    if known.assume is None or known.reference is None:
        raise InputError("--assume and --reference go together")
    reference = read_reference(known.reference, released, steps_per_day)
    random = np.random.default_rng(asked.seed)
    settings, began = asked.settings(), time.monotonic()
    draws = []
    for number in range(known.draws or 20):
        report("auditing draws", number, known.draws or 20)
        if asked.time_limit is not None:
            left = max(asked.time_limit - (time.monotonic() - began), 1e-3)
            settings["limits"] = replace(settings["limits"], seconds=left)
        sightings = draw_sightings(reference, known.assume, random)
        draws.append(audit_draw(released.published, sightings, asked.k, **settings))
    return Assumption(known.assume, tuple(draws), 1 / released.published.n_tracks)


def _deliver(
    answer: Audit,
    release: Path,
    tables: tuple[Path | None, Path | None],
    json: str | None,
    quiet: bool,
    shown: dict[str, Any] | None,
) -> None:
    """Write the answer to files, and tell people."""
    from mixsafe.io.wires import write_wires
    from mixsafe_cli.render_audit import as_dict, show

    output, candidates = tables
    if output is not None:
        write_wires(output, answer.intervals)
    if candidates is not None and answer.candidates is not None:
        write_wires(candidates, answer.candidates)
    if json is not None:
        write_answers(json, [{**as_dict(answer, release), "report": shown}], lines=False)
    if not quiet and json != STDOUT:
        show(answer, release, output)


def _deliver_assumption(
    assumption: Assumption,
    asked: AuditOptions,
    made: tuple[Sequence[str], dict[str, Path | None], dict[str, Any]],
    json: str | None,
    plot: Path | None,
    quiet: bool,
) -> None:
    """Write the distribution to files, and tell people.

    Parameters
    ----------
    made
        Words of the command line, files by what they are, and options by name.
    """
    from mixsafe_cli.render_audit import assumption_as_dict, show_assumption

    words, files, settings = made
    found = assumption_as_dict(assumption, files["release"], asked.settings(), asked.k)
    if plot is not None:
        from mixsafe.report.assumption import draw_assumption
        from mixsafe.report.drawing import save

        save(draw_assumption(found), plot)
    if json is not None:
        from mixsafe_cli.digests import given

        source = given(words, files, settings, asked.seed)
        write_answers(json, [{**found, "provenance": source}], lines=False)
    if not quiet and json != STDOUT:
        show_assumption(found)
