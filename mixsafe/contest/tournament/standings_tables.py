"""Standings of a tournament as CSV: a row per release, and a row per attack."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import StringIO

from mixsafe.contest.tournament.standings import Standings

TEAMS = ("rank", "name", "valid", "utility", "s_R_min", "s_R_min_by", "s_T_min", "s_T_min_by")
SUMS = ("s_R_sum", "s_T_sum", "awards", "problem")


def teams_table(challenges: Sequence[Standings]) -> str:
    """A row per team, and the benchmark last, of each challenge; empty: there is nothing to say."""
    rows = [row for standings in challenges for row in _team_rows(standings)]
    return _table(["challenge", *TEAMS, *SUMS], rows)


def _team_rows(standings: Standings) -> list[list[object]]:
    """A row per release of a challenge."""
    found = standings.to_dict()
    releases = [*found["teams"], *([found["benchmark"]] if found["benchmark"] else [])]
    won = {
        release["name"]: "; ".join(a for a, of in standings.awards.items() if release["name"] in of)
        for release in releases
    }
    sums = ("s_R_sum", "s_T_sum")
    return [
        [standings.challenge.name]
        + [release.get(column) for column in (*TEAMS, *sums)]
        + [won[release["name"]], release["problem"]]
        for release in releases
    ]


def attacks_table(challenges: Sequence[Standings]) -> str:
    """A row per attack of each challenge, with the 95% interval of its score."""
    rows = []
    for standings in challenges:
        for attack in standings.attacks:
            score = attack.score
            numbers = [None] * 3 if score is None else [score.value, *score.interval]
            told = [attack.victim, attack.attacker, attack.team, attack.answers]
            rows.append([standings.challenge.name, *told, *numbers, attack.problem])
    columns = ["victim", "attacker", "by_team", "answers", "value", "low", "high", "problem"]
    return _table(["challenge", *columns], rows)


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """CSV with LF line ends; floats to the last digit, yes and no for truth."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_field(value) for value in row] for row in rows)
    return text.getvalue()


def _field(value: object) -> str:
    """A value as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)
