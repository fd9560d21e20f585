"""``mixsafe check``: replay certificates."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixsafe.errors import InputError
from mixsafe_cli.data.invocation import CommandLine
from mixsafe_cli.data.outputs import write_answers
from mixsafe_cli.failures import status_of
from mixsafe_cli.options.apart import STDOUT
from mixsafe_cli.options.question_options import AdversaryOptions, QuestionOptions
from mixsafe_cli.options.records import takes_records
from mixsafe_cli.options.source_options import ComparedSource
from mixsafe_cli.options.targets import JsonTarget, Quiet, check_folder_target, check_target

if TYPE_CHECKING:
    from mixsafe.check.checker import Checked
    from mixsafe.model.answer.certificate import Certificate
    from mixsafe_cli.data.certifying import RemadeProblem

ExportFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Export proofs of unsafe verdicts and of cost bounds as DIMACS, DRAT, LRAT and OPB.",
    ),
]
"""Folder for exported proofs."""

_OWN = "the certificate's own; --source compares it with data"


@takes_records
def check(
    context: typer.Context,
    certificate: Annotated[
        Path,
        typer.Argument(metavar="CERTIFICATE", help="Folder of --certificates, or file."),
    ],
    source: ComparedSource,
    question: QuestionOptions,
    adversary: AdversaryOptions,
    export: ExportFolder = None,
    json: JsonTarget = None,
    quiet: Quiet = False,
) -> None:
    """Replay certificates of --certificates, witness by witness.

    No engine takes part. Safe verdicts are replayed exchange by exchange. Unsafe verdicts are
    proven again: by following single tokens, by Hall sets, or by a refutation. Unsafe verdicts
    without such a proof are counted as claimed, not replayed, and make no user fail.

    A certificate contains its own problem. --source rebuilds the problem from data, with the
    options of 'mixsafe verify' (for an audit: --source RELEASE --knowledge FILE), and rejects a
    certificate of another problem. --k, --rule and --adversary reject a certificate that states
    other values.

    For example:

      mixsafe verify --k 3 --certificates proofs

      mixsafe check proofs

      mixsafe check proofs --source traces.csv --k 3 --rule every --adversary home

    Exit status: 0 all users pass, 1 a user provably fails, 3 neither (a user is undecided, or fails
    only by claimed verdicts), 2 the certificate is invalid or not the one demanded.
    """
    for options in (source, question, adversary):
        options.check()
    check_target("--json", json)
    if export is not None:
        check_folder_target("--export", export)
    from mixsafe.io.certificates.certificate_reader import read_certificates
    from mixsafe.io.certificates.link_certificates import is_link_certificate
    from mixsafe_cli.data.certifying import read_compared
    from mixsafe_cli.render.progress import progress

    if is_link_certificate(certificate):
        from mixsafe_cli.data.link_checking import check_link_certificate

        if source.source is not None or export is not None:
            raise InputError(
                "a certificate of links is neither compared with data nor exported",
                file=certificate,
                hint="leave out --source and --export",
            )
        raise typer.Exit(check_link_certificate(certificate, json, quiet=quiet))
    with progress(quiet) as report:
        report("reading certificates", 0, 0)
        read = read_certificates(certificate)
        compared = read_compared(source, adversary, question, len(read), report)
        found = []
        for number, (one, problem) in enumerate(zip(read, compared, strict=True)):
            report("replaying certificates", number, len(read))
            found.append(_replayed(certificate, one, problem, question, adversary))
        if export is not None:
            from mixsafe.tasks.proof_export import export_proofs

            report("writing proofs", 0, 0)
            export_proofs(read, export)
    stated = [_statements(one, read.manifest.seal, source.source) for one in read]
    if json is not None:
        files, words = {"compared": source.source}, context.find_root().obj
        made = {"provenance": CommandLine(words, files, {}, None).provenance()}
        answers = [_as_dict(*pair) | made for pair in zip(stated, found, strict=True)]
        write_answers(json, "check", answers, lines=len(answers) != 1, words=words)
    if not quiet and json != STDOUT:
        from mixsafe_cli.render.printing import facts, tell

        tell(facts(_rows(*pair)) for pair in zip(stated, found, strict=True))
    raise typer.Exit(status_of(one.verdict for one in found))


def _replayed(
    folder: Path,
    certificate: Certificate,
    compared: RemadeProblem | None,
    question: QuestionOptions,
    adversary: AdversaryOptions,
) -> Checked:
    """Replay one certificate, after a check that it answers the demanded question."""
    from mixsafe.check.checker import check as replay
    from mixsafe.check.demands import demand
    from mixsafe.model.question.requirement import Rule

    rule = None if question.rule is None else Rule.parse(question.rule)
    called = None if adversary.adversary is None else adversary.called
    try:
        demand(certificate, k=question.k, rule=rule, adversary=called)
        if compared is not None:
            compared.check(certificate, question)
        # A rule that --rule names counts as chosen.
        return replay(certificate if rule is None else replace(certificate, rule=rule))
    except InputError as error:
        message = f"{certificate.problem.name}: {error.message}"
        raise InputError(message, file=folder, hint=error.hint) from None


def _statements(certificate: Certificate, seal: str, source: Path | None) -> dict[str, Any]:
    """The statements of a certificate about itself and its problem, unchecked."""
    from mixsafe.model.question.fingerprint import fingerprint

    problem, audited = certificate.problem, certificate.audited
    seen = None if audited is None else audited.seen
    return {
        "name": problem.name,
        "known": None if seen is None else len(seen.users),
        "users": problem.zones.n_users,
        "users_without_data": len(problem.zones.absent),
        "steps": problem.zones.axis.steps,
        "adversary": certificate.adversary,
        "knowledge": problem.knowledge.reading if audited is None else "distinct",
        "k": certificate.k,
        "requirements": None if problem.requirements is None else len(problem.requirements),
        "rule": str(certificate.rule),
        "engine": certificate.engine,
        "version": certificate.version,
        "problem_sha256": fingerprint(problem, seen),
        "certificate_sha256": seal,
        "problem_of": _OWN if source is None else f"the same as that of {source}",
    }


def _as_dict(stated: dict[str, Any], found: Checked) -> dict[str, Any]:
    """The result as a JSON object."""
    answer = {
        **stated,
        "verdict": found.verdict.value,
        "users_by_verdict": {verdict.value: count for verdict, count in found.users.items()},
        "users_claimed": [str(name) for name in found.users_claimed],
        "safe_replayed": found.safe,
        "unsafe_proven_again": found.unsafe_confirmed,
        "unsafe_proven_by": found.unsafe_shown,
        "unsafe_claimed": found.unsafe_claimed,
        "undecided": found.undecided,
    }
    least = found.least
    if least is not None:
        answer |= {
            "minimum_proven": least.is_minimum,
            "weight": least.weight,
            "cost": least.cost,
            "bound_proven": least.bound,
            "unmet_proven": least.unmet,
        }
    return answer


def _rows(stated: dict[str, Any], found: Checked) -> Iterator[tuple[str, str]]:
    """Lines about the certificate, the replayed claims and the others."""
    yield from _heading(stated)
    shown = ", ".join(f"{count} by {what}" for what, count in found.unsafe_shown.items() if count)
    yield "safe", f"{found.safe}, every witness replayed"
    yield "unsafe", f"{found.unsafe_confirmed}, proven again{f': {shown}' if shown else ''}"
    yield "", f"{found.unsafe_claimed}, claimed, not replayed"
    yield "undecided", str(found.undecided)
    yield from _least_rows(found)
    users = ", ".join(f"{count} {verdict.value}" for verdict, count in found.users.items())
    yield "verdict", f"{found.verdict.value}: {users} users"
    yield from _claimed_rows(found.users_claimed)


def _claimed_rows(users: Sequence[Hashable]) -> Iterator[tuple[str, str]]:
    """Undecided users who fail if claims without a proof are believed."""
    from mixsafe_cli.render.printing import SHOWN

    if users:
        some = ", ".join(map(str, users[:SHOWN])) + (", …" if len(users) > SHOWN else "")
        yield "", f"{len(users):,} of the undecided fail by verdicts that are only claimed: {some}"


def _least_rows(found: Checked) -> Iterator[tuple[str, str]]:
    """The proven minimum set of zones or places, or the proven lower bound of its cost."""
    from mixsafe.model.answer.minimum_proof import PLACES

    least = found.least
    if least is None:
        return
    at_places = least.weight == PLACES
    what = "places" if at_places else "zones"
    cost = f"{what} that cost {least.cost}" + ("" if at_places else f" by {least.weight}")
    if least.is_minimum:
        yield "minimum", f"proven: {cost}, and nothing cheaper is enough"
    else:
        yield (
            "bound",
            f"{least.bound} proven: no {what} that cost less are enough; {cost} are named",
        )
    if least.unmet:
        yield "", f"{least.unmet} requirements are met by no zones, proven"


def _heading(stated: dict[str, Any]) -> Iterator[tuple[str, str]]:
    from mixsafe.model.question.adversary import READINGS

    asked = f"{stated['requirements']} requirements" if stated["k"] is None else f"k {stated['k']}"
    who = f"{stated['users']} users"
    if stated["users_without_data"]:
        who += f", {stated['users_without_data']} of them without data"
    if stated["known"] is not None:
        who = f"{stated['known']} known users, {stated['users']} tracks"
    yield "certificate", f"{stated['name']}, {who}, {stated['steps']} steps"
    yield "adversary", stated["adversary"]
    yield "knowledge", f"{stated['knowledge']}: {READINGS[stated['knowledge']]}"
    yield "asked", f"{asked}, rule {stated['rule']}"
    yield "decided by", f"engine {stated['engine']}, mixsafe {stated['version']}"
    yield "problem", stated["problem_of"]
    yield "", f"SHA-256 {stated['problem_sha256']}"
    yield "sealed", f"SHA-256 {stated['certificate_sha256']}"
