"""Standings of a tournament for people: the awards first, then everybody."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from mixsafe_cli.render.printing import console, facts

if TYPE_CHECKING:
    from mixsafe.contest.tournament.standings import Standings, TeamEntry


def show(standings: Standings, folder: Path) -> None:
    """Print who won what, and every release with the strongest attacks on it."""
    from mixsafe.contest.tournament.standings import AWARDS

    out = console()
    valid = sum(entry.valid for entry in standings.entries)
    style = "bold green" if valid else "bold red"
    teams = "team" if len(standings.entries) == 1 else "teams"
    out.print(
        Text.assemble(
            ("DONE", style),
            f"  of {len(standings.entries):,} {teams}, {valid:,} with a valid release",
        )
    )
    awards = [
        (f"best {award}", f"{', '.join(teams) or 'nobody'} ({AWARDS[award][1]})")
        for award, teams in standings.awards.items()
    ]
    out.print(facts(awards))
    out.print()
    table = Table(box=None, pad_edge=False)
    table.add_column("team")
    for column in ("s_U", "s_R,min", "s_T,min", "sum s_R", "sum s_T"):
        table.add_column(column, justify="right")
    for entry in standings.releases:
        table.add_row(*(Text(text) for text in _row(standings, entry)))
    out.print(table)
    out.print()
    remarks = [(entry.name, _remarks(standings, entry)) for entry in standings.releases]
    if any(text for _, text in remarks):
        out.print(facts((name, text) for name, text in remarks if text))
        out.print()
    correlation = standings.correlation
    if correlation is not None:
        out.print(f"correlation of s_R,min and s_T,min over the teams: {correlation:.3f}")
    out.print()
    waiting = [one.name for one in standings.entries if not one.valid]
    if waiting:
        out.print(Text(f"Next: better releases of {', '.join(waiting)}; the remarks say why."))
    out.print(Text(f"Tables and files are in {folder}; secret/ is for the judge alone."))
    out.print(Text(f"A page for people: 'mixsafe report {folder}'."))


def _row(standings: Standings, entry: TeamEntry) -> list[str]:
    """What is shown of a release, and of its team's attacks."""
    from mixsafe.contest.tournament.hold import KINDS

    scores = [_number(None if entry.utility is None else entry.utility.value)]
    for answers in KINDS:
        strongest = standings.strongest(entry.name, answers)
        by = "" if strongest is None else f" {strongest.attacker}"
        scores.append(f"{standings.privacy(entry, answers):.4f}{by}")
    if entry is standings.benchmark:
        return [entry.name, *scores, "", ""]
    return [
        entry.name,
        *scores,
        *(f"{standings.attack_sum(entry.name, kind):.4f}" for kind in KINDS),
    ]


def _remarks(standings: Standings, entry: TeamEntry) -> str:
    """What is to be said of a release, and of its team's attacks."""
    if entry is standings.benchmark:
        return "the judge's benchmark"
    faults = [
        f"attack on {attack.victim}: {attack.problem}"
        for attack in standings.attacks
        if attack.team and attack.attacker == entry.name and attack.problem
    ]
    remarks = [] if entry.problem is None else [f"not valid: {entry.problem}"]
    return "; ".join([*remarks, *faults])


def _number(value: float | None) -> str:
    """A score."""
    return "" if value is None else f"{value:.4f}"
