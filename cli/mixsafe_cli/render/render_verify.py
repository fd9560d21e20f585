"""Answers for people: the verdict first, then who is least protected, then what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mixsafe.model.answer.headline import set_apart
from mixsafe.model.answer.verdict import DECISIONS, Verdict
from mixsafe_cli.failures import EXIT_STATUS
from mixsafe_cli.render.printing import (
    SHOWN,
    WORDS,
    Protection,
    Written,
    console,
    facts,
    least_protected,
    page_of,
    said_first,
    say_more,
    told_apart,
)

if TYPE_CHECKING:
    from mixsafe.verify.verification import Verification


def show(answers: list[Verification], path: Path, adversary: str, written: Written) -> None:
    """Print what was decided.

    Parameters
    ----------
    answers
        One per problem.
    path
        The source.
    adversary
        What she knows, in a line; of the only problem.
    written
        Where the answer went.
    """
    out = console()
    if len(answers) != 1:
        _show_many(out, answers)
        return
    answer = answers[0]
    for line in said_first(answer.headline, "users"):
        out.print(line)
    out.print(facts(_facts(answer, path, adversary)))
    out.print()
    for table in _least_protected(answer):
        out.print(table)
        out.print()
    for step in _next_steps(answer, written):
        out.print(Text(step))


def _facts(answer: Verification, path: Path, adversary: str) -> Iterable[tuple[str, str]]:
    zones, summary = answer.problem.zones, answer.summary
    axis = zones.axis
    yield "Rule", f"{summary['rule']}: {answer.rule.words}"
    if answer.every_wire:
        yield "Asked", f"k = {answer.rows.k[0]} for every user at every time"
    else:
        yield "Asked", f"{summary['requirements']:,} requirements"
    yield (
        "Data",
        f"{path.name}: {zones.n_users:,} users, {axis.steps:,} steps ({axis.label(1)} to"
        f" {axis.label(axis.steps)}), {len(zones):,} mix zones",
    )
    yield "Adversary", adversary
    asked = "wires" if answer.every_wire else "requirements"
    yield (
        "Decided",
        f"{summary['safe']:,} {asked} safe, {summary['unsafe']:,} unsafe,"
        f" {summary['undecided']:,} undecided; engine {answer.engine}, {answer.seconds:.1f} s",
    )
    yield from told_apart(set_apart(zones))


def _least_protected(answer: Verification) -> Iterator[Table]:
    """The users who are safe for the smallest part of the time, those who fail first."""
    zones = answer.problem.zones
    users, names = answer.user_rows.without(zones.alone), zones.users
    words = np.array([verdict.value for verdict in DECISIONS])
    found = Protection(
        names[users.user],
        words[users.verdict],
        users.safe_share,
        users.undecided_share,
        users.known_share,
        answer.rows.best(len(names))[users.user],
    )
    return least_protected(found, "candidates proven, at best")


def _next_steps(answer: Verification, written: Written) -> Iterable[str]:
    """What a person may want to do now."""
    timed = answer.problem.zones.axis.timed
    if answer.verdict is Verdict.UNDECIDED:
        yield "Next: a longer --time-limit, or --engine auto, may decide the rest."
    elif answer.verdict is Verdict.UNSAFE:
        yield "Next: leave out who fails" + (
            ", or let more users meet (--cell-size, --time-step)." if timed else "."
        )
    elif answer.verdict is Verdict.WEAK_PASS:
        yield (
            "Next: the default rule asks for one safe moment. Ask for more (--rule share:0.9), or"
            " say --rule some if that is enough."
        )
    else:
        yield "Next: ask for more (--k), or for every time (--rule every)."
    if written.output is not None:
        yield f"Every row is in {written.output}."
    else:
        yield "When each user is safe, row by row: --output wires.csv."
    yield page_of(written)


def _show_many(out: Console, answers: list[Verification]) -> None:
    """Print one line per problem, the worst first."""
    ordered = sorted(answers, key=lambda answer: _WORST_FIRST.index(answer.verdict))
    verdicts = [answer.verdict for answer in ordered]
    word, style = WORDS[verdicts[0] if verdicts else Verdict.SAFE]
    counts = ", ".join(f"{verdicts.count(one):,} {WORDS[one][0].lower()}" for one in _WORST_FIRST)
    out.print(Text.assemble((word, style), f"  of {len(answers):,} problems: {counts}"))
    table = Table(box=None, pad_edge=False)
    table.add_column("problem")
    table.add_column("verdict")
    for heading in ("users", "mix zones", "safe", "unsafe", "undecided", "seconds"):
        table.add_column(heading, justify="right")
    for answer in ordered[:SHOWN]:
        summary, zones = answer.summary, answer.problem.zones
        numbers = (zones.n_users, len(zones), *(summary[word.value] for word in DECISIONS))
        word, style = WORDS[answer.verdict]
        table.add_row(
            Text(answer.problem.name),
            Text(word, style=style),
            *(f"{number:,}" for number in numbers),
            f"{answer.seconds:.2f}",
        )
    out.print(table)
    say_more(out, len(answers))


_WORST_FIRST = tuple(EXIT_STATUS)
