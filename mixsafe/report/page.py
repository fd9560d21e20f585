"""Self-contained HTML pages: text, pictures and sortable tables."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from markupsafe import escape as markup_escape

from mixsafe.errors import printable
from mixsafe.model.answer.wording import count as count
from mixsafe.model.answer.wording import plural as plural
from mixsafe.model.answer.wording import share as share
from mixsafe.model.mobility.time_axis import moment as moment

SCRIPTS = ("datatables.min.js", "report.js")
STYLES = ("report.css",)

MAP_SCRIPTS = ("leaflet.js", "exposure_map.js")
"""Of pages with a map, besides."""
MAP_STYLES = ("leaflet.css", "exposure_map.css")


class Page(str):
    """A page as HTML; a notebook shows it in a frame."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<page of {len(self):,} characters>"

    def _repr_html_(self) -> str:
        """The page in a frame."""
        return (
            f'<iframe srcdoc="{escape(str(self))}" sandbox="allow-scripts" title="mixsafe"'
            ' style="width:100%;height:80vh;min-height:30rem;border:1px solid"></iframe>'
        )


_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]"
    "(?:[^<>&(){}\\[\\],;:\"']*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff"
    "\U0001e800-\U0001efff])?"
)


def shown(value: object) -> object:
    """The text of a value for a page, without control characters or reversed writing.

    Unprintable characters become escape sequences, as on the terminal; right-to-left text is
    isolated from the text around it.
    """
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return Markup(_RIGHT_TO_LEFT.sub(r"<bdi>\g<0></bdi>", str(markup_escape(printable(value)))))


def attribute(text: str) -> Markup:
    """A text for a place that takes no elements: an attribute, or the title."""
    return markup_escape(printable(text))


def embedded(value: object) -> Markup:
    """Plain values as JSON in a page: whatever they say, it ends no element and begins none."""
    text = json.dumps(_printable(value), ensure_ascii=False, separators=(",", ":"))
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return Markup(text)  # nothing in it is markup any more


def _printable(value: object) -> object:
    """Plain values, all texts in them as a page shows them."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {key: _printable(one) for key, one in value.items()}
    return [_printable(one) for one in value] if isinstance(value, list | tuple) else value


def capital(text: str) -> str:
    """A sentence that begins with a capital letter."""
    return text[:1].upper() + text[1:]


def heading(name: str, *, number: bool = False, **more: Any) -> dict[str, Any]:
    """Head of a column of a table.

    Parameters
    ----------
    more
        ``filter``: what the column can be filtered by; ``tone``: it holds verdicts; ``wide``: it
        holds sentences; ``names``: it holds names of people; ``short``: it is never broken.
    """
    usual = {"filter": None, "tone": False, "wide": False, "names": False, "short": False}
    return {"name": name, "number": number, **usual, **more}


def cell(
    text: object, order: float | None = None, link: str | None = None, tone: str | None = None
) -> dict[str, Any]:
    """Cell of a table that sorts by a number, leads somewhere in the page, or has a colour."""
    made: dict[str, Any] = {"text": text}
    if order is not None:
        made["order"] = order
    if link is not None:
        made["link"] = link
    if tone is not None:
        made["tone"] = tone
    return made


Heading = str | dict[str, Any]
"""Head of a column (:func:`heading`); of a plain one the name."""


def numbers(*names: str) -> list[Heading]:
    """Heads of columns of numbers."""
    return [heading(name, number=True) for name in names]


def table(
    caption: str, headings: Sequence[Heading], rows: Sequence[Sequence[Any]]
) -> dict[str, Any]:
    """A table of a page; rows are texts, or cells, by column."""
    heads = [heading(one) if isinstance(one, str) else one for one in headings]
    return {"caption": caption, "headings": heads, "rows": rows}


def tone(verdict: str) -> str:
    """CSS class of a verdict."""
    return verdict.replace(" ", "-")


def render(template: str, context: Mapping[str, Any]) -> str:
    """A page from its template.

    Parameters
    ----------
    template
        Name of a file in ``templates``.
    context
        What it shows. Text is escaped; only :class:`~markupsafe.Markup` is taken as it is.
    """
    static = files("mixsafe.report") / "static"
    mapped = bool(context.get("exposure"))
    names = SCRIPTS + MAP_SCRIPTS * mapped, STYLES + MAP_STYLES * mapped
    read = [[(static / name).read_text(encoding="utf-8") for name in some] for some in names]
    scripts, style = [Markup(script) for script in read[0]], Markup("\n".join(read[1]))
    hashes = [Markup(f"'sha256-{_hash(script)}'") for script in scripts]
    return (
        _environment()
        .get_template(template)
        .render({**context, "scripts": scripts, "style": style, "script_hashes": hashes})
    )


@functools.cache
def _environment() -> Environment:
    """Templates, which are compiled when they are first used."""
    environment = Environment(
        loader=PackageLoader("mixsafe.report"),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"count": count, "tone": tone, "attribute": attribute}
    return environment


def _hash(script: str) -> str:
    """Checksum of a script, as a content security policy wants it."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
