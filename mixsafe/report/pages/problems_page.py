"""Many problems, or one without details, as a page: a verdict for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mixsafe.report.base.page import cell, count, heading, plural, share, tone
from mixsafe.report.base.sections import section, sections_page
from mixsafe.report.base.words import WORDS

_COUNTS = ("users", "steps", "zones")


def problems_page(answers: Sequence[Mapping[str, Any]]) -> str:
    """The page for what ``verify --json`` wrote about problems, an object or a line each."""
    verdicts = [_verdict(answer) for answer in answers]
    rows = []
    for answer, verdict in zip(answers, verdicts, strict=True):
        summary = answer["summary"]
        safe = summary["share_of_time_safe"]
        numbers = [answer[name] for name in _COUNTS]
        numbers += [summary[word] for word in ("safe", "unsafe", "undecided")]
        rows.append(
            [
                answer["name"],
                verdict,
                *(cell(count(number), number) for number in numbers),
                cell(share(safe), safe),
            ]
        )
    names = ("people", "steps", "mix zones", "safe", "unsafe", "undecided", "safe share")
    headings = [
        heading("problem"),
        heading("verdict", filter="Verdict", tone=True),
        *(heading(name, number=True) for name in names),
    ]
    caption = f"{plural(len(answers), 'problem', 'problems')}, in the order of the file"
    counts = {word: verdicts.count(word) for word in WORDS}
    order = ("unsafe", "undecided", "weak pass", "safe")
    worst = next((word for word in order if counts[word]), "safe")
    passed = counts["safe"] + counts["weak pass"]
    weakly = f" ({count(counts['weak pass'])} of them weakly)" if counts["weak pass"] else ""
    return sections_page(
        "Location privacy of several problems",
        [section("Problems", table={"caption": caption, "headings": headings, "rows": rows})],
        word=WORDS[worst],
        sentence=(
            f"In {count(passed)} of {plural(len(answers), 'problem', 'problems')} everybody"
            f" passes{weakly}; {count(counts['unsafe'])} failed,"
            f" {count(counts['undecided'])} undecided."
        ),
        meaning=(
            "Whoever passes is protected as the rule asks: as many pseudonyms as asked for may be"
            " the person's, whatever the adversary concludes from what she knows. Verdicts are"
            " proven. A weak pass asks for one safe moment alone."
        ),
        tone=tone(worst),
        provenance=answers[0].get("provenance") if len(answers) == 1 else None,
    )


def _verdict(answer: Mapping[str, Any]) -> str:
    """Verdict on a problem: that of the user who fares worst, and whether a pass is a weak one."""
    if "verdict" in answer:
        return str(answer["verdict"])
    users = answer["summary"]["users"]  # of an earlier version
    return next((word for word in ("unsafe", "undecided") if users[word]), "safe")
