"""Standings of a tournament for people: the awards first, then everybody."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mixsafe_cli.render.printing import Part, command, facts, headline, table

if TYPE_CHECKING:
    from mixsafe.contest.tournament.standings import Standings, TeamEntry


def show(challenges: Sequence[Standings], folder: Path) -> Iterator[Part]:
    """Who won what in each challenge, and every release with the strongest attacks on it."""
    teams = challenges[0].entries
    valid = {one.name for standings in challenges for one in standings.entries if one.valid}
    said = f"of {len(teams):,} {'team' if len(teams) == 1 else 'teams'}"
    style = "bold green" if valid else "bold red"
    yield headline("DONE", style, f"{said}, {len(valid):,} with a valid release")
    for standings in challenges:
        yield from _challenge(standings)
    yield ""
    waiting = [one.name for one in teams if one.name not in valid]
    if waiting:
        yield f"Next: better releases of {', '.join(waiting)}; the remarks say why."
    yield f"Tables and files are in {folder}; secret/ is for the judge alone."
    yield f"HTML page: {command('report', folder)}"


def _challenge(standings: Standings) -> Iterator[Part]:
    """The awards and the releases of a challenge."""
    challenge = standings.challenge
    yield ""
    yield f"{challenge.name}, {challenge.about}: ranked by {challenge.score},min"
    yield facts(
        (f"best {award}", f"{', '.join(teams) or 'nobody'} ({challenge.awards[award][1]})")
        for award, teams in standings.awards.items()
    )
    yield ""
    scores = (">s_U", ">s_R,min", ">s_T,min", ">sum s_R", ">sum s_T")
    rows = (_row(standings, entry) for entry in standings.releases)
    yield table((">rank", "team", *scores), rows)
    remarks = [(entry.name, _remarks(standings, entry)) for entry in standings.releases]
    if any(text for _, text in remarks):
        yield ""
        yield facts((name, text) for name, text in remarks if text)
    correlation = standings.correlation
    if correlation is not None:
        yield ""
        yield f"correlation of s_R,min and s_T,min over the teams: {correlation:.3f}"


def _row(standings: Standings, entry: TeamEntry) -> Iterator[str]:
    """What is shown of a release, and of its team's attacks."""
    from mixsafe.contest.tournament.hold import KINDS

    benchmark, rank = entry is standings.benchmark, standings.ranks.get(entry.name)
    yield "" if benchmark or rank is None else str(rank)
    yield entry.name
    yield "" if entry.utility is None else f"{entry.utility.value:.4f}"
    for answers in KINDS:
        strongest = standings.strongest(entry.name, answers)
        by = "" if strongest is None else f" {strongest.attacker}"
        yield f"{standings.privacy(entry, answers):.4f}{by}"
    for kind in KINDS:
        yield "" if benchmark else f"{standings.attack_sum(entry.name, kind):.4f}"


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
