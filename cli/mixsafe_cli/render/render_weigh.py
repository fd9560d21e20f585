"""Terminal output of weighing: value of a bet, and users with one likely candidate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from mixsafe_cli.render.printing import (
    SHOWN,
    Part,
    Written,
    data_line,
    facts,
    headline,
    more_than_shown,
    table,
)

if TYPE_CHECKING:
    from mixsafe.weigh.weighing import Weighing


def show(answers: list[Weighing], path: Path, adversary: str, written: Written) -> Iterator[Part]:
    """What was found; parameters as for :func:`mixsafe_cli.render.render_verify.show`."""
    for answer in answers[:SHOWN]:
        yield _said_first(answer.summary, answer.seconds, _said(answer.summary))
        yield facts(_facts(answer, path, adversary))
        yield ""
        yield _levels(answer.summary["levels"])
    yield from more_than_shown(len(answers))
    yield ""
    if any(answer.summary["not settled"] for answer in answers):
        yield "Next: a longer --time-limit may settle more."
    yield written.where("Best guess of each wire with its interval", "weights.csv")
    yield written.page("weights.json")


def _said_first(summary: dict[str, Any], seconds: float | None, said: str | None) -> Text:
    """The value of a bet; with too little settled, the time to continue.

    Parameters
    ----------
    summary
        What was found: ``settled``, ``times_as_long`` and ``share_not_settled``.
    seconds
        Duration so far; None if unknown.
    said
        The value of a bet; None if nothing settled.
    """
    if summary["settled"] and said is not None:
        return headline("WEIGHED", "bold", said)
    longer = summary["times_as_long"]
    how = "much longer"
    if longer is not None:
        how = f"about {longer:,.0f} times as long" if longer >= 2 else "somewhat longer"
        if seconds is not None:
            how += f" (--time-limit {max(1, round(seconds * longer, -1 if longer > 2 else 0)):.0f})"
    settled = 1 - summary["share_not_settled"]
    line = f"only {settled:.1%} of the time settled, 90% is needed: weigh for {how}."
    rest = f"\nSo far, {said}" if said is not None else ""
    return headline("NOT SETTLED", "bold yellow", line + rest)


def _said(summary: dict[str, Any]) -> str | None:
    """The value of a bet in a sentence; None if nothing settled."""
    right, counting = summary["follower_right"], summary["counting_says"]
    if right is None:
        return None
    return (
        f"betting on the likeliest candidate is right {right:.1%} {_of(summary)};"
        f" by counting candidates alone, {counting:.1%}"
    )


def _of(summary: dict[str, Any]) -> str:
    """The time that a share refers to."""
    missing = summary["share_not_settled"]
    return f"of the settled {1 - missing:.1%} of the time" if missing else "of the time"


def _facts(answer: Weighing, path: Path, adversary: str) -> Iterator[tuple[str, str]]:
    problem, summary = answer.problem, answer.summary
    yield "Adversary", adversary
    yield "Data", data_line(path.name, problem.zones)
    methods = ("alone", "counted", "sampled", "not settled")
    numbers = ", ".join(f"{summary[method]:,} {method}" for method in methods)
    yield "Wires", f"{summary['wires']:,}: {numbers}"
    right = summary.get("places", {}).get("share_right")
    if right is not None:
        yield "Places", f"betting on the likeliest place is right {right:.1%} {_of(summary)}"
    if summary["median_effective"] is not None:
        yield "Effective", f"median {summary['median_effective']:,.1f} candidates"
    if summary["share_bet_on"]:
        yield (
            "Bets",
            f"above {summary['bet']:g}: {summary['share_bet_on']:.1%} of the time, right"
            f" {summary['bets_right']:.1%} (by counting, {summary['counting_says_of_bets']:.1%})",
        )
    yield "Decision", f"{answer.seconds:.1f} s"


def _levels(levels: list[dict[str, Any]]) -> Part:
    """Numbers of wires with a likely candidate, by candidates."""
    names = ("wires", "above_0.5", "above_0.9", "not_settled")
    headings = (">candidates", ">wires", ">one above 0.5", ">above 0.9", ">not settled")
    rows = ((f"{level['k']} or more", *(f"{level[name]:,}" for name in names)) for level in levels)
    return table(headings, rows)


def show_tracks(found: dict[str, Any], release: Path) -> Iterator[Part]:
    """Which tracks are whose, in numbers: ``found`` as JSON has it."""
    right, said = found["follower_right"], None
    if right is not None:
        said = f"betting on the likeliest track is right {right:.1%} {_of(found)}"
    yield _said_first(found, None, said)
    lines = [("Release", f"{release.name}: {found['tracks']:,} tracks, {found['users']:,} known")]
    lines.append(("Guessing", f"a random track is right {found['random_guess']:.1%}"))
    if "gaps" in found:
        lines.append(("Read", found["gaps"]))
    if "same_person" in found:
        chance, (one, other) = found["same_person"]["found"], found["same_person"]["of"]
        word = "not settled"
        if chance is not None:
            word = f"{chance['chance']:.1%} ({chance['low']:.1%} to {chance['high']:.1%})"
        lines.append(("One person", f"{one} and {other}: {word}"))
    yield facts(lines)
