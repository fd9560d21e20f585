"""Standings of a tournament for people: the awards first, then everybody."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from mixsafe_cli.render.printing import console, facts

if TYPE_CHECKING:
    from rich.console import Console

    from mixsafe.contest.tournament.standings import Standings, TeamEntry


def show(challenges: Sequence[Standings], folder: Path) -> None:
    """Print who won what in each challenge, and every release with the strongest attacks on it."""
    out = console()
    teams = challenges[0].entries
    valid = {one.name for standings in challenges for one in standings.entries if one.valid}
    style = "bold green" if valid else "bold red"
    said = f"{len(teams):,} {'team' if len(teams) == 1 else 'teams'}"
    out.print(Text.assemble(("DONE", style), f"  of {said}, {len(valid):,} with a valid release"))
    for standings in challenges:
        _show_challenge(out, standings)
    out.print()
    waiting = [one.name for one in teams if one.name not in valid]
    if waiting:
        out.print(Text(f"Next: better releases of {', '.join(waiting)}; the remarks say why."))
    out.print(Text(f"Tables and files are in {folder}; secret/ is for the judge alone."))
    out.print(Text(f"A page for people: 'mixsafe report {folder}'."))


def _show_challenge(out: Console, standings: Standings) -> None:
    """Print the awards and the releases of a challenge."""
    challenge = standings.challenge
    out.print()
    out.print(Text(f"{challenge.name}, {challenge.about}: ranked by {challenge.score},min"))
    awards = [
        (f"best {award}", f"{', '.join(teams) or 'nobody'} ({challenge.awards[award][1]})")
        for award, teams in standings.awards.items()
    ]
    out.print(facts(awards))
    out.print()
    table = Table(box=None, pad_edge=False)
    table.add_column("rank", justify="right")
    table.add_column("team")
    for column in ("s_U", "s_R,min", "s_T,min", "sum s_R", "sum s_T"):
        table.add_column(column, justify="right")
    for entry in standings.releases:
        table.add_row(*(Text(text) for text in _row(standings, entry)))
    out.print(table)
    remarks = [(entry.name, _remarks(standings, entry)) for entry in standings.releases]
    if any(text for _, text in remarks):
        out.print()
        out.print(facts((name, text) for name, text in remarks if text))
    correlation = standings.correlation
    if correlation is not None:
        out.print()
        out.print(f"correlation of s_R,min and s_T,min over the teams: {correlation:.3f}")


def _row(standings: Standings, entry: TeamEntry) -> list[str]:
    """What is shown of a release, and of its team's attacks."""
    from mixsafe.contest.tournament.hold import KINDS

    scores = [_number(None if entry.utility is None else entry.utility.value)]
    for answers in KINDS:
        strongest = standings.strongest(entry.name, answers)
        by = "" if strongest is None else f" {strongest.attacker}"
        scores.append(f"{standings.privacy(entry, answers):.4f}{by}")
    rank = standings.ranks.get(entry.name)
    if entry is standings.benchmark:
        return ["", entry.name, *scores, "", ""]
    return [
        "" if rank is None else str(rank),
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
