"""How privacy goes with the length of traces (the sample programs' document, figure 5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mixsafe.contest.base.parts import Attacker
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.grid import organizers_attackers
from mixsafe.contest.obfuscate.organizers import NoObfuscation
from mixsafe.contest.pseudonymizers import SHUFFLE
from mixsafe.contest.run import Outcome, Plan, run
from mixsafe.errors import InputError
from mixsafe.model.mobility.trace_matrix import TraceMatrix

DAYS = (2, 5, 10, 15, 20, 25, 30)
"""Lengths of the document, days of reference traces and as many of original ones."""


@dataclass(frozen=True)
class LengthScores:
    """What attacks leave of traces of some length that have nothing but pseudonyms.

    Parameters
    ----------
    days
        Of reference traces, and of original ones.
    privacy
        Score under each attack, by its short name.
    """

    days: int
    privacy: dict[str, float]


def by_length(
    original: TraceMatrix,
    reference: TraceMatrix,
    rules: Rules,
    *,
    days: Sequence[int] = DAYS,
    attackers: Sequence[Attacker] | None = None,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[LengthScores]:
    """Scores of the first days of both, without obfuscation.

    Parameters
    ----------
    days
        Lengths, each >= 1.
    attackers
        Default: the organizers'.
    seed
        Of pseudonyms and attacks.
    progress
        Called with the number of lengths done and of all.

    Raises
    ------
    InputError
        There are not as many days.
    """
    chosen = organizers_attackers() if attackers is None else list(attackers)
    there = min(original.n_steps, reference.n_steps) // rules.steps_per_day
    for length in days:
        if not 1 <= length <= there:
            hint = f"the traces have {there} days each"
            raise InputError(f"{length} days cannot be looked at", hint=hint)
    found = []
    for done, length in enumerate(days, 1):
        steps = length * rules.steps_per_day
        known = TraceMatrix(reference.region[:, :steps])
        hidden = replace(original, region=original.region[:, :steps], first_time=steps + 1)
        plan = Plan([NoObfuscation()], {SHUFFLE: chosen}, seed)
        (outcome,) = run(hidden, Reference(known, rules), plan)
        found.append(LengthScores(length, _values(outcome)))
        if progress is not None:
            progress(done, len(days))
    return found


def _values(outcome: Outcome) -> dict[str, float]:
    """Scores without their intervals."""
    return {name: score.value for name, score in outcome.privacy.items()}
