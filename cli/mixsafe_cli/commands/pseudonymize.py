"""``mixsafe pseudonymize``: from released cells to a release and its secret tables."""

from __future__ import annotations

import json as json_text
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mixsafe.errors import InputError, about
from mixsafe_cli.data.outputs import (
    STDOUT,
    check_certificates,
    check_target,
    write_answers,
)
from mixsafe_cli.options.checks import check_choice, check_file, refuse_together
from mixsafe_cli.options.contest_options import RuleOptions
from mixsafe_cli.options.question_options import AdversaryOptions
from mixsafe_cli.options.records import takes_records
from mixsafe_cli.options.release_options import METHODS, MixOptions, ReleaseOptions, SecretOptions
from mixsafe_cli.options.targets import CertificateFolder, JsonTarget, Quiet
from mixsafe_cli.run_time import DECIDING, RunTime

if TYPE_CHECKING:
    from mixsafe.model.mobility.trace_matrix import TraceMatrix
    from mixsafe.model.question.adversary import Knowledge
    from mixsafe.model.release.cells import Cells
    from mixsafe.release.enforce import Demand
    from mixsafe.release.pseudonymize import Release
    from mixsafe_cli.render.progress import Report


@takes_records
def pseudonymize(
    wanted: ReleaseOptions,
    mix: MixOptions,
    adversary: AdversaryOptions,
    secret: SecretOptions,
    rules: RuleOptions,
    certificates: CertificateFolder = None,
    json: JsonTarget = None,
    quiet: Quiet = False,
) -> None:
    """Give pseudonyms to released cells: shuffled once, or exchanged at mix zones and verified.

    SOURCE is the contest's one-column ANO, with --original ORG, or original traces as they are.
    The table is secret: it and a file beside it (.secret.json) hold who is who, and the seed if
    there is one. 'mixsafe audit' needs neither, 'mixsafe contest score' needs the table.

    For example:

      mixsafe pseudonymize ano.csv --original org.csv --method shuffle -o pub.csv --table ids.csv

      mixsafe pseudonymize org.csv --method mixzone --k 3 --adversary home --enforce -o release

    --certificates DIR keeps what 'mixsafe check' replays: witnesses and proofs of what was
    verified, at the times at which the release shows users. It is as secret as the table.
    """
    time = RunTime(mix.time_limit)
    check_choice("--method", wanted.method, METHODS)
    if wanted.method == "shuffle":
        refuse_together({"--certificates": certificates}, "a static shuffle verifies nothing")
    mix.check(wanted.method, adversary)
    adversary.check()
    check_file("--original", secret.original)
    targets = _targets(wanted, secret, (wanted.source, secret.original, rules.regions), json)
    check_certificates(certificates)
    from mixsafe_cli.render.progress import progress

    settings = mix.settings(adversary)
    with progress(quiet) as report, about(wanted.source):
        release = _released(wanted, mix, adversary, secret, rules, settings, certificates, report)
        if certificates is not None:
            _certify(release, certificates, adversary.called, time.left, report, quiet)
    from mixsafe_cli.render.render_release import as_dict, show

    found = as_dict(wanted.method, release, settings)
    _write(release, targets, found, secret.seed)
    if json is not None:
        write_answers(json, "pseudonymize", [found], lines=False)
    if not quiet and json != STDOUT:
        show(release, targets, settings.get("minimum_zones"))


def _released(
    wanted: ReleaseOptions,
    mix: MixOptions,
    adversary: AdversaryOptions,
    secret: SecretOptions,
    rules: RuleOptions,
    settings: dict[str, Any],
    certificates: Path | None,
    report: Report,
) -> Release:
    """The release, and what was verified of it."""
    report(f"reading {wanted.source.name}", 0, 0)
    traces, cells = _read(wanted.source, secret.original, rules.read().regions.count)
    if wanted.method == "shuffle":
        from mixsafe.release.pseudonymize import release_shuffled

        return release_shuffled(cells, secret.random())
    known = _knowledge(adversary, traces, cells, rules.steps_per_day)
    demand = _demand(mix, known, certificates is not None)
    return _exchanged(cells, demand, mix, secret.random(), settings, report)


