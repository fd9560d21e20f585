"""``mixsafe pseudonymize``: from released cells to a release and its secret tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from mixsafe.errors import InputError, about
from mixsafe.io.files.json_values import json_text
from mixsafe.machinery.files import PUBLISH, SECRET, make_folder
from mixsafe.machinery.files import secret as secretly
from mixsafe_cli.options.apart import Output, check_apart, named
from mixsafe_cli.options.checks import check_choice, check_file, refuse
from mixsafe_cli.options.contest_options import RegionOptions
from mixsafe_cli.options.question_options import AdversaryOptions
from mixsafe_cli.options.records import takes_records
from mixsafe_cli.options.release_options import (
    METHODS,
    MixOptions,
    PseudonymizeOptions,
    SecretOptions,
)
from mixsafe_cli.options.targets import (
    AnswerTargets,
    CertificateFolder,
    JsonTarget,
    Quiet,
    check_new_folder,
    check_target,
)
from mixsafe_cli.running.invocation import CommandLine, without_seed
from mixsafe_cli.running.run import Run, running

if TYPE_CHECKING:
    from mixsafe.model.course import Course
    from mixsafe.model.mobility.complete_traces import TraceMatrix
    from mixsafe.model.question.adversary import Knowledge
    from mixsafe.model.release import Cells
    from mixsafe.release.enforce import Demand
    from mixsafe.release.exchange import ZonesOf
    from mixsafe.release.pseudonymize import Release


@dataclass(frozen=True)
class PseudonymizeTargets(AnswerTargets):
    """Output targets of the answer, other than the release."""

    certificates: CertificateFolder = None
    json: JsonTarget = None
    quiet: Quiet = False


class ReleaseFiles(NamedTuple):
    """Files to write.

    Parameters
    ----------
    public
        The release.
    table
        The secret table.
    more
        What else is secret: the settings, and the seed.
    hand_on
        What may be handed on: the release, or a folder that has nothing else.
    keep
        What may not.
    """

    public: Path
    table: Path
    more: Path
    hand_on: Path
    keep: tuple[Path, ...]


@takes_records
def pseudonymize(
    context: typer.Context,
    wanted: PseudonymizeOptions,
    mix: MixOptions,
    adversary: AdversaryOptions,
    secret: SecretOptions,
    rules: RegionOptions,
    target: PseudonymizeTargets,
) -> None:
    """Assign pseudonyms: once, exchanged in mix zones, or by schedule.

    SOURCE is a file of original traces, user_id,time_id,reg_id, with a row for every user at every
    time_id; or the contest's one-column ANO, with --original ORG. Coordinates are not accepted:
    exchange pseudonyms yourself in the zones that 'mixsafe zones' lists. --rotate adds times at
    which all pseudonyms change; --max-step limits exchanges to those that people can have made.

    The table is secret: with its companion (.secret.json) it holds the owner of each pseudonym, and
    the seed if there is one. 'mixsafe audit' needs neither, 'mixsafe contest score' needs the
    table. --certificates, as secret as the table, keeps witnesses and proofs for 'mixsafe check'.

    For example:

      mixsafe pseudonymize org.csv --method shuffle -o pub.csv --table ids.csv

      mixsafe pseudonymize org.csv --method mixzone --k 3 --enforce -o release

      mixsafe pseudonymize org.csv --method rotate --rotate daily -o release
    """
    check_choice("--method", wanted.method, METHODS)
    if wanted.method == "shuffle":
        refuse(target, "a static shuffle verifies nothing", "certificates")
    mix.check_with(wanted.method, adversary)
    check_file("--original", secret.original)
    files = {"source": wanted.source, "original": secret.original, "regions": rules.regions}
    written = _written(wanted, secret)
    _check_apart(written, target, [*files.values(), adversary.file])
    settings = mix.settings(adversary)
    invocation = CommandLine((), files, settings, secret.seed, (mix, adversary))
    with running("pseudonymize", invocation, target, mix.time_limit) as run, about(wanted.source):
        run.report(f"reading {wanted.source.name}", 0, 0)
        traces, cells = _read(wanted.source, secret.original, rules.read().regions.count)
        if mix.max_step is not None and rules.regions is not None:
            why = "it is of the contest's own regions, not of --regions"
            refuse(mix, why, "max_step")
        if wanted.method == "shuffle":
            from mixsafe.release.pseudonymize import release_shuffled

            release = release_shuffled(cells, secret.random())
        else:
            _check_people(traces, cells.n_regions, mix, run)
            known = _knowledge(adversary, traces, cells, rules.steps_per_day)
            zones_of = _zones_of(mix, wanted.method, rules.steps_per_day)
            demand = _demand(mix, known, run.time.certified)
            begin = partial(run.course, mix.workers, 0)
            release = _exchanged(cells, zones_of, demand, mix, secret, settings, begin)
        asked = None if release.privacy is None else release.privacy.asked
        if target.certificates is not None:
            from mixsafe.from_files.certifying import write_verification_certificates

            answers, folder = [] if asked is None else [asked], target.certificates
            run.say(write_verification_certificates(folder, answers, run.rest(), adversary.called))
        run.say(release.notes)
    found = release.to_dict(wanted.method, settings)
    _write(release, written, found, secret.seed)
    _tell(found, context, run, written, secret)


def _tell(
    found: dict[str, Any],
    context: typer.Context,
    run: Run[CommandLine],
    written: ReleaseFiles,
    secret: SecretOptions,
) -> None:
    """Write the answer and print it: of which file the release was made, and which one it is.

    No hash of the secret table: whoever has nearly guessed the table could complete it by trying.
    """
    from mixsafe.release.release_document import handing_on, release_document
    from mixsafe.report.provenance import told_output

    target, line = run.target, run.invocation
    answer = {**found, "seeded": secret.seed is not None}
    kept = [*written.keep, *filter(None, [target.certificates])]
    handed_on = handing_on([written.hand_on], kept)
    source, outputs = line.files["source"], None
    if target.json is not None:
        outputs = {"outputs": [told_output("release", written.public)]}
    run.tell(
        [answer],
        lambda _: [release_document(answer, "" if source is None else source.name, handed_on)],
        made_by=dataclasses.replace(line, words=without_seed(context.find_root().obj), seed=None),
        outputs=outputs,
        last=handed_on,
    )


def _zones_of(mix: MixOptions, method: str, steps_per_day: int) -> ZonesOf:
    """Where pseudonyms are exchanged, of released cells."""
    from functools import partial

    from mixsafe.release.exchange import exchange_zones

    return partial(exchange_zones, rules=mix.rules(method), steps_per_day=steps_per_day)


def _exchanged(
    cells: Cells,
    zones_of: ZonesOf,
    demand: Demand,
    mix: MixOptions,
    secret: SecretOptions,
    settings: dict[str, Any],
    begin: Callable[[], Course],
) -> Release:
    """Exchange at mix zones; facts about a minimum set of zones go into the settings."""
    from mixsafe.release.pseudonymize import release_exchanged

    random = secret.random()
    zones = zones_of(cells) if mix.zones == "minimum" else None
    course = begin()
    if zones is not None:
        from mixsafe.remedies.fewest_zones import fewest_zones

        zones, settings["minimum_zones"] = fewest_zones(cells, zones, demand, course)
    return release_exchanged(
        cells,
        demand,
        random,
        zones=zones,
        zones_of=zones_of,
        enforced=mix.enforce,
        course=course,
    )


def _written(wanted: PseudonymizeOptions, secret: SecretOptions) -> ReleaseFiles:
    """Files to write, looked at before.

    Raises
    ------
    InputError
        There is no table, or a file cannot be written.
    """
    output, table = wanted.output, secret.table
    hand_on, keep = output, None
    if output.is_dir() or (table is None and not output.suffix):
        hand_on = output / PUBLISH
        if table is None:
            keep = output / SECRET
            table = keep / "ptable.csv"
        output = hand_on / "pubtraces.csv"
    if table is None:
        raise InputError("--table is missing: where to keep who is who", hint="name a file")
    more = table.with_suffix(".secret.json")
    for option, path in (("--output", output), ("--table", table), ("--table", more)):
        if path.parent in (hand_on, keep):
            check_new_folder(option, path.parent)
        else:
            check_target(option, path)
    return ReleaseFiles(output, table, more, hand_on, (table, more) if keep is None else (keep,))


def _check_apart(
    written: ReleaseFiles, target: PseudonymizeTargets, inputs: Iterable[Path | None]
) -> None:
    """Refuse a file that is the release, its table, or what is written beside the table."""
    outputs = [
        Output("--output", written.public),
        Output("--table", written.table),
        Output(f"{written.more.name} of --table", written.more),
    ]
    check_apart([*outputs, *named(vars(target))], inputs)


def _read(source: Path, original: Path | None, n_regions: int) -> tuple[TraceMatrix, Cells]:
    """Original traces, and the part to release."""
    from mixsafe.io.contest.reading import read_anonymized, read_traces
    from mixsafe.io.files.tables import header_of
    from mixsafe.model.release import Cells as Released

    if original is not None:
        traces = read_traces(original, n_regions)
        return traces, read_anonymized(source, traces, n_regions).canonical()
    if header_of(source) == ("reg_id",):
        hint = "say whose they are: --original ORG"
        raise InputError("these are cells without users and times", file=source, hint=hint)
    traces = read_traces(source, n_regions)
    return traces, Released.of_regions(traces.region, n_regions, traces.first_time)


def _knowledge(
    options: AdversaryOptions, traces: TraceMatrix, cells: Cells, steps_per_day: int
) -> Knowledge:
    """The adversary's sightings of users, wherever the release shows them."""
    from mixsafe.extract.adversaries import ADVERSARIES, knowledge
    from mixsafe.io.problems.side_tables import read_sightings
    from mixsafe.model.release import Cells as Released
    from mixsafe.release.exchange import shown_positions, visible_zones

    name, zones = options.adversary or "endpoints", visible_zones(cells)
    if name not in ADVERSARIES:
        return read_sightings(Path(name), zones.users, zones.axis)
    truth = Released.of_regions(traces.region, cells.n_regions, traces.first_time)
    return knowledge(name, zones, shown_positions(truth), steps_per_day=steps_per_day)


