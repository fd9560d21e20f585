"""``mixsafe audit``: audit a published, pseudonymized data set without its secret table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError, about
from mixsafe_cli.failures import status_of
from mixsafe_cli.options.audit_options import AuditQuestionOptions, KnowledgeOptions, ReleaseOptions
from mixsafe_cli.options.checks import refuse, refuse_together
from mixsafe_cli.options.cluster_options import ClusterOptions
from mixsafe_cli.options.declaring import excludes
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.targets import (
    AnswerTargets,
    CertificateFolder,
    JsonTarget,
    PlotTarget,
    Quiet,
    table_option,
)
from mixsafe_cli.running.invocation import CommandLine
from mixsafe_cli.running.releases import released
from mixsafe_cli.running.run import Run, running
from mixsafe_cli.standard_streams import as_file

if TYPE_CHECKING:
    from mixsafe.from_files.released import Released
    from mixsafe.model.mobility.premises import Premises
    from mixsafe.release.assume import Assumption
    from mixsafe.release.audit import Audit

_option = panel()


@dataclass(frozen=True)
class AuditTargets(AnswerTargets):
    """Output targets of the answer."""

    output: Path | None = table_option("Table of users and intervals: .csv, .parquet.")
    candidates: Path | None = _option("Table of candidate tracks: .csv, .parquet.")
    json: JsonTarget = None
    plot: PlotTarget = None
    certificates: CertificateFolder = None
    quiet: Quiet = False


@takes_records
def audit(
    context: typer.Context,
    known: KnowledgeOptions,
    asked: AuditQuestionOptions,
    release: ReleaseOptions,
    cluster: ClusterOptions,
    target: AuditTargets,
    further: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[RELEASE]...", help="More releases, with --together."),
    ] = None,
    together: bool = _option(
        "Several releases of the same people under unrelated pseudonyms: each alone, and all"
        " together.",
        default=False,
        constraints=(
            excludes(
                *("assume", "fewest_sightings", "distinct_places", "candidates", "certificates"),
                *("plot", "cluster", "truth"),
                why="--together gives one answer to several releases",
            ),
        ),
    ),
) -> None:
    """Audit a published data set without its secret table.

    For each known user, decide which tracks can be hers or his. RELEASE is the contest's
    pse_id,time_id,reg_id, or a table of pseudonym, time and coordinates. Mix zones are where tracks
    visibly meet. A release does not show whether pseudonyms were exchanged there: give --exchange
    none for a static one, and --rotate for one whose pseudonyms all change at scheduled times.

    For example:

      mixsafe audit pubtraces.csv --knowledge seen.csv --k 3

      mixsafe audit pub.csv --knowledge seen.csv --exchange none --json -

      mixsafe audit pub.csv --knowledge seen.csv --exchange none --rotate daily --max-step 2

      mixsafe audit may.csv june.csv --together --knowledge seen.csv --max-speed 120

      mixsafe audit pub.csv --assume 2 --reference ref.csv --json -

      mixsafe audit pub.csv --knowledge seen.csv --truth ids.csv

    Exit status: 0 all known users pass, 1 a user fails, 3 no user fails but one is undecided, 4
    weak pass (by the default rule only), 2 bad usage or input. --assume gives no verdict: 0 or 2.
    """
    if known.assume is None:
        refuse(cluster, "it is for the draws of --assume", "cluster")
    if not together:
        asked.check_with(release)
    invocation = _command_line(context.find_root().obj, known, asked, release)
    if together:
        paths = [release.release, *(further or ())]
        raise typer.Exit(_together(paths, known, asked, release, invocation, target))
    refuse_together({"a second RELEASE": further}, "it needs --together")
    with running("audit", invocation, target, asked.time_limit, cluster) as run:
        found = _read(release, asked, run)
        if known.assume is None:
            answer = _audit(found, known, asked, release, run)
        else:
            assumption = _assume(found, known, asked, release, run)
    zones = found.published.zones if known.assume is not None else answer.evidence.zones
    run.say(zones.notes)
    if known.assume is not None:
        _deliver_assumption(assumption, asked, run, zones.premises)
        raise typer.Exit
    _deliver(answer, found, run)
    raise typer.Exit(status_of([answer.verdict]))


def _read(release: ReleaseOptions, asked: AuditQuestionOptions, run: Run[CommandLine]) -> Released:
    """Read a release."""
    run.report(f"reading {release.release.name}", 0, 0)
    with about(release.release):
        meetings = asked.exchange == "zones"
        return released(
            release,
            sets_meet=asked.sets_meet,
            meetings=meetings,
            exchanged=asked.exchanged(release),
        )


def _together(
    paths: Sequence[Path],
    known: KnowledgeOptions,
    asked: AuditQuestionOptions,
    release: ReleaseOptions,
    invocation: CommandLine,
    target: AuditTargets,
) -> int:
    """Audit several releases, alone and together; the exit status."""
    from mixsafe.extract.exchange.rules import movement_of
    from mixsafe.from_files.released import in_one_time, read_knowledge, some_users
    from mixsafe.release.together import KnownRelease, audit_together

    files = {f"release {number}": as_file(path) for number, path in enumerate(paths, 1)}
    line = replace(invocation, files={**invocation.files, **files})
    with running("audit", line, target, asked.time_limit) as run:
        found = [_read(replace(release, release=path), asked, run) for path in paths]
        releases = []
        for path, one in zip(paths, in_one_time(found), strict=True):
            with about(known.knowledge or path):
                whole = read_knowledge(known.knowledge or path, one, maybe_none=True)
                seen = some_users(whole, release.users, asked.seed)
            name = path.name.split(".")[0]
            limited = None
            if one.fixes is not None:
                limited = movement_of(one.fixes, release.rules(), release.steps_per_day)
            releases.append(KnownRelease(name, one.published, seen, limited))
        answer = audit_together(
            releases,
            asked.k,
            exchanged=asked.exchanged(release),
            rule=asked.passing,
            engine=asked.engine,
            limits=run.limits(asked.workers, asked.seed),
            progress=run.report,
            gaps=asked.reading,
        )
    run.say(note for one in found for note in one.published.zones.notes)
    run.write_table(lambda: answer.losers)
    run.tell(
        [answer.to_dict(asked.question)],
        lambda _: [answer.document(asked.k)],
        ("All who lose", "losing.csv"),
        whole=True,
    )
    return status_of([answer.verdict])


def _command_line(
    words: Sequence[str],
    known: KnowledgeOptions,
    asked: AuditQuestionOptions,
    release: ReleaseOptions,
) -> CommandLine:
    """The command line with its inputs and settings, for the provenance of the answer."""
    files = {"release": as_file(release.release), **known.files, **release.files}
    settings = {**vars(asked), **vars(release), **dict.fromkeys((*files, "steps_per_day"))}
    if known.assume is not None:
        settings |= {"assume": known.assume, "draws": known.times}
    return CommandLine(words, files, settings, asked.seed, (known, asked, release))


def _audit(
    released: Released,
    known: KnowledgeOptions,
    asked: AuditQuestionOptions,
    release: ReleaseOptions,
    run: Run[CommandLine],
) -> Audit:
    """Audit a release, leaving a share of the time for the certificate."""
    from mixsafe.from_files.released import read_evidence, read_truth
    from mixsafe.release.audit import audit as decide

    if known.knowledge is None:
        raise InputError("--knowledge is missing")
    target = run.target
    with about(known.knowledge):
        evidence = read_evidence(
            known.knowledge, released, users=release.users, seed=asked.seed, gaps=asked.reading
        )
        truth = None
        if asked.truth is not None:
            exchanged = asked.exchanged(release)
            truth = read_truth(asked.truth, released, evidence, exchanged=exchanged)
        answer = decide(
            evidence,
            asked.k,
            exhaustive=target.candidates is not None,
            keep_proof_data=target.certificates is not None,
            exchanged=asked.exchanged(release),
            rule=asked.passing,
            engine=asked.engine,
            distinct_places=asked.distinct_places,
            limits=run.limits(asked.workers, asked.seed),
            progress=run.report,
        )
    answer = replace(answer, truth=truth)
    if asked.fewest_sightings is not None:
        answer = _with_fewest(answer, released, asked, run)
    if target.certificates is not None:
        from mixsafe.from_files.certifying import write_audit_certificate

        run.say(write_audit_certificate(target.certificates, answer, run.rest()))
    return answer


def _with_fewest(
    answer: Audit, released: Released, asked: AuditQuestionOptions, run: Run[CommandLine]
) -> Audit:
    """The same with the fewest sightings that single each track out, in the time that is left."""
    from mixsafe.model.course import SolveLimits
    from mixsafe.unicity.worst import fewest_sightings, with_sightings

    found = fewest_sightings(
        released.published,
        asked.k,
        exchanged=answer.exchanged,
        at_most=asked.fewest_sightings or 0,
        gaps=asked.reading,
        limits=SolveLimits(run.time.left, asked.workers, asked.seed),
        progress=run.report,
    )
    return replace(answer, tracks=with_sightings(answer.tracks, found, released.published))


def _assume(
    released: Released,
    known: KnowledgeOptions,
    asked: AuditQuestionOptions,
    release: ReleaseOptions,
    run: Run[CommandLine],
) -> Assumption:
    """Audit all draws."""
    import numpy as np

    from mixsafe.from_files.released import read_reference, some_users
    from mixsafe.release.assume import Assumption, DrawsAsked, audit_draws, draw_sightings

    if known.assume is None or known.reference is None:
        raise InputError("--assume and --reference go together")
    random = np.random.default_rng(asked.seed)
    how = asked.exchanged(release), asked.passing, asked.engine, asked.reading
    wanted = DrawsAsked(released.published, asked.k, *how)
    with about(known.reference):
        whole = read_reference(known.reference, released, release.steps_per_day)
        reference = some_users(whole, release.users, asked.seed)
        seen = [draw_sightings(reference, known.assume, random) for _ in range(known.times)]
        draws = tuple(audit_draws(wanted, seen, run.course(asked.workers, asked.seed)))
    return Assumption(known.assume, draws, 1 / released.published.n_tracks)


def _deliver(answer: Audit, released: Released, run: Run[CommandLine]) -> None:
    """Write the answer to files, and tell people."""
    from mixsafe.documents.atlas import Context
    from mixsafe.io.files.writing import write_wires
    from mixsafe.release.audit_document import audit_document

    release, target = run.invocation.files["release"] or Path("release"), run.target
    run.write_table(lambda: answer.intervals)
    if target.candidates is not None and answer.candidates is not None:
        write_wires(target.candidates, answer.candidates)
    files = run.invocation.files
    source = "release" if files["release"] is None else files["release"].name
    context = Context(source, atlas=released.atlas(own_regions=files["regions"] is None))
    run.draw(lambda: audit_document(answer, context).charts)
    run.tell(
        [answer.to_dict(release.name.split(".")[0])] if target.json is not None else [],
        lambda pages: [audit_document(answer, context, pages=pages)],
        ("Safe times of each user", "users.csv"),
    )


def _deliver_assumption(
    assumption: Assumption, asked: AuditQuestionOptions, run: Run[CommandLine], premises: Premises
) -> None:
    """Write the distribution to files, and tell people."""
    from mixsafe.release.assumption_document import assumption_document, shares_chart

    release = run.invocation.files["release"]
    found = {
        "name": "release" if release is None else release.name.split(".")[0],
        **asked.question,
        **assumption.to_dict(asked.seed),
    }
    run.draw(lambda: [shares_chart(found)])
    run.tell([found | premises.to_dict()], lambda _: [assumption_document(found)])
