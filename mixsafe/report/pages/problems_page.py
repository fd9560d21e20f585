"""The page about many problems, or about one without details."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mixsafe.documents.document import WORDS
from mixsafe.report.base.page import (
    count,
    count_cell,
    heading,
    numbers,
    plural,
    share_cell,
    table,
    tone,
)
from mixsafe.report.base.sections import section, sections_page


def problems_page(answers: Sequence[Mapping[str, Any]]) -> str:
    """The page for problems of ``verify --json``, an object or a line each."""
    verdicts = [str(answer["verdict"]) for answer in answers]
    rows = []
    for answer, verdict in zip(answers, verdicts, strict=True):
        summary = answer["summary"]
        counts = [answer[name] for name in ("users", "steps", "zones")]
        counts += [summary[word] for word in ("safe", "unsafe", "undecided")]
        safe = share_cell(summary["share_of_time_safe"])
        rows.append([answer["name"], verdict, *map(count_cell, counts), safe])
    names = ("people", "steps", "mix zones", "safe", "unsafe", "undecided", "safe share")
    listed = table(
        f"{plural(len(answers), 'problem', 'problems')}, in the order of the file",
        ["problem", heading("verdict", filter="Verdict", tone=True), *numbers(*names)],
        rows,
    )
    of = {word: verdicts.count(word) for word in WORDS}
    order = ("unsafe", "undecided", "weak pass", "safe")
    worst = next((word for word in order if of[word]), "safe")
    passed = of["safe"] + of["weak pass"]
    weakly = f" ({count(of['weak pass'])} of them weakly)" if of["weak pass"] else ""
    return sections_page(
        "Location privacy of several problems",
        [section("Problems", table=listed)],
        word=WORDS[worst],
        sentence=(
            f"All people pass in {count(passed)} of"
            f" {plural(len(answers), 'problem', 'problems')}{weakly}; {count(of['unsafe'])} failed,"
            f" {count(of['undecided'])} undecided."
        ),
        meaning=(
            "A person who passes has enough candidate pseudonyms, consistent with everything the"
            " adversary knows, at the times that the rule requires. Verdicts are proven. A weak"
            " pass requires one safe moment only."
        ),
        tone=tone(worst),
        provenance=answers[0].get("provenance") if len(answers) == 1 else None,
    )
