"""``mixsafe audit``: how safe a published, pseudonymized data set is, without its secret tables."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixsafe.errors import InputError
from mixsafe_cli.checks import check_choice, check_file, check_positive, refuse_together
from mixsafe_cli.contest_options import RegionFile, StepsPerDay
from mixsafe_cli.options import JsonTarget, Quiet, takes_records
from mixsafe_cli.outputs import STDOUT, check_table_target, check_target, say_notes, write_answers

if TYPE_CHECKING:
    from mixsafe.release.assume import Assumption
    from mixsafe.release.audit import Audit
    from mixsafe_cli.progress import Report
    from mixsafe_cli.released import Released

EXCHANGES = ("zones", "none")
STATUS = {"safe": 0, "unsafe": 1, "undecided": 3}
"""Exit status by verdict; 2 is bad usage or bad input."""

ENGINES = ("auto", "bounds", "cpsat", "dp")


@dataclass(frozen=True)
class KnowledgeOptions:
    """What the adversary knows, or might."""

    knowledge: Annotated[
        Path | None,
        typer.Option("--knowledge", help="Who was seen: CSV user_id,time_id,reg_id (or lat,lon)."),
    ] = None
    assume: Annotated[
        int | None,
        typer.Option("--assume", metavar="N", help="Instead: N sightings of each user, drawn."),
    ] = None
    reference: Annotated[
        Path | None, typer.Option("--reference", help="Traces that --assume draws from.")
    ] = None
    draws: Annotated[int | None, typer.Option("--draws", help="Times to draw. [20]")] = None

    def check(self) -> None:
        """Refuse options that contradict each other, or files that are not there.

        Raises
        ------
        InputError
            Neither --knowledge nor --assume, both, or --assume without --reference.
        """
        if self.knowledge is not None:
            why = "--knowledge says who was seen"
            given: dict[str, object] = {
                "--assume": self.assume,
                "--reference": self.reference,
                "--draws": self.draws,
            }
            refuse_together(given, why)
        elif self.assume is None or self.reference is None:
            hint = "give --knowledge FILE, or --assume N and --reference REF"
            raise InputError("what the adversary knows is missing", hint=hint)
        check_file("--knowledge", self.knowledge)
        check_file("--reference", self.reference)
        check_positive("--assume", self.assume)
        check_positive("--draws", self.draws)


@dataclass(frozen=True)
class AuditOptions:
    """What is asked, and how it is decided."""

    k: Annotated[int, typer.Option("--k", help="Tracks that can be each known user's. [3]")] = 3
    rule: Annotated[
        str, typer.Option("--rule", metavar="every|some|share:P", help="When a user passes. [some]")
    ] = "some"
    exchange: Annotated[
        str,
        typer.Option(
            "--exchange",
            metavar="|".join(EXCHANGES),
            help="Whether pseudonyms were exchanged where tracks meet, or never. [zones]",
        ),
    ] = "zones"
    sets_meet: Annotated[
        bool,
        typer.Option("--sets-meet", help="Equal sets of regions are mix zones, too."),
    ] = False
    engine: Annotated[
        str, typer.Option("--engine", metavar="|".join(ENGINES), help="Who decides. [auto]")
    ] = "auto"
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", help="Seconds for the run; default: none.")
    ] = None
    workers: Annotated[
        int, typer.Option("--workers", min=0, help="Threads and processes; 0: one per core. [0]")
    ] = 0
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of draws and searches. [0]")] = 0

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            A k below 1, an unknown word, a limit that is not positive.
        """
        check_positive("--k", self.k)
        check_choice("--exchange", self.exchange, EXCHANGES)
        check_choice("--engine", self.engine, ENGINES)
        check_positive("--time-limit", self.time_limit)
        from mixsafe.model.requirement import Rule

        Rule.parse(self.rule)

    def settings(self) -> dict[str, Any]:
        """Arguments of the audit."""
        from mixsafe.model.limits import SolveLimits
        from mixsafe.model.requirement import Rule

        return {
            "exchanged": self.exchange == "zones",
            "rule": Rule.parse(self.rule),
            "engine": self.engine,
            "limits": SolveLimits(self.time_limit, self.workers, self.seed),
        }


@takes_records
def audit(
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
    named = [
        Path(one).absolute() for one in (output, candidates, json) if one not in (None, STDOUT)
    ]
    if len(set(named)) < len(named):
        raise InputError("two of --output, --candidates and --json are the same file")
    if known.assume is not None:
        refuse_together({"--output": output, "--candidates": candidates}, "--assume draws often")

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
        _deliver_assumption(assumption, release, asked, json, quiet)
        raise typer.Exit
    _deliver(answer, release, (output, candidates), json, quiet)
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
        write_answers(json, [as_dict(answer, release)], lines=False)
    if not quiet and json != STDOUT:
        show(answer, release, output)


def _deliver_assumption(
    assumption: Assumption, release: Path, asked: AuditOptions, json: str | None, quiet: bool
) -> None:
    """Write the distribution to a file, and tell people."""
    from mixsafe_cli.render_audit import assumption_as_dict, show_assumption

    found = assumption_as_dict(assumption, release, asked.settings(), asked.k)
    if json is not None:
        write_answers(json, [found], lines=False)
    if not quiet and json != STDOUT:
        show_assumption(found)