def _exchanged(
    cells: Cells,
    demand: Demand,
    mix: MixOptions,
    random: Any,  # noqa: ANN401 -- NumPy is not loaded here
    settings: dict[str, Any],
    report: Report,
) -> Release:
    """Exchange at mix zones; what is known of a minimum set of them goes into the settings."""
    from mixsafe.release.pseudonymize import release_exchanged

    zones = None
    if mix.zones == "minimum":
        from mixsafe_cli.data.fewest_zones import fewest_zones

        zones, demand, settings["minimum_zones"] = fewest_zones(cells, demand, report)
    return release_exchanged(
        cells, demand, random, zones=zones, enforced=mix.enforce, progress=report
    )


def _certify(
    release: Release,
    folder: Path,
    adversary: str,
    seconds: float | None,
    report: Report,
    quiet: bool,
) -> None:
    """Write the certificate of what was verified."""
    from mixsafe_cli.data.certifying import certify

    asked = None if release.privacy is None else release.privacy.asked
    certify([] if asked is None else [asked], folder, adversary, seconds, report, quiet)


def _targets(
    wanted: ReleaseOptions, secret: SecretOptions, inputs: Iterable[Path | None], json: str | None
) -> tuple[Path, Path, Path]:
    """Files to write, looked at before: the release, the secret table, what else is secret."""
    output, table = wanted.output, secret.table
    check_target("--json", json, inputs)
    if output.is_dir() or (table is None and not output.suffix):
        from mixsafe.io.files.together import make_folder

        make_folder(output)
        output, table = output / "pubtraces.csv", table or output / "ptable.csv"
    if table is None:
        raise InputError("--table is missing: where to keep who is who", hint="name a file")
    if table.absolute() == output.absolute():
        raise InputError("the release and its secret table are the same file", file=table)
    targets = output, table, table.with_suffix(".secret.json")
    for option, path in zip(("--output", "--table", "--table"), targets, strict=True):
        check_target(option, path, inputs)
    return targets


def _read(source: Path, original: Path | None, n_regions: int) -> tuple[TraceMatrix, Cells]:
    """Original traces, and what is to be released of them."""
    from mixsafe.io.contest.reading import read_anonymized, read_traces
    from mixsafe.io.files.tables import header_of
    from mixsafe.model.release.cells import Cells as Released

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
    """What the adversary has seen of the users, wherever the release shows them."""
    from mixsafe.extract.adversaries import ADVERSARIES, knowledge
    from mixsafe.io.problems.sightings import read_sightings
    from mixsafe.model.release.cells import Cells as Released
    from mixsafe.release.exchange import shown_positions, visible_zones

    name, zones = options.adversary or "endpoints", visible_zones(cells)
    if name not in ADVERSARIES:
        return read_sightings(Path(name), zones.users, zones.axis)
    truth = Released.of_regions(traces.region, cells.n_regions, traces.first_time)
    return knowledge(name, zones, shown_positions(truth), steps_per_day=steps_per_day)


def _demand(mix: MixOptions, known: Knowledge, certified: bool) -> Demand:
    """What is asked of the release, in what time is not for its certificate."""
    from mixsafe.model.limits import SolveLimits
    from mixsafe.model.question.requirement import Rule
    from mixsafe.release.enforce import Demand as Asked

    share = DECIDING if certified else 1.0
    return Asked(
        3 if mix.k is None else mix.k,
        known,
        Rule.of(mix.rule) or Rule.default(every_time=True),
        SolveLimits(mix.time_limit and share * mix.time_limit, mix.workers),
        mix.engine or "auto",
        certified,
    )


def _write(
    release: Release, targets: tuple[Path, Path, Path], found: dict[str, Any], seed: int | None
) -> None:
    """Write the release and its secrets; the secrets first, without them it is of no use."""
    from mixsafe.io.contest.writing import write_id_table, write_public
    from mixsafe.io.files.atomic import write_text

    public, table, more = targets
    secret = {key: value for key, value in found.items() if key != "not_private"} | {"seed": seed}
    write_text(more, f"{json_text.dumps(secret, indent=2)}\n")
    write_id_table(table, release.table)
    write_public(public, release.public)