def _check_people(
    traces: TraceMatrix, n_regions: int, mix: MixOptions, run: Run[CommandLine]
) -> None:
    """Refuse users who are always together: nobody may hide behind herself.

    Raises
    ------
    InputError
        Names the first pair.
    """
    from mixsafe.extract.companions import Track, always_together
    from mixsafe.model.release import Cells as Released
    from mixsafe.release.exchange import shown_positions

    truth = Released.of_regions(traces.region, n_regions, traces.first_time)
    where = shown_positions(truth)
    told = always_together(Track(where.row, where.step, where.place)).told(
        where.users, merged=False
    )
    if told.pairs and not mix.keep_together:
        one, other, share = told.pairs[0]
        raise InputError(
            f"users {one} and {other} are together in {share:.1%} of their common time, and may be"
            f" one person twice ({len(told.pairs)} such pairs)",
            hint="leave out one of each pair, or say that they are different: --keep-together",
        )
    run.say(told.notes)


def _demand(mix: MixOptions, known: Knowledge, certified: bool) -> Demand:
    """What is asked of the release."""
    from mixsafe.model.question.requirement import Rule
    from mixsafe.release.enforce import Demand as Asked

    rule = Rule.of(mix.rule) or Rule.default(every_time=True)
    return Asked(mix.k or 3, known, rule, mix.engine or "auto", certified)


def _write(
    release: Release, written: ReleaseFiles, found: dict[str, Any], seed: int | None
) -> None:
    """Write the release, then its secrets: those that they replace belong to another release."""
    from mixsafe.io.contest.writing import write_id_table, write_public
    from mixsafe.machinery.files import write_text

    secret = {key: value for key, value in found.items() if key != "not_private"} | {"seed": seed}
    make_folder(written.public.parent)
    write_public(written.public, release.public)
    with secretly():
        if written.keep == (written.table.parent,):
            make_folder(written.table.parent)
        write_id_table(written.table, release.table)
        write_text(written.more, f"{json_text(secret, indent=2)}\n")
