"""The officer's page: results of one data set under the headings of the law."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from mixsafe.documents.document import CriterionEvidence
from mixsafe.errors import InputError
from mixsafe.report.document_page import table_of
from mixsafe.report.officer.editions import EDITIONS, HIDDEN, Edition, command_of
from mixsafe.report.officer.headings import ASSUMPTIONS, HEADINGS, Heading, missing_under
from mixsafe.report.officer.kinds import AGAINST, FOR_SOME, IN_PART, OPEN, SUPPORTS
from mixsafe.report.officer.results import (
    Data,
    OfficerResult,
    PageDataSet,
    one_data_set,
    read_results,
)
from mixsafe.report.page import (
    Page,
    capital,
    cell,
    heading,
    plural,
    render,
    table,
)
from mixsafe.report.provenance import told_input

_WORST_FIRST = (AGAINST, OPEN, IN_PART, FOR_SOME, SUPPORTS)
FIGURES = "for the reader to judge"
_WORDS = {
    AGAINST: "it speaks against the criterion",
    OPEN: "it leaves the criterion open, which counts as not met",
    IN_PART: "it supports the criterion in part (the rule asks for one safe moment only)",
    FOR_SOME: "it supports the criterion for some people only",
    SUPPORTS: "it supports the criterion",
    FIGURES: "figures for the reader to judge",
}


@dataclass(frozen=True)
class Statements:
    """What the controller states; the page quotes it, and says what is missing.

    Parameters
    ----------
    controller, purpose, recipient
        Who publishes, what for, and to whom.
    secrets
        Where the secret tables are, who may read them, and when they are deleted.
    """

    controller: str | None = None
    purpose: str | None = None
    recipient: str | None = None
    secrets: str | None = None


def officer_report(
    results: Sequence[str | os.PathLike[str]],
    statements: Statements | None = None,
    *,
    edition: str = "internal",
) -> Page:
    """Make the page for a data protection officer from several results of one data set.

    Parameters
    ----------
    results
        Files that ``--json`` of commands wrote, and folders of ``contest run``.
    statements
        What the controller states.
    edition
        ``internal``, or ``external``: without names of people and files, and without hashes of
        secret data.

    Returns
    -------
    The page, as HTML: the same results give the same bytes.

    Raises
    ------
    InputError
        A file is no result, or is damaged, or they are not all of the same data.

    Examples
    --------
    >>> from mixsafe.report.officer.officer_page import Statements, officer_report
    >>> stated = Statements(purpose="Planning of bus lines", recipient="The city")
    >>> page = officer_report(["verify.json", "weigh.json"], stated)  # doctest: +SKIP
    """
    read = read_results(results)
    data_set, chosen = one_data_set(read), EDITIONS[edition]
    sections = [
        _section(number, one, read, statements or Statements(), chosen)
        for number, one in enumerate(HEADINGS, 1)
    ]
    context = {
        "title": "Evidence for a data protection officer",
        "tone": "plain",
        "word": "Evidence",
        "sentence": _sentence(sections, data_set, chosen),
        "glance": _glance(sections),
        "headings": sections,
        "assumptions": list(ASSUMPTIONS.items()),
        "results": _results(read, data_set, chosen),
        "versions": _versions(read),
        "edition": chosen,
        "provenance": None,
    }
    return Page(render("officer.html", context))


@contextmanager
def _damaged(result: OfficerResult) -> Iterator[None]:
    """Refuse a result in which something is missing, or is not what it should be."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, InputError):
            raise error.about(result.path) from None
        what = f"{type(error).__name__}: {error}"
        raise InputError(
            f"this result of {result.kind.command} is damaged ({what})",
            file=result.path,
            hint="make it anew",
        ) from error


def _section(
    number: int,
    one: Heading,
    results: Sequence[OfficerResult],
    statements: Statements,
    edition: Edition,
) -> dict[str, Any]:
    """A heading with its evidence, and what is missing."""
    speaking = [(result, found) for result in results if (found := _evidence_of(result, one.key))]
    blocks = [
        {
            "mark": result.mark,
            **_said(found, edition),
            "how": (found.stands or FIGURES) if one.criterion else None,
            "stands": _in_words(found) if one.criterion else "",
            "judged": found.judged,
            "assumes": result.kind.assumes,
            "of": result.kind.of,
            "command": command_of(result.provenance["command"], edition),
        }
        for result, found in speaking
    ]
    return {
        **vars(one),
        "number": number,
        "criterion": one.criterion,
        "given": list(_given(one.key, statements)),
        "blocks": blocks,
        "missing": list(missing_under(one.key, {result.kind.name for result, _ in speaking})),
    }


def _evidence_of(result: OfficerResult, key: str) -> CriterionEvidence | None:
    """What a result says under a heading; None: nothing."""
    with _damaged(result):
        return result.evidence.get(key)


def _said(evidence: CriterionEvidence, edition: Edition) -> dict[str, Any]:
    """What a result says under a heading: sentences, names of people, and tables."""
    return {
        "sentences": evidence.sentences,
        "title": evidence.title,
        "names": evidence.names if edition.with_names else (),
        "tables": [
            {"title": one.title, "folded": one.folded, "table": table_of(one)}
            for one in evidence.tables
        ],
    }


