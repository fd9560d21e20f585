"""``mixsafe check``: replay certificates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixsafe.errors import InputError
from mixsafe_cli.failures import status_of
from mixsafe_cli.options.question_options import AdversaryOptions, QuestionOptions
from mixsafe_cli.options.records import takes_records
from mixsafe_cli.options.source_options import ComparedSource
from mixsafe_cli.options.targets import AnswerTargets, JsonTarget, Quiet, check_folder_target
from mixsafe_cli.running.invocation import CommandLine
from mixsafe_cli.running.run import Run, running
from mixsafe_cli.running.sources import steps_of

if TYPE_CHECKING:
    from mixsafe.check.checker import Checked
    from mixsafe.from_files.remade_problems import RemadeProblem
    from mixsafe.model.answer.certificate import Certificate
    from mixsafe_cli.progress import Report

ExportFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Export proofs of unsafe verdicts and of cost bounds as DIMACS, DRAT, LRAT and OPB.",
    ),
]
"""Folder for exported proofs."""


@dataclass(frozen=True)
class CheckTargets(AnswerTargets):
    """Output targets of the answer."""

    json: str | None = None
    quiet: bool = False


_OWN = "the certificate's own; --source compares it with data"


ALL_SHOWN, SOME_CLAIMED = 0, 3
"""Exit status where every claim is shown, and where something is claimed only or undecided."""


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
    files, words = {"compared": source.source}, context.find_root().obj
    invocation = CommandLine(words, files, {}, None, (source, question, adversary))
    if export is not None:
        check_folder_target("--export", export)
    with running("check", invocation, CheckTargets(json, quiet)) as run:
        raise typer.Exit(_checked(certificate, source, question, adversary, export, run))


def _checked(
    certificate: Path,
    source: ComparedSource,
    question: QuestionOptions,
    adversary: AdversaryOptions,
    export: Path | None,
    run: Run[CommandLine],
) -> int:
    """Replay a certificate of any kind, tell people, and return the exit status."""
    from mixsafe.check.checked_document import checked_document
    from mixsafe.io.certificates.certificate_reader import read_certificates
    from mixsafe.io.certificates.link_certificates import is_link_certificate

    if is_link_certificate(certificate):
        if source.source is not None or export is not None:
            raise InputError(
                "a certificate of links is neither compared with data nor exported",
                file=certificate,
                hint="leave out --source and --export",
            )
        return _checked_links(certificate, run)
    run.report("reading certificates", 0, 0)
    read = read_certificates(certificate)
    compared = _compared(source, adversary, question, len(read), run.report)
    replayed = []
    for number, (one, problem) in enumerate(zip(read, compared, strict=True)):
        run.report("replaying certificates", number, len(read))
        replayed.append(_replayed(certificate, one, problem, question, adversary))
    if export is not None:
        from mixsafe.from_files.certificates import export_proofs

        run.report("writing proofs", 0, 0)
        export_proofs(read, export)
    stated = [_statements(one, read.manifest.seal, source.source) for one in read]
    answers = [_as_dict(*pair) for pair in zip(stated, replayed, strict=True)]
    made = {}
    if run.target.json is not None and len(answers) != 1:  # a single answer has it anyway
        made = {"provenance": run.invocation.provenance()}
    run.tell(
        (answer | made for answer in answers),
        lambda _: [checked_document(answer) for answer in answers],
    )
    return status_of(one.verdict for one in replayed)


def _checked_links(path: Path, run: Run[CommandLine]) -> int:
    """Check a certificate, say what it shows, and return the exit status.

    Raises
    ------
    InputError
        It is no certificate, breaks a rule, or refutes a claim.
    """
    from mixsafe.check.checked_document import links_checked_document
    from mixsafe.check.link_check import check_links
    from mixsafe.io.certificates.link_certificates import read_link_certificate

    certificate = read_link_certificate(path)
    try:
        checked = check_links(certificate)
    except InputError as error:
        message = f"{certificate.problem.name}: {error.message}"
        raise InputError(message, file=path, hint=error.hint) from None
    stated: dict[str, Any] = {
        "name": certificate.problem.name,
        "tracklets": len(certificate.problem),
        "links": certificate.problem.n_links,
    }
    run.tell(
        [{**stated, **checked.to_dict()}],
        lambda _: [links_checked_document(**stated, found=checked)],
    )
    claimed = checked.possible_claimed + checked.excluded_claimed + checked.undecided
    return SOME_CLAIMED if claimed or checked.contradiction is None else ALL_SHOWN


def _compared(
    source: ComparedSource,
    adversary: AdversaryOptions,
    question: QuestionOptions,
    count: int,
    report: Report,
) -> list[RemadeProblem | None]:
    """The problems of the source, one for each certificate; None for each: there is no source.

    Raises
    ------
    InputError
        The source cannot be used, or does not hold as many problems.
    """
    if source.source is None:
        return [None] * count
    if source.knowledge is not None:
        problems = [_audited(source)]
    else:
        from mixsafe.from_files.remade_problems import RemadeProblem
        from mixsafe_cli.running.sources import read_problems

        problems = [
            RemadeProblem(one) for one in read_problems(source, adversary, question, report)
        ]
    if len(problems) != count:
        raise InputError(
            f"it holds {len(problems)} problems, and there are {count} certificates",
            file=source.source,
        )
    return list(problems)


def _audited(source: ComparedSource) -> RemadeProblem:
    """The problem of an audit of a release."""
    from mixsafe.from_files.released import read_evidence
    from mixsafe.from_files.remade_problems import RemadeProblem
    from mixsafe_cli.running.releases import release_of, released

    if source.source is None or source.knowledge is None:
        raise InputError("an audit is of a release, and of what was seen")
    meetings = source.exchange == "zones"
    release = release_of(source, source.source)
    exchanged = meetings or source.rotate is not None
    published = released(
        release, sets_meet=source.sets_meet, meetings=meetings, exchanged=exchanged
    )
    evidence = read_evidence(
        source.knowledge, published, users=source.users, seed=source.seed, gaps=source.gaps
    )
    return RemadeProblem.of_audit(evidence, exchanged=exchanged)


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
            at = None if compared.seen else steps_of(compared.problem, question.at)
            compared.check(certificate, question.k, at)
        # A rule that --rule names counts as chosen.
        return replay(certificate if rule is None else replace(certificate, rule=rule))
    except InputError as error:
        message = f"{certificate.problem.name}: {error.message}"
        raise InputError(message, file=folder, hint=error.hint) from None


def _statements(certificate: Certificate, seal: str, source: Path | None) -> dict[str, Any]:
    """The statements of a certificate about itself and its problem, unchecked."""
    from mixsafe.model.question.problem import fingerprint

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


def _as_dict(stated: dict[str, Any], checked: Checked) -> dict[str, Any]:
    """The result as a JSON object."""
    answer = {
        **stated,
        "verdict": checked.verdict.value,
        "users_by_verdict": {verdict.value: count for verdict, count in checked.users.items()},
        "users_claimed": [str(name) for name in checked.users_claimed],
        "safe_replayed": checked.safe,
        "unsafe_proven_again": checked.unsafe_confirmed,
        "unsafe_proven_by": checked.unsafe_shown,
        "unsafe_claimed": checked.unsafe_claimed,
        "undecided": checked.undecided,
    }
    least = checked.least
    if least is not None:
        answer |= {
            "minimum_proven": least.is_minimum,
            "weight": least.weight,
            "cost": least.cost,
            "bound_proven": least.bound,
            "unmet_proven": least.unmet,
        }
    return answer
