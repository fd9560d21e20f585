"""Certificates of links of tracklets, as ``mixsafe check`` shows them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mixsafe.errors import InputError

if TYPE_CHECKING:
    from mixsafe.check.link_check import LinksChecked
    from mixsafe_cli.data.invocation import CommandLine
    from mixsafe_cli.data.running import Run

ALL_SHOWN, SOME_CLAIMED = 0, 3
"""Exit status where every claim is shown, and where something is claimed only or undecided."""


def check_link_certificate(path: Path, run: Run[CommandLine]) -> int:
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
        found = check_links(certificate)
    except InputError as error:
        message = f"{certificate.problem.name}: {error.message}"
        raise InputError(message, file=path, hint=error.hint) from None
    stated: dict[str, Any] = {
        "name": certificate.problem.name,
        "tracklets": len(certificate.problem),
        "links": certificate.problem.n_links,
    }
    run.tell(
        [{**stated, **_as_dict(found)}],
        lambda _: [links_checked_document(**stated, found=found)],
    )
    claimed = found.possible_claimed + found.excluded_claimed + found.undecided
    return SOME_CLAIMED if claimed or found.contradiction is None else ALL_SHOWN


def _as_dict(found: LinksChecked) -> dict[str, Any]:
    return {
        "verdict": None,
        "possible_shown": found.possible,
        "possible_claimed": found.possible_claimed,
        "excluded_shown": found.excluded,
        "excluded_claimed": found.excluded_claimed,
        "undecided": found.undecided,
        "contradicted": found.contradiction is not False,
        "contradiction_shown": found.contradiction is True,
    }
