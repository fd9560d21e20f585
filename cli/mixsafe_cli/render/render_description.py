"""Terminal output of what a file holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mixsafe.model.answer.wording import share
from mixsafe.report.pages.description_page import (
    fix_facts,
    further_notes,
    premise_facts,
    read_facts,
    refused_facts,
    sentence,
    size_name,
    size_sentence,
    word,
)
from mixsafe_cli.render.printing import Part, Unbroken, Written, command, facts, headline, table

_STYLES = {"Readable": "bold green", "To settle": "bold yellow"}


def show(found: Mapping[str, Any], words: Sequence[str], files: Written) -> Iterator[Part]:
    """What would be read.

    Parameters
    ----------
    found
        The description as JSON.
    words
        The files, and the options with which they were read.
    files
        Where the description went.
    """
    first = word(found)
    yield headline(first.upper(), _STYLES[first], sentence(found))
    told = (refused_facts, read_facts, fix_facts, premise_facts)
    rows = [row for part in told for row in part(found)]
    yield facts([*rows, *(("Note", note) for note in further_notes(found))])
    yield ""
    if found["sizes"] is not None:
        yield from _sizes(found)
        yield ""
    yield Unbroken(f"Next: {_next(found, words)}")
    yield files.page("described.json")


def _sizes(found: Mapping[str, Any]) -> Iterator[Part]:
    """What each size would give."""
    rows = (
        (
            size_name(row),
            f"{row['zones']:,}",
            f"{row['never_meet']:,}",
            share(row["safe"]),
            share(row["undecided"]),
        )
        for row in found["sizes"]["rows"]
    )
    amounts = (">mix zones", ">people in none", ">time protected", ">undecided")
    yield table(("cells and steps", *amounts), rows, "What sizes would give")
    yield size_sentence(found)


def _next(found: Mapping[str, Any], words: Sequence[str]) -> str:
    """The command that asks."""
    settle = "settle what is said above; then " if found["refused"] else ""
    if found["what"] in ("feed", "links"):
        return f"{settle}{command('links', *words, '--k', 3)}"
    if found["what"] == "problems" and found["counts"].get("requirements", 1):
        return f"{settle}{command('verify', *words)}"
    sizes = found["sizes"]
    chosen: list[object] = []
    if sizes is not None:
        row = sizes["rows"][sizes["suggested"]]
        chosen += [] if row["cell_size"] is None else ["--cell-size", f"{row['cell_size']:g}"]
        chosen += [] if row["time_step"] is None else ["--time-step", row["time_step"]]
    return f"{settle}{command('verify', *words, '--k', 3, *chosen)}"
