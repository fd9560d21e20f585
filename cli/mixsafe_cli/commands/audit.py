"""``mixsafe audit``: how safe a published, pseudonymized data set is, without its secret tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError, about
from mixsafe_cli.data.crews import crew_of
from mixsafe_cli.data.outputs import (
    AnswerTargets,
    say_notes,
    write_answers,
)
from mixsafe_cli.data.singled_tracks import with_fewest
from mixsafe_cli.failures import status_of
from mixsafe_cli.options.audit_options import (
    AuditOptions,
    KnowledgeOptions,
    PartOptions,
)
from mixsafe_cli.options.checks import refuse_together
from mixsafe_cli.options.cluster_options import ClusterOptions
from mixsafe_cli.options.contest_options import UnitOptions
from mixsafe_cli.options.records import takes_records
from mixsafe_cli.options.release_options import ReleaseFile
from mixsafe_cli.options.targets import CertificateFolder, JsonTarget, PlotTarget, Quiet
from mixsafe_cli.run_time import DECIDING, RunTime
from mixsafe_cli.standard_streams import on_stdout

if TYPE_CHECKING:
    from mixsafe.model.crew import Crew
    from mixsafe.release.assume import Assumption
    from mixsafe.release.audit import Audit
    from mixsafe.tasks.released import Released
    from mixsafe_cli.data.digests import CommandLine
    from mixsafe_cli.render.progress import Report


@dataclass(frozen=True)
class AuditTargets(AnswerTargets):
    """Where the answer goes."""

    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A row per user and stretch of time: .csv, .parquet."),
    ] = None
    candidates: Annotated[
        Path | None,
        typer.Option("--candidates", help="All tracks that can be each user's: .csv, .parquet."),
    ] = None
    json: JsonTarget = None
    plot: PlotTarget = None
    certificates: CertificateFolder = None
    quiet: Quiet = False

    def check_fits(self, known: KnowledgeOptions) -> None:
        """Refuse tables and certificates of many audits, of which there are none.

        Raises
        ------
        InputError
            Says which.
        """
        if known.assume is not None:
            none: dict[str, object] = {
                "--output": self.output,
                "--candidates": self.candidates,
                "--certificates": self.certificates,
            }
            refuse_together(none, "--assume draws often")


@takes_records
def audit(
    context: typer.Context,
    release: ReleaseFile,
    known: KnowledgeOptions,
    asked: AuditOptions,
    units: UnitOptions,
    part: PartOptions,
    cluster: ClusterOptions,
    target: AuditTargets,
) -> None:
    """Decide how safe a published data set is, from nothing secret: which tracks can be whose.

    RELEASE is the contest's pse_id,time_id,reg_id, or a table of pseudonym, time and coordinates.
    Mix zones are where tracks visibly meet; whether pseudonyms were exchanged there, a release does
    not show: say --exchange none for a static one.

    For example:

      mixsafe audit pubtraces.csv --knowledge seen.csv --k 3

      mixsafe audit pubtraces.csv --knowledge seen.csv --exchange none --candidates tracks.csv

      mixsafe audit pubtraces.csv --assume 2 --reference reftraces.csv --cluster local:4 --json -

    Exit status: 0 every known user passes by the rule, 1 some user does not, 3 nobody fails but
    somebody is undecided, 4 a weak pass (all pass, but only by the default rule, which asks for one
    safe moment), 2 bad usage or bad input. With --assume there is no verdict: 0 or 2.
    """
    time = _check(known, asked, units, part, cluster)
    made = _made(context.find_root().obj, release, known, asked, (units, part))
    target.check(made.files.values())
    target.check_fits(known)

    from mixsafe_cli.data.releases import released
    from mixsafe_cli.render.progress import progress

    with progress(target.quiet) as report, crew_of(cluster, target.quiet) as crew:
        report(f"reading {release.name}", 0, 0)
        with about(release):
            found = released(release, asked.sets_meet, units, part)
        if known.assume is None:
            answer = _audit(found, known, asked, part.users, target, report, time)
        else:
            assumption = _assume(found, known, asked, (units, part), crew, report)
    say_notes(found.published.zones.notes, target.quiet)
    if known.assume is not None:
        _deliver_assumption(assumption, asked, target, made)
        raise typer.Exit
    _deliver(answer, found, target, made)
    raise typer.Exit(status_of([answer.verdict]))


def _check(
    known: KnowledgeOptions,
    asked: AuditOptions,
    units: UnitOptions,
    part: PartOptions,
    cluster: ClusterOptions,
) -> RunTime:
    """Refuse values that cannot be right, and a cluster for one audit; what time there is."""
    time = RunTime(asked.time_limit)
    for options in (known, asked, units, part, cluster):
        options.check()
    if known.assume is None:
        refuse_together({"--cluster": cluster.cluster}, "it is for the draws of --assume")
    else:
        refuse_together({"--fewest-sightings": asked.fewest_sightings}, "--assume draws often")
    return time


def _made(
    words: Sequence[str],
    release: Path,
    known: KnowledgeOptions,
    asked: AuditOptions,
    read: tuple[UnitOptions, PartOptions],
) -> CommandLine:
    """What makes the answer, for whoever wants to find it again."""
    from mixsafe_cli.data.digests import CommandLine
    from mixsafe_cli.standard_streams import as_file

    units, part = read
    files = {
        "release": as_file(release),
        "knowledge": known.knowledge,
        "reference": known.reference,
        "regions": units.regions,
        "places": part.places,
    }
    sizes = {name: getattr(units, name) for name in ("cell_size", "cells", "time_step")}
    settings = {**vars(asked), **sizes, **vars(part), "places": None}
    if known.assume is not None:
        settings |= {"assume": known.assume, "draws": known.times}
    return CommandLine(words, files, settings)


def _audit(
    released: Released,
    known: KnowledgeOptions,
    asked: AuditOptions,
    users: int | None,
    target: AuditTargets,
    report: Report,
    time: RunTime,
) -> Audit:
    """Audit what a file says, and certify it in a share of the time."""
    from mixsafe.release.audit import audit as decide
    from mixsafe.release.evidence import Evidence
    from mixsafe.tasks.released import read_knowledge, some_users
    from mixsafe_cli.data.certifying import certify_of_audit

    if known.knowledge is None:
        raise InputError("--knowledge is missing")
    settings, kept = asked.settings(), target.certificates is not None
    if kept and asked.time_limit is not None:
        settings["limits"] = replace(settings["limits"], seconds=DECIDING * asked.time_limit)
    course = {**settings, "progress": report, "keep_grounds": kept}
    with about(known.knowledge):
        seen = some_users(read_knowledge(known.knowledge, released), users, asked.seed)
        evidence = Evidence.of(released.published, seen)
        answer = decide(evidence, asked.k, exhaustive=target.candidates is not None, **course)
    answer = with_fewest(answer, released, asked, report, time)
    if target.certificates is not None:
        certify_of_audit(answer, target.certificates, time.left, report, target.quiet)
    return answer


def _assume(
    released: Released,
    known: KnowledgeOptions,
    asked: AuditOptions,
    read: tuple[UnitOptions, PartOptions],
    crew: Crew | None,
    report: Report,
) -> Assumption:
    """Audit all draws."""
    import numpy as np

    from mixsafe.model.limits import SolveLimits
    from mixsafe.release.assume import Assumption, DrawsAsked, audit_draws, draw_sightings
    from mixsafe.tasks.released import read_reference, some_users

    if known.assume is None or known.reference is None:
        raise InputError("--assume and --reference go together")
    random = np.random.default_rng(asked.seed)
    limits = SolveLimits(asked.time_limit, asked.workers, asked.seed, crew)
    how = asked.exchange == "zones", asked.passing, asked.engine, limits
    wanted = DrawsAsked(released.published, asked.k, *how)
    with about(known.reference):
        whole = read_reference(known.reference, released, read[0].steps_per_day)
        reference = some_users(whole, read[1].users, asked.seed)
        seen = [draw_sightings(reference, known.assume, random) for _ in range(known.times)]
        draws = tuple(audit_draws(wanted, seen, report))
    return Assumption(known.assume, draws, 1 / released.published.n_tracks)


def _deliver(answer: Audit, released: Released, target: AuditTargets, made: CommandLine) -> None:
    """Write the answer to files, and tell people."""
    from mixsafe.io.problems.wires import write_wires
    from mixsafe_cli.render.render_audit import as_dict, show

    release = made.files["release"] or Path("release")
    shown = None
    if target.json is not None or target.plot is not None:
        from mixsafe_cli.data.digests import audit_shown

        shown = audit_shown(answer, released, made)
    if target.output is not None:
        write_wires(target.output, answer.intervals)
    if target.candidates is not None and answer.candidates is not None:
        write_wires(target.candidates, answer.candidates)
    if target.plot is not None and shown is not None:
        from mixsafe.report.base.drawing import save
        from mixsafe.report.figures.protection_figure import overview

        save(overview(shown), target.plot)
    if target.json is not None:
        found = {**as_dict(answer, release), "report": shown}
        write_answers(target.json, "audit", [found], lines=False, words=made.words)
    if not target.quiet and not on_stdout(target.json, target.output):
        show(answer, release, target)


def _deliver_assumption(
    assumption: Assumption, asked: AuditOptions, target: AuditTargets, made: CommandLine
) -> None:
    """Write the distribution to files, and tell people."""
    from mixsafe_cli.render.render_audit import assumption_as_dict, show_assumption

    found = assumption_as_dict(assumption, made.files["release"], asked.settings(), asked.k)
    if target.plot is not None:
        from mixsafe.report.base.drawing import save
        from mixsafe.report.pages.assumption_page import draw_assumption

        save(draw_assumption(found), target.plot)
    if target.json is not None:
        found["provenance"] = made.provenance(asked.seed)
        write_answers(target.json, "audit", [found], lines=False, words=made.words)
    if not target.quiet and not on_stdout(target.json, target.output):
        show_assumption(found, target)