def _in_words(evidence: CriterionEvidence) -> str:
    """How evidence stands to a criterion, and the number of people whom it is about."""
    how = evidence.stands or FIGURES
    judged = "" if how == FIGURES else evidence.judged
    return _WORDS[how] + (f" ({judged})" if judged else "")


def _worst(section: Mapping[str, Any]) -> str | None:
    """The worst evidence under a heading; None: there is none, or it is for the reader to judge."""
    found = {block["how"] for block in section["blocks"]} - {FIGURES}
    return min(found, key=_WORST_FIRST.index, default=None)


def _given(key: str, statements: Statements) -> Iterator[tuple[str, str]]:
    """What the controller states under a heading."""
    names = {"data": ("controller", "purpose", "recipient"), "secrets": ("secrets",)}
    for name in names.get(key, ()):
        value = getattr(statements, name)
        title = "Where secrets are kept" if name == "secrets" else name.capitalize()
        yield title, value or f"Missing: state it with --{name} TEXT."


def _sentence(
    sections: Sequence[Mapping[str, Any]], data_set: PageDataSet, edition: Edition
) -> str:
    """How many criteria have evidence for or against them, by the worst evidence for each."""
    how = [_worst(one) for one in sections if one["criterion"]]
    name = ", ".join(data_set.original.names) if edition.with_names else "the data"
    counts = [said.format(how.count(one)) for one, said in _COUNTED.items() if one in how]
    criteria = plural(len(how), "criterion", "criteria")
    return f"Of {criteria} for {name}, the evidence {', '.join(counts)}."


_COUNTED = {
    SUPPORTS: "supports {}",
    IN_PART: "supports {} in part",
    FOR_SOME: "supports {} for some people only",
    AGAINST: "speaks against {}",
    OPEN: "is open (which counts as not met) for {}",
    None: "is missing for {}",
}
"""What is said of a number of criteria, by their worst evidence."""


def _glance(sections: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The table at the top: the evidence for each heading, result by result."""
    rows = []
    for one in sections:
        missing = len(one["missing"]) + sum("Missing:" in said for _, said in one["given"])
        rows.append(
            [
                cell(f"{one['number']} {one['title']}", link=one["key"]),
                _evidence(one),
                plural(missing, "thing is missing", "things are missing") if missing else "",
            ]
        )
    caption = "R1, R2, … are results, listed under the last heading"
    return table(caption, ["heading", heading("evidence", wide=True), "missing"], rows)


def _evidence(section: Mapping[str, Any]) -> str:
    """The results under a heading, by how they stand to its criterion."""
    blocks = section["blocks"]
    if not section["criterion"] or not blocks:
        return ", ".join(block["mark"] for block in blocks) or "Missing"
    found = []
    for how in (*_WORST_FIRST, FIGURES):
        marks = [
            f"{block['mark']} ({block['of']}{_only(block, how)})"
            for block in blocks
            if block["how"] == how
        ]
        if marks:
            found.append(f"{how}: {', '.join(marks)}")
    return capital("; ".join(found))


def _only(block: Mapping[str, Any], how: str) -> str:
    """Whom evidence for some people is about."""
    return f"; {block['judged']}" if how == FOR_SOME else ""


def _results(
    results: Sequence[OfficerResult], data_set: PageDataSet, edition: Edition
) -> list[dict[str, Any]]:
    """The results: what each is, its command, its data, and the file itself."""
    found = []
    for result, data in zip(results, data_set.read, strict=True):
        files = list(_files(result, data, edition))
        if edition.with_names:
            file = told_input("result", result.path)
            files.append(f"Result: {file['name']}, SHA-256 {file['sha256']}")
        found.append(
            {
                "mark": result.mark,
                "about": capital(result.kind.about),
                "command": command_of(result.provenance["command"], edition),
                "files": files,
            }
        )
    return found


def _files(result: OfficerResult, data: Data | None, edition: Edition) -> Iterator[str]:
    """The data of a result with their hashes; the external edition has those of releases alone."""
    if data is None:
        yield "Of the same data, by the SHA-256 of the certificate that another result names"
        return
    for name, digest in zip(data.names, data.files, strict=True):
        shown = edition.with_names or data.role == "release"
        told = f"SHA-256 {digest}" if shown else "SHA-256 in the internal edition"
        yield f"{capital(data.role)}: {name if edition.with_names else HIDDEN}, {told}"
    for option, value in data.part:
        yield f"Part of the data: --{option} {value if edition.with_names else HIDDEN}"
    for one in result.provenance.get("outputs", ()):
        name = one["name"] if edition.with_names else HIDDEN
        yield f"Written {one['what']}: {name}, SHA-256 {one['sha256']}"


def _versions(results: Sequence[OfficerResult]) -> list[tuple[list[str], str]]:
    """Marks of results by the versions of the programs that made them."""
    found: dict[str, list[str]] = {}
    for result in results:
        named = result.provenance["versions"].items()
        words = ", ".join(f"{name} {version}" for name, version in named)
        found.setdefault(words, []).append(result.mark)
    return [(marks, words) for words, marks in found.items()]
