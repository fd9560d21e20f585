"""Answers for people: the verdict first, then who is least protected, then what to do next."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mixsafe.model.answer.verdict import Verdict

if TYPE_CHECKING:
    import pandas as pd

    from mixsafe.verify.verification import Verification

SHOWN = 10
"""Users, or problems, that are listed."""

WORDS = {
    Verdict.SAFE: ("VALID", "bold green"),
    Verdict.UNSAFE: ("INVALID", "bold red"),
    Verdict.UNDECIDED: ("UNDECIDED", "bold yellow"),
}

_WORST_FIRST = [Verdict.UNSAFE.value, Verdict.UNDECIDED.value, Verdict.SAFE.value]


def console() -> Console:
    """Standard output, as wide as the terminal; in a pipe, lines are never cut."""
    found = Console(highlight=False)
    return found if found.is_terminal else Console(highlight=False, width=120, no_color=True)


def facts(rows: Iterable[tuple[str, str]]) -> Table:
    """Names and what is to be said about them, in two columns."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column(overflow="fold")
    for name, value in rows:
        grid.add_row(name, Text(value))
    return grid


def show(answers: list[Verification], path: Path, adversary: str, output: Path | None) -> None:
    """Print what was decided.

    Parameters
    ----------
    answers
        One per problem.
    path
        The source.
    adversary
        What she knows, in a line; of the only problem.
    output
        Where the table of wires was written.
    """
    out = console()
    if len(answers) != 1:
        _show_many(out, answers)
        return
    answer = answers[0]
    out.print(_headline(answer.verdict, answer.summary["users"], "user"))
    out.print(facts(_facts(answer, path, adversary)))
    out.print()
    out.print(_least_protected(answer))
    out.print()
    for step in _next_steps(answer, output):
        out.print(Text(step))


def _headline(verdict: Verdict, counts: dict[str, int], noun: str) -> Text:
    """The verdict in a word, and the counts that make it."""
    word, style = WORDS[verdict]
    total = sum(counts.values())
    said = [
        f"{counts[other.value]:,} {phrase}"
        for other, phrase in (
            (Verdict.SAFE, "pass"),
            (Verdict.UNSAFE, "fail"),
            (Verdict.UNDECIDED, "undecided"),
        )
    ]
    return Text.assemble((word, style), f"  of {total:,} {noun}s, {', '.join(said)}")


def _facts(answer: Verification, path: Path, adversary: str) -> Iterable[tuple[str, str]]:
    zones, summary = answer.problem.zones, answer.summary
    axis = zones.axis
    yield "Rule", f"{summary['rule']}: {answer.rule.words}"
    if answer.wires is not None:
        yield "Asked", f"k = {answer.wires['k'].iloc[0]} for every user at every time"
    else:
        yield "Asked", f"{summary['requirements']:,} requirements"
    yield (
        "Data",
        f"{path.name}: {zones.n_users:,} users, {axis.steps:,} steps ({axis.label(1)} to"
        f" {axis.label(axis.steps)}), {len(zones):,} mix zones",
    )
    yield "Adversary", adversary
    asked = "wires" if answer.wires is not None else "requirements"
    yield (
        "Decided",
        f"{summary['safe']:,} {asked} safe, {summary['unsafe']:,} unsafe,"
        f" {summary['undecided']:,} undecided; engine {answer.engine}, {answer.seconds:.1f} s",
    )
    yield "Time", f"users are proven safe for {summary['share_of_time_safe']:.1%} of it"


def _least_protected(answer: Verification) -> Table:
    """The users who are safe for the smallest part of the time, those who fail first."""
    users = answer.users.set_index("user_id")
    asked, name = (answer.wires, "user_id") if answer.results is None else (answer.results, "user")
    if asked is not None:
        users["best"] = asked.groupby(name, sort=False)["lower"].max()
    return least_protected(users, "candidates proven, at best")


def least_protected(users: pd.DataFrame, heading: str) -> Table:
    """Ten users: those who fail first, then by how little of the time they are safe.

    Parameters
    ----------
    users
        A row per user, by user: verdict, safe_share, undecided_share, best.
    heading
        Of the column ``best``.
    """
    users["rank"] = users["verdict"].map(_WORST_FIRST.index)
    order = users.sort_values(["rank", "safe_share", "best"], kind="stable")
    shown = Table(title="Least protected", title_justify="left", box=None, pad_edge=False)
    shown.add_column("user")
    shown.add_column("verdict")
    for amount in ("safe for", "undecided for", heading):
        shown.add_column(amount, justify="right")
    for user in order.head(SHOWN).itertuples():
        shown.add_row(
            Text(str(user.Index)),
            Text(str(user.verdict), style=WORDS[Verdict(user.verdict)][1]),
            f"{user.safe_share:.1%}",
            f"{user.undecided_share:.1%}",
            str(user.best),
        )
    return shown


def _next_steps(answer: Verification, output: Path | None) -> Iterable[str]:
    """What a person may want to do now."""
    timed = answer.problem.zones.axis.timed
    if answer.verdict is Verdict.UNDECIDED:
        yield "Next: a longer --time-limit, or --engine auto, may decide the rest."
    elif answer.verdict is Verdict.UNSAFE:
        yield "Next: leave out who fails" + (
            ", or let more users meet (--cell-size, --time-step)." if timed else "."
        )
    else:
        yield "Next: ask for more (--k), or for every time (--rule every)."
    if output is not None:
        yield f"Every row is in {output}."
    else:
        yield "When each user is safe, row by row: --output wires.csv."
    yield "A page for people: --json result.json, then 'mixsafe report result.json'."


def _show_many(out: Console, answers: list[Verification]) -> None:
    """Print one line per problem, the worst first."""
    verdicts = [answer.verdict for answer in answers]
    counts = {verdict.value: verdicts.count(verdict) for verdict in Verdict}
    worst = min(
        verdicts, key=lambda verdict: _WORST_FIRST.index(verdict.value), default=Verdict.SAFE
    )
    out.print(_headline(worst, counts, "problem"))
    table = Table(box=None, pad_edge=False)
    table.add_column("problem")
    table.add_column("verdict")
    for heading in ("users", "mix zones", "safe", "unsafe", "undecided", "seconds"):
        table.add_column(heading, justify="right")
    ordered = sorted(answers, key=lambda answer: _WORST_FIRST.index(answer.verdict.value))
    for answer in ordered[:SHOWN]:
        summary, zones = answer.summary, answer.problem.zones
        numbers = (zones.n_users, len(zones), *(summary[word.value] for word in Verdict))
        word, style = WORDS[answer.verdict]
        table.add_row(
            Text(answer.problem.name),
            Text(word, style=style),
            *(f"{number:,}" for number in numbers),
            f"{answer.seconds:.2f}",
        )
    out.print(table)
    if len(answers) > SHOWN:
        out.print(f"and {len(answers) - SHOWN:,} more; all of them: --json FILE")
