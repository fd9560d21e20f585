"""Fairness: how much scores depend on whose traces a team was given (contest paper, app. E)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mixsafe.contest.base.parts import Anonymiser, Attacker
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.grid import organizers_attackers
from mixsafe.contest.pseudonymizers import SHUFFLE
from mixsafe.contest.registry import anonymiser_labelled
from mixsafe.contest.run import Outcome, Plan, run
from mixsafe.contest.workers import counted
from mixsafe.errors import InputError
from mixsafe.model.mobility.trace_matrix import TraceMatrix


@dataclass(frozen=True)
class TeamScores:
    """The minimum privacy scores of several teams under one obfuscation.

    Parameters
    ----------
    anonymiser
        Its name with parameters.
    reid, trace
        s_R,min and s_T,min of each team.
    """

    anonymiser: str
    reid: tuple[float, ...]
    trace: tuple[float, ...]

    @property
    def reid_deviation(self) -> float:
        """Standard deviation of s_R,min over the teams."""
        return float(np.std(self.reid, ddof=1))

    @property
    def trace_deviation(self) -> float:
        """Standard deviation of s_T,min over the teams."""
        return float(np.std(self.trace, ddof=1))


def paper_anonymisers() -> list[Anonymiser]:
    """The four of the paper's table 2."""
    return [anonymiser_labelled(one) for one in ("A1", "A2-1-1-0.5", "A3-1", "A4-1-1")]


def fairness(
    teams: Sequence[tuple[TraceMatrix, TraceMatrix]],
    rules: Rules,
    *,
    anonymisers: Sequence[Anonymiser] | None = None,
    attackers: Sequence[Attacker] | None = None,
    seed: int = 1,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[TeamScores]:
    """Minimum privacy scores of every team, by obfuscation.

    Parameters
    ----------
    teams
        Reference and original traces of each, two teams or more.
    anonymisers
        Default: those of the paper's table 2.
    attackers
        Default: the organizers'.
    seed
        Of obfuscation, pseudonyms and attacks; each team has its own stream.
    workers
        Processes per team, >= 1.
    progress
        Called with the number of teams done and of all.

    Raises
    ------
    InputError
        Fewer than two teams.
    """
    if len(teams) < 2:
        raise InputError(f"fairness is between teams: {len(teams)} is too few", hint="give two")
    methods = list(anonymisers) if anonymisers is not None else paper_anonymisers()
    attacks: dict[str, Sequence[Attacker]] = {
        SHUFFLE: organizers_attackers() if attackers is None else list(attackers)
    }
    scores: list[list[tuple[float, float]]] = []
    for number, (reference, original) in counted(enumerate(teams), len(teams), progress):
        plan = Plan(methods, attacks, seed + number, compatible=False)
        outcomes = run(original, Reference(reference, rules), plan, workers=workers)
        scores.append([_lowest(outcome) for outcome in outcomes])
    names = [outcome.anonymiser for outcome in outcomes]
    return [
        TeamScores(name, tuple(reid for reid, _ in some), tuple(trace for _, trace in some))
        for name, some in zip(names, zip(*scores, strict=True), strict=True)
    ]


def _lowest(outcome: Outcome) -> tuple[float, float]:
    """s_R,min and s_T,min.

    Raises
    ------
    InputError
        There was no attack of one kind.
    """
    reid, trace = outcome.strongest("reid"), outcome.strongest("trace")
    if reid is None or trace is None:
        raise InputError("fairness needs attacks on identities and on traces")
    return reid.value, trace.value
