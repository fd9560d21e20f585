"""Certificates of links of tracklets, as ``mixsafe check`` shows them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mixsafe.errors import InputError
from mixsafe_cli.data.outputs import write_answers
from mixsafe_cli.options.apart import STDOUT

if TYPE_CHECKING:
    from mixsafe.check.links.link_check import LinksChecked

ALL_SHOWN, SOME_CLAIMED = 0, 3
"""Exit status where every claim is shown, and where something is claimed only or undecided."""


def check_link_certificate(path: Path, json: str | None, *, quiet: bool) -> int:
    """Check a certificate, say what it shows, and return the exit status.

    Raises
    ------
    InputError
        It is no certificate, breaks a rule, or refutes a claim.
    """
    from mixsafe.check.links.link_check import check_links
    from mixsafe.io.certificates.link_certificates import read_link_certificate

    certificate = read_link_certificate(path)
    try:
        found = check_links(certificate)
    except InputError as error:
        message = f"{certificate.problem.name}: {error.message}"
        raise InputError(message, file=path, hint=error.hint) from None
    stated = {
        "name": certificate.problem.name,
        "tracklets": len(certificate.problem),
        "links": certificate.problem.n_links,
    }
    if json is not None:
        write_answers(json, "check", [{**stated, **_as_dict(found)}], lines=False)
    if not quiet and json != STDOUT:
        from mixsafe_cli.render.printing import facts, tell

        tell([facts(_rows(stated, found))])
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


def _rows(stated: dict[str, Any], found: LinksChecked) -> Iterator[tuple[str, str]]:
    """Lines about the certificate, what it shows, and what it claims."""
    size = f"{stated['tracklets']:,} tracklets, {stated['links']:,} links"
    yield "certificate", f"{stated['name']}, {size}"
    if found.contradiction is not False:
        how = "claimed, not shown" if found.contradiction is None else "shown"
        yield "contradicted", f"no history covers what must be covered: {how}"
        return
    yield "possible", f"{found.possible:,} links, ends and beginnings, shown by cycles"
    yield "", f"{found.possible_claimed:,}, claimed, not shown"
    yield "excluded", f"{found.excluded:,}, shown to be on no cycle"
    yield "", f"{found.excluded_claimed:,}, claimed, not shown"
    yield "undecided", f"{found.undecided:,}"
