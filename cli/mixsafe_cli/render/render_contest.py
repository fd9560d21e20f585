"""A run of the contest for people: the most private releases first, then what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from mixsafe_cli.render.printing import SHOWN, console

if TYPE_CHECKING:
    from mixsafe.contest.base.score import Score
    from mixsafe.contest.run import Outcome


def show(outcomes: Sequence[Outcome], folder: Path) -> None:
    """Print how many releases are valid, and those of them that attacks leave most private."""
    valid = [one for one in outcomes if one.utility.valid]
    out = console()
    style = "bold green" if valid else "bold red"
    releases = "release" if len(outcomes) == 1 else "releases"
    said = f"  of {len(outcomes):,} {releases}, {len(valid):,} valid"
    out.print(Text.assemble(("DONE", style), said))
    if valid:
        out.print()
        out.print(Text("Most private: what the strongest attacks leave of the valid releases"))
        out.print(_table(sorted(valid, key=_privacy)[:SHOWN]))
    out.print()
    out.print(Text(f"Tables are in {folder}; every score with its interval in scores.csv."))
    out.print(Text(f"A page for people: 'mixsafe report {folder}'."))


def _privacy(outcome: Outcome) -> tuple[float, float]:
    """How private a release is, the most private first."""
    reid, trace = outcome.strongest("reid"), outcome.strongest("trace")
    return (-1.0 if reid is None else -reid.value, -1.0 if trace is None else -trace.value)


def _table(outcomes: Sequence[Outcome]) -> Table:
    """A line per release, with the strongest attacks on it."""
    table = Table(box=None, pad_edge=False)
    table.add_column("obfuscation")
    table.add_column("pseudonyms")
    for heading in ("s_U", "s_R,min", "s_T,min"):
        table.add_column(heading, justify="right")
    for one in outcomes:
        scores = (one.utility, one.strongest("reid"), one.strongest("trace"))
        names = ["", *(_by(one, score) for score in scores[1:])]
        table.add_row(
            Text(one.anonymiser),
            one.pseudonymization,
            *(_number(score, name) for score, name in zip(scores, names, strict=True)),
        )
    return table


def _by(outcome: Outcome, score: Score | None) -> str:
    """Name of the attack that left a score."""
    return next((f" {name}" for name, one in outcome.privacy.items() if one is score), "")


def _number(score: Score | None, by: str) -> str:
    """A score and who left it."""
    return "" if score is None else f"{score.value:.4f}{by}"
