"""The settings that the organizers published scores for, and the attackers to run on them."""

from __future__ import annotations

from mixsafe.contest.base.parts import Anonymiser, Attacker
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.pseudonymizers import MIXZONE
from mixsafe.contest.registry import anonymiser, attacker
from mixsafe.model.mobility.complete_traces import TraceMatrix


def organizers_anonymisers() -> list[Anonymiser]:
    """The 37 settings of the organizers' evaluation, in their order."""
    return [
        anonymiser("A1"),
        *(anonymiser("A2", [0, 0, share]) for share in (0.1, 0.2, 0.5, 0.8)),
        *(anonymiser("A2", [1, 1, share]) for share in (0.0, 0.1, 0.2, 0.5, 0.8)),
        *(anonymiser("A3", [epsilon]) for epsilon in (0.1, 1, 2, 4, 6, 8, 10, 12, 14)),
        *(anonymiser("A4", [privacy, 1]) for privacy in (0.1, 1, 2, 3, 4, 5, 6, 7)),
        *(anonymiser("A5", [tenths / 10]) for tenths in range(1, 11)),
    ]


def teams_anonymisers() -> list[Anonymiser]:
    """What two teams made: team 004's shifted regions, and the winner's clusters."""
    return [anonymiser("AS", [12, 4, 3]), anonymiser("KM", [100])]


def organizers_attackers() -> list[Attacker]:
    """I1 to I3 and T1 to T3."""
    return [attacker(name) for name in ("I1", "I2", "I3", "T1", "T2", "T3")]


def team_attackers(reference: TraceMatrix, rules: Rules) -> list[Attacker]:
    """IF and TS as team 004 tuned them.

    TS counts a region as frequent from a quarter of the days on; the team's 5 of 20 days.
    """
    days = reference.n_steps / rules.steps_per_day
    return [attacker("IF"), attacker("TS", [max(1, round(days / 4))])]


def linking_attackers(pseudonymization: str) -> list[Attacker]:
    """LINK and LINK-T with what an attacker knows of the pseudonymization."""
    exchanged = int(pseudonymization == MIXZONE)
    return [attacker(name, [exchanged]) for name in ("LINK", "LINK-T")]


def posterior_attackers(pseudonymization: str) -> list[Attacker]:
    """What habits and homes say, over all assignments, and without a release at all."""
    exchanged = int(pseudonymization == MIXZONE)
    told = (attacker(name, [exchanged]) for name in ("POST", "MATCH", "POST-T"))
    return [*told, attacker("GUESS")]
