"""The settings that the organizers published scores for, and the attackers to run on them."""

from __future__ import annotations

from mixsafe.contest.attack.fuzzy import FuzzyVisitVector, SwapFrequentRegions
from mixsafe.contest.attack.infer import HomeProbTraces, RandomTraces, VisitProbTraces
from mixsafe.contest.attack.link import LinkIds, LinkTraces
from mixsafe.contest.attack.reidentify import HomeProbIds, RandomIds, VisitProbIds
from mixsafe.contest.base.parts import Anonymiser, Attacker
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.obfuscate.cluster import ClusterVisits
from mixsafe.contest.obfuscate.organizers import (
    Cheat,
    MergeAndHide,
    NoObfuscation,
    PlanarLaplace,
    RandomizedResponse,
)
from mixsafe.contest.obfuscate.shift import ShiftRareRegions
from mixsafe.contest.posterior.guesses import (
    HabitTraces,
    MatchedIds,
    PerCellIds,
    PosteriorIds,
    PosteriorTraces,
)
from mixsafe.contest.pseudonymizers import MIXZONE
from mixsafe.model.mobility.trace_matrix import TraceMatrix


def organizers_anonymisers() -> list[Anonymiser]:
    """The 37 settings of the organizers' evaluation, in their order."""
    return [
        NoObfuscation(),
        *(MergeAndHide(0, 0, share) for share in (0.1, 0.2, 0.5, 0.8)),
        *(MergeAndHide(1, 1, share) for share in (0.0, 0.1, 0.2, 0.5, 0.8)),
        *(RandomizedResponse(epsilon) for epsilon in (0.1, 1, 2, 4, 6, 8, 10, 12, 14)),
        *(PlanarLaplace(privacy, 1) for privacy in (0.1, 1, 2, 3, 4, 5, 6, 7)),
        *(Cheat(tenths / 10) for tenths in range(1, 11)),
    ]


def teams_anonymisers() -> list[Anonymiser]:
    """What two teams made: team 004's shifted regions, and the winner's clusters."""
    return [ShiftRareRegions(12, 4, 3), ClusterVisits(100)]


def organizers_attackers() -> list[Attacker]:
    """I1 to I3 and T1 to T3."""
    return [
        RandomIds(),
        VisitProbIds(),
        HomeProbIds(),
        RandomTraces(),
        VisitProbTraces(),
        HomeProbTraces(),
    ]


def team_attackers(reference: TraceMatrix, rules: Rules) -> list[Attacker]:
    """IF and TS as team 004 tuned them.

    TS counts a region as frequent from a quarter of the days on; the team's 5 of 20 days.
    """
    days = reference.n_steps / rules.steps_per_day
    return [FuzzyVisitVector(), SwapFrequentRegions(max(1, round(days / 4)))]


def linking_attackers(pseudonymization: str) -> list[Attacker]:
    """LINK and LINK-T with what an attacker knows of the pseudonymization."""
    exchanged = int(pseudonymization == MIXZONE)
    return [LinkIds(exchanged), LinkTraces(exchanged)]


def posterior_attackers(pseudonymization: str) -> list[Attacker]:
    """What habits say without links, over all histories, and without a release at all."""
    exchanged = int(pseudonymization == MIXZONE)
    return [
        PerCellIds(),
        PosteriorIds(exchanged),
        MatchedIds(exchanged),
        PosteriorTraces(exchanged),
        HabitTraces(),
    ]
