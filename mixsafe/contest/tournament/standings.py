"""What a tournament found: every attack, every team's standing, and the awards.

Contest paper, sections 3.2 and 3.4 ("Contest Flow", "Awards"). As CSV: a row per release, and a row
per attack.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

import numpy as np

from mixsafe.contest.base.parts import AnswerKind
from mixsafe.contest.base.score import Score, minimum
from mixsafe.contest.tournament.challenges import ANONYMIZATION, TRP, Challenge

TEAMS = ("rank", "name", "valid", "utility", "s_R_min", "s_R_min_by", "s_T_min", "s_T_min_by")
SUMS = ("s_R_sum", "s_T_sum", "awards", "problem")


@dataclass(frozen=True)
class Attack:
    """One attack on one release.

    Parameters
    ----------
    attacker, victim
        Names; the judge's sample attacks are called as they are, ``I2``.
    answers
        What was guessed.
    team
        Whether a team made the attack, and not the judge.
    score
        Privacy that was left; None: the answer was not valid.
    problem
        Why it was not valid.
    """

    attacker: str
    victim: str
    answers: AnswerKind
    team: bool
    score: Score | None
    problem: str | None = None


@dataclass(frozen=True)
class TeamEntry:
    """A release as the judge took it in.

    Parameters
    ----------
    name
        The team, or the benchmark.
    utility
        s_U; None: nothing that could be scored was handed in.
    problem
        Why the release is not valid; None: it is.
    """

    name: str
    utility: Score | None
    problem: str | None = None

    @property
    def valid(self) -> bool:
        """Whether the release was distributed and attacked."""
        return self.problem is None


@dataclass(frozen=True)
class Standings:
    """All that is known in the end.

    Parameters
    ----------
    entries
        Teams in their order.
    benchmark
        The judge's release, pseudonymized only; None: there was none.
    attacks
        Every attack on a valid release.
    challenge
        What releases are ranked by, and which awards there are.
    """

    entries: tuple[TeamEntry, ...]
    benchmark: TeamEntry | None
    attacks: tuple[Attack, ...]
    challenge: Challenge = TRP

    def strongest(self, victim: str, answers: AnswerKind) -> Attack | None:
        """The attack that left the least of a release's privacy; None: there was none."""
        against = [a for a in self.attacks if (a.victim, a.answers) == (victim, answers)]
        scored = [attack for attack in against if attack.score is not None]
        if not scored:
            return None
        lowest = minimum(attack.score for attack in scored if attack.score is not None)
        return next(attack for attack in scored if attack.score is lowest)

    def privacy(self, entry: TeamEntry, answers: AnswerKind) -> float:
        """s_R,min or s_T,min: 0 for a release that is not valid, 1 for one nobody attacked."""
        if not entry.valid:
            return 0.0
        attack = self.strongest(entry.name, answers)
        return 1.0 if attack is None or attack.score is None else attack.score.value

    def attack_sum(self, attacker: str, answers: AnswerKind) -> float:
        """Sum of the scores that a team's attacks leave, over all releases (paper, "Awards").

        What a team did not attack, or not validly, counts 1, and so does its own release, valid
        or not: nobody gains by a release that is not valid. Another team's such release counts 0.
        """
        found = {
            attack.victim: attack.score.value
            for attack in self.attacks
            if attack.team and attack.attacker == attacker and attack.answers == answers
            if attack.score is not None
        }
        asked = [one.name for one in self.releases if one.valid or one.name == attacker]
        return math.fsum(found.get(name, 1.0) for name in asked)

    @property
    def releases(self) -> tuple[TeamEntry, ...]:
        """Entries of all teams, and the benchmark."""
        return self.entries if self.benchmark is None else (*self.entries, self.benchmark)

    @property
    def ranks(self) -> dict[str, int]:
        """Places from 1 of the teams with valid releases; equal ones share the better place."""
        hidden = {e.name: self.privacy(e, self.challenge.ranked) for e in self.entries if e.valid}
        return {
            name: 1 + sum(other > value for other in hidden.values())
            for name, value in hidden.items()
        }

    @property
    def awards(self) -> dict[str, tuple[str, ...]]:
        """Winners by award, several where they are equal; nobody where nobody took part."""
        first = tuple(name for name, rank in self.ranks.items() if rank == 1)
        awards = self.challenge.awards
        return {
            award: first if award == ANONYMIZATION else self._best_attackers(answers)
            for award, (answers, _) in awards.items()
        }

    def _best_attackers(self, answers: AnswerKind) -> tuple[str, ...]:
        """Teams whose attacks left the lowest sum, of those that attacked."""
        tried = {
            one.attacker
            for one in self.attacks
            if one.team and one.answers == answers and one.score is not None
        }
        names = [entry.name for entry in self.entries if entry.name in tried]
        sums = {name: self.attack_sum(name, answers) for name in names}
        return tuple(name for name in names if sums[name] == min(sums.values()))

    @property
    def correlation(self) -> float | None:
        """Of s_R,min and s_T,min over the teams' valid releases (paper, figure 9: R).

        None where there are fewer than three, or one of the scores is always the same.
        """
        valid = [entry for entry in self.entries if entry.valid]
        scores = np.array([[self.privacy(e, "ids"), self.privacy(e, "traces")] for e in valid])
        if len(scores) < 3 or not np.all(np.ptp(scores, axis=0) > 0):
            return None
        return float(np.corrcoef(scores.T)[0, 1])

    def to_dict(self) -> dict[str, Any]:
        """Everything, as a JSON object."""
        return {
            "challenge": self.challenge.name,
            "ranked_by": self.challenge.score,
            "teams": [self._team(entry) for entry in self.entries],
            "benchmark": None if self.benchmark is None else self._release(self.benchmark),
            "awards": {
                award: {"by": self.challenge.awards[award][1], "teams": list(teams)}
                for award, teams in self.awards.items()
            },
            "correlation": self.correlation,
            "attacks": [_attack(attack) for attack in self.attacks],
        }

    def _release(self, entry: TeamEntry) -> dict[str, Any]:
        """An entry and what attacks left of it."""
        strongest = {kind: self.strongest(entry.name, kind) for kind in ("ids", "traces")}
        by = {kind: None if one is None else one.attacker for kind, one in strongest.items()}
        return {
            "name": entry.name,
            "rank": self.ranks.get(entry.name),
            "valid": entry.valid,
            "problem": entry.problem,
            "utility": None if entry.utility is None else entry.utility.value,
            "s_R_min": self.privacy(entry, "ids"),
            "s_R_min_by": by["ids"],
            "s_T_min": self.privacy(entry, "traces"),
            "s_T_min_by": by["traces"],
        }

    def _team(self, entry: TeamEntry) -> dict[str, Any]:
        """An entry with what the team's own attacks did."""
        return {
            **self._release(entry),
            "s_R_sum": self.attack_sum(entry.name, "ids"),
            "s_T_sum": self.attack_sum(entry.name, "traces"),
        }


def _attack(attack: Attack) -> dict[str, Any]:
    """An attack as a JSON object."""
    return {
        "attacker": attack.attacker,
        "victim": attack.victim,
        "answers": attack.answers,
        "team": attack.team,
        "score": None if attack.score is None else attack.score.to_dict(),
        "problem": attack.problem,
    }


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
