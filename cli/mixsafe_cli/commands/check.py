"""``mixsafe check``: replay certificates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixsafe_cli.data.outputs import STDOUT, check_target, write_answers
from mixsafe_cli.options.targets import JsonTarget, Quiet

if TYPE_CHECKING:
    from mixsafe.check.checker import Checked
    from mixsafe.model.answer.certificate import Certificate


def check(
    certificate: Annotated[
        Path, typer.Argument(metavar="CERTIFICATE", help="The file, or the folder it is in.")
    ],
    json: JsonTarget = None,
    quiet: Quiet = False,
) -> None:
    """Replay certificates of 'mixsafe verify --certificates DIR', witness by witness.

    No engine takes part. A safe verdict is replayed exchange by exchange. An unsafe one is proven
    again where following single tokens is enough; else it is counted as claimed, not replayed.

    For example:

      mixsafe verify --k 3 --certificates proofs

      mixsafe check proofs

    Exit status: 0 every user passes by the rule, 1 some user does not, 3 nobody fails but somebody
    is undecided, 2 the certificate is not valid: changed, damaged or wrong.
    """
    check_target("--json", json, (certificate,))
    from mixsafe.check.checker import check as replay
    from mixsafe.errors import InputError
    from mixsafe.io.problems.certificates import read_certificates
    from mixsafe.model.answer.verdict import Verdict
    from mixsafe_cli.render.progress import progress

    with progress(quiet) as report:
        report("reading certificates", 0, 0)
        read = read_certificates(certificate)
        found = []
        for number, one in enumerate(read):
            report("replaying certificates", number, len(read))
            try:
                found.append(replay(one))
            except InputError as error:
                raise InputError(f"{one.problem.name}: {error.message}", file=certificate) from None
    if json is not None:
        answers = [_as_dict(*pair) for pair in zip(read, found, strict=True)]
        write_answers(json, answers, lines=len(answers) != 1)
    if not quiet and json != STDOUT:
        _show(found)
    verdicts = {one.verdict for one in found}
    if Verdict.UNSAFE in verdicts:
        raise typer.Exit(1)
    raise typer.Exit(3 if Verdict.UNDECIDED in verdicts else 0)


def _as_dict(certificate: Certificate, found: Checked) -> dict[str, Any]:
    """What was found, as a JSON object."""
    return {
        "name": certificate.problem.name,
        "rule": str(certificate.rule),
        "verdict": found.verdict.value,
        "users": {verdict.value: count for verdict, count in found.users.items()},
        "safe_replayed": found.safe,
        "unsafe_proven_again": found.unsafe_confirmed,
        "unsafe_claimed": found.unsafe_claimed,
        "undecided": found.undecided,
    }


def _show(found: list[Checked]) -> None:
    """Say what was replayed and what was not."""
    from mixsafe.model.answer.verdict import Verdict
    from mixsafe_cli.render.printing import console, facts

    users = {verdict: sum(one.users[verdict] for one in found) for verdict in Verdict}
    rows = [
        ("certificates", f"{len(found)}, all as they were written"),
        ("safe", f"{sum(one.safe for one in found)}, every witness replayed"),
        ("unsafe", f"{sum(one.unsafe_confirmed for one in found)}, proven again"),
        ("", f"{sum(one.unsafe_claimed for one in found)}, claimed, not replayed"),
        ("undecided", str(sum(one.undecided for one in found))),
        ("users", ", ".join(f"{count} {verdict.value}" for verdict, count in users.items())),
    ]
    console().print(facts(rows))
