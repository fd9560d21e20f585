"""Registry of the kinds of pages, by name.

To add one, write a function that makes a page of what a command wrote as JSON
(:func:`mixsafe.report.document_page.sections_page` has the frame), and register it::

    from mixsafe.report.page_kinds import PAGES, PageKind

    crowds = PageKind("crowds", "how crowded places are", ("my command",), my_page,
                      lambda found: {"crowds", "places"} <= found.keys())
    with PAGES.registered(crowds):
        ...

``mixsafe report`` makes such pages in the block. The first kind that recognizes all objects of a
file makes its page. ``docs/results.md`` has a line for each that comes with mixsafe.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mixsafe.model.choices import Choices

ResultContent = Mapping[str, Any]
"""An object that JSON holds."""

IN_FOLDERS = {"tournament.json": "contest tournament", "run.json": "contest run"}
"""Results in the folders that commands write: their file, and the command."""


@dataclass(frozen=True)
class PageKind:
    """A kind of page.

    Parameters
    ----------
    name
        What the result is called.
    about
        What the page shows, in a few words.
    made_by
        Commands that write such results.
    page
        Makes the page of what is in the result. It loads what it needs when it is called.
    recognizes
        Whether an object of a JSON file is such a result, or one of such results.
    several
        The page is of all objects of a file, in a list; otherwise of the only one.
    """

    name: str
    about: str
    made_by: tuple[str, ...]
    page: Callable[[Any], str]
    recognizes: Callable[[ResultContent], bool]
    several: bool = False


def _with(*keys: str) -> Callable[[ResultContent], bool]:
    """Whether an object has these keys."""
    return lambda found: set(keys) <= found.keys()


def _document(found: Any) -> str:  # noqa: ANN401 -- whatever a file holds
    from mixsafe.documents.document import Document
    from mixsafe.report.document_page import document_page

    return document_page(Document.from_dict(found["document"]), found.get("provenance"))


def _documents(found: Any) -> str:  # noqa: ANN401 -- whatever a file holds
    from mixsafe.documents.document import Document, several
    from mixsafe.report.document_page import document_page

    together = several([Document.from_dict(answer["document"]) for answer in found])
    provenance = found[0].get("provenance")
    of_one_run = all(answer.get("provenance") == provenance for answer in found)
    return document_page(together, provenance if of_one_run else None)


PAGES: Choices[PageKind] = Choices(
    "page",
    PageKind(
        "document",
        "the answer as its document has it: sentence, numbers, tables, charts, a map, limits",
        (
            "audit",
            "breaking",
            "check",
            "compare",
            "contest run",
            "contest score",
            "contest tournament",
            "contest utility",
            "datasets describe",
            "links",
            "optimize",
            "protect",
            "pseudonymize",
            "verify",
            "weigh",
            "zones",
        ),
        _document,
        _with("schema", "document"),
    ),
    PageKind(
        "documents",
        "a word and a sentence for each of several problems",
        ("breaking", "check", "links", "optimize", "protect", "verify", "weigh"),
        _documents,
        _with("schema", "document"),
        several=True,
    ),
)
"""All kinds of pages; the first kind that recognizes a result makes its page."""


def page_sources() -> str:
    """Kinds of results that have a page, in words."""
    folders = list(IN_FOLDERS.values())
    written = dict.fromkeys(name for one in PAGES for name in one.made_by if name not in folders)
    return f"the JSON that {_or(list(written))} wrote, or a folder of {_or(folders)}"


def _or(names: list[str]) -> str:
    """Names with an "or" before the last."""
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
